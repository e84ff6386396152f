r"""The numbers of a text that are typed: the rule that keeps prose from drifting away from what the scenes compute.

Every numeral that a reader sees is a value, `{{ scene.name }}`, or stands in the page's `quoted:` with its source.
`typed` finds the others in a text as it is read: marks of Markdown, link targets, footnote labels and the numbers of
lists are gone, a value is the character `VALUE`, and a formula or a code span is `HOLE`.

A numeral is a run of digits of any script, superscripts and fractions (²  ½  ①) included, with what belongs to it:
sign, decimal point, thousands separators (1,048,576 or 1 048 576), exponent (1e-7, 10⁻⁷), further parts (3.2.1, 3–5,
2017-06-12, 12:30, 1/2), letters or a percent sign behind it (8x, 1st, 2D, 65 %). So `4-token`, `d_k=8`, `top-5` and
`Python 3.11` have one each. Not numerals are

- digits behind a letter, which are part of a name: conv2d, x1, H2O, Q4, d_k, v2.1; and behind a hyphen if the word in
  front of it has two capitals: GPT-2, ResNet-50, CIFAR-10;
- number words (two, half) and Roman numerals written with letters (II).

A minus sign, a decimal point or a comma that is typed in front of a value makes another number of it, and is found too.

Formulas and code may have numerals (x^2, 10000^{2i/d}, x[3]). But where they only say a number they are read like prose
(`in_formula`, `in_code`):

- in a formula any decimal, what stands in \text or \mathrm, and each side of a relation (or the whole formula) that has
  no variable, such as the right sides of `d_k = 512` and `n = 4 \cdot 16^2`. One side that is 0 or 1, a number in front
  of \pi, a fraction of two digits, and what stands in brackets with commas, such as (0, 1), are mathematics;
- code that is nothing but numbers, signs and perhaps a unit: `512`, `0.65 bits`.

An entry of `quoted:` is a numeral, or a phrase that holds one, as it stands in the text: "2017" allows every 2017 on
the page, "section 3.5" allows 3.5 behind that word alone.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Any

from scenebook.core import number_format
from scenebook.core.scanner import Span, scan, values_in

VALUE, HOLE = "\x0e", "\x0f"

_POSSIBLE = re.compile(rf"[\d²³¹¼½¾]|[^\x00-\u206f]|[-–\u2212.,]{VALUE}")  # most texts are told by this alone
_SIGN = "-+±\N{MINUS SIGN}"
_OPENS = r"\s(\[{\"'“‘„«=<>≤≥≈~|/"  # what a sign can follow; behind anything else it is a hyphen or an operator
_NUMBER = r"(?:\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?!\d)|\d+(?:[.,'’]\d+)*)(?:[eE][-+\u2212]?\d+)?"
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


def find(text: str, nodes: Iterable[str] | None, quoted: Collection[str], used: set[str]) -> Iterator[tuple[int, str]]:
    """The typed numerals of a storyboard's text, each with its offset (in a formula, that of the formula at least).

    `nodes` are the texts between the marks of its Markdown, values and formulas replaced by `VALUE` and `HOLE`; None
    where the text is no Markdown. `used` gets the quoted entries that were met.
    """
    spans = scan(text)
    for span in spans:
        for said in _said(span):
            for _, numeral in typed(said, quoted, used):
                yield span.start + max(span.raw.find(numeral), 0), numeral
    visible = "".join(_as_read(span) for span in spans)
    if nodes is None:
        yield from typed(visible, quoted, used)
    else:
        yield from _placed(nodes, visible, quoted, used)


def typed(visible: str, quoted: Collection[str], used: set[str]) -> Iterator[tuple[int, str]]:
    """The numerals of a text as it is read that are not quoted, with their offsets.

    A sign or point in front of a value comes without a digit.
    """
    if not _POSSIBLE.search(visible):
        return
    covered = _covered(visible, quoted, used)
    for match in _TOKEN.finditer(_with_plain_digits(visible)):
        start, end = match.span(match.lastgroup or 0)
        if match["prefix"] or (match["numeral"] and not covered.issuperset(_essential(match["numeral"], start))):
            yield start, visible[start:end]


def told(numeral: str, values: Mapping[str, Mapping[str, Any]]) -> str:
    """What is wrong with a typed numeral and what to do about it; `values` by scene and name."""
    if not re.search(r"\w", numeral):
        return f"{numeral!r} is typed in front of a value and makes another number of it; have the scene compute that"
    if near := nearest(numeral, values):
        name, value = near
        return (
            f"{numeral} is typed: is this {{{{ {name} }}}} = {number_format.show(value)}? "
            "Write the value, or list the number under quoted: with its source"
        )
    return f"{numeral} is typed: write a value that a scene computes, or list it under quoted: with its source"


def _said(span: Span) -> Iterator[str]:
    """What a formula or code says like prose."""
    if span.kind in ("formula", "display"):
        yield from in_formula(span)
    elif span.kind in ("code", "fence"):
        yield in_code(span.inner if span.kind == "code" else span.inner.partition("\n")[2])


def _as_read(span: Span) -> str:
    """A span as it is read, of the same length."""
    if span.kind in ("text", "escape"):
        return span.raw
    return (VALUE if span.kind == "value" else HOLE) * len(span.raw)


def _placed(nodes: Iterable[str], visible: str, quoted: Collection[str], used: set[str]) -> Iterator[tuple[int, str]]:
    """Numerals of nodes with their offsets in the text: found again by the words in front of them, in turn."""
    behind: dict[str, int] = {}
    for node in nodes:
        for start, numeral in typed(node, quoted, used):
            words = re.split(rf"[{VALUE}{HOLE}\n]", node[:start])[-1] + numeral
            place = _entry(words).search(visible, behind.get(words, 0)) or _entry(numeral).search(visible)
            behind[words] = place.end() if place else 0
            yield max(behind[words] - len(numeral), 0), numeral


def in_code(code: str) -> str:
    """Code that is only numbers, signs and perhaps a unit; else nothing."""
    words = re.findall(r"[^\W\d_]+", re.sub(_NUMBER, " ", code))
    unit = len(words) == 1 and re.search(rf"\d[ \u00a0]?{words[0]}[\W_]*$", code)
    return code if unit or not words else ""


def in_formula(formula: Span) -> Iterator[str]:
    """The numerals and words of a formula that are read like prose."""
    latex = formula.inner
    for value in values_in(formula):
        latex = latex.replace(value.raw, VALUE, 1)
    yield from (match[1] for match in _WORDS.finditer(latex))
    latex = _WORDS.sub(_UNIT, latex)
    yield from (_clean(found) for found in re.findall(_LATEX_NUMBER, latex) if "." in found)
    sides = _RELATION.split(_without_mathematics(latex))
    for side in sides:
        if _has_no_variable(side) and not (len(sides) > 1 and _clean(side).strip(" -") in ("0", "1")):
            yield from (_clean(found) for found in re.findall(_LATEX_NUMBER, side))


def nearest(numeral: str, values: Mapping[str, Mapping[str, Any]]) -> tuple[str, float] | None:
    """The value that reads as the numeral does at its precision: as `scene.name:FORMAT`, and what it is exactly."""
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
    """What is wrong with an entry of `quoted:`, if something is; `used` are the entries that the texts hold.

    A bare number of two or more digits that a scene computes is no quotation. A phrase and a single digit may be.
    """
    if not any(character.isnumeric() for character in entry):
        return f"{entry!r} holds no number; list numerals as they stand in the text"
    if entry not in used:
        return f"{entry} does not stand in the text; remove it from quoted:, or write it as in the text"
    bare = re.fullmatch(rf"[{_SIGN}]?{_NUMBER}\s?%?", entry) and len(re.findall(r"\d", entry)) > 1
    if bare and (near := nearest(entry, values)):
        advice = f"if it is another {entry}, quote it with the word in front of it, such as 'section {entry}'"
        return f"{entry} is {{{{ {near[0]} }}}} = {number_format.show(near[1])}; write the value, or, {advice}"
    return None


def _with_plain_digits(text: str) -> str:
    """The text with an ASCII digit for each superscript, fraction and the like, so that patterns know them."""
    if text.isascii():
        return text
    return "".join("0" if c.isnumeric() and not (c.isdecimal() or c.isalpha()) else c for c in text)


def _covered(visible: str, quoted: Collection[str], used: set[str]) -> set[int]:
    """The offsets of a text at which quoted entries stand."""
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
    """The offsets of a numeral's digits and of its sign: what has to be quoted."""
    return (start + at for at, c in enumerate(numeral) if c.isdigit() or (at == 0 and c in _SIGN))


