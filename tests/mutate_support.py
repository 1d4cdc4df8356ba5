"""Small projects to mutate: claims over one evidence file, judged through the operation itself."""

from __future__ import annotations

from pathlib import Path

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.mutate import Mutated, mutate

EVIDENCE = """\
t=5 s
t=6 s
t=7 s
n=3
share=65.2 %
diff=0.2 pp
loss=-0.5
nothing=0 ms
word=OOM
ok=true
list=[1, 2, 3]
clock=1:32:21
big=1.2775e18
"""

TIMES = "^t=(.*)$"
ONE = "^t=(5.*)$"


def match(pattern: str, take: str = "") -> str:
    """A read by a pattern, as it is written in a block."""
    return f"read: {{match: '{pattern}'{f', take: {take}' if take else ''}}}"


def claim(name: str, value: str, *lines: str, evidence: str = "evidence: a.txt") -> str:
    """A claim's block; a derived one has no `evidence` line."""
    source = () if any(line.startswith("derive:") and "{" in line for line in lines) else (evidence,)
    body = [f"id: {name}", 'says: "It is {value}."', f'value: "{value}"', *source, *lines]
    return "\n".join(["```claim", *body, "```", ""])


def project(root: Path, *parts: str, evidence: str = EVIDENCE) -> Path:
    """A project of these blocks and paragraphs, all on one page."""
    (root / "stilltrue.toml").touch()
    (root / "a.txt").write_text(evidence, encoding="utf-8")
    (root / "README.md").write_text("\n".join(parts), encoding="utf-8")
    return root


def mutated(root: Path, *parts: str, evidence: str = EVIDENCE) -> Mutated:
    """What mutating such a project comes to; every claim and link of it must agree as it is."""
    config = load(project(root, *parts, evidence=evidence))
    report = check(config)
    wrong = [(j.claim.id, j.message) for j in report.judgements if j.message] + [*report.problems]
    assert not wrong
    return mutate(config)


def survivors(result: Mutated) -> list[tuple[str, str]]:
    """The claims that survived, each with the code of how."""
    return [(each.claim, each.code) for each in result.survivors]
