r"""Splits the raw text of a storyboard into spans of text, code, formulas and values, each with its offset.

Prose, captions, titles, alt texts and the check for typed numbers all use `scan`, so they agree on what is a formula
and what is money. At each position, these rules are tried in this order:

- Three things are code, and nothing inside them has any other meaning: the text from a fence (three or more backticks
  or tildes at the start of a line) to the closing fence, a block that is indented by four spaces, and the text from a
  run of backticks to the next run of the same length in the same paragraph. `blocks.py` says where blocks begin.
- In a fence named `output`, `{{ scene.name:FORMAT }}` is a value all the same, and `\{{` is two braces.
- `\$`, `\{` and `` \` `` stand for the character itself.
- `{{ scene.name:FORMAT }}` is a value.
- `$$...$$` is a displayed formula, if it contains no blank line.
- `$...$` is a formula if both dollar signs touch its content, neither touches a word or number outside it, and there is
  no dollar sign between them. So `$5 and $10`, `$HOME` and `US$5` are text. In `$ x $`, the content must look like a
  formula, and no number may stand beside the dollars.
- `\(...\)` is a formula and `\[...\]` a displayed one, if their content looks like a formula. A `\[` by itself is an
  escape of Markdown.
- `\begin{align}...\end{align}` is a displayed formula, and `\eqref{...}` and `\ref{...}` are formulas, without dollars.

If a span covers several lines of a quote, the `>` at the start of each line is not part of its content.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from scenebook.core import blocks, value_reference

Kind = Literal["text", "escape", "code", "fence", "indented", "formula", "display", "value"]


@dataclass(frozen=True)
class Span:
    """A piece of a text that starts at offset `start`: `raw` is all of it, `inner` is the part between its delimiters.

    The lines of `inner` do not include the `>` of a quote.
    """

    kind: Kind
    start: int
    raw: str
    inner: str

    @property
    def end(self) -> int:
        """The offset of the first character after the span."""
        return self.start + len(self.raw)

    def line(self, count: int) -> int:
        """Return the offset at which a line of the span begins, counting lines from 0."""
        return self.start + sum(len(line) + 1 for line in self.raw.split("\n")[:count])


_MARKER = r"[ ]*(?:(?P<quote>>)|[-*+](?=[ ])|\d{1,9}[.)](?=[ ])|:(?=[ ])|\[\^[^\]\s>]+\]:)"
_IN_PARAGRAPH = r"(?:[^\n]|\n(?![ \t]*\n))+?"
_NO_DOLLAR = r"(?:[^{}$\n]|\{[^{}$\n]*\})*"
_TEXT = rf"(?<!\\)\{{{_NO_DOLLAR}(?:\$[^$\n]+\${_NO_DOLLAR})+\}}"
"""A text inside a formula that has formulas of its own, as in `\text{if $x$}`."""
_SPAN = re.compile(
    rf"""
      \\(?P<escape>[$`{{])
    | (?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:[^\n]|\n(?![ \t]*\n))+?)(?<!`)(?P=ticks)(?!`)
    | \{{\{{(?P<value>[^\n]*?)\}}\}}
    | \$\$(?P<display>(?:{_TEXT}|[^$\n]|\\\$|\n(?![ \t]*\n))+?)\$\$
    | (?<![\w$\\])\$(?P<formula>(?![\s$])(?:{_TEXT}|\\.|[^$\\\n]|\n(?![ \t]*\n))*?(?:{_TEXT}|\\.|[^$\\\s]))\$(?![\d$])
    | (?<![\w$\\])(?<!\d[ ])\$(?P<spaced>[ \t][^$`\n]*|[^\s$`][^$`\n]*[ \t])\$(?![\w$]|[ ]\d)
    | (?<![\]\\])\\\((?P<round>{_IN_PARAGRAPH})\\\)
    | (?<![\w\]\\])\\\[(?P<square>{_IN_PARAGRAPH})\\\]
    | (?<!\\)(?P<bare>\\begin\{{(?P<name>[A-Za-z]+\*?)\}}{_IN_PARAGRAPH}\\end\{{(?P=name)\}})
    | (?<!\\)(?P<reference>\\(?:eq)?ref\{{[^{{}}\n]+\}})
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_KINDS: dict[str, Kind] = {
    "escape": "escape",
    "code": "code",
    "value": "value",
    "display": "display",
    "square": "display",
    "bare": "display",
    "formula": "formula",
    "spaced": "formula",
    "round": "formula",
    "reference": "formula",
}
"""The kinds of spans, by the names of the groups above."""
_COMMAND, _SIGN = re.compile(r"\\[A-Za-z]+"), re.compile(r"[\^_=]")
_LETTER = re.compile(r"\s*[^\W\d_]\s*")
_WORDS = re.compile(r"[^\W\d_]{2,}[,.]?\s+[^\W\d_]{2,}|[^\W\d_]{4,}")
_VALUE_IN_FORMULA = re.compile(rf"\{{\{{\s*({value_reference.PATTERN})\s*\}}\}}")
_VALUE_IN_OUTPUT = re.compile(r"(?<!\\)\{\{([^\n]*?)\}\}")
_POSSIBLY_CODE = re.compile(r"`|~{3}|[ ]{4}|\t")
_LEAD = re.compile(f"(?:{_MARKER})*")


