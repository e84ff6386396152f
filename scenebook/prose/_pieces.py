r"""Placeholders: they replace everything in the Markdown that Markdown must not parse.

A piece is the HTML of a formula, a value, code or an escaped character. A mark is a piece without any text, which only
remembers where a line of the author's text begins. In the Markdown a piece is `\x0eNNNNNN\x0f` and a mark is
`\x10NNNNNN\x11`, where the digits are its index. A link definition is used far from where it is written, so the
placeholders inside one become `\x12NNNNNN\x13`. A storyboard cannot contain these control characters.

A placeholder is eight characters wide, because Markdown expands tabs to multiples of four, and a mark must not move
them.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scenebook.core.scanner import Kind
from scenebook.prose._spoken import words_of
from scenebook.prose._stand_ins import HOLE, VALUE

PLACEHOLDER = re.compile(r"[\x0e\x10\x12](\d+)[\x0f\x11\x13]")
ANCHOR = re.compile(r"[\x0e\x10](\d+)[\x0f\x11]")
"""A placeholder at the place where the author wrote what it replaces."""
MARK = re.compile(r"\x10(\d+)\x11")
_IN_PARAGRAPH = re.compile(rf"(<p>)?{PLACEHOLDER.pattern}(</p>)?")
_IN_DEFINITION = str.maketrans("\x0e\x10\x0f\x11", "\x12\x12\x13\x13")


@dataclass(frozen=True)
class Piece:
    """A span as HTML and as plain text, with the offsets in the author's text where it begins and ends."""

    html: str
    source: str
    kind: Kind | Literal["mark", "rows"] = "text"
    start: int = 0
    end: int = 0
    variants: tuple[str, ...] = ()
    written: str = ""
    """The span as the author wrote it."""

    def at(self, number: int) -> str:
        """The text without markup at a setting."""
        if not self.variants:
            return self.plain
        variant = self.variants[number]
        return words_of(variant) if self.kind in ("formula", "display") else variant

    @property
    def plain(self) -> str:
        """The text without markup, with formulas in words and the values of output."""
        return words_of(self.html) if self.kind in ("formula", "display", "fence") else self.source


def hold(piece: Piece, pieces: list[Piece]) -> str:
    """Add a piece to `pieces` and return its placeholder."""
    pieces.append(piece)
    begin, end = "\x10\x11" if piece.kind == "mark" else "\x0e\x0f"
    return f"{begin}{len(pieces) - 1:06}{end}"


def without_marks(source: str) -> str:
    """Return a text without its marks. Other placeholders stay."""
    return MARK.sub("", source)


def in_definition(source: str) -> str:
    """Return a text with its placeholders changed to those of a link definition."""
    return source.translate(_IN_DEFINITION)


def first_place(source: str, pieces: Sequence[Piece]) -> int | None:
    """Return the offset of the first piece or mark in a text, or None if it has none."""
    found = PLACEHOLDER.search(source)
    return pieces[int(found[1])].start if found else None


def filled(body: str, pieces: Sequence[Piece]) -> str:
    """Return HTML with the HTML of each piece in its place.

    A fence is a block, so it ends the paragraph that it is in.
    """

    def fill(match: re.Match[str]) -> str:
        piece, begins, ends = pieces[int(match[2])], match[1] or "", match[3] or ""
        if piece.kind == "fence" and begins:
            return piece.html if ends else f"{piece.html}<p>"
        return f"{begins}{piece.html}{ends}"

    return _IN_PARAGRAPH.sub(fill, body)


def filled_plain(body: str, pieces: Sequence[Piece]) -> str:
    """Return HTML with the plain text of each piece in its place, escaped."""
    return PLACEHOLDER.sub(lambda match: html.escape(pieces[int(match[1])].plain), body)


def read_as(piece: Piece) -> str:
    """Return the characters that stand for a piece in the text that is checked for typed numbers."""
    if piece.kind == "text":
        return piece.source
    return "" if piece.kind == "mark" else VALUE if piece.kind == "value" else HOLE
