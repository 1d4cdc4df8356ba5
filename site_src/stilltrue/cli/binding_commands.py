"""The commands `readings` and `bind`, with their options."""

from __future__ import annotations

import click

from stilltrue.cli import completing
from stilltrue.cli.options import in_form, in_project, with_help


@click.command("readings")
@click.argument("file", metavar="FILE", shell_complete=completing.files)
@click.option(
    "--like", default="", metavar="TEXT", help="Only the values that agree with a number, or that words name."
)
@in_form
@in_project
@with_help
def readings(file: str, like: str, form: str, project: str) -> int:
    """List what a file holds: columns with units, paths, numbers.

    Exit code 1 when nothing is like what `--like` looks for.
    """
    from stilltrue.cli.binding import list_readings  # noqa: PLC0415

    return list_readings(project, file, like, form)


@click.command("bind")
@click.argument("place", metavar="PAGE:LINE[:COLUMN]", shell_complete=completing.files)
@click.argument("file", metavar="FILE", shell_complete=completing.files)
@click.option(
    "--value", default="", metavar="TEXT", help="Which number of the line is meant, as it is written."
)
@click.option(
    "--pick",
    default=None,
    type=click.IntRange(min=1),
    metavar="N",
    help="Which of the candidates is meant. [default: the best]",
)
@click.option(
    "--id", "name", default="", metavar="ID", help="The claim's id. [default: what names the value]"
)
@click.option("--whole-column", "whole", is_flag=True, help="Bind each row of its column of the table.")
@click.option("--aside", is_flag=True, help="Leave the page as it is: the claim goes into a file of claims.")
@click.option(
    "--write", is_flag=True, help="Write the claim, of a sure candidate or of the one that is picked."
)
@in_form
@in_project
@with_help
def bind(
    place: str,
    file: str,
    value: str,
    pick: int | None,
    name: str,
    whole: bool,
    aside: bool,
    write: bool,
    form: str,
    project: str,
) -> int:
    """Propose the claim that binds a number to what a file holds.

    Candidates are ranked by unit, digits and the words around the number; exit code 1 when
    nothing is proposed. Nothing is written unless asked.
    """
    from stilltrue.cli.binding import bind_number  # noqa: PLC0415

    return bind_number(
        project,
        place,
        file,
        value=value,
        pick=pick or 0,
        name=name,
        whole=whole,
        aside=aside,
        write=write,
        form=form,
    )
