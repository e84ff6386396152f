"""Runs jobs in isolated processes, in parallel and within limits, and records what they read.

    parent --tasks--> pool --forks--> workers
           <-results-      <-reports-

The pool is a separate process. It imports the heavy libraries while the parent still reads the storyboard. Its
environment is fixed. Where the system can fork safely, every worker is a fork of the pool, so a fresh process costs
only milliseconds. When a worker is done, overdue or dead, the pool kills every process that the worker started. When
the parent is gone, however it ended, the pool kills all workers and exits too.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.run.protocol import LOST, Failure, FinishedTask, Task, Work, WorkerReport

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
"""The environment of every job, the same on every machine. PYTHONHASHSEED is set as well."""

INHERITED = {"HOME", "PATH", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "XDG_CACHE_HOME", "MPLCONFIGDIR"}
INHERITED |= {"PYTHONPATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE"}
"""Variables that jobs inherit so that they find programs, libraries and caches. No others may influence a result."""

HASH_SEED = "SCENEBOOK_HASH_SEED"
"""A variable that changes the order of sets. Only `verify` sets it, to find results that depend on that order."""

ENDED = "the process pool ended unexpectedly; its output on standard error may say why"
KILLED = "was stopped because the process that starts all scenes was killed; check that no scene kills other processes"
SHUTDOWN_TIMEOUT = 10
"""Seconds that the pool may take to end all processes."""

_PROJECT = Path(__file__).resolve().parents[2]
_START = "import sys; sys.path[0] = sys.argv[1]; from scenebook.run._process_pool import serve; serve(*sys.argv[2:])"


@dataclass(frozen=True)
class Job:
    """A call of a module-level function that takes and returns plain data.

    A `fresh` job gets a new process; the engine's own code may share one. `requires` names a module to import, or a
    function to call once (`module:function`), before the pool starts the job.

    With `each`, the function is called once for each of these further arguments, and the value of the result is a list
    of results. With `prepare`, each call is made in a fork of a process that has called `prepare(*arguments)`; without,
    all are made in the same process. `timeout` is for each call.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = field(default=(), repr=False)
    timeout: float = 60
    fresh: bool = True
    requires: str = ""
    prepare: Callable[..., Any] | None = field(default=None, repr=False)
    each: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class JobResult:
    """The value that a job returned, or its failure. `output` is what it printed, without the middle if it is long."""

    job: Job
    value: Any = field(repr=False)
    failure: Failure | None
    output: str
    reads: Reads
    seconds: float


