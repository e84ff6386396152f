r"""Finds what a formula or code says like prose. Numbers must not be typed there either.

Formulas and code may contain numbers (x^2, 10000^{2i/d}, x[3]). But these parts read like prose:

- in a formula: any decimal, the words of \text or \mathrm, and each side of a relation (or the whole formula) that has
  no variable, such as the right sides of `d_k = 512` and `n = 4 \cdot 16^2`. A side that is 0 or 1, a number before
  \pi, a fraction of two digits, and brackets with commas, such as (0, 1), count as mathematics;
- code that consists only of numbers, signs and perhaps a unit: `512`, `0.65 bits`;
- all of a fence named `output`, because it shows what a program printed.

A replacement is always as long as the original text, so each number is found where it was written. A power of numbers
is one number (16²), a percent sign after a number belongs to it, and so does a value that touches it.
"""

import re
from collections.abc import Iterator

from scenebook.core.scanner import Span, is_output, values_in
from scenebook.prose._numerals import NUMBER, SMALL
from scenebook.prose._stand_ins import VALUE

_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"\\(?:text\w*|mbox|math(?:rm|bf|sf|it|tt|normal)|operatorname\*?)\s*\{([^{}]*)\}")
_LATEX_NUMBER = r"\.?\d+(?:(?:\{[.,]\}|[.,]|\\[,;:!]|~)\d+)*"
_LAYOUT = re.compile(
    r"\\(?:label|tag\*?|eqref|ref|[hv]space\*?|color)\s*\{[^{}]*\}|\\\\\*?\[[^\[\]]*\]|\\begin\{[a-z]+at(?:ed)?\*?\}\{\d+\}"
)
"""Names and numbers of equations, and lengths. These say nothing about the subject."""
_RELATION = re.compile(
    r"[=<>≈≤≥≠→]|(?<!\\),(?=[\s\\])|\\\\"
    r"|\\(?:leq?|geq?|neq?|approx|sim|simeq|equiv|ll|gg|to|rightarrow|mapsto|propto|in)(?![A-Za-z])"
)
_PERCENT = re.compile(r"(?:\s|~|\\[,;:!])*\\%")
_EXPONENT = re.compile(r"\s*\^\s*(?:\{\s*([-+]?\d+)\s*\}|(\d))")
_SUPERSCRIPT = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNIT, _VARIABLE = " unit ", "ξ"
"""Stand-ins for words, and for anything that contains a variable."""
_MATHEMATICS = (
    (re.compile(r"\\begin\{(\w?matrix|cases)\}.*?\\end\{\1\}", re.DOTALL), _VARIABLE),
    (re.compile(r"\\(?:begin|end)\{[^{}]*\}"), " "),
    (re.compile(r"\^\s*\{?\\circ\}?"), " "),
    (re.compile(r"[_^]\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}|\\[A-Za-z]+|[^\\])", re.DOTALL), ""),
    (re.compile(r"\d+\s*\\pi(?![A-Za-z])"), VALUE),
    (re.compile(r"\\[td]?frac\s*(?:\{\d\}|\d)\s*(?:\{\d\}|\d)"), _VARIABLE),
    (re.compile(r"\([^()]*,[^()]*\)"), _VARIABLE),
)
"""What counts as mathematics whatever its numbers are, and its stand-in. `_script` replaces an exponent or index."""
_ARITHMETIC = re.compile(
    rf"{_LATEX_NUMBER}|{VALUE}|[\s{{}}()+*/·×−±!&~,.;:%°-]|\\[,;:! %]"
    r"|\\(?:times|cdot|div|pm|mp|[td]?frac|sqrt|left|right|q?quad)(?![A-Za-z])"
)


def said(span: Span) -> Iterator[tuple[int, str]]:
    """Yield the parts of a formula or code that read like prose, each with its index in the span's `inner`."""
    if span.kind in ("formula", "display"):
        yield from in_formula(span)
    elif is_output(span):
        head = span.inner.find("\n") + 1
        for line in re.finditer(".+", _without_values(span)[head:]):
            yield head + line.start(), line[0]
    elif span.kind in ("code", "fence", "indented"):
        head = 0 if span.kind != "fence" else span.inner.find("\n") + 1
        for line in re.finditer(".+", in_code(span.inner[head:])):
            yield head + line.start(), line[0]


