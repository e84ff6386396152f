"""Runs scenes: every `compute` that is due, then every drawing, in workers, as many at once as there may be.

A result that the cache holds for the same inputs is not made again. What fails is told with the author's own frames,
and stops nothing else.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from scenebook.build import _jobs as jobs
from scenebook.cache import store, versions
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem, Problems
from scenebook.page import compose
from scenebook.run.protocol import Frame
from scenebook.run.workers import Job, JobResult, Workers
from scenebook.storyboard.model import Page, Scene

if TYPE_CHECKING:
    from scenebook.figure.drawing import Drawing
    from scenebook.prose.prose import Scope
    from scenebook.run.scene import Computed

RESULT = "result"
TRAIL = 3
ADVICE = {
    "exited": "have it return instead",
    "timed out": "make it quicker, or give the scene a longer `timeout`",
    "FileNotFoundError": "paths begin at the root, the folder of storyboard.yaml",
    "EOFError: EOF when reading a line": "a scene cannot ask for input",
}
"""What to do about some failures, by kind, error or message."""

T = TypeVar("T")


@dataclass(frozen=True)
class FinishedJob:
    """A job that ran: which step of which scene, for how long, what it printed, and which change made it run.

    `due` is the number of jobs of its step that are run with it.
    """

    scene: str
    step: str
    seconds: float
    output: str
    failed: bool
    because: str
    due: int


Tell = Callable[[FinishedJob], None]


@dataclass(frozen=True)
class Result(Generic[T]):
    """A result, and what was read to make it. One that is `kept` is read when it is asked for, and not held."""

    load: Callable[[], T]
    reads: Reads
    kept: bool


class Results(Mapping[str, T]):
    """The values of results, by name. Reading one that was lost raises `cache.LostError`."""

    def __init__(self, made: Mapping[str, Result[T]]) -> None:
        self._made = made

    def __getitem__(self, name: str) -> T:
        return self._made[name].load()

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


@dataclass(frozen=True)
class BuildContext:
    """Where jobs are done: the processes; what is kept; whom to tell; and what there is to do while jobs run.

    The scene whose full name is `anew` is run even where its result is kept.
    """

    root: Path
    workers: Workers
    kept: store.Cache
    tell: Tell
    meanwhile: Callable[[], None] = lambda: None
    anew: str = ""


@dataclass(frozen=True)
class _Due:
    """A job that may have to be done, and all that its result depends on besides what it reads."""

    scene: Scene
    job: Job
    declared: Mapping[str, str]
    places: str = ""


def scenes(pages: Iterable[Page]) -> Iterator[tuple[str, Page, Scene]]:
    """Every scene that computes, by its full name."""
    for page in pages:
        for scene in page.scenes:
            if scene.compute:
                yield f"{page.slug}/{scene.id}", page, scene


def compute(
    named: Iterable[tuple[str, Page, Scene]], shop: BuildContext
) -> tuple[dict[str, Result["Computed"]], list[Problem]]:
    """The values of scenes, by full name, and what went wrong."""
    return _run("compute", {name: _computing(name, scene) for name, _, scene in named}, shop)


def draw(
    named: Iterable[tuple[str, Page, Scene]],
    computed: Mapping[str, Result["Computed"]],
    scopes: Mapping[str, "Scope"],
    shop: BuildContext,
) -> tuple[dict[str, Result["Drawing"]], list[Problem]]:
    """The drawings of the scenes that computed, by full name, and what went wrong."""
    due = {
        name: _drawing(name, scene, scopes[page.slug], computed[name].load())
        for name, page, scene in named
        if scene.figure and name in computed
    }
    return _run("draw", due, shop)


def computing(scene: Scene) -> dict[str, str]:
    """What the values of a scene depend on besides what its code reads."""
    return {
        "module": str(scene.compute),
        "params": repr(scene.params),
        "inputs": "\n".join(scene.inputs),
        **versions.made_by(),
    }


def kept_values(name: str, scene: Scene, kept: store.Cache) -> "Result[Computed] | None":
    """The values of a scene, if they need not be computed."""
    return _found("compute", name, _computing(name, scene), kept)


def drawing(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> Mapping[str, str]:
    """What the drawing of a scene depends on besides what its code reads."""
    return _drawing(name, scene, scope, computed).declared


def _computing(name: str, scene: Scene) -> _Due:
    job = Job(name, jobs.compute, (name, str(scene.compute), scene.params), scene.timeout, requires=jobs.COMPUTES)
    return _Due(scene, job, computing(scene))


def _drawing(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> _Due:
    spec = compose.spec(scene, scope)
    arguments = (name, spec, str(scene.compute), computed.pickled)
    own = spec.draw is not None
    job = Job(name, jobs.draw, arguments, scene.timeout, fresh=own, requires=jobs.DRAWS if own else jobs.PANELS)
    declared = {
        "module": str(scene.compute) if spec.draw else "",
        "inputs": "\n".join(scene.inputs),
        "figure": repr(spec),
        "values": computed.digest,
        **versions.made_by(),
    }
    return _Due(scene, job, declared, " ".join(f"{text.file}:{text.line}" for text in compose.texts(spec)))


def _run(step: str, due: Mapping[str, _Due], shop: BuildContext) -> tuple[dict[str, Result[Any]], list[Problem]]:
    known = {name: item for name, item in due.items() if name != shop.anew}
    results = {name: found for name, item in known.items() if (found := _found(step, name, item, shop.kept))}
    problems: list[Problem] = []
    if len(results) == len(due):
        return results, problems
    reasons = {name: shop.kept.why(step, name, item.declared) for name, item in due.items() if name not in results}
    for name in reasons:
        shop.workers.submit(due[name].job)
    shop.meanwhile()
    for outcome in shop.workers:
        name, item = outcome.job.name, due[outcome.job.name]
        wrong = tuple(_problems(outcome, item.scene))
        why = "; ".join(reason for reason in reasons[name] if reason != store.NEW)
        shop.tell(FinishedJob(name, step, outcome.seconds, outcome.output, bool(wrong), why, len(reasons)))
        problems += wrong
        if not wrong:
            results[name] = _keep(step, name, item, outcome, why, shop.kept)
    return results, problems


def _found(step: str, name: str, item: _Due, kept: store.Cache) -> Result[Any] | None:
    """A kept result. One that warns tells lines of the storyboard, so those must be the same too."""
    entry = kept.find(step, name, item.declared)
    if entry is None or entry.data["places"] not in ("", item.places):
        return None
    return _made(entry, kept)


def _made(entry: store.CacheEntry, kept: store.Cache) -> Result[Any]:
    found = kept.file(entry, RESULT)
    return Result(lambda: pickle.loads(found.read()), reads(entry), kept=True)


def reads(entry: store.CacheEntry) -> Reads:
    """What was read to make a kept result."""
    return Reads(**{kind: tuple(states) for kind, states in entry.reads.items()})


def together(several: Iterable[Reads]) -> Reads:
    """All that was read for several results."""
    parts = tuple(several)
    kinds = Reads._fields
    return Reads(**{kind: tuple(sorted({path for part in parts for path in getattr(part, kind)})) for kind in kinds})


def _keep(step: str, name: str, item: _Due, outcome: JobResult, why: str, kept: store.Cache) -> Result[Any]:
    """Keep a result. With declared `inputs`, what a child process read unseen is theirs to tell."""
    seen = outcome.reads
    if item.scene.inputs:
        seen = seen._replace(paths=tuple(sorted({*seen.paths, *map(str, item.scene.inputs)})), unseen=())
    data = {"places": item.places if getattr(outcome.value, "warnings", ()) else "", "why": why}
    if entry := kept.keep(step, name, item.declared, seen, data, {RESULT: pickle.dumps(outcome.value)}):
        return _made(entry, kept)
    return Result(lambda: outcome.value, seen, kept=False)


def _problems(outcome: JobResult, scene: Scene) -> Iterator[Problem]:
    """What went wrong in a job, at the author's own line where there is one."""
    if isinstance(outcome.value, Problems):
        yield from outcome.value.problems
    if failure := outcome.failure:
        *callers, place = failure.frames or (None,)
        file, line = (place.file, place.line) if place else (f"scenes/{scene.compute}", 0)
        message = ": ".join(filter(None, (failure.error, failure.message)))
        advice = next((ADVICE[key] for key in (failure.kind, failure.error, message) if key in ADVICE), "")
        told = (f"{message.rstrip('.')}{_trail(callers)}; {advice}") if advice else message + _trail(callers)
        yield Problem(file, line, outcome.job.name, told)
    for path in outcome.reads.written:
        message = f"wrote {path}; a scene returns its results and leaves no files"
        yield Problem(f"scenes/{scene.compute}", 0, outcome.job.name, message)


def _trail(callers: Sequence[Frame | None]) -> str:
    """Through which of the author's lines the code came to the last one; a few of them, if there are many."""
    places = [f"{frame.file}:{frame.line}" for frame in reversed(callers) if frame]
    shown = [*places[:TRAIL], *(["..."] if len(places) > TRAIL else [])]
    return f" (called from {', '.join(shown)})" if shown else ""
