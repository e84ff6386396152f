"""Checks the finished HTML: links, anchors and assets lead somewhere, ids are unique, images have alternative text.

The checks read the bytes of the pages, so they see what will be published, whichever template wrote it.
"""

import html
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import pairwise
from sys import intern
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from scenebook.core.problems import Problem
from scenebook.core.suggestions import closest, did_you_mean, suggest

_INSIDE = r"((?:[^>\"']|\"[^\"]*\"|'[^']*')*)"
_TAG = re.compile(
    rf"<!--.*?-->|<(script|style)(?=[\s/>]){_INSIDE}>.*?</\1\s*>|<([a-z][\w:-]*){_INSIDE}>".encode(),
    re.DOTALL | re.IGNORECASE,
)
"""A comment, a script or style with its content, or any other opening tag."""
_ATTRIBUTE = re.compile(r"""([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_SOURCES = re.compile(r"(\S*[^\s,])(?:\s+[\d.]+[wx])?\s*(?:,|$)")
INDEX = "/index.html"
_ADDRESSES = {"href", "src", "data", "poster", "xlink:href", "srcset"}
_CHECKED_ATTRIBUTES = {"id", *_ADDRESSES}
_CHECKED_TAGS = {"html", "img", "a", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Most tags are parts of drawings. They are skipped unless they have a checked attribute."""


class Outline(NamedTuple):
    """What the check of a site needs to know about a page: its ids, its links, and the faults of the page itself."""

    ids: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def outline(page: bytes) -> Outline:
    """Return the outline of one page. The page stays bytes, because as text it could take four times the memory."""
    found = ((tag.lower(), _attributes(inside)) for tag, inside in _opened(page))
    tags = [(tag, attributes) for tag, attributes in found if _is_checked(tag, attributes)]
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    links = [link for tag, attributes in tags if tag != "base" for link in _links(attributes)]
    return Outline(
        tuple(map(intern, dict.fromkeys(ids))), tuple(map(intern, dict.fromkeys(links))), tuple(_faults(tags, ids))
    )


def _is_checked(tag: str, attributes: Mapping[str, str]) -> bool:
    return tag in _CHECKED_TAGS or not _CHECKED_ATTRIBUTES.isdisjoint(attributes)


def check(
    outlines: Mapping[str, Outline],
    files: Iterable[str],
    base: str,
    places: Callable[[str, str], Iterable[tuple[str, int]]],
) -> Iterator[Problem]:
    """Yield every fault of every page, and every link that leads nowhere in the site.

    `base` is the path of the site's address, with or without escapes (%20). An absolute link must begin with it.
    `places(path, link)` returns the files and lines in which a link of a page was written.
    """
    known, base = set(files), unquote(base)
    for path, page in outlines.items():
        yield from (Problem(f"output/{path}", 0, "", fault) for fault in page.faults)
        for link in page.links:
            if fault := _dead(link, path, outlines, known, base):
                message = f"the link {link!r} {fault}"
                yield from (Problem(file, line, f"output/{path}", message) for file, line in places(path, link))


def _opened(page: bytes) -> Iterator[tuple[str, str]]:
    """Yield the opening tags of a page, each with the text of its attributes."""
    for match in _TAG.finditer(page):
        if match.lastindex:
            yield (match[1] or match[3]).decode(), match[match.lastindex].decode()


def _attributes(raw: str) -> dict[str, str]:
    return {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(raw)}


def _links(attributes: Mapping[str, str]) -> Iterator[str]:
    """Yield the addresses in a tag. A `srcset` lists several, each with a size."""
    for name, value in attributes.items():
        if name == "srcset":
            yield from _SOURCES.findall(value)
        elif name in _ADDRESSES:
            yield value.strip()


def _faults(tags: list[tuple[str, dict[str, str]]], ids: list[str]) -> Iterator[str]:
    repeated = sorted({name for name in ids if ids.count(name) > 1}) if len(set(ids)) < len(ids) else []
    yield from (f"the id '{name}' is used twice; give each element of a page its own id" for name in repeated)
    for tag, attributes in tags:
        if tag == "img" and "alt" not in attributes:
            yield f"the image {attributes.get('src', '')!r} has no alt text"
        if tag == "a" and attributes.get("target") == "_blank" and "noopener" not in attributes.get("rel", ""):
            yield f"the link {attributes.get('href', '')!r} opens a window without rel=noopener; add it"
    if not any(tag == "html" and attributes.get("lang") for tag, attributes in tags):
        yield "the page does not say its language; write <html lang=...>"
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch(r"h[1-6]", tag)]
    if levels.count(1) != 1:
        yield f"the page has {levels.count(1)} headings of the first level; it needs one"
    yield from (f"a heading of level {b} follows one of level {a}" for a, b in pairwise(levels) if b > a + 1)


def _dead(link: str, path: str, outlines: Mapping[str, Outline], known: set[str], base: str) -> str | None:
    if link.startswith("#") and link[1:] in outlines[path].ids:
        return None
    try:
        parts = urlsplit(link)
    except ValueError as error:
        return f"is not an address: {error}"
    if parts.scheme or parts.netloc or link.startswith("//"):
        return _astray(link, parts.scheme, parts.netloc)
    target = _target(unquote(parts.path), path, base)
    if target is None:
        return f"leads outside the site, which is at {base}"
    if target not in known:
        names = {each.removesuffix(INDEX): each for each in known}
        name = closest(target.removesuffix(INDEX), names)
        hint = suggest(posixpath.relpath(names[name], posixpath.dirname(path)) if name else None)
        return f"leads nowhere; the site has no page or file at this address{hint}"
    fragment = unquote(parts.fragment).split(":~:")[0]
    if fragment and target in outlines and fragment not in outlines[target].ids and fragment != "top":
        hint = did_you_mean(f"#{fragment}", [f"#{name}" for name in outlines[target].ids])
        return f"leads to a missing place; {target} has no id '{fragment}'{hint}"
    return None


def _astray(link: str, scheme: str, host: str) -> str | None:
    """Return what is wrong with a link that leads out of the site by a scheme or a host, or None."""
    if scheme in ("http", "https", ""):
        return None if scheme and host else "does not begin with https:// or http:// and a host"
    if scheme == "mailto" or link.startswith("data:image/"):
        return None
    return f"leads to '{scheme}:', which is not allowed"


def _target(address: str, path: str, base: str) -> str | None:
    """Return the file that a server sends for an address, relative to the site, or None outside the site."""
    if not address:
        return path
    if address.startswith("/"):
        if not address.startswith(base):
            return None
        joined = address.removeprefix(base)
    else:
        joined = posixpath.join(posixpath.dirname(path), address)
    folder = joined == "" or joined.endswith(("/", "/.", "/.."))
    target = posixpath.normpath(joined) if joined else "."
    if target.startswith(".."):
        return None
    return posixpath.normpath(posixpath.join(target, "index.html")) if folder or target == "." else target
