"""What runs for the scenes of a site: `compute`, at every setting of a scene's controls, then the drawings."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from scenebook.build import _compute_jobs as jobs
from scenebook.build import setting_drawings, setting_runs
from scenebook.build.planned_jobs import BuildContext, PlannedJob, SceneResult, run
from scenebook.build.planned_jobs import find as find_result
from scenebook.build.setting_drawings import DrawnScene
from scenebook.build.setting_runs import compute_dependencies
from scenebook.cache import store
from scenebook.core.problems import Problem, Problems
from scenebook.page import texts
from scenebook.run.workers import Job
from scenebook.storyboard.model import Page, Scene

if TYPE_CHECKING:
    from scenebook.figure.drawing import Drawing
    from scenebook.prose.prose import Scope
    from scenebook.run.scene import Computed

NamedScene: TypeAlias = tuple[str, Page, Scene]
"""A scene that computes, after its full name (`slug/id`) and its page."""


def scenes(pages: Iterable[Page]) -> Iterator[NamedScene]:
    """Yield every scene that computes."""
    for page in pages:
        for scene in page.scenes:
            if scene.compute:
                yield f"{page.slug}/{scene.id}", page, scene


def compute(
    named: Iterable[NamedScene], context: BuildContext
) -> tuple[dict[str, SceneResult["Computed"]], list[Problem]]:
    """The values of scenes, by full name, and the problems of those that failed."""
    by_name = {name: scene for name, _, scene in named}
    found = {name: result for name, scene in by_name.items() if (result := _find_table(name, scene, context))}
    waiting = {name: scene for name, scene in by_name.items() if name not in found}
    planned = {name: _compute_job(name, scene) for name, scene in waiting.items()}
    points = {
        name: setting_runs.point_jobs(name, scene)
        for name, scene in waiting.items()
        if scene.controls and not scene.repeat
    }
    results, problems = run("compute", _merged([planned, *points.values()]), context)
    first = {name: results[name] for name in waiting if name in results}
    repeated, more_problems = _compute_repeats(waiting, first, context)
    at_points = {name: {key: results[key] for key in keys if key in results} for name, keys in points.items()}
    complete = {name: each for name, each in at_points.items() if len(each) == len(points[name])} | repeated
    together, last_problems = _together(waiting, first, complete, context)
    return found | together, [*problems, *more_problems, *last_problems]


def _merged(several: Iterable[Mapping[str, PlannedJob]]) -> dict[str, PlannedJob]:
    return {name: job for jobs in several for name, job in jobs.items()}


Runs: TypeAlias = dict[str, SceneResult["Computed"]]
"""The results of the runs of a scene, in order."""


def _compute_repeats(
    waiting: Mapping[str, Scene], first: Mapping[str, SceneResult["Computed"]], context: BuildContext
) -> tuple[dict[str, Runs], list[Problem]]:
    """The runs of the scenes that repeat their run and whose first run succeeded, by full name, if none failed."""
    problems: list[Problem] = []
    planned: dict[str, dict[str, PlannedJob]] = {}
    known: Runs = {}
    for name, scene in waiting.items():
        if scene.repeat and name in first:
            try:
                seeds = setting_runs.seeds_of(name, scene, first[name].load())
            except Problems as error:
                problems += error.problems
                continue
            planned[name] = setting_runs.point_jobs(name, scene, seeds)
            if not scene.controls:
                known[next(iter(planned[name]))] = first[name]
    missing = {key: job for key, job in _merged(planned.values()).items() if key not in known}
    results, more_problems = run("compute", missing, context)
    results |= known
    complete = {name: jobs for name, jobs in planned.items() if all(key in results for key in jobs)}
    return {name: {key: results[key] for key in jobs} for name, jobs in complete.items()}, [*problems, *more_problems]


def _together(
    waiting: Mapping[str, Scene],
    first: Mapping[str, SceneResult["Computed"]],
    complete: Mapping[str, Runs],
    context: BuildContext,
) -> tuple[dict[str, SceneResult["Computed"]], list[Problem]]:
    """The values of scenes, each with all of its runs."""
    found: dict[str, SceneResult[Computed]] = {}
    problems: list[Problem] = []
    for name, own in first.items():
        try:
            if name in complete:
                found[name] = setting_runs.together(name, waiting[name], own, complete[name], context.cache)
            elif not setting_runs.is_run_often(waiting[name]):
                found[name] = own
        except Problems as error:
            problems += error.problems
    return found, problems


def _find_table(name: str, scene: Scene, context: BuildContext) -> "SceneResult[Computed] | None":
    """The values of a scene that runs more than once, if they are in the cache."""
    if not setting_runs.is_run_often(scene) or name == context.always_run:
        return None
    return setting_runs.find(name, scene, context.cache)


def draw(
    named: Iterable[NamedScene],
    computed: Mapping[str, SceneResult["Computed"]],
    scopes: Mapping[str, "Scope"],
    context: BuildContext,
) -> tuple[dict[str, SceneResult["Drawing"]], list[Problem]]:
    """The drawings of the scenes that were computed, by full name, and the problems of those that failed."""
    waiting = {
        name: drawn_scene(name, scene, scopes[page.slug], computed[name].load())
        for name, page, scene in named
        if scene.figure and name in computed
    }
    found = {name: result for name, each in waiting.items() if (result := _find_drawings(each, context))}
    waiting = {name: each for name, each in waiting.items() if name not in found}
    controlled = {name: each for name, each in waiting.items() if each.everywhere}
    shares, problems = run(
        "share", {name: setting_drawings.share_job(each) for name, each in controlled.items()}, context
    )
    shared = {name: result.load() for name, result in shares.items()}
    ready = {name: each for name, each in waiting.items() if name in shared or name not in controlled}
    drawn, more_problems = _draw_all(ready, shared, context)
    return found | drawn, [*problems, *more_problems]


def drawn_scene(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> DrawnScene:
    """A scene whose figure is to be drawn."""
    return DrawnScene(name, scene, texts.drawn(scene, scope), computed)


def _draw_all(
    ready: Mapping[str, DrawnScene], shared: Mapping[str, Any], context: BuildContext
) -> tuple[dict[str, SceneResult["Drawing"]], list[Problem]]:
    """The drawings of scenes, at every setting of those with controls."""
    planned = {name: setting_drawings.own_job(each, shared.get(name)) for name, each in ready.items()}
    others = {name: setting_drawings.setting_jobs(ready[name], shared[name]) for name in ready if name in shared}
    for each in others.values():
        planned |= each
    results, problems = run("draw", planned, context)
    drawn: dict[str, SceneResult[Drawing]] = {}
    for name, scene in ready.items():
        keys = list(others.get(name, ()))
        if name in results and all(key in results for key in keys):
            at_settings = [results[key] for key in keys]
            own = results[name]
            drawn[name] = setting_drawings.together(scene, own, at_settings, context.cache) if keys else own
    return drawn, problems


def _find_drawings(drawn: DrawnScene, context: BuildContext) -> "SceneResult[Drawing] | None":
    """The drawings of a scene with controls, if they are in the cache."""
    if not drawn.everywhere or drawn.name == context.always_run:
        return None
    return setting_drawings.find(drawn, context.cache)


def cached_values(name: str, scene: Scene, cache: store.Cache) -> "SceneResult[Computed] | None":
    """The values of a scene if they are in the cache."""
    if setting_runs.is_run_often(scene):
        return setting_runs.find(name, scene, cache)
    return find_result("compute", name, _compute_job(name, scene), cache)


def _compute_job(name: str, scene: Scene) -> PlannedJob:
    arguments = (name, str(scene.compute), scene.params)
    job = Job(name, jobs.compute, arguments, scene.timeout, requires=jobs.REQUIRES)
    return PlannedJob(scene, job, compute_dependencies(setting_runs.run_once(scene)))
