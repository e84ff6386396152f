"""Read a finished page as a reader meets it: its words in order, what is not a word (its tags), and what it loads.

Words are all that a reader sees or hears: those of texts, templates, figures and tables, and the descriptions in
attributes. A row of a table is one sentence, and so is a drawing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from posixpath import dirname, join, normpath
from typing import NamedTuple

from scenebook.review._word_diff import BLOCKS, Token, TokenReader

CODE = "code "
"""How the key of a word of code begins, so that it is never taken for a word of a sentence."""
SPOKEN = ("alt", "aria-label", "title", "placeholder")
"""Attributes that readers see or hear."""
VALUED = {"class", "hidden", "rel", "role", "type", "style", "open", "http-equiv", "media", "lang"}
"""Attributes whose values belong to the shape of a tag."""
PASSED_OVER = {*SPOKEN, "content", "data-follow", "id"}
"""Attributes that are compared as words, or that only scripts and links use."""
VERSION = re.compile(r"\?v=[0-9a-f]+")
"""What the address of a file has from its content."""
_LOADED = re.compile(
    r'<link\b(?=[^>]*\brel="(?:stylesheet|icon|preload|modulepreload)")[^>]*\bhref="([^"]*)"'
    r'|<(?:script|img|source|video|audio|iframe)\b[^>]*?\bsrc="([^"]*)"'
)
_URL = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
_DIGITS = re.compile(r"\d[\d.]*")
_APART = {"svg", "math"}
"""Tags that are not compared, because figures and formulas are compared by themselves."""
_NEIGHBOURS = {"prev", "next"}
"""Links that the first and the last page do not have."""
_UNSEEN = {"script", "style", "template"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class Tag(NamedTuple):
    """A tag, or the text of a script or style, and the scene that it is in.

    `shape` leaves out what pages with the same template do not share, such as addresses and sizes.
    """

    place: str
    text: str
    shape: str


@dataclass(frozen=True)
class ReadPage:
    """A page as read."""

    words: tuple[Token, ...]
    tags: tuple[Tag, ...]


def read_page(markup: str, scenes: Mapping[str, str]) -> ReadPage:
    """Read a page. `scenes` has the name of each of its scenes by the id of its element."""
    reader = _PageReader(scenes)
    reader.feed(markup)
    reader.close()
    return ReadPage(tuple(reader.found), tuple(reader.tags))


def loads(path: str, markup: str) -> Iterator[str]:
    """Yield the paths of the files that a page or style sheet at a path loads."""
    found = (_URL if path.endswith(".css") else _LOADED).findall(markup)
    for address in filter(None, (address for addresses in found for address in addresses)):
        if "://" not in address and not address.startswith("data:"):
            yield normpath(join(dirname(path), address.partition("?")[0].partition("#")[0])).lstrip("/")


def sentences(words: Sequence[Token]) -> list[Sequence[Token]]:
    """Split words into sentences."""
    ends = [place for place, word in enumerate(words, 1) if word.ends and (place == len(words) or words[place].space)]
    starts = [0, *ends] if not ends or ends[-1] < len(words) else [0, *ends[:-1]]
    return [words[start:end] for start, end in zip(starts, [*ends, len(words)], strict=False)]


class _PageReader(TokenReader):
    blocks = (BLOCKS - {"td", "th", "dt", "dd"}) | {
        *("article", "aside", "button", "caption", "details", "dl", "figcaption", "figure", "footer", "header"),
        *("label", "main", "nav", "ol", "option", "section", "select", "summary", "svg", "tbody", "thead"),
        *("title", "ul"),
    }

    def __init__(self, scenes: Mapping[str, str]) -> None:
        super().__init__()
        self.tags: list[Tag] = []
        self._scenes = scenes
        self._scene: tuple[str, str, int] = ("", "", 0)  # its name, the tag of its element, and how deep we are in it
        self._open: dict[str, int] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attributes}
        self._enter(tag, named.get("id", ""))
        if not self._within(*_APART, "pre"):
            self._add_tag(tag, named)
        if tag not in _VOID:
            self._open[tag] = self._open.get(tag, 0) + 1
        super().handle_starttag(tag, attributes)
        if self._within("svg") or tag in ("td", "th", "dt", "dd"):
            self._space = True
        for name in SPOKEN if tag != "math" else ():
            self._say(named.get(name, ""))
        if tag == "meta" and named.get("name") == "description":
            self._say(named.get("content", ""))

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        super().handle_endtag(tag)
        self._open[tag] = max(self._open.get(tag, 0) - 1, 0)
        name, element, depth = self._scene
        if tag == element:
            self._scene = (name, element, depth - 1) if depth > 1 else ("", "", 0)

    def handle_data(self, data: str) -> None:
        if self._within(*_UNSEEN):
            if self._inside.get("script", {}).get("type") != "application/ld+json":
                self.tags.append(Tag(self._scene[0], data.strip(), data.strip()))
        else:
            super().handle_data(data)

    def _within(self, *tags: str) -> bool:
        return any(self._open.get(tag) for tag in tags)

    def _enter(self, tag: str, name: str) -> None:
        scene, element, depth = self._scene
        if name in self._scenes:
            self._scene = (self._scenes[name], tag, 1)
        elif tag == element:
            self._scene = (scene, element, depth + 1)

    def _add_tag(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "data":
            return
        if tag == "meta" and "http-equiv" in attributes:
            attributes = {**attributes, "media": attributes.get("content", "")}
        shown = {name: VERSION.sub("", value) for name, value in attributes.items() if name not in PASSED_OVER}
        text = "".join(f' {name}="{value}"' if value else f" {name}" for name, value in shown.items())
        shape = "".join(f" {name}{_shaped(name, value)}" for name, value in shown.items())
        shape = "" if attributes.get("rel") in _NEIGHBOURS else shape
        self.tags.append(Tag(self._scene[0], f"<{tag}{text}>", f"<{tag}{shape}>"))

    def _say(self, text: str) -> None:
        if text:
            self._end_block()
            self._words(text)
            self._end_block()

    def _add(self, token: Token) -> None:
        key = f"{CODE}{token.key}" if self._within("pre") else token.key
        super()._add(replace(token, key=key, place=self._scene[0]))


def _shaped(name: str, value: str) -> str:
    return f'="{_DIGITS.sub("#", value)}"' if name in VALUED and value else ""
