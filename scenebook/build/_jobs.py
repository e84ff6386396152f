"""The jobs that run in worker processes, and the workers that run them. Jobs take and return plain data.

`compute` and `draw` are the only functions of the engine that run an author's code. They return mistakes that they find
as `Problems`. If the author's code raises an exception, the worker reports it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core.problems import Problem, Problems

if TYPE_CHECKING:
    from scenebook.core.settings import Settings
    from scenebook.figure.drawing import Drawing
    from scenebook.figure.sharing import Shared
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
    from scenebook.prose import prose

    return tuple(listing._replace(code=prose.code(listing.code, "python")) for listing in listings)


def share(name: str, spec: "Figure", settings: "Settings", pickled: Sequence[bytes]) -> "Shared | Problems | None":
    """Find what the figure of the scene `name` shares at all settings, given its pickled values at each."""
    import pickle

    from scenebook.figure import sharing

    try:
        return sharing.shared(spec, [pickle.loads(each) for each in pickled], name)
    except sharing.SettingProblems as error:
        return Problems(_at_settings(problem, error.settings.get(problem, ()), settings) for problem in error.problems)


def _at_settings(problem: Problem, numbers: Sequence[int], settings: "Settings") -> Problem:
    """A problem with the first setting that has it, unless all have."""
    if len(numbers) in (0, len(settings)):
        return problem
    more = f" and at {len(numbers) - 1} other settings" if len(numbers) > 1 else ""
    return problem._replace(message=f"at {settings.describe(numbers[0])}{more}: {problem.message}")


def prepare_draw(name: str, spec: "Figure", module: str, *_: object) -> None:
    """Import a module under scenes/, before it draws at several settings."""
    from scenebook.run import scene

    scene.load(module)


def draw(
    name: str, spec: "Figure", module: str, shared: "Shared | None", complete: bool, pickled: bytes
) -> "Drawing | Problems":
    """Draw the figure of the scene `name` from its pickled values. The titles in `spec` have their values filled in.

    `shared` is what it shares with the same figure at other settings. Only a `complete` drawing has a PNG.
    """
    import pickle

    from scenebook.figure import figure
    from scenebook.run import scene

    try:
        function = scene.drawer(module, spec.draw) if spec.draw else None
        return figure.draw(spec, pickle.loads(pickled), name=name, draw=function, shared=shared, png=complete)
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])
    except Problems as error:
        return error
