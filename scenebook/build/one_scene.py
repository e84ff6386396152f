"""Runs one scene by itself, and explains why a scene would run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from scenebook.build import assemble, scene_runs, setting_drawings, setting_runs
from scenebook.build.options import BuildOptions
from scenebook.build.planned_jobs import BuildContext, LazyResults, reads_of
from scenebook.build.result import OnFinished
from scenebook.build.scene_runs import NamedScene, drawn_scene
from scenebook.cache import packages, store
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.settings import place_of, read_pins
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.page import texts
from scenebook.page.material import Material, of_page, text_scopes
from scenebook.run.scene import Computed
from scenebook.run.workers import Workers
from scenebook.storyboard import loader
from scenebook.storyboard.control_points import points_of
from scenebook.storyboard.model import Storyboard

FORECAST = {
    "compute": "will run",
    setting_runs.STEP: "will run",
    "draw": "will be drawn",
    setting_drawings.STEP: "will be drawn",
}
NOT_CACHED = (
    "the cache has no result for it; it is new, or it reads in a way that cannot be observed and lists no `inputs:`"
)


class SceneRun(NamedTuple):
    """A scene that was run by itself: its full name, its values, its figure's files by path, and warnings about it.

    `setting` has the value of each control.
    """

    name: str
    setting: Mapping[str, Any]
    computed: Computed
    files: Mapping[str, bytes]
    warnings: tuple[Problem, ...]

    def as_json(self) -> str:
        """Return the values and parameters as strict JSON in ASCII, in the form that they have in facts.json."""
        found = {"scene": self.name, "setting": self.setting, "params": self.computed.params}
        return json.dumps({**found, "values": self.computed.facts}, allow_nan=False, indent=1) + "\n"


def run(
    options: BuildOptions, name: str, workers: Workers, on_finished: OnFinished, setting: Sequence[str] = ()
) -> SceneRun:
    """Compute and draw one scene, named `slug/id`, or `id` if that is unique.

    `setting` moves controls of the scene: `d_k=4`. The scene always runs, so that its output can be seen. The values of
    other scenes that it needs may be cached. Raises `Problems` with everything that is wrong.
    """
    context = BuildContext(options.root, workers, options.open_cache(), on_finished)
    return store.retry_if_lost(lambda: _run(options, name, setting, context))


def _run(options: BuildOptions, name: str, setting: Sequence[str], context: BuildContext) -> SceneRun:
    book = loader.load(options.root, options.url, context.cache).book
    found = _moved(find(book, name), setting)
    full_name, page, scene = found
    context = replace(context, always_run=full_name)
    needed = [found if each[0] == full_name else each for each in _needed_scenes(book, found)]
    computed, compute_problems = scene_runs.compute(needed, context)
    stop_on(compute_problems, strict=True)
    values = LazyResults(computed)
    scopes = text_scopes([page], book.site, values, set(computed))
    drawn, draw_problems = scene_runs.draw([found], computed, scopes, context)
    stop_on(draw_problems, strict=False)
    own, drawings = values[full_name], LazyResults(drawn)
    material = Material(page, scopes[page.slug], of_page(page, {full_name: own}), of_page(page, drawings))
    warnings = tuple(sorted({warning for drawing in drawings.values() for warning in drawing.warnings}))
    chosen = {str(control.param): own.params[control.param] for control in scene.controls}
    return SceneRun(full_name, chosen, own, assemble.figure_files(material), warnings)


def _moved(found: NamedScene, setting: Sequence[str]) -> NamedScene:
    """Return a scene that starts where its controls are moved to. Raises `Problems` if they cannot be."""
    name, page, scene = found
    controls = {str(control.param): points_of(control) for control in scene.controls}
    pairs = [(param, value) for param, _, value in (each.partition("=") for each in setting)]
    pins = read_pins(pairs, controls)
    for param, value in pins.items():
        try:
            if param not in controls:
                hint = did_you_mean_or_list(param, controls) if controls else "; the scene has no controls"
                raise LookupError(f"'{param}' is not a control{hint}")
            place_of(value, controls[param], param)
        except LookupError as error:
            raise Problems([Problem("", 0, name, str(error))]) from None
    return name, page, replace(scene, params={**scene.params, **pins})


def _needed_scenes(book: Storyboard, found: NamedScene) -> list[NamedScene]:
    """Return the scenes whose values the figure shows: the scene itself, and those that the figure's titles mention."""
    full_name, page, scene = found
    named = texts.scenes_in_labels(scene.figure)
    mentioned = {name if "/" in name else f"{page.slug}/{name}" for name in named}
    return [each for each in scene_runs.scenes(book.pages) if each[0] in {full_name, *mentioned}]


