"""Rules for a whole site: its settings, its tracks, and the links between pages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from scenebook.core import repository_link, web_address
from scenebook.core.problems import Problem
from scenebook.core.suggestions import did_you_mean
from scenebook.core.text import Text
from scenebook.storyboard._macro_rules import macros
from scenebook.storyboard._page_rules import IN_LISTS, blanks, repeats, reserved_anchor, slug
from scenebook.storyboard._tree import Map, Seq, maps, part, problem, quoted, text, texts

LINKING = {"slug", "paper", "guide", "companions", "page", "track", "scenes", "compute", "inputs"}
"""The keys of a page that refer to other pages or to files, and those that lead to such keys."""


def check(board: Map, pages: Sequence[Map], *, complete: bool) -> Iterator[Problem]:
    """Yield the problems of a site, except those of each page by itself.

    `complete` is false if a page file could not be read. Its slug is then unknown, so links to missing pages are not
    reported.
    """
    site = board.get("site")
    tracks = maps(board, "tracks")
    yield from _settings(site if isinstance(site, Map) else None)
    for node in (site, board.get("tracks")):
        if isinstance(node, Map | Seq):
            yield from blanks(node)
    if isinstance(site, Map):
        yield from macros(site)
    for track in tracks:
        yield from slug(track)
        yield from reserved_anchor(track, "slug", IN_LISTS)
        listed = ((entries, index, name) for entries, index, name in texts(track, "pages"))
        yield from repeats(listed, "{name} is already in this list, at {place}; remove one of them")
    yield from repeats((node, "slug", name) for node in (*pages, *tracks) if (name := text(node, "slug")))
    yield from _links(pages, tracks, complete)


def outline(page: Map) -> Map:
    """Return the parts of a page that the rules for the whole site read."""
    kept: Map = _outline(page)
    return kept


def _outline(node: Any) -> Any:
    if isinstance(node, Seq):
        entries = Seq(node.file, node.line, node.where)
        entries.extend(map(_outline, node))
        entries.lines = node.lines
        return entries
    if not isinstance(node, Map):
        return node
    kept = Map(node.file, node.line, node.where)
    kept.update((key, _outline(value)) for key, value in node.items() if key in LINKING)
    kept.lines = {key: line for key, line in node.lines.items() if key in LINKING}
    return kept


def base_address_fault(url: str) -> str | None:
    """Return why an address cannot be that of a site or repository, to which the build appends paths."""
    fault = web_address.base_fault(url)
    return fault and f"{quoted(url)} {fault}"


def _settings(site: Map | None) -> Iterator[Problem]:
    if site is None:
        return
    for key in ("url", "repository"):
        url = text(site, key)
        if url is not None and url.strip() and (message := base_address_fault(url)):
            yield problem(site, key, message)
        elif key == "repository" and url and (fault := repository_link.fault(url)):
            yield problem(site, key, f"{quoted(url)} {fault}")
    language = text(site, "language")
    if language and not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", language):
        yield problem(site, "language", f"{quoted(language)} is not a language tag such as en or pt-BR")


def _links(pages: Sequence[Map], tracks: Sequence[Map], complete: bool) -> Iterator[Problem]:
    """Yield a problem for each link to a page or track that does not exist."""
    known = {kind: {text(node, "slug") or "" for node in nodes} for kind, nodes in (("page", pages), ("track", tracks))}
    for node, key, target, kind in _targets(pages, tracks):
        if target not in known[kind] and (complete or kind == "track"):
            message = f"there is no {kind} with the slug {quoted(target)}{did_you_mean(target, known[kind])}"
            yield problem(node, key, message)


def _targets(pages: Sequence[Map], tracks: Sequence[Map]) -> Iterator[tuple[Map | Seq, str | int, Text, str]]:
    """Yield each slug that names a page or track: its place (node and key), the slug, and "page" or "track"."""
    for track in tracks:
        yield from ((*entry, "page") for entry in texts(track, "pages"))
    for page in pages:
        companions = [(companion, kind, kind) for companion in maps(page, "companions") for kind in ("page", "track")]
        for node, key, kind in [(part(page, "paper"), "guide", "page"), *companions]:
            if target := text(node, key):
                yield node, key, target, kind
