"""How one panel looks: a chart gets its places in CSS pixels (`plan`) and is put on a canvas (`put`).

A panel is as wide as a phone shows it, so no text is under 11 pixels; what does not fit at that size is left out and
named in the plan's warnings. Only what has a place in the drawing is here: cells, bars, lines, ticks; titles are not.

- Up to 1,000 cells a heatmap is made of rectangles; beyond that it is one image. Where there are more cells than
  pixels, two pixels show the least and the greatest cell of a block, so that no extreme is lost; where the block has a
  cell without a finite value, one of the two is grey.
- Cells are squares of at most 72 pixels as far as a height of 480 allows, and 8 pixels high at the least.
- A cell's value is written where the values of all cells fit. A cell without a finite value is hatched and says why.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scenebook.core.number_format import plain, show
from scenebook.figure import _canvas as canvas
from scenebook.figure import _chart as chart
from scenebook.figure import _ticks as ticks
from scenebook.figure import color
from scenebook.figure._canvas import LINE, SMALL, TEXT, Align, Canvas, Stroke, Style, text_width
from scenebook.figure._chart import Array, Bars, Chart, Heatmap, Labels, LegendEntry, Lines, Scale
from scenebook.figure._labels import GAP, Side, below, beside, complaint, counted, is_number, widest
from scenebook.figure._rounding_noise import Floats, evened, evened_sums, extent
from scenebook.figure.data_table import MASKED

WIDEST_CELL, LEAST_CELL = 72, 8
LEAST_HEIGHT, LEAST_PLOT, TALLEST = 24, 80, 480
"""The height of rows of cells or bars at the least, of lines at the least, and of rows at the most."""
LABELS_SHARE = 0.4
"""What row labels take of the width at the most."""
RECTANGLES = 1000
"""Cells that are rectangles at the most."""
GRID_FROM, THIN = 12, 4
"""Cells of the first size have lines between them; the frame keeps off those under the second."""
BAR, BETWEEN, THINNEST = 22, 10, 1.2
"""The thickness of a bar, the space to the next, and the thickness at which a screen still shows every bar."""
SEEN = 0.01
"""The shortest bar on a log scale has at least this part of a power of ten."""
MARKED = 20
"""So many points of a line at the most have a dot each."""
DASHED, DOTTED, DASH_DOT = (4, 2.5), (1, 1.5), (4, 1.5, 1, 1.5)
"""What of a line is drawn and what is left out, in widths of the line."""
INK, MUTED, RULE = color.light("ink"), color.light("muted"), color.light("rule")

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Box:
    """A rectangle in CSS pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


@dataclass(frozen=True)
class Label:
    """A text of an axis; turned, it reads upwards and ends at y."""

    x: float
    y: float
    text: str
    align: Align = "center"
    turned: bool = False