def in_code(code: str) -> str:
    """Return code that consists only of numbers, signs and perhaps a unit, or "" for any other code."""
    words = re.findall(r"[^\W\d_]+", re.sub(NUMBER, " ", code))
    unit = len(words) == 1 and re.search(rf"\d[ \u00a0]?{words[0]}[\W_]*$", code)
    return code if unit or not words else ""


def in_formula(formula: Span) -> Iterator[tuple[int, str]]:
    """Yield the numbers and words of a formula that read like prose, each with its index in the formula."""
    latex = _LAYOUT.sub(lambda found: " " * len(found[0]), _without_values(formula))
    yield from ((found.start(1), found[1]) for found in _WORDS.finditer(latex))
    latex = _WORDS.sub(lambda found: _UNIT.ljust(len(found[0])), latex)
    yield from (found for found in _numbers(latex, latex, 0, len(latex)) if "." in found[1])
    plain = _without_mathematics(latex)
    sides = _sides(plain)
    for begin, end in sides:
        side = plain[begin:end]
        if _has_no_variable(side) and not (len(sides) > 1 and _clean(side).strip(" -") in ("0", "1")):
            yield from _numbers(plain, latex, begin, end)


def _without_values(formula: Span) -> str:
    latex, end = formula.inner, 0
    for value in values_in(formula):
        begin = latex.index(value.raw, end)
        end = begin + len(value.raw)
        latex = latex[:begin] + VALUE * len(value.raw) + latex[end:]
    return latex


def _numbers(plain: str, latex: str, begin: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield the numbers in a part of a formula. `plain` is the formula without what counts as mathematics."""
    for found in re.compile(_LATEX_NUMBER).finditer(plain, begin, end):
        value = VALUE if VALUE in plain[max(0, found.start() - 1) : found.start()] + plain[found.end() :][:1] else ""
        percent = "%" if _PERCENT.match(latex, found.end()) else ""
        number = _clean(found[0])
        yield found.start(), f"{number}{_power(number, latex, found.end())}{percent}{value}"


def _power(base: str, latex: str, end: int) -> str:
    """Return the exponent of a number as superscripts; empty if it has none, or if the power is a small number."""
    match = _EXPONENT.match(latex, end)
    if match is None or not base.isdecimal():
        return ""
    exponent = match[1] or match[2]
    small = exponent.isdecimal() and int(exponent) < SMALL and int(base) ** int(exponent) <= SMALL
    return "" if small else exponent.translate(_SUPERSCRIPT)


def _without_mathematics(latex: str) -> str:
    """Return a formula with a stand-in for each part that counts as mathematics whatever its numbers are."""
    for pattern, stand_in in _MATHEMATICS:
        latex = pattern.sub(lambda found, shown=stand_in: (shown or _script(found[0])).ljust(len(found[0])), latex)  # type: ignore[misc]
    return latex


def _script(script: str) -> str:
    """Return the stand-in for an exponent or index. If it contains a letter, its base is a variable."""
    return _VARIABLE if _LETTERS.search(script) else " "


def _sides(latex: str) -> list[tuple[int, int]]:
    """Return the beginning and end of each side of the relations in a formula."""
    cuts = [cut for relation in _RELATION.finditer(latex) for cut in relation.span()]
    return list(zip([0, *cuts[1::2]], [*cuts[::2], len(latex)], strict=True))


def _has_no_variable(side: str) -> bool:
    rest = _ARITHMETIC.sub("", side)
    unit = re.search(rf"{_LATEX_NUMBER}(?:[\s~]|\\[,;:!])*(?:unit|[A-Za-z]{{3,}})[\s.,;]*$", side)
    return rest == "" or (unit is not None and _LETTERS.fullmatch(rest) is not None)


def _clean(found: str) -> str:
    return re.sub(r"[{}\\!~]|\\[,;:]", "", found)
