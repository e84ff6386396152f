"""What templates may show, finished: HTML where the type is `Html`, and plain text elsewhere, which templates escape.

A view named `texts` is a page, a scene, a figure, a site or a track as in the storyboard, with the names of its fields,
and with each text finished as its field declares. The other parts of a view are computed.

Views are named tuples, because Python defines them ten times as fast as frozen dataclasses.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from scenebook.core.digests import File

_IDS = re.compile(r'\sid="|\bhref="#|url\(#')


class Html(str):
    """Text that is already HTML. Templates insert it unchanged."""

    def __html__(self) -> str:
        return self


class Link(NamedTuple):
    """An address and the words that link to it."""

    title: Html
    href: str
    external: bool = False


class CaptionView(NamedTuple):
    """A caption: its first sentence, which says what to see, and the rest."""

    lead: Html
    rest: Html


class ClaimView(NamedTuple):
    """A checked claim: its words, its expression, and its margin: how far it is from failing.

    `where` says at which settings of the controls it holds, such as `holds at all 336 settings`.
    """

    say: Html
    check: str
    margin: str
    where: str = "holds"


class AxisView(NamedTuple):
    """The title of an axis, the name of its colour, and the arrow that points along the axis."""

    title: Html
    plain_title: str
    color: str | None
    arrow: str


class LegendView(NamedTuple):
    """An entry of a legend. `css` is its colour; `again` is true if an earlier entry has the same colour.

    `mark` is what the panel draws in that colour: a line, a box or a dot.
    """

    label: Html
    css: str
    dashed: bool
    again: bool
    mark: str


class PanelView(NamedTuple):
    """One drawing: its SVG, its legend and scale, its data, and its downloads.

    `kind` is a name for style sheets. `left` and `bottom` are the axes. `scale` is set if other panels have a different
    one. `summary` describes data that is too large for a `table`. `bad` counts the values that are not finite, and
    `bad_look` says how they look: hatched, grey or gap.
    """

    name: str
    kind: str
    title: Html
    svg: Html
    left: AxisView | None
    bottom: AxisView | None
    legend: tuple[LegendView, ...]
    scale: Any
    table: Any
    summary: tuple[tuple[str, str], ...]
    bad: tuple[str, ...]
    bad_look: str
    downloads: tuple[Link, ...]


class FigureView(NamedTuple):
    """The figure of a scene. `png` is the file of the whole figure, and `size` is its width and height in pixels.

    `scale` is the colour bar of all panels, if they share one.
    """

    texts: Any
    panels: tuple[PanelView, ...]
    scale: Any
    png: str
    size: tuple[int, int]
    downloads: tuple[Link, ...] = ()

    @property
    def alt(self) -> str:
        """The alternative text."""
        return str(self.texts.alt)

    @property
    def width(self) -> int:
        """The width of one panel in CSS pixels."""
        return int(self.texts.width)


class SourceView(NamedTuple):
    """A part of a scene's code, by file. A part that an earlier scene lists has a link `elsewhere` and no code.

    `left` is the number of lines that are left out, and `file` is a link to the whole file.
    """

    part: str
    title: str
    anchor: str
    code: Html
    left: int = 0
    file: Link | None = None
    elsewhere: Link | None = None


class PointView(NamedTuple):
    """A point of a control: its value as an address has it, and what readers see and hear."""

    value: str
    label: Html
    plain_label: str


class ControlView(NamedTuple):
    """A control: `kind` is range (numbers), switch (false and true) or choice (texts); `start` is a place in `points`.

    A control with `play` has a button that moves it from point to point.
    """

    param: str
    kind: str
    label: Html
    plain_label: str
    points: tuple[PointView, ...]
    start: int
    play: bool = False


class SettingsTable(NamedTuple):
    """Quoted numbers at the points of one control, the others at their start: for paper, and without scripts.

    `rows` has the label of each point and the texts of the values that `columns` names.
    """

    control: Html
    columns: tuple[str, ...]
    rows: tuple[tuple[Html, tuple[str, ...]], ...]


class SettingsView(NamedTuple):
    """What a reader can set in a scene: `script` is the file that holds all `total` settings.

    `said` is what the live region says at the start.
    """

    controls: tuple[ControlView, ...]
    total: int
    script: str
    said: str
    tables: tuple[SettingsTable, ...] = ()


class RepeatView(NamedTuple):
    """What a page says of the repeats of a scene: `first` is the run that figures and tables show, in words,
    and `seed` is its parameter.

    `rows` has the name, low, median and high of each number that differs between the runs, at the start.
    `as_written` is true if texts may show digits that another seed would change. `drawn` names what of the figure shows
    low and high, such as bands.
    """

    first: str
    seed: str
    rows: tuple[tuple[str, str, str, str], ...] = ()
    as_written: bool = False
    drawn: str = ""


class SceneView(NamedTuple):
    """A part of a page. A scene without a title continues the section above."""

    id: str
    anchor: str
    texts: Any
    figure: FigureView | None
    claims: tuple[ClaimView, ...]
    sources: tuple[SourceView, ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    downloads: tuple[Link, ...] = ()
    command: str = ""
    settings: SettingsView | None = None
    repeat: RepeatView | None = None


class PageView(NamedTuple):
    """One explainer page.

    `numbers` is how many numbers its texts show. `tex_title` has the title's formulas as LaTeX. `description` is what
    search engines and cards show.
    """

    slug: str
    texts: Any
    plain_title: str
    tex_title: str
    description: str
    scenes: tuple[SceneView, ...]
    trap_claims: tuple[ClaimView, ...]
    claims: tuple[ClaimView, ...]
    storyboard: Link | None = None
    numbers: int = 0

    @property
    def title(self) -> Html:
        """The heading."""
        return Html(self.texts.title)

    @property
    def quoted(self) -> tuple[tuple[Html, tuple[Html, ...]], ...]:
        """The numbers that the page and its scenes quote, by source."""
        found: dict[Html, tuple[Html, ...]] = {}
        for texts in (self.texts, *(scene.texts for scene in self.scenes)):
            for source, numbers in texts.quoted:
                found[source] = (*found.get(source, ()), *numbers)
        return tuple(found.items())

    @property
    def contents(self) -> tuple[Link, ...]:
        """Links to the sections, for a table of contents."""
        return tuple(Link(scene.texts.title, f"#{scene.anchor}") for scene in self.scenes if scene.texts.title)

    @property
    def card(self) -> FigureView | None:
        """The figure that represents the page in lists and cards: its first one."""
        return next((scene.figure for scene in self.scenes if scene.figure), None)

    @property
    def counts(self) -> dict[str, int]:
        """How many figures, numbers and claims were computed or checked for this page."""
        claims = (self.claims, self.trap_claims, *(scene.claims for scene in self.scenes))
        return {
            "figures": sum(scene.figure is not None for scene in self.scenes),
            "numbers": self.numbers,
            "claims": sum(map(len, claims)),
        }


class Card(NamedTuple):
    """The figure that represents a page in lists: all of it as a PNG, and its first drawing, read when it is shown."""

    png: str
    size: tuple[int, int]
    alt: str
    drawing: File | None = None

    def small(self, place: str = "") -> Html:
        """Return the first drawing. `place` keeps its ids apart from those of the same drawing in another list."""
        drawn = self.drawing.read().decode() if self.drawing else ""
        return Html(_IDS.sub(rf"\g<0>{place}-", drawn) if place else drawn)


class PageSummary(NamedTuple):
    """A page as lists show it: in the index, the feed, the sitemap, and as the previous or next page."""

    slug: str
    title: Html
    plain_title: str
    description: str
    card: Card | None


class TrackView(NamedTuple):
    """A series of pages in reading order."""

    slug: str
    texts: Any
    plain_title: str
    description: str
    entries: tuple[PageSummary, ...]


class SiteView(NamedTuple):
    """What all pages share. `numbers` is the rule for typed numbers: strict, warn or off."""

    texts: Any
    plain_title: str
    plain_description: str
    url: str
    language: str
    numbers: str = "strict"
    entries: tuple[PageSummary, ...] = ()
    tracks: tuple[TrackView, ...] = ()
    assets: Mapping[str, str] = MappingProxyType({})


def anchor(scene_id: str) -> str:
    """Return the anchor of a scene: its id with hyphens."""
    return scene_id.replace("_", "-")


def neighbour(entries: tuple[PageSummary, ...], place: int) -> Link | None:
    """Return a link to the page at a place in a list, or None if the list has no such place."""
    return Link(entries[place].title, f"../{entries[place].slug}/index.html") if 0 <= place < len(entries) else None
