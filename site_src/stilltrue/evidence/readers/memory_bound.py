"""How much memory a library may take for one file: some bytes of a hostile one can ask for terabytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAGES = Path("/proc/self/statm")


@contextmanager
def bounded(more: int) -> Iterator[None]:
    """Lets this process take at most so many bytes more; beyond them, allocating raises `MemoryError`.

    Where the system does not tell how much the process has, or knows no such limit, nothing is bounded.

    Args:
        more: How many bytes, of address space.
    """
    try:
        import resource  # noqa: PLC0415  # Windows has no such module

        pages = int(_PAGES.read_text(encoding="ascii").partition(" ")[0])
        soft, hard = before = resource.getrlimit(resource.RLIMIT_AS)
        wanted = pages * resource.getpagesize() + more
    except (ImportError, OSError, ValueError):
        yield
        return
    known = [limit for limit in (soft, hard, wanted) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(known), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
