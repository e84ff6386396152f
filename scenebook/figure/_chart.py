"""What a figure shows, before it has a size: its spec and a scene's values become charts and a scale.

`read` gives them or says everything that cannot be drawn. The rules:

- white_green runs from the least to the greatest finite value of all heatmaps of the figure, unless `vmin` and `vmax`
  say otherwise; blue_white_green is symmetric about 0, to the greatest magnitude; truth values run from false to true;
  a constant keeps its colour, on a scale from 0 to it;
- a heatmap's NaN, infinite and masked cells have no colour: they are counted and named; so are the gaps of lines; a bar
  must have a length;
- values whose whole span is rounding noise (`noise`) are drawn as equal: cells in one colour, lines level, bars equally
  long. Tables and files keep their digits.
"""

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from scenebook.core.number_format import MINUS, plain, show
from scenebook.core.problems import Problem, stop_on
from scenebook.core.text import Text
from scenebook.figure._rounding_noise import FINE, NOISE, Extent, alike, epsilon, extent, finite, levels
from scenebook.figure.spec import Axis, Color, Colormap, Figure, Line, Panel

if TYPE_CHECKING:
    from scenebook.core.values import Values

CYCLE: tuple[Color, ...] = ("blue", "orange", "green", "purple", "grey")
"""The colours of lines and parts that name none, in order; then the same again with another look."""
APART = 8
"""So many lines or parts of a panel are told apart by colour and dash."""
GREATEST, LEAST = 1e300, 1e-300
"""No axis and no colour scale can be computed beyond the first magnitude; no log scale and no span below the second."""

Array = NDArray[Any]
Labels = tuple[str, ...]
Look = tuple[Color, bool]


@dataclass(frozen=True)
class LegendEntry:
    """One line of a legend: what stands for what. `color` is a name of the palette.

    `again` tells that another one has the colour already: a line is dotted, and a part of a bar is two strips.
    """

    label: Text
    color: Color
    dashed: bool = False
    again: bool = False


@dataclass(frozen=True)
class Scale:
    """What the colours of a figure's heatmaps mean: `ticks` are places from 0 to 1, each with what it stands for.

    `discrete` holds for truth values: the colours at the two ticks, and none between.
    """

    colormap: Colormap
    vmin: float
    vmax: float
    ticks: tuple[tuple[float, str], ...]
    discrete: bool = False


@dataclass(frozen=True)
class Heatmap:
    """Cells (rows, columns); labels are empty where there are none; `format` writes a cell's value into it.

    Where its cells, or those of the whole figure, are equal but for rounding noise, `level` is what they are drawn as.
    """

    name: str
    title: Text
    data: Array
    masked: NDArray[np.bool_]
    rows: Labels
    columns: Labels
    format: str | None
    level: float | None = None


@dataclass(frozen=True)
class Bars:
    """Horizontal bars: `lengths` (bars, parts), with a colour for each bar where there is one part, else for each part.

    `stacked` tells whether there are parts; `again` which of them are two strips, since their colour is in use.
    """

    name: str
    title: Text
    lengths: Array
    rows: Labels
    parts: Labels
    colors: tuple[Color, ...]
    log: bool
    stacked: bool
    again: tuple[bool, ...] = ()


@dataclass(frozen=True)
class Lines:
    """Lines over shared positions `x` (n,): `ys` (n,) each, perhaps masked, with an entry of the legend each.

    `labelled` tells whether the author gave a label to one of them.
    """

    name: str
    title: Text
    x: Array
    ys: tuple[Array, ...]
    entries: tuple[LegendEntry, ...]
    log_x: bool
    log_y: bool
    labelled: bool = False


Chart = Heatmap | Bars | Lines


def read(figure: Figure, values: "Values", scene: str) -> tuple[Chart, ...]:
    """The panels of a figure with their data in place; raises `Problems` with everything that cannot be drawn."""
    reader = _Reader(figure, values, f"scenes.{scene.rpartition('/')[2]}.figure")
    found = [_chart(reader, panel, f"panels.{number}") for number, panel in enumerate(figure.panels, 1)]
    charts = tuple(chart for chart in found if chart is not None)
    heatmaps = [chart for chart in charts if isinstance(chart, Heatmap)]
    _check_limits(reader, heatmaps)
    _check_columns(reader, charts)
    stop_on(reader.problems)
    even = iter(levels(*map(_cells, heatmaps)))
    return tuple(replace(each, level=next(even)) if isinstance(each, Heatmap) else each for each in charts)


