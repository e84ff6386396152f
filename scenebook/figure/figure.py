"""Turns a figure's spec and a scene's values into an SVG and a data table for each panel, and one PNG of the whole.

The SVG of a panel is part of the page and follows its colours. Titles, legend and colour bar are text of the page
around it. The PNG, for cards, feeds and reviews, is on white and includes all of them. A scene's own `draw(figure,
values)` gets the same treatment, as one panel named after the function.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.text import EMPTY, Text
from scenebook.core.text_fields import Form, text_fields
from scenebook.figure import _canvas as canvas
from scenebook.figure import _color_scale as color_scale
from scenebook.figure import _figure_png as figure_png
from scenebook.figure import _layout as layouts
from scenebook.figure import _svg as svg
from scenebook.figure import color, data_table
from scenebook.figure._color_scale import ColorData, ColorScale
from scenebook.figure._kind import Chart, Kind
from scenebook.figure._layout import Layout
from scenebook.figure._looks import CYCLE
from scenebook.figure._rounding_noise import levels
from scenebook.figure._value_reader import ValueReader, bad_counts
from scenebook.figure.drawing import ColorBar, Drawing, DrawnPanel, Legend
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel

if TYPE_CHECKING:
    from scenebook.core.values import Values

HEAVY = 2_000_000
"""A drawing with more characters is a burden for readers."""
NARROWEST, SCROLLED = 288, 360
"""A page shows a panel at least this wide. A single panel wider than the second scrolls, at 11/12 of its size."""
DRAWN_HEIGHT = 0.7
"""If no height is given for a figure that a scene draws itself, its height is this part of its width."""


class _Found(NamedTuple):
    """A panel with its data, and those that it shows by colour. `reader` collects what is wrong with them."""

    panel: Panel
    options: Kind
    chart: Chart
    reader: ValueReader
    colored: ColorData | None


@dataclass(frozen=True)
class _Read:
    """A panel whose data are in place, with the scale of its colours."""

    panel: Panel
    options: Kind
    chart: Chart
    scale: ColorScale | None


def draw(figure: Figure, values: "Values", *, name: str, draw: Callable[..., Any] | None = None) -> Drawing:
    """Draw the figure of the scene `name` (`page/scene`). `draw` is the scene's own function, if it names one.

    Raises `Problems` with everything that cannot be drawn, and whatever the scene's function raises.
    """
    if draw is not None:
        return _draw_by(draw, figure, values, name)
    try:
        panels, png, warnings = _draw_panels(figure, values, name)
    except (Problems, ValueError):
        stop_on(check(figure, values, name=name))
        raise
    return Drawing(panels, png, (*warnings, *_glyph_warnings(figure, values, name)))


def check(figure: Figure, values: "Values", *, name: str) -> tuple[Problem, ...]:
    """Return everything that cannot be drawn in a figure with panels, without drawing it."""
    try:
        read(figure, values, name)
    except Problems as found:
        return (*found.problems, *_formula_problems(figure, name))
    return tuple(_formula_problems(figure, name))


def warm() -> None:
    """Draw once, because the first figure of a process takes twice as long as the next."""
    shown = Panel(heatmap=Text("a"), title=Text("$x$"))
    draw(Figure(EMPTY, EMPTY, (shown,), cells=EMPTY), {"a": np.eye(2)}, name="warm/up")


def read(figure: Figure, values: "Values", name: str) -> tuple[_Read, ...]:
    """Take the data of all panels from the values. Raises `Problems` with everything that cannot be drawn."""
    problems: list[Problem] = []
    found: list[_Found] = []
    for number, panel in enumerate(figure.panels, 1):
        options = figure.options(panel)
        own = panel.own | {panel.kind.key}
        reader = ValueReader(values, f"{_where(name)}", f"panels.{number}", own, figure.panels[0].name, problems)
        if chart := options.read(reader):
            found.append(_Found(panel, options, chart, reader, chart.colored()))
    if len(found) == len(figure.panels):
        _report_ignored(found)
    scales = _scales(found)
    stop_on(problems)
    return tuple(_leveled(found, scales))


def _where(name: str) -> str:
    return f"scenes.{name.rpartition('/')[2]}.figure"


def _report_ignored(found: Sequence[_Found]) -> None:
    """Report options that have no effect on the data: of a panel, or of the figure if none of its panels use them."""
    for each in found:
        for option, message in each.chart.ignored.items():
            head = option.partition(".")[0]
            others = [other for other in found if other.panel is not each.panel and hasattr(other.panel.kind, head)]
            elsewhere = head not in each.panel.own and any(option not in other.chart.ignored for other in others)
            if not elsewhere and (text := _written(each.options, option)) is not None:
                each.reader.fail(text if isinstance(text, str) else None, option, message)


def _written(options: Kind, option: str) -> Any:
    """Return what is written under an option such as `columns.labels`, or None if it is left out."""
    value: Any = options
    for step in option.split("."):
        value = getattr(value, step)
    default = next((each.default for each in fields(options) if each.name == option), None)  # type: ignore[arg-type]
    return None if value == default else value


def _scales(found: Sequence[_Found]) -> dict[Any, ColorScale | None]:
    """Return the scales of the panels that show data by colour, by the options of the scale."""
    shared: dict[Any, list[tuple[ColorData, ValueReader]]] = {}
    for each in found:
        if each.colored:
            shared.setdefault(each.colored.options, []).append((each.colored, each.reader))
    scales = {}
    for options, members in shared.items():
        together = [data for data, _ in members]
        messages = list(color_scale.complaints(together))
        for option, message in messages:
            members[0][1].fail(None, option, message)
        scales[options] = None if messages else color_scale.scale(together)
    return scales


def _leveled(found: Sequence[_Found], scales: Mapping[Any, ColorScale | None]) -> Iterator[_Read]:
    """Yield the panels with their scales. On each scale, data that differ only by rounding noise get one level."""
    colored = [(index, each.colored) for index, each in enumerate(found) if each.colored]
    level: dict[int, float | None] = {}
    for options in scales:
        members = [(index, data.data) for index, data in colored if data.options == options]
        level |= dict(zip((index for index, _ in members), levels(*(data for _, data in members)), strict=True))
    for index, each in enumerate(found):
        scale = scales[each.colored.options] if each.colored else None
        yield _Read(each.panel, each.options, each.chart.leveled(level.get(index)), scale)


def _draw_panels(figure: Figure, values: "Values", name: str) -> tuple[tuple[DrawnPanel, ...], bytes, list[Problem]]:
    reads = read(figure, values, name)
    with canvas.settings():
        plans = [each.chart.layout(figure.width, figure.height) for each in reads]
        stop_on(list(_height_problems(figure, plans, name)))
        pixels = _least_pixels(figure)
        panels = tuple(
            _drawn(each, layout, part, name, pixels)
            for each, layout, part in zip(reads, plans, figure.names, strict=True)
        )
        columns = [
            figure_png.Spec(each.panel.title, *_sides(each.options), layout, each.chart.legend(), each.scale)
            for each, layout in zip(reads, plans, strict=True)
        ]
        png = figure_png.png(columns)
    return panels, png, list(_warnings(reads, plans, panels, name))


def _sides(options: Kind) -> tuple[Axis, Axis]:
    return options.axis(options.sides.vertical), options.axis(options.sides.horizontal)


def _height_problems(figure: Figure, plans: Sequence[Layout], name: str) -> Iterator[Problem]:
    """Report a height that is too small for a panel."""
    needed = math.ceil(max(plan.height for plan in plans) - 0.5)
    if figure.height is not None and figure.height < needed:
        place, where = figure.panels[0].name, f"{_where(name)}.height"
        message = f"{figure.height} pixels are too few for this figure; give at least {needed}, or leave the height out"
        yield Problem(place.file, place.line, where, message)


def _least_pixels(figure: Figure) -> float:
    """Return the pixels of a plain screen per CSS pixel of a panel where its page shows it smallest (site.css)."""
    if figure.width > SCROLLED and len(figure.panels) == 1:
        return 11 / 12
    return min(1, NARROWEST / figure.width)


def _drawn(read: _Read, layout: Layout, part: str, name: str, pixels: float) -> DrawnPanel:
    page = canvas.blank(layout.width, layout.height)
    layouts.draw(layout, page, read.scale, pixels)
    grid = read.chart.grid()
    return DrawnPanel(
        part,
        svg.tidy(canvas.to_svg(page.figure), _prefix(name, part), color.on_page(), layout.attributes()),
        legend=tuple(
            Legend(each.label, each.color, color.variable(each.color), each.dashed, each.again, each.mark)
            for each in read.chart.legend()
        ),
        scale=_color_bar(read.scale) if read.scale else None,
        table=data_table.table(grid),
        summary=data_table.summary(grid.data, grid.masked),
        csv=data_table.comma_separated(grid),
        bad=bad_counts(*read.chart.missing()),
        bad_look=layout.missing_look(pixels),
    )


def _prefix(name: str, part: str) -> str:
    """Return the prefix of a panel's ids. It is different for every panel of a site."""
    return f"{name.replace('/', '-')}-{part}"


