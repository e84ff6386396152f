"""Pages through the templates: views in, text out.

A view is what one template may show, finished: HTML where a name's type is `Html`, plain text elsewhere (which the
templates escape). A template of the site's own `templates/` folder goes before the one of the same name that comes
with the engine. A name that a template misspells is a problem with the template's file and line, never an empty place.
"""

import re
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.errors import Problem, Problems

if TYPE_CHECKING:
    from jinja2 import Environment

OWN_TEMPLATES = Path(__file__).parent.parent / "templates"


class Html(str):
    """Text that is HTML already; templates put it in as it is."""

    def __html__(self) -> str:
        return self


@dataclass(frozen=True)
class Link:
    """An address and the words that lead there."""

    title: Html
    href: str
    external: bool = False


@dataclass(frozen=True)
class ClaimView:
    """A checked claim: its words, its expression, and how far it is from tipping."""

    say: Html
    check: str
    margin: str


@dataclass(frozen=True)
class AxisView:
    """The title of an axis and the role whose colour it has."""

    title: Html
    color: str | None


@dataclass(frozen=True)
class PanelView:
    """One drawing: its SVG for the page, its legend and scale, its data, and what can be downloaded."""

    name: str
    title: Html
    svg: Html
    legend: tuple[Any, ...]
    scale: Any
    table: Any
    downloads: tuple[Link, ...]


@dataclass(frozen=True)
class FigureView:
    """The picture of a scene: `lead` is the caption's first sentence, `caption` the rest."""

    panels: tuple[PanelView, ...]
    lead: Html
    caption: Html
    alt: str
    kind: str
    rows: AxisView
    columns: AxisView
    x: AxisView
    y: AxisView
    png: str
    downloads: tuple[Link, ...] = ()


@dataclass(frozen=True)
class SceneView:
    """A part of a page; without a title it continues the section above."""

    id: str
    anchor: str
    title: Html | None
    text: Html
    figure: FigureView | None
    claims: tuple[ClaimView, ...]
    source: Html = Html("")
    module: Link | None = None
    params: tuple[tuple[str, str], ...] = ()
    command: str = ""


@dataclass(frozen=True)
class PageView:
    """One explainer page."""

    slug: str
    title: Html
    plain_title: str
    summary: Html
    description: str
    terms: tuple[Link, ...]
    paper: Any
    scenes: tuple[SceneView, ...]
    wrong: Html | None
    right: Html | None
    trap_claims: tuple[ClaimView, ...]
    takeaways: tuple[Html, ...]
    claims: tuple[ClaimView, ...]
    companions: tuple[Link, ...]
    quoted: tuple[tuple[Html, tuple[str, ...]], ...]
    storyboard: Link | None = None

    @property
    def contents(self) -> tuple[Link, ...]:
        """The sections, for a table of contents."""
        return tuple(Link(scene.title, f"#{scene.anchor}") for scene in self.scenes if scene.title)

    @property
    def card(self) -> str | None:
        """The picture that stands for the page in lists and cards, relative to the page."""
        return next((scene.figure.png for scene in self.scenes if scene.figure), None)


@dataclass(frozen=True)
class Entry:
    """A page as lists show it (index, feed, sitemap, previous and next)."""

    slug: str
    title: Html
    plain_title: str
    description: str
    card: str | None
    card_alt: str = ""


@dataclass(frozen=True)
class TrackView:
    """Pages in the order in which to read them."""

    slug: str
    title: Html
    summary: Html
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class SiteView:
    """What holds for every page."""

    title: Html
    plain_title: str
    description: Html
    plain_description: str
    url: str
    language: str
    author: str | None = None
    license: str | None = None
    repository: str | None = None
    entries: tuple[Entry, ...] = ()
    tracks: tuple[TrackView, ...] = ()
    assets: Mapping[str, str] = field(default_factory=dict)


def environment(templates: Path) -> "Environment":
    """The templates of a site, the engine's own behind them."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folders = [templates, OWN_TEMPLATES]
    return Environment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(templates: "Environment", name: str, **context: Any) -> str:
    """One template to text that ends in a newline; raises `Problems` for a mistake in a template."""
    from jinja2 import TemplateError, TemplateSyntaxError

    try:
        return templates.get_template(name).render(context).rstrip() + "\n"
    except TemplateSyntaxError as error:
        problem = Problem(f"templates/{error.name or name}", error.lineno, "", f"{error.message}")
        raise Problems([problem]) from None
    except (TemplateError, TypeError, AttributeError) as error:
        raise Problems([_located(error, name)]) from None


def static(templates: Path) -> dict[str, Path]:
    """The files of the `static` folders by their path in the site; the site's own go before the engine's."""
    folders = (OWN_TEMPLATES / "static", templates / "static")
    return {f"static/{path}": folder / path for folder in folders for path in _files(folder)}


def _files(folder: Path) -> Iterable[str]:
    found = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.as_posix() for path in found if not any(part.startswith((".", "_")) for part in path.parts)]


def _located(error: Exception, name: str) -> Problem:
    """The deepest frame of a template in the traceback is where its mistake stands."""
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if re.search(r"templates[/\\]", frame.filename)
    ]
    file = f"templates/{Path(frames[-1].filename).name}" if frames else f"templates/{name}"
    return Problem(file, (frames[-1].lineno or 0) if frames else 0, "", str(error))
