"""What the templates make of all pages: each page in its frame, the index, the feed, the map, and the static files.

Here the site is looked at as a whole, so here links from one page to another are checked.
"""

import pickle
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from scenebook.build import last_build
from scenebook.build.assemble import Assembled
from scenebook.build.last_build import SITE, BuildOptions
from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.problems import Problem, Problems
from scenebook.page import compose, links, views
from scenebook.prose import prose
from scenebook.prose.prose import WrittenLink
from scenebook.storyboard.loader import Loaded

FACTS, STEP, LINKS = "facts.json", "html", "links"
_NO_TEXT = re.compile("[\ud800-\udfff]")
"""In the name of a file, a byte that is no UTF-8."""
Templates: TypeAlias = Callable[[], views.Templates]
"""The templates, made ready when they are first asked for."""


class TemplateFile(NamedTuple):
    """A file that a template makes: what it shows, by digests, and how to get that."""

    path: str
    template: str
    shown: Mapping[str, str]
    context: Callable[[], Mapping[str, Any]]


def files(
    options: BuildOptions, loaded: Loaded, pages: Mapping[str, Assembled], templates: Templates, kept: Cache
) -> tuple[dict[str, File], list[Problem]]:
    """What the templates make of the pages, the static files, and what is wrong when all is looked at together."""
    found = views.static(options.templates)
    problems = [_unnamed(path) for path in found if _NO_TEXT.search(path)]
    assets = {path: digests.file(views.asset(file)) for path, file in found.items() if not _NO_TEXT.search(path)}
    addresses = {path: f"{path}?v={item.digest[:12]}" for path, item in assets.items()}
    entries = tuple(item.head.entry for item in pages.values())
    written: list[WrittenLink] = []
    site = compose.site_view(loaded.site, loaded.tracks, entries, addresses, problems, written)
    render = partial(_render, templates, kept, last_build.templates(options))
    rendered, failed = _all(render, chain(_pages(site, pages), _others(site, pages, options.updated)))
    made = assets | {path: file for path, (file, _) in rendered.items()}
    if failed:  # what is missing now is no link's fault
        return made, [*problems, *failed]
    outlines = {path: outline for path, (_, outline) in rendered.items() if path.endswith(".html")}
    figures = {path for item in pages.values() for path in item.files}
    places = partial(_places, loaded, pages, written)
    return made, [*problems, *_faults(places, outlines, {*made, *figures, FACTS}, site.url, kept)]


def _unnamed(path: str) -> Problem:
    return Problem(f"templates/{ascii(path)[1:-1]}", 0, "", "the name of the file is not UTF-8; rename it")


def _all(
    render: Callable[[TemplateFile], tuple[File, links.Outline]], sheets: Iterable[TemplateFile]
) -> tuple[dict[str, tuple[File, links.Outline]], list[Problem]]:
    """What is rendered, and the mistakes of all templates."""
    rendered: dict[str, tuple[File, links.Outline]] = {}
    problems: list[Problem] = []
    for sheet in sheets:
        try:
            rendered[sheet.path] = render(sheet)
        except views.LimitError as error:  # the next page may take as long before it fails
            return rendered, [*problems, *error.problems]
        except Problems as error:
            problems += error.problems
    return rendered, problems


def _render(templates: Templates, kept: Cache, looks: Reads, sheet: TemplateFile) -> tuple[File, links.Outline]:
    """A file and what the check needs of it, as rendered before or now; `looks` are the site's own templates."""
    declared = {**versions.made_by(), "templates": versions.templates(), **sheet.shown}
    if entry := kept.find(STEP, sheet.path, declared):
        return kept.file(entry, STEP), links.Outline(*map(tuple, entry.data))
    made = views.render(templates(), sheet.template, **sheet.context())
    outline = links.outline(made) if sheet.path.endswith(".html") else links.Outline()
    if entry := kept.keep(STEP, sheet.path, declared, looks, outline, {STEP: made}):
        return kept.file(entry, STEP), outline
    return digests.file(made), outline


def warm(templates: views.Templates) -> None:
    """Make ready what the rest of a build needs, while it waits for scenes."""
    prose.warm()
    views.warm(templates)


