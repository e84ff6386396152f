r"""The one scanner: raw text of a storyboard into spans of text, code, formula and value, each with its offset.

Prose, captions, titles, alt texts and the check of typed numbers all read text through `scan`, so they agree on what
is a formula and what is money. The rules, in the order in which they are tried at each place:

- a fence (three or more backticks or tildes at the start of a line) to its closing fence, and a run of backticks to a
  run of the same length in the same paragraph, are code; nothing inside is anything else;
- `\$`, `\{` and `` \` `` are those characters and nothing more;
- `{{ scene.name:FORMAT }}` is a value;
- `$$...$$` without a blank line is a displayed formula;
- `$...$` is a formula when both dollars touch its content, neither touches a word or number outside, and nothing
  between them is a dollar: `$5 and $10`, `$HOME` and `US$5` are text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "escape", "code", "fence", "formula", "display", "value"]


@dataclass(frozen=True)
class Span:
    """A piece of a text: `raw` as written from offset `start`; `inner` is what stands between its marks."""

    kind: Kind
    start: int
    raw: str
    inner: str

    @property
    def end(self) -> int:
        """The offset behind the span."""
        return self.start + len(self.raw)


_SPAN = re.compile(
    r"""
      ^[ ]*(?P<mark>`{3,}|~{3,})(?P<fence>[^\n]*\n(?:.*?\n)?)[ ]*(?P=mark)[`~]*[ ]*$    # a fenced block
    | \\(?P<escape>[$`{])
    | (?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:[^\n]|\n(?![ \t]*\n))+?)(?<!`)(?P=ticks)(?!`)
    | \{\{(?P<value>[^\n]*?)\}\}
    | \$\$(?P<display>(?:[^$\n]|\\\$|\n(?![ \t]*\n))+?)\$\$
    | (?<![\w$\\])\$(?P<formula>(?![\s$])(?:\\.|[^$\\\n]|\n(?![ \t]*\n))*?(?:\\.|[^$\\\s]))\$(?![\d$])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_VALUE_IN_FORMULA = re.compile(r"\{\{\s*([\w/-]+\.\w+(?::[^{}\n]*)?)\s*\}\}")


def scan(raw: str) -> tuple[Span, ...]:
    """Split a text into spans that follow one another without a gap."""
    return tuple(_spans(raw))


def values_in(formula: Span) -> tuple[Span, ...]:
    """The values written inside a formula.

    Braces mean something in LaTeX too (`x^{{2}}`), so here only `{{ scene.name }}` with its dot counts.
    """
    offset = formula.start + formula.raw.index(formula.inner)
    found = _VALUE_IN_FORMULA.finditer(formula.inner)
    return tuple(Span("value", offset + match.start(), match[0], match[1]) for match in found)


def _spans(raw: str) -> Iterator[Span]:
    position = 0
    for match in _SPAN.finditer(raw):
        if match.start() > position:
            yield _text(raw, position, match.start())
        kind = _kind(match)
        yield Span(kind, match.start(), match[0], match[kind])
        position = match.end()
    if position < len(raw):
        yield _text(raw, position, len(raw))


def _text(raw: str, start: int, end: int) -> Span:
    return Span("text", start, raw[start:end], raw[start:end])


def _kind(match: re.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("fence", "escape", "code", "value", "display", "formula")
    return next(kind for kind in kinds if match[kind] is not None)
