"""A figure's spec and a scene's values become an SVG and a data table for each panel, and one PNG of the whole.

The SVG of a panel stands in the page and follows its colours; titles, legend and colour bar are the page's own text
around it. The PNG, for cards, feeds and reviews, is on white and has all of them (`sheet`). A scene's own
`draw(figure, values)` gets the same treatment, as one panel named after the function.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from scenebook.core.number_format import show
from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.text import EMPTY, Text
from scenebook.figure import _canvas as canvas
from scenebook.figure import _chart as chart
from scenebook.figure import _figure_png as figure_png
from scenebook.figure import _panel as panel
from scenebook.figure import _svg as svg
from scenebook.figure import color, data_table
from scenebook.figure._chart import Bars, Chart, Heatmap, Lines, Scale
from scenebook.figure._panel import Layout
from scenebook.figure._rounding_noise import finite
from scenebook.figure.data_table import Grid, Labels, labelled
from scenebook.figure.drawing import ColorBar, Drawing, DrawnPanel, Legend
from scenebook.figure.spec import Figure, Line, Panel
from scenebook.formulas import labels as formula_labels

if TYPE_CHECKING:
    from scenebook.core.values import Values

HEAVY = 2_000_000
"""A drawing of more characters is a burden for readers."""
NARROWEST, SCROLLED = 288, 360
"""A page shows a panel at least so wide; one alone that is wider than the second is scrolled, at 11/12 of its size."""
DRAWN_HEIGHT = 0.7
"""The height of a figure that a scene draws itself, where none is given: this part of its width."""


def draw(figure: Figure, values: "Values", *, name: str, draw: Callable[..., Any] | None = None) -> Drawing:
    """Draw the figure of the scene `name` (`page/scene`); `draw` is the scene's own function, where it names one.

    Raises `Problems` with everything that cannot be drawn, and whatever the scene's function raises.
    """
    if draw is not None:
        return _own(figure, values, name, draw)
    try:
        panels, plans, png = _panels(figure, values, name)
    except (Problems, ValueError):
        stop_on(check(figure, values, name=name))
        raise
    warnings = [*_warnings(figure, plans, panels, name), *_glyph_warnings(figure, values, name)]
    return Drawing(panels, png, tuple(warnings))


def check(figure: Figure, values: "Values", *, name: str) -> tuple[Problem, ...]:
    """Everything about a figure with panels that cannot be drawn, without drawing it."""
    try:
        chart.read(figure, values, name)
    except Problems as found:
        return (*found.problems, *_formula_problems(figure, name))
    return tuple(_formula_problems(figure, name))


def warm() -> None:
    """Draw once, since the first figure of a process takes twice as long as the next."""
    shown = Panel(heatmap=Text("a"), title=Text("$x$"))
    draw(Figure(EMPTY, EMPTY, (shown,), cells=EMPTY), {"a": np.eye(2)}, name="warm/up")


def _panels(figure: Figure, values: "Values", name: str) -> tuple[tuple[DrawnPanel, ...], list[Layout], bytes]:
    charts = chart.read(figure, values, name)
    scale = chart.scale(figure, charts)
    with canvas.settings():
        plans = [panel.plan(each, figure.width, figure.height) for each in charts]
        stop_on(list(_height_problems(figure, plans, name)))
        pixels = _least_pixels(figure)
        named = zip(plans, figure.names, strict=True)
        panels = tuple(_drawn(each, scale, part, name, pixels) for each, part in named)
        return panels, plans, figure_png.png(figure, plans, scale)


def _height_problems(figure: Figure, plans: Sequence[Layout], name: str) -> Iterator[Problem]:
    """A height in which a panel has no room would not be kept."""
    needed = math.ceil(max(plan.height for plan in plans) - 0.5)
    if figure.height is not None and figure.height < needed:
        place, where = figure.panels[0].name, f"scenes.{name.rpartition('/')[2]}.figure.height"
        message = f"{figure.height} pixels are too few for this figure; give at least {needed}, or leave the height out"
        yield Problem(place.file, place.line, where, message)


def _least_pixels(figure: Figure) -> float:
    """Pixels of a plain screen to a CSS pixel of a panel, where its page shows it at its smallest (site.css)."""
    if figure.width > SCROLLED and len(figure.panels) == 1:
        return 11 / 12
    return min(1, NARROWEST / figure.width)


def _drawn(plan: Layout, scale: Scale | None, part: str, name: str, pixels: float) -> DrawnPanel:
    of = plan.chart
    page = canvas.blank(plan.width, plan.height)
    panel.put(plan, page, scale, pixels)
    data, masked = _data(of)
    grid = _grid(of, data, masked) if data.size <= data_table.CSV_CELLS else None
    keys = chart.legend(of)
    return DrawnPanel(
        part,
        svg.tidy(canvas.to_svg(page.figure), _prefix(name, part), color.on_page(), _attributes(plan)),
        legend=tuple(Legend(e.label, e.color, color.variable(e.color), e.dashed, e.again) for e in keys),
        scale=_color_bar(scale) if scale and isinstance(of, Heatmap) else None,
        table=data_table.table(grid) if grid else None,
        summary=data_table.summary(data, masked),
        csv=data_table.comma_separated(_in_words(of, grid)) if grid else None,
        bad=chart.bad_counts(np.ma.array(data, mask=masked)),
        bad_look=_bad_look(plan, pixels),
    )


def _bad_look(plan: Layout, pixels: float) -> Literal["hatched", "grey", "gap"]:
    if not isinstance(plan.chart, Heatmap):
        return "gap"
    return "grey" if panel.is_picture(plan, plan.chart, pixels) else "hatched"


def _prefix(name: str, part: str) -> str:
    """What the ids of a panel start with: no other panel of a site has it."""
    return f"{name.replace('/', '-')}-{part}"


def _attributes(plan: Layout) -> dict[str, str]:
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


def _data(of: Chart) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A chart's numbers as rows and columns, and which of them are masked."""
    if isinstance(of, Heatmap):
        return of.data, of.masked
    if isinstance(of, Bars):
        return of.lengths, np.zeros(of.lengths.shape, bool)
    ys = [np.ma.array(y.astype(float)) for y in of.ys]
    return np.stack([np.ma.getdata(y) for y in ys], 1), np.stack([np.ma.getmaskarray(y) for y in ys], 1)


