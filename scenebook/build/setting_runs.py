"""The runs of a scene at every setting of its controls, and with every seed if it repeats its run.

Each run is kept by itself, so that one more point of a control, or one more seed, is one more run. All of them together
are kept once more, so that a build that needs nothing new finds them at once.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scenebook.build import _compute_jobs as jobs
from scenebook.build.planned_jobs import RESULT, PlannedJob, SceneResult, merge_reads, reads_of
from scenebook.cache import versions
from scenebook.cache.store import Cache, CacheEntry
from scenebook.core import digests, settings
from scenebook.core.problems import Problem, Problems
from scenebook.core.settings import Settings
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats, with_runs
from scenebook.run.workers import Job
from scenebook.storyboard.control_points import points_of, settings_of
from scenebook.storyboard.repeated_seeds import repeat_of

if TYPE_CHECKING:
    from scenebook.run.scene import Computed
    from scenebook.storyboard.model import Scene

STEP, VALUES, RUNS = "settings", "values", "runs"


def compute_dependencies(scene: "Scene") -> dict[str, str]:
    """What the values of a scene depend on besides the files that its code reads."""
    controls = repr([(str(control.param), points_of(control)) for control in scene.controls])
    return {
        "module": str(scene.compute),
        "params": repr(scene.params),
        "inputs": "\n".join(scene.inputs),
        **({"controls": controls} if scene.controls else {}),
        **({"repeat": f"{dict(scene.repeat)}, digits {scene.digits}"} if scene.repeat else {}),
        **versions.made_by(*jobs.CODE),
    }


def settings_dependencies(scene: "Scene") -> dict[str, str]:
    """What the values of a scene at all of its settings depend on besides the files that its code reads."""
    return {**compute_dependencies(scene), **versions.made_by(__name__, *jobs.CODE)}


def find(name: str, scene: "Scene", cache: Cache) -> "SceneResult[Computed] | None":
    """The values of a scene at all of its settings, if they are in the cache."""
    entry = cache.find(STEP, name, settings_dependencies(scene))
    return entry and _cached(entry, cache)


def is_run_often(scene: "Scene") -> bool:
    """Whether a scene runs more than once."""
    return bool(scene.controls or scene.repeat)


def run_once(scene: "Scene") -> "Scene":
    """The scene without its repeats, whose number does not change the first run."""
    return replace(scene, repeat={}, digits="earned") if scene.repeat else scene


def seeds_of(name: str, scene: "Scene", own: "Computed") -> tuple[int, ...]:
    """The values of the parameter that differs between the repeats of a scene; none if it does not repeat its run.

    `own` is the first run. Raises `Problems` if the scene cannot be repeated from there.
    """
    repeat = repeat_of(scene)
    if repeat is None:
        return ()
    if repeat.param not in own.params:
        message = f"compute has no default for '{repeat.param}', so the start is unknown; give it under `params`"
    else:
        message = repeat.misfit(own.params[repeat.param])
    if message:
        raise Problems([Problem(scene.id.file, scene.id.line, f"scenes.{scene.id}.repeat.{repeat.param}", message)])
    return repeat.seeds(own.params[repeat.param])


def point_jobs(name: str, scene: "Scene", seeds: tuple[int, ...] = ()) -> dict[str, PlannedJob]:
    """A run of `compute` for every setting of a scene, and with each of the seeds, in order."""
    every = _runs(scene, Settings({str(control.param): points_of(control) for control in scene.controls}), seeds)
    return dict(_point_job(name, scene, every[number]) for number in range(len(every)))


def _runs(scene: "Scene", controls: Settings, seeds: tuple[int, ...]) -> Settings:
    return with_runs(controls, next(iter(scene.repeat)), seeds) if seeds else controls


def _point_job(name: str, scene: "Scene", setting: "settings.Setting") -> tuple[str, PlannedJob]:
    described = settings.describe(setting)
    at_setting = replace(run_once(scene), params={**scene.params, **setting}, controls=())
    arguments = (name, str(scene.compute), at_setting.params)
    job = Job(name, jobs.compute_values, arguments, scene.timeout, requires=jobs.REQUIRES)
    planned = PlannedJob(scene, job, compute_dependencies(at_setting), setting=described, prepare=jobs.prepare_compute)
    return f"{name}@{digests.digest(described.encode())}", planned


def together(
    name: str,
    scene: "Scene",
    own: "SceneResult[Computed]",
    points: "Mapping[str, SceneResult[Computed]]",
    cache: Cache,
) -> "SceneResult[Computed]":
    """The values of all runs, as one result that is kept: `points` are those of each run, in order.

    `own` is the scene's run without controls: it tells where the scene starts, and has the listings of its code.
    Raises `Problems` if the scene does not start at one of its points.
    """
    listed, each = own.load(), [result.load() for result in points.values()]
    controls, seeds = _settings(name, scene, listed), seeds_of(name, scene, listed)
    every = _runs(scene, controls, seeds)
    _stop_on_missing(name, scene, every, each)
    first = each[:: len(seeds) or 1]
    everywhere = Everywhere(controls, _scalars(first), _digests(first)) if scene.controls else None
    repeats = _repeats(scene, controls, seeds, each) if seeds else None
    start = replace(each[every.start], listings=listed.listings, everywhere=everywhere, repeats=repeats)
    reads = merge_reads([own.reads, *(result.reads for result in points.values())])
    values = {VALUES: first if everywhere else (), RUNS: each if repeats else ()}
    kept = {part: pickle.dumps([run.pickled for run in runs]) for part, runs in values.items() if runs}
    blobs = {RESULT: pickle.dumps(start), **kept}
    if entry := cache.keep(STEP, name, settings_dependencies(scene), reads, None, blobs):
        return _cached(entry, cache)
    complete = _complete(start, {part: digests.file(data) for part, data in kept.items()})
    return SceneResult(lambda: complete, reads, cached=False)


def _repeats(scene: "Scene", controls: Settings, seeds: tuple[int, ...], each: "Sequence[Computed]") -> Repeats:
    as_written = scene.digits == "as written"
    return Repeats(next(iter(scene.repeat)), seeds, controls, _scalars(each), _digests(each), as_written)


def _scalars(each: "Sequence[Computed]") -> tuple[dict[str, Any], ...]:
    return tuple(one.scalars for one in each)


def _digests(each: "Sequence[Computed]") -> tuple[str, ...]:
    return tuple(one.digest for one in each)


def _settings(name: str, scene: "Scene", own: "Computed") -> Settings:
    """The settings of a scene, with the start that its parameters give."""
    try:
        return settings_of(scene, own.scalars)
    except LookupError as error:
        place = scene.controls[0].param
        raise Problems([Problem(place.file, place.line, f"scenes.{scene.id}.controls", str(error))]) from None


def _stop_on_missing(name: str, scene: "Scene", every: Settings, each: "Sequence[Computed]") -> None:
    """Raise `Problems` if a setting lacks a value that others have, or has an array where they have a single value."""
    kinds = {"a single value": [set(one.scalars) for one in each], "an array": [set(one.arrays) for one in each]}
    for kind, values in kinds.items():
        for value in sorted(set.union(*values)):
            lacking = [number for number, names in enumerate(values) if value not in names]
            if lacking:
                where = every.describe(lacking[0])
                message = (
                    f"returns '{value}' as {kind} at some settings, but not at {where}; return the same everywhere"
                )
                raise Problems([Problem(f"scenes/{scene.compute}", 0, name, message)])


def _cached(entry: CacheEntry, cache: Cache) -> "SceneResult[Computed]":
    files = {name: cache.file(entry, name) for name in entry.blobs}

    def load() -> "Computed":
        start: Computed = pickle.loads(files[RESULT].read())
        return _complete(start, files)

    return SceneResult(load, reads_of(entry), cached=True)


def _complete(start: "Computed", files: Mapping[str, digests.File]) -> "Computed":
    """The values of a scene with the files that hold those of all its runs."""
    everywhere = start.everywhere and replace(start.everywhere, pickled=files[VALUES])
    repeats = start.repeats and replace(start.repeats, pickled=files[RUNS])
    return replace(start, everywhere=everywhere, repeats=repeats)