def _color_bar(scale: ColorScale) -> ColorBar:
    swatches: tuple[tuple[str, str], ...] = ()
    if scale.discrete:
        values = np.array([0.0, 1.0])
        colors = color.paint(values, scale.colormap, scale.vmin, scale.vmax)
        swatches = tuple((color.hexadecimal(each), text) for each, (_, text) in zip(colors, scale.ticks, strict=True))
    gradient = "" if scale.discrete else color.css_gradient(scale.colormap)
    return ColorBar(scale.colormap, scale.vmin, scale.vmax, gradient, scale.ticks, swatches)


# A scene's own drawing -----------------------------------------------------------------------------------------------


def _draw_by(function: Callable[..., Any], figure: Figure, values: "Values", name: str) -> Drawing:
    place = figure.draw or EMPTY
    height = figure.height or round(DRAWN_HEIGHT * figure.width)
    palette = [color.light(each) for each in CYCLE]
    where = f"{_where(name)}.draw"
    with canvas.settings(palette, color.light("ink")) as caught:
        drawn = canvas.drawn_by(function, figure.width, height, values)
        if not canvas.holds_something(drawn):
            message = f"{place}(figure, values) drew nothing; draw on the figure that it is given"
            raise Problems([Problem(place.file, place.line, where, message)])
        text = svg.tidy(canvas.to_svg(drawn), _prefix(name, place), color.on_page())
        canvas.keep_layout(drawn)
        png = figure_png.own_png(drawn)
        said = [*(str(warning.message) for warning in caught), *canvas.small_texts(drawn), *_weight(text)]
    warnings = tuple(Problem(place.file, place.line, where, message, warning=True) for message in dict.fromkeys(said))
    return Drawing((DrawnPanel(str(place), text),), png, warnings)


