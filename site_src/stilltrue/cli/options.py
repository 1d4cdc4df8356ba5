"""Options that several commands have, as decorators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click

from stilltrue import __version__
from stilltrue.cli import completing

F = Callable[..., Any]


def show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    """What `--version` does."""
    _answer(ctx, wanted, lambda: f"stilltrue {__version__}")


def _help(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    _answer(ctx, wanted, ctx.get_help)


def _answer(ctx: click.Context, wanted: bool, text: Callable[[], str]) -> None:
    """Answers an option that replaces the command, through the stream that the reports take."""
    if wanted and not ctx.resilient_parsing:
        from stilltrue.cli.streams import emit  # noqa: PLC0415  # only these two options need it here

        emit(f"{text()}\n")
        ctx.exit()


def with_help(command: F) -> F:
    """`-h` and `--help`, answered where the reports go."""
    return click.help_option("-h", "--help", callback=_help, help="Show this message.")(command)


def of_claims(command: F) -> F:
    """Ids, and `--tag`: which claims are meant."""
    tagged = click.option(
        "--tag",
        "tags",
        multiple=True,
        metavar="TAG",
        shell_complete=completing.tags,
        help="Only claims with this tag; repeatable.",
    )(command)
    return click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=completing.ids)(tagged)


def in_project(command: F) -> F:
    """`--project`: which project is meant."""
    return click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False),
        default=".",
        metavar="DIR",
        help="The project to check, or a folder in it. [default: the current folder]",
    )(command)


def in_form(command: F) -> F:
    """`--format`: as text or as JSON."""
    return _form(("text", "json"), "The report's form.")(command)


def in_any_form(command: F) -> F:
    """`--format` of a check: also the forms for CI."""
    said = "The report's form; the last two are for code scanning and for GitHub's workflows."
    return _form(("text", "json", "sarif", "github"), said)(command)


def _form(forms: Sequence[str], said: str) -> Callable[[F], F]:
    return click.option(
        "--format", "form", type=click.Choice(forms), default="text", show_default=True, help=said
    )
