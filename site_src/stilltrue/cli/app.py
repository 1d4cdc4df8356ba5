"""The commands and their options; each imports what it needs when it runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from stilltrue import __version__

F = Callable[..., Any]


_LONGEST = 80
"""How much of a command's first sentence the list of commands shows."""

PURPOSES = {
    "Start": ("init", "new"),
    "Judge": ("check", "show"),
    "Measure": ("record", "adopt", "accept"),
    "Edit": ("update", "supersede"),
    "Guard": ("coverage", "mutate"),
}
"""The commands by what they are for, in the order of the help."""


class Commands(click.Group):
    """A group that lists its commands by what they are for, and says which was meant."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  # as click calls it
        """The commands in the order of the help; one that has no purpose yet comes last."""
        ordered = [name for names in PURPOSES.values() for name in names if name in self.commands]
        return [*ordered, *sorted(self.commands.keys() - set(ordered))]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in one column, each purpose under a heading of its own."""
        known = self.list_commands(ctx)
        width = max(map(len, known))
        purposes = {what: [name for name in names if name in known] for what, names in PURPOSES.items()}
        others = [name for name in known if not any(name in names for names in purposes.values())]
        for heading, names in {**purposes, "Commands": others}.items():
            rows = [(name.ljust(width), self.commands[name].get_short_help_str(_LONGEST)) for name in names]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

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


def _in_any_form(command: F) -> F:
    return click.option(
        "--format",
        "form",
        type=click.Choice(["text", "json", "sarif", "github"]),
        default="text",
        show_default=True,
        help="The report's form; the last two are for code scanning and for GitHub's workflows.",
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
@click.option("--here", is_flag=True, help="Make this folder a project of its own, inside a repository too.")
@click.option("--pre-commit", "hook", is_flag=True, help="Write a hook for pre-commit, where there is none.")
@click.option("--workflow", is_flag=True, help="Write a workflow for CI, where there is none.")
@click.option("--dry-run", "dry", is_flag=True, help="Show what would be written, and write nothing.")
@_in_project
@_with_help
def init(here: bool, hook: bool, workflow: bool, dry: bool, project: str) -> int:
    """Start in a repository that has no claims yet.

    Nothing is overwritten. Writes a configuration, a claims file that shows a first claim, and the line of
    `.gitattributes` that keeps evidence as it is; then says what to do next.
    """
    from stilltrue.cli.starting import start_project  # noqa: PLC0415

    return start_project(project, here=here, hook=hook, workflow=workflow, dry=dry)


@app.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only claims with this tag; repeatable.")
@click.option(
    "--changed-since",
    "since",
    metavar="REV",
    help="Only claims that rest on what has changed since this branch and REV parted.",
)
@_in_any_form
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
    ids: tuple[str, ...],
    tags: tuple[str, ...],
    since: str | None,
    form: str,
    again: tuple[str, ...],
    project: str,
    anew: bool,
) -> int:
    """Judge all claims, or those named; exit code 1 when one fails."""
    from stilltrue.cli.commands import check_claims  # noqa: PLC0415

    return check_claims(project, ids, tags, form, since=since, anew=anew, again=again)


@app.command()
@click.argument("claim_id", metavar="ID")
@_in_project
@_with_help
def show(claim_id: str, project: str) -> int:
    """Show one claim: what it states, what was found, on which lines."""
    from stilltrue.cli.commands import show_claim  # noqa: PLC0415

    return show_claim(project, claim_id)