def scale(figure: Figure, charts: Sequence[Chart]) -> Scale | None:
    """The one scale of a figure's heatmaps; none where there is no heatmap, or no finite value and no limit."""
    heatmaps = [chart for chart in charts if isinstance(chart, Heatmap)]
    limits = _limits(figure, heatmaps)
    if limits is None:
        return None
    if _all_bool(heatmaps):
        places = [(value - limits[0]) / (limits[1] - limits[0]) for value in (0, 1)]
        return Scale(figure.colormap, *limits, ((places[0], "false"), (places[1], "true")), discrete=True)
    least, greatest = _extent(heatmaps) or limits
    texts = _limit_texts(*limits)
    low = ("≤ " if _beyond(limits[0], least, limits, heatmaps) else "") + texts[0]
    high = ("≥ " if _beyond(greatest, limits[1], limits, heatmaps) else "") + texts[1]
    middle = [(0.5, "0")] if figure.colormap == "blue_white_green" else []
    return Scale(figure.colormap, *limits, ((0.0, low), *middle, (1.0, high)))


def legend(of: Chart) -> tuple[LegendEntry, ...]:
    """The legend of lines and of named parts; parts of one name and look are one entry.

    A lone line needs none unless it has a label, and a line without a finite value has no entry.
    """
    if isinstance(of, Lines):
        drawn = tuple(entry for entry, y in zip(of.entries, of.ys, strict=True) if finite(y).size)
        return drawn if len(of.entries) > 1 or of.labelled else ()
    if isinstance(of, Bars) and of.parts:
        looks = zip(of.parts, of.colors, of.again, strict=True)
        entries = (LegendEntry(Text(part), color, again=again) for part, color, again in looks)
        return tuple(dict.fromkeys(entries))
    return ()


def show_limit(limit: float, digits: int = 4) -> str:
    """A limit as a page shows it: whole where it is whole, else with so many digits."""
    return show(int(limit)) if limit.is_integer() and abs(limit) < 1e15 else show(limit, f".{digits}g")


def bad_counts(*data: Array) -> Labels:
    """What has no place on a scale, counted: `1 NaN`, `2 inf`, `1 masked`."""
    flat = np.concatenate([np.ma.compressed(each).astype(float) for each in data])
    counts = {
        "NaN": int(np.isnan(flat).sum()),
        "inf": int((flat == np.inf).sum()),
        f"{MINUS}inf": int((flat == -np.inf).sum()),
        "masked": sum(int(np.ma.getmaskarray(each).sum()) for each in data),
    }
    return tuple(f"{count} {name}" for name, count in counts.items() if count)


@dataclass(frozen=True)
class _Reader:
    """A figure, the values it draws, and the problems found so far."""

    figure: Figure
    values: "Values"
    where: str
    problems: list[Problem] = field(default_factory=list)

    def fail(self, text: str | None, where: str, message: str) -> None:
        """Note a problem; what has no place of its own (a number, a list) stands where the first panel does."""
        place = text if isinstance(text, Text) else self.figure.panels[0].name
        self.problems.append(Problem(place.file, place.line, f"{self.where}.{where}", message))

    def array(self, name: Text, where: str, what: str, dimensions: tuple[int, ...]) -> Array | None:
        """The array of that name, or None and a problem."""
        if name not in self.values:
            self.fail(name, where, _missing(name, self.values))
            return None
        value = self.values[name]
        if message := _unfit(value, what, dimensions):
            self.fail(name, where, f"{name}: {message}")
            return None
        return np.asanyarray(value)

    def labels(self, axis: Axis, where: str, counts: int, what: str) -> Labels:
        """The labels that an axis names, one for each of `counts`; empty where it names none, or wrong ones."""
        name = axis.labels
        if name is None:
            return ()
        labels = self.values.get(name)
        if name not in self.values:
            self.fail(name, f"{where}.labels", _missing(name, self.values))
        elif isinstance(labels, np.ndarray) and np.ma.is_masked(labels):
            self.fail(name, f"{where}.labels", f"{name}: some of the labels are masked; write each of them")
        elif not _is_labels(labels):
            message = f"{name}: labels are a list of texts or numbers, found {_description(labels)}"
            self.fail(name, f"{where}.labels", message)
        elif len(labels) != counts:  # type: ignore[arg-type]
            message = f"{name} has {len(labels)} and there are {counts} {what}; give each a label"  # type: ignore[arg-type]
            self.fail(name, f"{where}.labels", message)
        else:
            return tuple(label if isinstance(label, str) else show(plain(label)) for label in labels)  # type: ignore[union-attr]
        return ()


