"""The models of a storyboard, as frozen dataclasses: the site, its pages and their scenes.

pydantic validates these classes. The schema for editors is generated from them and from the docstrings below their
fields. The rest of the engine uses the dataclasses and does not depend on pydantic. The type of a text says what it
becomes on the page; see `core.text_fields`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from scenebook.core.text import EMPTY, Model, Text, key_of
from scenebook.core.text_fields import AsWritten, Inline, Markdown, Metadata, Quoted, Source, Target
from scenebook.figure.spec import Figure

NumberRule = Literal["strict", "warn", "off"]
DigitsRule = Literal["earned", "as written"]


def as_macro(value: Any) -> Any:
    """A macro as the mapping that it stands for: a text, or a list of a text and the number of its arguments.

    The rules report a list of another length.
    """
    if isinstance(value, list):
        return {"body": value[0], "arguments": value[1]} if len(value) == 2 else {"body": EMPTY}
    return {"body": value}


@dataclass(frozen=True)
class Macro(Model):
    """A command of the author's own for formulas."""

    body: Text
    """The LaTeX that replaces the command; #1 is its first argument."""
    arguments: int = 0
    """How many arguments it has."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(as_macro, handler(source))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        pair = {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "string"}, {"type": "integer"}]}
        return {"anyOf": [{"type": "string"}, pair]}


@dataclass(frozen=True, kw_only=True)
class Claim(Model):
    """A statement about the values, and the expression that the build checks."""

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "alias_generator": key_of}

    say: Inline
    """The claim in words."""
    check: Text
    """The claim as an expression over values, such as `scene.after > 2 * scene.before`.

    A value of another page stands in braces: '{{ page-slug/scene.value }} > 2'.
    """
    at: dict[str, Any] = field(default_factory=dict)
    """Points of the scene's controls, by parameter: where the claim is checked. Without them, at every setting."""
    in_: float | None = None
    """The share of the runs in which the claim has to hold, such as 0.95, if scenes repeat theirs. Without it, all."""


def as_choice(value: Any) -> Any:
    """A value as the mapping that it stands for."""
    return value if isinstance(value, dict | list) else {"value": value}


@dataclass(frozen=True)
class Choice(Model):
    """A point of a control, with a label."""

    value: Any
    """A number or a text."""
    label: Inline = EMPTY
    """What readers see instead of the value; formulas in $...$."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_before_validator_function(as_choice, handler(source))

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        return {"anyOf": [{"type": ["string", "number"]}, handler(schema)]}


@dataclass(frozen=True)
class Control(Model):
    """What a reader can set: a parameter of `compute`. It starts where `params` or the parameter's default says.

    Without `values`, `from` and `to` it is a switch between false and true.
    """

    __pydantic_config__: ClassVar[dict[str, Any]] = {"extra": "forbid", "alias_generator": key_of}

    param: Text
    """The name of the parameter."""
    label: Inline
    """What readers see beside the control; formulas in $...$."""
    values: tuple[Choice, ...] = ()
    """The points: numbers, or texts. `{value: ..., label: ...}` gives one a label."""
    from_: Any = None
    """The first point of a range of numbers."""
    to: Any = None
    """The last point of a range of numbers."""
    step: Any = None
    """The distance between two points of a range."""
    points: int | None = None
    """The number of points of a range, instead of the step."""
    scale: Literal["linear", "log"] = "linear"
    """How points are spread over a range: evenly, or evenly in the logarithm."""
    play: bool = False
    """Whether there is a button that moves the control from point to point."""


@dataclass(frozen=True, kw_only=True)
class Scene(Model):
    """A part of a page: prose and, optionally, a computation, its figure and its claims."""

    id: Text
    """A Python name, unique in the page. The scene's anchor is the same with hyphens."""
    title: Inline | None = None
    """The heading. Without one, the scene continues the section above it."""
    compute: Text | None = None
    """The module under scenes/ whose `compute` returns the values. Without one, the scene is only prose."""
    params: dict[str, Any] = field(default_factory=dict)
    """Keyword arguments of `compute`, with the types of YAML 1.2."""
    controls: tuple[Control, ...] = ()
    """What the reader can set. The scene runs at every combination of the controls' points."""
    repeat: dict[str, Any] = field(default_factory=dict)
    """A parameter, and how many runs it gets or its values: `{seed: 20}` or `{seed: [2017, 1, 2]}`."""
    digits: DigitsRule = "earned"
    """Which digits texts may show of a scene that repeats: those that it has earned, or all as written."""
    text: Markdown = EMPTY
    """Markdown; formulas in $...$, values in {{ scene.name }}."""
    figure: Figure | None = None
    """The figure that shows the scene's values."""
    claims: tuple[Claim, ...] = ()
    """Statements about the scene's values that the build checks."""
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    """Numbers that the scene's texts quote, by source."""
    timeout: float = 60
    """Seconds after which `compute` or `draw` is stopped."""
    inputs: tuple[Text, ...] = ()
    """Files that the scene depends on but that cannot be observed, such as those that a child process reads."""


