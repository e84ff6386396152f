r"""The one scanner: raw text of a storyboard into spans of text, code, formula and value, each with its offset.

Prose, captions, titles, alt texts and the check of typed numbers all read text through `scan`, so they agree on what
is a formula and what is money. The rules, in the order in which they are tried at each place:

- a fence (three or more backticks or tildes at the start of a line, or after the marks of a quote or list there) to
  its closing fence, and a run of backticks to a run of the same length in the same paragraph, are code; nothing inside
  is anything else;
- `\$`, `\{` and `` \` `` are those characters and nothing more;
- `{{ scene.name:FORMAT }}` is a value;
- `$$...$$` without a blank line is a displayed formula;
- `$...$` is a formula when both dollars touch its content, neither touches a word or number outside, and nothing
  between them is a dollar: `$5 and $10`, `$HOME` and `US$5` are text.

Where a span runs over several lines of a quote, the `>` at the start of each line is not part of it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Kind = Literal["text", "escape", "code", "fence", "formula", "display", "value"]


@dataclass(frozen=True)
class Span:
    """A piece of a text: `raw` as written from offset `start`; `inner` is what stands between its marks.

    `inner` has no marks of quotes at the start of its lines.
    """

    kind: Kind
    start: int
    raw: str
    inner: str

    @property
    def end(self) -> int:
        """The offset behind the span."""
        return self.start + len(self.raw)

    def line(self, count: int) -> int:
        """The offset at which a line of the span begins, counted from 0."""
        return self.start + sum(len(line) + 1 for line in self.raw.split("\n")[:count])


_MARKER = r"[ ]*(?:(?P<quote>>)|[-*+](?=[ ])|\d{1,9}[.)](?=[ ])|:(?=[ ])|\[\^[^\]\s>]+\]:)"
_SPAN = re.compile(
    rf"""
      ^(?P<lead>(?:{_MARKER})*[ ]*)                                                         # a fenced block
        (?P<mark>`{{3,}}(?=[^`\n]*\n)|~{{3,}})(?P<fence>[^\n]*\n(?:.*?\n)?)
        (?P<close>(?(quote)[ >]*|[ ]*))(?P=mark)[`~]*[ ]*$
    | \\(?P<escape>[$`{{])
    | (?<!`)(?P<ticks>`+)(?!`)(?P<code>(?:[^\n]|\n(?![ \t]*\n))+?)(?<!`)(?P=ticks)(?!`)
    | \{{\{{(?P<value>[^\n]*?)\}}\}}
    | \$\$(?P<display>(?:[^$\n]|\\\$|\n(?![ \t]*\n))+?)\$\$
    | (?<![\w$\\])\$(?P<formula>(?![\s$])(?:\\.|[^$\\\n]|\n(?![ \t]*\n))*?(?:\\.|[^$\\\s]))\$(?![\d$])
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
_VALUE_IN_FORMULA = re.compile(r"\{\{\s*([\w/-]+\.\w+(?::[^{}\n]*)?)\s*\}\}")
_LEAD = re.compile(f"(?:{_MARKER})*")


_TEX = {
    "t": "au|heta|imes|o|op|ext\\w*|an|anh|ilde|frac|binom|riangle\\w*|herefore|hick\\w+|ag|woheadrightarrow|bar",
    "n": "abla|atural|cong|e|earrow|eg|eq|ewline|exists|geq|i|leq|mid|olimits|onumber|otin|parallel|u|warrow|sim",
}
_ESCAPED = dict(zip("\a\b\t\n\v\f\r", "abtnvfr", strict=True))
_SWALLOWED = re.compile(f"([{''.join(_ESCAPED)}])([A-Za-z]+)")


def is_tex(escape: str, rest: str) -> bool:
    r"""Whether the letter of an escape and those after it name a command of TeX, such as `t` and `heta`."""
    return re.fullmatch(_TEX.get(escape, ".+"), rest) is not None


def swallowed(text: str) -> tuple[str, str] | None:
    r"""The character that an escape made of a command of TeX, and the command: a tab, and `\theta`; if there is one."""
    commands = ((found[1], _ESCAPED[found[1]], found[2]) for found in _SWALLOWED.finditer(text))
    return next(((made, f"\\{escape}{rest}") for made, escape, rest in commands if is_tex(escape, rest)), None)


def scan(raw: str) -> tuple[Span, ...]:
    """Split a text into spans that follow one another without a gap."""
    return tuple(_spans(raw))


def values_in(formula: Span) -> tuple[Span, ...]:
    """The values written inside a formula.

    Braces mean something in LaTeX too (`x^{{2}}`), so here only `{{ scene.name }}` with its dot counts.
    """
    found = _VALUE_IN_FORMULA.finditer(formula.raw)
    return tuple(Span("value", formula.start + match.start(), match[0], match[1]) for match in found)


def lead(line: str) -> str:
    """The marks at the start of a line: of the quotes, list items and notes that it opens or continues."""
    found = _LEAD.match(line)
    return found[0] if found else ""


def _spans(raw: str) -> Iterator[Span]:
    position = start = line = quotes = 0
    while match := _SPAN.search(raw, start):
        kind = _kind(match)
        begin, inner = match.start("mark") if kind == "fence" else match.start(), match[kind]
        if "\n" in inner:
            quotes = _quotes(raw[line:begin] if line else f"\n{raw[:begin]}", quotes)
            inner, line = _bare(match, kind, quotes), match.end()
            if not inner:
                start = line = begin + 1
                continue
        if begin > position:
            yield _text(raw, position, begin)
        yield Span(kind, begin, raw[begin : match.end()], inner)
        position = start = match.end()
    if position < len(raw):
        yield _text(raw, position, len(raw))


def _quotes(before: str, quotes: int) -> int:
    """How many quotes the text after `before` is in; `quotes` is how many the first line of `before` is in.

    The lines of a paragraph may leave out their `>`, except the first.
    """
    lines = before.split("\n")[1:]
    for count, line in enumerate(lines, 1):
        goes_on = line.strip() or count == len(lines)
        quotes = lead(line).count(">") or (quotes if goes_on else 0)
    return quotes


def _bare(match: re.Match[str], kind: Kind, quotes: int) -> str:
    """What stands between the marks of a span, without marks of quotes; empty where its quote or paragraph ends."""
    if kind == "fence":
        return _bare_fence(match)
    inner = re.sub(rf"\n(?:[ ]*>[ ]?){{0,{quotes}}}", "\n", match[kind])
    return "" if any(not line.strip() for line in inner.split("\n")[1:-1]) else inner


def _bare_fence(match: re.Match[str]) -> str:
    """The lines of a fence without the marks and the indentation of the quote, list or note that it is in."""
    quotes = match["lead"].count(">")
    marks = re.compile(rf"(?:[ ]*>){{{quotes}}}[ ]?" if quotes else "")
    language, *lines = match["fence"].split("\n")
    found = [(line, marks.match(line)) for line in (*lines[:-1], match["close"])]
    bare = [line[mark.end() :] for line, mark in found if mark]
    if len(bare) < len(found):
        return ""
    indent = min(len(bare.pop()), len(re.sub(r".*>[ ]?", "", match["lead"])))
    return "\n".join([language, *(re.sub(f"^ {{0,{indent}}}", "", line) for line in bare), ""])


def _text(raw: str, start: int, end: int) -> Span:
    return Span("text", start, raw[start:end], raw[start:end])


def _kind(match: re.Match[str]) -> Kind:
    kinds: tuple[Kind, ...] = ("fence", "escape", "code", "value", "display", "formula")
    return next(kind for kind in kinds if match[kind] is not None)
