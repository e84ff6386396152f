"""Runs jobs in parallel workers, unless the cache has their results.

A job that fails is reported at the author's own line, and the others still run. Jobs of one scene that differ only in
the setting of its controls share a process that is prepared once.
"""

import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scenebook.build.result import FinishedJob, OnFinished
from scenebook.cache import store, versions
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem, Problems
from scenebook.run.protocol import CAN_FORK, Frame
from scenebook.run.workers import Job, JobResult, Workers

if TYPE_CHECKING:
    from scenebook.storyboard.model import Scene

RESULT = "result"
CALLERS_SHOWN = 3
ADVICE = {
    "exited": "return from the function instead",
    "timed out": "make it faster, or give the scene a longer `timeout`",
    "MemoryError": "process less data at a time",
    "FileNotFoundError": "paths are relative to the root, the folder of storyboard.yaml",
    "EOFError: EOF when reading a line": "a scene cannot ask for input",
}
"""What to do about some failures, by their kind, error or whole message."""
T = TypeVar("T")


@dataclass(frozen=True)
class SceneResult(Generic[T]):
    """What a step made for a scene, and what it read. A `cached` result is loaded on each use, not kept in memory."""

    load: Callable[[], T]
    reads: Reads
    cached: bool


class LazyResults(Mapping[str, T]):
    """Results by name, each loaded when it is looked up, which raises `store.LostError` if the cache has lost it."""

    def __init__(self, results: Mapping[str, SceneResult[T]]) -> None:
        self._results = results

    def __getitem__(self, name: str) -> T:
        return self._results[name].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._results)

    def __len__(self) -> int:
        return len(self._results)


@dataclass(frozen=True)
class BuildContext:
    """What every part of a build uses.

    `on_finished` is called with each finished job, and `while_waiting` after the jobs of a step have been submitted.
    The scene with the full name `always_run` runs even if its result is in the cache.
    """

    root: Path
    workers: Workers
    cache: store.Cache
    on_finished: OnFinished
    while_waiting: Callable[[], None] = lambda: None
    always_run: str = ""


@dataclass(frozen=True)
class PlannedJob:
    """A job that may have to run, and what its result depends on besides the files that it reads.

    The job's name is the full name of its scene. `setting` says for which setting of the scene's controls it is, if for
    one; then it may share a process with others of its scene, and only the last of its arguments differs. `prepare` is
    as in `Job`. `positions` are the file and line of the texts that a warning may point to.
    """

    scene: "Scene"
    job: Job
    dependencies: Mapping[str, str]
    positions: str = ""
    setting: str = ""
    prepare: Callable[..., Any] | None = None


def run(
    step: str, planned: Mapping[str, PlannedJob], context: BuildContext
) -> tuple[dict[str, SceneResult[Any]], list[Problem]]:
    """The results of one step, by the same names as the jobs, from the cache or from workers; and all problems."""
    reusable = {name: job for name, job in planned.items() if name != context.always_run}
    results = {name: found for name, job in reusable.items() if (found := find(step, name, job, context.cache))}
    if len(results) == len(planned):
        return results, []
    missing = [name for name in planned if name not in results]
    changes = {name: context.cache.why(step, name, planned[name].dependencies) for name in missing}
    batches = list(_batches(missing, planned, context.workers.limit))
    waiting = {id(job): names for names, job in batches}
    for _, job in batches:
        context.workers.submit(job)
    context.while_waiting()
    problems: dict[str, tuple[Problem, ...]] = {}
    for job_result in context.workers:
        failed = False
        names = waiting[id(job_result.job)]
        because = "; ".join(change for change in changes[names[0]] if change != store.NEW)
        for name, result in zip(names, _each(job_result), strict=True):
            problems[name] = tuple(_problems(result, planned[name].scene))
            failed |= bool(problems[name])
            if not problems[name]:
                results[name] = _keep(step, name, planned[name], result, because, context.cache)
        context.on_finished(_finished(step, job_result, len(names), because, len(batches), failed=failed))
    return results, list(_at_settings({name: problems[name] for name in missing}, planned))


def _finished(step: str, result: JobResult, settings: int, because: str, batch: int, *, failed: bool) -> FinishedJob:
    return FinishedJob(result.job.name, step, result.seconds, result.output, failed, because, batch, settings)


def _batches(
    names: Sequence[str], planned: Mapping[str, PlannedJob], limit: int
) -> Iterator[tuple[tuple[str, ...], Job]]:
    """The jobs to submit, each with the names of the planned jobs whose results it gives."""
    for _, group in groupby(names, key=lambda name: planned[name].setting and planned[name].job.name):
        together = list(group)
        first = planned[together[0]]
        if len(together) == 1 or not first.setting or not (CAN_FORK or first.prepare is None):
            yield from (((name,), planned[name].job) for name in together)
            continue
        for part in (tuple(together[start::limit]) for start in range(min(limit, len(together)))):
            each = tuple(planned[name].job.arguments[-1:] for name in part)
            yield part, replace(first.job, arguments=first.job.arguments[:-1], prepare=first.prepare, each=each)


