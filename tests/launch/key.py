"""The key of the cache of encoded texts: over what is encoded, and the length that it is cut at."""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path


def main() -> None:
    """Print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cap", type=int, required=True)
    given = parser.parse_args()
    digest = hashlib.sha256(given.data.read_bytes())
    digest.update(f"cap {given.cap}".encode())
    print(digest.hexdigest())  # noqa: T201  # what it is for


if __name__ == "__main__":
    main()
