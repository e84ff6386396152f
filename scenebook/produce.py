"""Runs scenes: every `compute` that is due, then every drawing, in workers, as many at once as there may be.

A result that the cache holds for the same inputs is not made again. What fails is told with the author's own frames,
and stops nothing else.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scenebook import compose, jobs
from scenebook.errors import Problem, Problems
from scenebook.model import Page, Scene
from scenebook.work import Job, Outcome, Workers
from scenebook.worker import Frame

if TYPE_CHECKING:
    from scenebook.figure import Drawing
    from scenebook.prose import Scope
    from scenebook.scene import Computed

NUMPY = "numpy"
DRAWN = "scenebook.figure:warm"
STEPS = (NUMPY, DRAWN)
"""What the server of processes makes ready, in this order, while the storyboard is still being read."""
TRAIL = 3


@dataclass(frozen=True)
class Ran:
    """A job that ran: which step of which scene, for how long, and what it printed."""

    scene: str
    step: str
    seconds: float
    output: str
    failed: bool


def scenes(pages: Iterable[Page]) -> Iterator[tuple[str, Page, Scene]]:
    """Every scene that computes, by its full name."""
    for page in pages:
        for scene in page.scenes:
            if scene.compute:
                yield f"{page.slug}/{scene.id}", page, scene


def compute(
    pages: Iterable[Page], workers: Workers, tell: Callable[[Ran], None]
) -> tuple[dict[str, "Computed"], list[Problem]]:
    """The values of all scenes of these pages, by full name, and what went wrong."""
    due = {
        name: (scene, Job(name, jobs.compute, (name, str(scene.compute), scene.params), scene.timeout, after=NUMPY))
        for name, _, scene in scenes(pages)
    }
    return _run("compute", due, workers, tell)


def draw(
    pages: Iterable[Page],
    computed: Mapping[str, "Computed"],
    scopes: Mapping[str, "Scope"],
    workers: Workers,
    tell: Callable[[Ran], None],
) -> tuple[dict[str, "Drawing"], list[Problem]]:
    """The drawings of all scenes that computed, by full name, and what went wrong."""
    due = {
        name: (scene, _drawing(name, scene, scopes[page.slug], computed[name]))
        for name, page, scene in scenes(pages)
        if scene.figure and name in computed
    }
    return _run("draw", due, workers, tell)


def _drawing(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> Job:
    spec = compose.spec(scene, scope)
    arguments = (name, spec, str(scene.compute), computed.pickled)
    return Job(name, jobs.draw, arguments, scene.timeout, fresh=bool(spec.draw), after=DRAWN)


def _run(
    step: str, due: Mapping[str, tuple[Scene, Job]], workers: Workers, tell: Callable[[Ran], None]
) -> tuple[dict[str, Any], list[Problem]]:
    results: dict[str, Any] = {}
    problems: list[Problem] = []
    for _, job in due.values():
        workers.submit(job)
    for outcome in workers:
        found = tuple(_problems(outcome, due[outcome.job.name][0]))
        tell(Ran(outcome.job.name, step, outcome.seconds, outcome.output, bool(found)))
        problems += found
        if not found:
            results[outcome.job.name] = outcome.value
    return results, problems


def _problems(outcome: Outcome, scene: Scene) -> Iterator[Problem]:
    """What went wrong in a job, at the author's own line where there is one."""
    if isinstance(outcome.value, Problems):
        yield from outcome.value.problems
    if failure := outcome.failure:
        *callers, place = failure.frames or (None,)
        file, line = (place.file, place.line) if place else (f"scenes/{scene.compute}", 0)
        message = ": ".join(filter(None, (failure.error, failure.message)))
        yield Problem(file, line, outcome.job.name, message + _trail(callers))
    for path in outcome.reads.written:
        message = f"wrote {path}; a scene returns its results and leaves no files"
        yield Problem(f"scenes/{scene.compute}", 0, outcome.job.name, message)


def _trail(callers: Sequence[Frame | None]) -> str:
    """Through which of the author's lines the code came to the last one; a few of them, if there are many."""
    places = [f"{frame.file}:{frame.line}" for frame in reversed(callers) if frame]
    shown = [*places[:TRAIL], *(["..."] if len(places) > TRAIL else [])]
    return f" (called from {', '.join(shown)})" if shown else ""
