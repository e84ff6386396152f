"""Runs the scenes of a site: `compute`, then the drawings, in parallel workers.

A result that is in the cache is not computed again. A scene that fails is reported at the author's own line, and the
other scenes still run.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar

from scenebook.build import _jobs as jobs
from scenebook.build.result import FinishedJob, OnFinished
from scenebook.cache import store, versions
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem, Problems
from scenebook.core.text_fields import all_texts
from scenebook.page import texts
from scenebook.run.protocol import Frame
from scenebook.run.workers import Job, JobResult, Workers
from scenebook.storyboard.model import Page, Scene

if TYPE_CHECKING:
    from scenebook.figure.drawing import Drawing
    from scenebook.prose.prose import Scope
    from scenebook.run.scene import Computed

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

NamedScene: TypeAlias = tuple[str, Page, Scene]
"""A scene that computes, after its full name (`slug/id`) and its page."""
T = TypeVar("T")


@dataclass(frozen=True)
class SceneResult(Generic[T]):
    """What a step made for a scene, and what it read. A `cached` result is loaded on each use, not kept in memory."""

    load: Callable[[], T]
    reads: Reads
    cached: bool


class LazyResults(Mapping[str, T]):
    """Results by name. Each is loaded when it is looked up, which raises `store.LostError` if the cache has lost it."""

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
class _PlannedJob:
    """A job that may have to run, and what its result depends on besides the files that it reads.

    `positions` are the file and line of the texts that a warning may point to.
    """

    scene: Scene
    job: Job
    dependencies: Mapping[str, str]
    positions: str = ""


def scenes(pages: Iterable[Page]) -> Iterator[NamedScene]:
    """Yield every scene that computes."""
    for page in pages:
        for scene in page.scenes:
            if scene.compute:
                yield f"{page.slug}/{scene.id}", page, scene


def compute(
    named: Iterable[NamedScene], context: BuildContext
) -> tuple[dict[str, SceneResult["Computed"]], list[Problem]]:
    """Return the values of scenes, by full name, and the problems of those that failed."""
    return _run("compute", {name: _compute_job(name, scene) for name, _, scene in named}, context)


def draw(
    named: Iterable[NamedScene],
    computed: Mapping[str, SceneResult["Computed"]],
    scopes: Mapping[str, "Scope"],
    context: BuildContext,
) -> tuple[dict[str, SceneResult["Drawing"]], list[Problem]]:
    """Return the drawings of the scenes that were computed, by full name, and the problems of those that failed."""
    planned = {
        name: _draw_job(name, scene, scopes[page.slug], computed[name].load())
        for name, page, scene in named
        if scene.figure and name in computed
    }
    return _run("draw", planned, context)


def compute_dependencies(scene: Scene) -> dict[str, str]:
    """Return what the values of a scene depend on besides the files that its code reads."""
    return {
        "module": str(scene.compute),
        "params": repr(scene.params),
        "inputs": "\n".join(scene.inputs),
        **versions.made_by(),
    }


def draw_dependencies(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> Mapping[str, str]:
    """Return what the drawing of a scene depends on besides the files that its code reads."""
    return _draw_job(name, scene, scope, computed).dependencies


def cached_values(name: str, scene: Scene, cache: store.Cache) -> "SceneResult[Computed] | None":
    """Return the values of a scene, or None if they are not in the cache."""
    return _find("compute", name, _compute_job(name, scene), cache)


def _compute_job(name: str, scene: Scene) -> _PlannedJob:
    arguments = (name, str(scene.compute), scene.params)
    job = Job(name, jobs.compute, arguments, scene.timeout, requires=jobs.COMPUTE_REQUIRES)
    return _PlannedJob(scene, job, compute_dependencies(scene))


def _draw_job(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> _PlannedJob:
    spec = texts.drawn(scene, scope)
    arguments = (name, spec, str(scene.compute), computed.pickled)
    runs_scene_code = spec.draw is not None
    requires = jobs.OWN_DRAWINGS_REQUIRE if runs_scene_code else jobs.PANELS_REQUIRE
    job = Job(name, jobs.draw, arguments, scene.timeout, fresh=runs_scene_code, requires=requires)
    dependencies = {
        "module": str(scene.compute) if runs_scene_code else "",
        "inputs": "\n".join(scene.inputs),
        "figure": repr(spec),
        "values": computed.digest,
        **versions.made_by(),
    }
    return _PlannedJob(scene, job, dependencies, " ".join(f"{text.file}:{text.line}" for text in all_texts(spec)))


def _run(
    step: str, planned: Mapping[str, _PlannedJob], context: BuildContext
) -> tuple[dict[str, SceneResult[Any]], list[Problem]]:
    """Return the results of one step for several scenes, from the cache or from jobs."""
    reusable = {name: job for name, job in planned.items() if name != context.always_run}
    results = {name: found for name, job in reusable.items() if (found := _find(step, name, job, context.cache))}
    problems: list[Problem] = []
    if len(results) == len(planned):
        return results, problems
    changes = {
        name: context.cache.why(step, name, job.dependencies) for name, job in planned.items() if name not in results
    }
    for name in changes:
        context.workers.submit(planned[name].job)
    context.while_waiting()
    for job_result in context.workers:
        name, job = job_result.job.name, planned[job_result.job.name]
        found_problems = tuple(_problems(job_result, job.scene))
        because = "; ".join(change for change in changes[name] if change != store.NEW)
        seconds, output, failed = job_result.seconds, job_result.output, bool(found_problems)
        context.on_finished(FinishedJob(name, step, seconds, output, failed, because, len(changes)))
        problems += found_problems
        if not failed:
            results[name] = _store(step, name, job, job_result, because, context.cache)
    return results, problems


def _find(step: str, name: str, planned: _PlannedJob, cache: store.Cache) -> SceneResult[Any] | None:
    """Return the cached result of a job. If it has warnings, their line numbers must still be right."""
    entry = cache.find(step, name, planned.dependencies)
    if entry is None or entry.data["positions"] not in ("", planned.positions):
        return None
    return _cached_result(entry, cache)


def _cached_result(entry: store.CacheEntry, cache: store.Cache) -> SceneResult[Any]:
    file = cache.file(entry, RESULT)
    return SceneResult(lambda: pickle.loads(file.read()), reads_of(entry), cached=True)


def reads_of(entry: store.CacheEntry) -> Reads:
    """Return what was read to make a cached result."""
    return Reads(**{kind: tuple(states) for kind, states in entry.reads.items()})


def merge_reads(several: Iterable[Reads]) -> Reads:
    """Return everything that was read for several results."""
    parts = tuple(several)
    kinds = Reads._fields
    return Reads(**{kind: tuple(sorted({path for part in parts for path in getattr(part, kind)})) for kind in kinds})


def _store(
    step: str, name: str, planned: _PlannedJob, job_result: JobResult, because: str, cache: store.Cache
) -> SceneResult[Any]:
    """Put a result in the cache. A scene that lists `inputs` may start programs, whose reads we cannot observe."""
    reads = job_result.reads
    if planned.scene.inputs:
        reads = reads._replace(paths=tuple(sorted({*reads.paths, *map(str, planned.scene.inputs)})), unseen=())
    positions = planned.positions if getattr(job_result.value, "warnings", ()) else ""
    data, blobs = {"positions": positions, "because": because}, {RESULT: pickle.dumps(job_result.value)}
    if entry := cache.keep(step, name, planned.dependencies, reads, data, blobs):
        return _cached_result(entry, cache)
    return SceneResult(lambda: job_result.value, reads, cached=False)


def _problems(job_result: JobResult, scene: Scene) -> Iterator[Problem]:
    """Yield what went wrong in a job, at a line of the author's code if possible."""
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
    """Return the author's lines that led to the failing one, nearest first, such as ` (called from scenes/a.py:3)`."""
    places = [f"{frame.file}:{frame.line}" for frame in reversed(callers) if frame]
    shown = [*places[:CALLERS_SHOWN], *(["..."] if len(places) > CALLERS_SHOWN else [])]
    return f" (called from {', '.join(shown)})" if shown else ""
