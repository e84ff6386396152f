"""The finished HTML, checked: links, anchors and assets lead somewhere, ids are unique, pictures have words.

Works on the bytes of pages alone, so it judges what will be published whichever template wrote it.
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
"""A comment, a script or style with what is in it, or any other tag that opens."""
_ATTRIBUTE = re.compile(r"""([\w:-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_SOURCES = re.compile(r"(\S*[^\s,])(?:\s+[\d.]+[wx])?\s*(?:,|$)")
INDEX = "/index.html"
_ADDRESSES = {"href", "src", "data", "poster", "xlink:href", "srcset"}
_OF_NOTE = {"id", *_ADDRESSES}
_JUDGED = {"html", "img", "a", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Most tags are parts of pictures, and neither have what is of note nor are judged."""


class Outline(NamedTuple):
    """What the check needs of one page: its ids, where it points, and what is wrong with it by itself."""

    ids: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()


def outline(page: bytes) -> Outline:
    """Read one page. It stays bytes, since as text it could take four times the memory."""
    found = ((tag.lower(), _attributes(inside)) for tag, inside in _opened(page))
    tags = [(tag, attributes) for tag, attributes in found if tag in _JUDGED or not _OF_NOTE.isdisjoint(attributes)]
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    links = [link for tag, attributes in tags if tag != "base" for link in _links(attributes)]
    return Outline(
        tuple(map(intern, dict.fromkeys(ids))), tuple(map(intern, dict.fromkeys(links))), tuple(_faults(tags, ids))
    )


def check(
    outlines: Mapping[str, Outline], files: Iterable[str], base: str, source: Callable[[str, str], tuple[str, int]]
) -> Iterator[Problem]:
    """Every fault of every page, and every link of one page that leads nowhere in the site.

    `base` is the path of the site's address, with or without escapes (%20); only links that begin with it may be
    absolute. `source(path, link)` is the file and line where the link of a page was written.
    """
    known, base = set(files), unquote(base)
    for path, page in outlines.items():
        yield from (Problem(f"output/{path}", 0, "", fault) for fault in page.faults)
        for link in page.links:
            if fault := _dead(link, path, outlines, known, base):
                yield Problem(*source(path, link), f"output/{path}", f"the link {link!r} {fault}")


def _opened(page: bytes) -> Iterator[tuple[str, str]]:
    """The tags of a page, each with the text of its attributes."""
    for match in _TAG.finditer(page):
        if match.lastindex:
            yield (match[1] or match[3]).decode(), match[match.lastindex].decode()


def _attributes(raw: str) -> dict[str, str]:
    return {name.lower(): html.unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(raw)}


def _links(attributes: Mapping[str, str]) -> Iterator[str]:
    """Where a tag points; a `srcset` lists several addresses, each with a size."""
    for name, value in attributes.items():
        if name == "srcset":
            yield from _SOURCES.findall(value)
        elif name in _ADDRESSES:
            yield value.strip()


def _faults(tags: list[tuple[str, dict[str, str]]], ids: list[str]) -> Iterator[str]:
    repeated = sorted({name for name in ids if ids.count(name) > 1}) if len(set(ids)) < len(ids) else []
    yield from (f"the id '{name}' stands twice; ids are unique in a page" for name in repeated)
    for tag, attributes in tags:
        if tag == "img" and "alt" not in attributes:
            yield f"the image {attributes.get('src', '')!r} has no alt text"
        if tag == "a" and attributes.get("target") == "_blank" and "noopener" not in attributes.get("rel", ""):
            yield f"the link {attributes.get('href', '')!r} opens a window without rel=noopener"
    if not any(tag == "html" and attributes.get("lang") for tag, attributes in tags):
        yield "the page does not tell its language"
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
        return f"is no address: {error}"
    if parts.scheme or parts.netloc or link.startswith("//"):
        return _astray(link, parts.scheme, parts.netloc)
    target = _target(unquote(parts.path), path, base)
    if target is None:
        return f"leads out of the site, which is at {base}"
    if target not in known:
        names = {each.removesuffix(INDEX): each for each in known}
        name = closest(target.removesuffix(INDEX), names)
        hint = suggest(posixpath.relpath(names[name], posixpath.dirname(path)) if name else None)
        return f"leads nowhere; no page or file of the site has this address{hint}"
    fragment = unquote(parts.fragment).split(":~:")[0]
    if fragment and target in outlines and fragment not in outlines[target].ids and fragment != "top":
        hint = did_you_mean(f"#{fragment}", [f"#{name}" for name in outlines[target].ids])
        return f"leads to a place that is not there; {target} has no id '{fragment}'{hint}"
    return None


def _astray(link: str, scheme: str, host: str) -> str | None:
    """What is wrong with a link that leads out of the site by a scheme or a host."""
    if scheme in ("http", "https", ""):
        return None if scheme and host else "does not begin with https:// or http:// and a host"
    if scheme == "mailto" or link.startswith("data:image/"):
        return None
    return f"leads to '{scheme}:', which is not allowed"


def _target(address: str, path: str, base: str) -> str | None:
    """The file a server answers with, relative to the site; None outside of it."""
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
