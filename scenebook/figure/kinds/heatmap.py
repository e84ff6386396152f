"""A heatmap: a matrix as coloured cells.

- Up to 1,000 cells are rectangles; more cells are one image. If there are more cells than pixels, two pixels show the
  smallest and the largest cell of a block, so no extreme is lost. If the block has a cell without a finite value, one
  of the two is grey.
- Cells are squares of at most 72 pixels if they fit into a height of 480, and at least 8 pixels high.
- The values of cells are written if all of them fit. A cell without a finite value is hatched and says why.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scenebook.core.lazy import lazy
from scenebook.core.number_format import plain, show
from scenebook.core.text import Text, ValueName
from scenebook.figure import _color_scale as color_scale
from scenebook.figure import _layout as layouts
from scenebook.figure import color
from scenebook.figure._color_scale import ColorData
from scenebook.figure._kind import Chart, Kind, Sides, Warned
from scenebook.figure._labels import Below, below, beside, complaint, counted, fit_below, is_number, widest
from scenebook.figure._layout import LABELS_SHARE, LEAST_HEIGHT, TALLEST, Box, Layout
from scenebook.figure._sizes import GAP, LINE, SMALL, TEXT
from scenebook.figure._value_reader import bad_counts
from scenebook.figure.data_table import MASKED, Grid
from scenebook.figure.options import Axis, Colormap

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scenebook.figure import _canvas as canvas
    from scenebook.figure._canvas import Canvas
    from scenebook.figure._color_scale import ColorScale
    from scenebook.figure._rounding_noise import Array, Floats
    from scenebook.figure._value_reader import Labels, ValueReader

    Mask = NDArray[np.bool_]
else:
    np, canvas = lazy("numpy"), lazy("scenebook.figure._canvas")

WIDEST_CELL, LEAST_CELL = 72, 8
RECTANGLES = 1000
"""At most this many cells are rectangles."""
GRID_FROM, THIN = 12, 4
"""Cells of the first size have lines between them. The frame does not cover cells that are smaller than the second."""


@dataclass(frozen=True)
class Heatmap(Kind):
    """A matrix as coloured cells."""

    key: ClassVar = "heatmap"
    sides: ClassVar = Sides("rows", "columns", "↓")
    axes: ClassVar = {"rows": ("title", "labels"), "columns": ("title", "labels")}

    heatmap: ValueName
    """The name of a two-dimensional value."""
    rows: Axis = Axis()
    """The rows."""
    columns: Axis = Axis()
    """The columns."""
    colormap: Colormap = "white_green"
    """white_green (0 is white) or blue_white_green (symmetric about 0)."""
    vmin: float | None = None
    """The value at the lower end of the colormap; by default, the smallest finite value."""
    vmax: float | None = None
    """The value at the upper end of the colormap; by default, the largest finite value."""
    cells: Text | None = None
    """A Python number format such as .2f, to write each cell's value into it."""

    @classmethod
    def complaints(cls, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the limits, whatever the data are."""
        yield from color_scale.written_complaints(options)

    def read(self, reader: ValueReader) -> HeatmapChart | None:
        """Take the matrix, its labels and the format of its cells."""
        name = self.heatmap
        value = reader.array(name, "heatmap", "a heatmap", (2,))
        if value is None:
            return None
        rows = reader.labels(self.rows, "rows", value.shape[0], f"rows of {name}")
        columns = reader.labels(self.columns, "columns", value.shape[1], f"columns of {name}")
        if self.cells and (message := _misfit(value, self.cells)):
            reader.fail(self.cells, "cells", f"{name}: {message}")
        data, masked = np.ma.getdata(value), np.ma.getmaskarray(value)
        return HeatmapChart(str(name), self, data, masked, rows, columns, spread=reader.spread(name))


def _misfit(value: Array, spec: str) -> str | None:
    """Return why a format does not fit the type of the cells, or None."""
    try:
        show(plain(value.dtype.type(0)), spec)
    except ValueError as error:
        return str(error)
    return None


@dataclass(frozen=True)
class HeatmapChart(Chart):
    """Cells (rows, columns). Labels are empty if there are none.

    If the cells, or those of all panels on the same scale, differ only by rounding noise, all are drawn as `level`.
    `spread` has low and high of each cell, if the scene repeats its run.
    """

    options: Heatmap
    data: Array
    masked: Mask
    rows: Labels
    columns: Labels
    level: float | None = None
    spread: tuple[Array, Array] | None = None

    @property
    def bad(self) -> Mask:
        """The cells without a finite value."""
        bad: Mask = self.masked | ~np.isfinite(self.data.astype(float))
        return bad

    @property
    def drawn(self) -> Floats:
        """The cells as they are drawn."""
        return self.data.astype(float) if self.level is None else np.full(self.data.shape, self.level)

    @property
    def sides(self) -> tuple[Labels, Labels]:
        """The labels of rows and of columns, which are positions where there are none."""
        count, across = self.data.shape
        return self.rows or counted(count), self.columns or counted(across)

    @classmethod
    def frame(cls, charts: Sequence[Self], width: float, height: float | None) -> HeatmapFrame:
        """Squares as far as they fit."""
        count, across = (max(chart.data.shape[side] for chart in charts) for side in (0, 1))
        rows, columns = (list(dict.fromkeys(chart.sides[side] for chart in charts)) for side in (0, 1))
        left = np.ceil(min(max(map(widest, rows)), LABELS_SHARE * width)) + GAP
        last = max(map(widest, columns)) if all(all(map(is_number, labels)) for labels in columns) else LINE
        overhang = max(1.0, (last - (width - left) / across) / 2)
        cell_width = _whole(min((width - left - overhang) / across, WIDEST_CELL))
        fit = fit_below(columns, cell_width)
        cell_height = _cell_height(count, cell_width, None if height is None else height - fit.room - GAP - 1)
        bottom = layouts.room_above(cell_height) + cell_height * count
        size, dropped = _text_size(charts, cell_width, cell_height)
        return HeatmapFrame(width, bottom + GAP + fit.room + 1, left, cell_width, cell_height, fit, size, dropped)

    def layout(self, frame: HeatmapFrame) -> HeatmapLayout:
        """The cells from the upper left, with the labels of rows and columns."""
        (rows, columns), (count, across) = self.sides, self.data.shape
        under, side = below(columns, frame.fit), beside(rows, frame.cell_height, frame.left - GAP)
        top = layouts.room_above(frame.cell_height)
        box = Box(frame.left, top, frame.cell_width * across, frame.cell_height * count)
        return HeatmapLayout(
            frame.width,
            frame.height,
            box,
            (*layouts.row_labels(side, box), *layouts.column_labels(under, box)),
            self,
            () if frame.size is None else _cell_texts(self),
            frame.size or SMALL,
            warnings=(*complaint("rows", side.harmed), *complaint("columns", under.harmed), *frame.dropped),
        )

    def grid(self) -> Grid:
        """Return the cells, in the format in which they are written."""
        found = Grid.labelled(self.rows, self.columns, self.data, self.masked, self.options.cells or "")
        return replace(found, spread=self.spread)

    def missing(self) -> tuple[Array, ...]:
        """Return all cells."""
        return (np.ma.array(self.data, mask=self.masked),)

    def colored(self) -> ColorData:
        """Return all cells."""
        options = self.options
        return ColorData(np.ma.array(self.data, mask=self.masked), options.colormap, options.vmin, options.vmax)

    def leveled(self, level: float | None) -> Self:
        """Return the chart with all cells drawn as one level."""
        return replace(self, level=level)

    def warnings(self) -> Iterator[Warned]:
        """Yield a warning for NaN, which is seldom intended. Cells that are meant to be empty are masked."""
        counts = bad_counts(*self.missing())
        if any(count.endswith("NaN") for count in counts):
            message = f"{self.name} contains {', '.join(counts)}; mask the cells that are meant to be empty"
            yield Warned(None, "", message)


@dataclass(frozen=True)
class HeatmapFrame:
    """The sizes of cells, and how labels stand below them.

    `size` is that of the texts of cells; None if none is written, which `dropped` says where the author wants them.
    """

    width: float
    height: float
    left: float
    cell_width: float
    cell_height: float
    fit: Below
    size: float | None
    dropped: tuple[str, ...]


@dataclass(frozen=True)
class HeatmapLayout(Layout):
    """Cells in `box`, with the text of each cell (none if they do not fit) and its size."""

    chart: HeatmapChart
    cells: tuple[Labels, ...]
    size: float

    def draw_data(self, on: Canvas, scale: ColorScale | None, pixels: float) -> None:
        """Draw the cells as rectangles or as an image, then the grid."""
        chart, box = self.chart, self.box
        if self._is_picture(pixels):
            size = max(1, int(pixels * box.height)), max(1, int(pixels * box.width))
            colors = color_scale.colors(*_reduced_cells(chart.drawn, chart.bad, size), scale)
            canvas.picture(on, (box.left, box.top, box.width, box.height), colors, gid="data")
        else:
            self._draw_cells(on, scale)
        _draw_grid(box, chart.data.shape, on)

    def missing_look(self, pixels: float) -> str:
        """Return "grey" for pixels of an image, and "hatched" for rectangles."""
        return "grey" if self._is_picture(pixels) else "hatched"

    def attributes(self) -> dict[str, str]:
        """Return the numbers of rows and columns, and the place of the cells."""
        rows, columns = self.chart.data.shape
        box = self.box
        place = " ".join(f"{length:g}" for length in (box.left, box.top, box.width, box.height))
        return {"data-rows": str(rows), "data-columns": str(columns), "data-box": place}

    def _is_picture(self, pixels: float) -> bool:
        """Return whether the cells are one image, because they are many or too small to be rectangles."""
        rows, columns = self.chart.data.shape
        small = self.box.height * pixels < rows or self.box.width * pixels < columns
        return small or self.chart.data.size > RECTANGLES

    def _draw_cells(self, on: Canvas, scale: ColorScale | None) -> None:
        """Draw the cells as rectangles, row by row, and their texts in black or white."""
        data, bad = self.chart.data, self.chart.bad
        box, width, height = self.box, self.box.width / data.shape[1], self.box.height / data.shape[0]
        row, column = (index.ravel() for index in np.indices(data.shape))
        count = np.ones(data.size)
        corners = np.stack([box.left + column * width, box.top + row * height, count * width, count * height], 1)
        fills, flat = color_scale.colors(self.chart.drawn, bad, scale).reshape(-1, 3), bad.ravel()
        if not flat.all():
            canvas.boxes(on, corners[~flat], fills[~flat], gid="data-cells")
        if flat.any():
            canvas.boxes(on, corners[flat], fills[flat], gid="data-bad", hatch=color.BAD_HATCH)
        texts = [text for line in self.cells for text in line]
        for text, (left, top, *_), fill in zip(texts, corners, fills, strict=False):
            if text:
                middle = (left + width / 2, top + height / 2)
                canvas.text(on, *middle, text, canvas.Style(color.ink_on(fill), self.size))


def _whole(length: float) -> float:
    """Round a length down to whole pixels if the difference cannot be seen."""
    return float(int(length)) if length >= 8 else length


def _cell_height(count: int, cell_width: float, height: float | None) -> float:
    if height is not None:
        return layouts.pitch_of(height, count)
    least = LEAST_CELL if LEAST_CELL * count <= TALLEST else 0
    return _whole(min(max(cell_width, least, LEAST_HEIGHT / count), TALLEST / count))


def _text_size(charts: Sequence[HeatmapChart], width: float, height: float) -> tuple[float | None, tuple[str, ...]]:
    """The size at which the texts of all cells fit, or None and a warning where the author's format does not fit."""
    wanted = charts[0].options.cells is not None
    if (most := max(chart.data.size for chart in charts)) > RECTANGLES:
        message = f"cells: {most:,} values are too many to write; the limit is {RECTANGLES:,}"
        return None, (message,) if wanted else ()
    longest = widest(list({text for chart in charts for row in _cell_texts(chart) for text in row}))
    for size in (TEXT, SMALL):
        if longest * size / TEXT <= width - 3 and height >= LINE:
            return size, ()
    across = longest * SMALL / TEXT
    message = (
        f"cells: values are up to {across:.0f} pixels wide, but a cell is {width:.0f} by {height:.0f}; none are written"
    )
    return None, (message,) if wanted else ()


def _cell_texts(chart: HeatmapChart) -> tuple[Labels, ...]:
    rows, columns = chart.data.shape
    return tuple(tuple(_cell(chart, row, column) for column in range(columns)) for row in range(rows))


def _cell(chart: HeatmapChart, row: int, column: int) -> str:
    """Return the text of a cell: its value if there is a format, or what it contains instead of a finite value."""
    value = chart.data[row, column]
    if chart.masked[row, column]:
        return MASKED
    return (
        show(plain(value), chart.options.cells or "")
        if chart.options.cells is not None or not np.isfinite(value)
        else ""
    )


def _reduced_cells(data: Floats, bad: Mask, size: tuple[int, int]) -> tuple[Floats, Mask]:
    """Return cells (rows, columns) as pixels, at most `size`: one for each cell, or the extremes of blocks of cells."""
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


def _extremes(low: Floats, high: Floats, bad: Mask, most: int, middle: float) -> tuple[Floats, Mask]:
    """Return rows of cells as rows of at most `most` pixels: two for each block of cells, as `_two` returns them."""
    count = low.shape[1]
    if count <= most:
        return np.where(bad, middle, low), bad
    blocks = [slice(*pair) for pair in itertools.pairwise(_edges(count, most // 2 - 1))]
    pairs = [_two(low[:, block], high[:, block], bad[:, block], middle) for block in blocks]
    values, holes = (_thickened(np.concatenate(each, 1).T).T for each in zip(*pairs, strict=True))
    return values, holes


def _two(low: Floats, high: Floats, bad: Mask, middle: float) -> tuple[Floats, Mask]:
    """Return the smallest and the largest cell of each row of a block, in their order, as values (rows, 2) and holes.

    A row with a hole has the hole, and the cell that is farthest from the middle.
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


def _edges(count: int, most: int) -> NDArray[np.intp]:
    """Return where blocks of about equally many cells begin, and where the last one ends."""
    blocks = max(1, most)
    return np.arange(blocks + 1) * count // blocks


def _thickened(rows: Array) -> Array:
    """Return the rows with the first and the last one doubled. A browser blends a picture's edge with the paper."""
    return np.concatenate([rows[:1], rows, rows[-1:]])


def _draw_grid(box: Box, shape: tuple[int, ...], on: Canvas) -> None:
    """Draw a frame, so that a white cell has an edge, and lines between cells that are large enough.

    Around very thin cells, the frame is further out, so that it does not cover any of them.
    """
    least = min(box.height / shape[0], box.width / shape[1])
    fine = least >= GRID_FROM
    if least < THIN:
        box = Box(box.left - 0.5, box.top - 0.5, box.width + 1, box.height + 1)
    down = np.linspace(box.top, box.bottom, shape[0] + 1 if fine else 2)
    across = np.linspace(box.left, box.right, shape[1] + 1 if fine else 2)
    segments = [((box.left, box.right), (y, y)) for y in down] + [((x, x), (box.top, box.bottom)) for x in across]
    layouts.draw_segments(on, segments, color.GRID, "data-grid")