@dataclass(frozen=True)
class AxisLayout:
    """Numbers on a length: from `low` at `start` to `high` at `end`, in CSS pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, values: Array) -> NDArray[np.float64]:
        """Where values lie."""
        scaled = [np.log10(part) if self.log else np.asarray(part, float) for part in (values, self.low, self.high)]
        share: NDArray[np.float64] = (scaled[0] - scaled[1]) / (scaled[2] - scaled[1])
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int, whole: bool = False) -> ticks.Ticks:
        """Few round numbers on the axis."""
        low, high = self.low, self.high
        return ticks.logarithmic(low, high, most) if self.log else ticks.linear(low, high, most, whole)


@dataclass(frozen=True)
class Layout:
    """A chart with its places: `box` is where the data are; `x` and `y` are the axes of bars and lines."""

    chart: Chart
    width: float
    height: float
    box: Box
    labels: tuple[Label, ...]
    warnings: tuple[str, ...] = ()
    x: AxisLayout | None = None
    y: AxisLayout | None = None
    grid: tuple[float, ...] = ()
    thickness: float = 0
    cells: tuple[Labels, ...] = ()
    size: float = TEXT


def plan(of: Chart, width: float, height: float | None) -> Layout:
    """Give a chart its places on a panel of that width; the height is chosen where none is given."""
    if isinstance(of, Heatmap):
        return _plan_heatmap(of, width, height)
    return _plan_bars(of, width, height) if isinstance(of, Bars) else _plan_lines(of, width, height)


def put(planned: Layout, on: Canvas, scale: Scale | None, pixels: float = 1) -> None:
    """Draw a planned chart for a medium that has so many pixels to a CSS pixel at the least."""
    if isinstance(planned.chart, Heatmap):
        _put_heatmap(planned, planned.chart, on, scale, pixels)
    elif isinstance(planned.chart, Bars):
        _put_bars(planned, planned.chart, on)
    else:
        _put_lines(planned, planned.chart, on)
    for label in planned.labels:
        canvas.text(on, label.x, label.y, label.text, Style(INK, align=label.align, turned=label.turned))


# Heatmaps ------------------------------------------------------------------------------------------------------------


def _plan_heatmap(of: Heatmap, width: float, height: float | None) -> Layout:
    count, across = of.data.shape
    rows, columns = of.rows or counted(count), of.columns or counted(across)
    left = np.ceil(min(widest(rows), LABELS_SHARE * width)) + GAP
    last = widest(columns) if all(map(is_number, columns)) else LINE
    overhang = max(1.0, (last - (width - left) / across) / 2)
    cell_width = _whole(min((width - left - overhang) / across, WIDEST_CELL))
    under = below(columns, cell_width)
    cell_height = _cell_height(count, cell_width, None if height is None else height - under.room - GAP - 1)
    side = beside(rows, cell_height, left - GAP)
    box = Box(left, _top(cell_height), cell_width * across, cell_height * count)
    cells, size, dropped = _cells(of, cell_width, cell_height)
    return Layout(
        of,
        width,
        box.bottom + GAP + under.room + 1,
        box,
        (*_row_labels(side, box), *_column_labels(under, box)),
        (*complaint("rows", side.harmed), *complaint("columns", under.harmed), *dropped),
        cells=cells,
        size=size,
    )


def _top(pitch: float) -> float:
    """Room above the first row: for its line, and for the half of its label that is taller than the row."""
    return max(1.0, (LINE - pitch) / 2)


def _pitch(height: float, count: int) -> float:
    """The height of each of so many rows, with the room above the first."""
    return max(float(LEAST_HEIGHT), height - _top(height / count)) / count


def _whole(length: float) -> float:
    """Whole pixels where one more or less is not seen."""
    return float(int(length)) if length >= 8 else length


def _cell_height(count: int, cell_width: float, height: float | None) -> float:
    if height is not None:
        return _pitch(height, count)
    least = LEAST_CELL if LEAST_CELL * count <= TALLEST else 0
    return _whole(min(max(cell_width, least, LEAST_HEIGHT / count), TALLEST / count))


def _row_labels(side: Side, box: Box) -> Iterator[Label]:
    pitch = box.height / len(side.texts)
    for index, text in enumerate(side.texts):
        if text:
            yield Label(box.left - GAP, box.top + (index + 0.5) * pitch, text, "right")


def _column_labels(side: Side, box: Box) -> Iterator[Label]:
    pitch, top = box.width / len(side.texts), box.bottom + GAP
    for index, text in enumerate(side.texts):
        middle = top if side.turned else top + LINE * (1 + text.count("\n")) / 2
        if text:
            yield Label(box.left + (index + 0.5) * pitch, middle, text, turned=side.turned)


def _cells(of: Heatmap, width: float, height: float) -> tuple[tuple[Labels, ...], float, tuple[str, ...]]:
    """The text of every cell, its size, and a warning where the author's format does not fit."""
    if of.data.size > RECTANGLES:
        message = f"cells: {of.data.size:,} values are too many to write; up to {RECTANGLES:,} are"
        return (), TEXT, () if of.format is None else (message,)
    texts = tuple(tuple(_cell(of, row, column) for column in range(of.data.shape[1])) for row in range(len(of.data)))
    each = [text for row in texts for text in row]
    for size in (TEXT, SMALL):
        if widest(each) * size / TEXT <= width - 3 and height >= LINE:
            return texts, size, ()
    across = widest(each) * SMALL / TEXT
    message = (
        f"cells: a value is up to {across:.0f} pixels wide and a cell {width:.0f} by {height:.0f}; none is written"
    )
    return (), SMALL, () if of.format is None else (message,)


