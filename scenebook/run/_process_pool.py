"""The process pool: starts workers, gives them tasks, collects their reports, and ends them.

The pool imports the heavy libraries step by step and, between two steps, starts every task that can already run. Each
worker is a fork of the pool, so a fresh process costs only milliseconds.
"""

import ctypes
import os
import pickle
import pkgutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

from scenebook.run._worker import isolate, run_job
from scenebook.run.protocol import (
    CAN_FORK,
    EXIT_BROKEN,
    FinishedTask,
    Task,
    WorkerReport,
    exit_failure,
    timeout_failure,
)

OUTPUT_LIMIT = 32_768
"""How many bytes of a job's output we keep from its beginning, and how many from its end."""

GRACE = 2.0
"""Seconds between the alarm inside a job, which shows where the time went, and the kill."""

REPORT_TIMEOUT = 60.0
"""Seconds that a report may take from its first byte to its last."""

EXIT_TIMEOUT = 0.5
"""Seconds that we wait for a process to exit after it has closed its end of a pipe."""

REPORT_MARK = b"\0report\0"
"""A report begins with this mark and its length. Anything else in the pipe was written by a scene."""

HEADER_SIZE = len(REPORT_MARK) + 8

PIPE_SIZE = 65_536
"""How many bytes a pipe can hold."""

_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class _Output:
    """What a job printed, without the middle if it is long."""

    head: bytes = b""
    tail: bytes = b""
    omitted: int = 0

    def add(self, data: bytes) -> None:
        room = OUTPUT_LIMIT - len(self.head)
        self.head, tail = self.head + data[:room], self.tail + data[room:]
        self.tail = tail[-OUTPUT_LIMIT:]
        self.omitted += len(tail) - len(self.tail)

    def text(self) -> str:
        gap = f"\n[{self.omitted} bytes left out]\n".encode() if self.omitted else b""
        return (self.head + gap + self.tail).decode(errors="replace")


