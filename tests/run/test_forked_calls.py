"""Several calls of a function, each in a fork of a process that was prepared once."""

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenebook.run.workers import Job, JobResult, Workers

prepared: list[str] = []


def prepare(name: str) -> None:
    prepared.append(name)
    Path("prepared.txt").read_text(encoding="utf-8")


def square(name: str, number: int) -> tuple[int, list[str], int]:
    prepared.append(f"{name} {number}")
    if number == 3:
        Path("three.txt").read_text(encoding="utf-8")
    return number**2, prepared, os.getpid()


def misbehave(name: str, how: str) -> str:
    match how:
        case "raise":
            raise ValueError("no")
        case "exit":
            os._exit(7)
        case "sleep":
            time.sleep(60)
        case "close":
            os.closerange(3, 200)
    return how


def fail(name: str) -> None:
    raise RuntimeError("not ready")


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    (tmp_path / "prepared.txt").write_text("p", encoding="utf-8")
    (tmp_path / "three.txt").write_text("3", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    with Workers(tmp_path, 1) as opened:
        yield opened


def run(workers: Workers, job: Job) -> JobResult:
    workers.submit(job)
    [result] = list(workers)
    return result


needs_fork = pytest.mark.skipif(sys.platform != "linux", reason="calls are forked on Linux alone")


@needs_fork
def test_each_call_sees_the_preparation_and_no_other_call(workers: Workers) -> None:
    result = run(workers, Job("j", square, ("n",), prepare=prepare, each=((2,), (3,))))
    assert [each.value[:2] for each in result.value] == [(4, ["n", "n 2"]), (9, ["n", "n 3"])]
    assert len({each.value[2] for each in result.value}) == 2


@needs_fork
def test_what_the_preparation_read_counts_for_every_call(workers: Workers) -> None:
    two, three = run(workers, Job("j", square, ("n",), prepare=prepare, each=((2,), (3,)))).value
    assert "prepared.txt" in two.reads.paths
    assert "three.txt" not in two.reads.paths
    assert {"prepared.txt", "three.txt"} <= set(three.reads.paths)


@needs_fork
def test_a_call_that_fails_leaves_the_others_alone(workers: Workers) -> None:
    each = (("raise",), ("exit",), ("sleep",), ("close",), ("fine",))
    result = run(workers, Job("j", misbehave, ("n",), 0.5, prepare=prepare, each=each))
    assert [each.failure and (each.failure.kind, each.failure.message) for each in result.value] == [
        ("raised", "no"),
        ("exited", "ended its process with exit code 7 before it returned a result"),
        ("timed out", "timed out after 0.5 s"),
        ("broke", "left its process unable to return a result; a scene must not close files that it did not open"),
        None,
    ]
    assert result.value[-1].value == "fine"


@needs_fork
def test_a_preparation_that_fails_is_the_failure_of_the_job(workers: Workers) -> None:
    result = run(workers, Job("j", square, ("n",), prepare=fail, each=((2,),)))
    assert result.failure is not None
    assert (result.value, result.failure.message) == (None, "not ready")
