"""Charts outside a figure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

LayoutT_co = TypeVar("LayoutT_co", covariant=True)


class _Chart(Protocol[LayoutT_co]):
    def frame(self, charts: Sequence[Any], width: float, height: float | None) -> Any: ...

    def layout(self, frame: Any) -> LayoutT_co: ...


def alone(chart: _Chart[LayoutT_co], width: float, height: float | None = None) -> LayoutT_co:
    """Lay out a chart in a frame of its own."""
    return chart.layout(chart.frame([chart], width, height))