def _faults(
    places: Callable[[str, str], Iterable[tuple[str, int]]],
    outlines: Mapping[str, links.Outline],
    files: Collection[str],
    url: str,
    kept: Cache,
) -> list[Problem]:
    """What is wrong with the finished pages. Where nothing was, with the same outlines and files, nothing is."""
    seen = {"outlines": digests.fingerprint(dict(outlines)), "files": digests.fingerprint(sorted(files)), "url": url}
    declared = {**versions.made_by(), **seen}
    if kept.find(LINKS, SITE, declared):
        return []
    faults = list(links.check(outlines, files, urlsplit(url).path, places))
    if not faults:
        kept.keep(LINKS, SITE, declared, Reads())
    return faults


def _places(
    loaded: Loaded, pages: Mapping[str, Assembled], of_site: Iterable[WrittenLink], path: str, link: str
) -> set[tuple[str, int]]:
    """The files and lines in which a link was written; the page's first line for one that a template made of a field.

    Texts of many pages stand in the other files, such as the index.
    """
    item = next((item for item in loaded.pages if path == f"{item.slug}/index.html"), None)
    if item is None:
        found = [*of_site, *chain.from_iterable(map(_links, pages.values()))]
        return {(file, line) for address, file, line in found if address == link} or {("templates", 0)}
    page = item.load()
    texts = {(text.file, text.line) for text in compose.texts(page) if text == link}
    written = {(file, line) for address, file, line in _links(pages[item.slug]) if address == link}
    return written | texts or {(page.file, page.slug.line)}


def _links(page: Assembled) -> tuple[WrittenLink, ...]:
    """The links that the texts of a page contain."""
    found: tuple[WrittenLink, ...] = pickle.loads(page.links.read())
    return found


def _pages(site: views.SiteView, pages: Mapping[str, Assembled]) -> Iterator[TemplateFile]:
    """The pages. Of the others each gets as little as it shows, so that few follow when one is edited."""
    plain = _plain(site)
    known = digests.fingerprint(plain)
    for entry in site.entries:
        track = next((track for track in site.tracks if entry in track.entries), None)
        around = track.entries if track else site.entries
        place = around.index(entry)
        context = {
            "root": "../",
            "track": track and track._replace(entries=()),
            "previous": views.neighbour(around, place - 1),
            "next": views.neighbour(around, place + 1),
            "canonical": f"{site.url}{entry.slug}/",
        }
        view = pages[entry.slug].view
        shown = {"site": known, "view": view.digest, "frame": digests.fingerprint(context)}
        yield TemplateFile(f"{entry.slug}/index.html", "page.html", shown, partial(_context, plain, context, view))


def _plain(site: views.SiteView) -> views.SiteView:
    """A site without what it says of its pages."""
    return site._replace(entries=(), tracks=tuple(track._replace(entries=()) for track in site.tracks))


def _context(site: views.SiteView, context: Mapping[str, Any], view: File) -> dict[str, Any]:
    return {"site": site, **context, "page": pickle.loads(view.read())}


def _others(site: views.SiteView, pages: Mapping[str, Assembled], updated: str | None) -> Iterator[TemplateFile]:
    """Every other file that a template makes."""
    tracks = [[entry.slug for entry in track.entries] for track in site.tracks]
    told = [(entry.slug, pages[entry.slug].told) for entry in site.entries]
    known = digests.fingerprint((_plain(site), tracks, told, updated))

    def sheet(path: str, template: str, **context: Any) -> TemplateFile:
        return TemplateFile(path, template, {"site": known}, lambda: {"site": site, **context})

    for track in site.tracks:
        address = f"{site.url}{track.slug}/"
        yield sheet(f"{track.slug}/index.html", "track.html", root="../", track=track, canonical=address)
    yield sheet("index.html", "index.html", root="", canonical=site.url)
    yield sheet("404.html", "404.html", root=urlsplit(site.url).path, canonical=f"{site.url}404.html")
    for name in ("feed.xml", "sitemap.xml", "robots.txt"):
        yield sheet(name, name, root=site.url, canonical=site.url, updated=updated)
