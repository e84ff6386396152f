"""The files that are made from templates: what each shows, and the file from the cache or rendered.

This module knows no more of a page than its summary and its view, so what made them is not part of the code that a
rendered file in the cache depends on.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from urllib.parse import urlsplit

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.problems import Problem, Problems
from scenebook.page import links, views
from scenebook.page import templates as page_templates

if TYPE_CHECKING:
    from scenebook.build.assemble import AssembledPage

HTML = "html"
CODE = (__name__, "scenebook.storyboard.model", "scenebook.figure.drawing")
"""The modules that render a file, and those of the objects in views, with all that they import."""
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


def render_all(
    site: views.SiteView,
    pages: Mapping[str, "AssembledPage"],
    updated: str | None,
    render_one: Callable[[TemplateFile], RenderedFile],
) -> tuple[dict[str, RenderedFile], list[Problem]]:
    """Return the rendered files by path, and the problems of all templates."""
    rendered: dict[str, RenderedFile] = {}
    problems: list[Problem] = []
    for file in chain(_pages(site, pages), _other_files(site, pages, updated)):
        try:
            rendered[file.path] = render_one(file)
        except page_templates.LimitError as error:  # stop here: every other page may take as long before it fails
            return rendered, [*problems, *error.problems]
        except Problems as error:
            problems += error.problems
    return rendered, problems


def render(templates: GetTemplates, cache: Cache, template_reads: Reads, file: TemplateFile) -> RenderedFile:
    """Return a file from the cache, or render it now."""
    dependencies = {**versions.made_by(*CODE), "templates": versions.templates(), **file.dependencies}
    if entry := cache.find(HTML, file.path, dependencies):
        return RenderedFile(cache.file(entry, HTML), links.Outline(*map(tuple, entry.data)))
    content = page_templates.render(templates(), file.template, **file.context())
    outline = links.outline(content) if file.path.endswith(".html") else links.Outline()
    if entry := cache.keep(HTML, file.path, dependencies, template_reads, outline, {HTML: content}):
        return RenderedFile(cache.file(entry, HTML), outline)
    return RenderedFile(digests.file(content), outline)


def _pages(site: views.SiteView, pages: Mapping[str, "AssembledPage"]) -> Iterator[TemplateFile]:
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
    site: views.SiteView, pages: Mapping[str, "AssembledPage"], updated: str | None
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