def _each(result: JobResult) -> list[JobResult]:
    """The result of each call of a job. If the job failed as a whole, so did each of them."""
    if not result.job.each:
        return [result]
    if result.failure:
        return [result] * len(result.job.each)
    found: list[JobResult] = result.value
    return found


def _at_settings(problems: Mapping[str, Iterable[Problem]], planned: Mapping[str, PlannedJob]) -> Iterator[Problem]:
    """Yield each problem once. One that not all runs of a scene have names its first setting, and how many more."""
    runs = Counter(planned[name].job.name for name in problems)
    repeated = {planned[key].job.name: bool(planned[key].scene.repeat) for key in problems}
    shared: dict[tuple[str, Problem], list[str]] = {}
    for key, found in problems.items():
        for problem in found:
            shared.setdefault((planned[key].job.name, problem), []).append(planned[key].setting)
    for (name, problem), settings in shared.items():
        first, *others = dict.fromkeys(settings)
        everywhere = len(others) + 1 == runs[name] or "" in others or not first
        more = f" and {_others(len(others), repeated[name])}" if others else ""
        yield problem if everywhere else problem._replace(message=f"at {first}{more}: {problem.message}")


def _others(count: int, repeated: bool) -> str:
    return f"in {count} other runs" if repeated else f"at {count} other settings"


def find(step: str, name: str, planned: PlannedJob, cache: store.Cache) -> SceneResult[Any] | None:
    """The cached result of a job. Warnings contain line numbers, so those must be unchanged if there are any."""
    entry = cache.find(step, name, planned.dependencies)
    if entry is None or entry.data["positions"] not in ("", planned.positions):
        return None
    return cached_result(entry, cache)


def cached_result(entry: store.CacheEntry, cache: store.Cache) -> SceneResult[Any]:
    """The result that a cache entry holds."""
    file = cache.file(entry, RESULT)
    return SceneResult(lambda: pickle.loads(file.read()), reads_of(entry), cached=True)


def reads_of(entry: store.CacheEntry) -> Reads:
    """What was read to make a cached result."""
    return Reads(**{kind: tuple(states) for kind, states in entry.reads.items()})


def merge_reads(several: Iterable[Reads]) -> Reads:
    """Everything that was read for several results."""
    parts = tuple(several)
    kinds = Reads._fields
    return Reads(**{kind: tuple(sorted({path for part in parts for path in getattr(part, kind)})) for kind in kinds})


def _keep(
    step: str, name: str, planned: PlannedJob, job_result: JobResult, because: str, cache: store.Cache
) -> SceneResult[Any]:
    """Put a result in the cache. A scene that lists `inputs` may start programs, whose reads we cannot observe."""
    reads = job_result.reads
    if planned.scene.inputs:
        reads = reads._replace(paths=tuple(sorted({*reads.paths, *map(str, planned.scene.inputs)})), unseen=())
    used = {*reads.packages, *versions.packages_of(reads.imports)} - planned.dependencies.keys()
    reads = reads._replace(packages=tuple(sorted(used)))
    positions = planned.positions if getattr(job_result.value, "warnings", ()) else ""
    data, blobs = {"positions": positions, "because": because}, {RESULT: pickle.dumps(job_result.value)}
    if entry := cache.keep(step, name, planned.dependencies, reads, data, blobs):
        return cached_result(entry, cache)
    return SceneResult(lambda: job_result.value, reads, cached=False)


def _problems(job_result: JobResult, scene: "Scene") -> Iterator[Problem]:
    """What went wrong in a job, at a line of the author's code if possible."""
    if isinstance(job_result.value, Problems):
        yield from job_result.value.problems
    if failure := job_result.failure:
        *callers, place = failure.frames or (None,)
        file, line = (place.file, place.line) if place else (f"scenes/{scene.compute}", 0)
        message = ": ".join(filter(None, (failure.error, failure.message)))
        advice = next((ADVICE[key] for key in (failure.kind, failure.error, message) if key in ADVICE), "")
        called_from = _called_from(callers)
        text = f"{message.rstrip('.')}{called_from}; {advice}" if advice else f"{message}{called_from}"
        yield Problem(file, line, job_result.job.name, text)
    for path in job_result.reads.written:
        message = f"wrote {path}; a scene must return its results and must not write files"
        yield Problem(f"scenes/{scene.compute}", 0, job_result.job.name, message)


def _called_from(callers: Sequence[Frame | None]) -> str:
    """The author's lines that led to the failing one, the nearest first, such as ` (called from scenes/a.py:3)`."""
    places = [f"{frame.file}:{frame.line}" for frame in reversed(callers) if frame]
    shown = [*places[:CALLERS_SHOWN], *(["..."] if len(places) > CALLERS_SHOWN else [])]
    return f" (called from {', '.join(shown)})" if shown else ""
