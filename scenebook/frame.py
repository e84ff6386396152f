"""What the templates make of all pages: each page in its frame, the index, the feed, the map, and the static files.

Here the site is looked at as a whole, so here links from one page to another are checked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from scenebook import assemble, check, compose, content, fresh, markup, page
from scenebook.assemble import Assembled
from scenebook.cache import Cache
from scenebook.content import File
from scenebook.errors import Problem, Problems
from scenebook.fresh import Options
from scenebook.model import Page, Storyboard

FACTS = "facts.json"
Templates: TypeAlias = Callable[[], page.Templates]
"""The templates, made ready when they are first asked for."""
Rendering: TypeAlias = Callable[[], tuple[File, check.Outline]]


def files(
    options: Options, book: Storyboard, pages: Mapping[str, Assembled], templates: Templates, kept: Cache
) -> tuple[dict[str, File], list[Problem]]:
    """What the templates make of the pages, the static files, and what is wrong when all is looked at together."""
    problems: list[Problem] = []
    assets = {path: content.file(found.read_bytes()) for path, found in page.static(options.templates).items()}
    addresses = {path: f"{path}?v={item.digest[:12]}" for path, item in assets.items()}
    site = compose.site_view(book, tuple(item.head.entry for item in pages.values()), addresses, problems)
    looks = fresh.templates(options)
    renderings: dict[str, Rendering] = {}
    for slug, context in _frames(site):
        renderings[f"{slug}/index.html"] = partial(assemble.render, pages[slug], context, templates, kept, looks)
    for path, template, context in _others(site, options.updated):
        renderings[path] = partial(_render, templates, template, site=site, **context)
    rendered, failed = _all(renderings)
    made = assets | {path: file for path, (file, _) in rendered.items()}
    if failed:  # what is missing now is no link's fault
        return made, [*problems, *failed]
    outlines = {path: outline for path, (_, outline) in rendered.items() if path.endswith(".html")}
    figures = {path for item in pages.values() for path in item.files}
    return made, [*problems, *_faults(book, outlines, {*made, *figures, FACTS}, site.url)]


def _all(renderings: Mapping[str, Rendering]) -> tuple[dict[str, tuple[File, check.Outline]], list[Problem]]:
    """What is rendered, and the mistakes of all templates."""
    rendered: dict[str, tuple[File, check.Outline]] = {}
    problems: list[Problem] = []
    for path, render in renderings.items():
        try:
            rendered[path] = render()
        except Problems as error:
            problems += error.problems
    return rendered, problems


def _render(templates: Templates, template: str, **context: Any) -> tuple[File, check.Outline]:
    text = page.render(templates(), template, **context)
    return content.file(text.encode()), check.outline(text)


def warm(templates: page.Templates) -> None:
    """Make ready what the rest of a build needs, while it waits for scenes."""
    markup.warm()
    page.warm(templates)


def _faults(
    book: Storyboard, outlines: Mapping[str, check.Outline], files: Iterable[str], url: str
) -> Iterator[Problem]:
    written = {f"{item.slug}/index.html": item for item in book.pages}

    def source(path: str, link: str) -> tuple[str, int]:
        return _written(written[path], link) if path in written else ("templates", 0)

    return check.check(outlines, files, urlsplit(url).path, source)


def _written(item: Page, link: str) -> tuple[str, int]:
    """File and line of a link in a page's texts; the page's first line for one that a template made."""
    for text in compose.texts(item):
        if (offset := text.find(f"({link}")) >= 0 or (offset := text.find(link)) >= 0:
            return text.file, text.line_at(offset)
    return item.file, item.slug.line


def _frames(site: page.SiteView) -> Iterator[tuple[str, dict[str, Any]]]:
    """For each page, what its template gets besides the page: as little of the others as it shows."""
    plain = replace(site, entries=(), tracks=tuple(replace(track, entries=()) for track in site.tracks))
    for entry in site.entries:
        track = next((track for track in site.tracks if entry in track.entries), None)
        around = track.entries if track else site.entries
        place = around.index(entry)
        yield (
            entry.slug,
            {
                "site": plain,
                "root": "../",
                "track": track and replace(track, entries=()),
                "previous": page.neighbour(around, place - 1),
                "next": page.neighbour(around, place + 1),
                "canonical": f"{site.url}{entry.slug}/",
            },
        )


def _others(site: page.SiteView, updated: str | None) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every other file that a template makes: its path, the template, and what the template gets besides the site."""
    for track in site.tracks:
        context = {"root": "../", "track": track, "canonical": f"{site.url}{track.slug}/"}
        yield f"{track.slug}/index.html", "track.html", context
    yield "index.html", "index.html", {"root": "", "canonical": site.url}
    yield "404.html", "404.html", {"root": urlsplit(site.url).path, "canonical": f"{site.url}404.html"}
    for name in ("feed.xml", "sitemap.xml", "robots.txt"):
        yield name, name, {"root": site.url, "canonical": site.url, "updated": updated}
