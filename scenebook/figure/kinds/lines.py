"""Lines over shared positions, with gaps where there is no finite value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scenebook.core.lazy import lazy
from scenebook.core.number_format import show
from scenebook.core.text import EMPTY, Model, Text, ValueName
from scenebook.core.text_fields import Label
from scenebook.core.values import named_column
from scenebook.figure import color
from scenebook.figure._kind import Chart, Kind, Sides, Warned
from scenebook.figure._looks import LegendEntry, chosen_looks, dashes, shown_entries, too_many
from scenebook.figure._plot import PlotData, PlotFrame, PlotLayout
from scenebook.figure._rounding_noise import evened, finite
from scenebook.figure._value_reader import LEAST, bad_counts, off_log_scale, positions_fault
from scenebook.figure.data_table import Grid
from scenebook.figure.options import Axis, Color

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure import _canvas as canvas
    from scenebook.figure._canvas import Canvas
    from scenebook.figure._color_scale import ColorScale
    from scenebook.figure._rounding_noise import Array
    from scenebook.figure._value_reader import ValueReader
else:
    np, canvas = lazy("numpy"), lazy("scenebook.figure._canvas")

MARKED = 20
"""A line of at most this many points has a dot at each."""
SHAPE = 0.62
"""If no height is given, the height of a panel of lines is this part of its width."""


@dataclass(frozen=True)
class Line(Model):
    """One line of a `lines` panel."""

    value: ValueName
    """The name of the value (one-dimensional) that is drawn."""
    label: Label = EMPTY
    """Its entry in the legend; by default, the value's name. A single line has a legend only if it has a label."""
    color: Color | None = None
    """A colour by name; by default, the next one of the palette, with dotted lines after the fifth."""
    dashed: bool = False
    """For what is expected rather than measured."""
    band: bool = False
    """In a scene that repeats its run: an area from low to high of all runs, behind the line."""


