"""The pool: starts workers, gives them jobs, hears their reports, and ends them, late or done.

It imports the heavy libraries step by step and, between two steps, starts whatever can already run. Each worker is its
fork, so that a fresh process costs milliseconds.
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

from scenebook.run._worker import BROKEN, attempt, died, isolate, timed_out
from scenebook.run.messages import Report, Task, TaskResult

FORKS = sys.platform == "linux"
"""Elsewhere the system's own libraries do not survive a fork: workers start from nothing there, which is slower."""

KEPT = 32_768
"""So many bytes of what a job prints are kept of its beginning, and as many of its end."""

GRACE = 2.0
"""Seconds between the alarm inside a job, which tells where the time went, and the kill."""

SENDING = 60.0
"""Seconds that a report may take from its first byte to its last."""

MOMENT = 0.5
"""Seconds within which a process that has closed its end of a pipe is dead, unless it closed the pipe alone."""

MARK = b"\0report\0"
"""A report begins with this, and with its length; anything else in the pipe is a scene's."""

HEAD = len(MARK) + 8

CHUNK = 65_536
"""So many bytes a pipe can hold."""

_PR_SET_CHILD_SUBREAPER = 36


@dataclass
class _Output:
    """What a job printed, without the middle."""

    head: bytes = b""
    tail: bytes = b""
    left_out: int = 0

    def add(self, data: bytes) -> None:
        room = KEPT - len(self.head)
        self.head, tail = self.head + data[:room], self.tail + data[room:]
        self.tail = tail[-KEPT:]
        self.left_out += len(tail) - len(self.tail)

    def text(self) -> str:
        gap = f"\n[{self.left_out} bytes left out]\n".encode() if self.left_out else b""
        return (self.head + gap + self.tail).decode(errors="replace")


@dataclass(eq=False)
class _Worker:
    """A worker as the pool sees it."""

    process: BaseProcess
    tasks: Connection
    reports: Connection
    output: Connection
    death: int
    task: Task | None = None
    deadline: float = 0
    mute: bool = False
    lost: bool = False
    printed: _Output = field(default_factory=_Output)
    heard: bytearray = field(default_factory=bytearray)

    @classmethod
    def start(cls, root: str) -> Self:
        context = get_context("fork") if FORKS else get_context("spawn")
        given, tasks = context.Pipe(duplex=False)
        reports, reported = context.Pipe(duplex=False)
        output, written = context.Pipe(duplex=False)
        theirs = (given, reported, written)
        process = context.Process(target=_work, args=(*theirs, root))
        process.start()
        for end in theirs:
            end.close()
        for end in (reports, output):
            os.set_blocking(end.fileno(), False)
        # A pidfd tells of the death of this very process; the sentinel's pipe may live on in its children.
        death = os.pidfd_open(process.pid or 0) if FORKS else os.dup(process.sentinel)
        return cls(process, tasks, reports, output, death)

    @property
    def sources(self) -> tuple[Connection | int, ...]:
        """What there is to wait for: a report, its death, something printed."""
        return (self.reports, self.death) if self.mute else (self.reports, self.death, self.output)

    def give(self, task: Task) -> None:
        self.task, self.printed, self.heard = task, _Output(), bytearray()
        self.deadline = time.monotonic() + task.timeout + GRACE
        with suppress(OSError):  # it is dead already: seen next
            self.tasks.send((task.work, task.timeout))

    def hear(self) -> None:
        """Take what there is of its report. Nobody waits for the rest: a scene may have written into the pipe."""
        for data in _available(self.reports):
            if not self.heard:
                self.deadline = time.monotonic() + SENDING
            self.heard += data
            self.lost |= not data or not self.heard.startswith(MARK[: len(self.heard)])

    @property
    def report(self) -> bytes | None:
        """Its report, if all of it has come."""
        end = HEAD + int.from_bytes(self.heard[len(MARK) : HEAD], "big")
        return bytes(self.heard[HEAD:end]) if self.heard.startswith(MARK) and len(self.heard) >= end else None

    def listen(self) -> None:
        """Take what it printed."""
        for data in _available(self.output):
            self.printed.add(data)
            self.mute = not data

    def end(self) -> int:
        """Kill it with its process group; return the exit code, negative for a signal."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid or 0, signal.SIGKILL)
        self.process.kill()
        self.process.join()
        self.let_go()
        os.close(self.death)
        return self.process.exitcode or 0

    def let_go(self) -> None:
        """Close the pool's ends of its pipes, as every other worker does, too."""
        for end in (self.tasks, self.reports, self.output):
            end.close()


def _available(pipe: Connection) -> Iterator[bytes]:
    """What can be read now, but not without end; the last is empty where nobody can write any more."""
    with suppress(BlockingIOError):
        for _ in range(16):
            data = os.read(pipe.fileno(), CHUNK)
            yield data
            if not data:
                return


def _work(tasks: Connection, reports: Connection, output: Connection, root: str) -> None:
    """The life of a worker."""
    observer = isolate(root, output.fileno())
    me, pipe = os.getpid(), os.fstat(reports.fileno())
    with suppress(EOFError):
        while True:
            work, timeout = tasks.recv()
            try:
                report = attempt(work, timeout, root, observer)
                if os.getpid() == me:
                    _send(report, reports.fileno(), pipe)
            except BaseException:  # noqa: BLE001 - whatever it is, the pool tells it better
                os._exit(BROKEN)
            if os.getpid() != me:  # a copy that a scene made of its process
                os._exit(0)


