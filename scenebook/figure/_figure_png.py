"""The PNG of a figure: its panels side by side on white, with titles, legend and colour bar.

It is made for cards, feeds and reviews. It is twice the size of the page's figure, but at most 1,200 pixels wide if the
text stays readable at that width, and no side is longer than 4,000 pixels.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from scenebook.core.scanner import scan
from scenebook.core.text import Text
from scenebook.figure import _canvas as canvas
from scenebook.figure import _layout as layouts
from scenebook.figure import color
from scenebook.figure._canvas import Canvas, Stroke, Style, text_width
from scenebook.figure._color_scale import ColorScale
from scenebook.figure._labels import wrapped
from scenebook.figure._layout import Layout
from scenebook.figure._looks import LegendEntry, dashes, strips
from scenebook.figure._sizes import GAP, LINE, SMALL
from scenebook.figure.options import Axis
from scenebook.formulas import mathtext

MARGIN, BETWEEN = 16, 28
TITLE, TITLE_LINE = 13, 19
ENTRY = LINE + 2
INK = color.light("ink")
BAR_WIDTH, BAR_HEIGHT, SWATCH = 160, 10, 12
SCALE_HEIGHT = LINE + BAR_HEIGHT + 3 * GAP
WIDTH, LONGEST, SCALE = 1200, 4000, 2.0
_SPACE = "\0"
_MARKS = re.compile(r"\\[A-Za-z]+|[{}^_$\\]")


@dataclass(frozen=True)
class RichText:
    """A text for matplotlib. With `math`, formulas are between dollars."""

    string: str
    math: bool

    @property
    def lines(self) -> int:
        """The number of lines."""
        return self.string.count("\n") + 1 if self.string else 0


class Spec(NamedTuple):
    """What the PNG shows of a panel: its title, its vertical and horizontal axis, its drawing, legend and scale."""

    title: Text
    vertical: Axis
    horizontal: Axis
    layout: Layout
    legend: tuple[LegendEntry, ...]
    scale: ColorScale | None


@dataclass(frozen=True)
class Column:
    """A panel with its texts, from the top: title, vertical axis, the panel, horizontal axis, legend, scale.

    `scale` colours the panel. `own_scale` is drawn below it if the panels have different scales.
    """

    layout: Layout
    title: RichText
    above: tuple[RichText, str]
    below: tuple[RichText, str]
    legend: tuple[LegendEntry, ...]
    scale: ColorScale | None
    own_scale: ColorScale | None


def png(panels: Sequence[Spec]) -> bytes:
    """Draw the whole figure. Raises `ValueError` if matplotlib cannot draw a formula."""
    scales = list(dict.fromkeys(panel.scale for panel in panels if panel.scale))
    shared = scales[0] if len(scales) == 1 else None
    columns = [_column(panel, None if shared else panel.scale) for panel in panels]
    heights = _heights(columns)
    width = 2 * MARGIN + sum(column.layout.width for column in columns) + BETWEEN * (len(columns) - 1)
    height = 2 * MARGIN + sum(heights) + (SCALE_HEIGHT if shared else 0)
    pixels = _scale(width, height)
    page = canvas.blank(width, height, pixels, "white")
    left = float(MARGIN)
    for column in columns:
        _put(column, heights, page.moved(left, MARGIN), pixels)
        left += column.layout.width + BETWEEN
    if shared:
        length = min(BAR_WIDTH, width - 2 * MARGIN)
        _put_scale(shared, page.moved(MARGIN, height - MARGIN - LINE - BAR_HEIGHT), length)
    return canvas.to_png(page.figure)


def own_png(drawn: Any) -> bytes:
    """Return the PNG of a figure that a scene's function has drawn, on white unless it has its own background."""
    width, height = (side * canvas.CSS_DPI for side in drawn.get_size_inches())
    if not drawn.get_facecolor()[3]:
        drawn.set_facecolor("white")
    drawn.set_dpi(canvas.CSS_DPI * _scale(width, height))
    return canvas.to_png(drawn)


def rich(text: str, width: float = float("inf"), size: float = TITLE) -> RichText:
    """Return a text with formulas, wrapped to about this width. Dollar amounts and code in it stay as they are."""
    spans = [span for span in scan(text) if span.raw]
    math = any(span.kind in ("formula", "display") for span in spans)
    parts = []
    for span in spans:
        if span.kind in ("formula", "display"):
            drawable = mathtext.for_matplotlib(" ".join(span.inner.split()), canvas.has_command)
            parts.append(f"${drawable}$".replace(" ", _SPACE))
        else:
            plain = span.inner if span.kind in ("text", "code", "escape") else span.raw
            parts.append(plain.replace("$", r"\$") if math else plain)
    lines = wrapped("".join(parts), width, lambda line: text_width(_apparent(line), size))
    return RichText(lines.replace(_SPACE, " ") if math else lines, math)


def _apparent(text: str) -> str:
    """Return a text that is about as wide as the original with its formulas typeset."""
    return _MARKS.sub(lambda match: "x" if len(match[0]) > 1 else "", text)


