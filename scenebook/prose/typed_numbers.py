"""Finds the numbers that are typed in a text. This rule keeps prose from drifting away from what the scenes compute.

Every number that a reader sees is a value, `{{ scene.name }}`, or is listed in the page's `quoted:` with its source.
`typed` finds the others in a text as a reader sees it: without Markdown's marks, link targets, labels of notes and the
numbers of lists, and with the character `VALUE` for a value and `HOLE` for a formula or code.

A numeral is a run of digits in any script, including superscripts and fractions (²  ½  ①), with everything that belongs
to it: sign, decimal point, thousands separators (1,048,576 or 1 048 576), exponent (1e-7, 10⁻⁷), further parts (3.2.1,
3–5, 2017-06-12, 12:30, 1/2), letters or a percent sign after it (8x, 1st, 2D, 65 %). So `4-token`, `d_k=8`, `top-5` and
`Python 3.11` contain one each. These are not numerals:

- digits after a letter, which are part of a name: conv2d, x1, H2O, Q4, d_k, v2.1; and digits after a hyphen if the word
  before it has two capitals: GPT-2, ResNet-50, CIFAR-10;
- number words (two, half) and Roman numerals written with letters (II).

A minus sign, a decimal point or a comma that is typed before a value turns it into another number, so it is found too.
The numbers in formulas and code that read like prose are found by `_said_numbers.py`.

An entry of `quoted:` is a numeral, or a phrase that contains one, as it appears in the text: "2017" allows every 2017
on the page, and "section 3.5" allows 3.5 only after that word.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from scenebook.core import number_format
from scenebook.core.scanner import Span
from scenebook.prose._said_numbers import NUMBER as _NUMBER
from scenebook.prose._said_numbers import said
from scenebook.prose._stand_ins import HOLE, VALUE

if TYPE_CHECKING:
    from scenebook.prose._places import Node

_POSSIBLE = re.compile(rf"[\d²³¹¼½¾]|[^\x00-\u206f]|[-–\u2212.,]{VALUE}")  # most texts contain none of these
_SIGN = "-+±\N{MINUS SIGN}"
_OPENS = r"\s(\[{\"'“‘„«=<>≤≥≈~|/"  # what a sign can follow; after anything else it is a hyphen or an operator
_TOKEN = re.compile(
    rf"""
      (?<!{VALUE})(?:                                                  # a name
        v\d+(?:\.\d+)+
      | (?=\w*[A-Z]\w*[A-Z])[^\W\d_]\w*-\d+(?:\.\d+)*\w*(?:-\w+)*
      | [^\W\d_](?:[\w\u0300-\u036f](?!\d*\.\d))*
      )
    | (?P<numeral>
        (?:(?<![^{_OPENS}])[{_SIGN}])?(?:(?<!\w)\.)?
        {_NUMBER}(?:[-–—\u2212/:×·⁻⁺^]{_NUMBER})*
        (?:[^\W\d_]\w*|[ \u00a0]?[%‰])?
      )
    | (?P<prefix>(?<![^{_OPENS}])[-–\u2212.,]+(?={VALUE}))
    """,
    re.VERBOSE,
)


def find(
    spans: Sequence[Span], nodes: Iterable["Node"] | None, quoted: Collection[str], used: set[str]
) -> Iterator[tuple[int, str]]:
    """Yield the typed numerals of a storyboard's text, scanned into `spans`, each with its offset.

    `nodes` are the parts of its Markdown that a reader sees, or None for a text that is not Markdown. The quoted
    entries that the text contains are added to `used`.
    """
    for span in spans:
        for offset, words in said(span):
            yield from ((offset + index, numeral) for index, numeral in typed(words, quoted, used))
    if nodes is None:
        yield from typed("".join(map(_as_read, spans)), quoted, used)
    else:
        for node in nodes:
            yield from ((node.place(index), numeral) for index, numeral in typed(node.text, quoted, used))


def typed(visible: str, quoted: Collection[str], used: set[str]) -> Iterator[tuple[int, str]]:
    """Yield each numeral that is not quoted, with its offset, from a text as a reader sees it.

    A sign or point before a value is yielded without any digit.
    """
    if not _POSSIBLE.search(visible):
        return
    covered = _covered(visible, quoted, used)
    for match in _TOKEN.finditer(_with_plain_digits(visible)):
        start, end = match.span(match.lastgroup or 0)
        if match["prefix"] or (match["numeral"] and not covered.issuperset(_essential(match["numeral"], start))):
            yield start, visible[start:end]


def message(numeral: str, values: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what is wrong with a typed numeral, and what to do about it. `values` are by scene and name."""
    if not re.search(r"\w", numeral):
        return (
            f"{numeral!r} is typed before a value and turns it into another number; have the scene compute that number"
        )
    if near := nearest(numeral, values):
        name, value = near
        return (
            f"{numeral} is typed: is this {{{{ {name} }}}} = {number_format.show(value)}? "
            "Write the value, or list the number under quoted: with its source"
        )
    return f"{numeral} is typed: write a value that a scene computes, or list it under quoted: with its source"


