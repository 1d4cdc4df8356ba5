"""The commands and their options; each imports what it needs when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stilltrue import __version__

F = Callable[..., Any]


class Commands(click.Group):
    """A group that says which command was meant."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that `args` begin with.

        Raises:
            click.UsageError: There is none of this name.
            UsageError: There is none, and the hint says which one is near.
        """
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            from stilltrue.errors import UsageError  # noqa: PLC0415  # only a failing run needs these
            from stilltrue.suggest import did_you_mean  # noqa: PLC0415

            known = self.list_commands(ctx)
            raise UsageError(
                f"there is no command `{name}`",
                did_you_mean(name, known) or f"the commands are {', '.join(f'`{each}`' for each in known)}",
            )
        return super().resolve_command(ctx, args)


BEHIND = "stilltrue.behind"
"""Where a context keeps what stood behind `--`; nothing is there without one."""


class WithArguments(click.Command):
    """A command that hands on what stands behind `--`, options and all."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click, for what stands before `--`."""
        if "--" in args:
            at = args.index("--")
            ctx.meta[BEHIND] = tuple(args[at + 1 :])
            args = args[:at]
        return super().parse_args(ctx, args)


def _version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    _answer(ctx, wanted, lambda: f"stilltrue {__version__}")


def _help(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    _answer(ctx, wanted, ctx.get_help)


def _answer(ctx: click.Context, wanted: bool, text: Callable[[], str]) -> None:
    """Answers an option that replaces the command, through the stream that the reports take."""
    if wanted and not ctx.resilient_parsing:
        from stilltrue.cli.streams import emit  # noqa: PLC0415  # only these two options need it here

        emit(f"{text()}\n")
        ctx.exit()


def _with_help(command: F) -> F:
    return click.help_option("-h", "--help", callback=_help, help="Show this message.")(command)


def _in_project(command: F) -> F:
    return click.option(
        "--project",
        type=click.Path(exists=True, file_okay=False),
        default=".",
        metavar="DIR",
        help="The project to check, or a folder in it. [default: the current folder]",
    )(command)


def _in_form(command: F) -> F:
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="The report's form.",
    )(command)


@click.group(cls=Commands, no_args_is_help=False, context_settings={"max_content_width": 100})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version."
)
@_with_help
def app() -> None:
    """Keep the numbers in documentation true.

    Every number on a page is bound to the raw evidence it was read from; `check` walks
    every bond and fails where one has come loose.
    """


@app.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only claims with this tag; repeatable.")
@_in_form
@click.option(
    "--rerun",
    "again",
    multiple=True,
    metavar="cheap|all|ID",
    help="Run probes again, and compare what they give with the evidence; repeatable.",
)
@click.option("--no-cache", "anew", is_flag=True, help="Judge everything anew, and remember nothing.")
@_in_project
@_with_help
def check(
    ids: tuple[str, ...], tags: tuple[str, ...], form: str, again: tuple[str, ...], project: str, anew: bool
) -> int:
    """Judge all claims, or those named; exit code 1 when one fails."""
    from stilltrue.cli.commands import check_claims  # noqa: PLC0415

    return check_claims(project, ids, tags, form, anew=anew, again=again)


@app.command()
@click.argument("claim_id", metavar="ID")
@_in_project
@_with_help
def show(claim_id: str, project: str) -> int:
    """Show one claim: what it states, what was found, and on which lines."""
    from stilltrue.cli.commands import show_claim  # noqa: PLC0415

    return show_claim(project, claim_id)


@app.command(cls=WithArguments)
@click.argument("probes", nargs=-1, required=True, metavar="PROBE... [-- ARG...]")
@click.option("--allow-dirty", is_flag=True, help="Run what differs from HEAD too; the record says so.")
@_in_project
@_with_help
@click.pass_context
def record(ctx: click.Context, probes: tuple[str, ...], allow_dirty: bool, project: str) -> int:
    """Run probes, and keep what they print as evidence with its provenance.

    Exit code 1 when one was not recorded. What stands behind `--` are the arguments of the
    one probe before it; without `--` they are those of the record that it replaces.
    """
    from stilltrue.cli.recording import record_probes  # noqa: PLC0415

    return record_probes(project, probes, ctx.meta.get(BEHIND), allow_dirty=allow_dirty)


@app.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--source", required=True, metavar="TEXT", help="Where the evidence came from.")
@click.option("--on", required=True, metavar="DATE", help="The day of the measurement: YYYY-MM-DD, in UTC.")
@click.option("--again", is_flag=True, help="Replace a record that is there already.")
@_in_project
@_with_help
def adopt(files: tuple[str, ...], source: str, on: str, again: bool, project: str) -> int:
    """Write the record of evidence that was measured elsewhere."""
    from stilltrue.cli.recording import adopt_files  # noqa: PLC0415

    return adopt_files(project, files, source, on, again=again)


@app.command()
@click.argument("claim_id", metavar="ID")
@click.option("--because", required=True, metavar="TEXT", help="Why the change does not matter.")
@_in_project
@_with_help
def accept(claim_id: str, because: str, project: str) -> int:
    """Note that what has changed since a claim was measured does not matter for it."""
    from stilltrue.cli.recording import accept_change  # noqa: PLC0415

    return accept_change(project, claim_id, because)


@app.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only claims with this tag; repeatable.")
@click.option(
    "--only",
    "kinds",
    type=click.Choice(["stated", "readings", "plants"]),
    multiple=True,
    help="Shift only what is stated, only readings, or run only plants; repeatable.",
)
@click.option("--slow", is_flag=True, help="Run the plants of slow probes too.")
@_in_form
@_in_project
@_with_help
def mutate(
    ids: tuple[str, ...], tags: tuple[str, ...], kinds: tuple[str, ...], slow: bool, form: str, project: str
) -> int:
    """List the claims that could not fail; exit code 1 when there is one.

    Every stated value and every reading is shifted beyond what agrees, and every fault that
    a probe can put in itself is run: what holds all the same proves nothing.
    """
    from stilltrue.cli.mutating import mutate_claims  # noqa: PLC0415

    return mutate_claims(project, ids, tags, kinds, form, slow=slow)