def find(book: Storyboard, name: str) -> NamedScene:
    """Return the scene with this name. Raises `Problems` unless there is exactly one."""
    scenes = {scene[0]: scene for scene in scene_runs.scenes(book.pages)}
    matches = [full_name for full_name in scenes if name in (full_name, full_name.rpartition("/")[2])]
    if len(matches) == 1:
        return scenes[matches[0]]
    if matches:
        message = f"is the name of several scenes; use one of these names instead: {', '.join(matches)}"
    else:
        known = dict.fromkeys([*scenes, *(full_name.rpartition("/")[2] for full_name in scenes)])
        message = f"is not the name of a scene that computes values{did_you_mean_or_list(name, known)}"
    raise Problems([Problem("", 0, name, message)])


def why(options: BuildOptions, name: str) -> list[str]:
    """Return why a scene will run, or, if it is up to date, why it last ran and what it depends on."""
    book = loader.load(options.root, options.url).book
    found, cache = find(book, name), options.open_cache()
    full_name, entries = found[0], list[store.CacheEntry]()
    for step, dependencies in _steps(book, found, cache):
        if entry := cache.find(step, full_name, dependencies):  # not always the newest result in the cache
            entries.append(entry)
        else:
            changes = cache.why(step, full_name, dependencies)
            reasons = [NOT_CACHED if change == store.NEW else change for change in changes]
            return [f"{full_name} {FORECAST[step]}: {reason}" for reason in reasons]
    because = (entries[0].data or {}).get("because") or "the cache had no result"
    inputs = sorted({path for entry in entries for path in _inputs(reads_of(entry))})
    return [
        f"{full_name} is up to date. It last ran because {because}.",
        "It will run again if its parameters, Scenebook, Python, a package that it uses or one of these change:",
        *inputs,
    ]


def _steps(book: Storyboard, found: NamedScene, cache: store.Cache) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the steps of a scene and their dependencies, without the drawing if it needs values that are not cached."""
    full_name, page, scene = found
    yield (
        (setting_runs.STEP, setting_runs.settings_dependencies(scene))
        if setting_runs.is_run_often(scene)
        else ("compute", setting_runs.compute_dependencies(scene))
    )
    results = {name: scene_runs.cached_values(name, each, cache) for name, _, each in _needed_scenes(book, found)}
    computed = {name: result for name, result in results.items() if result}
    if scene.figure and len(computed) == len(results):
        scopes = text_scopes([page], book.site, LazyResults(computed), set(computed))
        drawn = drawn_scene(full_name, scene, scopes[page.slug], computed[full_name].load())
        yield (setting_drawings.STEP, drawn.all_dependencies) if scene.controls else ("draw", drawn.dependencies)


def _inputs(reads: Reads) -> Iterator[str]:
    """Yield the inputs of a scene, as `why` lists them."""
    yield from reads.paths
    yield from (f"{folder}/ (the list of its files)" for folder in reads.folders)
    yield from (f"{path}.py (an import looks for it)" for path in reads.modules if f"{path}.py" not in reads.paths)
    yield from (f"{name} (an import looks for it)" for name in reads.imports if not packages.candidates(name))
    yield from (name if name == packages.ALL else f"{name} {packages.version(name)}" for name in reads.packages)