class Workers:
    """Runs jobs. Call `submit` at any time, and iterate over the results until all jobs are finished.

    The pool starts with the first job, or with `start`, which returns at once.

    with Workers(root, 2, ["numpy.random"]) as workers:
        workers.submit(Job("one", one))
        for result in workers:
            ...  # may submit more
    """

    def __init__(self, root: Path, limit: int, preload: Sequence[str] = ()) -> None:
        """At most `limit` jobs run at once. `preload` lists what the pool imports, or calls (`module:function`)."""
        self.limit = limit
        self._arguments = (str(root.resolve()), str(limit), *preload)
        self._started = False
        self._cleanup = ExitStack()
        self._unfinished_jobs: dict[int, Job] = {}
        self._numbers = count()

    def start(self) -> None:
        """Start the pool unless it is running. The imports are here because most builds run no scene."""
        if self._started:
            return
        import socket

        self._started = True
        ours, theirs = socket.socketpair()
        self._cleanup.callback(ours.close)
        self._pool = pool = self._start_pool(theirs.fileno())
        self._cleanup.callback(_end, pool)
        theirs.close()
        self._listen(ours)
        self._cleanup.callback(pool.terminate)

    @property
    def ended(self) -> bool:
        """Whether the pool has started and ended. Then these workers are of no more use."""
        return self._started and self._pool.poll() is not None

    def _start_pool(self, channel: int) -> "subprocess.Popen[bytes]":
        import subprocess

        inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
        return subprocess.Popen(
            [sys.executable, "-c", _START, _engine_folder(), str(channel), *self._arguments],
            env=inherited | ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED, "0")},
            cwd=_PROJECT / "scenebook",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[channel],
            start_new_session=True,
        )

    def _listen(self, channel: "socket.socket") -> None:
        """Receive results in a thread from now on. The imports here run while the pool starts."""
        from multiprocessing.connection import Connection
        from queue import SimpleQueue
        from threading import Thread

        self._connection = Connection(os.dup(channel.fileno()))
        self._cleanup.callback(self._connection.close)
        self._results: SimpleQueue[FinishedTask | None] = SimpleQueue()
        receiver = Thread(target=self._receive, daemon=True)
        receiver.start()
        self._cleanup.callback(receiver.join)
        self._cleanup.callback(_shut_down, channel)

    def submit(self, job: Job) -> None:
        """Run a job as soon as a process is free."""
        self.start()
        work = Work(job.function, job.arguments, job.timeout, job.prepare, job.each)
        timeout = job.timeout * (1 + len(job.each))
        task = Task(next(self._numbers), pickle.dumps(work), timeout, job.fresh, job.requires)
        self._unfinished_jobs[task.number] = job
        with suppress(ConnectionError):  # the iterator reports that the pool is gone
            self._connection.send(task)

    def __iter__(self) -> Iterator[JobResult]:
        """Yield the result of each submitted job as it arrives, including jobs that are submitted while iterating.

        Raises `RuntimeError` if the pool failed. If the pool was killed, which a scene can do, all jobs fail.
        """
        while self._unfinished_jobs:
            finished = self._results.get()
            if finished is None:
                self._results.put(None)  # for the next iteration
                yield self._abandon_job()
            else:
                yield _job_result(self._unfinished_jobs.pop(finished.number), finished)

    def _abandon_job(self) -> JobResult:
        """Return the result of an unfinished job after the pool has ended."""
        if self._pool.wait(SHUTDOWN_TIMEOUT) > 0:
            raise RuntimeError(ENDED)
        return _failed(self._unfinished_jobs.pop(min(self._unfinished_jobs)), Failure("killed", KILLED))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the pool, and with it all processes."""
        self._cleanup.close()

    def _receive(self) -> None:
        """Take results off the connection at once, because a pool that is blocked while sending cannot read tasks."""
        try:
            with suppress(EOFError, OSError):
                while True:
                    self._results.put(self._connection.recv())
        finally:  # after any error, or the build would wait for results forever
            self._results.put(None)


def _engine_folder() -> str:
    """Return where the pool looks for the engine first. Python finds one that is installed by itself.

    Packages that are installed beside the engine must not come before Python's own modules.
    """
    return os.devnull if versions.INSTALLED and str(_PROJECT) in sys.path[1:] else str(_PROJECT)


def _job_result(job: Job, finished: FinishedTask) -> JobResult:
    """Return the result of a job from its worker's report, which a scene may have damaged."""
    try:
        result = _read(job, finished.report, finished.output)
        if job.each and result.value is not None:
            return replace(result, value=[_read(job, report, "") for report in result.value])
        return result
    except Exception:  # noqa: BLE001 - bytes that are not a pickle can raise any exception
        return _failed(job, Failure("broke", LOST), finished.output)


def _read(job: Job, pickled: bytes, output: str) -> JobResult:
    report: WorkerReport = pickle.loads(pickled)
    value = None if report.value is None else pickle.loads(report.value)
    return JobResult(job, value, report.failure, output, report.reads, report.seconds)


def _failed(job: Job, failure: Failure, output: str = "") -> JobResult:
    return JobResult(job, None, failure, output, Reads(), 0.0)


def _end(pool: "subprocess.Popen[bytes]") -> None:
    """End the pool, which then ends its workers. It also ends when it finds the connection closed."""
    pool.terminate()
    try:
        pool.wait(SHUTDOWN_TIMEOUT)
    finally:
        pool.kill()


def _shut_down(channel: "socket.socket") -> None:
    """Shut down both directions of a connection, so that a waiting reader returns."""
    from socket import SHUT_RDWR

    with suppress(OSError):  # the pool may already have ended
        channel.shutdown(SHUT_RDWR)
