"""The drawings of a scene at every setting of its controls.

All settings share axes, colours and sizes, so what they share is found first. Each drawing is kept by itself; all of
them together are kept once more, as the first drawing and what differs in the others.
"""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scenebook.build import _draw_jobs as jobs
from scenebook.build.planned_jobs import RESULT, PlannedJob, SceneResult, cached_result, merge_reads
from scenebook.cache import versions
from scenebook.cache.store import Cache
from scenebook.core import digests
from scenebook.core.text_fields import all_texts
from scenebook.figure.run_values import varying
from scenebook.page import drawing_tracks
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats
from scenebook.run.workers import Job

if TYPE_CHECKING:
    from scenebook.figure.drawing import Drawing
    from scenebook.figure.sharing import Shared
    from scenebook.figure.spec import Figure
    from scenebook.run.scene import Computed
    from scenebook.storyboard.model import Scene

STEP = "drawings"


@dataclass(frozen=True)
class DrawnScene:
    """A scene with a figure to draw: its full name, the figure with its labels filled in, and its values."""

    name: str
    scene: "Scene"
    spec: "Figure"
    computed: "Computed"

    @property
    def everywhere(self) -> Everywhere | None:
        """Its values at every setting, if it has controls."""
        return self.computed.everywhere

    @property
    def runs(self) -> Repeats | None:
        """Its values in every run, if the figure shows how they vary."""
        return self.computed.repeats if varying(self.spec) else None

    def digest(self, number: int) -> str:
        """A digest of what is drawn at a setting."""
        if self.runs:
            return " ".join(self.runs.digests[run] for run in self.runs.numbers(number))
        return self.everywhere.digests[number] if self.everywhere else self.computed.digest

    def pickled(self, number: int) -> tuple[bytes, ...]:
        """What is drawn at a setting, pickled: the values of each run, or of the first one alone."""
        if self.runs:
            return self.runs.pickled_values(number)
        return (self.everywhere.pickled_values(number) if self.everywhere else self.computed.pickled,)

    @property
    def dependencies(self) -> dict[str, str]:
        """What its drawing depends on besides the files that its code reads."""
        return {
            "module": str(self.scene.compute) if self.spec.draw else "",
            "inputs": "\n".join(self.scene.inputs),
            "figure": repr(self.spec),
            "values": (self.runs or self.everywhere).digest if self.everywhere else self.digest(0),
            **versions.made_by(*jobs.CODE),
        }

    @property
    def all_dependencies(self) -> dict[str, str]:
        """What its drawings at all settings depend on besides the files that its code reads."""
        return {**self.dependencies, **versions.made_by(__name__, *jobs.CODE)}

    @property
    def positions(self) -> str:
        """The file and line of the texts that a warning may point to."""
        return " ".join(f"{text.file}:{text.line}" for text in all_texts(self.spec))


def find(drawn: DrawnScene, cache: Cache) -> "SceneResult[Drawing] | None":
    """The drawings of a scene at all of its settings, if they are in the cache."""
    entry = cache.find(STEP, drawn.name, drawn.all_dependencies)
    if entry is None or entry.data["positions"] not in ("", drawn.positions):
        return None
    return cached_result(entry, cache)


def own_job(drawn: DrawnScene, shared: "Shared | None" = None) -> PlannedJob:
    """The drawing of a scene as its page shows it."""
    start = drawn.everywhere.settings.start if drawn.everywhere else 0
    dependencies = {**drawn.dependencies, "values": drawn.digest(start), **_sharing(shared)}
    return _job(drawn, shared, drawn.pickled(start), dependencies, complete=True)


def share_job(drawn: DrawnScene) -> PlannedJob:
    """Finds what the drawings of all settings share."""
    every = drawn.everywhere
    assert every is not None
    pickled = [drawn.pickled(number) for number in range(len(every.settings))]
    arguments = (drawn.name, drawn.spec, every.settings, pickled)
    job = Job(drawn.name, jobs.share, arguments, drawn.scene.timeout, fresh=False, requires=jobs.PANELS_REQUIRE)
    return PlannedJob(drawn.scene, job, drawn.dependencies, drawn.positions)


def setting_jobs(drawn: DrawnScene, shared: "Shared | None") -> dict[str, PlannedJob]:
    """The drawing at each setting, in their order."""
    every = drawn.everywhere
    assert every is not None
    found: dict[str, PlannedJob] = {}
    for number in range(len(every.settings)):
        described = every.settings.describe(number)
        dependencies = {**drawn.dependencies, "values": drawn.digest(number), **_sharing(shared)}
        job = _job(drawn, shared, drawn.pickled(number), dependencies, complete=False)
        prepare = jobs.prepare_draw if drawn.spec.draw else None
        key = f"{drawn.name}@{digests.digest(described.encode())}"
        found[key] = replace(job, setting=described, prepare=prepare)
    return found


def _sharing(shared: "Shared | None") -> dict[str, str]:
    return {"shared": digests.digest(repr(shared).encode())} if shared else {}


def _job(
    drawn: DrawnScene,
    shared: "Shared | None",
    pickled: tuple[bytes, ...],
    dependencies: Mapping[str, str],
    *,
    complete: bool,
) -> PlannedJob:
    runs_scene_code = drawn.spec.draw is not None
    arguments = (drawn.name, drawn.spec, str(drawn.scene.compute), shared, complete, pickled)
    requires = jobs.OWN_DRAWINGS_REQUIRE if runs_scene_code else jobs.PANELS_REQUIRE
    job = Job(drawn.name, jobs.draw, arguments, drawn.scene.timeout, fresh=runs_scene_code, requires=requires)
    return PlannedJob(drawn.scene, job, dependencies, drawn.positions)


def together(
    drawn: DrawnScene,
    own: "SceneResult[Drawing]",
    at_settings: "Sequence[SceneResult[Drawing]]",
    cache: Cache,
) -> "SceneResult[Drawing]":
    """The drawings at all settings as one result that is kept: `own` is complete, the others are in order."""
    every, figure = drawn.everywhere, drawn.scene.figure
    assert every is not None and figure is not None
    drawings: list[Any] = [result.load() for result in at_settings]
    drawings[every.settings.start] = own.load()
    where = f"scenes.{drawn.scene.id}.figure"
    result = drawing_tracks.together(drawings, every.settings.start, figure.caption, where)
    reads = merge_reads([own.reads, *(each.reads for each in at_settings)])
    data = {"positions": drawn.positions if result.warnings else ""}
    if entry := cache.keep(STEP, drawn.name, drawn.all_dependencies, reads, data, {RESULT: pickle.dumps(result)}):
        return cached_result(entry, cache)
    return SceneResult(lambda: result, reads, cached=False)
