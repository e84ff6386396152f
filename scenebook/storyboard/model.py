"""A storyboard as its author wrote it, in frozen dataclasses: the site, its pages, their scenes.

pydantic validates these very classes, and the schema for editors and the reference come from them, the docstrings under
the fields included. The rest of the engine reads them and never sees pydantic. The type of a text says what the page
makes of it; see `core.text_fields`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from scenebook.core.text import EMPTY, Model, Text
from scenebook.core.text_fields import AsWritten, Inline, Markdown, Metadata, Quoted, Source, Target
from scenebook.figure.spec import Figure

NumberRule = Literal["strict", "warn", "off"]


@dataclass(frozen=True)
class Claim(Model):
    """A sentence the page stands for, and the expression that the build checks."""

    say: Inline
    """The claim in words."""
    check: Text
    """The claim as an expression over values, such as `scene.after > 2 * scene.before`."""


@dataclass(frozen=True)
class Scene(Model):
    """A part of a page: prose, and perhaps a computation, its figure and its claims."""

    id: Text
    """A Python name, unique in the page. The anchor is the same with hyphens."""
    title: Inline | None = None
    """The heading; left out, the scene continues the section above."""
    compute: Text | None = None
    """The module under scenes/ whose `compute` gives the values; left out, the scene is prose alone."""
    params: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of `compute`, typed by YAML 1.2."""
    text: Markdown = EMPTY
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

    term: Inline
    """The words or formula on the chip."""
    at: Target
    """The id of a scene of this page."""


@dataclass(frozen=True)
class Paper(Model):
    """The paper that a page explains."""

    title: AsWritten
    authors: tuple[AsWritten, ...]
    year: int
    url: Target
    groups: tuple[AsWritten, ...] = ()
    """Where the authors worked."""
    guide: Target | None = None
    """The slug of a page of this site on how to read a paper."""


@dataclass(frozen=True)
class Trap(Model):
    """A belief that readers bring along, and what is true instead."""

    wrong: Markdown
    """Markdown: the belief."""
    right: Markdown
    """Markdown: what is so."""
    claims: tuple[Claim, ...] = ()
    """Checks that the belief is wrong in this very run."""


@dataclass(frozen=True)
class Companion(Model):
    """A link at the end of a page: to exactly one of a page, a track or an address."""

    title: Inline
    page: Target | None = None
    """The slug of a page of this site."""
    track: Target | None = None
    """The slug of a track of this site."""
    url: Target | None = None
    """An address elsewhere."""


@dataclass(frozen=True)
class Page(Model):
    """One explainer page."""

    slug: Text
    """The page's folder in the site's address: lower-case words with hyphens."""
    title: Inline
    """The heading; formulas in $...$."""
    summary: Markdown
    """Markdown: the opening."""
    description: Metadata | None = None
    """One sentence for search engines and cards; the start of the summary when left out."""
    terms: tuple[Term, ...] = ()
    paper: Paper | None = None
    scenes: tuple[Scene, ...] = ()
    trap: Trap | None = None
    takeaways: tuple[Markdown, ...] = ()
    """Markdown, one entry each: what to keep."""
    claims: tuple[Claim, ...] = ()
    """What the build checks over several scenes."""
    companions: tuple[Companion, ...] = ()
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    """Numbers that the page repeats from elsewhere, by source."""

    @property
    def file(self) -> str:
        """The file the page was written in, relative to the root."""
        return self.slug.file


@dataclass(frozen=True)
class Track(Model):
    """Pages in the order in which to read them."""

    title: Inline
    slug: Text
    pages: tuple[Text, ...]
    """Slugs of pages."""
    summary: Markdown = EMPTY


@dataclass(frozen=True)
class Site(Model):
    """What holds for all pages."""

    title: Inline
    url: Text
    """Where the site is published; the environment's SCENEBOOK_URL overrides it."""
    description: Markdown = EMPTY
    """One or two sentences (Markdown) at the top of the index."""
    repository: Target | None = None
    """The address of the repository. On GitHub, /tree/HEAD/FOLDER at its end says in which folder the site is."""
    author: AsWritten | None = None
    language: Text = Text("en")
    license: AsWritten | None = None
    numbers: NumberRule = "strict"
    """What happens to a number that is neither computed nor quoted."""
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    """Numbers in the texts of the site and its tracks, by source."""


@dataclass(frozen=True)
class Storyboard(Model):
    """storyboard.yaml, with every page in place."""

    site: Site
    pages: tuple[Page, ...]
    tracks: tuple[Track, ...] = ()