_TEX = {
    "t": "au|heta|imes|o|op|ext\\w*|an|anh|ilde|frac|binom|riangle\\w*|herefore|hick\\w+|ag|woheadrightarrow|bar",
    "n": "abla|atural|cong|e|earrow|eg|eq|ewline|exists|geq|i|leq|mid|olimits|onumber|otin|parallel|u|warrow|sim",
}
_ESCAPED = dict(zip("\a\b\t\n\v\f\r", "abtnvfr", strict=True))
_BROKEN_COMMAND = re.compile(f"([{''.join(_ESCAPED)}])([A-Za-z]+)")


def is_tex(escape: str, rest: str) -> bool:
    r"""Return whether the letter of an escape and the letters after it form a TeX command, such as `t` and `heta`."""
    return re.fullmatch(_TEX.get(escape, ".+"), rest) is not None


def broken_tex_command(text: str) -> tuple[str, str] | None:
    r"""Find a TeX command that a string escape has broken, such as `\theta`, which becomes a tab and "heta".

    Returns the character that the escape produced and the intended command, or None if there is no such command.
    """
    commands = ((match[1], _ESCAPED[match[1]], match[2]) for match in _BROKEN_COMMAND.finditer(text))
    return next(((char, f"\\{escape}{rest}") for char, escape, rest in commands if is_tex(escape, rest)), None)


def scan(raw: str, has_blocks: bool = True) -> tuple[Span, ...]:
    """Split a text into consecutive spans that together cover all of it.

    A text without blocks, such as a title, has neither fences nor indented code.
    """
    return tuple(_spans(raw) if has_blocks else _spans_between(raw, 0, len(raw), ()))


def values_in(formula: Span) -> tuple[Span, ...]:
    """Return the values inside a formula, or inside a fence that shows output.

    Double braces are valid LaTeX too (`x^{{2}}`), so inside a formula only `{{ scene.name }}`, with a dot, is a value.
    """
    pattern = _VALUE_IN_OUTPUT if formula.kind == "fence" else _VALUE_IN_FORMULA
    matches = pattern.finditer(formula.raw)
    return tuple(Span("value", formula.start + match.start(), match[0], match[1]) for match in matches)


def is_output(span: Span) -> bool:
    """Return whether a span is a fence named `output`, in which values are filled in."""
    return span.kind == "fence" and span.inner.partition("\n")[0].split()[:1] == ["output"]


def all_values(text: str) -> Iterator[Span]:
    """Yield every value of a text in order, including those inside its formulas."""
    for span in scan(text):
        if span.kind == "value":
            yield span
        elif span.kind in ("formula", "display") or is_output(span):
            yield from values_in(span)


