"""Puts marks into the Markdown that remember where each line of the author's text begins.

Markdown does not keep track of where its text came from. So before it runs, each line gets a mark at its beginning. The
parts that read Markdown look through marks: `_tree.py` moves the mark of a line to its first word, and `_inline.py`
treats it as if it were not there.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scenebook.core.scanner import Span
from scenebook.core.text import Text
from scenebook.prose._pieces import Piece, hold


@dataclass(frozen=True)
class Lines:
    """The offsets at which lines begin: `own` are lines of the text itself, and `all` are also those of its file."""

    own: tuple[int, ...]
    all: tuple[int, ...]


def lines_of(text: Text) -> Lines:
    """Return the offsets at which the lines of a text begin."""
    own = (0, *(found.end() for found in re.finditer("\n", text)))
    return Lines(own, tuple(sorted({*own, *text.breaks})))


def marked(span: Span, text: str, lines: Lines, pieces: list[Piece]) -> Iterator[str]:
    """Yield the parts of a span of plain text, with a mark where a line begins in the span. A blank line gets none."""
    done = span.start
    for begin in _begins_in(span, lines.all):
        if not _is_blank(text, begin):
            yield from _without_ampersands(text, done, begin, pieces)
            yield hold(Piece("", "", "mark", begin, begin), pieces)
            done = begin
    yield from _without_ampersands(text, done, span.end, pieces)


def _is_blank(text: str, begin: int) -> bool:
    found = re.compile(r"[ \t]*(?:\n|\Z)").match(text, begin)
    return found is not None


def _begins_in(span: Span, begins: Sequence[int]) -> Sequence[int]:
    return begins[bisect_left(begins, span.start) : bisect_left(begins, span.end)]


def _without_ampersands(text: str, begin: int, end: int, pieces: list[Piece]) -> Iterator[str]:
    """Yield a part of a text with a placeholder for each `&`."""
    while (found := text.find("&", begin, end)) >= 0:
        yield text[begin:found]
        yield hold(Piece("&amp;", "&", "text", found, found + 1, written="&"), pieces)
        begin = found + 1
    yield text[begin:end]