def _as_read(span: Span) -> str:
    """Return a span as a reader sees it, with its length unchanged."""
    if span.kind in ("text", "escape"):
        return span.raw
    return (VALUE if span.kind == "value" else HOLE) * len(span.raw)


def nearest(numeral: str, values: Mapping[str, Mapping[str, Any]]) -> tuple[str, float] | None:
    """Return the value that is written like the numeral at its precision, as `scene.name:FORMAT` and exactly."""
    wanted = {_canonical(numeral), *map(_canonical, re.findall(_NUMBER, numeral))}
    decimals = re.search(r"\.(\d+)", numeral)
    places = len(decimals[1]) if decimals else 0
    found = {
        f"{scene}.{name}{spec and ':'}{spec}": value
        for scene, named in values.items()
        for name, value in named.items()
        for spec in _specs(value, places)
        if number_format.show(value, spec) in wanted
    }
    return next(iter(found.items()), None)


def misquoted(entry: str, values: Mapping[str, Mapping[str, Any]], used: Collection[str]) -> str | None:
    """Return what is wrong with an entry of `quoted:`, or None. `used` are the entries that the texts contain.

    A bare number of two or more digits that a scene computes is not a quotation. A phrase or a single digit may be one.
    """
    if not any(character.isnumeric() for character in entry):
        return f"{entry!r} contains no number; list numerals as they appear in the text"
    if entry not in used:
        return f"{entry} does not appear in the text; remove it from quoted:, or write it as in the text"
    bare = re.fullmatch(rf"[{_SIGN}]?{_NUMBER}\s?%?", entry) and len(re.findall(r"\d", entry)) > 1
    if bare and (near := nearest(entry, values)):
        advice = f"if it is another {entry}, quote it with the word before it, such as 'section {entry}'"
        return f"{entry} is {{{{ {near[0]} }}}} = {number_format.show(near[1])}; write the value, or, {advice}"
    return None


def _with_plain_digits(text: str) -> str:
    """Return a text with an ASCII digit for each superscript, fraction and the like, so that patterns match them."""
    if text.isascii():
        return text
    return "".join("0" if c.isnumeric() and not (c.isdecimal() or c.isalpha()) else c for c in text)


def _covered(visible: str, quoted: Collection[str], used: set[str]) -> set[int]:
    """Return the offsets in a text that quoted entries cover."""
    covered: set[int] = set()
    for entry in quoted:
        for match in _entry(entry).finditer(visible):
            used.add(entry)
            covered.update(range(*match.span()))
    return covered


@cache
def _entry(quoted: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, quoted.split()))
    return re.compile(rf"(?<!\d)(?<!\d[.,'’]){words}(?!\d)(?![.,'’]\d)")


def _essential(numeral: str, start: int) -> Iterator[int]:
    """Yield the offsets of a numeral's digits and of its sign, which have to be quoted."""
    return (start + at for at, c in enumerate(numeral) if c.isdigit() or (at == 0 and c in _SIGN))


def _canonical(numeral: str) -> str:
    """Return a numeral as `number_format.show` would write it, without letters after it."""
    spaced = re.sub(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d)", ",", numeral.lstrip("+±"))
    return re.sub(r"(?<=\d)[^\W\d_]\w*$|\s", "", spaced).replace("-", number_format.MINUS)


def _specs(value: Any, places: int) -> tuple[str, ...]:
    """Return the formats in which a value could look like a numeral with this many decimal places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return ("", ",d")
    fixed = (f".{places}f", f",.{places}f") if places or value.is_integer() or abs(value) >= 10 else ()
    return (*fixed, f".{places}%", f".{places}e")
