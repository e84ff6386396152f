"""Puts marks into the Markdown that remember where each line of the author's text begins.

Markdown does not keep track of where its text came from. So before it runs, each line gets a mark, at the first place
where the mark changes nothing: after the characters that begin a list, a heading or a table, and never where one of
Markdown's patterns depends on the neighbouring character.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from scenebook.core.scanner import Span, lead
from scenebook.core.text import Text
from scenebook.prose._pieces import Piece, hold

_SKIPPED = re.compile(
    r"""(?:
      [\s|\#:]                   # characters that begin blocks, before the line's own text
    | [-=*_+]+(?=[\s|:]|$)       # a rule, or a character by itself
    | \[\^[^\]\n]*\]:?           # a reference to a note, or its definition
    )*+""",
    re.VERBOSE,
)
_OPENING = re.compile(r"""[\["'()]*""")
_EMPHASIS = re.compile(r"\*+|_+")
_ATTRIBUTES = re.compile(r"\{:?[ ]*(?=[^}\s])")
_WORD = re.compile(r"\S+")
_DEFINITION = re.compile(r"\[[^\[\]]*\]:")
_NOTE = re.compile(r"\[\^([^\]\n]*)\]:")
_UNFINISHED = re.compile(r"(?:\[\^[^\]]*|<[^<> ]*)$")
_STARS_IN_LINE = re.compile(r"\*\*(?=\s|\Z)")
_STARS_AS_LINE = re.compile(r"\*\*(?=[ \t]*(?:\n|\Z))")
"""Asterisks that can only be text. A mark must not be next to them."""
_CONTEXT = 300


@dataclass(frozen=True)
class Lines:
    """The offsets at which lines begin: `own` are lines of the text itself, and `all` are also those of its file."""

    own: tuple[int, ...]
    all: tuple[int, ...]
    notes: dict[str, int] = field(default_factory=dict)
    """The offset of each note's definition, by its label. These are added while the text is marked."""


def lines_of(text: Text) -> Lines:
    """Return the offsets at which the lines of a text begin."""
    own = (0, *(found.end() for found in re.finditer("\n", text)))
    return Lines(own, tuple(sorted({*own, *text.breaks})))


def marked(span: Span, text: str, lines: Lines, pieces: list[Piece]) -> Iterator[str]:
    """Yield the parts of a span of plain text, with a mark in each line that begins in the span."""
    done = span.start
    for begin, end in _lines_in(span, lines.all):
        own = begin == 0 or text[begin - 1] == "\n"
        line, before = text[begin:end], text[max(0, begin - _CONTEXT) : begin]
        if own and (note := _NOTE.search(line, 0, _first(line, own))):
            lines.notes[note[1]] = begin
        stars = _STARS_AS_LINE.match(text, begin + len(lead(line))) if own else _STARS_IN_LINE.match(text, begin)
        place = stars.start() - begin if stars else _place(line, before, own)
        if place is not None:
            yield from _without_ampersands(text, done, begin + place, pieces)
            done = begin + place + (2 if stars else 0)
            kept = text[begin + place : done]
            yield hold(Piece(kept, kept, "text" if stars else "mark", begin + place, done), pieces)
    yield from _without_ampersands(text, done, span.end, pieces)


def _without_ampersands(text: str, begin: int, end: int, pieces: list[Piece]) -> Iterator[str]:
    """Yield a part of a text with a placeholder for each `&`."""
    while (found := text.find("&", begin, end)) >= 0:
        yield text[begin:found]
        yield hold(Piece("&amp;", "&", "text", found, found + 1), pieces)
        begin = found + 1
    yield text[begin:end]


def _lines_in(span: Span, begins: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the beginning and end of each line that begins in a span. The last one ends where the span ends."""
    found = begins[bisect_left(begins, span.start) : bisect_left(begins, span.end)]
    yield from pairwise((*found, span.end))


def _first(line: str, own: bool) -> int:
    """Return the index at which the words of a line begin."""
    found = _SKIPPED.match(line, len(lead(line)) if own else 0)
    return found.end() if found else 0


def _place(line: str, before: str, own: bool) -> int | None:
    """Return the index in a line where a mark changes nothing, or None. `before` is the text in front of the line."""
    if _UNFINISHED.search(before):
        return None
    index = _first(line, own)
    if before and not before[-1].isspace():
        index = _behind_word(line, index)
    if _continues(line, index, before.rstrip()[-1:]):
        index = _behind_word(line, index)
    while index < len(line):
        place = _inside(line, index)
        if place is not None:
            return place
        index = _behind_word(line, index)
    return None


def _continues(line: str, index: int, last: str) -> bool:
    """Return whether a line begins with part of a link from the line above: its name, its address or its attributes."""
    name = line.startswith("[", index) and not _DEFINITION.match(line, index)
    return (last == "]" and name) or (last in ("(", ":", "}") and line.startswith(("<", "!"), index))


def _inside(line: str, index: int) -> int | None:
    """Return the index for a mark in the word that begins at `index`, after its opening characters, or None."""
    if line.startswith("{", index):
        found = _ATTRIBUTES.match(line, index)
        return found.end() if found else None
    if line.startswith("[^", index):
        return None
    opened = _end(_OPENING, line, index)
    place = _end(_EMPHASIS, line, opened)
    if "_" in line[opened:place] and opened > 0 and not line[opened - 1].isspace():
        return None  # the character after an underscore decides whether it ends emphasis
    return place if place < len(line) and not line[place].isspace() and line[place] not in "|{}^" else None


def _behind_word(line: str, index: int) -> int:
    return _end(_SKIPPED, line, _end(_WORD, line, index))


def _end(pattern: re.Pattern[str], line: str, index: int) -> int:
    found = pattern.match(line, index)
    return found.end() if found else index
