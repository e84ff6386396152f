"""Charts outside a figure, and figures at every setting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from scenebook.figure import figure
from scenebook.figure.drawing import Drawing
from scenebook.figure.sharing import shared
from scenebook.figure.spec import Figure

if TYPE_CHECKING:
    from scenebook.core.values import Values

LayoutT_co = TypeVar("LayoutT_co", covariant=True)


class _Chart(Protocol[LayoutT_co]):
    def frame(self, charts: Sequence[Any], width: float, height: float | None) -> Any: ...

    def layout(self, frame: Any) -> LayoutT_co: ...


def alone(chart: _Chart[LayoutT_co], width: float, height: float | None = None) -> LayoutT_co:
    """Lay out a chart in a frame of its own."""
    return chart.layout(chart.frame([chart], width, height))


def drawn_at_all(spec: Figure, every: Sequence[Values], name: str) -> list[Drawing]:
    """Draw a figure at every setting, with what they share."""
    common = shared(spec, every, name)
    return [figure.draw(spec, values, name=name, shared=common) for values in every]
