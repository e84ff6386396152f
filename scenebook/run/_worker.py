"""The code that runs in a worker process: it isolates the process, then runs jobs and reports on each.

The isolation prevents accidents, not malice: a scene is code. Whatever that code does to its process, the report names
the scene's own mistake.
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
from functools import partial
from pathlib import Path
from signal import ITIMER_REAL, setitimer
from typing import Any, NoReturn

from scenebook.cache.reads import LIBRARIES, Observer
from scenebook.run import _interpreter_state as interpreter_state
from scenebook.run._forked_calls import forked
from scenebook.run.protocol import Failure, Frame, Work, WorkerReport, timeout_failure

SEED = 0
"""The seed of the global generators of `random` and `numpy.random` at the start of every job."""

MESSAGE_LIMIT = 2_000
"""How many characters of an exception's message we keep."""

GARBAGE = 50_000
"""The number of new objects after which Python searches for unused ones."""

_PR_SET_PDEATHSIG = 1


class _TimeUp(BaseException):
    """Raised in a job by its alarm."""


def isolate(root: str, output: int) -> Observer:
    """Give this process its own session, send its output to a pipe, and make the root its working directory.

    Return the observer that records what the jobs read.
    """
    import numpy.random  # noqa: F401 - imported before the observer starts, so it does not count as an input

    os.setsid()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _die_with_parent()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.chdir(root)
    sys.path[0] = root
    gc.freeze()
    gc.set_threshold(GARBAGE)  # after a freeze Python would search all objects again and again
    observer = Observer(root)
    interpreter_state.save()
    return observer


def run_job(work: bytes, timeout: float, root: str, observer: Observer) -> bytes:
    """Run a pickled `Work`; return a pickled `WorkerReport`, whatever happens."""
    import numpy as np

    random.seed(SEED)
    np.random.seed(SEED)
    return _report(lambda: _done(pickle.loads(work), root, observer), timeout, root, observer)


def _done(work: Work, root: str, observer: Observer) -> Any:
    """The result of the work; if it is for several calls, the pickled report of each."""
    if not work.each:
        return work.function(*work.arguments)

    def reported(more: tuple[Any, ...]) -> bytes:
        return _report(lambda: work.function(*work.arguments, *more), work.timeout, root, observer)

    if work.prepare is None:
        return [reported(more) for more in work.each]
    work.prepare(*work.arguments)
    gc.freeze()
    return [forked(partial(reported, more), work.timeout, observer.fork) for more in work.each]


def _report(call: Callable[[], Any], timeout: float, root: str, observer: Observer) -> bytes:
    """The pickled report of a call."""
    interpreter_state.replaced.clear()
    start = time.perf_counter()
    value, raised = None, None
    try:
        with _alarm(timeout):
            value = pickle.dumps(call())
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        raised = error
    interpreter_state.restore()
    seconds, reads = time.perf_counter() - start, observer.take()
    failure = None if raised is None else _failure(raised, timeout, root)
    if replaced := [name for name in dict.fromkeys(interpreter_state.replaced) if name.startswith("builtins.")]:
        value, failure = None, _replacement_failure(replaced, failure)
    reads = reads._replace(unseen=(*reads.unseen, *interpreter_state.replaced))
    return pickle.dumps(WorkerReport(value, failure, reads, seconds))


@contextmanager
def _alarm(timeout: float) -> Iterator[None]:
    """Raise `_TimeUp` in the running code after `timeout` seconds. The pool later kills a process that ignores it."""

    def ring(*_: object) -> NoReturn:
        raise _TimeUp

    signal.signal(signal.SIGALRM, ring)
    setitimer(ITIMER_REAL, timeout)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, 0)


def _replacement_failure(names: list[str], failure: Failure | None) -> Failure:
    """Return the failure of a job that replaced builtins, which is the true cause of any other failure."""
    message = f"replaced {', '.join(names)}; leave Python's own functions as they are"
    return Failure("broke", message, frames=failure.frames if failure else ())


def _failure(error: BaseException, timeout: float, root: str) -> Failure:
    frames = tuple(_frames(error, root))
    match error:
        case _TimeUp():
            return timeout_failure(timeout, frames)
        case KeyboardInterrupt():
            message = "raised KeyboardInterrupt; a scene must not interrupt the build"
            return Failure("interrupted", message, frames=frames)
        case SystemExit():
            return Failure("exited", f"ended its process: sys.exit({_safe_text(repr, error.code)})", frames=frames)
        case SyntaxError():
            return Failure("raised", _safe_text(str, error.msg), _safe_text(_type, error), frames)
    return Failure("raised", _safe_text(str, error), _safe_text(_type, error), frames)


def _type(error: BaseException) -> str:
    return type(error).__name__


def _safe_text(convert: Callable[[Any], str], value: Any) -> str:
    """Return an author's object as text of limited length, even if converting it to text raises an exception."""
    try:
        text = str.__str__(convert(value))
        return text if len(text) <= MESSAGE_LIMIT else f"{text[:MESSAGE_LIMIT]}..."
    except BaseException as error:  # noqa: BLE001 - an author's code may raise anything
        return f"cannot be shown, because converting it to text raised {type(error).__name__}"


def _frames(error: BaseException, root: str) -> Iterator[Frame]:
    places = [
        (frame.f_code.co_filename, line, frame.f_code.co_name) for frame, line in traceback.walk_tb(error.__traceback__)
    ]
    if isinstance(error, SyntaxError) and isinstance(error.filename, str):  # a parser of data may not have a file
        places.append((error.filename, error.lineno if isinstance(error.lineno, int) else 0, ""))
    for file, line, function in places:
        if path := _author_file(file, root):
            yield Frame(path, line, function)


def _author_file(file: str, root: str) -> str:
    """Return the path of a frame's file relative to the root, or "" if it is not an author's file."""
    if file.startswith(("<", *LIBRARIES)):
        return ""
    with suppress(OSError, ValueError):  # not a path, or the working directory is gone
        path = Path(file).resolve()
        return path.relative_to(root).as_posix() if path.is_relative_to(root) and path.is_file() else ""
    return ""


def _die_with_parent() -> None:
    """Have the kernel kill this process when the pool dies, even by SIGKILL. Only Linux can do this."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
