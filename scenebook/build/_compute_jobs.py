"""What worker processes do to compute scenes. These functions take and return plain data.

They run an author's code, and return mistakes that they find as `Problems`. If the code raises an exception, the worker
reports it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scenebook.core.problems import Problem, Problems

if TYPE_CHECKING:
    from scenebook.run.scene import Computed
    from scenebook.run.scene_code import Listing

REQUIRES = "scenebook.run.scene"
"""What the pool imports before it starts a `compute`."""
CODE = (__name__, "scenebook.build.planned_jobs")
"""The modules that make the values of a scene, with those that they import."""


def compute(name: str, module: str, params: Mapping[str, Any]) -> "Computed | Problems":
    """Run `compute` of a module under scenes/ for the scene `name` (`slug/id`)."""
    from scenebook.run import scene

    try:
        computed = scene.run(module, params)
        return replace(computed, listings=highlight(computed.listings))
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])


def compute_values(name: str, module: str, params: Mapping[str, Any]) -> "Computed | Problems":
    """Run `compute` like the function above, for the values alone: no listings of the scene's code."""
    from scenebook.run import scene

    try:
        return scene.run(module, params, listed=False)
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])


def prepare_compute(name: str, module: str) -> None:
    """Import a module under scenes/, before it is run at several settings."""
    from scenebook.run import scene

    scene.load(module)


def highlight(listings: Iterable["Listing"]) -> tuple["Listing", ...]:
    """Return the listings with their code as HTML."""
    from scenebook.prose.code import code

    return tuple(listing._replace(code=code(listing.code, "python")) for listing in listings)
