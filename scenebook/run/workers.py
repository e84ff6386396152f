"""Runs jobs in isolated processes, in parallel, with limits, and observes what they read.

    parent --jobs--> pool --forks--> workers
           <-results-       <-reports-

The pool is a process of its own that imports the heavy libraries while the parent still reads the storyboard. Its
environment is fixed, and every worker is its fork where the system can do that, so a fresh process costs milliseconds.
When a worker is done, late or dead, the pool kills all that the worker started. When the parent is gone, however it
ended, the pool kills everything and goes too.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scenebook.cache.reads import Reads
from scenebook.run.messages import LOST, Failure, Report, Task, TaskResult

if TYPE_CHECKING:
    import socket
    import subprocess

ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "MATPLOTLIBRC": os.devnull,
    "MPLBACKEND": "agg",
    "PYTHONUNBUFFERED": "1",
    "PYTHONUTF8": "1",
    "TZ": "UTC",
    **{f"{library}_NUM_THREADS": "1" for library in ("BLIS", "MKL", "NUMEXPR", "OMP", "OPENBLAS")},
    "VECLIB_MAXIMUM_THREADS": "1",
}
"""What every job finds in its environment, on every machine, besides PYTHONHASHSEED."""

INHERITED = {"HOME", "PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "XDG_CACHE_HOME", "MPLCONFIGDIR"}
INHERITED |= {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"}
"""What it takes over from ours, to find programs, libraries and caches; nothing else may have a say in a result."""

HASH_SEED = "SCENEBOOK_HASH_SEED"
"""In the environment, another seed for the order of sets: only `verify` sets it, to find what depends on that order."""

ENDED = "the pool of processes ended; what it wrote to standard error may say why"
KILLED = "was stopped, since the process that starts all scenes was killed; does a scene kill other processes?"
PATIENCE = 10
"""Seconds that the pool has to end everything."""

_PROJECT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path[0] = sys.argv[1]; from scenebook.run._process_pool import serve; serve(*sys.argv[2:])"


@dataclass(frozen=True)
class Job:
    """A call of a module-level function with plain data, that returns plain data.

    `fresh` gives it a process of its own; our own code may share one. `after` names the import (or the function, as
    `module:function`, to be called once) that the pool makes before it starts the job.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = field(default=(), repr=False)
    timeout: float = 60
    fresh: bool = True
    after: str = ""


@dataclass(frozen=True)
class JobResult:
    """What became of a job: its value, or the failure. `output` is what it printed, its middle left out if long."""

    job: Job
    value: Any = field(repr=False)
    failure: Failure | None
    output: str
    reads: Reads
    seconds: float


class Workers:
    """Runs jobs: `submit` at any time, iterate over outcomes as they come, until none is due.

    The pool starts with the first job, or with `start`, which returns at once.

    with Workers(root, 2, ["numpy.random"]) as workers:
        workers.submit(Job("one", one))
        for outcome in workers:
            ...  # may submit more
    """

    def __init__(self, root: Path, limit: int, steps: Sequence[str] = ()) -> None:
        """`limit` jobs run at once; `steps` are what the pool imports, or calls (`module:function`), in order."""
        self._arguments = (str(root.resolve()), str(limit), *steps)
        self._started = False
        self._ends = ExitStack()
        self._due: dict[int, Job] = {}
        self._numbers = count()

    def start(self) -> None:
        """Start the pool, unless it has started. Only now is imported what this takes: most edits run nothing."""
        if self._started:
            return
        import socket
        import subprocess

        self._started = True
        ours, theirs = socket.socketpair()
        self._ends.callback(ours.close)
        inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
        pool = subprocess.Popen(
            [sys.executable, "-c", _START, _PROJECT, str(theirs.fileno()), *self._arguments],
            env=inherited | ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED, "0")},
            cwd=_PROJECT / "scenebook",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        self._pool = pool
        self._ends.callback(_end, pool)
        theirs.close()
        self._listen(ours)
        self._ends.callback(pool.terminate)

    def _listen(self, channel: "socket.socket") -> None:
        """Receive results from now on, in a thread; what it takes is imported while the pool starts."""
        from multiprocessing.connection import Connection
        from queue import SimpleQueue
        from threading import Thread

        self._connection = Connection(os.dup(channel.fileno()))
        self._ends.callback(self._connection.close)
        self._results: SimpleQueue[TaskResult | None] = SimpleQueue()
        receiver = Thread(target=self._receive, daemon=True)
        receiver.start()
        self._ends.callback(receiver.join)
        self._ends.callback(_shut, channel)

    def submit(self, job: Job) -> None:
        """Have a job run as soon as a process is free."""
        self.start()
        task = Task(next(self._numbers), pickle.dumps((job.function, job.arguments)), job.timeout, job.fresh, job.after)
        self._due[task.number] = job
        with suppress(ConnectionError):  # who waits for the outcome is told
            self._connection.send(task)

    def __iter__(self) -> Iterator[JobResult]:
        """Outcomes, as they come, of all jobs submitted so far or while iterating.

        Raises `RuntimeError` where the pool failed. Where it was killed, which a scene may do, all jobs fail.
        """
        while self._due:
            result = self._results.get()
            if result is None:
                self._results.put(None)  # for who comes next
                yield self._unfinished()
            else:
                yield _outcome(self._due.pop(result.number), result)

    def _unfinished(self) -> JobResult:
        """The outcome of a job that the pool will not do any more."""
        if self._pool.wait(PATIENCE) > 0:
            raise RuntimeError(ENDED)
        return _failed(self._due.pop(min(self._due)), Failure("killed", KILLED))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all that was started, the last first, and so all processes."""
        self._ends.close()

    def _receive(self) -> None:
        """Take results off the connection as they come: a pool that can't send would read no jobs."""
        with suppress(EOFError, OSError):
            while True:
                self._results.put(self._connection.recv())
        self._results.put(None)


def _outcome(job: Job, result: TaskResult) -> JobResult:
    """What a report says, if it is one: a scene may have spoilt it."""
    try:
        report: Report = pickle.loads(result.report)
        value = None if report.value is None else pickle.loads(report.value)
        return JobResult(job, value, report.failure, result.output, report.reads, report.seconds)
    except Exception:  # noqa: BLE001 - bytes that are no pickle raise anything
        return _failed(job, Failure("broke", LOST), result.output)


def _failed(job: Job, failure: Failure, output: str = "") -> JobResult:
    return JobResult(job, None, failure, output, Reads(), 0.0)


def _end(pool: "subprocess.Popen[bytes]") -> None:
    """End the pool, which ends all others; it does so, too, when it finds the connection closed."""
    pool.terminate()
    try:
        pool.wait(PATIENCE)
    finally:
        pool.kill()


def _shut(channel: "socket.socket") -> None:
    """Close a connection for both sides, and for who waits on it."""
    from socket import SHUT_RDWR

    with suppress(OSError):  # the pool may have ended before us
        channel.shutdown(SHUT_RDWR)
