"""Runs jobs in isolated processes, in parallel, with limits, and observes what they read.

    parent --jobs--> pool --forks--> workers
           <-results-       <-reports-

The pool is a process of its own that starts at once and imports the heavy libraries while the parent still reads the
storyboard. Its environment is fixed, and every worker is its fork, so a fresh process costs milliseconds. When a worker
is done, late or dead, the pool kills all that the worker started. When the parent is gone, however it ended, the
pool kills everything and goes too.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from scenebook.messages import Failure, Report, Result, Task
from scenebook.reads import Reads

if TYPE_CHECKING:
    import subprocess
    from queue import SimpleQueue

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
PATIENCE = 10
"""Seconds that the pool has to end everything."""

_ENGINE = Path(__file__).resolve().parent
_START = "import sys; sys.path[0] = sys.argv[1]; from scenebook import pool; pool.serve(*sys.argv[2:])"


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
class Outcome:
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
        self._pool: subprocess.Popen[bytes] | None = None
        self._results: SimpleQueue[Result | None]
        self._due: dict[int, Job] = {}
        self._numbers = count()

    def start(self) -> None:
        """Start the pool, unless it has started. Only now is imported what this takes: most edits run nothing."""
        if self._pool:
            return
        import socket
        import subprocess

        self._socket, theirs = socket.socketpair()
        inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
        self._pool = subprocess.Popen(
            [sys.executable, "-c", _START, _ENGINE.parent, str(theirs.fileno()), *self._arguments],
            env=inherited | ENVIRONMENT | {"PYTHONHASHSEED": os.environ.get(HASH_SEED, "0")},
            cwd=_ENGINE,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
        theirs.close()
        from multiprocessing.connection import Connection  # these while the pool starts
        from queue import SimpleQueue
        from threading import Thread

        self._connection, self._results = Connection(os.dup(self._socket.fileno())), SimpleQueue()
        self._receiver = Thread(target=self._receive, daemon=True)
        self._receiver.start()

    def submit(self, job: Job) -> None:
        """Have a job run as soon as a process is free."""
        self.start()
        task = Task(next(self._numbers), pickle.dumps((job.function, job.arguments)), job.timeout, job.fresh, job.after)
        self._due[task.number] = job
        try:
            self._connection.send(task)
        except BrokenPipeError:
            raise RuntimeError(ENDED) from None

    def __iter__(self) -> Iterator[Outcome]:
        """Outcomes, as they come, of all jobs submitted so far or while iterating."""
        while self._due:
            result = self._results.get()
            if result is None:
                raise RuntimeError(ENDED)
            report: Report = pickle.loads(result.report)
            value = None if report.value is None else pickle.loads(report.value)
            job = self._due.pop(result.number)
            yield Outcome(job, value, report.failure, result.output, report.reads, report.seconds)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes: the pool does when it is told, or when it finds the connection closed."""
        if self._pool is None:
            return
        from socket import SHUT_RDWR

        self._pool.terminate()
        with suppress(OSError):  # it may have ended before us
            self._socket.shutdown(SHUT_RDWR)
        try:
            self._pool.wait(PATIENCE)
        finally:
            self._pool.kill()
            self._receiver.join()
            self._connection.close()
            self._socket.close()

    def _receive(self) -> None:
        """Take results off the connection as they come: a pool that can't send would read no jobs."""
        with suppress(EOFError, OSError):
            while True:
                self._results.put(self._connection.recv())
        self._results.put(None)
