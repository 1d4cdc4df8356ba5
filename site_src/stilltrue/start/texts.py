"""What the first files say."""

from __future__ import annotations

from importlib.resources import files

from stilltrue.claims.quoting import quoted_singly
from stilltrue.start.survey import Survey

_README = "README.md"
_EVIDENCE = "bench.json"

_READS = {
    (".json", ".jsonl"): "read: {path: $.step_seconds, unit: s}",
    (".csv", ".tsv", ".parquet"): "read: {where: step = 100, column: seconds, unit: s}",
}
_MATCH = r"read: {match: '^step time: (?P<value>\S+ ms)$'}"


def configuration(survey: Survey) -> str:
    """`stilltrue.toml`: the default pages, and where MkDocs has its own, those."""
    pages = f'pages = ["*.md", "{survey.docs}/**/*.md"]'
    return f"""\
# Where claims and the links to them are looked for; claims may also stand in `claims/*.yml`.
{pages}

# Once evidence has a record of where it was measured (`stilltrue record`, `stilltrue adopt`):
# require_provenance = true
"""


def first_claims(survey: Survey) -> str:
    """A claims file without a claim: one is shown in comments, with the project's own file names."""
    readme = survey.readme or _README
    evidence = survey.results[0] if survey.results else f"{survey.config.evidence}/{_EVIDENCE}"
    return f"""\
# Claims: what the docs state, bound to the raw files that it was read from. `stilltrue check` judges them.
#
# A first one: take the `# ` off the lines below, and put in your own words, pattern and path.
#
# - id: step-time
#   says: "One step takes {{value}}."
#   # Where the number is written: the group `value` of the pattern, over the whole text of the file.
#   stated_in: {{file: {_scalar(readme)}, match: 'One step takes (?P<value>\\S+ ms)'}}
#   # Where it was read from, kept as it was written: a value of a tree (JSON, YAML, TOML) by `path`,
#   # a cell of a table (CSV) by `where` and `column`, any other text by `match`.
#   evidence: {_scalar(evidence)}
#   {_read(evidence)}
"""


def hook() -> str:
    """The configuration of pre-commit with this one hook."""
    return _shipped("pre-commit.yml")


def workflow() -> str:
    """The example workflow."""
    return _shipped("workflow.yml")


def _read(evidence: str) -> str:
    return next((read for suffixes, read in _READS.items() if evidence.lower().endswith(suffixes)), _MATCH)


def _scalar(text: str) -> str:
    """A path as YAML in a flow, in quotes where plain it might be read as something else."""
    if text.isascii() and all(sign.isalnum() or sign in "/._-" for sign in text) and text[0].isalpha():
        return text
    return quoted_singly(text)


def _shipped(name: str) -> str:
    return files("stilltrue.start").joinpath(name).read_text(encoding="utf-8")
