"""Finds where the author wrote the texts in Markdown's tree.

The tree is read as passages, one for each paragraph, heading, table row and so on. A passage is a string with
placeholders, and each placeholder knows its offset in the author's text. A place is found by counting line ends from
the nearest placeholder.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scenebook.core.scanner import Span
from scenebook.prose._pieces import ANCHOR, PLACEHOLDER, Piece, read_as
from scenebook.prose._stand_ins import NOTE

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_WITHIN = {"a", "em", "strong", "br", "img", "sup", "th", "td"}
"""Elements that do not begin a passage."""
_CELLS = {"th", "td"}
"""Of these, those with a line end of Markdown's own behind them, which is not one of the author's text."""
_SPACE = re.compile(r"\s")
_MAIL = "\x02amp\x03"
"""The start of a mail address, which Markdown writes as character references."""


@dataclass
class Passage:
    """The text of one block as Markdown left it, with placeholders. Each of the `parts` reads as one text.

    With each part comes what stands between it and the part before: the mark of a note, or a line end. `in_note` says
    whether the passage is part of a note.
    """

    source: "Source"
    strings: list[str] = field(default_factory=list)
    parts: list[tuple[int, int, str]] = field(default_factory=list)
    length: int = 0
    above: int = 0
    """The offset in the author's text after which the passage was written."""
    in_note: bool = False
    between: str = ""

    def add(self, text: str, read: bool = True) -> None:
        """Add a string. `read` says whether it is text that a reader sees."""
        if read and text:
            self.parts.append((self.length, self.length + len(text), self.between))
            self.between = ""
        self.strings.append(text)
        self.length += len(text)

    @cached_property
    def text(self) -> str:
        """The whole passage."""
        return "".join(self.strings)

    @cached_property
    def _anchors(self) -> list[tuple[int, int, Piece]]:
        found = ANCHOR.finditer(self.text)
        return [(anchor.start(), anchor.end(), self.source.pieces[int(anchor[1])]) for anchor in found]

    @property
    def end(self) -> int:
        """The last known offset of the passage in the author's text."""
        return self._anchors[-1][2].end if self._anchors else self.above

    def place(self, index: int) -> int:
        """Return an offset in the author's text, on the line where a character of the passage was written."""
        anchors = self._anchors
        following = bisect_right(anchors, index, key=lambda anchor: anchor[1])
        after = anchors[following] if following < len(anchors) else None
        if after and not _SPACE.search(self.text, index, max(index, after[0])):
            return after[2].start
        if following:
            _, end, piece = anchors[following - 1]
            return self.source.moved(piece.end, self.text.count("\n", end, index))
        if after:
            return self.source.moved(after[2].start, -self.text.count("\n", index, after[0]))
        return self.source.below(self.above)


@dataclass(frozen=True)
class Source:
    """The author's text: its spans, its pieces, and the offsets at which its lines begin."""

    text: str
    spans: tuple[Span, ...]
    pieces: list[Piece]
    lines: tuple[int, ...]

    def moved(self, offset: int, lines: int) -> int:
        """Return the beginning of the line that is `lines` lines further down, or the offset itself for 0 lines."""
        if not lines:
            return offset
        line = bisect_right(self.lines, offset) - 1 + lines
        return self.lines[min(max(line, 0), len(self.lines) - 1)]

    def below(self, offset: int) -> int:
        """Return the beginning of the next line that is not blank, or the offset itself if there is none."""
        found = re.compile(r"[ \t]*\n\s*").search(self.text, offset) if offset else None
        return found.end() if found and found.end() < len(self.text) else offset


@dataclass(frozen=True)
class Node:
    """A text between two pieces of Markdown syntax. `raw` has placeholders and begins at index `start` of a passage.

    `text` is what a reader sees, with one character for each value or formula. `moves` are pairs of an index in `text`
    and the matching index in the passage. Both advance together until the next pair.
    """

    passage: Passage
    start: int
    raw: str
    text: str
    moves: tuple[tuple[int, int], ...]

    def place(self, index: int) -> int:
        """Return the offset in the author's text of a character of `text`."""
        read, start = self.moves[bisect_right(self.moves, index, key=lambda move: move[0]) - 1]
        return self.passage.place(start + index - read)

    def place_of_raw(self, index: int) -> int:
        """Return the offset in the author's text of a character of `raw`."""
        return self.passage.place(self.start + index)


class Paragraph(NamedTuple):
    """What a reader sees of a block: its texts joined, and the index at which each of them starts.

    `cited` says whether it is part of a note.
    """

    text: str
    nodes: tuple[Node, ...]
    starts: tuple[int, ...]
    cited: bool = False

    def place(self, index: int) -> int:
        """Return the offset in the author's text of a character of `text`."""
        number = max(bisect_right(self.starts, index) - 1, 0)
        return self.nodes[number].place(max(index - self.starts[number], 0))


