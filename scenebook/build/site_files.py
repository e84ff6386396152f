"""Renders every file that is made from a template (pages, index, feed, site map), and adds the static files.

This step sees the whole site, so it also checks the links from one page to another.
"""

import pickle
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from scenebook.build import last_build
from scenebook.build.assemble import AssembledPage
from scenebook.build.last_build import SITE
from scenebook.build.options import BuildOptions
from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.problems import Problem, Problems
from scenebook.core.text_fields import all_texts
from scenebook.page import links, views
from scenebook.page import templates as page_templates
from scenebook.page.site_view import site_view
from scenebook.prose import prose
from scenebook.prose.prose import WrittenLink
from scenebook.storyboard.loader import Loaded

FACTS, HTML, LINKS = "facts.json", "html", "links"
_UNDECODABLE = re.compile("[\ud800-\udfff]")
"""How Python represents a byte of a file name that is not UTF-8."""
GetTemplates: TypeAlias = Callable[[], page_templates.TemplateSet]
"""Returns the templates, which are compiled on the first call."""


class TemplateFile(NamedTuple):
    """A file to render from a template.

    `dependencies` are digests of what the template shows; `context` returns the template's variables.
    """

    path: str
    template: str
    dependencies: Mapping[str, str]
    context: Callable[[], Mapping[str, Any]]


class RenderedFile(NamedTuple):
    """A rendered file, and the outline of its links and anchors."""

    file: File
    outline: links.Outline


def render(
    options: BuildOptions, loaded: Loaded, pages: Mapping[str, AssembledPage], templates: GetTemplates, cache: Cache
) -> tuple[dict[str, File], list[Problem]]:
    """Return the rendered and the static files of a site, by path, and every problem of the finished site."""
    found = page_templates.static(options.templates)
    problems = [_undecodable_name(path) for path in found if _UNDECODABLE.search(path)]
    named = {path: file for path, file in found.items() if not _UNDECODABLE.search(path)}
    assets = {path: digests.file(page_templates.asset(file)) for path, file in named.items()}
    addresses = {path: f"{path}?v={asset.digest[:12]}" for path, asset in assets.items()}
    summaries = tuple(page.info.summary for page in pages.values())
    written: list[WrittenLink] = []
    site = site_view(loaded.site, loaded.tracks, summaries, addresses, problems, written)
    render_one = partial(_render, templates, cache, last_build.template_reads(options))
    rendered, failures = _render_all(render_one, chain(_pages(site, pages), _other_files(site, pages, options.updated)))
    files = assets | {path: one.file for path, one in rendered.items()}
    if failures:  # links to a page that failed to render would be reported as broken
        return files, [*problems, *failures]
    outlines = {path: one.outline for path, one in rendered.items() if path.endswith(".html")}
    figures = {path for page in pages.values() for path in page.files}
    places = partial(_places, loaded, pages, written)
    return files, [*problems, *_check_links(places, outlines, {*files, *figures, FACTS}, site.url, cache)]


def prepare(templates: page_templates.TemplateSet) -> None:
    """Set up what the rest of a build needs, while the workers run scenes."""
    prose.warm()
    page_templates.warm(templates)


def _undecodable_name(path: str) -> Problem:
    return Problem(f"templates/{ascii(path)[1:-1]}", 0, "", "the file's name is not UTF-8; rename the file")


def _render_all(
    render_one: Callable[[TemplateFile], RenderedFile], files: Iterable[TemplateFile]
) -> tuple[dict[str, RenderedFile], list[Problem]]:
    """Return the rendered files by path, and the problems of all templates."""
    rendered: dict[str, RenderedFile] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            rendered[file.path] = render_one(file)
        except page_templates.LimitError as error:  # stop here: every other page may take as long before it fails
            return rendered, [*problems, *error.problems]
        except Problems as error:
            problems += error.problems
    return rendered, problems


def _render(templates: GetTemplates, cache: Cache, template_reads: Reads, file: TemplateFile) -> RenderedFile:
    """Return a file from the cache, or render it now."""
    dependencies = {**versions.made_by(), "templates": versions.templates(), **file.dependencies}
    if entry := cache.find(HTML, file.path, dependencies):
        return RenderedFile(cache.file(entry, HTML), links.Outline(*map(tuple, entry.data)))
    content = page_templates.render(templates(), file.template, **file.context())
    outline = links.outline(content) if file.path.endswith(".html") else links.Outline()
    if entry := cache.keep(HTML, file.path, dependencies, template_reads, outline, {HTML: content}):
        return RenderedFile(cache.file(entry, HTML), outline)
    return RenderedFile(digests.file(content), outline)


