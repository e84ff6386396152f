"""A drawn figure as plain data, which can be read without the libraries that drew it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from scenebook.core.problems import Problem
from scenebook.core.text import Text
from scenebook.core.tracks import Track
from scenebook.figure.data_table import Table


@dataclass(frozen=True)
class Legend:
    """One line of a legend. `css` is the colour as a page writes it, and `color` is its name.

    `again` means that the colour is used a second time, for a dotted line or a part of a bar that is two strips.
    """

    label: Text
    color: str
    css: str
    dashed: bool
    again: bool = False
    mark: str = "line"


@dataclass(frozen=True)
class ColorBar:
    """The scale of a panel's colours for a page: a CSS gradient, and ticks at places from 0 to 1, each with its text.

    Truth values have no gradient. They have `swatches`, each with a CSS colour and a text.
    """

    colormap: str
    vmin: float
    vmax: float
    gradient: str
    ticks: tuple[tuple[float, str], ...]
    swatches: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class DrawnPanel:
    """One panel: its SVG, and its data as a table (up to 400 cells), as CSV (up to 10,000) and as a summary.

    `bad` counts the values that are not finite (`1 NaN`, `2 masked`), and `bad_look` says how they look.
    """

    name: str
    svg: str
    legend: tuple[Legend, ...] = ()
    scale: ColorBar | None = None
    table: Table | None = None
    summary: tuple[tuple[str, str], ...] = ()
    csv: bytes | None = None
    bad: tuple[str, ...] = ()
    bad_look: str = "hatched"


@dataclass(frozen=True)
class Drawing:
    """A figure as plain data: its panels from left to right, the PNG of the whole, and what the author should know.

    `regions` has what differs at other settings of the scene's controls, by the part of the page that shows it. `texts`
    are those that the scene itself has drawn, at all settings, without the labels of ticks.
    """

    panels: tuple[DrawnPanel, ...]
    png: bytes
    warnings: tuple[Problem, ...] = ()
    regions: Mapping[str, tuple[Track, ...]] = field(default_factory=dict)
    texts: tuple[str, ...] = ()
