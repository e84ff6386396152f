"""Scatter: points in groups, each placed by two values. Size and colour can show two more values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from scenebook.core.lazy import lazy
from scenebook.core.number_format import show
from scenebook.core.text import EMPTY, Model, ValueName
from scenebook.core.text_fields import Label
from scenebook.figure import _color_scale as color_scale
from scenebook.figure import color
from scenebook.figure._color_scale import ColorData
from scenebook.figure._kind import Chart, Kind, Sides, Warned
from scenebook.figure._layout import AxisLayout
from scenebook.figure._looks import LegendEntry, chosen_looks, shown_entries, too_many
from scenebook.figure._plot import PlotData, PlotFrame, PlotLayout
from scenebook.figure._rounding_noise import evened, finite
from scenebook.figure._value_reader import LEAST, bad_counts, off_log_scale
from scenebook.figure.data_table import Grid
from scenebook.figure.options import Axis, Color, Colormap

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure import _canvas as canvas
    from scenebook.figure._canvas import Canvas
    from scenebook.figure._color_scale import ColorScale
    from scenebook.figure._rounding_noise import Array, Floats
    from scenebook.figure._value_reader import ValueReader
else:
    np, canvas = lazy("numpy"), lazy("scenebook.figure._canvas")

RADIUS, SMALLEST, LARGEST = 3.5, 2.0, 11.0
"""The radius of a point in CSS pixels, and the radii of the smallest and the largest point if radii show a value."""
SHAPE = 0.8
"""If no height is given, the height of a panel of points is this part of its width."""
MARGIN = 0.03
"""The space between the outermost points and the ends of the axes, as a part of the axis."""


@dataclass(frozen=True)
class Points(Model):
    """One group of points of a `scatter` panel."""

    x: ValueName
    """The name of a value (one-dimensional): the horizontal position of each point."""
    y: ValueName
    """The name of a value (one-dimensional): the vertical position of each point."""
    label: Label = EMPTY
    """The group's entry in the legend; by default, the name of its y. A single group has a legend only with a label."""
    color: Color | None = None
    """A colour by name; by default, the next one of the palette."""
    size_by: ValueName | None = None
    """The name of a value that is not negative. The area of each point is proportional to it."""
    color_by: ValueName | None = None
    """The name of a value that the colormap shows, instead of the group's own colour."""