@app.command(cls=WithArguments)
@click.argument("probes", nargs=-1, required=True, metavar="PROBE... [-- ARG...]")
@click.option("--allow-dirty", is_flag=True, help="Run what differs from HEAD too; the record says so.")
@_in_project
@_with_help
@click.pass_context
def record(ctx: click.Context, probes: tuple[str, ...], allow_dirty: bool, project: str) -> int:
    """Run probes; keep what they print as evidence, with its record.

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
    """Note that what has changed does not matter for a claim."""
    from stilltrue.cli.recording import accept_change  # noqa: PLC0415

    return accept_change(project, claim_id, because)


@app.group(cls=Commands, no_args_is_help=False)
@_with_help
def new() -> None:
    """Make a landmine, a claim or a probe that holds from the start.

    Nothing is overwritten.
    """


@new.command()
@click.argument("name", metavar="NAME")
@click.option("--page", default="", metavar="PAGE", help="The page at whose end its section goes.")
@_in_project
@_with_help
def landmine(name: str, page: str, project: str) -> int:
    """Make a page with claims, a probe with plants, evidence, a test.

    An example stands in them, so that all of it holds at once: replace it by a trap of your own.
    """
    from stilltrue.cli.scaffolding import make_landmine  # noqa: PLC0415

    return make_landmine(project, name, page)


@new.command("claim")
@click.argument("name", metavar="ID")
@click.option("--page", required=True, metavar="PAGE", help="The page that states it.")
@click.option("--evidence", required=True, metavar="FILE", help="The file that it is read from.")
@click.option("--path", default="", metavar="JSONPATH", help="Where in a tree: `$.words`.")
@click.option("--column", default="", metavar="COLUMN", help="Which column of a table.")
@click.option("--where", default="", metavar="SQL", help="Which rows of a table.")
@click.option("--match", default="", metavar="PATTERN", help="The pattern that finds it in a text.")
@click.option("--take", default="", metavar="TAKE", help="How several readings become one.")
@click.option("--unit", default="", metavar="UNIT", help="The unit of a number that has none there.")
@click.option("--says", default="", metavar="TEXT", help="Its sentence, with {value} where the value goes.")
@_in_project
@_with_help
def claim_from(name: str, page: str, evidence: str, says: str, project: str, **keys: str) -> int:
    """Write a claim that states what its evidence says, on a page."""
    from stilltrue.cli.scaffolding import make_claim  # noqa: PLC0415

    return make_claim(project, name, page, evidence, says, keys)


@new.command("probe")
@click.argument("name", metavar="NAME")
@_in_project
@_with_help
def probe_with_plant(name: str, project: str) -> int:
    """Make a probe with a plant, and record what it measures."""
    from stilltrue.cli.scaffolding import make_probe  # noqa: PLC0415

    return make_probe(project, name)


@app.command()
@click.argument("old", metavar="OLD")
@click.option(
    "--by", default="", metavar="NEW", help="The claim that takes its place; without it, it is withdrawn."
)
@click.option("--because", required=True, metavar="TEXT", help="Why it no longer stands.")
@click.option("--on", default="", metavar="DATE", help="The day: YYYY-MM-DD, in UTC. [default: today]")
@_in_project
@_with_help
def supersede(old: str, by: str, because: str, on: str, project: str) -> int:
    """Retire a claim, and say what still states its value.

    The key `superseded` is written into its block or its item, and nothing else changes.
    """
    from stilltrue.cli.retiring import supersede_claim  # noqa: PLC0415

    return supersede_claim(project, old, by, because, on)


@app.command()
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@_in_project
@_with_help
def update(ids: tuple[str, ...], dry_run: bool, project: str) -> int:
    """Rewrite drifted numbers to what was found, in their format.

    Claims' values, links in prose, tables and copies; all claims, or those named. Exit code
    1 when a number that disagrees was left, with the reason.
    """
    from stilltrue.cli.updating import update_numbers  # noqa: PLC0415

    return update_numbers(project, ids, dry_run=dry_run)


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
    """List the claims that could not fail.

    Exit code 1 when there is one. Every stated value and every reading is shifted beyond what
    agrees, and every fault that a probe can put in itself is run: what holds all the same
    proves nothing.
    """
    from stilltrue.cli.mutating import mutate_claims  # noqa: PLC0415

    return mutate_claims(project, ids, tags, kinds, form, slow=slow)


@app.command()
@click.argument("pages", nargs=-1, metavar="[PAGE]...")
@_in_form
@click.option("--raise", "upward", is_flag=True, help="Write the floor up to today's share; never down.")
@click.option("--since", metavar="REV", help="Fail when the floor is lower than at this revision.")
@_in_project
@_with_help
def coverage(pages: tuple[str, ...], form: str, upward: bool, since: str | None, project: str) -> int:
    """List the quantities that no claim stands behind.

    Exit code 1 when fewer are bound than the configured floor asks for. Dates, versions,
    names, code and small counts are no quantities; worked examples and exceptions are left
    out, and counted.
    """
    from stilltrue.cli.covering import cover_pages  # noqa: PLC0415

    return cover_pages(project, pages, form, upward=upward, since=since)