def _canonical(numeral: str) -> str:
    """A numeral as `number.show` would write it, without letters behind it."""
    spaced = re.sub(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d)", ",", numeral.lstrip("+±"))
    return re.sub(r"(?<=\d)[^\W\d_]\w*$|\s", "", spaced).replace("-", number_format.MINUS)


def _specs(value: Any, places: int) -> tuple[str, ...]:
    """The formats in which a value could read like a numeral with so many decimal places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return ("", ",d")
    fixed = (f".{places}f", f",.{places}f") if places or value.is_integer() or abs(value) >= 10 else ()
    return (*fixed, f".{places}%", f".{places}e")


def _without_mathematics(latex: str) -> str:
    """A formula in which an x stands for what is mathematics whatever its numbers are."""
    for pattern, replacement in _MATHEMATICS:
        latex = re.sub(pattern, replacement, latex, flags=re.DOTALL)
    return latex


def _has_no_variable(side: str) -> bool:
    rest = _ARITHMETIC.sub("", side)
    unit = re.search(rf"{_LATEX_NUMBER}(?:[\s~]|\\[,;:!])*(?:unit|[A-Za-z]{{3,}})[\s.,;]*$", side)
    return rest == "" or (unit is not None and _LETTERS.fullmatch(rest) is not None)


def _script(match: re.Match[str]) -> str:
    """An exponent or index with a letter in it makes a variable of what it stands at."""
    return " x " if _LETTERS.search(match[0]) else " "


def _clean(found: str) -> str:
    return re.sub(r"[{}\\!~]|\\[,;:]", "", found)


_LETTERS = re.compile(r"[^\W\d_]+")
_UNIT = " unit "
_WORDS = re.compile(r"\\(?:text\w*|mbox|math(?:rm|bf|sf|it|tt|normal)|operatorname\*?)\s*\{([^{}]*)\}")
_LATEX_NUMBER = r"\.?\d+(?:(?:\{[.,]\}|[.,]|\\[,;:!]|~)\d+)*"
_RELATION = re.compile(
    r"[=<>≈≤≥≠→]|(?<!\\),(?=[\s\\])|\\\\"
    r"|\\(?:leq?|geq?|neq?|approx|sim|simeq|equiv|ll|gg|to|rightarrow|mapsto|propto|in)(?![A-Za-z])"
)
_MATHEMATICS: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r"\\begin\{(\w?matrix|cases)\}.*?\\end\{\1\}", " x "),
    (r"\\(?:begin|end)\{[^{}]*\}", " "),
    (r"\^\s*\{?\\circ\}?", " "),
    (r"[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\\])", _script),
    (r"\d+\s*\\pi(?![A-Za-z])", VALUE),
    (r"\\[td]?frac\s*(?:\{\d\}|\d)\s*(?:\{\d\}|\d)", " x "),
    (r"\([^()]*,[^()]*\)", " x "),
)
_ARITHMETIC = re.compile(
    rf"{_LATEX_NUMBER}|{VALUE}|[\s{{}}()+*/·×−±!&~,.;:%°-]|\\[,;:! %]"
    r"|\\(?:times|cdot|div|pm|mp|[td]?frac|sqrt|left|right|q?quad)(?![A-Za-z])"
)