def _cell(of: Heatmap, row: int, column: int) -> str:
    """What is written into a cell: its value where a format asks for it, and what it is where it has no finite one."""
    value = of.data[row, column]
    if of.masked[row, column]:
        return MASKED
    return show(plain(value), of.format or "") if of.format is not None or not np.isfinite(value) else ""


def is_picture(planned: Layout, of: Heatmap, pixels: float) -> bool:
    """Whether the cells are one image: they are many, or too small for a rectangle each."""
    rows, columns = of.data.shape
    small = planned.box.height * pixels < rows or planned.box.width * pixels < columns
    return small or of.data.size > RECTANGLES


def _put_heatmap(planned: Layout, of: Heatmap, on: Canvas, scale: Scale | None, pixels: float) -> None:
    bad = of.masked | ~np.isfinite(of.data.astype(float))
    if is_picture(planned, of, pixels):
        size = max(1, int(pixels * planned.box.height)), max(1, int(pixels * planned.box.width))
        canvas.picture(on, _corner(planned.box), _colors(*_reduced_cells(_levelled(of), bad, size), scale), gid="data")
    else:
        _put_cells(planned, of, bad, on, scale)
    _put_grid(planned, of.data.shape, on)


def _corner(box: Box) -> tuple[float, float, float, float]:
    return box.left, box.top, box.width, box.height


def _put_cells(planned: Layout, of: Heatmap, bad: NDArray[np.bool_], on: Canvas, scale: Scale | None) -> None:
    """The cells as rectangles, row by row, and their texts in the ink that reads on them."""
    rows, columns = of.data.shape
    box, width, height = planned.box, planned.box.width / columns, planned.box.height / rows
    row, column = (index.ravel() for index in np.indices(of.data.shape))
    count = np.ones(of.data.size)
    corners = np.stack([box.left + column * width, box.top + row * height, count * width, count * height], 1)
    fills, flat = _colors(_levelled(of), bad, scale).reshape(-1, 3), bad.ravel()
    if not flat.all():
        canvas.boxes(on, corners[~flat], fills[~flat], gid="data-cells")
    if flat.any():
        canvas.boxes(on, corners[flat], fills[flat], gid="data-bad", hatch=color.BAD_HATCH)
    texts = [text for line in planned.cells for text in line]
    for text, (left, top, *_), fill in zip(texts, corners, fills, strict=False):
        if text:
            middle = (left + width / 2, top + height / 2)
            canvas.text(on, *middle, text, Style(color.ink_on(fill), planned.size))


def _colors(data: Array, bad: NDArray[np.bool_], scale: Scale | None) -> NDArray[np.uint8]:
    grey = color.rgb(color.BAD_FILL)
    if scale is None:
        return np.broadcast_to(grey, (*data.shape, 3))
    painted = color.paint(np.where(bad, scale.vmin, data.astype(float)), scale.colormap, scale.vmin, scale.vmax)
    return np.where(bad[..., None], grey, painted)


def _levelled(of: Heatmap) -> Floats:
    """The cells as they are drawn."""
    return of.data.astype(float) if of.level is None else np.full(of.data.shape, of.level)


def _reduced_cells(data: Floats, bad: Mask, size: tuple[int, int]) -> tuple[Floats, Mask]:
    """Cells (rows, columns) as pixels, at most `size`: one a cell, or the extremes of blocks of cells."""
    low, high = np.where(bad, np.inf, data), np.where(bad, -np.inf, data)
    middle = float(np.median(data[~bad])) if not bad.all() else 0.0
    if data.shape[1] <= size[1]:
        values, holes = _extremes(low.T, high.T, bad.T, size[0], middle)
        return values.T, holes.T
    if len(data) > size[0]:
        starts = _edges(len(data), size[0] - 2)[:-1]
        low, high = _thickened(np.minimum.reduceat(low, starts)), _thickened(np.maximum.reduceat(high, starts))
        bad = _thickened(np.logical_or.reduceat(bad, starts))
    return _extremes(low, high, bad, size[1], middle)


def _thickened(rows: Array) -> Array:
    """The first and the last row twice: a browser blends the edge of a picture with the paper."""
    return np.concatenate([rows[:1], rows, rows[-1:]])


