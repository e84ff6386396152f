"""What runs in processes of its own: plain data in, plain data out.

`compute` and `draw` are the only functions of the engine that run an author's code.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scenebook import figure, scene

if TYPE_CHECKING:
    from scenebook.model import Figure


def compute(module: str, params: Mapping[str, Any]) -> scene.Computed:
    """Run `compute` of a module under scenes/."""
    return scene.run(module, params)


def draw(name: str, spec: "Figure", module: str, computed: scene.Computed) -> figure.Drawing:
    """Draw the figure of the scene `name` (`slug/id`), whose titles have their values put in."""
    function = scene.drawer(module, spec.draw) if spec.draw else None
    return figure.draw(spec, computed.values, name=name, draw=function)
