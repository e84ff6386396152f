"""What runs for the scenes of a site: `compute`, at every setting of a scene's controls, then the drawings."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, TypeAlias

from scenebook.build import _jobs as jobs
from scenebook.build import setting_runs
from scenebook.build.planned_jobs import BuildContext, PlannedJob, SceneResult, run
from scenebook.build.planned_jobs import find as find_result
from scenebook.build.setting_runs import compute_dependencies
from scenebook.cache import store, versions
from scenebook.core.problems import Problem, Problems
from scenebook.core.text_fields import all_texts
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
    """Every scene that computes."""
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
    points = {name: setting_runs.point_jobs(name, scene) for name, scene in waiting.items() if scene.controls}
    planned = {name: _compute_job(name, scene) for name, scene in waiting.items()}
    for each in points.values():
        planned |= each
    results, problems = run("compute", planned, context)
    for name, scene in waiting.items():
        keys = (name, *points.get(name, ()))
        if all(key in results for key in keys):
            own, at_settings = results[name], {key: results[key] for key in keys[1:]}
            try:
                found[name] = (
                    setting_runs.together(name, scene, own, at_settings, context.cache) if at_settings else own
                )
            except Problems as error:
                problems += error.problems
    return found, problems


def _find_table(name: str, scene: Scene, context: BuildContext) -> "SceneResult[Computed] | None":
    """The values of a scene with controls, if they are in the cache."""
    if not scene.controls or name == context.always_run:
        return None
    return setting_runs.find(name, scene, context.cache)


def draw(
    named: Iterable[NamedScene],
    computed: Mapping[str, SceneResult["Computed"]],
    scopes: Mapping[str, "Scope"],
    context: BuildContext,
) -> tuple[dict[str, SceneResult["Drawing"]], list[Problem]]:
    """The drawings of the scenes that were computed, by full name, and the problems of those that failed."""
    planned = {
        name: _draw_job(name, scene, scopes[page.slug], computed[name].load())
        for name, page, scene in named
        if scene.figure and name in computed
    }
    return run("draw", planned, context)


def draw_dependencies(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> Mapping[str, str]:
    """What the drawing of a scene depends on besides the files that its code reads."""
    return _draw_job(name, scene, scope, computed).dependencies


def cached_values(name: str, scene: Scene, cache: store.Cache) -> "SceneResult[Computed] | None":
    """The values of a scene if they are in the cache."""
    if scene.controls:
        return setting_runs.find(name, scene, cache)
    return find_result("compute", name, _compute_job(name, scene), cache)


def _compute_job(name: str, scene: Scene) -> PlannedJob:
    arguments = (name, str(scene.compute), scene.params)
    job = Job(name, jobs.compute, arguments, scene.timeout, requires=jobs.COMPUTE_REQUIRES)
    return PlannedJob(scene, job, compute_dependencies(scene))


def _draw_job(name: str, scene: Scene, scope: "Scope", computed: "Computed") -> PlannedJob:
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
    return PlannedJob(scene, job, dependencies, " ".join(f"{text.file}:{text.line}" for text in all_texts(spec)))
