"""A plot with two numeric axes, for panels of lines and of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Self, TypeVar

from scenebook.core.lazy import lazy
from scenebook.figure import _layout as layouts
from scenebook.figure import _ticks as ticks
from scenebook.figure._kind import Chart
from scenebook.figure._labels import widest
from scenebook.figure._layout import LEAST_PLOT, AxisLayout, Box, Label, Layout
from scenebook.figure._rounding_noise import extent
from scenebook.figure._sizes import GAP, LINE
from scenebook.figure._value_reader import LEAST, bad_counts

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure._canvas import Canvas
    from scenebook.figure._rounding_noise import Array
else:
    np = lazy("numpy")

AnyChart = TypeVar("AnyChart", bound=Chart)


@dataclass(frozen=True)
class PlotData:
    """The positions along each axis for which a plot has space, and whether the axis has a log scale."""

    xs: tuple[Array, ...]
    ys: tuple[Array, ...]
    log_x: bool
    log_y: bool


@dataclass(frozen=True)
class PlotFrame:
    """The axes of a plot; `grid` gives the places of horizontal lines, and `ticks` those on the horizontal axis.

    `drawn` tells of each line or group whether there is something of it to draw; `greatest` is the greatest size.
    """

    width: float
    height: float
    box: Box
    labels: tuple[Label, ...]
    x: AxisLayout
    y: AxisLayout
    grid: tuple[float, ...]
    ticks: tuple[float, ...]
    drawn: tuple[bool, ...] = field(default=(), kw_only=True)
    greatest: float = field(default=1.0, kw_only=True)

    @classmethod
    def of(
        cls,
        data: PlotData,
        width: float,
        height: float,
        *,
        widen: Callable[[AxisLayout], AxisLayout] = lambda axis: axis,
    ) -> Self:
        """A plot above its axis, with numbers beside it and below. `widen` may extend the horizontal axis."""
        bottom = max(LEAST_PLOT, height) - LINE - GAP - 2
        y, levels = _vertical_axis(data.ys, data.log_y, bottom, LINE / 2 + 1)
        left = widest(levels.texts) + GAP
        axis = widen(_horizontal_axis(data.xs, data.log_x, left, width))
        x, marks = layouts.fitted(axis, all(each.dtype.kind != "f" for each in data.xs))
        box = Box(left, y.end, x.end - left, bottom - y.end)
        labels = (*layouts.numbers_beside(y, levels, left), *layouts.numbers_below(x, marks, box))
        grid, places = tuple(y.place(np.array(levels.values))), tuple(x.place(np.array(marks.values)))
        return cls(width, bottom + GAP + LINE + 2, box, labels, x, y, grid, places)


@dataclass(frozen=True)
class PlotLayout(Layout, Generic[AnyChart]):
    """Data on two axes."""

    chart: AnyChart
    frame: PlotFrame

    @classmethod
    def of(cls, chart: AnyChart, ys: tuple[Array, ...], frame: PlotFrame) -> Self:
        """The chart in its frame; where none of its values `ys` is finite, a note says so."""
        note = () if extent(*ys) else (_nothing_to_show(chart.missing(), frame.box),)
        return cls(frame.width, frame.height, frame.box, (*frame.labels, *note), chart, frame)

    @property
    def x(self) -> AxisLayout:
        """The horizontal axis."""
        return self.frame.x

    @property
    def y(self) -> AxisLayout:
        """The vertical axis."""
        return self.frame.y

    def draw_axes(self, on: Canvas) -> None:
        """Draw the grid, the line at the bottom and its ticks."""
        layouts.draw_axes(on, self.box, self.frame.grid, self.frame.ticks)


def _horizontal_axis(positions: tuple[Array, ...], log: bool, left: float, width: float) -> AxisLayout:
    """Return an axis from the smallest to the largest position. A single position is in the middle."""
    low, high = extent(*positions) or ((1.0, 10.0) if log else (0.0, 1.0))
    if low == high and log:
        low, high = low / 2, high * 2
    elif high - low < LEAST:
        half = max(0.5, abs(low) / 1000)
        low, high = low - half, high + half
    return AxisLayout(low, high, left, width, log)


def _vertical_axis(values: tuple[Array, ...], log: bool, bottom: float, top: float) -> tuple[AxisLayout, ticks.Ticks]:
    """Return an axis from the smallest to the largest number, extended to the next ticks, or one without ticks."""
    found = extent(*values)
    if found is None:
        return AxisLayout(0, 1, bottom, top), ticks.Ticks((), ())
    low, high = found
    most = max(2, int((bottom - top) / 34))
    if log:
        axis = AxisLayout(low / 1.15, high * 1.15, bottom, top, log=True)
        return axis, axis.ticks(most)
    if high - low < LEAST:
        room = abs(high) / 2 if abs(high) > LEAST else 1
        low, high = low - room, high + room
    levels = ticks.covering(low, high, most)
    return AxisLayout(levels.values[0], levels.values[-1], bottom, top), levels


def _nothing_to_show(missing: tuple[Array, ...], box: Box) -> Label:
    """In the middle of a plot without any finite value: what there is instead, counted."""
    return Label(box.left + box.width / 2, box.top + box.height / 2, ", ".join(bad_counts(*missing)))