@dataclass(eq=False)
class _Worker:
    """A worker process, the pool's ends of its pipes, and what has arrived through them.

    `death` is a file descriptor that becomes readable when the process dies.
    """

    process: BaseProcess
    tasks: Connection
    reports: Connection
    output: Connection
    death: int
    task: Task | None = None
    deadline: float = 0
    output_closed: bool = False
    report_broken: bool = False
    printed: _Output = field(default_factory=_Output)
    received: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(cls, root: str) -> Self:
        context = get_context("fork") if CAN_FORK else get_context("spawn")
        worker_tasks, tasks = context.Pipe(duplex=False)
        reports, worker_reports = context.Pipe(duplex=False)
        output, worker_output = context.Pipe(duplex=False)
        worker_ends = (worker_tasks, worker_reports, worker_output)
        process = context.Process(target=_work, args=(*worker_ends, root))
        process.start()
        for end in worker_ends:
            end.close()
        for end in (reports, output):
            os.set_blocking(end.fileno(), False)
        # A pidfd signals the death of exactly this process; children may keep the sentinel's pipe open.
        death = os.pidfd_open(process.pid or 0) if CAN_FORK else os.dup(process.sentinel)
        return cls(process, tasks, reports, output, death)

    @property
    def sources(self) -> tuple[Connection | int, ...]:
        """What the pool waits for: a report, the worker's death, or output."""
        return (self.reports, self.death) if self.output_closed else (self.reports, self.death, self.output)

    def assign(self, task: Task) -> None:
        self.task, self.printed, self.received = task, _Output(), bytearray()
        self.deadline = time.monotonic() + task.timeout + GRACE
        with suppress(OSError):  # if the worker is dead, the pool finds out when it waits
            self.tasks.send((task.work, task.timeout))

    def read_report(self) -> None:
        """Read what has arrived of the report. Never wait for the rest: a scene may have written to the pipe."""
        for data in _available(self.reports):
            if not self.received:
                self.deadline = time.monotonic() + REPORT_TIMEOUT
            self.received += data
            self.report_broken |= not data or not self.received.startswith(REPORT_MARK[: len(self.received)])

    @property
    def report(self) -> bytes | None:
        """The report, or None until all of it has arrived."""
        end = HEADER_SIZE + int.from_bytes(self.received[len(REPORT_MARK) : HEADER_SIZE], "big")
        complete = self.received.startswith(REPORT_MARK) and len(self.received) >= end
        return bytes(self.received[HEADER_SIZE:end]) if complete else None

    def read_output(self) -> None:
        for data in _available(self.output):
            self.printed.add(data)
            self.output_closed = not data

    def kill(self) -> int:
        """Kill the worker and its process group. Return its exit code, or a negative number if a signal ended it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.close_pipes()
        os.close(self.death)
        return self.process.exitcode or 0

    def close_pipes(self) -> None:
        """Close the pool's ends of this worker's pipes, here or in another worker that inherited them."""
        for end in (self.tasks, self.reports, self.output):
            end.close()


def _available(pipe: Connection) -> Iterator[bytes]:
    """Yield the data that can be read now, up to a limit. Empty bytes mean that every writer has closed the pipe."""
    with suppress(BlockingIOError):
        for _ in range(16):
            data = os.read(pipe.fileno(), PIPE_SIZE)
            yield data
            if not data:
                return


def _work(tasks: Connection, reports: Connection, output: Connection, root: str) -> None:
    """Run the main loop of a worker."""
    observer = isolate(root, output.fileno())
    own_pid, pipe = os.getpid(), os.fstat(reports.fileno())
    with suppress(EOFError):
        while True:
            work, timeout = tasks.recv()
            try:
                report = run_job(work, timeout, root, observer)
                if os.getpid() == own_pid:
                    _send(report, reports.fileno(), pipe)
            except BaseException:  # noqa: BLE001 - the pool reports any failure
                os._exit(EXIT_BROKEN)
            if os.getpid() != own_pid:  # a copy of the process that a scene made by forking
                os._exit(0)


def _send(report: bytes, descriptor: int, pipe: os.stat_result) -> None:
    """Write a report to the pipe. Raise `OSError` if a scene has closed the pipe and opened another file instead."""
    if not os.path.samestat(os.fstat(descriptor), pipe):
        raise OSError
    for part in (REPORT_MARK + len(report).to_bytes(HEADER_SIZE - len(REPORT_MARK), "big"), report):
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(descriptor, rest) :]


def serve(channel: str, root: str, limit: str, *preload: str) -> None:
    """Run the pool. The arguments are those of its command line."""
    if CAN_FORK:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    parent = Connection(int(channel))
    os.register_at_fork(after_in_child=parent.close)
    pool = _Pool(parent, root, int(limit), list(preload))
    os.register_at_fork(after_in_child=pool.close_pipes)
    signal.signal(signal.SIGTERM, pool.stop)
    try:
        with suppress(EOFError, ConnectionError, SystemExit):  # the parent is gone or has finished
            pool.run()
    except Exception:
        if not pool.stopped:
            raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pool.kill_workers()
    os._exit(0)  # skip Python's own clean-up: it is slow, and the system frees everything


@dataclass
class _Pool:
    """The state of the pool. It still has to import `preload`. `pending` tasks wait for an import or a free worker."""

    parent: Connection
    root: str
    limit: int
    preload: list[str]
    loaded: set[str] = field(default_factory=lambda: {""})
    pending: list[Task] = field(default_factory=list)
    workers: list[_Worker] = field(default_factory=list)
    stopped: bool = False

    def stop(self, *_: object) -> None:
        """Handle SIGTERM: stop at once, even during an import, which may turn the exit into another error."""
        self.stopped = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # a second signal must not interrupt the shutdown
        sys.exit()

    def run(self) -> None:
        """Start tasks, pass on their results, and meanwhile import what they need, until the parent is gone."""
        while not self.stopped:
            target = self._next_import()
            self._wait(0 if target else self._seconds_to_deadline())
            self._end_overdue()
            self._start_tasks()
            if target:
                self._load(target)
                self._start_tasks()

    def close_pipes(self) -> None:
        """Close the pipes that a new worker inherited."""
        for worker in self.workers:
            worker.close_pipes()

    def kill_workers(self) -> None:
        """Kill every process that the pool or its workers started."""
        for worker in self.workers[:]:
            self._kill(worker)
        self._kill_orphans()

    def _next_import(self) -> str | None:
        needed = (task.requires for task in self.pending if task.requires not in self.loaded)
        return self.preload[0] if self.preload else next(needed, None)

    def _load(self, target: str) -> None:
        """Import a module, or call a function (`module:function`)."""
        if self.preload:
            self.preload.pop(0)
        found = pkgutil.resolve_name(target)
        if callable(found):
            found()
        self.loaded.add(target)

    def _seconds_to_deadline(self) -> float | None:
        """Return the seconds until the next worker is overdue, or None if no worker is busy."""
        deadlines = [worker.deadline for worker in self.workers if worker.task]
        return max(0, min(deadlines) - time.monotonic()) if deadlines else None

    def _wait(self, timeout: float | None) -> None:
        """Wait for output, reports, deaths and new tasks, and handle all that have arrived."""
        ready = wait([self.parent, *(source for worker in self.workers for source in worker.sources)], timeout)
        for worker in self.workers[:]:
            if worker.output in ready:
                worker.read_output()
            if worker.reports in ready or worker.death in ready:
                worker.read_report()
                report = worker.report
                if report is not None or worker.report_broken or worker.death in ready:
                    self._finish(worker, report)
        while self.parent.poll():
            self.pending.append(self.parent.recv())

    def _start_tasks(self) -> None:
        """Start the pending tasks that can run, in order, up to the limit."""
        for task in [task for task in self.pending if task.requires in self.loaded]:
            if sum(worker.task is not None for worker in self.workers) >= self.limit:
                return
            self.pending.remove(task)
            self._get_worker(task.fresh).assign(task)

    def _get_worker(self, fresh: bool) -> _Worker:
        """Return a new worker, or an idle one if the task need not be `fresh`."""
        idle = None if fresh else next((worker for worker in self.workers if worker.task is None), None)
        if idle is None:
            self.workers.append(idle := _Worker.start(self.root))
        return idle

    def _end_overdue(self) -> None:
        for worker in self.workers[:]:
            if worker.task and time.monotonic() > worker.deadline:
                seconds = worker.task.timeout + GRACE
                report = WorkerReport(failure=timeout_failure(worker.task.timeout), seconds=seconds)
                self._finish(worker, pickle.dumps(report), overdue=True)

    def _finish(self, worker: _Worker, report: bytes | None, overdue: bool = False) -> None:
        """Send the parent a worker's report, or the cause of its death. Keep only a worker that can be reused."""
        worker.read_output()
        task, worker.task, worker.received = worker.task, None, bytearray()
        if report is None or overdue or (task and task.fresh):
            alive = report is None and not wait([worker.death], EXIT_TIMEOUT)
            code = self._kill(worker)
            report = report or pickle.dumps(WorkerReport(failure=exit_failure(EXIT_BROKEN if alive else code)))
        if task:
            self.parent.send(FinishedTask(task.number, report, worker.printed.text()))

    def _kill(self, worker: _Worker) -> int:
        self.workers.remove(worker)
        code = worker.kill()
        self._kill_orphans()
        return code

    def _kill_orphans(self) -> None:
        """Kill processes that left their worker's process group. On Linux, orphans become children of the pool."""
        known = {worker.process.pid for worker in self.workers}
        while CAN_FORK and (orphans := [pid for pid in _children() if not {pid, os.getsid(pid)} & known]):
            for pid in orphans:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()]
