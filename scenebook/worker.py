"""What happens inside a worker's process: it is cut off from the world, then does its jobs and reports on each.

`isolate` and `attempt` are the two halves. Isolation is against accidents, not against malice: a scene is code.
"""

import ctypes
import gc
import os
import pickle
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from scenebook.messages import Failure, Frame, Report
from scenebook.reads import LIBRARIES, Observer

SEED = 0
"""With this seed the global generators of `random` and `numpy.random` begin every job."""

_PR_SET_PDEATHSIG = 1


class _TimeUp(BaseException):
    """Raised in a job by its alarm."""


def isolate(root: str, output: int) -> Observer:
    """Cut this process off: a session of its own, output to a pipe, the root as working directory and on the path."""
    import numpy.random  # noqa: F401 - it is no input, so it comes before the observer

    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with_parent()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(root)
    sys.path[0] = root
    gc.freeze()
    return Observer(root)


def attempt(work: bytes, timeout: float, root: str, observer: Observer) -> bytes:
    """Call the pickled function with its arguments; return a pickled `Report`, whatever happens."""
    import numpy as np

    random.seed(SEED)
    np.random.seed(SEED)
    start = time.perf_counter()
    value, raised = None, None
    try:
        with _alarm(timeout):
            function, arguments = pickle.loads(work)
            value = pickle.dumps(function(*arguments))
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        raised = error
    seconds, reads = time.perf_counter() - start, observer.take()
    failure = None if raised is None else _failure(raised, timeout, root)
    return pickle.dumps(Report(value, failure, reads, seconds))


@contextmanager
def _alarm(timeout: float) -> Iterator[None]:
    """Raise `_TimeUp` where the code is after so many seconds. A process that does not heed it is killed later."""

    def ring(*_: object) -> NoReturn:
        raise _TimeUp

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def timed_out(timeout: float, frames: tuple[Frame, ...] = ()) -> Failure:
    return Failure("timed out", f"timed out after {timeout:g} s", frames=frames)


def died(code: int) -> Failure:
    """What an exit code says of a job that gave no report; negative for a signal."""
    if code >= 0:
        return Failure("exited", f"ended its process with exit code {code}, before it returned")
    hint = " (out of memory?)" if -code == signal.SIGKILL else ""
    return Failure("killed", f"was killed by {signal.Signals(-code).name}{hint}")


def _failure(error: BaseException, timeout: float, root: str) -> Failure:
    frames = tuple(_frames(error, root))
    match error:
        case _TimeUp():
            return timed_out(timeout, frames)
        case KeyboardInterrupt():
            return Failure("interrupted", "stopped as an interrupt: KeyboardInterrupt was raised", frames=frames)
        case SystemExit():
            return Failure("exited", f"ended its process: sys.exit({_said(repr, error.code)})", frames=frames)
        case SyntaxError():
            return Failure("raised", _said(str, error.msg), type(error).__name__, frames)
    return Failure("raised", _said(str, error), type(error).__name__, frames)


def _said(how: Callable[[Any], str], value: Any) -> str:
    """What an author's object says of itself, as plain text."""
    try:
        return str.__str__(how(value))
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        return f"cannot be told, since telling it raised {type(error).__name__}"


def _frames(error: BaseException, root: str) -> Iterator[Frame]:
    places = [
        (frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):  # another parser's error has none
        places.append((error.filename, error.lineno or 0, ""))
    for file, line, function in places:
        path = Path(file).resolve()
        if path.is_relative_to(root) and path.is_file() and not file.startswith(("<", *LIBRARIES)):
            yield Frame(path.relative_to(root).as_posix(), line, function)


def _die_with_parent() -> None:
    """Have the kernel kill this process when the pool dies, were it by SIGKILL. Linux alone can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
