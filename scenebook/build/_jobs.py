"""What runs in processes of its own, and those processes: plain data in, plain data out.

`compute` and `draw` are the only functions of the engine that run an author's code. What an author did wrong comes
back as problems, since that is data too; what the author's code raises is told by the process it ran in.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core.problems import Problem, Problems

if TYPE_CHECKING:
    from scenebook.figure.drawing import Drawing
    from scenebook.figure.spec import Figure
    from scenebook.run.scene import Computed
    from scenebook.run.scene_code import Listing
    from scenebook.run.workers import Workers

COMPUTES, PANELS, DRAWS = "scenebook.run.scene", "scenebook.figure.figure", "scenebook.figure.figure:warm"
PYGMENTS = ("pygments.lexers.python", "pygments.formatters.html", "scenebook.prose.prose:warm_code")
MATPLOTLIB = ("scenebook.figure._fast_import", "matplotlib.text", "matplotlib.axes", "matplotlib.figure")
STEPS = ("numpy.random", *PYGMENTS, COMPUTES, *MATPLOTLIB, PANELS)
"""What the pool makes ready, in this order. Between two steps jobs can start, so these are small."""


def workers(root: Path, limit: int) -> "Workers":
    """Processes that are ready for these jobs, or will be, as many at once as `limit`."""
    from scenebook.run.workers import Workers  # not in every one of those processes

    return Workers(root, limit, STEPS)


def compute(name: str, module: str, params: Mapping[str, Any]) -> "Computed | Problems":
    """Run `compute` of a module under scenes/, for the scene `name` (`slug/id`)."""
    from scenebook.run import scene

    try:
        computed = scene.run(module, params)
        return replace(computed, listings=highlighted(computed.listings))
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])


def highlighted(listings: Iterable["Listing"]) -> tuple["Listing", ...]:
    """Listings as HTML."""
    from scenebook.prose import prose

    return tuple(each._replace(code=prose.code(each.code, "python")) for each in listings)


def draw(name: str, spec: "Figure", module: str, pickled: bytes) -> "Drawing | Problems":
    """Draw the figure of the scene `name`, whose titles have their values put in, from its pickled values."""
    import pickle

    from scenebook.figure import figure
    from scenebook.run import scene

    try:
        function = scene.drawer(module, spec.draw) if spec.draw else None
        return figure.draw(spec, pickle.loads(pickled), name=name, draw=function)
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])
    except Problems as error:
        return error