def _scale(width: float, height: float) -> float:
    return min(SCALE, max(1.0, WIDTH / width), LONGEST / width, LONGEST / height)


def _column(panel: Spec, own_scale: ColorScale | None) -> Column:
    width = panel.layout.width
    above, below = (
        (rich(axis.title, width, SMALL), color.light(axis.color or "muted"))
        for axis in (panel.vertical, panel.horizontal)
    )
    return Column(panel.layout, rich(panel.title, width), above, below, panel.legend, panel.scale, own_scale)


def _heights(columns: Sequence[Column]) -> tuple[float, float, float]:
    """Return the heights of titles, axis titles and the rest in the tallest column, so that the panels are level."""
    titles = max(column.title.lines for column in columns) * TITLE_LINE
    above = max(column.above[0].lines for column in columns) * LINE
    body = max(_scale_top(column) + (SCALE_HEIGHT if column.own_scale else 0) for column in columns)
    return titles + (GAP if titles else 0), above + (GAP if above else 0), body


def _legend_top(column: Column) -> float:
    below = column.below[0].lines * LINE
    return column.layout.height + (below + GAP if below else 0) + (GAP if column.legend else 0)


def _scale_top(column: Column) -> float:
    return _legend_top(column) + len(column.legend) * ENTRY


def _put(column: Column, heights: tuple[float, float, float], page: Canvas, pixels: float) -> None:
    layout = column.layout
    body = page.moved(0, heights[0] + heights[1])
    layouts.draw(layout, body, column.scale, pixels)
    _put_rich(column.title, page, Style(INK, TITLE, "left", line=TITLE_LINE))
    _put_rich(column.above[0], page.moved(0, heights[0]), Style(column.above[1], SMALL, "left"))
    middle = layout.box.left + layout.box.width / 2
    _put_rich(column.below[0], body.moved(middle, layout.height + GAP / 2), Style(column.below[1], SMALL))
    for index, entry in enumerate(column.legend):
        _put_entry(entry, body.moved(layout.box.left, _legend_top(column) + index * ENTRY))
    if column.own_scale:
        _put_scale(column.own_scale, body.moved(layout.box.left, _scale_top(column) + 2 * GAP), BAR_WIDTH)


def _put_rich(text: RichText, page: Canvas, style: Style) -> None:
    if text.string:
        canvas.text(page, 0, text.lines * style.line / 2, text.string, replace(style, math=text.math))


def _put_entry(entry: LegendEntry, page: Canvas) -> None:
    ink = color.light(entry.color)
    left = 22 if entry.mark == "line" else SWATCH
    if entry.mark == "line":
        canvas.line(page, [0, left], [LINE / 2, LINE / 2], Stroke(ink, 2, dashes(entry)))
    elif entry.mark == "dot":
        middle = [(SWATCH / 2, LINE / 2)]
        canvas.dots(page, middle, [SWATCH / 3], "none" if entry.again else ink, edge=ink, gid="swatch")
    else:
        swatch = np.array([[0, (LINE - SWATCH) / 2, SWATCH, SWATCH]])
        canvas.boxes(page, strips(swatch) if entry.again else swatch, [ink], gid="swatch")
    label = rich(entry.label)
    canvas.text(page, left + GAP, LINE / 2, label.string, Style(INK, align="left", math=label.math))


def _put_scale(scale: ColorScale, page: Canvas, length: float) -> None:
    """Draw the colour bar with its ticks, or a swatch for each truth value."""
    if scale.discrete:
        _put_swatches(scale, page)
        return
    steps = 64
    edges = np.linspace(0, length, steps + 1)
    values = np.linspace(scale.vmin, scale.vmax, steps)
    corners = [(left, 0, right - left, BAR_HEIGHT) for left, right in pairwise(edges)]
    canvas.boxes(page, corners, color.paint(values, scale.colormap, scale.vmin, scale.vmax), gid="scale")
    _put_frame(page, length, BAR_HEIGHT)
    for place, text in scale.ticks:
        align: canvas.Align = "left" if place == 0 else "right" if place == 1 else "center"
        canvas.text(page, place * length, BAR_HEIGHT + LINE / 2 + 2, text, Style(INK, align=align))


def _put_swatches(scale: ColorScale, page: Canvas) -> None:
    colors = color.paint(np.array([0.0, 1.0]), scale.colormap, scale.vmin, scale.vmax)
    left = 0.0
    for fill, (_, text) in zip(colors, scale.ticks, strict=True):
        canvas.boxes(page.moved(left, 0), [(0, 0, SWATCH, SWATCH)], [color.hexadecimal(fill)], gid="scale")
        _put_frame(page.moved(left, 0), SWATCH, SWATCH)
        canvas.text(page, left + SWATCH + GAP, SWATCH / 2, text, Style(INK, align="left"))
        left += SWATCH + GAP + text_width(text) + 3 * GAP


def _put_frame(page: Canvas, width: float, height: float) -> None:
    canvas.line(page, [0, width, width, 0, 0], [0, 0, height, height, 0], Stroke(color.GRID))
