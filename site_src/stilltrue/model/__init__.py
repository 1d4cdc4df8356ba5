"""The frozen nouns that every stage hands to the next: blocks, claims, reads, readings, verdicts, reports."""

from stilltrue.model.claims import (
    Claim,
    DeriveSource,
    Embed,
    EvidenceSource,
    Read,
    ReportedSource,
    Severity,
    Shape,
    Source,
    Superseded,
    Take,
)
from stilltrue.model.judged import (
    FAILING,
    BoundLink,
    Found,
    Judgement,
    Reading,
    Report,
    Spread,
    Taken,
    Verdict,
)
from stilltrue.model.pages import (
    Block,
    Link,
    Page,
)
from stilltrue.model.places import (
    Place,
    Problem,
)

__all__ = [
    "FAILING",
    "Block",
    "BoundLink",
    "Claim",
    "DeriveSource",
    "Embed",
    "EvidenceSource",
    "Found",
    "Judgement",
    "Link",
    "Page",
    "Place",
    "Problem",
    "Read",
    "Reading",
    "Report",
    "ReportedSource",
    "Severity",
    "Shape",
    "Source",
    "Spread",
    "Superseded",
    "Take",
    "Taken",
    "Verdict",
]
