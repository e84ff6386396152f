"""What worker processes do to draw figures. These functions take and return plain data.

`draw` may run an author's code. It returns mistakes that it finds as `Problems`. If the code raises an exception, the
worker reports it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scenebook.core.problems import Problem, Problems

if TYPE_CHECKING:
    from scenebook.core.settings import Settings
    from scenebook.core.values import Values
    from scenebook.figure.drawing import Drawing
    from scenebook.figure.sharing import Shared
    from scenebook.figure.spec import Figure

PANELS_REQUIRE = "scenebook.figure.figure"
OWN_DRAWINGS_REQUIRE = "scenebook.figure.figure:warm_own"
"""What the pool imports or calls before it starts a figure of panels, or a scene's own `draw`."""
MATPLOTLIB = ("scenebook.figure._fast_import", "matplotlib.text", "matplotlib.axes", "matplotlib.figure")
"""What the pool loads before that, in this order."""
CODE = (__name__, "scenebook.build.planned_jobs")
"""The modules that draw, with those that they import."""


def share(
    name: str, spec: "Figure", settings: "Settings", pickled: Sequence[Sequence[bytes]]
) -> "Shared | Problems | None":
    """Find what the figure of the scene `name` shares at all settings, given its pickled values in each run at each."""
    from scenebook.figure import sharing

    try:
        return sharing.shared(spec, [_values(spec, each) for each in pickled], name)
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
    name: str, spec: "Figure", module: str, shared: "Shared | None", complete: bool, pickled: Sequence[bytes]
) -> "Drawing | Problems":
    """Draw the figure of the scene `name` from its pickled values in each run.

    The titles in `spec` have their values filled in. `shared` is what it shares with the same figure at other settings.
    Only a `complete` drawing has a PNG.
    """
    from scenebook.figure import figure
    from scenebook.run import scene

    try:
        function = scene.drawer(module, spec.draw) if spec.draw else None
        return figure.draw(spec, _values(spec, pickled), name=name, draw=function, shared=shared, png=complete)
    except scene.SceneError as error:
        return Problems([Problem(f"scenes/{module}", error.line, name, str(error))])
    except Problems as error:
        return error


def _values(spec: "Figure", pickled: Sequence[bytes]) -> "Values":
    """The values to draw: those of the first run, and how they vary over all of them."""
    import pickle

    from scenebook.figure.run_values import varying, with_spread

    return with_spread([pickle.loads(each) for each in pickled], varying(spec) if len(pickled) > 1 else set())
