"""Turns the spans of a text into pieces: plain text, code, formulas and values, each as HTML and as plain text."""

import html
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate, pairwise
from math import isfinite
from typing import Any, NamedTuple

from scenebook.core import number_format
from scenebook.core.scanner import Span, values_in
from scenebook.core.text import Text
from scenebook.formulas import mathml
from scenebook.prose._in_latex import in_latex
from scenebook.prose._left_marks import unclosed
from scenebook.prose._pieces import Piece
from scenebook.prose._places import in_span
from scenebook.prose._spoken import has_right_to_left
from scenebook.prose.code import code
from scenebook.prose.scope import FAILED, Scope

_VALUE = re.compile(r"\s*(?P<scene>[\w/-]+)\.(?P<name>\w+)\s*(?::(?P<spec>[^{}]*?))?\s*")


class Latex(NamedTuple):
    """The LaTeX of a formula with its values filled in.

    `origins` are the names of the values. `parts` says for each part of `source` where it begins, both in `source` and
    in the formula as written, and whether it is a value.
    """

    source: str
    origins: tuple[str, ...]
    parts: tuple[tuple[int, int, bool], ...]

    def written(self, index: int) -> int:
        """Return the index, in the formula as written, of a character of `source`."""
        begin, written, is_value = next(part for part in reversed(self.parts) if part[0] <= index)
        return written if is_value else written + index - begin


def pieces_of(spans: Iterable[Span], text: Text, where: str, scope: Scope) -> Iterator[tuple[Span, Piece]]:
    """Yield the spans of a text with their pieces. Mistakes in them are reported."""
    for span in spans:
        yield span, _MAKERS[span.kind](span, text, where, scope)


def _literal(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    for offset, message in unclosed(span):
        scope.complain(text, span.start + offset, where, message)
    return _piece(span, html.escape(span.inner, quote=False), span.inner, "text")


def _piece(span: Span, body: str, source: str, kind: Any) -> Piece:
    return Piece(body, source, kind, span.start, span.end)


def _code(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    padded = span.inner.startswith(" ") and span.inner.endswith(" ") and span.inner.strip()
    inner = span.inner[1:-1] if padded else span.inner
    return _piece(span, f"<code>{html.escape(inner, quote=False)}</code>", inner, "code")


def _fence(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    language, _, source = span.inner.partition("\n")
    return _piece(span, code(source, language.strip()), source, "fence")


def _formula(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    latex = with_values(span, text, where, scope)
    try:
        formula = mathml.convert(latex.source, display=span.kind == "display")
    except ValueError as error:
        offset, _, message = str(error).partition(": ")
        index = latex.written(min(int(offset), len(latex.source))) if offset.isdigit() else 0
        shown = " ".join(span.inner.split())
        problem = f"in the formula '{shown}': {(message or offset).rstrip('.')}"
        scope.complain(text, in_span(span, index), where, problem)
        return _piece(span, "", span.inner, "code")
    origin = f' data-from="{html.escape(" ".join(latex.origins))}"' if latex.origins else ""
    formula = formula.replace("<math", f"<math{origin}", 1)
    display = f'<span class="display" tabindex="0">{formula}</span>'
    return _piece(span, display if span.kind == "display" else formula, latex.source, span.kind)


def with_values(span: Span, text: Text, where: str, scope: Scope) -> Latex:
    """Return a formula with its values filled in."""
    values = [(value, shown(value, text, where, scope)) for value in values_in(span)]
    origins = tuple(name for _, piece in values for name in re.findall(r'data-from="([^"]*)"', piece.html))
    cuts = [0]
    for value, _ in values:
        begin = span.inner.index(value.raw, cuts[-1])
        cuts += [begin, begin + len(value.raw)]
    texts = [span.inner[begin:end] for begin, end in pairwise([*cuts, len(span.inner)])]
    texts[1::2] = [f"{{{in_latex(piece.plain)}}}" for _, piece in values]
    begins = accumulate((len(part) for part in texts[:-1]), initial=0)
    parts = tuple((begin, cut, index % 2 == 1) for index, (begin, cut) in enumerate(zip(begins, cuts, strict=True)))
    return Latex("".join(texts), origins, parts)


def shown(span: Span, text: Text, where: str, scope: Scope) -> Piece:
    """Return a value as a page shows it. If it does not exist or does not fit its format, report that and return ""."""
    match = _VALUE.fullmatch(span.inner)
    if not match:
        message = f"{span.raw!r} is not a value; write {{{{ scene.name }}}} or {{{{ scene.name:.2f }}}}"
        scope.complain(text, span.start, where, message)
        return _piece(span, "", "", "text")
    try:
        value = scope.find(match["scene"], match["name"])
        written = FAILED if value is FAILED else number_format.show(value, match["spec"] or "")
    except (LookupError, ValueError) as error:
        scope.complain(text, span.start, where, f"{span.raw}: {error.args[0]}")
        return _piece(span, "", "", "text")
    if isinstance(value, float) and not isfinite(value):
        message = f"{span.raw} is {written}; have the scene compute a number, or return a text if this is intended"
        scope.complain(text, span.start, where, message, warning=True)
    scene = match["scene"] if "/" in match["scene"] else f"{scope.slug}/{match['scene']}"
    return _piece(span, _data(value, f"{scene}.{match['name']}", written), written, "value")


def _data(value: Any, origin: str, written: str) -> str:
    full = html.escape(str(value).lower() if isinstance(value, bool) else str(value))
    side = ' dir="auto"' if has_right_to_left(written) else ""
    return f'<data value="{full}" data-from="{html.escape(origin)}"{side}>{html.escape(written)}</data>'


def is_number(span: Span, scope: Scope) -> bool:
    """Return whether a value exists and is a number."""
    match = _VALUE.fullmatch(span.inner)
    try:
        value = scope.find(match["scene"], match["name"]) if match else None
    except LookupError:
        return False
    return isinstance(value, int | float) and not isinstance(value, bool)


_MAKERS: dict[str, Callable[[Span, Text, str, Scope], Piece]] = {
    "text": _literal,
    "escape": _literal,
    "code": _code,
    "fence": _fence,
    "formula": _formula,
    "display": _formula,
    "value": shown,
}