def _missing(name: str, values: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, values, 1)
    hint = f"did you mean '{near[0]}'? The scene" if near else "the scene"
    return f"there is no value '{name}'; {hint} has: {', '.join(sorted(values)) or 'no values'}"


def _unfit(value: Any, what: str, dimensions: tuple[int, ...]) -> str | None:
    """Why a value is no array to draw, or None."""
    wanted = " or ".join({1: "one-dimensional", 2: "two-dimensional"}[dimension] for dimension in dimensions)
    accepted = f"{what} takes a {wanted} array of bool, int or float"
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return f"{accepted}, found {_description(value)}"
    if value.ndim not in dimensions:
        hint = "; index it with [None] to show it as one row" if (value.ndim, dimensions) == (1, (2,)) else ""
        return f"{accepted}, found {_description(value)}{hint}"
    if not value.size:
        return f"{accepted} with something in it, found {_description(value)}"
    greatest = abs(finite(value)).max(initial=0)
    return f"{what} shows numbers up to {GREATEST:g}, found {greatest:g}" if greatest > GREATEST else None


def _description(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, tuple | list):
        return f"a list of {len(value)}"
    return f"the {'text' if isinstance(value, str) else 'number'} {value!r}"


def _is_labels(value: Any) -> bool:
    array = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf"
    return array or (isinstance(value, tuple | list) and all(isinstance(label, str) for label in value))


def _chart(reader: _Reader, panel: Panel, where: str) -> Chart | None:
    if panel.heatmap is not None:
        return _heatmap(reader, panel, panel.heatmap, f"{where}.heatmap")
    if panel.bars is not None:
        return _bars(reader, panel, panel.bars, f"{where}.bars")
    return _lines(reader, panel, f"{where}.lines")


def _heatmap(reader: _Reader, panel: Panel, name: Text, where: str) -> Heatmap | None:
    value = reader.array(name, where, "a heatmap", (2,))
    if value is None:
        return None
    figure, spec = reader.figure, reader.figure.cells
    rows = reader.labels(figure.rows, "rows", value.shape[0], f"rows of {name}")
    columns = reader.labels(figure.columns, "columns", value.shape[1], f"columns of {name}")
    if spec and (message := _misfit(value, spec)):
        reader.fail(spec, "cells", f"{name}: {message}")
    masked = np.ma.getmaskarray(value)
    return Heatmap(str(name), panel.title, np.ma.getdata(value), masked, rows, columns, spec)


def _misfit(value: Array, spec: str) -> str | None:
    """Why a format does not fit the type of the cells, or None."""
    try:
        show(plain(value.dtype.type(0)), spec)
    except ValueError as error:
        return str(error)
    return None


def _bars(reader: _Reader, panel: Panel, name: Text, where: str) -> Bars | None:
    value = reader.array(name, where, "bars", (1, 2))
    if value is None:
        return None
    stacked, log = value.ndim == 2, reader.figure.x.scale == "log"
    for message in _bar_complaints(value, stacked, log):
        reader.fail(name, where, f"{name}: {message}")
    lengths = np.ma.getdata(value).reshape(len(value), -1)
    rows = reader.labels(reader.figure.rows, "rows", len(lengths), f"bars of {name}")
    parts = reader.labels(reader.figure.columns, "columns", lengths.shape[1], f"parts of {name}") if stacked else ()
    looks = _bar_looks(reader, name, value.shape[-1], stacked)
    colors, again = tuple(color for color, _ in looks), tuple(again for _, again in looks)
    return Bars(str(name), panel.title, lengths, rows, parts, colors, log, stacked, again)


def _bar_complaints(value: Array, stacked: bool, log: bool) -> Iterator[str]:
    if bad := bad_counts(value):
        yield f"the length of a bar is a finite number, found {', '.join(bad)}"
    least = min(finite(value), default=1)
    if stacked and least < 0:
        yield f"the parts of a stacked bar are not negative, found {show(least)}"
    if stacked and log:
        yield "stacked bars need a linear scale; x.scale is log"
    if log and not stacked and least < LEAST:
        yield _off_log_scale(least)