@dataclass(frozen=True)
class Lines(Kind):
    """Lines over shared positions."""

    key: ClassVar = "lines"
    naming: ClassVar = "value"
    sides: ClassVar = Sides("y", "x", "↑")
    axes: ClassVar = {"x": ("title", "values", "scale"), "y": ("title", "scale")}

    lines: tuple[Line, ...]
    """The lines to draw over the figure's `x`."""
    x: Axis = Axis()
    """The horizontal axis; its `values` are the positions."""
    y: Axis = Axis()
    """The vertical axis."""

    @classmethod
    def complaints(cls, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield a problem if the lines have no positions."""
        x = options.get("x")
        if not isinstance(x, Mapping) or "values" not in x:
            yield "x", "lines need x.values, the name of the value that contains their positions"

    def read(self, reader: ValueReader) -> LinesChart | None:
        """Take the positions and the lines."""
        name, log = self.x.values, self.x.scale == "log"
        x = None if name is None else reader.array(name, "x.values", "an axis", (1,))
        ys = [reader.array(line.value, "lines", "a line", (1,)) for line in self.lines]
        found = [y for y in ys if y is not None]
        if len(found) < len(ys) or (x is None and name is not None):
            return None
        if x is not None:
            for message in positions_fault(x, log):
                reader.fail(name, "x.values", f"{name}: {message}")
        elif log:
            reader.fail(None, "x.scale", "a log scale needs positions above 0; name them in x.values")
        positions = np.arange(found[0].size) if x is None else np.ma.getdata(x)
        self._check(reader, found, positions)
        bands = tuple(self._band(reader, line) for line in self.lines)
        return LinesChart(str(self.lines[0].value), self, positions, tuple(found), self._entries(), bands)

    def _band(self, reader: ValueReader, line: Line) -> tuple[Array, Array] | None:
        """Return low and high of a line that has a band."""
        band = reader.spread(line.value) if line.band else None
        if line.band and band is None:
            advice = "needs the runs of a scene with `repeat`, in each of which it is as long"
            reader.fail(line.value, "lines", f"{line.value}: the band {advice}")
        return band

    def _check(self, reader: ValueReader, ys: list[Array], x: Array) -> None:
        other = self.x.values or self.lines[0].value
        for line, y in zip(self.lines, ys, strict=True):
            least = min(finite(y), default=1)
            if self.y.scale == "log" and least < LEAST:
                reader.fail(line.value, "lines", f"{line.value}: {off_log_scale(least)}")
            if y.size != x.size:
                message = f"{line.value} has {y.size} elements, but {other} has {x.size}"
                reader.fail(line.value, "lines", f"{message}; a line needs one for each position")

    def _entries(self) -> tuple[LegendEntry, ...]:
        chosen = chosen_looks([line.color for line in self.lines])
        return tuple(
            LegendEntry(line.label or _name_of(line.value), color, line.dashed, again)
            for line, (color, again) in zip(self.lines, chosen, strict=True)
        )


def _name_of(value: Text) -> Text:
    """Return the name of a value for the legend: of a table's column, that of the column."""
    match named_column(value):
        case (_, name):
            return Text(name.replace("$", r"\$"), value.file, value.line)
    return value


@dataclass(frozen=True)
class LinesChart(Chart):
    """Lines `ys` (n,), perhaps masked, over positions `x` (n,). Each has an entry of the legend, perhaps a band."""

    options: Lines
    x: Array
    ys: tuple[Array, ...]
    entries: tuple[LegendEntry, ...]
    bands: tuple[tuple[Array, Array] | None, ...]

    @property
    def log_x(self) -> bool:
        """Whether positions are on a log scale."""
        return self.options.x.scale == "log"

    @property
    def log_y(self) -> bool:
        """Whether values are on a log scale."""
        return self.options.y.scale == "log"

    @property
    def drawn(self) -> tuple[bool, ...]:
        """Whether each line has a point."""
        return tuple(finite(y).size > 0 for y in self.ys)

    @property
    def ends(self) -> Iterator[Array]:
        """Low and high of each band; on a log scale without what it cannot show."""
        for low, high in filter(None, self.bands):
            yield from (np.ma.masked_less(end, LEAST) if self.log_y else end for end in (low, high))

    @classmethod
    def frame(cls, charts: Sequence[Self], width: float, height: float | None) -> PlotFrame:
        """Two axes, from the first position to the last."""
        ys = tuple(y for chart in charts for y in (*chart.ys, *chart.ends))
        data = PlotData(tuple(chart.x for chart in charts), ys, charts[0].log_x, charts[0].log_y)
        found = PlotFrame.of(data, width, round(SHAPE * width) if height is None else height)
        return replace(found, drawn=tuple(map(any, zip(*(chart.drawn for chart in charts), strict=True))))

    def layout(self, frame: PlotFrame) -> LinesLayout:
        """The lines on the axes."""
        return LinesLayout.of(self, self.ys, frame)

    def grid(self) -> Grid:
        """Return one column for each line, and two more for its band."""
        columns = [
            (f"{entry.label}{end}", np.ma.masked_invalid(y) if end else np.ma.array(y.astype(float)))
            for entry, y, band in zip(self.entries, self.ys, self.bands, strict=True)
            for end, y in (("", y), *zip((", low", ", high"), band or (), strict=False))
        ]
        ys = [y for _, y in columns]
        data, masked = np.stack([np.ma.getdata(y) for y in ys], 1), np.stack([np.ma.getmaskarray(y) for y in ys], 1)
        labels = tuple(label for label, _ in columns)
        return Grid(tuple(show(x.item()) for x in self.x), labels, data, masked, keys=self.x, rich=True)

    def missing(self) -> tuple[Array, ...]:
        """Return all lines."""
        return self.ys

    def legend(self, frame: PlotFrame | None = None) -> tuple[LegendEntry, ...]:
        """The lines that are drawn; a lone line needs no entry unless it has a label."""
        drawn = frame.drawn if frame else self.drawn
        return shown_entries(self.entries, drawn, (line.label for line in self.options.lines))

    def warnings(self) -> Iterator[Warned]:
        """Yield a warning if there are too many lines to tell apart, and for missing values that are not masked."""
        lines = self.options.lines
        if message := too_many([line.color for line in lines], [line.dashed for line in lines], "lines"):
            yield Warned(None, "", message)
        for line, y in zip(lines, self.ys, strict=True):
            counts = bad_counts(y)
            if not finite(y).size:
                found = f"{line.value} has no finite value ({', '.join(counts)})"
                advice = "neither the panel nor the legend shows it; check the scene, or leave the line out"
                yield Warned(line.value, "lines", f"{found}, so {advice}")
            elif any(not count.endswith("masked") for count in counts):
                message = f"{line.value} contains {', '.join(counts)}; mask what is meant to be a gap"
                yield Warned(line.value, "lines", message)


@dataclass(frozen=True)
class LinesLayout(PlotLayout[LinesChart]):
    """Lines on two axes."""

    def draw_data(self, on: Canvas, scale: ColorScale | None, pixels: float) -> None:
        """Draw the axes, then the lines in order."""
        chart = self.chart
        self.draw_axes(on)
        (positions,) = evened(chart.x)
        for band, entry in zip(chart.bands, chart.entries, strict=True):
            if band:
                low, high = (self.y.place(end) for end in evened(*band))
                _draw_band(on, self.x.place(positions), low, high, color.light(entry.color))
        for values, entry in zip(evened(*chart.ys), chart.entries, strict=True):
            x, y = _reduced(self.x.place(positions), self.y.place(values), max(1, int(self.box.width)))
            stroke = canvas.Stroke(color.light(entry.color), 2, dashes(entry), len(x) <= MARKED)
            _draw_line(on, x, y, stroke)


def _draw_line(on: Canvas, x: Array, y: Array, stroke: canvas.Stroke) -> None:
    """Draw a line with gaps at NaN. A point between two gaps is a dot, because it would not show as a line."""
    if np.isnan(y).all():
        return
    canvas.line(on, x, y, stroke)
    there = np.concatenate([[False], ~np.isnan(y), [False]])
    alone = there[1:-1] & ~there[:-2] & ~there[2:]
    if alone.any() and not stroke.marked:
        dots = np.ma.array(y, mask=~alone).filled(np.nan)
        canvas.line(on, x, dots, replace(stroke, dashes=(), marked=True))


def _draw_band(on: Canvas, x: Array, low: Array, high: Array, fill: str) -> None:
    """Draw the area between low and high, with gaps at NaN."""
    there = np.isfinite(low) & np.isfinite(high)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], there, [False]]).astype(int)))
    for begin, end in ends.reshape(-1, 2):
        part = slice(begin, end)
        outline = np.stack(
            [np.concatenate([each[part], other[part][::-1]]) for each, other in ((x, x), (low, high))], 1
        )
        canvas.area(on, outline, fill, gid="band")


def _reduced(x: Array, y: Array, columns: int) -> tuple[Array, Array]:
    """Reduce many points over few pixels to the lowest and highest of each half pixel in order, keeping its gaps."""
    if len(x) <= 8 * columns or np.any(np.diff(x) < 0):
        return x, y
    starts = np.arange(2 * columns) * len(x) // (2 * columns)
    blocks = np.split(y, starts[1:])
    kept = sorted({int(start + place) for start, block in zip(starts, blocks, strict=True) for place in _kept(block)})
    return x[kept], y[kept]


def _kept(block: Array) -> Iterator[int]:
    gaps = np.isnan(block)
    if gaps.any():
        yield int(gaps.argmax())
    if not gaps.all():
        yield int(np.nanargmin(block))
        yield int(np.nanargmax(block))
