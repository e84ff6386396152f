"""The runs of a scene at every setting of its controls.

Each run is kept by itself, so that one more point of a control is one more run. All of them together are kept once
more, so that a build that needs nothing new finds them at once.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from scenebook.build import _compute_jobs as jobs
from scenebook.build.planned_jobs import RESULT, PlannedJob, SceneResult, merge_reads, reads_of
from scenebook.cache import versions
from scenebook.cache.store import Cache, CacheEntry
from scenebook.core import digests, settings
from scenebook.core.problems import Problem, Problems
from scenebook.core.settings import Settings
from scenebook.run.everywhere import Everywhere
from scenebook.run.workers import Job
from scenebook.storyboard.control_points import points_of, settings_of

if TYPE_CHECKING:
    from scenebook.run.scene import Computed
    from scenebook.storyboard.model import Scene

STEP, VALUES = "settings", "values"


def compute_dependencies(scene: "Scene") -> dict[str, str]:
    """What the values of a scene depend on besides the files that its code reads."""
    controls = repr([(str(control.param), points_of(control)) for control in scene.controls])
    return {
        "module": str(scene.compute),
        "params": repr(scene.params),
        "inputs": "\n".join(scene.inputs),
        **({"controls": controls} if scene.controls else {}),
        **versions.made_by(*jobs.CODE),
    }


def settings_dependencies(scene: "Scene") -> dict[str, str]:
    """What the values of a scene at all of its settings depend on besides the files that its code reads."""
    return {**compute_dependencies(scene), **versions.made_by(__name__, *jobs.CODE)}


def find(name: str, scene: "Scene", cache: Cache) -> "SceneResult[Computed] | None":
    """The values of a scene at all of its settings, if they are in the cache."""
    entry = cache.find(STEP, name, settings_dependencies(scene))
    return entry and _cached(entry, cache)


def point_jobs(name: str, scene: "Scene") -> dict[str, PlannedJob]:
    """A run of `compute` for every setting of a scene, in the order of its settings."""
    every = Settings({str(control.param): points_of(control) for control in scene.controls})
    return dict(_point_job(name, scene, every[number]) for number in range(len(every)))


def _point_job(name: str, scene: "Scene", setting: "settings.Setting") -> tuple[str, PlannedJob]:
    described = settings.describe(setting)
    at_setting = replace(scene, params={**scene.params, **setting}, controls=())
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
    """The values at all settings, as one result that is kept: `points` are those of each setting, in order.

    `own` is the scene's run without controls: it tells where the scene starts, and has the listings of its code.
    Raises `Problems` if the scene does not start at one of its points.
    """
    listed, each = own.load(), [result.load() for result in points.values()]
    every = _settings(name, scene, listed)
    _stop_on_missing(name, scene, every, each)
    everywhere = Everywhere(every, tuple(one.scalars for one in each), tuple(one.digest for one in each))
    start = replace(each[every.start], listings=listed.listings, everywhere=everywhere)
    reads = merge_reads([own.reads, *(result.reads for result in points.values())])
    values = pickle.dumps([one.pickled for one in each])
    blobs = {RESULT: pickle.dumps(start), VALUES: values}
    if entry := cache.keep(STEP, name, settings_dependencies(scene), reads, None, blobs):
        return _cached(entry, cache)
    complete = replace(start, everywhere=replace(everywhere, pickled=digests.file(values)))
    return SceneResult(lambda: complete, reads, cached=False)


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
    result, values = cache.file(entry, RESULT), cache.file(entry, VALUES)

    def load() -> "Computed":
        start: Computed = pickle.loads(result.read())
        assert start.everywhere is not None
        return replace(start, everywhere=replace(start.everywhere, pickled=values))

    return SceneResult(load, reads_of(entry), cached=True)