def _send(report: bytes, place: int, pipe: os.stat_result) -> None:
    """Write a report into the pipe, unless a scene has closed that and opened something else in its place."""
    if not os.path.samestat(os.fstat(place), pipe):
        raise OSError
    for part in (MARK + len(report).to_bytes(HEAD - len(MARK), "big"), report):
        rest = memoryview(part)
        while rest:
            rest = rest[os.write(place, rest) :]


def serve(channel: str, root: str, limit: str, *steps: str) -> None:
    """The life of the pool."""
    if FORKS:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    parent = Connection(int(channel))
    os.register_at_fork(after_in_child=parent.close)
    pool = _Pool(parent, root, int(limit), list(steps))
    os.register_at_fork(after_in_child=pool.let_go)
    signal.signal(signal.SIGTERM, pool.stop)
    try:
        with suppress(EOFError, ConnectionError, SystemExit):  # the parent is gone, or has no more to do
            pool.run()
    except Exception:
        if not pool.stopped:
            raise
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        pool.end()
    os._exit(0)  # at once: nothing is left to tidy, and much to take apart


@dataclass
class _Pool:
    parent: Connection
    root: str
    limit: int
    steps: list[str]
    loaded: set[str] = field(default_factory=lambda: {""})
    pending: list[Task] = field(default_factory=list)
    workers: list[_Worker] = field(default_factory=list)
    stopped: bool = False

    def stop(self, *_: object) -> None:
        """End at once, in the midst of an import too, though that may make another error of it, or of nothing."""
        self.stopped = True
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # to be told twice must not end the ending
        sys.exit()

    def run(self) -> None:
        """Start jobs, hear of them, and import what they need while they run; until the parent is gone."""
        while not self.stopped:
            step = self._next_step()
            self._hear(0 if step else self._patience())
            self._end_late()
            self._start()
            if step:
                self._load(step)
                self._start()

    def let_go(self) -> None:
        """In a new worker: close what it has inherited of the others."""
        for worker in self.workers:
            worker.let_go()

    def end(self) -> None:
        """Kill every process below this one."""
        for worker in self.workers[:]:
            self._end(worker)
        self._kill_strays()

    def _next_step(self) -> str | None:
        waiting = (task.after for task in self.pending if task.after not in self.loaded)
        return self.steps[0] if self.steps else next(waiting, None)

    def _load(self, step: str) -> None:
        if self.steps:
            self.steps.pop(0)
        found = pkgutil.resolve_name(step)
        if callable(found):
            found()
        self.loaded.add(step)

    def _patience(self) -> float | None:
        """Seconds until a worker is late."""
        deadlines = [worker.deadline for worker in self.workers if worker.task]
        return max(0, min(deadlines) - time.monotonic()) if deadlines else None

    def _hear(self, timeout: float | None) -> None:
        """Wait until something happens, and see to it."""
        ready = wait([self.parent, *(source for worker in self.workers for source in worker.sources)], timeout)
        for worker in self.workers[:]:
            if worker.output in ready:
                worker.listen()
            if worker.reports in ready or worker.death in ready:
                worker.hear()
                report = worker.report
                if report is not None or worker.lost or worker.death in ready:
                    self._finish(worker, report)
        while self.parent.poll():
            self.pending.append(self.parent.recv())

    def _start(self) -> None:
        """Start what can run, in order."""
        for task in [task for task in self.pending if task.after in self.loaded]:
            if sum(worker.task is not None for worker in self.workers) >= self.limit:
                return
            self.pending.remove(task)
            self._worker(task.fresh).give(task)

    def _worker(self, fresh: bool) -> _Worker:
        """A new worker, or one that is not fresh and has nothing to do."""
        idle = None if fresh else next((worker for worker in self.workers if worker.task is None), None)
        if idle is None:
            self.workers.append(idle := _Worker.start(self.root))
        return idle

    def _end_late(self) -> None:
        for worker in self.workers[:]:
            if worker.task and time.monotonic() > worker.deadline:
                report = Report(failure=timed_out(worker.task.timeout), seconds=worker.task.timeout + GRACE)
                self._finish(worker, pickle.dumps(report), late=True)

    def _finish(self, worker: _Worker, report: bytes | None, late: bool = False) -> None:
        """Pass a worker's report on, or what its death says; keep only a worker that may be used again."""
        worker.listen()
        task, worker.task = worker.task, None
        if report is None or late or (task and task.fresh):
            lives = report is None and not wait([worker.death], MOMENT)
            code = self._end(worker)
            report = report or pickle.dumps(Report(failure=died(BROKEN if lives else code)))
        if task:
            self.parent.send(TaskResult(task.number, report, worker.printed.text()))

    def _end(self, worker: _Worker) -> int:
        self.workers.remove(worker)
        code = worker.end()
        self._kill_strays()
        return code

    def _kill_strays(self) -> None:
        """Kill what left its worker's process group: as an orphan it became a child of this process. Linux alone."""
        known = {worker.process.pid for worker in self.workers}
        while FORKS and (strays := [pid for pid in _children() if pid not in known and os.getsid(pid) not in known]):
            for pid in strays:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)


def _children() -> list[int]:
    return [int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split()]
