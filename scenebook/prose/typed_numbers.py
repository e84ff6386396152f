"""Finds the numbers that are typed in a text. This rule keeps prose from drifting away from what the scenes compute.

NUMBERS.md has the rule for authors. A numeral that a reader sees is looked at in this order:

1. The names and the structure of a text pass: Section 3.2, GPT-2, 1D, 2 x 2, a date (`_numerals.py`).
2. What `quoted:` lists passes (`_quotations.py`).
3. A numeral that a scene of the page holds is reported with the value to write. A whole number up to twelve counts only
   if a word of the value's name stands near (`_held.py`).
4. What stands in a sentence with a note, or in a note, counts as quoted from there (`_sentences.py`).
5. Whole numbers up to twelve and years pass. Any other is reported.

A minus sign, a decimal point or a comma that is typed before a value turns it into another number, so it is found too.
A text is read as a reader sees it: without Markdown's marks, link targets, labels of notes and the numbers of lists,
and with the character `VALUE` for a value and `HOLE` for a formula or code. The numbers in formulas and code that read
like prose are found by `_said_numbers.py`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from scenebook.core import number_format
from scenebook.core.scanner import Span
from scenebook.prose._held import Held, HeldValues, is_exact, is_label, telling
from scenebook.prose._numerals import NUMBER, SIGN, essential, is_small, is_structure, is_year, may_be_typed, numerals
from scenebook.prose._places import in_span
from scenebook.prose._quotations import covered, covered_in_formula
from scenebook.prose._said_numbers import said
from scenebook.prose._sentences import Sentences
from scenebook.prose._stand_ins import HOLE, NOTE, VALUE

if TYPE_CHECKING:
    from collections.abc import Callable

    from scenebook.prose._places import Paragraph

    WordsNear = Callable[[int], tuple[tuple[str, ...], tuple[str, ...]]]

NEAR, NEAR_SMALL = 6, 4
"""How many words on each side of a numeral are near it. Fewer are near a whole number up to twelve."""
ADVICE = "list the number under quoted: with its source"
_GLUED_BEFORE = re.compile(rf"{VALUE}[.,eExX]?\Z")
_GLUED_AFTER = re.compile(rf"[.,]?{VALUE}")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]+\](?!:)")
_NOTE = re.compile(r"^[ >]*\[\^[^\]\s]+\]:(?:.|\n(?!\s*\n\S))*", re.MULTILINE)
_IN_NAMES = re.compile(r"\\(?:text\w*|mbox|math\w+|operatorname\*?)(?![A-Za-z])|[{}\\]")


@dataclass(frozen=True)
class Allowed:
    """What decides whether a number may be typed: the values that scenes hold, and the entries of `quoted:`.

    The entries that a text contains are added to `used`. `scene` is the id of the scene that the text belongs to.
    """

    held: HeldValues = field(default_factory=lambda: HeldValues({}))
    quoted: Collection[str] = ()
    used: set[str] = field(default_factory=set)
    scene: str = ""


class Typed(NamedTuple):
    """A typed numeral, its offset in a text, and what is wrong with it."""

    offset: int
    numeral: str
    message: str


@dataclass(frozen=True)
class _Place:
    """A numeral in a text, with what is around it: the words near it, a note, and whether it can be a year there."""

    text: str
    start: int
    end: int
    near: "WordsNear"
    cited: bool
    years: bool = True

    @property
    def numeral(self) -> str:
        return self.text[self.start : self.end]

    @property
    def is_glued(self) -> bool:
        """Whether the numeral touches a value and so turns it into another number."""
        before = self.text[max(0, self.start - 2) : self.start]
        return bool(_GLUED_BEFORE.search(before) or _GLUED_AFTER.match(self.text, self.end))


def find(spans: Sequence[Span], paragraphs: Iterable["Paragraph"] | None, allowed: Allowed) -> Iterator[Typed]:
    """Yield the typed numerals of a storyboard's text, scanned into `spans`.

    `paragraphs` are the blocks of its Markdown as a reader sees them, or None for a text that is not Markdown.
    """
    written = _Written(spans, is_markdown=paragraphs is not None, allowed=allowed)
    for span in spans:
        yield from _in_formula_or_code(span, written)
    if paragraphs is None:
        yield from typed(written.as_read, allowed)
    for paragraph in paragraphs or ():
        found = typed(paragraph.text, allowed, cited=paragraph.cited)
        yield from (each._replace(offset=paragraph.place(each.offset)) for each in found)


def typed(visible: str, allowed: Allowed, *, cited: bool = False) -> Iterator[Typed]:
    """Yield the typed numerals of a text as a reader sees it. `cited` says whether the text is part of a note."""
    places = tuple(numerals(visible))
    if not places:
        return
    quoted, sentences = covered(visible, allowed.quoted, allowed.used), Sentences(visible)
    for start, end in places:
        near = partial(sentences.words_near, start, end)
        place = _Place(visible, start, end, near, cited or sentences.has_note(start))
        if message := _fault(place, allowed, quoted=quoted.issuperset(essential(place.numeral, start))):
            yield Typed(start, place.numeral, message)


def not_computed(text: str, spelled: str, allowed: Allowed) -> Iterator[str]:
    """Yield the numerals that a scene's source spells out in a text, unless they may be typed or a scene holds them.

    `spelled` is the text with `HOLE` for the digits that the source does not spell out.
    """
    quoted = covered(text, allowed.quoted, allowed.used)
    for start, end in numerals(spelled):
        numeral = spelled[start:end]
        if not (
            quoted.issuperset(essential(numeral, start))
            or may_be_typed(spelled, start, end)
            or is_structure(spelled, start, end)
            or allowed.held.like(numeral)
        ):
            yield numeral


@dataclass(frozen=True)
class _Written:
    """A text as its author wrote it, and what may be typed in it."""

    spans: Sequence[Span]
    is_markdown: bool
    allowed: Allowed

    @cached_property
    def raw(self) -> str:
        return "".join(span.raw for span in self.spans)

    @cached_property
    def as_read(self) -> str:
        """The text as a reader sees it, with its length unchanged."""
        text = "".join(map(_as_read, self.spans))
        return _NOTE_MARK.sub(lambda mark: NOTE * len(mark[0]), text) if self.is_markdown else text

    @cached_property
    def quoted(self) -> set[int]:
        """The offsets that quoted phrases cover."""
        return covered(self.raw, self.allowed.quoted, self.allowed.used)

    @cached_property
    def sentences(self) -> Sentences:
        return Sentences(self.as_read)

    @cached_property
    def notes(self) -> set[int]:
        """The offsets of what is written in notes."""
        found = _NOTE.finditer(self.raw) if self.is_markdown else ()
        return {place for note in found for place in range(*note.span())}


def _as_read(span: Span) -> str:
    if span.kind in ("text", "escape"):
        return span.raw
    return (VALUE if span.kind == "value" else HOLE) * len(span.raw)


def _in_formula_or_code(span: Span, written: _Written) -> Iterator[Typed]:
    """Yield the typed numerals of a formula or of code. Names in the formula are near them, as are the words around."""
    parts = tuple(dict.fromkeys(said(span)))
    if not parts:
        return
    allowed = written.allowed
    quoted = covered_in_formula(span.inner, allowed.quoted, allowed.used)
    cited = written.sentences.has_note(span.start) or span.start in written.notes

    def near(count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        before, after = written.sentences.words_near(span.start, span.end, count)
        return (*before, *_names(span)), after

    for index, words in parts:
        offset = in_span(span, index)
        words_quoted = covered(words, allowed.quoted, allowed.used)
        for start, end in numerals(words):
            years = span.kind in ("code", "fence", "indented") or re.search(r"[^\W\d_]", words) is not None
            place = _Place(words, start, end, near, cited, years)
            digits = [start + at for at, c in enumerate(place.numeral) if c.isdecimal() or (at == 0 and c in SIGN)]
            is_quoted = (
                words_quoted.issuperset(digits)
                or quoted.issuperset(index + at for at in digits)
                or written.quoted.issuperset(offset + at for at in digits)
            )
            if message := _fault(place, allowed, quoted=is_quoted):
                yield Typed(offset + start, place.numeral, message)


def _names(span: Span) -> tuple[str, ...]:
    r"""Return the names in a formula: `d_model` for d_{\text{model}}, and `theta` for \theta."""
    plain = _IN_NAMES.sub(lambda found: " " if found[0] == "\\" else "", span.inner)
    return tuple(re.findall(r"[^\W\d_]\w*", plain))


# The rule.


def _fault(place: _Place, allowed: Allowed, *, quoted: bool) -> str:
    """Return what is wrong with a typed numeral, and what to do about it; empty if it may be typed."""
    numeral = place.numeral
    if not re.search(r"\w", numeral):
        return (
            f"{numeral!r} is typed before a value and turns it into another number; have the scene compute that number"
        )
    if place.is_glued:
        return f"{numeral} is typed beside a value and turns it into another number; have the scene compute that number"
    held = None if quoted else _held(place, allowed, small=is_small(numeral))
    may_be = place.cited or may_be_typed(place.text, place.start, place.end, years=place.years)
    if quoted or (may_be and not held) or is_structure(place.text, place.start, place.end):
        return ""
    if held:
        return _held_message(numeral, held)
    return f"{numeral} is typed: write a value that a scene computes, or list it under quoted: with its source"


class _Holders(NamedTuple):
    """The values that read like a numeral, and those of them that it probably is."""

    all: tuple[Held, ...]
    likely: tuple[Held, ...]


def _held(place: _Place, allowed: Allowed, *, small: bool) -> _Holders | None:
    """Return the values that read like a numeral, or None if there are none.

    A small number needs a name near it. A year needs one, too, unless a value is exactly that number.
    """
    found = allowed.held.like(place.numeral)
    if not found:
        return None
    before, after = place.near(NEAR_SMALL if small else NEAR)
    exact = telling(place.numeral, found)
    named = allowed.held.named(found, (*before, *after), allowed.scene)
    if len(named) > 1 and len(exact) == 1:
        named = exact
    if small:
        named = tuple(held for held in named if not (before and is_label(held, before[-1])))
    if named:
        return _Holders(named, named)
    if small or not exact:
        return None
    if place.years and is_year(place.text, place.start, place.end):
        exact = tuple(held for held in exact if is_exact(held))
        return _Holders(exact, ()) if exact else None
    return _Holders(exact, exact if len(exact) == 1 else ())


def _held_message(numeral: str, held: _Holders) -> str:
    if len(held.likely) == 1:
        value = number_format.show(held.likely[0].value)
        return f"{numeral} is typed: is this {held.likely[0].written} = {value}? Write the value, or {ADVICE}"
    if held.likely:
        names = ", ".join(each.written for each in held.likely[:3])
        return f"{numeral} is typed: is this one of {names}? Write the value, or {ADVICE}"
    return f"{numeral} is typed, and a value of this page reads the same: write the value if it is meant, or {ADVICE}"


def misquoted(entry: str, values: Mapping[str, Mapping[str, Any]], used: Collection[str]) -> str | None:
    """Return what is wrong with an entry of `quoted:`, or None. `used` are the entries that the texts contain.

    A bare number of two or more digits that a scene computes is not a quotation. A phrase or a small number may be one.
    """
    if not any(character.isnumeric() for character in entry):
        return f"{entry!r} contains no number; list numerals as they appear in the text"
    if entry not in used:
        return f"{entry} does not appear in the text; remove it from quoted:, or write it as in the text"
    bare = re.fullmatch(rf"[{SIGN}]?{NUMBER}\s?%?", entry) and len(re.findall(r"\d", entry)) > 1
    if bare and not is_small(entry) and (held := HeldValues(values).like(entry)):
        advice = f"if it is another {entry}, quote it with the word before it, such as 'section {entry}'"
        return f"{entry} is {held[0].written} = {number_format.show(held[0].value)}; write the value, or, {advice}"
    return None
