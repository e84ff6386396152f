"""The plain data that the build, the process pool and its workers send each other.

build --Task--> pool --work--> worker
build <--FinishedTask-- pool <--WorkerReport-- worker
"""

import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from scenebook.cache.reads import Reads

CAN_FORK = sys.platform == "linux"
"""On other systems some libraries do not survive a fork, so workers are spawned, which is slower."""

EXIT_BROKEN = 113
"""The exit code of a process that can no longer send a report."""

LOST = "left its process unable to return a result; a scene must not close files that it did not open"
"""The message for a job whose report is missing or damaged."""


class Frame(NamedTuple):
    """A line of a file under the root, and the function that it belongs to."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Failure:
    """Why a job returned no value.

    `error` is the exception's type. `frames` are the calls that led to it, in the author's files only.
    """

    kind: Literal["raised", "exited", "interrupted", "timed out", "killed", "broke"]
    message: str
    error: str = ""
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class WorkerReport:
    """A worker's report on one job: the pickled value or the failure, what the job read, and how long it took."""

    value: bytes | None = field(default=None, repr=False)
    failure: Failure | None = None
    reads: Reads = Reads()
    seconds: float = 0.0


class Work(NamedTuple):
    """A call of a function; or, with `each`, a call for each of these further arguments.

    Each of several calls may take `timeout` seconds. With `prepare`, each is made in a fork of a process that has
    called `prepare(*arguments)`; without, all are made in the same process.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    timeout: float
    prepare: Callable[..., Any] | None = None
    each: tuple[tuple[Any, ...], ...] = ()


class Task(NamedTuple):
    """A job as the build sends it to the pool: `work` is the pickled `Work`."""

    number: int
    work: bytes
    timeout: float
    fresh: bool
    requires: str


class FinishedTask(NamedTuple):
    """The pool's answer to a task: the worker's pickled `WorkerReport`, and what the job printed."""

    number: int
    report: bytes
    output: str


def timeout_failure(timeout: float, frames: tuple[Frame, ...] = ()) -> Failure:
    """The failure of a job that took longer than `timeout` seconds."""
    return Failure("timed out", f"timed out after {timeout:g} s", frames=frames)


def exit_failure(code: int) -> Failure:
    """The failure of a job whose process ended without a report. A negative exit code is a signal."""
    if code == EXIT_BROKEN:
        return Failure("broke", LOST)
    if code >= 0:
        return Failure("exited", f"ended its process with exit code {code} before it returned a result")
    hint = " (out of memory?)" if -code == signal.SIGKILL else ""
    return Failure("killed", f"was killed by {signal.Signals(-code).name}{hint}")