@dataclass(frozen=True)
class Scatter(Kind):
    """Points in groups."""

    key: ClassVar = "scatter"
    naming: ClassVar = "y"
    sides: ClassVar = Sides("y", "x", "↑")
    axes: ClassVar = {"x": ("title", "scale"), "y": ("title", "scale")}

    scatter: tuple[Points, ...]
    """Groups of points, each with its own x and y."""
    x: Axis = Axis()
    """The horizontal axis."""
    y: Axis = Axis()
    """The vertical axis."""
    colormap: Colormap = "white_green"
    """For points with `color_by`: white_green or blue_white_green (symmetric about 0)."""
    vmin: float | None = None
    """For points with `color_by`: the value at the lower end of the colormap."""
    vmax: float | None = None
    """For points with `color_by`: the value at the upper end of the colormap."""

    @classmethod
    def complaints(cls, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the limits, whatever the data are."""
        yield from color_scale.written_complaints(options)

    def read(self, reader: ValueReader) -> ScatterChart | None:
        """Take the positions, sizes and colours of each group."""
        groups = [self._group(reader, points, number) for number, points in enumerate(self.scatter, 1)]
        found = [group for group in groups if group is not None]
        if len(found) < len(groups):
            return None
        chosen = chosen_looks([points.color for points in self.scatter])
        entries = tuple(
            LegendEntry(points.label or points.y, color, again=again, mark="dot")
            for points, (color, again) in zip(self.scatter, chosen, strict=True)
        )
        return ScatterChart(str(self.scatter[0].y), self, tuple(found), entries)

    def _group(self, reader: ValueReader, points: Points, number: int) -> Group | None:
        option = f"scatter.{number}"
        names = {"x": points.x, "y": points.y, "size_by": points.size_by, "color_by": points.color_by}
        arrays = {
            key: reader.array(name, f"{option}.{key}", "a group of points", (1,)) for key, name in names.items() if name
        }
        if any(array is None for array in arrays.values()):
            return None
        known = {key: array for key, array in arrays.items() if array is not None}
        for key, message in self._complaints_of_group(points, known):
            reader.fail(getattr(points, key), f"{option}.{key}", f"{getattr(points, key)}: {message}")
        return Group(known["x"], known["y"], known.get("size_by"), known.get("color_by"))

    def _complaints_of_group(self, points: Points, arrays: Mapping[str, Array]) -> Iterator[tuple[str, str]]:
        count = arrays["x"].size
        for key, array in arrays.items():
            if array.size != count:
                message = f"has {array.size} elements, but {points.x} has {count}; each point needs one of each"
                yield key, message
        for key, axis in (("x", self.x), ("y", self.y)):
            least = min(finite(arrays[key]), default=1)
            if axis.scale == "log" and least < LEAST:
                yield key, off_log_scale(least)
        if "size_by" in arrays and (least := min(finite(arrays["size_by"]), default=0)) < 0:
            yield "size_by", f"a size must not be negative, found {show(least)}"


@dataclass(frozen=True)
class Group:
    """Points (n,) at `x` and `y`, perhaps with sizes and with values that colours show."""

    x: Array
    y: Array
    size: Array | None
    shade: Array | None

    @property
    def there(self) -> Array:
        """Whether each point has a place, and a size if sizes are shown."""
        shown = [self.x, self.y, *([] if self.size is None else [self.size])]
        finite_values: Array = np.all([np.isfinite(np.ma.filled(each.astype(float), np.nan)) for each in shown], 0)
        return finite_values


@dataclass(frozen=True)
class ScatterChart(Chart):
    """Groups of points, each with an entry of the legend."""

    options: Scatter
    groups: tuple[Group, ...]
    entries: tuple[LegendEntry, ...]
    level: float | None = None

    @property
    def ignored(self) -> Mapping[str, str]:  # type: ignore[override]
        """The options of the colormap, unless colours show a value."""
        if any(group.shade is not None for group in self.groups):
            return {}
        message = "is for points with color_by, but no group of this panel has it; leave it out"
        return dict.fromkeys(("colormap", "vmin", "vmax"), message)

    @property
    def drawn(self) -> tuple[bool, ...]:
        """Whether each group has a point in a colour of its own."""
        return tuple(bool(group.there.any()) and group.shade is None for group in self.groups)

    def shown(self, side: str) -> tuple[Array, ...]:
        """The positions of the points that are drawn, by group: along `x` or `y`."""
        return tuple(_shown(getattr(group, side), group) for group in self.groups)

    @classmethod
    def frame(cls, charts: Sequence[Self], width: float, height: float | None) -> PlotFrame:
        """Two axes with room for the outermost points."""
        options = charts[0].options
        xs, ys = (tuple(part for chart in charts for part in chart.shown(side)) for side in ("x", "y"))
        data = PlotData(xs, ys, options.x.scale == "log", options.y.scale == "log")
        found = PlotFrame.of(data, width, round(SHAPE * width) if height is None else height, widen=_with_room)
        drawn = tuple(map(any, zip(*(chart.drawn for chart in charts), strict=True)))
        return replace(found, drawn=drawn, greatest=_greatest_size([g for chart in charts for g in chart.groups]))

    def layout(self, frame: PlotFrame) -> ScatterLayout:
        """The points on the axes."""
        return ScatterLayout.of(self, self.shown("y"), frame)

    def grid(self) -> Grid:
        """Return one row for each point of every group, in order."""
        names = self._columns()
        columns = [np.concatenate([_floats(group, key) for group in self.groups]) for key in names.values()]
        data = np.stack([np.ma.getdata(column) for column in columns], 1)
        masked = np.stack([np.ma.getmaskarray(column) for column in columns], 1)
        rows = [
            f"{entry.label} {index}" if len(self.groups) > 1 else str(index)
            for entry, group in zip(self.entries, self.groups, strict=True)
            for index in range(group.x.size)
        ]
        return Grid(tuple(rows), tuple(names), data, masked, rich=True)

    def _columns(self) -> dict[str, str]:
        """Return the columns of the table by label: everything that is drawn of each point."""
        options, first = self.options, self.options.scatter[0]
        names = {str(options.x.title or first.x): "x", str(options.y.title or first.y): "y"}
        for key, named in (("size", "size_by"), ("shade", "color_by")):
            chosen = next((name for points in options.scatter if (name := getattr(points, named))), None)
            if chosen:
                names[str(chosen)] = key
        return names

    def missing(self) -> tuple[Array, ...]:
        """Return the positions, and the sizes if they are shown."""
        sizes = [group.size for group in self.groups if group.size is not None]
        return (*(side for group in self.groups for side in (group.x, group.y)), *sizes)

    def legend(self, frame: PlotFrame | None = None) -> tuple[LegendEntry, ...]:
        """The groups that are drawn in a colour of their own; a lone group needs no entry unless it has a label."""
        drawn = frame.drawn if frame else self.drawn
        return shown_entries(self.entries, drawn, (points.label for points in self.options.scatter))

    def colored(self) -> ColorData | None:
        """Return the values of the groups that show them by colour, or None."""
        shades = [np.ma.array(group.shade) for group in self.groups if group.shade is not None]
        if not shades:
            return None
        options = self.options
        return ColorData(np.ma.concatenate(shades), options.colormap, options.vmin, options.vmax)  # type: ignore[no-untyped-call]

    def leveled(self, level: float | None) -> Self:
        """Return the chart with all coloured points at one level."""
        return replace(self, level=level)

    def warnings(self) -> Iterator[Warned]:
        """Yield a warning if there are too many groups to tell apart, and for points that have no place."""
        plain = [points for points in self.options.scatter if not points.color_by]
        if message := too_many([points.color for points in plain], [False] * len(plain), "groups"):
            yield Warned(None, "", message)
        for number, (points, group) in enumerate(zip(self.options.scatter, self.groups, strict=True), 1):
            counts = bad_counts(group.x, group.y, *([] if group.size is None else [group.size]))
            if any(not count.endswith("masked") for count in counts):
                message = f"{points.y} has points without a place ({', '.join(counts)}); mask them if this is intended"
                yield Warned(points.y, f"scatter.{number}", message)


def _shown(values: Array, group: Group) -> Array:
    """Return the values of the points that have a place."""
    shown: Array = np.ma.getdata(values)[group.there]
    return shown


def _floats(group: Group, key: str) -> Array:
    """Return a column of the table, masked for a group that has no such value."""
    values = getattr(group, key)
    if values is None:
        return np.ma.masked_all(group.x.size)  # type: ignore[no-any-return, no-untyped-call]
    return np.ma.array(values.astype(float))


def _with_room(axis: AxisLayout) -> AxisLayout:
    """Return the axis with a little space at both ends, so that no point is on the edge."""
    if axis.log:
        factor = (axis.high / axis.low) ** MARGIN
        return replace(axis, low=axis.low / factor, high=axis.high * factor)
    room = MARGIN * (axis.high - axis.low)
    return replace(axis, low=axis.low - room, high=axis.high + room)


@dataclass(frozen=True)
class ScatterLayout(PlotLayout[ScatterChart]):
    """Points on two axes."""

    def draw_data(self, on: Canvas, scale: ColorScale | None, pixels: float) -> None:
        """Draw the axes, then the groups in order."""
        self.draw_axes(on)
        groups = self.chart.groups
        xs, ys = evened(*(group.x for group in groups)), evened(*(group.y for group in groups))
        for group, entry, x, y in zip(groups, self.chart.entries, xs, ys, strict=True):
            there = group.there
            if there.any():
                places = np.stack([self.x.place(x[there]), self.y.place(y[there])], 1)
                self._draw_group(on, group, entry, places, _radii(group, self.frame.greatest)[there], scale)

    def _draw_group(
        self, on: Canvas, group: Group, entry: LegendEntry, places: Floats, radii: Floats, scale: ColorScale | None
    ) -> None:
        if group.shade is None:
            ring = color.light(entry.color)
            canvas.dots(on, places, radii, "none" if entry.again else ring, edge=ring, gid="points")
            return
        shades = np.ma.array(group.shade)[group.there]
        fills = self._fills(shades, scale)
        canvas.dots(on, places, radii, fills, edge=color.GRID, gid="data-points")

    def _fills(self, shades: Array, scale: ColorScale | None) -> list[str]:
        """Return a colour for each point, which is grey if its value is not finite."""
        values = np.ma.filled(shades.astype(float), np.nan)
        level = self.chart.level
        known = values if level is None else np.full_like(values, level)
        return [color.hexadecimal(fill) for fill in color_scale.colors(known, ~np.isfinite(values), scale)]


def _greatest_size(groups: Sequence[Group]) -> float:
    """Return the largest size of all groups, which belongs to the largest point."""
    sizes = [float(finite(group.size).max(initial=0)) for group in groups if group.size is not None]
    return max(sizes, default=0.0) or 1.0


def _radii(group: Group, greatest: float) -> Floats:
    """Return the radius of each point. Its area is proportional to its size, but no point is too small to see."""
    if group.size is None:
        return np.full(group.x.size, RADIUS)
    sizes = np.nan_to_num(np.ma.filled(group.size.astype(float), 0.0), posinf=0.0, neginf=0.0)
    radii: Floats = np.maximum(SMALLEST, LARGEST * np.sqrt(np.clip(sizes, 0, None) / greatest))
    return radii
