"""What happens inside a worker's process: it is cut off from the world, then does its jobs and reports on each.

`isolate` and `attempt` are the two halves. Isolation is against accidents, not against malice: a scene is code.
Whatever that code did to its process, what is told is its own failure.
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
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import ITIMER_REAL, setitimer
from typing import Any, NoReturn

from scenebook.cache.reads import LIBRARIES, Observer
from scenebook.run import intact
from scenebook.run.messages import LOST, Failure, Frame, Report

SEED = 0
"""With this seed the global generators of `random` and `numpy.random` begin every job."""

LONGEST = 2_000
"""So many characters are kept of what an exception says."""

BROKEN = 113
"""The exit code of a process that can hand nothing over any more."""

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
    observer = Observer(root)
    intact.remember()
    return observer


def attempt(work: bytes, timeout: float, root: str, observer: Observer) -> bytes:
    """Call the pickled function with its arguments; return a pickled `Report`, whatever happens."""
    import numpy as np

    random.seed(SEED)
    np.random.seed(SEED)
    intact.replaced.clear()
    start = time.perf_counter()
    value, raised = None, None
    try:
        with _alarm(timeout):
            function, arguments = pickle.loads(work)
            value = pickle.dumps(function(*arguments))
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        raised = error
    intact.restore()
    seconds, reads = time.perf_counter() - start, observer.take()
    failure = None if raised is None else _failure(raised, timeout, root)
    if builtin := [name for name in dict.fromkeys(intact.replaced) if name.startswith("builtins.")]:
        value, failure = None, _replaced(builtin, failure)
    reads = reads._replace(unseen=(*reads.unseen, *intact.replaced))
    return pickle.dumps(Report(value, failure, reads, seconds))


@contextmanager
def _alarm(timeout: float) -> Iterator[None]:
    """Raise `_TimeUp` where the code is after so many seconds. A process that does not heed it is killed later."""

    def ring(*_: object) -> NoReturn:
        raise _TimeUp

    signal.signal(signal.SIGALRM, ring)
    setitimer(ITIMER_REAL, timeout)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, 0)


def timed_out(timeout: float, frames: tuple[Frame, ...] = ()) -> Failure:
    return Failure("timed out", f"timed out after {timeout:g} s", frames=frames)


def died(code: int) -> Failure:
    """What an exit code says of a job that gave no report; negative for a signal."""
    if code == BROKEN:
        return Failure("broke", LOST)
    if code >= 0:
        return Failure("exited", f"ended its process with exit code {code}, before it returned")
    hint = " (out of memory?)" if -code == signal.SIGKILL else ""
    return Failure("killed", f"was killed by {signal.Signals(-code).name}{hint}")


def _replaced(names: list[str], failure: Failure | None) -> Failure:
    """The true cause of what may be a strange failure, or none."""
    message = f"replaced {', '.join(names)}; leave Python's own functions as they are"
    return Failure("broke", message, frames=failure.frames if failure else ())


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
            return Failure("raised", _said(str, error.msg), _said(_type, error), frames)
    return Failure("raised", _said(str, error), _said(_type, error), frames)


def _type(error: BaseException) -> str:
    return type(error).__name__


def _said(how: Callable[[Any], str], value: Any) -> str:
    """What an author's object says of itself, as plain text, and not without end."""
    try:
        text = str.__str__(how(value))
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        return f"cannot be told, since telling it raised {type(error).__name__}"


def _frames(error: BaseException, root: str) -> Iterator[Frame]:
    places = [
        (frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):  # another parser's error has none
        places.append((error.filename, error.lineno if isinstance(error.lineno, int) else 0, ""))
    for file, line, function in places:
        if path := _author_file(file, root):
            yield Frame(path, line, function)


def _author_file(file: str, root: str) -> str:
    """The path below the root of what a frame names as its file; "" for anything else."""
    if file.startswith(("<", *LIBRARIES)):
        return ""
    with suppress(OSError, ValueError):  # it is no path, or the working directory is gone
        path = Path(file).resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else ""
    return ""


def _die_with_parent() -> None:
    """Have the kernel kill this process when the pool dies, were it by SIGKILL. Linux alone can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
