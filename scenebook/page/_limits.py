"""Limits on processor time and memory for templates, which run in this process. A scene runs in its own."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

AGAIN = 0.5
"""Seconds after which code that has caught `TooLongError` is interrupted again."""

_USED = Path("/proc/self/statm")


class TooLongError(Exception):
    """Raised inside code that exceeds its time limit."""


@contextmanager
def limited(seconds: float, memory: int = 0) -> Iterator[None]:
    """Raise `TooLongError` in the block after this many seconds, and `MemoryError` after this many additional bytes.

    Seconds are processor time, so a busy machine makes no difference. Memory has no limit if `memory` is 0. Some
    systems lack one or both of these limits, and they apply only in the main thread.
    """
    with _timed(seconds), _bounded(memory):
        yield


@contextmanager
def _timed(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> NoReturn:
        raise TooLongError

    try:
        before = signal.signal(signal.SIGVTALRM, ring)
    except (AttributeError, ValueError):  # there is no such signal, or this is not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _bounded(memory: int) -> Iterator[None]:
    if not (memory and resource and _USED.exists()):
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(_USED.read_bytes().split()[0]) * resource.getpagesize()
    if soft == resource.RLIM_INFINITY or used + memory < soft:
        resource.setrlimit(resource.RLIMIT_AS, (used + memory, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