def _bar_looks(reader: _Reader, name: str, count: int, stacked: bool) -> tuple[Look, ...]:
    """A colour for each bar or part, and whether another part has it already."""
    given = reader.figure.colors
    if not given:
        return _looks(count, CYCLE) if stacked else ((CYCLE[0], False),) * count
    if len(given) not in (1, count):
        what = "parts" if stacked else "bars"
        reader.fail(None, "colors", f"{len(given)} colours for the {count} {what} of {name}; give one for each, or one")
    return tuple((color, False) for color in (given * count if len(given) == 1 else given))


def _looks(count: int, free: Sequence[Color]) -> tuple[Look, ...]:
    """So many looks: the free colours, then every colour again in its other look, and all of these once more."""
    looks = [*((color, False) for color in free), *((color, True) for color in CYCLE)]
    return tuple(looks[index % len(looks)] for index in range(count))


def _lines(reader: _Reader, panel: Panel, where: str) -> Lines | None:
    figure = reader.figure
    x = None if figure.x.values is None else reader.array(figure.x.values, "x.values", "an axis", (1,))
    ys = [reader.array(line.value, where, "a line", (1,)) for line in panel.lines]
    found = [y for y in ys if y is not None]
    if len(found) < len(ys) or (x is None and figure.x.values is not None):
        return None
    log_x, log_y = figure.x.scale == "log", figure.y.scale == "log"
    if x is not None and figure.x.values is not None:
        for message in _axis_complaints(x, log_x):
            reader.fail(figure.x.values, "x.values", f"{figure.x.values}: {message}")
    elif log_x:
        reader.fail(None, "x.scale", "a log scale needs positions above 0; name them in x.values")
    positions = np.arange(found[0].size) if x is None else np.ma.getdata(x)
    _check_lines(reader, panel.lines, found, positions, where)
    labelled = any(line.label for line in panel.lines)
    return Lines(str(panel.name), panel.title, positions, tuple(found), _entries(panel.lines), log_x, log_y, labelled)


def _axis_complaints(x: Array, log: bool) -> Iterator[str]:
    if bad := bad_counts(x):
        yield f"a position is a finite number, found {', '.join(bad)}"
    least = min(finite(x), default=1)
    if log and least < LEAST:
        yield _off_log_scale(least)


def _off_log_scale(least: float) -> str:
    return f"a log scale shows numbers {f'from {show(LEAST)}' if least > 0 else 'above 0'}, found {show(least)}"


def _check_lines(reader: _Reader, lines: Sequence[Line], ys: Sequence[Array], x: Array, where: str) -> None:
    other = reader.figure.x.values or lines[0].value
    for line, y in zip(lines, ys, strict=True):
        least = min(finite(y), default=1)
        if reader.figure.y.scale == "log" and least < LEAST:
            reader.fail(line.value, where, f"{line.value}: {_off_log_scale(least)}")
        if y.size != x.size:
            message = f"{line.value} has {y.size} elements and {other} has {x.size}; a line has one for each position"
            reader.fail(line.value, where, message)


def _entries(lines: Sequence[Line]) -> tuple[LegendEntry, ...]:
    """A look for each line: the colour it names, or the next look that no line has claimed."""
    claimed = {line.color for line in lines}
    unnamed = sum(line.color is None for line in lines)
    looks = iter(_looks(unnamed, [color for color in CYCLE if color not in claimed]))
    chosen = [(line.color, False) if line.color else next(looks) for line in lines]
    return tuple(
        LegendEntry(line.label or line.value, color, line.dashed, again)
        for line, (color, again) in zip(lines, chosen, strict=True)
    )


def _check_columns(reader: _Reader, charts: Sequence[Chart]) -> None:
    """Plain bars have no columns."""
    labels = reader.figure.columns.labels
    whole = len(charts) == len(reader.figure.panels)
    if labels and whole and not any(map(_has_columns, charts)):
        message = "plain bars have rows and no columns, which are the parts of stacked bars; label the rows instead"
        reader.fail(labels, "columns.labels", message)


def _has_columns(chart: Chart) -> bool:
    return isinstance(chart, Heatmap) or (isinstance(chart, Bars) and chart.stacked)


