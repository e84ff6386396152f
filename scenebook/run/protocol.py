"""The plain data that the build, the process pool and its workers send each other.

build --Task--> pool --work--> worker
build <--FinishedTask-- pool <--WorkerReport-- worker
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scenebook.cache.reads import Reads

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


class Task(NamedTuple):
    """A job as the build sends it to the pool: `work` is the pickled function with its arguments."""

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