def lead(line: str) -> str:
    """Return the markers at the start of a line, which open or continue quotes, list items and footnotes."""
    match = _LEAD.match(line)
    return match[0] if match else ""


def _spans(raw: str) -> Iterator[Span]:
    position = 0
    firsts, verbatim = _blocks_in(raw)
    for code in verbatim:
        yield from _spans_between(raw, position, code.start, firsts)
        yield code
        position = code.end
    yield from _spans_between(raw, position, len(raw), firsts)


def _spans_between(raw: str, position: int, end: int, firsts: Sequence[int]) -> Iterator[Span]:
    """Yield the spans of a part of a text without fences and indented code. `firsts` is where its blocks begin."""
    start = line = position
    depth = 0
    while match := _SPAN.search(raw, start, end):
        name = next(name for name in _KINDS if match[name] is not None)
        begin, inner = match.start(), match[name]
        if not _is_meant(name, inner):
            start = begin + 1
            continue
        if name == "code" and bisect_left(firsts, match.end()) > bisect_right(firsts, begin):
            start = begin + len(match["ticks"])  # a block begins inside it
            continue
        if "\n" in inner:
            depth = _quote_depth(raw[line:begin] if line else f"\n{raw[:begin]}", depth)
            inner, line = _without_quote_marks(inner, depth), match.end()
            if not inner:
                start = line = begin + 1
                continue
        if begin > position:
            yield _text(raw, position, begin)
        yield Span(_KINDS[name], begin, raw[begin : match.end()], inner)
        position = start = match.end()
    if position < end:
        yield _text(raw, position, end)


def _blocks_in(raw: str) -> tuple[list[int], list[Span]]:
    """Return where blocks begin, and the fences that are closed and the indented code, if the text may have code."""
    if not _POSSIBLY_CODE.search(raw):
        return [], []
    lines = raw.split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    leaves = list(blocks.leaves(blocks.parse(lines)))
    firsts, verbatim = [begins[block.first] for block in leaves], list[Span]()
    for block in leaves:
        if block.kind == "code" or block.is_closed:
            start, end = begins[block.first] + block.column, begins[block.last + 1] - 1
            kind: Kind = "indented" if block.kind == "code" else "fence"
            inner = "\n".join([*block.lines, *([""] if block.is_closed else [])])
            verbatim.append(Span(kind, start, raw[start:end], inner))
        elif block.kind == "fence":
            firsts += begins[block.first : block.last + 2]  # it is not closed: nothing in it is code
    return sorted(firsts), verbatim


def _quote_depth(before: str, depth: int) -> int:
    """Return how many quotes enclose the text after `before`; `depth` is the number for the first line of `before`.

    Only the first line of a quoted paragraph must begin with `>`.
    """
    lines = before.split("\n")[1:]
    for count, line in enumerate(lines, 1):
        continues = line.strip() or count == len(lines)
        depth = lead(line).count(">") or (depth if continues else 0)
    return depth


def _without_quote_marks(content: str, depth: int) -> str:
    """Return the content of a span without the `>` of quotes, or "" if its quote or paragraph ends inside it."""
    inner = re.sub(rf"\n(?:[ ]*>[ ]?){{0,{depth}}}", "\n", content)
    return "" if any(not line.strip() for line in inner.split("\n")[1:-1]) else inner


def _text(raw: str, start: int, end: int) -> Span:
    return Span("text", start, raw[start:end], raw[start:end])


def _is_meant(name: str, inner: str) -> bool:
    r"""Return whether the content of `$ x $`, `\(...\)` or `\[...\]` looks like a formula and not like prose."""
    if name not in ("spaced", "round", "square"):
        return True
    commands = _COMMAND.search(inner)
    if name != "square" and not commands and _WORDS.search(inner):
        return False
    return name == "round" or bool(commands or _SIGN.search(inner) or (name == "spaced" and _LETTER.fullmatch(inner)))
