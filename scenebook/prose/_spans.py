"""Turns the spans of a text into pieces: plain text, code, formulas and values, each as HTML and as plain text."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate, chain, pairwise
from math import isfinite
from typing import Any, NamedTuple

from scenebook.core import number_format
from scenebook.core.scanner import Span, is_output, values_in
from scenebook.core.text import Text
from scenebook.core.value_reference import ValueReference, parse
from scenebook.formulas import mathml
from scenebook.formulas.equation import Equation
from scenebook.formulas.latex import equations
from scenebook.formulas.macros import expanded
from scenebook.formulas.mistake import FormulaError
from scenebook.prose._bounds import bound_near
from scenebook.prose._in_latex import in_latex
from scenebook.prose._left_marks import unclosed
from scenebook.prose._pieces import Piece
from scenebook.prose._places import in_span
from scenebook.prose._repeated_values import of_runs, unearned
from scenebook.prose._spoken import has_right_to_left
from scenebook.prose._stand_ins import VALUE
from scenebook.prose.code import code, unknown_language
from scenebook.prose.scope import FAILED, Scope

_INDENTED_FORMULA = re.compile(r"^[ ]*(?=\$\$)", re.MULTILINE)


class Latex(NamedTuple):
    """The LaTeX of a formula with its values filled in.

    `origins` are the names of the values. `parts` says for each part of `source` where it begins, both in `source` and
    in the formula as written, and whether it is a value. `variants` is the formula at each setting, if values differ.
    """

    source: str
    origins: tuple[str, ...]
    parts: tuple[tuple[int, int, bool], ...]
    variants: tuple[str, ...] = ()

    def written(self, index: int) -> int:
        """Return the index, in the formula as written, of a character of `source`."""
        begin, written, is_value = next(part for part in reversed(self.parts) if part[0] <= index)
        return written if is_value else written + index - begin


def pieces_of(spans: Iterable[Span], text: Text, where: str, scope: Scope) -> Iterator[tuple[Span, Piece]]:
    """Yield the spans of a text with their pieces. Mistakes in them are reported."""
    for span in spans:
        yield span, replace(_MAKERS[span.kind](span, text, where, scope), written=span.raw)


def _literal(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    for offset, message in unclosed(span):
        scope.complain(text, span.start + offset, where, message)
    return _piece(span, html.escape(span.inner, quote=False), span.inner, "text")


def _piece(span: Span, body: str, source: str, kind: Any) -> Piece:
    return Piece(body, source, kind, span.start, span.end)


def _code(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    padded = span.inner[0] in " \n" and span.inner[-1] in " \n" and span.inner.strip()
    inner = (span.inner[1:-1] if padded else span.inner).replace("\n", " ")
    return _piece(span, f"<code>{html.escape(inner, quote=False)}</code>", inner, "code")


def _fence(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    if is_output(span):
        return _output(span, text, where, scope)
    info, _, source = span.inner.partition("\n")
    language = next(iter(info.split()), "")
    if message := unknown_language(language):
        scope.complain(text, span.start, where, message)
    return _piece(span, code(source, language), source, "fence")


def _indented(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    if formula := _INDENTED_FORMULA.search(span.inner):
        message = (
            "indented by four spaces, this is code, and its $$ is no formula; indent it less, or put code in a fence"
        )
        scope.complain(text, in_span(span, formula.end()), where, message)
    return _piece(span, code(f"{span.inner}\n", ""), span.inner, "fence")


def _output(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    """Return a fence that shows what a program printed, with its values filled in. In it, `>` is a prompt."""
    values = [(value, shown(value, text, where, scope, bounds=False)) for value in values_in(span)]
    parts = _between(span, [value for value, _ in values])
    parts[0] = parts[0].partition("\n")[2]
    parts[::2] = [html.escape(part.replace("\\{{", "{{"), quote=False) for part in parts[::2]]
    parts[1::2] = [piece.html for _, piece in values]
    body = f'<pre class="code" tabindex="0"><code>{"".join(parts).rstrip()}\n</code></pre>'
    return _piece(span, body, span.inner.partition("\n")[2], "fence")


def _formula(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    latex = with_values(span, text, where, scope)
    try:
        numbered = _equations(latex.source, span, scope)
        setting = _setting(latex.source, numbered, scope)
        each = [_markup(source, span.kind, latex.origins, setting) for source in (latex.source, *latex.variants)]
    except FormulaError as error:
        index = latex.written(min(error.at, len(latex.source)))
        problem = f"in the formula '{' '.join(span.inner.split())}': {error.message}"
        scope.complain(text, in_span(span, index), where, problem)
        return _piece(span, "", span.inner, "code")
    first, *variants = each
    follow = scope.following.content(variants) if scope.following and variants else ""
    if span.kind == "display":
        body = f'<span class="display" tabindex="0"{follow}>{first}</span>'
        if number := mathml.number_beside(numbered, setting.first):
            body = f'<span class="equation">{body}{number}</span>'
    else:
        body = f"<span{follow}>{first}</span>" if follow else first
    return replace(_piece(span, body, latex.source, span.kind), variants=tuple(variants))


def _equations(source: str, span: Span, scope: Scope) -> tuple[Equation, ...]:
    """The equations with numbers that a formula has."""
    return equations(source, scope.macros) if span.kind == "display" and scope.numbered else ()


def _setting(source: str, numbered: Sequence[Equation], scope: Scope) -> mathml.Setting:
    """What a formula needs from its page. The numbers of its equations are used up."""
    used = sum(equation.tag is None for equation in numbered)
    first = sum(scope.equations) + 1 if used else 1
    scope.equations.append(used)
    labels = scope.labels if "ref" in source or scope.macros else ()
    return mathml.Setting(scope.macros, first, labels, repeated=not scope.numbered)


@lru_cache(maxsize=4096)
def _markup(latex: str, kind: str, origins: tuple[str, ...], setting: mathml.Setting) -> str:
    """The MathML of a formula, or a link if it is only a reference. Raises `FormulaError` like `mathml.convert`."""
    if reference := mathml.alone(latex):
        return mathml.reference_link(reference, setting)
    formula = mathml.convert(latex, kind == "display", setting)
    return formula.replace("<math", f'<math data-from="{html.escape(" ".join(origins))}"', 1) if origins else formula


def with_values(span: Span, text: Text, where: str, scope: Scope) -> Latex:
    """Return a formula with its values filled in."""
    values = [(value, _in_formula(value, span, text, where, scope.apart())) for value in values_in(span)]
    origins = tuple(name for _, piece in values for name in re.findall(r'data-from="([^"]*)"', piece.html))
    cuts = _cuts(span, [value for value, _ in values])
    texts = _between(span, [value for value, _ in values])
    total = max((len(piece.variants) for _, piece in values), default=0)
    variants = tuple(
        _filled(texts, [_latex(piece, piece.at(number)) for _, piece in values]) for number in range(total)
    )
    texts[1::2] = [_latex(piece, piece.plain) for _, piece in values]
    begins = accumulate((len(part) for part in texts[:-1]), initial=0)
    parts = tuple((begin, cut, index % 2 == 1) for index, (begin, cut) in enumerate(zip(begins, cuts, strict=True)))
    return Latex("".join(texts), origins, parts, variants)


def _filled(texts: Sequence[str], values: Sequence[str]) -> str:
    """A formula, in parts, with other values in place of every second part."""
    return "".join(values[index // 2] if index % 2 else part for index, part in enumerate(texts))


def _cuts(span: Span, values: Iterable[Span]) -> list[int]:
    """Return where the parts of a span begin that are outside and inside of its values, in turn."""
    cuts = [0]
    for value in values:
        begin = span.inner.index(value.raw, cuts[-1])
        cuts += [begin, begin + len(value.raw)]
    return cuts


def _between(span: Span, values: Iterable[Span]) -> list[str]:
    """Return the parts of a span that are outside and inside of its values, in turn."""
    return [span.inner[begin:end] for begin, end in pairwise([*_cuts(span, values), len(span.inner)])]


def _latex(piece: Piece, value: str) -> str:
    """Return what a piece shows as LaTeX. The rows of a matrix are LaTeX already."""
    return value if piece.kind == "rows" else f"{{{in_latex(value)}}}"


def _in_formula(value: Span, formula: Span, text: Text, where: str, scope: Scope) -> Piece:
    """Return a value for a formula. An array becomes the rows and columns of the matrix around it."""
    reference = parse(value.inner)
    try:
        rows = scope.all_rows(reference) if reference and not reference.stat else None
        if reference is None or rows is None:
            return shown(value, text, where, scope)
        if not _in_environment(value, formula, scope):
            first = f"write \\begin{{pmatrix}} {value.raw} \\end{{pmatrix}}, or name an element"
            raise LookupError(f"'{reference.scene}.{reference.name}' has rows and columns; {first}")
        sources = [_rows_in_latex(each, reference) for each in rows]
    except (LookupError, ValueError) as error:
        scope.complain(text, value.start, where, f"{value.raw}: {error.args[0]}")
        return _piece(value, "", "", "text")
    if found := next((each for each in chain(*chain(*rows)) if isinstance(each, float) and not isfinite(each)), None):
        message = f"{value.raw} has {number_format.show(found)}; have the scene compute a number"
        scope.complain(text, value.start, where, message, warning=True)
    start = scope.following.everywhere.settings.start if scope.following and len(rows) > 1 else 0
    origin = html.escape(f"{reference.full_scene(scope.slug)}.{reference.element}")
    made = _piece(value, f'<data data-from="{origin}"></data>', sources[start], "rows")
    return replace(made, variants=tuple(sources)) if len(set(sources)) > 1 else made


def _in_environment(value: Span, formula: Span, scope: Scope) -> bool:
    """Return whether a value of a formula stands between `begin` and `end`, which a macro may have."""
    begin, end = value.start - formula.start, value.end - formula.start
    before = expanded(f"{formula.raw[:begin]}{VALUE}{formula.raw[end:]}", scope.macros).partition(VALUE)[0]
    return before.count("\\begin{") > before.count("\\end{")


def _rows_in_latex(rows: Sequence[Sequence[Any]], reference: ValueReference) -> str:
    form = (reference.format, reference.rounding)
    cells = [[in_latex(number_format.show(value, *form)) for value in row] for row in rows]
    return " \\\\ ".join(" & ".join(f"{{{cell}}}" for cell in row) for row in cells)


def shown(span: Span, text: Text, where: str, scope: Scope, *, bounds: bool = True) -> Piece:
    """Return a value as a page shows it. If it does not exist or does not fit its format, report that and return "".

    `bounds` says whether the words near it can make it a bound.
    """
    reference = parse(span.inner)
    if not reference:
        message = f"{span.raw!r} is not a value; write {{{{ scene.name }}}} or {{{{ scene.name:.2f }}}}"
        scope.complain(text, span.start, where, message)
        return _piece(span, "", "", "text")
    try:
        values, written = of_runs(reference, scope) if reference.stat else _values(reference, scope)
    except (LookupError, ValueError) as error:
        scope.complain(text, span.start, where, f"{span.raw}: {error.args[0]}")
        return _piece(span, "", "", "text")
    if message := unearned(reference, scope):
        scope.complain(text, span.start, where, f"{span.raw} {message}")
    if message := _not_finite(values, written, scope):
        scope.complain(text, span.start, where, f"{span.raw} is {message}", warning=True)
    if bounds and (message := _may_be_false(span, text, reference, values, scope)):
        scope.complain(text, span.start, where, message)
    return _value_piece(span, reference, values, written, scope)


def _values(reference: ValueReference, scope: Scope) -> tuple[tuple[Any, ...], tuple[str, ...]]:
    """A value at each setting that a text follows, and how the text shows it."""
    values, form = scope.all_values(reference), (reference.format, reference.rounding)
    return values, tuple(FAILED if value is FAILED else number_format.show(value, *form) for value in values)


def _may_be_false(span: Span, text: Text, reference: ValueReference, values: Sequence[Any], scope: Scope) -> str:
    """What is wrong with a value that a sentence calls a bound, if rounding could make the sentence false."""
    about = reference.stat in ("about", "range")
    bound = "" if reference.rounding or about else bound_near(text, span.start, span.end, scope.language)
    rounded = (value for value in values if value is not FAILED and not number_format.is_exact(value, reference.format))
    found = next(rounded, None) if bound else None
    if found is None:
        return ""
    shown, named = number_format.show(found, reference.format), span.raw.strip("{} \n")
    example = f"{{{{ {named}{'' if ':' in named else ':'} ceil }}}}"
    return (
        f"{span.raw} is rounded: {found} is shown as {shown}, which can make '{bound}' "
        f"false; write ceil (round up), floor (down) or nearest after the format, as in {example}"
    )


def _not_finite(values: Sequence[Any], written: Sequence[str], scope: Scope) -> str:
    """What is wrong with a value that is not finite, perhaps at one setting alone; empty if all are finite."""
    found = next(
        (place for place, value in enumerate(values) if isinstance(value, float) and not isfinite(value)), None
    )
    if found is None:
        return ""
    every = scope.following.everywhere.settings if scope.following and len(values) > 1 else None
    at = f" at {every.describe(found)}" if every else ""
    return f"{written[found]}{at}; have the scene compute a number, or return a text if this is intended"


def _value_piece(
    span: Span, reference: ValueReference, values: Sequence[Any], written: Sequence[str], scope: Scope
) -> Piece:
    """A value as HTML. One that differs between settings has an element that follows them."""
    following = scope.following if len(values) > 1 else None
    start = following.everywhere.settings.start if following else 0
    varies = len(set(written)) > 1
    full = [_full(value) for value in values]
    number = isinstance(values[start], int | float)
    follow = following.value(written, full, number=number) if following else ""
    if following and varies and number and not reference.pins and not reference.stat:
        following.numbers.setdefault(reference.element, tuple(written))
    origin = html.escape(f"{reference.full_scene(scope.slug)}.{reference.element}")
    at = f' data-at="{html.escape(shown_at)}"' if (shown_at := scope.shown_at(reference)) else ""
    side = ' dir="auto"' if has_right_to_left(written[start]) else ""
    stat = f' data-stat="{reference.stat}"' if reference.stat else ""
    body = f'<data value="{html.escape(full[start])}" data-from="{origin}"{stat}{at}{side}{follow}>'
    piece = _piece(span, f"{body}{html.escape(written[start])}</data>", written[start], "value")
    return replace(piece, variants=tuple(written)) if varies else piece


def _full(value: Any) -> str:
    """A value with all of its digits."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def count_numbers(span: Span, scope: Scope) -> int:
    """Return how many numbers a value shows: all elements of a matrix, 1 for any other number, otherwise 0."""
    reference = parse(span.inner)
    try:
        rows = scope.all_rows(reference) if reference else None
        found = chain(*rows[0]) if rows else scope.all_values(reference)[:1] if reference else ()
    except LookupError:
        return 0
    return sum(isinstance(value, int | float) and not isinstance(value, bool) for value in found)


_MAKERS: dict[str, Callable[[Span, Text, str, Scope], Piece]] = {
    "text": _literal,
    "escape": _literal,
    "code": _code,
    "fence": _fence,
    "indented": _indented,
    "formula": _formula,
    "display": _formula,
    "value": shown,
}
