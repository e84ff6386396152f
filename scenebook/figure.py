"""A figure's spec and a scene's values become an SVG and a data table for each panel, and one PNG of the whole.

The SVG of a panel stands in the page and follows its colours; titles, legend and colour bar are the page's own text
around it. The PNG, for cards, feeds and reviews, is on white and has all of them (`sheet`). A scene's own
`draw(figure, values)` gets the same treatment, as one panel named after the function.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from scenebook import canvas, chart, color, panel, sheet, svg, table
from scenebook.chart import Bars, Chart, Heatmap, Scale
from scenebook.errors import Problem, Problems
from scenebook.model import EMPTY, Figure, Text
from scenebook.number import show
from scenebook.panel import Plan
from scenebook.table import Grid, Table, labelled

if TYPE_CHECKING:
    from scenebook.model import Values

DRAWN_HEIGHT = 0.7
"""The height of a figure that a scene draws itself, where none is given: this part of its width."""


@dataclass(frozen=True)
class Legend:
    """One line of a legend: `css` is the colour as a page writes it, `color` its name."""

    label: Text
    color: str
    css: str
    dashed: bool


@dataclass(frozen=True)
class ColorBar:
    """The scale of a heatmap for a page: a CSS gradient with ticks at places from 0 to 1, each with its text.

    Truth values have no gradient but `swatches`: a CSS colour and a text each.
    """

    colormap: str
    vmin: float
    vmax: float
    gradient: str
    ticks: tuple[tuple[float, str], ...]
    swatches: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnPanel:
    """One panel: its SVG, and its data as table (up to 400 cells), CSV (up to 10,000) and summary.

    `bad` counts the cells without a finite value: `1 NaN`, `2 masked`.
    """

    name: str
    svg: str
    legend: tuple[Legend, ...] = ()
    scale: ColorBar | None = None
    table: Table | None = None
    summary: tuple[tuple[str, str], ...] = ()
    csv: bytes | None = None
    bad: tuple[str, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """A figure as plain data: its panels from left to right, the PNG of the whole, and what the author should know."""

    panels: tuple[DrawnPanel, ...]
    png: bytes
    warnings: tuple[Problem, ...] = ()


def draw(figure: Figure, values: "Values", *, name: str, draw: Callable[..., Any] | None = None) -> Drawing:
    """Draw the figure of the scene `name` (`page/scene`); `draw` is the scene's own function, where it names one.

    Raises `Problems` with everything that cannot be drawn, and whatever the scene's function raises.
    """
    if draw is not None:
        return _own(figure, values, name, draw)
    charts = chart.read(figure, values, name)
    scale = chart.scale(figure, charts)
    with canvas.settings():
        plans = [panel.plan(each, figure.width, figure.height) for each in charts]
        panels = tuple(_drawn(each, scale, name) for each in plans)
        try:
            png = sheet.png(figure, plans, scale)
        except ValueError:
            raise Problems(_formula_problems(figure, name)) from None
    return Drawing(panels, png, tuple(_warnings(figure, plans, values, name)))


def check(figure: Figure, values: "Values", *, name: str) -> tuple[Problem, ...]:
    """Everything about a figure with panels that cannot be drawn, without drawing it."""
    try:
        chart.read(figure, values, name)
    except Problems as found:
        return (*found.problems, *_formula_problems(figure, name))
    return tuple(_formula_problems(figure, name))


def warm() -> None:
    """Draw once, since the first figure of a process takes twice as long as the next."""
    values: Any = {"a": np.eye(2)}
    from scenebook.model import Panel

    draw(Figure(EMPTY, EMPTY, (Panel(heatmap=Text("a"), title=Text("$x$")),), cells=EMPTY), values, name="warm/up")


def _drawn(plan: Plan, scale: Scale | None, name: str) -> DrawnPanel:
    of = plan.chart
    page = canvas.sheet(plan.width, plan.height)
    panel.put(plan, page, scale)
    heatmap = isinstance(of, Heatmap)
    grid = _grid(of)
    return DrawnPanel(
        of.name,
        svg.tidy(canvas.to_svg(page.figure), _prefix(name, of.name), color.on_page(), _attributes(plan)),
        legend=tuple(Legend(e.label, e.color, color.variable(e.color), e.dashed) for e in chart.legend(of)),
        scale=_color_bar(scale) if scale and heatmap else None,
        table=table.table(grid),
        summary=table.summary(grid.data, grid.masked),
        csv=table.comma_separated(grid),
        bad=chart.bad_counts(np.ma.array(grid.data, mask=grid.masked)),
    )


def _prefix(name: str, part: str) -> str:
    """What the ids of a panel start with: no other panel of a site has it."""
    return f"{name.replace('/', '-')}-{part}"


def _attributes(plan: Plan) -> dict[str, str]:
    """What a page's script needs to tell the cell under a pointer."""
    if not isinstance(plan.chart, Heatmap):
        return {}
    rows, columns = plan.chart.data.shape
    box = plan.box
    place = " ".join(f"{length:g}" for length in (box.left, box.top, box.width, box.height))
    return {"data-rows": str(rows), "data-columns": str(columns), "data-box": place}


