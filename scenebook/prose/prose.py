"""Turns the texts of a storyboard into HTML: Markdown whose formulas are MathML and whose numbers are values.

Every text is scanned once (`scanner.scan`). Code, formulas, values and `&` are converted to HTML at once, and
placeholders replace them in the Markdown, so Markdown never parses a pipe, an underscore or a `<` inside them. HTML
tags and entities in a text are shown as written.

There are three ways to convert a text: `block` (Markdown, for prose and captions), `inline` (only formulas, values and
code, for titles), and `plain` (no markup at all, for alt texts and descriptions).

Numbers and formulas run from left to right, even beside text that runs from right to left. In HTML, the style sheet
takes care of that. In plain text that contains such a script, invisible characters keep numbers and formulas in order.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

from scenebook.core.scanner import Span, all_values, scan
from scenebook.core.text import Text
from scenebook.formulas.macros import expanded
from scenebook.prose import _markdown as markdown
from scenebook.prose._line_marks import Lines, lines_of, marked
from scenebook.prose._other_tools import joined_blocks
from scenebook.prose._pieces import Piece, filled, filled_plain, hold
from scenebook.prose._places import Source, in_span
from scenebook.prose._spans import count_numbers, pieces_of, shown, with_values
from scenebook.prose._spoken import has_right_to_left, isolated, shortened, words_of
from scenebook.prose.array_elements import Array
from scenebook.prose.code import code, warm_code
from scenebook.prose.scope import Scope, WrittenLink, moved

__all__ = [
    "Array",
    "Scope",
    "WrittenLink",
    "block",
    "code",
    "in_span",
    "inline",
    "moved",
    "numbers",
    "plain",
    "plain_everywhere",
    "shortened",
    "substituted",
    "warm",
    "warm_code",
    "words_of",
]

_ROLE = re.compile(r"\\(?:query|key|value)(?![A-Za-z])")
_TAG = re.compile(r"<[^>]*>")
_TOUCHED = re.compile(
    r"""
      (?P<before>[(\[“‘]{0,9})
      (?: (?P<follows><span[ ]data-follow=[^>]*>)? <math\b(?:(?!</math>).)*</math> (?(follows)</span>)
        | <data\b[^>]*--room[^>]*>[^<]*</data> )
      (?P<after>[^\s<]*)
    """,
    re.DOTALL | re.VERBOSE,
)


def block(text: Text, where: str, scope: Scope, prefix: str = "") -> str:
    """Convert Markdown to HTML. `prefix` keeps the ids of headings unique in the page."""
    if not text.strip():
        return ""
    scope = replace(scope, numbered=True)
    pieces: list[Piece] = []
    lines, spans, before = lines_of(text), scan(text), len(scope.problems)
    made = pieces_of(spans, text, where, scope)
    source = "".join(_held(span, piece, str(text), lines, pieces) for span, piece in made)

    def report(offset: int, message: str) -> None:
        scope.complain(text, offset, where, unescape(filled_plain(message, pieces)))

    written = Source(str(text), spans, pieces, lines.own)
    for offset, message in joined_blocks(text, spans):
        scope.complain(text, offset, where, message)
    sound = all(problem.warning for problem in scope.problems[before:])
    settings = markdown.Settings(written, prefix, report, sum(scope.notes), text.line_at, compared=sound)
    page = markdown.convert(source, settings)
    scope.notes.append(page.notes)
    scope.links.extend(WrittenLink(link.address, text.file, text.line_at(link.place)) for link in page.links)
    scope.check_numbers(text, spans, where, page.paragraphs)
    body = _TAG.sub(lambda tag: filled_plain(tag[0], pieces), page.html)
    return _glued(filled(body, pieces))


def inline(text: Text, where: str, scope: Scope) -> str:
    """Convert a title to HTML. It can contain formulas, values and code; anything else is text."""
    spans = scan(text, has_blocks=False)
    scope.check_numbers(text, spans, where)
    return _glued(" ".join("".join(piece.html for _, piece in pieces_of(spans, text, where, scope)).split()))


def plain(text: Text, where: str, scope: Scope) -> str:
    """Convert a text to plain text: values as numbers, formulas in words."""
    spans = scan(text, has_blocks=False)
    scope.check_numbers(text, spans, where)
    pieces = [piece for _, piece in pieces_of(spans, text, where, scope.apart())]
    return _one_line([(piece.kind, piece.plain) for piece in pieces])


def plain_everywhere(text: Text, scope: Scope) -> tuple[str, ...]:
    """Return a text as `plain` does, at each setting that the scope follows. No mistakes are reported."""
    assert scope.following is not None
    pieces = [
        piece for _, piece in pieces_of(scan(text, has_blocks=False), text, "", replace(scope.apart(), problems=[]))
    ]
    settings = range(len(scope.following.everywhere.settings))
    return tuple(_one_line([(piece.kind, piece.at(number)) for piece in pieces]) for number in settings)


def _one_line(pieces: Sequence[tuple[str, str]]) -> str:
    """The words of pieces on one line. Beside words that run from right to left, other pieces are kept in order."""
    words = "".join(text for _, text in pieces)
    if has_right_to_left(words):
        words = "".join(text if kind == "text" else isolated(text) for kind, text in pieces)
    return " ".join(words.split())


def substituted(text: Text, where: str, scope: Scope) -> Text:
    """Return a title for a drawing, with its values filled in and its formulas still in LaTeX."""
    spans = scan(text, has_blocks=False)
    scope.check_numbers(text, spans, where)
    drawn = [_drawn(span, text, where, scope) for span in spans]
    kinds = {span.kind for span in spans}
    if has_right_to_left("".join(drawn)) and kinds.isdisjoint({"formula", "display"}):
        drawn = [isolated(words) if span.kind == "value" else words for span, words in zip(spans, drawn, strict=True)]
    return Text("".join(drawn), text.file, text.line)


def numbers(text: Text, scope: Scope) -> int:
    """Return how many numbers the values of a text are. A matrix is as many as it has elements."""
    return sum(count_numbers(value, scope) for value in all_values(text))


def warm() -> None:
    """Set up Markdown before the first text needs it."""
    markdown.warm()


def _glued(body: str) -> str:
    """Return HTML in which formulas, and numbers that follow controls, stay on one line with what touches them."""
    return _TOUCHED.sub(
        lambda match: f'<span class="whole">{match[0]}</span>' if match["before"] or match["after"] else match[0], body
    )


def _drawn(span: Span, text: Text, where: str, scope: Scope) -> str:
    if span.kind in ("formula", "display"):
        mark = "$$" if span.kind == "display" else "$"
        return f"{mark}{_ROLE.sub('', expanded(with_values(span, text, where, scope).source, scope.macros))}{mark}"
    return shown(span, text, where, scope).plain.replace("$", r"\$") if span.kind == "value" else span.raw


def _held(span: Span, piece: Piece, text: str, lines: Lines, pieces: list[Piece]) -> str:
    """Return what replaces a span in the Markdown: a placeholder, or the text itself with marks in it."""
    return "".join(marked(span, text, lines, pieces)) if span.kind == "text" else hold(piece, pieces)
