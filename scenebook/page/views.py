"""Pages through the templates: views in, text out.

A view is what one template may show, finished: HTML where a name's type is `Html`, plain text elsewhere (which the
templates escape). A template of the site's own `templates/` folder goes before the one of the same name that comes
with the engine. A name that a template misspells is a problem with the template's file and line, never an empty place.

Views are named tuples: a class of these is defined in a tenth of the time that a frozen dataclass takes.
"""

import re
import traceback
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, LostError
from scenebook.core.digests import File
from scenebook.core.problems import Problem, Problems
from scenebook.core.scanner import scan
from scenebook.page import _fit_html as fit_html
from scenebook.page import _limits as limits
from scenebook.storyboard.model import Paper

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment
    from jinja2.bccache import Bucket
    from jinja2.compiler import CodeGenerator

Templates: TypeAlias = "Environment"
"""The templates of a site, made ready."""
TEXT_ASSETS = (
    *(".css", ".csv", ".geojson", ".htm", ".html", ".js", ".json", ".map", ".md", ".mjs"),
    *(".svg", ".ts", ".tsv", ".txt", ".vtt", ".webmanifest", ".xml", ".yaml", ".yml"),
)
"""Static files that are text, so that a checkout with CRLF publishes the same bytes as one with LF."""

SECONDS = 10
"""So long the processor may work on one file that a template makes; a page of many figures takes a tenth of one."""
MEMORY = 1 << 30
"""So many bytes more than before may be needed for it."""
SIZE = 1 << 27
"""So many characters may be in it."""
RANGE = 1_000_000
"""So many numbers `range` may give: what works them off at once cannot be interrupted."""


class LimitError(Problems):
    """Raised where a template takes more than it may: it would do so again for the next page."""


class Html(str):
    """Text that is HTML already; templates put it in as it is."""

    def __html__(self) -> str:
        return self


class Link(NamedTuple):
    """An address and the words that lead there."""

    title: Html
    href: str
    external: bool = False


class ClaimView(NamedTuple):
    """A checked claim: its words, its expression, and how far it is from tipping."""

    say: Html
    check: str
    margin: str


class AxisView(NamedTuple):
    """The title of an axis, the role whose colour it has, and the arrow that points along the axis."""

    title: Html
    plain_title: str
    color: str | None
    arrow: str


class KeyView(NamedTuple):
    """An entry of a legend: `css` is the colour as a style sheet writes it, which stands there `again` or first."""

    label: Html
    css: str
    dashed: bool
    again: bool
    mark: str


class PanelView(NamedTuple):
    """One drawing: its SVG for the page, its legend and scale, its data, and what can be downloaded.

    `kind` is a name for style sheets. `left` and `bottom` are its axes. `scale` is set if other panels have another
    one. `summary` describes data that are too many for a `table`; `bad` counts what has no finite value, and
    `bad_look` is hatched, grey or gap.
    """

    name: str
    kind: str
    title: Html
    svg: Html
    left: AxisView | None
    bottom: AxisView | None
    legend: tuple[KeyView, ...]
    scale: Any
    table: Any
    summary: tuple[tuple[str, str], ...]
    bad: tuple[str, ...]
    bad_look: str
    downloads: tuple[Link, ...]


class FigureView(NamedTuple):
    """The picture of a scene: `lead` is the caption's first sentence, `caption` the rest.

    `scale` is the one colour bar of all panels, if they share one.
    """

    panels: tuple[PanelView, ...]
    lead: Html
    caption: Html
    alt: str
    width: int
    scale: Any
    png: str
    size: tuple[int, int]
    downloads: tuple[Link, ...] = ()


class SourceView(NamedTuple):
    """A part of a scene's code under its `title`; where another scene lists it, a link `elsewhere` and no code.

    `left` counts the lines that are left out, `file` leads to all of them.
    """

    part: str
    title: str
    anchor: str
    code: Html
    left: int = 0
    file: Link | None = None
    elsewhere: Link | None = None