# What the author should know -----------------------------------------------------------------------------------------


def _warnings(
    reads: Sequence[_Read], plans: Sequence[Layout], panels: Sequence[DrawnPanel], name: str
) -> Iterator[Problem]:
    for number, (read, layout, drawn) in enumerate(zip(reads, plans, panels, strict=True), 1):
        where, place = f"{_where(name)}.panels.{number}", read.panel.name
        for message in (*layout.warnings, *_weight(drawn.svg)):
            yield Problem(place.file, place.line, where, message, warning=True)
        for text, option, message in read.chart.warnings():
            at = text if text is not None else place
            yield Problem(at.file, at.line, f"{where}.{option}" if option else where, message, warning=True)


def _glyph_warnings(figure: Figure, values: "Values", name: str) -> Iterator[Problem]:
    for place, text, part in _texts(figure, values):
        if missing := canvas.missing_glyphs(text):
            where = f"{_where(name)}.{part}"
            message = f"the font of the PNG lacks {' '.join(missing)}; the page shows them"
            yield Problem(place.file, place.line, where, message, warning=True)


def _weight(text: str) -> Iterator[str]:
    if len(text) > HEAVY:
        yield f"the drawing weighs {len(text) / 1e6:.1f} MB, which every reader has to load; draw fewer elements"


def _labels(figure: Figure) -> Iterator[tuple[Text, str]]:
    """Yield every title and label of a figure that its drawing shows, and where each is written."""
    yield from ((each.text, each.where) for each in text_fields(figure) if each.form is Form.LABEL and each.text)


def _texts(figure: Figure, values: "Values") -> Iterator[tuple[Text, str, str]]:
    """Yield every text that the PNG shows: its place, the text, and where it is written."""
    yield from ((title, str(title), part) for title, part in _labels(figure))
    for path, axis in _axes(figure):
        found = () if axis.labels is None else values[axis.labels]
        if isinstance(found, tuple):
            yield axis.labels or EMPTY, "".join(found), f"{path}.labels"


def _axes(figure: Figure) -> Iterator[tuple[str, Axis]]:
    """Yield every axis of a figure and of its panels, and where each is written."""
    holders: list[tuple[str, Any]] = [("", figure)]
    holders += ((f"panels.{number}.", panel) for number, panel in enumerate(figure.panels, 1))
    for prefix, holder in holders:
        for each in fields(holder):
            if isinstance(axis := getattr(holder, each.name), Axis):
                yield f"{prefix}{each.name}", axis


def _formula_problems(figure: Figure, name: str) -> Iterator[Problem]:
    for title, part in _labels(figure):
        text = figure_png.rich(title)
        if text.math and (message := canvas.formula_problem(text.string)):
            yield Problem(title.file, title.line, f"{_where(name)}.{part}", f"'{title}' cannot be drawn: {message}")
