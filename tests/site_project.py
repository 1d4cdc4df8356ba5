"""A small project with a site, for the tests of the site's door: every kind of card, page and trap."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

MKDOCS = """\
site_name: A site
theme:
  name: material
  font: false
  palette:
    - {scheme: default, toggle: {icon: material/weather-sunny, name: Switch to dark}}
    - {scheme: slate, toggle: {icon: material/weather-night, name: Switch to light}}
plugins: [search, stilltrue]
markdown_extensions:
  - admonition
  - attr_list
  - footnotes
  - md_in_html
  - tables
  - toc: {permalink: true}
  - pymdownx.details
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
  - pymdownx.tilde
validation: {links: {anchors: warn}}
"""

HOME = """\
# Home

Attention takes [22,835.8 ms](claim:attention-time), which is [65 %](claim:attention-share) of a
[34.9 s](claim:step-time) step; it once took [~~4.3 h~~](claim:encode-time) to encode.
See [the card](throughput/step.md#attention-time).
"""

STEP = """\
---
title: A step
---
# Where a step goes

## Attention time

```claim
id: attention-time
says: "Attention kernels take {value} of one step at width 16,384."
value: 22,835.8 ms
evidence: claims/evidence/step.csv
read: {column: time_ms, where: "name = 'attention'", unit: ms}
tags: [throughput, attention]
note: Measured with the causal mask.
owner: ada
```

* The whole step:

    ```claim
    id: step-time
    says: "One step takes {value}."
    value: 34.9 s
    evidence: claims/evidence/step.csv
    read: {column: time_ms, unit: ms, take: sum}
    tags: [throughput]
    ```

!!! note "A share"

    ```claim
    id: attention-share
    says: "Attention takes {value} of a step."
    value: 65.4 %
    derive: "{attention-time} / {step-time}"
    ```

=== "Quoted"

    ```claim
    id: gemm-time
    says: "Matrix products take {value}."
    value: 2,774.0 ms
    reported: {by: "the first report", on: 2026-08-24, url: "https://example.org/report?a=1&b=2"}
    ```

=== "Fallen"

    ```claim
    id: encode-time
    says: "Encoding the corpus takes {value}."
    value: 4.3 h
    reported: {by: "an estimate", on: 2026-08-24}
    superseded: {by: encode-rebuild, on: 2026-08-26, because: "measured at 145.5 s"}
    ```

```claim
encode-rebuild
```

An example, which is no claim:

````markdown
```claim
id: example
says: "An example of {value}."
value: 1 s
reported: {by: me}
```
````
"""

SHARED = """\
- id: encode-rebuild
  says: "Rebuilding the encoded corpus takes {value}."
  value: 145.5 s
  evidence: claims/evidence/encode.json
  read: {path: "$.seconds", unit: s}
- id: unshown
  says: "Rank zero {value} a checkpoint."
  value: "yes"
  evidence: claims/evidence/encode.json
  read: {path: "$.saved"}
"""

FILES = {
    "stilltrue.toml": "",
    "mkdocs.yml": MKDOCS,
    "docs/index.md": HOME,
    "docs/throughput/step.md": STEP,
    "claims/shared.yml": SHARED,
    "claims/evidence/step.csv": "name,time_ms\nattention,22835.8\nproducts,2774.0\nothers,9310.2\n",
    "claims/evidence/encode.json": '{\n  "seconds": 145.52,\n  "saved": true\n}\n',
}


def write(root: Path) -> Path:
    """Write the project."""
    for name, content in FILES.items():
        put(root, name, content)
    return root


def put(root: Path, name: str, content: str | bytes) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content, encoding="utf-8")


def edit(root: Path, name: str, old: str, new: str) -> None:
    """Change one thing in a file of the project."""
    content = (root / name).read_text(encoding="utf-8")
    assert content.count(old) >= 1, f"{name} does not hold {old!r}"
    put(root, name, content.replace(old, new))


def mkdocs(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run mkdocs as a user would."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", *arguments],
        cwd=root,
        env={**os.environ, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def page(root: Path, address: str) -> str:
    """The HTML at an address of the built site."""
    path = root / "site" / address
    return (path / "index.html" if path.is_dir() else path).read_text(encoding="utf-8")
