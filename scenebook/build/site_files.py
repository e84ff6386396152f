"""Renders every file that is made from a template (pages, index, feed, site map), and adds the static files.

This step sees the whole site, so it also checks the links from one page to another.
"""

import pickle
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from itertools import chain
from urllib.parse import urlsplit

from scenebook.build import last_build, template_files
from scenebook.build.assemble import AssembledPage
from scenebook.build.last_build import SITE
from scenebook.build.options import BuildOptions
from scenebook.build.template_files import GetTemplates
from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.problems import Problem
from scenebook.core.text_fields import all_texts
from scenebook.page import links
from scenebook.page import templates as page_templates
from scenebook.page.site_view import site_view
from scenebook.prose import prose
from scenebook.prose.prose import WrittenLink
from scenebook.storyboard.loader import Loaded

FACTS, LINKS = "facts.json", "links"
_UNDECODABLE = re.compile("[\ud800-\udfff]")
"""How Python represents a byte of a file name that is not UTF-8."""


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
    render_one = partial(template_files.render, templates, cache, last_build.template_reads(options))
    rendered, failures = template_files.render_all(site, pages, options.updated, render_one)
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


def _check_links(
    places: Callable[[str, str], Iterable[tuple[str, int]]],
    outlines: Mapping[str, links.Outline],
    files: Collection[str],
    url: str,
    cache: Cache,
) -> list[Problem]:
    """Return the problems of the finished pages. The check is skipped if these outlines and files had none before."""
    dependencies = {
        **versions.made_by("scenebook.page.links"),
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
