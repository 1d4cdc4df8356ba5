"""The commands and their options; each imports what it needs when it runs."""

from __future__ import annotations

import click

from stilltrue.cli import binding_commands, completing
from stilltrue.cli.group import BEHIND, Commands, WithArguments
from stilltrue.cli.options import in_any_form, in_form, in_project, of_claims, show_version, with_help


@click.group(cls=Commands, no_args_is_help=False, context_settings={"max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=show_version,
    help="Show the version.",
)
@with_help
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
@in_project
@with_help
def init(here: bool, hook: bool, workflow: bool, dry: bool, project: str) -> int:
    """Start in a repository that has no claims yet.

    Nothing is overwritten. Writes a configuration, a claims file that shows a first claim, and the line of
    `.gitattributes` that keeps evidence as it is; then says what to do next.
    """
    from stilltrue.cli.starting import start_project  # noqa: PLC0415

    return start_project(project, here=here, hook=hook, workflow=workflow, dry=dry)


@app.command()
@of_claims
@click.option(
    "--changed-since",
    "since",
    metavar="REV",
    help="Only claims that rest on what has changed since this branch and REV parted.",
)
@in_any_form
@click.option(
    "--rerun",
    "again",
    multiple=True,
    metavar="cheap|all|ID",
    shell_complete=completing.ids_or_kinds,
    help="Run probes again, and compare what they give with the evidence; repeatable.",
)
@click.option("--no-cache", "anew", is_flag=True, help="Judge everything anew, and remember nothing.")
@in_project
@with_help
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
@click.argument("claim_id", metavar="ID", shell_complete=completing.ids)
@in_project
@with_help
def show(claim_id: str, project: str) -> int:
    """Show one claim: what it states, what was found, on which lines."""
    from stilltrue.cli.commands import show_claim  # noqa: PLC0415

    return show_claim(project, claim_id)


@app.command(cls=WithArguments)
@click.argument(
    "probes", nargs=-1, required=True, metavar="PROBE... [-- ARG...]", shell_complete=completing.files
)
@click.option("--allow-dirty", is_flag=True, help="Run what differs from HEAD too; the record says so.")
@in_project
@with_help
@click.pass_context
def record(ctx: click.Context, probes: tuple[str, ...], allow_dirty: bool, project: str) -> int:
    """Run probes; keep what they print as evidence, with its record.

    Exit code 1 when one was not recorded. What stands behind `--` are the arguments of the
    one probe before it; without `--` they are those of the record that it replaces.
    """
    from stilltrue.cli.recording import record_probes  # noqa: PLC0415

    return record_probes(project, probes, ctx.meta.get(BEHIND), allow_dirty=allow_dirty)


@app.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completing.files)
@click.option("--source", required=True, metavar="TEXT", help="Where the evidence came from.")
@click.option("--on", required=True, metavar="DATE", help="The day of the measurement: YYYY-MM-DD, in UTC.")
@click.option("--again", is_flag=True, help="Replace a record that is there already.")
@in_project
@with_help
def adopt(files: tuple[str, ...], source: str, on: str, again: bool, project: str) -> int:
    """Write the record of evidence that was measured elsewhere."""
    from stilltrue.cli.recording import adopt_files  # noqa: PLC0415

    return adopt_files(project, files, source, on, again=again)


@app.command()
@click.argument("claim_id", metavar="ID", shell_complete=completing.ids)
@click.option("--because", required=True, metavar="TEXT", help="Why the change does not matter.")
@in_project
@with_help
def accept(claim_id: str, because: str, project: str) -> int:
    """Note that what has changed does not matter for a claim."""
    from stilltrue.cli.recording import accept_change  # noqa: PLC0415

    return accept_change(project, claim_id, because)


@app.group(cls=Commands, no_args_is_help=False)
@with_help
def new() -> None:
    """Make a landmine, a claim or a probe that holds from the start.

    Nothing is overwritten.
    """


@new.command()
@click.argument("name", metavar="NAME")
@click.option(
    "--page",
    default="",
    metavar="PAGE",
    shell_complete=completing.files,
    help="The page at whose end its section goes.",
)
@in_project
@with_help
def landmine(name: str, page: str, project: str) -> int:
    """Make a page with claims, a probe with plants, evidence, a test.

    An example stands in them, so that all of it holds at once: replace it by a trap of your own.
    """
    from stilltrue.cli.scaffolding import make_landmine  # noqa: PLC0415

    return make_landmine(project, name, page)


@new.command("claim")
@click.argument("name", metavar="ID")
@click.option(
    "--page", required=True, metavar="PAGE", shell_complete=completing.files, help="The page that states it."
)
@click.option(
    "--evidence",
    required=True,
    metavar="FILE",
    shell_complete=completing.files,
    help="The file that it is read from.",
)
@click.option("--path", default="", metavar="JSONPATH", help="Where in a tree: `$.words`.")
@click.option("--column", default="", metavar="COLUMN", help="Which column of a table.")
@click.option("--where", default="", metavar="SQL", help="Which rows of a table.")
@click.option("--match", default="", metavar="PATTERN", help="The pattern that finds it in a text.")
@click.option("--take", default="", metavar="TAKE", help="How several readings become one.")
@click.option("--unit", default="", metavar="UNIT", help="The unit of a number that has none there.")
@click.option("--says", default="", metavar="TEXT", help="Its sentence, with {value} where the value goes.")
@click.option(
    "--tag",
    "tags",
    multiple=True,
    metavar="TAG",
    shell_complete=completing.tags,
    help="A word to select it by; repeatable.",
)
@in_project
@with_help
def claim_from(
    name: str, page: str, evidence: str, says: str, tags: tuple[str, ...], project: str, **keys: str
) -> int:
    """Write a claim that states what its evidence says, on a page."""
    from stilltrue.cli.scaffolding import make_claim  # noqa: PLC0415

    return make_claim(project, name, page, evidence, says=says, tags=tags, keys=keys)