class SceneView(NamedTuple):
    """A part of a page; without a title it continues the section above."""

    id: str
    anchor: str
    title: Html | None
    text: Html
    figure: FigureView | None
    claims: tuple[ClaimView, ...]
    sources: tuple[SourceView, ...] = ()
    params: tuple[tuple[str, str], ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    downloads: tuple[Link, ...] = ()
    command: str = ""


class PageView(NamedTuple):
    """One explainer page. `numbers` is how many its texts show; `tex_title` has its formulas as written."""

    slug: str
    title: Html
    plain_title: str
    summary: Html
    description: str
    terms: tuple[Link, ...]
    paper: Paper | None
    scenes: tuple[SceneView, ...]
    wrong: Html | None
    right: Html | None
    trap_claims: tuple[ClaimView, ...]
    takeaways: tuple[Html, ...]
    claims: tuple[ClaimView, ...]
    companions: tuple[Link, ...]
    quoted: tuple[tuple[Html, tuple[Html, ...]], ...]
    storyboard: Link | None = None
    numbers: int = 0
    tex_title: str = ""

    @property
    def contents(self) -> tuple[Link, ...]:
        """The sections, for a table of contents."""
        return tuple(Link(scene.title, f"#{scene.anchor}") for scene in self.scenes if scene.title)

    @property
    def card(self) -> FigureView | None:
        """The figure that stands for the page in lists and cards."""
        return next((scene.figure for scene in self.scenes if scene.figure), None)

    @property
    def counts(self) -> dict[str, int]:
        """What was computed and checked for this page: its figures, the numbers in its texts, and its claims."""
        claims = (self.claims, self.trap_claims, *(scene.claims for scene in self.scenes))
        return {
            "figures": sum(scene.figure is not None for scene in self.scenes),
            "numbers": self.numbers,
            "claims": sum(map(len, claims)),
        }


_IDS = re.compile(r'\sid="|\bhref="#|url\(#')


class Card(NamedTuple):
    """The figure that stands for a page in lists: its whole as a PNG, and its first drawing, read when it is shown."""

    png: str
    size: tuple[int, int]
    alt: str
    drawing: File | None = None

    def small(self, place: str = "") -> Html:
        """The first drawing of the page; `place` sets its ids apart from those of the same drawing elsewhere."""
        drawn = self.drawing.read().decode() if self.drawing else ""
        return Html(_IDS.sub(rf"\g<0>{place}-", drawn) if place else drawn)


class PageSummary(NamedTuple):
    """A page as lists show it (index, feed, sitemap, previous and next)."""

    slug: str
    title: Html
    plain_title: str
    description: str
    card: Card | None


def neighbour(entries: tuple[PageSummary, ...], place: int) -> Link | None:
    """A link to the page at a place in a list, where there is one."""
    return Link(entries[place].title, f"../{entries[place].slug}/index.html") if 0 <= place < len(entries) else None


class TrackView(NamedTuple):
    """Pages in the order in which to read them."""

    slug: str
    title: Html
    plain_title: str
    description: str
    summary: Html
    entries: tuple[PageSummary, ...]


class SiteView(NamedTuple):
    """What holds for every page. `numbers` is the rule for those that are typed: strict, warn or off."""

    title: Html
    plain_title: str
    description: Html
    plain_description: str
    url: str
    language: str
    author: str | None = None
    license: str | None = None
    repository: str | None = None
    numbers: str = "strict"
    entries: tuple[PageSummary, ...] = ()
    tracks: tuple[TrackView, ...] = ()
    assets: Mapping[str, str] = MappingProxyType({})


def environment(templates: Path, kept: Cache | None = None) -> Templates:
    """The templates of a site, the engine's own behind them; once compiled, they are found in `kept`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folders = [templates, versions.OWN_TEMPLATES]
    made = Environment(
        loader=FileSystemLoader(folders),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        optimized=False,
        bytecode_cache=_compiled(kept) if kept else None,
    )
    made.code_generator_class = _generator()
    made.globals["range"] = _range
    made.filters |= {"bibtex": bibtex, "linked_data": linked_data}
    return made


def _range(*arguments: int) -> range:
    """Python's own, of no more than `RANGE` numbers."""
    numbers = range(*arguments)
    if len(numbers[: RANGE + 1]) > RANGE:
        raise ValueError(f"range() gives no more than {RANGE:,} numbers")
    return numbers


def _generator() -> "type[CodeGenerator]":
    """What compiles templates, and works out no expression while it does: its line could not be told."""
    from jinja2.compiler import CodeGenerator
    from jinja2.nodes import Const, Impossible, TemplateData

    class Generator(CodeGenerator):
        def _output_child_to_const(self, node: Any, frame: Any, finalize: Any) -> str:
            if not isinstance(node, Const | TemplateData):
                raise Impossible
            return super()._output_child_to_const(node, frame, finalize)

    return Generator


def warm(templates: Templates) -> None:
    """Compile what pages are made of; what is wrong with a template is told where it is rendered."""
    for name in templates.list_templates(("html", "xml", "txt")):
        with suppress(Exception), limits.limited(SECONDS):
            templates.get_template(name)


def _compiled(kept: Cache) -> "BytecodeCache":
    """Compiled templates, which take longer to make than to use, by their text and by what compiled it."""
    from jinja2 import BytecodeCache

    def made_from(bucket: "Bucket") -> dict[str, str]:
        return {"text": bucket.checksum, **versions.made_by()}

    class Compiled(BytecodeCache):
        def load_bytecode(self, bucket: "Bucket") -> None:
            entry = kept.find("template", bucket.key, made_from(bucket))
            with suppress(LostError):
                if entry:
                    bucket.bytecode_from_string(kept.read(entry, "code"))

        def dump_bytecode(self, bucket: "Bucket") -> None:
            code = {"code": bucket.bytecode_to_string()}
            kept.keep("template", bucket.key, made_from(bucket), Reads(), blobs=code)

    return Compiled()


def render(templates: Templates, name: str, **context: Any) -> bytes:
    """One template to text that ends in a newline, in UTF-8; raises `Problems` for a mistake in a template.

    What could be too wide for a phone or for paper is made to fit.
    """
    text = _rendered(templates, name, context)
    return (fit_html.fitted(text.decode()).encode() if name.endswith(".html") else text) + b"\n"


def _rendered(templates: Templates, name: str, context: Mapping[str, Any]) -> bytes:
    try:
        with limits.limited(SECONDS, MEMORY):
            pieces = cast("Generator[str, None, None]", templates.get_template(name).generate(context))
            return b"".join(_bounded(pieces)).rstrip()
    except (LostError, Problems):
        raise
    except (limits.TooLongError, MemoryError) as error:
        raise LimitError([_located(error, name, templates)]) from None
    except Exception as error:  # noqa: BLE001 - a template may call anything
        raise Problems([_located(error, name, templates)]) from None


def _bounded(pieces: Generator[str, None, None]) -> Iterator[bytes]:
    """The pieces of a text in UTF-8. Where they become too many, the template fails at the line where it is."""
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > SIZE:
            pieces.throw(MemoryError(f"writes more than {SIZE >> 20} MB"))
        yield piece.encode()


def bibtex(page: PageView, site: SiteView) -> str:
    """The entry by which a bibliography cites a page."""
    address = f"{site.url}{page.slug}/"
    title = "".join(
        f"${span.inner}$" if span.kind in ("formula", "display") else _in_tex(span.inner)
        for span in scan(page.tex_title or page.plain_title)
    )
    texts = {"author": site.author, "howpublished": site.plain_title}
    spelled = {"title": f"{{{title}}}"}
    spelled |= {name: f"{{{_in_tex(text)}}}" for name, text in texts.items() if text} | {"url": address}
    return f"@misc{{{page.slug},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in spelled.items()) + "}"


