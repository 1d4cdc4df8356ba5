"""The frozen nouns that the stages hand on: blocks, claims, readings, records, verdicts, reports."""

from stilltrue.model.charts import (
    Axis,
    Chart,
    ChartKind,
    Plot,
    Series,
)
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
    Valid,
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
    Cell,
    Link,
    Page,
    Row,
    Table,
)
from stilltrue.model.places import (
    Place,
    Problem,
)
from stilltrue.model.probes import (
    Probe,
    ProbeRun,
)
from stilltrue.model.provenance import (
    Accepted,
    Code,
    Digested,
    Provenance,
)

__all__ = [
    "FAILING",
    "Accepted",
    "Axis",
    "Block",
    "BoundLink",
    "Cell",
    "Chart",
    "ChartKind",
    "Claim",
    "Code",
    "DeriveSource",
    "Digested",
    "Embed",
    "EvidenceSource",
    "Found",
    "Judgement",
    "Link",
    "Page",
    "Place",
    "Plot",
    "Probe",
    "ProbeRun",
    "Problem",
    "Provenance",
    "Read",
    "Reading",
    "Report",
    "ReportedSource",
    "Row",
    "Series",
    "Severity",
    "Shape",
    "Source",
    "Spread",
    "Superseded",
    "Table",
    "Take",
    "Taken",
    "Valid",
    "Verdict",
]
