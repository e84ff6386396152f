"""What a build, the pool and its workers say to each other: plain data.

The build sends the pool a `Task`, whose work the pool gives to a worker; the worker answers with a `Report`, which the
pool sends on in a `Result`.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from scenebook.cache.reads import Reads

LOST = "left its process unable to hand over a result; a scene must not close files that it did not open"
"""What is told of a job whose report did not come, or is none."""


class Frame(NamedTuple):
    """A place in a file under the root."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Failure:
    """Why a job gave no value. `error` is the exception's type; `frames` lead to it, through the author's files."""

    kind: Literal["raised", "exited", "interrupted", "timed out", "killed", "broke"]
    message: str
    error: str = ""
    frames: tuple[Frame, ...] = ()


@dataclass(frozen=True)
class Report:
    """What a worker says of a job: the pickled value or the failure, and what was read."""

    value: bytes | None = field(default=None, repr=False)
    failure: Failure | None = None
    reads: Reads = Reads()
    seconds: float = 0.0


class Task(NamedTuple):
    """A job on its way to a worker."""

    number: int
    work: bytes
    timeout: float
    fresh: bool
    after: str


class TaskResult(NamedTuple):
    """A worker's pickled `Report`, and what the job printed, on its way to the parent."""

    number: int
    report: bytes
    output: str
