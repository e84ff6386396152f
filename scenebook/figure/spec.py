"""A figure as its author writes it: panels, axes, colours, caption and alternative text.

pydantic validates these classes, and the schema for editors and the reference come from them, docstrings included.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scenebook.core.text import EMPTY, Model, Text
from scenebook.core.text_fields import Caption, Label, Words

Scale = Literal["linear", "log"]
Colormap = Literal["white_green", "blue_white_green"]
Color = Literal["blue", "green", "orange", "purple", "grey", "query", "key", "value"]


@dataclass(frozen=True)
class Axis(Model):
    """One side of a panel: rows and columns of a heatmap or of bars, x and y of lines."""

    title: Label = EMPTY
    """What the axis shows; formulas in $...$."""
    labels: Text | None = None
    """Rows and columns: the name of the value that labels them (a list of text, or numbers)."""
    values: Text | None = None
    """x of lines: the name of the value (one-dimensional) that holds the positions."""
    scale: Scale = "linear"
    """x and y of lines, x of bars: linear or log."""
    color: Color | None = None
    """The colour of the title, where it stands for queries, keys or values: query, key or value."""


@dataclass(frozen=True)
class Line(Model):
    """One line of a `lines` panel."""

    value: Text
    """The name of the value (one-dimensional) that is drawn."""
    label: Label = EMPTY
    """Its entry in the legend; the value's name when left out. A lone line has a legend only with a label."""
    color: Color | None = None
    """A colour by name; the palette's next one when left out, and dotted lines after the fifth."""
    dashed: bool = False
    """For what is expected rather than measured."""


@dataclass(frozen=True)
class Panel(Model):
    """One drawing of a figure: exactly one of `heatmap`, `bars` and `lines`."""

    heatmap: Text | None = None
    """The name of a two-dimensional value."""
    bars: Text | None = None
    """The name of a value: one-dimensional for plain bars, bars by parts for stacked ones; lengths are to scale."""
    lines: tuple[Line, ...] = ()
    """The lines to draw over the figure's `x`."""
    title: Label = EMPTY
    """Stands above the panel; formulas in $...$."""

    @property
    def name(self) -> Text:
        """The (first) value that the panel draws."""
        return self.heatmap or self.bars or self.lines[0].value


def panel_names(values: Sequence[str]) -> tuple[str, ...]:
    """What the panels of a figure and their files are called: each after the (first) value it draws.

    Where several draw the same one, the first has its name and the others a number: `raw`, `raw-2`. Names that a file
    system or a link could take for the same count as the same.
    """
    taken, names = set(map(_plain_name, values)), list[str]()
    for index, value in enumerate(values):
        name, number = value, 2
        if _plain_name(value) in map(_plain_name, values[:index]):
            while _plain_name(name := f"{value}-{number}") in taken:
                number += 1
        taken.add(_plain_name(name))
        names.append(name)
    return tuple(names)


def _plain_name(name: str) -> str:
    return name.lower().replace("_", "-")


@dataclass(frozen=True)
class Figure(Model):
    """The picture of a scene: one or more panels that share their axes and colours, or a function of its own."""

    caption: Caption
    """Markdown. The first sentence says what to see and is set in bold."""
    alt: Words
    """What the figure shows, for those who do not see it."""
    panels: tuple[Panel, ...] = ()
    """What is drawn, from left to right."""
    draw: Text | None = None
    """Instead of panels: a function `draw(figure, values)` of the scene's module, in plain matplotlib."""
    rows: Axis = Axis()
    """Heatmaps and bars: the rows."""
    columns: Axis = Axis()
    """Heatmaps: the columns. Bars: the parts of a stacked bar."""
    x: Axis = Axis()
    """Lines and bars: the horizontal axis."""
    y: Axis = Axis()
    """Lines: the vertical axis."""
    colormap: Colormap = "white_green"
    """Heatmaps: white_green (0 is white) or blue_white_green (symmetric about 0)."""
    vmin: float | None = None
    """Heatmaps: the value of the colormap's lower end; the least finite value when left out."""
    vmax: float | None = None
    """Heatmaps: the value of the colormap's upper end; the greatest finite value when left out."""
    cells: Text | None = None
    """Heatmaps: a Python number format such as .2f, to write each cell's value into it."""
    colors: tuple[Color, ...] = ()
    """Bars: the colours of the bars, or of the parts of stacked bars, in order."""
    width: int = 330
    """The width of one panel in CSS pixels."""
    height: int | None = None
    """The height of one panel in CSS pixels; chosen from the data when left out."""

    @property
    def names(self) -> tuple[str, ...]:
        """What its panels and their files are called."""
        return panel_names([str(panel.name) for panel in self.panels])
