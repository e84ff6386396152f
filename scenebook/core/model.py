"""The frozen dataclasses that flow between the modules: the storyboard as the author wrote it.

There is one set of them. `storyboard.py` has pydantic validate these very classes (and generate the editor's schema
from them, the docstrings under the fields included); the rest of the engine reads them and never sees pydantic. This
module imports nothing heavy, so that a build that has nothing to do costs nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    import numpy as np

    Scalar = bool | int | float | str
    Value = Scalar | tuple[str, ...] | np.ndarray[Any, np.dtype[Any]]
    Values = Mapping[str, Value]

Scale = Literal["linear", "log"]
Colormap = Literal["white_green", "blue_white_green"]
Color = Literal["blue", "green", "orange", "purple", "grey", "query", "key", "value"]
NumberRule = Literal["strict", "warn", "off"]


class Text(str):
    """A scalar of a storyboard, as written, that knows its place.

    `line` is the line of its first character; `breaks` are the offsets at which what is written on the next lines of
    the file begins, so that an offset in the text leads to a line of the file.
    """

    file: str
    line: int
    breaks: tuple[int, ...]

    def __new__(cls, raw: str, file: str = "", line: int = 0, breaks: tuple[int, ...] = ()) -> Text:
        text = super().__new__(cls, raw)
        text.file, text.line, text.breaks = file, line, breaks
        return text

    def line_at(self, offset: int) -> int:
        """The line of the file on which the character at `offset` stands."""
        return self.line + bisect_right(self.breaks, offset)

    def part(self, start: int, end: int) -> Text:
        """The text from one offset to another, which knows its place too."""
        breaks = tuple(offset - start for offset in self.breaks if start < offset <= end)
        return Text(self[start:end], self.file, self.line_at(start), breaks)

    def __reduce__(self) -> tuple[type[Text], tuple[str, str, int, tuple[int, ...]]]:
        return Text, (str(self), self.file, self.line, self.breaks)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.json_or_python_schema(core_schema.str_schema(), core_schema.is_instance_schema(cls))


EMPTY = Text("")


class Model:
    """What the classes below share: a key that is not a field is a mistake."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid"}


@dataclass(frozen=True)
class Axis(Model):
    """One side of a panel: rows and columns of a heatmap or of bars, x and y of lines."""

    title: Text = EMPTY
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
    label: Text = EMPTY
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
    title: Text = EMPTY
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

    caption: Text
    """Markdown. The first sentence says what to see and is set in bold."""
    alt: Text
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


@dataclass(frozen=True)
class Claim(Model):
    """A sentence the page stands for, and the expression that the build checks."""

    say: Text
    """The claim in words."""
    check: Text
    """The claim as an expression over values, such as `scene.after > 2 * scene.before`."""


@dataclass(frozen=True)
class Scene(Model):
    """A part of a page: prose, and perhaps a computation, its figure and its claims."""

    id: Text
    """A Python name, unique in the page. The anchor is the same with hyphens."""
    title: Text | None = None
    """The heading; left out, the scene continues the section above."""
    compute: Text | None = None
    """The module under scenes/ whose `compute` gives the values; left out, the scene is prose alone."""
    params: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of `compute`, typed by YAML 1.2."""
    text: Text = EMPTY
    """Markdown; formulas in $...$, values in {{ scene.name }}."""
    figure: Figure | None = None
    """The picture of the scene's values."""
    claims: tuple[Claim, ...] = ()
    """What the build checks."""
    timeout: float = 60
    """Seconds after which `compute` or `draw` is ended."""
    inputs: tuple[Text, ...] = ()
    """Files that the scene depends on in ways that cannot be seen, such as those a child process reads."""


@dataclass(frozen=True)
class Term(Model):
    """A chip under the summary that leads to the scene that explains it."""

    term: Text
    """The words or formula on the chip."""
    at: Text
    """The id of a scene of this page."""


@dataclass(frozen=True)
class Paper(Model):
    """The paper that a page explains."""

    title: Text
    authors: tuple[Text, ...]
    year: int
    url: Text
    groups: tuple[Text, ...] = ()
    """Where the authors worked."""
    guide: Text | None = None
    """The slug of a page of this site on how to read a paper."""


@dataclass(frozen=True)
class Trap(Model):
    """A belief that readers bring along, and what is true instead."""

    wrong: Text
    """Markdown: the belief."""
    right: Text
    """Markdown: what is so."""
    claims: tuple[Claim, ...] = ()
    """Checks that the belief is wrong in this very run."""


@dataclass(frozen=True)
class Companion(Model):
    """A link at the end of a page: to exactly one of a page, a track or an address."""

    title: Text
    page: Text | None = None
    """The slug of a page of this site."""
    track: Text | None = None
    """The slug of a track of this site."""
    url: Text | None = None
    """An address elsewhere."""


@dataclass(frozen=True)
class Page(Model):
    """One explainer page."""

    slug: Text
    """The page's folder in the site's address: lower-case words with hyphens."""
    title: Text
    """The heading; formulas in $...$."""
    summary: Text
    """Markdown: the opening."""
    description: Text | None = None
    """One sentence for search engines and cards; the start of the summary when left out."""
    terms: tuple[Term, ...] = ()
    paper: Paper | None = None
    scenes: tuple[Scene, ...] = ()
    trap: Trap | None = None
    takeaways: tuple[Text, ...] = ()
    """Markdown, one entry each: what to keep."""
    claims: tuple[Claim, ...] = ()
    """What the build checks over several scenes."""
    companions: tuple[Companion, ...] = ()
    quoted: dict[Text, tuple[Text, ...]] = field(default_factory=dict)
    """Numbers that the page repeats from elsewhere, by source."""

    @property
    def file(self) -> str:
        """The file the page was written in, relative to the root."""
        return self.slug.file


@dataclass(frozen=True)
class Track(Model):
    """Pages in the order in which to read them."""

    title: Text
    slug: Text
    pages: tuple[Text, ...]
    """Slugs of pages."""
    summary: Text = EMPTY


@dataclass(frozen=True)
class Site(Model):
    """What holds for all pages."""

    title: Text
    url: Text
    """Where the site is published; the environment's SCENEBOOK_URL overrides it."""
    description: Text = EMPTY
    """One or two sentences (Markdown) at the top of the index."""
    repository: Text | None = None
    """The address of the repository. On GitHub, /tree/HEAD/FOLDER at its end says in which folder the site is."""
    author: Text | None = None
    language: Text = Text("en")
    license: Text | None = None
    numbers: NumberRule = "strict"
    """What happens to a number that is neither computed nor quoted."""
    quoted: dict[Text, tuple[Text, ...]] = field(default_factory=dict)
    """Numbers in the texts of the site and its tracks, by source."""


@dataclass(frozen=True)
class Storyboard(Model):
    """storyboard.yaml, with every page in place."""

    site: Site
    pages: tuple[Page, ...]
    tracks: tuple[Track, ...] = ()