@dataclass(frozen=True, kw_only=True)
class Term(Model):
    """A term that is listed under the summary, with a link to the scene that explains it."""

    term: Inline
    """The word or formula."""
    at: Target
    """The id of a scene of this page."""


@dataclass(frozen=True, kw_only=True)
class Paper(Model):
    """The paper that a page explains."""

    title: AsWritten
    authors: tuple[AsWritten, ...]
    year: int
    url: Target
    groups: tuple[AsWritten, ...] = ()
    """The institutions of the authors."""
    guide: Target | None = None
    """The slug of a page of this site on how to read a paper."""


@dataclass(frozen=True, kw_only=True)
class Trap(Model):
    """A common misconception, and what is true instead."""

    wrong: Markdown
    """Markdown: the misconception."""
    right: Markdown
    """Markdown: what is true."""
    claims: tuple[Claim, ...] = ()
    """Checks with the computed values that the misconception is wrong."""


@dataclass(frozen=True, kw_only=True)
class Companion(Model):
    """A link at the end of a page to exactly one of these: a page, a track or an address."""

    title: Inline
    page: Target | None = None
    """The slug of a page of this site."""
    track: Target | None = None
    """The slug of a track of this site."""
    url: Target | None = None
    """An address outside the site."""


@dataclass(frozen=True, kw_only=True)
class Page(Model):
    """One explainer page."""

    slug: Text
    """The name of the page's folder in the site: lower-case words joined by hyphens."""
    title: Inline
    """The heading; formulas in $...$."""
    summary: Markdown
    """Markdown: the introduction."""
    description: Metadata | None = None
    """One sentence for search engines and link previews. Without one, the start of the summary is used."""
    terms: tuple[Term, ...] = ()
    paper: Paper | None = None
    scenes: tuple[Scene, ...] = ()
    trap: Trap | None = None
    takeaways: tuple[Markdown, ...] = ()
    """Markdown: the points that a reader should remember, one in each entry."""
    claims: tuple[Claim, ...] = ()
    """Statements about the values of several scenes that the build checks."""
    companions: tuple[Companion, ...] = ()
    macros: dict[str, Macro] = field(default_factory=dict)
    """Commands for the formulas of this page, beside those of the site: `norm: ['\\lVert #1 \\rVert', 1]`."""
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    """Numbers that the page quotes, by source."""

    @property
    def file(self) -> str:
        """The file that contains the page, relative to the root."""
        return self.slug.file


@dataclass(frozen=True, kw_only=True)
class Track(Model):
    """A series of pages in reading order."""

    title: Inline
    slug: Text
    pages: tuple[Text, ...]
    """The slugs of the pages."""
    summary: Markdown = EMPTY


@dataclass(frozen=True, kw_only=True)
class Site(Model):
    """The settings of the whole site."""

    title: Inline
    url: Text
    """The address at which the site is published. The environment variable SCENEBOOK_URL overrides it."""
    description: Markdown = EMPTY
    """One or two sentences (Markdown) at the top of the index."""
    repository: Target | None = None
    """The address of the repository. On GitHub, add /tree/HEAD/FOLDER if the site is in a folder of the repository."""
    author: AsWritten | None = None
    language: Text = Text("en")
    license: AsWritten | None = None
    numbers: NumberRule = "strict"
    """What the build does about a number that must not be typed: report an error, warn, or ignore it (NUMBERS.md)."""
    macros: dict[str, Macro] = field(default_factory=dict)
    """Commands for formulas: `E: '\\mathbb{E}'`, or with arguments `norm: ['\\lVert #1 \\rVert', 1]`."""
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    """Numbers that the texts of the site and its tracks quote, by source."""


@dataclass(frozen=True, kw_only=True)
class Storyboard(Model):
    """The content of storyboard.yaml, with all of its pages."""

    site: Site
    pages: tuple[Page, ...]
    tracks: tuple[Track, ...] = ()
