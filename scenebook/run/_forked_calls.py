"""Makes a call in a fork of this process, so that the call cannot change anything here.

A fork costs a few milliseconds, an import many more. So a process that has imported a scene can run it many times.
"""

import os
import pickle
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from select import select

from scenebook.run.protocol import EXIT_BROKEN, WorkerReport, exit_failure, timeout_failure

GRACE = 2.0
"""Seconds that a call may take beyond its time limit before its process is killed."""
EXIT_TIMEOUT = 0.5
"""Seconds that a process may take to end after it has closed its pipe."""
HEADER_SIZE = 8
CHUNK = 65_536


def forked(call: Callable[[], bytes], timeout: float, fork: Callable[[], int]) -> bytes:
    """The pickled `WorkerReport` that a call returns in a fork of this process. `fork` is `os.fork`, or calls it.

    A call that ends its process, or takes longer than `timeout` seconds, gets a report of its failure instead.
    """
    reading, writing = os.pipe()
    pid = fork()
    if not pid:
        _answer(call, writing)
    os.close(writing)
    try:
        report = _received(reading, time.monotonic() + timeout + GRACE)
    finally:
        os.close(reading)
        code = _end(pid)
    if report:
        return report
    failure = timeout_failure(timeout) if report is None else exit_failure(code)
    return pickle.dumps(WorkerReport(failure=failure))


def _answer(call: Callable[[], bytes], writing: int) -> None:
    """In the fork: send the report of the call, and end the process."""
    pid, pipe = os.getpid(), os.fstat(writing)
    try:
        report = call()
        if os.getpid() != pid:  # a copy of the process that a scene made by forking
            os._exit(0)
        if os.path.samestat(os.fstat(writing), pipe):
            rest = memoryview(len(report).to_bytes(HEADER_SIZE, "big") + report)
            while rest:
                rest = rest[os.write(writing, rest) :]
            os._exit(0)
    finally:
        os._exit(EXIT_BROKEN)


def _received(reading: int, deadline: float) -> bytes | None:
    """A whole report; empty if the process closes the pipe before, None if the time is up."""
    data = bytearray()
    for chunk in _chunks(reading, deadline):
        if chunk is None:
            return None
        data += chunk
        end = HEADER_SIZE + int.from_bytes(data[:HEADER_SIZE], "big")
        if len(data) > HEADER_SIZE and len(data) >= end:
            return bytes(data[HEADER_SIZE:end])
    return b""


def _chunks(reading: int, deadline: float) -> Iterator[bytes | None]:
    """What arrives in a pipe, until its other end is closed; then None if the time is up before that."""
    while True:
        ready, _, _ = select([reading], [], [], max(0.0, deadline - time.monotonic()))
        chunk = os.read(reading, CHUNK) if ready else None
        if chunk == b"":
            return
        yield chunk
        if chunk is None:
            return


def _end(pid: int) -> int:
    """The exit code of a process, negative for a signal. A process that does not end by itself is killed."""
    deadline = time.monotonic() + EXIT_TIMEOUT
    while time.monotonic() < deadline:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.0005)
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return EXIT_BROKEN
