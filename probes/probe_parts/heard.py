"""What libraries say while something is done: warnings that are raised or logged; no probe itself."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

os.environ["HF_HUB_OFFLINE"] = "1"  # before the import below, which reads it

import transformers


class Kept(logging.Handler):
    """Keeps the records that are logged, each once."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one, unless another logger handed it on already."""
        if record not in self.records:
            self.records.append(record)


@contextmanager
def heard() -> Iterator[list[str]]:
    """Warnings that are raised or logged while the context lasts; the list is filled at its end."""
    said: list[str] = []
    transformers.logging.set_verbosity_warning()  # an environment may have silenced it
    transformers.logging.disable_progress_bar()
    kept, loggers = Kept(), [logging.getLogger(), logging.getLogger("transformers")]  # it hands nothing on
    for logger in loggers:
        logger.addHandler(kept)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield said
    finally:
        for logger in loggers:
            logger.removeHandler(kept)
        said += [*(record.getMessage() for record in kept.records), *(str(w.message) for w in caught)]
