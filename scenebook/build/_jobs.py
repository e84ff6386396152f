"""The workers that run the jobs of a build, and what they load before the first job."""

from pathlib import Path
from typing import TYPE_CHECKING

from scenebook.build import _compute_jobs as compute_jobs
from scenebook.build import _draw_jobs as draw_jobs

if TYPE_CHECKING:
    from scenebook.run.workers import Workers

PYGMENTS = ("pygments.lexers.python", "pygments.formatters.html", "scenebook.prose.code:warm_code")
PRELOAD = ("numpy.random", *PYGMENTS, compute_jobs.REQUIRES, *draw_jobs.MATPLOTLIB, draw_jobs.PANELS_REQUIRE)
"""What the pool loads, in this order. The steps are small because jobs can start only between two of them."""


def workers(root: Path, limit: int) -> "Workers":
    """Return workers for the scenes of a root, at most `limit` at once."""
    from scenebook.run.workers import Workers

    return Workers(root, limit, PRELOAD)
