"""Bars: a vector as horizontal bars, or a matrix as bars that are stacked from parts. Lengths are to scale."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

from scenebook.core.lazy import lazy
from scenebook.core.number_format import show
from scenebook.core.text import Text, ValueName
from scenebook.figure import _layout as layouts
from scenebook.figure import _ticks as ticks
from scenebook.figure import color
from scenebook.figure._kind import Chart, Kind, Sides, Warned
from scenebook.figure._labels import Side, beside, complaint, counted, widest
from scenebook.figure._layout import LABELS_SHARE, MUTED, RULE, TALLEST, AxisLayout, Box, Label, Layout
from scenebook.figure._looks import CYCLE, LegendEntry, Look, crowd, looks, strips
from scenebook.figure._rounding_noise import evened_sums, finite
from scenebook.figure._sizes import GAP, LINE
from scenebook.figure._value_reader import LEAST, bad_counts, off_log_scale
from scenebook.figure.data_table import Grid
from scenebook.figure.options import Axis, Color

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure import _canvas as canvas
    from scenebook.figure._canvas import Canvas
    from scenebook.figure._color_scale import ColorScale
    from scenebook.figure._rounding_noise import Array, Floats
    from scenebook.figure._value_reader import Labels, ValueReader
else:
    np, canvas = lazy("numpy"), lazy("scenebook.figure._canvas")

BAR, BETWEEN, THINNEST = 22, 10, 1.2
"""The thickness of a bar, the space between bars, and the smallest thickness at which a screen shows every bar."""
CAP = 4
"""Half the height of the caps of a whisker."""
SEEN = 0.01
"""The shortest bar on a log scale is at least this part of a power of ten long."""
NO_COLUMNS = "plain bars have no columns, which are the parts of stacked bars; label the rows instead"


@dataclass(frozen=True)
class Bars(Kind):
    """Horizontal bars, plain or stacked."""

    key: ClassVar = "bars"
    sides: ClassVar = Sides("rows", "x", "↓")
    axes: ClassVar = {"rows": ("title", "labels"), "columns": ("labels",), "x": ("title", "scale")}

    bars: ValueName
    """The name of a value: one-dimensional for plain bars, or bars by parts for stacked bars. Lengths are to scale."""
    rows: Axis = Axis()
    """The bars."""
    columns: Axis = Axis()
    """The parts of a stacked bar."""
    x: Axis = Axis()
    """The horizontal axis."""
    colors: tuple[Color, ...] = ()
    """The colours of the bars, or of the parts of stacked bars, in order."""

    def read(self, reader: ValueReader) -> BarsChart | None:
        """Take the lengths, their labels and a look for each bar or part."""
        name = self.bars
        value = reader.array(name, "bars", "bars", (1, 2))
        if value is None:
            return None
        stacked, log = value.ndim == 2, self.x.scale == "log"
        for message in _length_complaints(value, stacked, log):
            reader.fail(name, "bars", f"{name}: {message}")
        lengths = np.ma.getdata(value).reshape(len(value), -1)
        rows = reader.labels(self.rows, "rows", len(lengths), f"bars of {name}")
        parts = reader.labels(self.columns, "columns", lengths.shape[1], f"parts of {name}") if stacked else ()
        chosen = self._looks(reader, value.shape[-1], stacked)
        spread = None if stacked else reader.spread(name)
        return BarsChart(str(name), self, lengths, rows, parts, chosen, stacked, spread)

    def _looks(self, reader: ValueReader, count: int, stacked: bool) -> tuple[Look, ...]:
        """Return a look for each bar or part."""
        given = self.colors
        if not given:
            return looks(count) if stacked else ((CYCLE[0], False),) * count
        if len(given) not in (1, count):
            what = "parts" if stacked else "bars"
            message = f"{len(given)} colours for {count} {what} of {self.bars}; give one for each, or one for all"
            reader.fail(None, "colors", message)
        return tuple((color, False) for color in (given * count if len(given) == 1 else given))


def _length_complaints(value: Array, stacked: bool, log: bool) -> Iterator[str]:
    if bad := bad_counts(value):
        yield f"the length of a bar must be a finite number, found {', '.join(bad)}"
    least = min(finite(value), default=1)
    if stacked and least < 0:
        yield f"the parts of a stacked bar must not be negative, found {show(least)}"
    if stacked and log:
        yield "stacked bars need a linear scale, but x.scale is log"
    if log and not stacked and least < LEAST:
        yield off_log_scale(least)


@dataclass(frozen=True)
class BarsChart(Chart):
    """`lengths` (bars, parts), with a look for each bar if there is one part, or else for each part.

    `spread` has low and high of plain bars, if the scene repeats its run.
    """

    options: Bars
    lengths: Array
    rows: Labels
    parts: Labels
    looks: tuple[Look, ...]
    stacked: bool
    spread: tuple[Array, Array] | None = None

    @property
    def ignored(self) -> Mapping[str, str]:  # type: ignore[override]
        """Plain bars have no columns."""
        return {} if self.stacked else {"columns.labels": NO_COLUMNS}

    @property
    def log(self) -> bool:
        """Whether lengths are on a log scale."""
        return self.options.x.scale == "log"

    @property
    def side(self) -> Labels:
        """The labels of the bars, which are positions where there are none."""
        return self.rows or counted(len(self.lengths))

    @classmethod
    def frame(cls, charts: Sequence[Self], width: float, height: float | None) -> BarsFrame:
        """Bars below each other; labels stand beside them, or above if they are long."""
        count = max(len(chart.lengths) for chart in charts)
        longest = max(map(widest, {chart.side for chart in charts}))
        room = TALLEST / count if height is None else layouts.pitch_of(height - LINE - GAP - 1, count)
        above = longest > LABELS_SHARE * width - GAP and room >= BAR + LINE
        pitch = room if height is not None else min(room, BAR + BETWEEN + (LINE if above else 0))
        between = min(BETWEEN, 0.3 * pitch)
        left = 1.0 if above else min(longest, LABELS_SHARE * width) + GAP
        axis, marks = _axis(charts, left, width)
        box = Box(left, layouts.room_above(pitch), axis.end - left, pitch * count)
        first = box.top + (LINE if above else between / 2)
        thickness = max(THINNEST, pitch - between - (LINE if above else 0))
        return BarsFrame(
            width, box, pitch, above, axis, marks, AxisLayout(0, count, first, first + box.height), thickness
        )

    def layout(self, frame: BarsFrame) -> BarsLayout:
        """The bars from the top, with their labels and the axis."""
        box, pitch = frame.box, frame.pitch
        wide = (LINE, frame.width - GAP) if frame.above else (pitch, box.left - GAP)
        side = beside(self.side, *wide)
        own = replace(box, height=pitch * len(self.lengths))
        names = _labels_above(side, pitch) if frame.above else layouts.row_labels(side, own)
        return BarsLayout(
            frame.width,
            box.bottom + GAP + LINE + 1,
            box,
            (*names, *layouts.numbers_below(frame.x, frame.marks, box)),
            self,
            frame.x,
            frame.y,
            tuple(frame.x.place(np.array(frame.marks.values))),
            frame.thickness,
            warnings=tuple(complaint("rows", side.harmed)),
        )

    def grid(self) -> Grid:
        """Return the lengths, by bar and part, or with low and high."""
        if self.spread:
            data = np.stack([self.lengths[:, 0].astype(float), *self.spread], 1)
            named = (self.name, f"{self.name}, low", f"{self.name}, high")
            return Grid.labelled(self.rows, named, data, ~np.isfinite(data), rich=True)
        masked = np.zeros(self.lengths.shape, bool)
        parts = self.parts if self.stacked else (self.name,)
        return Grid.labelled(self.rows, parts, self.lengths, masked, rich=True)

    def missing(self) -> tuple[Array, ...]:
        """Return all lengths. They are finite, because bars cannot be drawn otherwise."""
        return (self.lengths,)

    def legend(self, frame: BarsFrame | None = None) -> tuple[LegendEntry, ...]:
        """The parts that have names; parts of one name and look are one entry."""
        named = zip(self.parts, self.looks, strict=True) if self.parts else ()
        return tuple(dict.fromkeys(LegendEntry(Text(part), *_plain(look), mark="box") for part, look in named))

    def warnings(self) -> Iterator[Warned]:
        """Yield a warning if there are too many parts to tell apart, unless the author chose their colours."""
        message = crowd(len(self.looks), "parts") if self.stacked and not self.options.colors else None
        if message:
            yield Warned(None, "", message)


def _plain(look: Look) -> tuple[Color, bool, bool]:
    """Return the colour of a legend entry, that it has no dashes, and whether its colour is used again."""
    return look[0], False, look[1]


@dataclass(frozen=True)
class BarsFrame:
    """The axis of bars and their places: `pitch` is from one bar to the next; `above`, each has its label above it."""

    width: float
    box: Box
    pitch: float
    above: bool
    x: AxisLayout
    marks: ticks.Ticks
    y: AxisLayout
    thickness: float


@dataclass(frozen=True)
class BarsLayout(Layout):
    """Bars from `x.start`. `y` gives the top of each bar, and `grid` has the places of vertical lines."""

    chart: BarsChart
    x: AxisLayout
    y: AxisLayout
    grid: tuple[float, ...]
    thickness: float

    def draw_data(self, on: Canvas, scale: ColorScale | None, pixels: float) -> None:
        """Draw the grid, the bars of each look, and the line at zero."""
        box, chart = self.box, self.chart
        layouts.draw_segments(on, [((x, x), (box.top, box.bottom)) for x in self.grid], RULE)
        corners = self._corners()
        for look in dict.fromkeys(chart.looks):
            chosen = np.array([each == look for each in chart.looks])
            drawn = corners[:, chosen].reshape(-1, 4) if chart.stacked else corners[chosen].reshape(-1, 4)
            drawn = drawn[drawn[:, 2] > 0]
            canvas.boxes(on, strips(drawn) if look[1] else drawn, [color.light(look[0])], gid="bars")
        self._draw_whiskers(on)
        zero = float(self.x.place(np.array(self.x.low if chart.log else 0.0)))
        canvas.line(on, [zero, zero], [box.top, box.bottom], canvas.Stroke(MUTED))

    def _draw_whiskers(self, on: Canvas) -> None:
        """Draw a line from low to high of each bar, with a cap at each end."""
        if self.chart.spread is None:
            return
        low, high = (self.x.place(np.maximum(end, self.x.low)) for end in self.chart.spread)
        middle = self.y.place(np.arange(len(low))) + self.thickness / 2
        cap = min(CAP, self.thickness / 2)
        gap = np.full_like(middle, np.nan)
        x = np.stack([low, low, gap, low, high, gap, high, high, gap], 1)
        y = np.stack([middle - cap, middle + cap, gap, middle, middle, gap, middle - cap, middle + cap, gap], 1)
        canvas.line(on, x.ravel(), y.ravel(), canvas.Stroke(color.light("ink"), 1.2), gid="whiskers")

    def _corners(self) -> Floats:
        """Return left, top, width and height of each part of each bar, (bars, parts, 4), with a seam between parts."""
        chart = self.chart
        lengths = evened_sums(chart.lengths.T)
        ends = np.cumsum(lengths, 1)
        starts = ends - lengths if chart.stacked else np.full_like(ends, self.x.low if chart.log else 0)
        left, right = self.x.place(np.minimum(starts, ends)), self.x.place(np.maximum(starts, ends))
        tops = np.broadcast_to(self.y.place(np.arange(len(lengths)))[:, None], left.shape)
        seam = (right - left > 3) & (right < right.max(1, keepdims=True))
        return np.stack([left, tops, right - left - seam, np.full_like(left, self.thickness)], 2)


def _axis(charts: Sequence[BarsChart], left: float, width: float) -> tuple[AxisLayout, ticks.Ticks]:
    """From 0 to the longest bar; on a log scale from the power of ten clearly below the shortest."""
    totals = np.concatenate([each for chart in charts for each in _extents(chart)])
    low, high = min(0.0, totals.min()), max(0.0, totals.max())
    log = charts[0].log
    if log:
        low = 10.0 ** (np.ceil(np.log10(totals.min()) - SEEN) - 1)
    elif high - low < LEAST:
        low, high = 0.0, 1.0
    whole = all(chart.lengths.dtype.kind != "f" for chart in charts)
    return layouts.fitted(AxisLayout(low, high, left, width, log), whole)


def _extents(chart: BarsChart) -> Iterator[Floats]:
    """Yield the ends of all bars, and of their whiskers; on a log scale without what it cannot show."""
    yield evened_sums(chart.lengths.T).sum(1)
    for end in chart.spread or ():
        yield end[np.isfinite(end) & ((end >= LEAST) | (not chart.log))]


def _labels_above(side: Side, pitch: float) -> Iterator[Label]:
    for index, text in enumerate(side.texts):
        yield Label(GAP, index * pitch + LINE / 2, text, "left")