def _grid(of: Chart, data: NDArray[Any], masked: NDArray[np.bool_]) -> Grid:
    """The same with a label for each row and column."""
    rows, columns = data.shape
    if isinstance(of, Heatmap):
        return Grid(_names(of.rows, rows), _names(of.columns, columns), data, masked, of.format or "")
    if isinstance(of, Bars):
        parts = labelled(of.parts, columns) if of.stacked else (of.name,)
        return Grid(_names(of.rows, rows), parts, data, masked)
    labels = tuple(str(entry.label) for entry in of.entries)
    return Grid(tuple(show(x.item()) for x in of.x), labels, data, masked, keys=of.x)


def _names(labels: Labels, count: int) -> Labels:
    return tuple(map(formula_labels.computed_label, labelled(labels, count)))


def _in_words(of: Chart, grid: Grid) -> Grid:
    """The same for a file, which can hold no formulas: the labels that a legend shows are in words."""
    return grid if isinstance(of, Heatmap) else replace(grid, columns=tuple(map(formula_labels.label, grid.columns)))


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
        canvas.keep_layout(drawn)
        png = figure_png.own_png(drawn)
        said = [*(str(warning.message) for warning in caught), *canvas.small_texts(drawn), *_weight(text)]
    warnings = tuple(Problem(place.file, place.line, where, message, warning=True) for message in dict.fromkeys(said))
    return Drawing((DrawnPanel(str(place), text),), png, warnings)


# What the author should know -----------------------------------------------------------------------------------------


def _warnings(figure: Figure, plans: Sequence[Layout], panels: Sequence[DrawnPanel], name: str) -> Iterator[Problem]:
    for number, (plan, drawn, spec) in enumerate(zip(plans, panels, figure.panels, strict=True), 1):
        where = f"scenes.{name.rpartition('/')[2]}.figure.panels.{number}"
        said = (
            *plan.warnings,
            *_nan_warning(plan.chart),
            *_crowd_warning(plan.chart, spec, figure),
            *_weight(drawn.svg),
        )
        for message in said:
            yield Problem(spec.name.file, spec.name.line, where, message, warning=True)
        if isinstance(plan.chart, Lines):
            yield from _gap_warnings(plan.chart, spec.lines, f"{where}.lines")


def _glyph_warnings(figure: Figure, values: "Values", name: str) -> Iterator[Problem]:
    for place, text, part in _texts(figure, values):
        if missing := canvas.missing_glyphs(text):
            where = f"scenes.{name.rpartition('/')[2]}.figure.{part}"
            message = f"the PNG's font has no {' '.join(missing)}; the page shows them"
            yield Problem(place.file, place.line, where, message, warning=True)


def _weight(text: str) -> Iterator[str]:
    if len(text) > HEAVY:
        yield f"the drawing weighs {len(text) / 1e6:.1f} MB, which every reader has to load; draw fewer elements"


def _nan_warning(of: Chart) -> Iterator[str]:
    """NaN is seldom meant; what is meant to be empty is masked."""
    counts = chart.bad_counts(np.ma.array(of.data, mask=of.masked)) if isinstance(of, Heatmap) else ()
    if any(count.endswith("NaN") for count in counts):
        yield f"{of.name} holds {', '.join(counts)}; mask the cells that are meant to be empty"


def _gap_warnings(of: Lines, lines: Sequence[Line], where: str) -> Iterator[Problem]:
    """What of a line is not drawn, unless it is masked; and a line of which nothing is."""
    for line, y in zip(lines, of.ys, strict=True):
        counts = chart.bad_counts(y)
        if not finite(y).size:
            said = f"{line.value} has no finite value ({', '.join(counts)}), so neither panel nor legend shows it"
            message = f"{said}; check the scene, or leave the line out"
        elif any(not count.endswith("masked") for count in counts):
            message = f"{line.value} holds {', '.join(counts)}; mask what is meant to be a gap"
        else:
            continue
        yield Problem(line.value.file, line.value.line, where, message, warning=True)


def _crowd_warning(of: Chart, spec: Panel, figure: Figure) -> Iterator[str]:
    """More lines or parts than can be told apart, unless their author has coloured them."""
    count, what = 0, "parts"
    if isinstance(of, Lines) and any(line.color is None for line in spec.lines):
        looks = [(line.color, line.dashed) for line in spec.lines if line.color]
        count, what = len(set(looks)) + len(spec.lines) - len(looks), "lines"
    elif isinstance(of, Bars) and of.stacked and not figure.colors:
        count = len(of.colors)
    if count > chart.APART:
        yield f"{count} {what} are too many to tell apart; draw at most {chart.APART} a panel, or give groups a colour"


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
        text = figure_png.rich(title)
        if text.math and (message := canvas.formula_problem(text.string)):
            yield Problem(title.file, title.line, f"{where}.{part}", f"'{title}' cannot be drawn: {message}")