@new.command("probe")
@click.argument("name", metavar="NAME")
@in_project
@with_help
def probe_with_plant(name: str, project: str) -> int:
    """Make a probe with a plant, and record what it measures."""
    from stilltrue.cli.scaffolding import make_probe  # noqa: PLC0415

    return make_probe(project, name)


@app.command()
@with_help
def schema() -> int:
    """Print the JSON Schema of claims, for an editor.

    It describes a claims file, `claims/*.yml`; `#/definitions/claim` and `#/definitions/claims` in it
    describe the blocks of pages.
    """
    from stilltrue.claims.schema import schema as text  # noqa: PLC0415
    from stilltrue.cli.exits import OK  # noqa: PLC0415
    from stilltrue.cli.streams import emit  # noqa: PLC0415

    emit(text())
    return OK


@app.command()
@click.argument("old", metavar="OLD", shell_complete=completing.ids)
@click.option(
    "--by",
    default="",
    metavar="NEW",
    shell_complete=completing.ids,
    help="The claim that takes its place; without it, it is withdrawn.",
)
@click.option("--because", required=True, metavar="TEXT", help="Why it no longer stands.")
@click.option("--on", default="", metavar="DATE", help="The day: YYYY-MM-DD, in UTC. [default: today]")
@in_project
@with_help
def supersede(old: str, by: str, because: str, on: str, project: str) -> int:
    """Retire a claim, and say what still states its value.

    The key `superseded` is written into its block or its item, and nothing else changes.
    """
    from stilltrue.cli.retiring import supersede_claim  # noqa: PLC0415

    return supersede_claim(project, old, by, because, on)


@app.command()
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=completing.ids)
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@in_project
@with_help
def update(ids: tuple[str, ...], dry_run: bool, project: str) -> int:
    """Rewrite drifted numbers to what was found, in their format.

    Claims' values, links in prose, tables and copies; all claims, or those named. Exit code
    1 when a number that disagrees was left, with the reason.
    """
    from stilltrue.cli.updating import update_numbers  # noqa: PLC0415

    return update_numbers(project, ids, dry_run=dry_run)


@app.command()
@of_claims
@click.option(
    "--only",
    "kinds",
    type=click.Choice(["stated", "readings", "plants"]),
    multiple=True,
    help="Shift only what is stated, only readings, or run only plants; repeatable.",
)
@click.option("--slow", is_flag=True, help="Run the plants of slow probes too.")
@in_form
@in_project
@with_help
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
@click.argument("pages", nargs=-1, metavar="[PAGE]...", shell_complete=completing.files)
@in_form
@click.option("--raise", "upward", is_flag=True, help="Write the floor up to today's share; never down.")
@click.option("--since", metavar="REV", help="Fail when the floor is lower than at this revision.")
@in_project
@with_help
def coverage(pages: tuple[str, ...], form: str, upward: bool, since: str | None, project: str) -> int:
    """List the quantities that no claim stands behind.

    Exit code 1 when fewer are bound than the configured floor asks for. Dates, versions,
    names, code and small counts are no quantities; worked examples and exceptions are left
    out, and counted.
    """
    from stilltrue.cli.covering import cover_pages  # noqa: PLC0415

    return cover_pages(project, pages, form, upward=upward, since=since)


@app.command()
@click.argument("file", default="preflight.yml", metavar="[FILE]", shell_complete=completing.files)
@click.option(
    "--only", "checks", multiple=True, metavar="CHECK", help="Only this check of the file; repeatable."
)
@in_form
@in_project
@with_help
def preflight(file: str, checks: tuple[str, ...], form: str, project: str) -> int:
    """Look at what a launch relies on, before it is left alone.

    FILE says what to look at. [default: preflight.yml] Exit code 1 when something is not as it
    should be, or could not be looked at. The checks start the programs that the file names;
    nothing is written in the project.
    """
    from stilltrue.cli.preflighting import look_before_launch  # noqa: PLC0415

    return look_before_launch(project, file, checks, form)


@app.command()
@click.argument("docs", metavar="DIR", shell_complete=completing.files)
@in_project
@with_help
def pages(docs: str, project: str) -> int:
    """Write the generated pages into a docs folder.

    For generators that take no plugin of MkDocs: the list of claims, a page for each evidence
    file and each probe, copies of the evidence, the style sheet. DIR is the folder of the site's
    pages, `docs`. Files of yours are never written over.
    """
    from stilltrue.cli.publishing import write_pages  # noqa: PLC0415

    return write_pages(project, docs)


@app.command("verify-site")
@click.argument("site", metavar="DIR", shell_complete=completing.files)
@click.option(
    "--docs",
    default="docs",
    metavar="DIR",
    show_default=True,
    shell_complete=completing.files,
    help="The folder that the site is built from.",
)
@in_any_form
@in_project
@with_help
def verify_site(site: str, docs: str, form: str, project: str) -> int:
    """Compare a built site with a check made now.

    Exit code 1 when a claim fails, or the site in DIR does not show what the check gives: a card,
    a bound number or a generated page that is missing or old. Nothing is written.
    """
    from stilltrue.cli.publishing import verify_site as verify  # noqa: PLC0415

    return verify(project, site, docs, form)


app.add_command(binding_commands.readings)
app.add_command(binding_commands.bind)