def _paragraph(passage: Passage) -> Paragraph:
    nodes = tuple(_node(passage, start, end) for start, end, _ in passage.parts)
    strings: list[str] = []
    starts, length = [], 0
    for node, (_, _, between) in zip(nodes, passage.parts, strict=True):
        starts.append(length + len(between))
        length = starts[-1] + len(node.text)
        strings += [between, node.text]
    return Paragraph("".join([*strings, passage.between]), nodes, tuple(starts), passage.in_note)


def _node(passage: Passage, start: int, end: int) -> Node:
    raw = passage.text[start:end]
    parts: list[str] = []
    moves, length, done = [(0, start)], 0, 0
    for found in PLACEHOLDER.finditer(raw):
        before, shown = raw[done : found.start()], read_as(passage.source.pieces[int(found[1])])
        length, done = length + len(before), found.end()
        moves += [(length, start + found.start()), (length + len(shown), start + done)]
        length += len(shown)
        parts += [before, shown]
    return Node(passage, start, raw, "".join([*parts, raw[done:]]), tuple(moves))


@dataclass
class Reading:
    """The passages of a tree, and the passage and index at which each element ends."""

    source: Source
    passages: list[Passage]
    ends: dict["Element", tuple[Passage, int]]
    in_notes: bool = False
    """Whether the notes at the end of the text have begun."""

    def paragraphs(self) -> Iterator[Paragraph]:
        """Return what a reader sees of each block, including the titles of links."""
        return (_paragraph(passage) for passage in self.passages if passage.parts)

    def place(self, element: "Element") -> int:
        """Return the offset in the author's text at which an element ends."""
        passage, index = self.ends[element]
        return passage.place(index)


def read(root: "Element", source: Source) -> Reading:
    """Read the passages of Markdown's tree."""
    reading = Reading(source, [Passage(source)], {})
    _read_element(root, reading)
    return reading


def _read_element(element: "Element", reading: Reading) -> None:
    begins = element.get("start", "")
    reading.in_notes |= element.get("class") == "footnote"
    if element.tag not in _WITHIN:
        _begin(reading)
    passages = reading.passages
    if element.tag in _CELLS:
        passages[-1].between += "\n"
    if len(begins) > 2:
        passages[-1].add(begins)
        passages[-1].between = "\n"
    seen = not _is_reference(element)
    if seen:
        _add(passages[-1], element.text, element.tag in _WITHIN, not _is_address(element))
        for child in element:
            _read_element(child, reading)
            _add(passages[-1], child.tail, child.tag in _WITHIN - _CELLS)
    else:
        passages[-1].between += NOTE
    if element.tag in ("a", "img"):
        _read_attributes(element, passages[-1])
    reading.ends[element] = (passages[-1], passages[-1].length)


def _begin(reading: Reading) -> None:
    """Begin a passage, unless the last one is empty or contains only the number of a list."""
    last = reading.passages[-1]
    if len(last.strings) > 1 or (last.strings and not last.strings[0].isdecimal()):
        reading.passages.append(Passage(reading.source, above=last.end))
    reading.passages[-1].in_note = reading.in_notes


def _add(passage: Passage, text: str | None, within: bool, is_read: bool = True) -> None:
    if text and (within or not text.isspace()):
        passage.add(text, is_read)


def _read_attributes(element: "Element", passage: Passage) -> None:
    """Add the addresses and the title of a link or image. Readers see only the title.

    Line ends in any of these count. Spaces keep each apart from the words beside it.
    """
    for name in ("href", "src", "alt"):
        if name in element.attrib:
            passage.add(f" {element.get(name)} ", read=False)
    if title := element.get("title", ""):
        passage.between += "\n"
        passage.add(title, read=not _is_address(element))
        passage.between += "\n"
        passage.add(" ", read=False)


def _is_reference(element: "Element") -> bool:
    return element.tag == "sup"


def _is_address(element: "Element") -> bool:
    """Return whether the text of a link is its address."""
    address = element.get("href", "")
    return bool(address) and (address == element.text or address.startswith(_MAIL))


def in_span(span: Span, index: int) -> int:
    """Return the offset in the author's text of a character of a span's `inner`."""
    line = span.inner.count("\n", 0, index)
    column = index - (span.inner.rfind("\n", 0, index) + 1)
    raw, inner = span.raw.split("\n")[line], span.inner.split("\n")[line]
    return span.line(line) + max(raw.rfind(inner), 0) + column