def _in_tex(text: str) -> str:
    """Text with the characters that TeX acts on spelled out."""
    names = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    bare = re.sub("[\u2066-\u2069]", "", text)  # what keeps directions apart, which TeX cannot set
    return re.sub(r"[\\~^#$%&_{}]", lambda match: names.get(match[0], f"\\{match[0]}"), bare)


def linked_data(page: PageView, site: SiteView) -> dict[str, Any]:
    """The page in schema.org's words: a learning resource that cites its paper."""
    address = f"{site.url}{page.slug}/"
    found = {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": page.plain_title,
        "description": page.description,
        "url": address,
        "inLanguage": site.language,
        "isAccessibleForFree": True,
        "learningResourceType": "explanation",
        "image": f"{address}{page.card.png}" if page.card else None,
        "author": {"@type": "Organization", "name": site.author} if site.author else None,
        "license": site.license,
        "citation": _cited(page.paper) if page.paper else None,
    }
    return {name: value for name, value in found.items() if value}


def _cited(paper: Paper) -> dict[str, Any]:
    return {
        "@type": "ScholarlyArticle",
        "name": str(paper.title),
        "author": [{"@type": "Person", "name": str(author)} for author in paper.authors],
        "datePublished": str(paper.year),
        "url": str(paper.url),
    }


def static(templates: Path) -> dict[str, Path]:
    """The files of the `static` folders by their path in the site; the site's own go before the engine's."""
    folders = (versions.OWN_TEMPLATES / "static", templates / "static")
    return {f"static/{path}": folder / path for folder in folders for path in _files(folder)}


def asset(path: Path) -> bytes:
    """The bytes of a static file as the site publishes it: in text, a line ends in LF alone, as in rendered pages."""
    content = path.read_bytes()
    return content.replace(b"\r\n", b"\n") if path.suffix.lower() in TEXT_ASSETS else content


def _files(folder: Path) -> Iterable[str]:
    found = (path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file())
    return [path.as_posix() for path in found if not any(part.startswith((".", "_")) for part in path.parts)]


def _located(error: Exception, name: str, templates: Templates) -> Problem:
    """The deepest frame of a template in the traceback is where its mistake stands."""
    from jinja2 import FileSystemLoader, TemplateSyntaxError

    if isinstance(error, TemplateSyntaxError):
        return Problem(f"templates/{error.name or name}", error.lineno, "", f"{error.message}")
    folders = templates.loader.searchpath if isinstance(templates.loader, FileSystemLoader) else []
    places = [
        (Path(frame.f_code.co_filename).relative_to(folder).as_posix(), line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        for folder in folders
        if Path(frame.f_code.co_filename).is_relative_to(folder)
    ]
    file, line = places[-1] if places else (name, 0)
    return Problem(f"templates/{file}", line, "", _said(error))


def _said(error: Exception) -> str:
    from jinja2 import TemplateNotFound

    match error:
        case limits.TooLongError():
            return f"takes more than {SECONDS} s; does a loop in it end?"
        case MemoryError():
            return str(error) or f"needs more than {MEMORY >> 30} GB of memory"
        case RecursionError():
            return "includes or calls itself without end, or is nested too deeply"
        case SyntaxError():
            return error.msg
        case TemplateNotFound():
            return f"there is no template '{error.name}'"
        case UnicodeDecodeError():
            return "is not text in UTF-8; save it in that encoding"
        case OSError():
            return f"cannot be read: {error.strerror}"
    return re.sub(r"'[\w.]+\.(\w+) object'", r"\1", str(error))
