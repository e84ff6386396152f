"""What a build reports: each job when it has finished, and the result of the whole build."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from scenebook.core.problems import Problem


class FinishedJob(NamedTuple):
    """A job that ran: a step ("compute" or "draw") of a scene (`slug/id`).

    `because` lists the changes that made the job run. `batch` is the number of jobs that were started together.
    `settings` is the number of settings of the scene's controls that the job was for.
    """

    scene: str
    step: str
    seconds: float
    output: str
    failed: bool
    because: str
    batch: int
    settings: int = 1


OnFinished: TypeAlias = Callable[[FinishedJob], None]
"""A function that is called with each finished job."""


class BuildResult(NamedTuple):
    """A build that succeeded.

    `changed` are the paths in the site whose content changed, `scenes` is the number of scenes in the site, and `jobs`
    are the jobs that ran. If the site was already `up_to_date`, the build did nothing.
    """

    changed: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()
    scenes: int = 0
    jobs: tuple[FinishedJob, ...] = ()
    up_to_date: bool = False
