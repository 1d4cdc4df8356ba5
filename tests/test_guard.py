"""Code from outside, guarded: time that is up at once, and what is put back afterwards."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from functools import partial

import pytest

from stilltrue.guard import TimeUp, guarded, in_time, lasting

alarms = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")


@alarms
def test_time_that_is_up_at_once_leaves_no_alarm_behind() -> None:
    """Such an alarm may ring anywhere; before the work began it would have stayed, and rung in other code."""
    handler = signal.getsignal(signal.SIGALRM)
    for number in range(300):
        moments = iter([1e-6 * (1 + number % 30)])
        with suppress(TimeUp):
            in_time(lambda: sum(range(1000)), partial(next, moments, 0.0))
        assert signal.getsignal(signal.SIGALRM) is handler
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_what_was_replaced_is_put_back_whatever_is_raised() -> None:
    before = os._exit, os.execv, os.execve, sys.stdout, sys.stderr
    with pytest.raises(SystemExit) as left:
        guarded(lambda: os._exit(3), out=None, err=None, left=lasting(10))
    assert left.value.code == 3
    assert (os._exit, os.execv, os.execve, sys.stdout, sys.stderr) == before
