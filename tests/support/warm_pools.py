"""Process pools that start within milliseconds: forks of a process that has imported numpy and matplotlib already.

A build in a test's own process gets such a pool. A build that a test starts as a command has a pool as its users do.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

from scenebook.build import _jobs as jobs
from scenebook.run.workers import ENVIRONMENT, HASH_SEED, INHERITED, Workers
from tests.support import warm_parent

ENGINE = Path(__file__).parents[2]
SEED = {"PYTHONHASHSEED": "0"}
OF_THE_PARENT = {**ENVIRONMENT, **SEED, "PYTHONPATH": str(ENGINE), "SCENEBOOK_WARM_PARENT": "1"}


class Pool:
    """A pool with the methods of `subprocess.Popen` that `Workers` uses."""

    def __init__(self, process: BaseProcess) -> None:
        self.terminate, self.kill, self._process = process.terminate, process.kill, process

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("pool", timeout)
        return self._process.exitcode


@contextmanager
def warm_pools() -> Iterator[None]:
    """In this context the pools of builds are forks. Their parent starts with the first of them."""
    start_cold = Workers._start_pool

    def start_pool(self: Workers, channel: int) -> Any:
        cold = self._arguments[2:] != jobs.PRELOAD or HASH_SEED in os.environ
        return start_cold(self, channel) if cold else Pool(fork(channel, self._arguments))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Workers, "_start_pool", start_pool)
        yield
    vars(forkserver)["_forkserver"]._stop()


def fork(channel: int, arguments: tuple[str, ...]) -> BaseProcess:
    inherited = {name: value for name, value in os.environ.items() if name in INHERITED}
    context = get_context("forkserver")
    context.set_forkserver_preload([warm_parent.__name__])
    with Connection(os.dup(channel)) as passed, pytest.MonkeyPatch.context() as patch:
        process = context.Process(target=warm_parent.be_pool, args=(passed, arguments, inherited | ENVIRONMENT | SEED))
        for name, value in OF_THE_PARENT.items():
            patch.setenv(name, value)
        process.start()
    return process