def _edges(count: int, most: int) -> NDArray[np.intp]:
    """Where blocks of about equally many cells begin, and where the last ends."""
    blocks = max(1, most)
    return np.arange(blocks + 1) * count // blocks


def _extremes(low: Floats, high: Floats, bad: Mask, most: int, middle: float) -> tuple[Floats, Mask]:
    """Rows of cells as rows of at most so many pixels: two for each block of cells, as `_two` says."""
    count = low.shape[1]
    if count <= most:
        return np.where(bad, middle, low), bad
    blocks = [slice(*pair) for pair in itertools.pairwise(_edges(count, most // 2 - 1))]
    pairs = [_two(low[:, block], high[:, block], bad[:, block], middle) for block in blocks]
    values, holes = (_thickened(np.concatenate(each, 1).T).T for each in zip(*pairs, strict=True))
    return values, holes


def _two(low: Floats, high: Floats, bad: Mask, middle: float) -> tuple[Floats, Mask]:
    """The least and the greatest cell of each row of a block, in their order, as values (rows, 2) and holes.

    A row with a hole has that and the cell that is farthest from the middle.
    """
    rows = np.arange(len(low))
    places = np.stack([low.argmin(1), high.argmax(1)], 1)
    values = np.stack([low[rows, places[:, 0]], high[rows, places[:, 1]]], 1)
    holes = np.zeros(values.shape, bool)
    holed, hole = bad.any(1), bad.argmax(1)
    nearer = np.abs(values - middle).argmin(1)[holed]
    holes[rows[holed], nearer], places[rows[holed], nearer] = True, hole[holed]
    holes |= ~np.isfinite(values)
    order = np.argsort(places, 1, kind="stable")
    values = np.where(holes, middle, values)
    return np.take_along_axis(values, order, 1), np.take_along_axis(holes, order, 1)


def _put_grid(planned: Layout, shape: tuple[int, ...], on: Canvas) -> None:
    """A frame, so that a white cell has an edge; lines between cells that are large enough.

    Around cells as thin as itself it is further out, so that it covers none.
    """
    box, least = planned.box, min(planned.box.height / shape[0], planned.box.width / shape[1])
    fine = least >= GRID_FROM
    if least < THIN:
        box = Box(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1)
    down = np.linspace(box.top, box.bottom, shape[0] + 1 if fine else 2)
    across = np.linspace(box.left, box.right, shape[1] + 1 if fine else 2)
    segments = [((box.left, box.right), (y, y)) for y in down] + [((x, x), (box.top, box.bottom)) for x in across]
    _put_segments(on, segments, color.GRID, "data-grid")


def _put_segments(
    on: Canvas, segments: Sequence[tuple[tuple[float, float], tuple[float, float]]], ink: str, gid: str | None = None
) -> None:
    """Separate straight lines as one."""
    x = [value for xs, _ in segments for value in (*xs, np.nan)]
    y = [value for _, ys in segments for value in (*ys, np.nan)]
    if segments:
        canvas.line(on, x, y, Stroke(ink), gid)


# Bars ----------------------------------------------------------------------------------------------------------------


def _plan_bars(of: Bars, width: float, height: float | None) -> Layout:
    count = len(of.lengths)
    rows = of.rows or counted(count)
    room = TALLEST / count if height is None else _pitch(height - LINE - GAP - 1, count)
    above = widest(rows) > LABELS_SHARE * width - GAP and room >= BAR + LINE
    pitch = room if height is not None else min(room, BAR + BETWEEN + (LINE if above else 0))
    between = min(BETWEEN, 0.3 * pitch)
    left = 1.0 if above else min(widest(rows), LABELS_SHARE * width) + GAP
    side = beside(rows, LINE if above else pitch, width - GAP if above else left - GAP)
    axis, marks = _bar_axis(of, left, width)
    box = Box(left, _top(pitch), axis.end - left, pitch * count)
    names = _labels_above(side, pitch) if above else _row_labels(side, box)
    first = box.top + (LINE if above else between / 2)
    return Layout(
        of,
        width,
        box.bottom + GAP + LINE + 1,
        box,
        (*names, *_numbers_below(axis, marks, box)),
        tuple(complaint("rows", side.harmed)),
        x=axis,
        y=AxisLayout(0, count, first, first + box.height),
        grid=tuple(axis.place(np.array(marks.values))),
        thickness=max(THINNEST, pitch - between - (LINE if above else 0)),
    )


def _bar_axis(of: Bars, left: float, width: float) -> tuple[AxisLayout, ticks.Ticks]:
    """From 0 to the longest bar; on a log scale from the power of ten clearly below the shortest."""
    totals = evened_sums(of.lengths.T).sum(1)
    low, high = min(0.0, totals.min()), max(0.0, totals.max())
    if of.log:
        low = 10.0 ** (np.ceil(np.log10(totals.min()) - SEEN) - 1)
    elif high - low < chart.LEAST:
        low, high = 0.0, 1.0
    return _fitted(AxisLayout(low, high, left, width, of.log), of.lengths.dtype.kind != "f")


def _fitted(axis: AxisLayout, whole: bool) -> tuple[AxisLayout, ticks.Ticks]:
    """The axis with room at its end for half of its last number, and as many ticks as do not touch."""
    for most in range(6, 0, -1):
        marks = axis.ticks(most, whole)
        end = axis.end - max(GAP, widest(marks.texts) / 2)
        narrower = AxisLayout(axis.low, axis.high, axis.start, end, axis.log)
        places = narrower.place(np.array(marks.values))
        if np.all(np.diff(places) >= widest(marks.texts) + 2 * GAP):
            break
    return narrower, marks


def _labels_above(side: Side, pitch: float) -> Iterator[Label]:
    for index, text in enumerate(side.texts):
        yield Label(GAP, index * pitch + LINE / 2, text, "left")


def _numbers_below(axis: AxisLayout, marks: ticks.Ticks, box: Box) -> Iterator[Label]:
    """A number under each tick, moved inside where it would leave the panel on the left."""
    for x, text in zip(axis.place(np.array(marks.values)), marks.texts, strict=True):
        yield Label(max(float(x), text_width(text) / 2), box.bottom + GAP + LINE / 2, text)


def _put_bars(planned: Layout, of: Bars, on: Canvas) -> None:
    assert planned.x is not None and planned.y is not None
    box = planned.box
    _put_segments(on, [((x, x), (box.top, box.bottom)) for x in planned.grid], RULE)
    lengths = evened_sums(of.lengths.T)
    ends = np.cumsum(lengths, 1)
    starts = ends - lengths if of.stacked else np.full_like(ends, planned.x.low if of.log else 0)
    left, right = planned.x.place(np.minimum(starts, ends)), planned.x.place(np.maximum(starts, ends))
    tops = np.broadcast_to(planned.y.place(np.arange(len(of.lengths)))[:, None], left.shape)
    seam = (right - left > 3) & (right < right.max(1, keepdims=True))
    thick = np.full_like(left, planned.thickness)
    corners = np.stack([left, tops, right - left - seam, thick], 2)
    looks = list(zip(of.colors, of.again or (False,) * len(of.colors), strict=True))
    for look in dict.fromkeys(looks):
        chosen = np.array([each == look for each in looks])
        drawn = corners[:, chosen].reshape(-1, 4) if of.stacked else corners[chosen].reshape(-1, 4)
        drawn = drawn[drawn[:, 2] > 0]
        canvas.boxes(on, strips(drawn) if look[1] else drawn, [color.light(look[0])], gid="bars")
    zero = float(planned.x.place(np.array(planned.x.low if of.log else 0.0)))
    canvas.line(on, [zero, zero], [box.top, box.bottom], Stroke(MUTED))


def strips(corners: Array) -> Array:
    """Boxes (n, 4), each as two strips above each other: the other look of a colour."""
    left, top, width, height = corners.T
    return np.concatenate([np.stack([left, y, width, height * 3 / 8], 1) for y in (top, top + height * 5 / 8)])


# Lines ---------------------------------------------------------------------------------------------------------------


def dashes(entry: LegendEntry) -> tuple[float, ...]:
    """The dashes of a line: those its author gave it, or those that tell it from another line of its colour."""
    if entry.again:
        return DASH_DOT if entry.dashed else DOTTED
    return DASHED if entry.dashed else ()


def _plan_lines(of: Lines, width: float, height: float | None) -> Layout:
    bottom = max(LEAST_PLOT, round(0.62 * width) if height is None else height) - LINE - GAP - 2
    y, levels = _levels(of, bottom, LINE / 2 + 1)
    left = widest(levels.texts) + GAP
    x, marks = _fitted(_x_axis(of, left, width), of.x.dtype.kind != "f")
    box = Box(left, y.end, x.end - left, bottom - y.end)
    places = y.place(np.array(levels.values))
    beside = [Label(left - GAP, float(at), text, "right") for at, text in zip(places, levels.texts, strict=True)]
    labels = (*beside, *_numbers_below(x, marks, box), *_note(of, box))
    return Layout(of, width, bottom + GAP + LINE + 2, box, labels, x=x, y=y, grid=tuple(places))


def _x_axis(of: Lines, left: float, width: float) -> AxisLayout:
    """From the least to the greatest position; a single one is in the middle."""
    low, high = extent(of.x) or (0.0, 1.0)
    if low == high and of.log_x:
        low, high = low / 2, high * 2
    elif high - low < chart.LEAST:
        half = max(0.5, abs(low) / 1000)
        low, high = low - half, high + half
    return AxisLayout(low, high, left, width, of.log_x)


def _note(of: Lines, box: Box) -> Iterator[Label]:
    """What stands in the place of lines that have no finite value: what they have instead, counted."""
    if extent(*of.ys) is None:
        text = ", ".join(chart.bad_counts(*of.ys))
        yield Label(box.left + box.width / 2, box.top + box.height / 2, text)


def _levels(of: Lines, bottom: float, top: float) -> tuple[AxisLayout, ticks.Ticks]:
    """The vertical axis, from the least to the greatest number of all lines and out to the next ticks.

    There are no ticks where there is no number.
    """
    found = extent(*of.ys)
    if found is None:
        return AxisLayout(0, 1, bottom, top), ticks.Ticks((), ())
    low, high = found
    most = max(2, int((bottom - top) / 34))
    if of.log_y:
        axis = AxisLayout(low / 1.15, high * 1.15, bottom, top, log=True)
        return axis, axis.ticks(most)
    if high - low < chart.LEAST:
        room = abs(high) / 2 if abs(high) > chart.LEAST else 1
        low, high = low - room, high + room
    levels = ticks.covering(low, high, most)
    return AxisLayout(levels.values[0], levels.values[-1], bottom, top), levels


def _put_lines(planned: Layout, of: Lines, on: Canvas) -> None:
    assert planned.x is not None and planned.y is not None
    box = planned.box
    _put_segments(on, [((box.left, box.right), (y, y)) for y in planned.grid], RULE)
    canvas.line(on, [box.left, box.right], [box.bottom, box.bottom], Stroke(MUTED))
    marks = [float(label.x) for label in planned.labels if label.align == "center" and label.y > box.bottom]
    _put_segments(on, [((x, x), (box.bottom, box.bottom + 4)) for x in marks], MUTED)
    (positions,) = evened(of.x)
    for values, entry in zip(evened(*of.ys), of.entries, strict=True):
        x, y = _reduced(planned.x.place(positions), planned.y.place(values), max(1, int(box.width)))
        _put_line(on, x, y, Stroke(color.light(entry.color), 2, dashes(entry), len(x) <= MARKED))


def _put_line(on: Canvas, x: Array, y: Array, stroke: Stroke) -> None:
    """A line with gaps at NaN; a point between two gaps is a dot, since a line through one point is nothing."""
    if np.isnan(y).all():
        return
    canvas.line(on, x, y, stroke)
    there = np.concatenate([[False], ~np.isnan(y), [False]])
    alone = there[1:-1] & ~there[:-2] & ~there[2:]
    if alone.any() and not stroke.marked:
        dots = np.ma.array(y, mask=~alone).filled(np.nan)
        canvas.line(on, x, dots, replace(stroke, dashes=(), marked=True))


def _reduced(x: Array, y: Array, columns: int) -> tuple[Array, Array]:
    """Many points over few pixels: the lowest and the highest of each half pixel, in order, and a gap if it has one."""
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
