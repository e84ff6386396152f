"""The jobs that run in worker processes, and the workers that run them. Jobs take and return plain data.

`compute` and `draw` are the only functions of the engine that run an author's code. They return mistakes that they find
as `Problems`. If the author's code raises an exception, the worker reports it.
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

COMPUTE_REQUIRES = "scenebook.run.scene"
PANELS_REQUIRE = "scenebook.figure.figure"
OWN_DRAWINGS_REQUIRE = "scenebook.figure.figure:warm"
"""What the pool imports or calls before it starts a `compute`, a figure of panels, or a scene's own `draw`."""
PYGMENTS = ("pygments.lexers.python", "pygments.formatters.html", "scenebook.prose.prose:warm_code")
MATPLOTLIB = ("scenebook.figure._fast_import", "matplotlib.text", "matplotlib.axes", "matplotlib.figure")
PRELOAD = ("numpy.random", *PYGMENTS, COMPUTE_REQUIRES, *MATPLOTLIB, PANELS_REQUIRE)
"""What the pool loads, in this order. The steps are small because jobs can start only between two of them."""


def workers(root: Path, limit: int) -> "Workers":
    """Return workers for the scenes of a root, at most `limit` at once."""
    from scenebook.run.workers import Workers  # here because a worker imports this module, too, and does not need it

    return Workers(root, limit, PRELOAD)


def compute(name: str, module: str, params: Mapping[str, Any]) -> "Computed | Problems":
    """Run `compute` of a module under scenes/ for the scene `name` (`slug/id`)."""
    from scenebook.run import scene

    try:
        computed = scene.run(module, params)
        return replace(computed, listings=highlight(computed.listings))
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])


def highlight(listings: Iterable["Listing"]) -> tuple["Listing", ...]:
    """Return the listings with their code as HTML."""
    from scenebook.prose import prose

    return tuple(listing._replace(code=prose.code(listing.code, "python")) for listing in listings)


def draw(name: str, spec: "Figure", module: str, pickled: bytes) -> "Drawing | Problems":
    """Draw the figure of the scene `name` from its pickled values. The titles in `spec` have their values filled in."""
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
