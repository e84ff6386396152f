"""Turns a figure's spec and a scene's values into an SVG and a data table for each panel, and one PNG of the whole.

The SVG of a panel is part of the page and follows its colours. Titles, legend and colour bar are text of the page
around it. The PNG, for cards, feeds and reviews, is on white and includes all of them. A scene's own `draw(figure,
values)` gets the same treatment, as one panel named after the function.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scenebook.core.problems import Problem, Problems, stop_on
from scenebook.core.text import EMPTY, Text
from scenebook.core.text_fields import Form, text_fields
from scenebook.figure import _canvas as canvas
from scenebook.figure import _cut_off as cut_off
from scenebook.figure import _figure_png as figure_png
from scenebook.figure import _layout as layouts
from scenebook.figure import _own_colors as own_colors
from scenebook.figure import _svg as svg
from scenebook.figure import color, data_table
from scenebook.figure._color_scale import ColorScale
from scenebook.figure._kind import Kind
from scenebook.figure._layout import Layout
from scenebook.figure._looks import CYCLE, LegendEntry
from scenebook.figure._reading import Read, find, shaded, shades, where_of
from scenebook.figure._value_reader import bad_counts
from scenebook.figure.drawing import ColorBar, Drawing, DrawnPanel, Legend
from scenebook.figure.options import Axis
from scenebook.figure.sharing import Shared
from scenebook.figure.spec import Figure, Panel
from scenebook.formulas.mistake import FormulaError

if TYPE_CHECKING:
    from scenebook.core.values import Values

HEAVY = 2_000_000
"""A drawing with more characters is a burden for readers."""
NARROWEST, SCROLLED = 288, 360
"""A page shows a panel at least this wide. A single panel wider than the second scrolls, at 11/12 of its size."""
DRAWN_HEIGHT = 0.7
"""If no height is given for a figure that a scene draws itself, its height is this part of its width."""


class _Plan(NamedTuple):
    """A panel whose data have their places, with the entries of its legend."""

    read: Read
    layout: Layout
    legend: tuple[LegendEntry, ...]


def draw(
    figure: Figure,
    values: "Values",
    *,
    name: str,
    draw: Callable[..., Any] | None = None,
    shared: Shared | None = None,
    png: bool = True,
) -> Drawing:
    """Draw the figure of the scene `name` (`page/scene`). `draw` is the scene's own function, if it names one.

    `shared` is what it shares with the same figure at other settings of the scene's controls. Without `png`, only what
    a page shows is made: the PNG and the CSV files are left out.
    Raises `Problems` with everything that cannot be drawn, and whatever the scene's function raises.
    """
    if draw is not None:
        return _draw_by(draw, figure, values, name, png=png)
    try:
        reads = read(figure, values, name, shared)
        with canvas.settings():
            plans = tuple(_plan(figure, reads, shared))
            stop_on(list(_height_problems(figure, plans, name)))
            panels = tuple(_draw_panels(plans, figure, name, complete=png))
            file = _png(plans) if png else b""
    except (Problems, ValueError):
        stop_on(check(figure, values, name=name, shared=shared))
        raise
    glyphs = _glyph_warnings(figure, values, name) if png else ()
    return Drawing(panels, file, (*_warnings(plans, panels, name), *glyphs))


def check(figure: Figure, values: "Values", *, name: str, shared: Shared | None = None) -> tuple[Problem, ...]:
    """Everything about a figure with panels that cannot be drawn, without drawing it."""
    try:
        read(figure, values, name, shared)
    except Problems as found:
        return (*found.problems, *_formula_problems(figure, name))
    return tuple(_formula_problems(figure, name))


def warm() -> None:
    """Draw once, because the first figure of a process takes twice as long as the next."""
    shown = Panel(heatmap=Text("a"), title=Text("$x$"))
    draw(Figure(EMPTY, EMPTY, (shown,), cells=EMPTY), {"a": np.eye(2)}, name="warm/up")


def warm_own() -> None:
    """Draw what most drawings of scenes have, because each of them is made in a fork of this process."""
    import matplotlib.pyplot  # noqa: F401 - many scenes import it

    warm()
    shown = Figure(EMPTY, EMPTY, draw=Text("warm"), width=240)
    draw(shown, {}, name="warm/up", draw=_typical)


def _typical(figure: Any, values: "Values") -> None:
    left, right = figure.subplots(1, 2)
    left.plot([0, 1], [0, 1], label="$x_1$")
    left.set(title="a", xlabel="b", ylabel="c")
    left.legend()
    left.tick_params(axis="x", rotation=45)
    left.text(0, 0, "d")
    right.imshow(np.eye(2))
    right.bar([0, 1], [1, 1])


def read(figure: Figure, values: "Values", name: str, shared: Shared | None = None) -> tuple[Read, ...]:
    """Take the data of all panels from the values; raises `Problems` with everything that cannot be drawn."""
    problems: list[Problem] = []
    found = find(figure, values, name, problems)
    known = shades(found) if shared is None else shared.shades
    stop_on(problems)
    return tuple(shaded(found, known))


def _draw_panels(plans: Sequence[_Plan], figure: Figure, name: str, *, complete: bool) -> Iterator[DrawnPanel]:
    pixels = _least_pixels(figure)
    for plan, part in zip(plans, figure.names, strict=True):
        yield _drawn(plan, part, name, pixels, complete=complete)


def _plan(figure: Figure, reads: Sequence[Read], shared: Shared | None) -> Iterator[_Plan]:
    """Lay out each panel in the frame that all settings share, or in one of its own."""
    for index, read in enumerate(reads):
        chart = read.chart
        frame = shared.frames[index] if shared else chart.frame([chart], figure.width, figure.height)
        yield _Plan(read, chart.layout(frame), chart.legend(frame))


def _png(plans: Sequence[_Plan]) -> bytes:
    return figure_png.png(
        [
            figure_png.Spec(read.panel.title, *_sides(read.options), layout, legend, read.scale)
            for read, layout, legend in plans
        ]
    )


def _sides(options: Kind) -> tuple[Axis, Axis]:
    return options.axis(options.sides.vertical), options.axis(options.sides.horizontal)


def _height_problems(figure: Figure, plans: Sequence[_Plan], name: str) -> Iterator[Problem]:
    """Report a height that is too small for a panel."""
    needed = math.ceil(max(plan.layout.height for plan in plans) - 0.5)
    if figure.height is not None and figure.height < needed:
        place, where = figure.panels[0].name, f"{where_of(name)}.height"
        message = f"{figure.height} pixels are too few for this figure; give at least {needed}, or leave the height out"
        yield Problem(place.file, place.line, where, message)


def _least_pixels(figure: Figure) -> float:
    """Return the pixels of a plain screen per CSS pixel of a panel where its page shows it smallest (site.css)."""
    if figure.width > SCROLLED and len(figure.panels) == 1:
        return 11 / 12
    return min(1, NARROWEST / figure.width)


def _drawn(plan: _Plan, part: str, name: str, pixels: float, *, complete: bool) -> DrawnPanel:
    read, layout, legend = plan
    page = canvas.blank(layout.width, layout.height)
    layouts.draw(layout, page, read.scale, pixels)
    grid = read.chart.grid()
    return DrawnPanel(
        part,
        svg.tidy(canvas.to_svg(page.figure), _prefix(name, part), color.on_page(), layout.attributes()),
        legend=tuple(
            Legend(each.label, each.color, color.variable(each.color), each.dashed, each.again, each.mark)
            for each in legend
        ),
        scale=_color_bar(read.scale) if read.scale else None,
        table=data_table.table(grid),
        summary=data_table.summary(grid.data, grid.masked),
        csv=data_table.comma_separated(grid) if complete else None,
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


def _draw_by(function: Callable[..., Any], figure: Figure, values: "Values", name: str, *, png: bool) -> Drawing:
    place = figure.draw or EMPTY
    height = figure.height or round(DRAWN_HEIGHT * figure.width)
    palette = [color.light(each) for each in CYCLE]
    where = f"{where_of(name)}.draw"
    with canvas.settings(palette, color.light("ink")) as caught:
        drawn = canvas.drawn_by(function, figure.width, height, values)
        if not canvas.holds_something(drawn):
            message = f"{place}(figure, values) drew nothing; draw on the figure that it is given"
            raise Problems([Problem(place.file, place.line, where, message)])
        with canvas.settled_fonts():
            canvas.lay_out(drawn)
            on_page = own_colors.keep_on_colors(drawn)
            text = _own_svg(drawn, _prefix(name, place))
            cut = tuple(cut_off.cut_off(drawn))
            file = figure_png.own_png(drawn) if png else b""
        said = [*_said(caught), *cut, *own_colors.hardly_visible(on_page), *canvas.small_texts(drawn), *_weight(text)]
    warnings = tuple(Problem(place.file, place.line, where, message, warning=True) for message in dict.fromkeys(said))
    return Drawing((DrawnPanel(str(place), text),), file, warnings, texts=canvas.texts_of(drawn))


def _said(caught: Sequence[Any]) -> Iterator[str]:
    """Yield what matplotlib warned of, in words for an author."""
    for warning in caught:
        if said := cut_off.about_layout(str(warning.message)):
            yield said


def _own_svg(drawn: Any, prefix: str) -> str:
    raw = canvas.to_svg(drawn)
    colors = own_colors.turning(drawn, raw)
    return svg.tidy(raw, prefix, colors, {"fill": colors["black"]} if colors else {})


# What the author should know -----------------------------------------------------------------------------------------


def _warnings(plans: Sequence[_Plan], panels: Sequence[DrawnPanel], name: str) -> Iterator[Problem]:
    for number, ((read, layout, _), drawn) in enumerate(zip(plans, panels, strict=True), 1):
        where, place = f"{where_of(name)}.panels.{number}", read.panel.name
        for message in (*layout.warnings, *_weight(drawn.svg)):
            yield Problem(place.file, place.line, where, message, warning=True)
        for text, option, message in read.chart.warnings():
            at = text if text is not None else place
            yield Problem(at.file, at.line, f"{where}.{option}" if option else where, message, warning=True)


def _glyph_warnings(figure: Figure, values: "Values", name: str) -> Iterator[Problem]:
    for place, text, part in _texts(figure, values):
        if missing := canvas.missing_glyphs(text):
            where = f"{where_of(name)}.{part}"
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


def _formula_problem(title: str) -> str | None:
    """Return why the formulas of a title cannot be drawn, or None if they can."""
    try:
        text = figure_png.rich(title)
    except FormulaError as error:
        return error.message
    return canvas.formula_problem(text.string) if text.math else None


def _formula_problems(figure: Figure, name: str) -> Iterator[Problem]:
    for title, part in _labels(figure):
        if message := _formula_problem(title):
            yield Problem(title.file, title.line, f"{where_of(name)}.{part}", f"'{title}' cannot be drawn: {message}")