def _check_links(
    places: Callable[[str, str], Iterable[tuple[str, int]]],
    outlines: Mapping[str, links.Outline],
    files: Collection[str],
    url: str,
    cache: Cache,
) -> list[Problem]:
    """Return the problems of the finished pages. The check is skipped if these outlines and files had none before."""
    dependencies = {
        **versions.made_by(),
        "outlines": digests.fingerprint(dict(outlines)),
        "files": digests.fingerprint(sorted(files)),
        "url": url,
    }
    if cache.find(LINKS, SITE, dependencies):
        return []
    problems = list(links.check(outlines, files, urlsplit(url).path, places))
    if not problems:
        cache.keep(LINKS, SITE, dependencies, Reads())
    return problems


def _places(
    loaded: Loaded, pages: Mapping[str, AssembledPage], of_site: Iterable[WrittenLink], path: str, link: str
) -> set[tuple[str, int]]:
    """Return the files and lines in which a link was written, or the page's first line if it comes from another field.

    Files other than pages, such as the index, show texts of many pages.
    """
    listed = next((page for page in loaded.pages if path == f"{page.slug}/index.html"), None)
    if listed is None:
        found = [*of_site, *chain.from_iterable(map(_links, pages.values()))]
        return {(file, line) for address, file, line in found if address == link} or {("templates", 0)}
    page = listed.load()
    texts = {(text.file, text.line) for text in all_texts(page) if text == link}
    written = {(file, line) for address, file, line in _links(pages[listed.slug]) if address == link}
    return written | texts or {(page.file, page.slug.line)}


def _links(page: AssembledPage) -> tuple[WrittenLink, ...]:
    """Return the links in the texts of a page."""
    found: tuple[WrittenLink, ...] = pickle.loads(page.links.read())
    return found


def _pages(site: views.SiteView, pages: Mapping[str, AssembledPage]) -> Iterator[TemplateFile]:
    """Yield the pages. Each gets only what it shows of other pages, so that editing one page changes few others."""
    bare_site = _without_pages(site)
    site_digest = digests.fingerprint(bare_site)
    for summary in site.entries:
        track = next((track for track in site.tracks if summary in track.entries), None)
        series = track.entries if track else site.entries
        position = series.index(summary)
        context = {
            "root": "../",
            "track": track and track._replace(entries=()),
            "previous": views.neighbour(series, position - 1),
            "next": views.neighbour(series, position + 1),
            "canonical": f"{site.url}{summary.slug}/",
        }
        view = pages[summary.slug].view
        dependencies = {"site": site_digest, "view": view.digest, "frame": digests.fingerprint(context)}
        get_context = partial(_page_context, bare_site, context, view)
        yield TemplateFile(f"{summary.slug}/index.html", "page.html", dependencies, get_context)


def _without_pages(site: views.SiteView) -> views.SiteView:
    """Return the site without the summaries of its pages."""
    return site._replace(entries=(), tracks=tuple(track._replace(entries=()) for track in site.tracks))


def _page_context(site: views.SiteView, context: Mapping[str, Any], view: File) -> dict[str, Any]:
    return {"site": site, **context, "page": pickle.loads(view.read())}


def _other_files(
    site: views.SiteView, pages: Mapping[str, AssembledPage], updated: str | None
) -> Iterator[TemplateFile]:
    """Yield every other file that is made from a template."""
    tracks = [[summary.slug for summary in track.entries] for track in site.tracks]
    page_digests = [(summary.slug, pages[summary.slug].info_digest) for summary in site.entries]
    site_digest = digests.fingerprint((_without_pages(site), tracks, page_digests, updated))

    def file(path: str, template: str, **context: Any) -> TemplateFile:
        return TemplateFile(path, template, {"site": site_digest}, lambda: {"site": site, **context})

    for track in site.tracks:
        address = f"{site.url}{track.slug}/"
        yield file(f"{track.slug}/index.html", "track.html", root="../", track=track, canonical=address)
    yield file("index.html", "index.html", root="", canonical=site.url)
    yield file("404.html", "404.html", root=urlsplit(site.url).path, canonical=f"{site.url}404.html")
    for name in ("feed.xml", "sitemap.xml", "robots.txt"):
        yield file(name, name, root=site.url, canonical=site.url, updated=updated)