def _check_limits(reader: _Reader, heatmaps: Sequence[Heatmap]) -> None:
    figure = reader.figure
    given = {name: limit for name in ("vmin", "vmax") if (limit := getattr(figure, name)) is not None}
    endless = [name for name, limit in given.items() if not abs(limit) <= GREATEST]
    for name in endless:
        reader.fail(None, name, f"a limit is a finite number, found {show(given[name])}")
    if _all_bool(heatmaps):
        _check_truth(reader, list(given))
        return
    limits = None if endless else _limits(figure, heatmaps)
    if limits is None or not given:
        return
    first = next(iter(given))
    if figure.colormap == "blue_white_green" and not _symmetric(figure.vmin, figure.vmax):
        message = "blue_white_green is symmetric about 0: give vmax alone, above 0, or vmin as its negative"
        reader.fail(None, first, message)
    elif limits[0] >= limits[1] or alike(*limits, FINE if len(given) > 1 else _epsilon(heatmaps)):
        which = [f"{name} is {show_limit(limit)}" for name, limit in zip(("vmin", "vmax"), limits, strict=True)]
        reader.fail(None, first, f"vmin must be below vmax: {', '.join(which)}")


def _check_truth(reader: _Reader, given: list[str]) -> None:
    """The two colours of truth values are fixed."""
    if reader.figure.colormap == "blue_white_green":
        given.append("colormap")
    for name in given:
        reader.fail(None, name, f"truth values are white for false and green for true; leave {name} out")


def _symmetric(vmin: float | None, vmax: float | None) -> bool:
    if vmin is not None and vmax is not None:
        return vmin == -vmax < 0
    return vmin < 0 if vmin is not None else vmax is None or vmax > 0


def _limits(figure: Figure, heatmaps: Sequence[Heatmap]) -> Extent | None:
    """The values at the two ends of the colormap."""
    found, vmin, vmax = _extent(heatmaps), figure.vmin, figure.vmax
    if not heatmaps:
        return None
    if figure.colormap == "blue_white_green":
        return _mirrored(found, vmax if vmax is not None else None if vmin is None else -vmin)
    if vmin is not None and vmax is not None:
        return float(vmin), float(vmax)
    if found is None:
        return None
    if vmin is None and vmax is None:
        return (0.0, 1.0) if _all_bool(heatmaps) else _spread(*found)
    return _with_limit(found, vmin, vmax, _epsilon(heatmaps))


def _mirrored(found: Extent | None, limit: float | None) -> Extent | None:
    """From minus the limit to it, or else to the greatest magnitude."""
    if limit is None:
        if found is None:
            return None
        limit = max(map(abs, found)) or 1.0
    return float(-limit), float(limit)


def _with_limit(found: Extent, vmin: float | None, vmax: float | None, epsilon: float) -> Extent:
    """From or to the limit that is given; where that is the only value, the other end is one away from it."""
    least, greatest = found
    given = vmin if vmin is not None else vmax
    assert given is not None
    if least == greatest and alike(least, given, epsilon):
        least, greatest = given - 1, given + 1
    return (least, float(given)) if vmin is None else (float(given), greatest)


def _spread(least: float, greatest: float) -> tuple[float, float]:
    """A constant is seen against 0."""
    if least < greatest:
        return least, greatest
    return (min(least, 0.0), max(greatest, 0.0)) if least else (0.0, 1.0)


def _extent(heatmaps: Sequence[Heatmap]) -> Extent | None:
    return extent(*map(_cells, heatmaps))


def _epsilon(heatmaps: Sequence[Heatmap]) -> float:
    return epsilon(*(chart.data for chart in heatmaps))


def _cells(of: Heatmap) -> Array:
    return np.ma.array(of.data, mask=of.masked)


def _beyond(one: float, other: float, limits: Extent, heatmaps: Sequence[Heatmap]) -> bool:
    """Whether the first is greater by more than rounding noise, on a scale with these limits."""
    noise = NOISE * FINE * max(map(abs, limits))
    return one - other > noise and not alike(one, other, _epsilon(heatmaps))


def _limit_texts(low: float, high: float) -> tuple[str, str]:
    """The two ends of a scale, with digits that tell them apart; noise beside the other end is 0."""
    greatest = max(abs(low), abs(high))
    digits = max(4, math.ceil(math.log10(greatest / (high - low))) + 2)
    ends = (0.0 if abs(limit) <= NOISE * FINE * greatest else limit for limit in (low, high))
    first, last = (show_limit(limit, min(digits, 17)) for limit in ends)
    return first, last


def _all_bool(heatmaps: Sequence[Heatmap]) -> bool:
    return bool(heatmaps) and all(chart.data.dtype.kind == "b" for chart in heatmaps)