def _color_bar(scale: Scale) -> ColorBar:
    swatches: tuple[tuple[str, str], ...] = ()
    if scale.discrete:
        values = np.array([0.0, 1.0])
        colors = color.paint(values, scale.colormap, scale.vmin, scale.vmax)
        swatches = tuple((color.hexadecimal(each), text) for each, (_, text) in zip(colors, scale.ticks, strict=True))
    gradient = "" if scale.discrete else color.css_gradient(scale.colormap)
    return ColorBar(scale.colormap, scale.vmin, scale.vmax, gradient, scale.ticks, swatches)


def _grid(of: Chart) -> Grid:
    """A chart's data as rows and columns."""
    if isinstance(of, Heatmap):
        rows, columns = of.data.shape
        return Grid(labelled(of.rows, rows), labelled(of.columns, columns), of.data, of.masked, of.format or "")
    if isinstance(of, Bars):
        rows, parts = of.lengths.shape
        columns = labelled(of.parts, parts) if of.stacked else (of.name,)
        return Grid(labelled(of.rows, rows), columns, of.lengths, np.zeros(of.lengths.shape, bool))
    data = np.stack(of.ys, 1)
    labels = tuple(str(entry.label) for entry in of.entries)
    return Grid(tuple(show(x.item()) for x in of.x), labels, data, np.zeros(data.shape, bool), keys=of.x)


# A scene's own drawing -----------------------------------------------------------------------------------------------


def _own(figure: Figure, values: "Values", name: str, function: Callable[..., Any]) -> Drawing:
    place = figure.draw or EMPTY
    height = figure.height or round(DRAWN_HEIGHT * figure.width)
    palette = [color.light(each) for each in chart.CYCLE]
    where = f"scenes.{name.rpartition('/')[2]}.figure.draw"
    with canvas.settings(palette, color.light("ink")) as caught:
        drawn = canvas.drawn_by(function, figure.width, height, values)
        if not canvas.holds_something(drawn):
            message = f"{place}(figure, values) drew nothing; draw on the figure that it is given"
            raise Problems([Problem(place.file, place.line, where, message)])
        text = svg.tidy(canvas.to_svg(drawn), _prefix(name, place), color.on_page())
        png = sheet.own_png(drawn)
        said = dict.fromkeys([*(str(warning.message) for warning in caught), *canvas.small_texts(drawn)])
    warnings = tuple(Problem(place.file, place.line, where, message, warning=True) for message in said)
    return Drawing((DrawnPanel(str(place), text),), png, warnings)


# What the author should know -----------------------------------------------------------------------------------------


def _warnings(figure: Figure, plans: Sequence[Plan], values: "Values", name: str) -> Iterator[Problem]:
    where = f"scenes.{name.rpartition('/')[2]}.figure"
    for number, (plan, spec) in enumerate(zip(plans, figure.panels, strict=True), 1):
        for message in plan.warnings:
            yield Problem(spec.name.file, spec.name.line, f"{where}.panels.{number}", message, warning=True)
        if isinstance(plan.chart, Heatmap) and (bad := _nan_warning(plan.chart)):
            yield Problem(spec.name.file, spec.name.line, f"{where}.panels.{number}", bad, warning=True)
    for place, text, part in _texts(figure, values):
        if missing := canvas.missing_glyphs(text):
            message = f"the PNG's font has no {' '.join(missing)}; the page shows them"
            yield Problem(place.file, place.line, f"{where}.{part}", message, warning=True)


def _nan_warning(of: Heatmap) -> str | None:
    """NaN is seldom meant; what is meant to be empty is masked."""
    counts = chart.bad_counts(np.ma.array(of.data, mask=of.masked))
    if any(count.endswith("NaN") for count in counts):
        return f"{of.name} holds {', '.join(counts)}; mask the cells that are meant to be empty"
    return None


def _titles(figure: Figure) -> Iterator[tuple[Text, str]]:
    """Every text with formulas that the PNG shows, and where it is written."""
    for name in ("rows", "columns", "x", "y"):
        yield getattr(figure, name).title, f"{name}.title"
    for number, each in enumerate(figure.panels, 1):
        yield each.title, f"panels.{number}.title"
        for line in each.lines:
            yield line.label, f"panels.{number}.lines"


def _texts(figure: Figure, values: "Values") -> Iterator[tuple[Text, str, str]]:
    """Every text that the PNG shows: its place, the text, and where it is written."""
    yield from ((title, str(title), part) for title, part in _titles(figure))
    for name in ("rows", "columns"):
        labels = getattr(figure, name).labels
        found = () if labels is None else values[labels]
        if isinstance(found, tuple):
            yield labels or EMPTY, "".join(found), f"{name}.labels"


def _formula_problems(figure: Figure, name: str) -> Iterator[Problem]:
    where = f"scenes.{name.rpartition('/')[2]}.figure"
    for title, part in _titles(figure):
        text = sheet.rich(title)
        if text.math and (message := canvas.formula_problem(text.string)):
            yield Problem(title.file, title.line, f"{where}.{part}", f"'{title}' cannot be drawn: {message}")
