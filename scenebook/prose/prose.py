r"""Text of a storyboard to HTML: Markdown whose formulas are MathML and whose numbers are values.

Every text is scanned once (`text.scan`). What is not plain text (code, formulas, values, `&`) is made into HTML at
once and stands in the Markdown as a placeholder, `\x0eN\x0f`, so a pipe, an underscore or a `<` in it is never parsed
again; storyboards cannot hold these control characters. Text is text: HTML tags and entities are shown as they are
written.

Three forms of a text are made: `block` (Markdown, for prose and captions), `inline` (formulas, values and code only,
for titles), and `plain` (no markup at all, for alt texts and descriptions).

Numbers and formulas run from left to right, whatever runs beside them. In HTML the style sheet sees to that; in plain
text that holds a script written from right to left, characters that nobody sees keep them apart.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from scenebook.core import number_format
from scenebook.core.problems import Problem
from scenebook.core.scanner import Kind, Span, lead, scan, values_in
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.core.text import Text
from scenebook.formulas import mathml
from scenebook.prose import _markdown as markdown
from scenebook.prose import typed_numbers
from scenebook.storyboard.model import NumberRule

_ROLE = re.compile(r"\\(?:query|key|value)(?![A-Za-z])")
_PLACEHOLDER = re.compile(r"(?P<begins><p>)?\x0e(?P<piece>\d+)\x0f(?P<ends></p>)?")
_FENCE = re.compile(r"^(?P<line>(?P<lead>.*)\x0e(?P<piece>\d+)\x0f\n)(?=(?P<next>.*))", re.MULTILINE)
_TOUCHED = re.compile(r"([(\[“‘]*)<math\b(?:(?!</math>).)*</math>([^\s<]*)", re.DOTALL)
_MATH = re.compile(r'<math\b[^>]*? aria-label="([^"]*)"(?:(?!</math>).)*</math>', re.DOTALL)
_NO_WORDS = re.compile(r"<sup\b[^>]*><a class=\"footnote-ref\".*?</sup>|<[^>]*>", re.DOTALL)
_UNCOLOURED = re.compile(r'<span class="(?:n|nn|o|p|w|bp|si)">([^<]*)</span>')  # most of a program, and in no colour
_VALUE = re.compile(r"\s*(?P<scene>[\w/-]+)\.(?P<name>\w+)\s*(?::(?P<spec>[^{}]*?))?\s*")
_MARKS = re.compile(
    r"""
      (?P<braces>\{\{)
    | (?P<brace>\{\s*[A-Za-z][\w/-]*\.[A-Za-z]\w*\s*(?::[^{}\s]*\s*)?\})
    | (?P<dollars>\$\$)
    | (?P<dollar>\$(?=\\[A-Za-z]|[A-Za-z][_^]))
    | (?P<tick>(?<!`)`{1,2}(?!`))
    """,
    re.VERBOSE,
)
_UNCLOSED = {
    "braces": "'{{{{' opens a value that is not closed on its line; write {{{{ scene.name }}}}, or \\{{ for a brace",
    "brace": "'{}' is text; a value has two braces on each side, and \\{{ is a brace",
    "dollars": "this $$ begins or ends a formula that has no other $$; write \\$ for a dollar",
    "dollar": "this $ begins a formula that no $ ends; write \\$ for a dollar",
    "tick": "this {0} begins code that no {0} ends; write \\` for the character",
}
_LEFT = re.compile(r"(\*\*|~~|\]\()[^*`\x0e\x0f\n]{,20}")  # with some of what follows, by which it is found
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")
_FROM_LEFT, _FROM_ITS_SIDE, _END = "\u2066", "\u2068", "\u2069"
_APART = re.compile(r"<(/?)(?:data|math|code)\b([^>]*)>")


@dataclass(frozen=True)
class Array:
    """Stands for an array among the values: it has a name and a size, but no sentence can hold it."""

    size: str


FAILED = "?"


@dataclass(frozen=True)
class Scope:
    """What a text can name: the page it stands on, and values by scene, as `id` (of this page) and as `slug/id`.

    A value of a `failed` scene is anything: its own problem has been told, and its texts have no part in it. What
    happens to a typed number is `numbers`; `quoted` allows some, and those that a text holds are added to `used`.
    `notes` holds how many notes each text made so far has: they are numbered through the page.
    """

    slug: str
    values: Mapping[str, Mapping[str, Any]]
    failed: frozenset[str] = frozenset()
    problems: list[Problem] = field(default_factory=list)
    numbers: NumberRule = "strict"
    quoted: tuple[Text, ...] = ()
    used: set[str] = field(default_factory=set)
    notes: list[int] = field(default_factory=list)

    def complain(self, text: Text, offset: int, where: str, message: str, warning: bool = False) -> None:
        """Note a mistake in a text, to be told with all the others."""
        self.problems.append(Problem(text.file, text.line_at(offset), where, message, warning))

    def check_numbers(self, text: Text, where: str, nodes: Iterable[str] | None = None) -> None:
        """Complain of the numbers that are typed in a text; `nodes` as for `numerals.find`.

        Where something is not closed nobody knows which they are, and that is told already.
        """
        if self.numbers != "off" and not any(any(_unclosed(span)) for span in scan(text)):
            for offset, numeral in typed_numbers.find(text, nodes, self.quoted, self.used):
                self.complain(text, offset, where, typed_numbers.told(numeral, self._own()), self.numbers == "warn")

    def check_quoted(self, computed: Mapping[str, Mapping[str, Any]]) -> None:
        """Complain of quoted numbers that no text holds or that a scene computes, when all texts have been read."""
        for entry in self.quoted if self.numbers != "off" else ():
            if message := typed_numbers.misquoted(entry, computed, self.used):
                self.complain(entry, 0, "quoted", message, self.numbers == "warn")

    def _own(self) -> dict[str, Mapping[str, Any]]:
        """The values of the page's own scenes."""
        return {scene: values for scene, values in self.values.items() if "/" not in scene}

    def find(self, scene: str, name: str) -> Any:
        """The value `scene.name`; raises `LookupError` with a sentence for the author."""
        if scene in self.failed:
            return FAILED
        if scene not in self.values:
            raise LookupError(f"there is no scene '{scene}'{did_you_mean_or_list(scene, self.values)}")
        if name not in self.values[scene]:
            raise LookupError(f"'{scene}' has no value '{name}'{did_you_mean_or_list(name, self.values[scene])}")
        value = self.values[scene][name]
        if isinstance(value, Array | tuple):
            size = value.size if isinstance(value, Array) else f"a list of {len(value)} texts"
            raise LookupError(f"'{scene}.{name}' is {size}; have the scene compute the number that the text says")
        return value


@dataclass(frozen=True)
class _Piece:
    """What a span becomes, in HTML and in plain text: that of a formula is in words, as its HTML has them."""

    html: str
    source: str
    kind: Kind = "text"

    @property
    def plain(self) -> str:
        """The text without markup."""
        return words_of(self.html) if self.kind in ("formula", "display") else self.source


def block(text: Text, where: str, scope: Scope, prefix: str = "") -> str:
    """Markdown to HTML. `prefix` keeps the ids of headings unique in the page."""
    if not text.strip():
        return ""
    pieces: list[_Piece] = []
    source = "".join(_held(span, piece, pieces) for span, piece in _pieces(text, where, scope))
    source = _with_fences_apart(source, pieces)

    def in_plain_text(held: str) -> str:
        return html.unescape(_filled(held, pieces, plain=True))

    def complain(words: str, message: str) -> None:
        scope.complain(text, max(text.find(in_plain_text(words)), 0), where, in_plain_text(message))

    page = markdown.convert(source, prefix, in_plain_text, complain, sum(scope.notes))
    scope.notes.append(page.notes)
    nodes = [_as_read(node, pieces) for node in page.nodes]
    for left in (left for node in nodes for left in _LEFT.finditer(node)):
        message = (
            f"{left[1]!r} is left as it stands, which is no mark of Markdown here; close it, or write \\{left[1][0]}"
        )
        scope.complain(text, max(text.find(left[0]), 0), where, message)
    scope.check_numbers(text, where, nodes)
    body = re.sub(r"<[^>]*>", lambda tag: _filled(tag[0], pieces, plain=True), page.html)
    return _glued(_filled(body, pieces))


def inline(text: Text, where: str, scope: Scope) -> str:
    """A title to HTML: formulas, values and code spans; anything else is text."""
    scope.check_numbers(text, where)
    return _glued(" ".join("".join(piece.html for _, piece in _pieces(text, where, scope)).split()))


def _glued(body: str) -> str:
    """Browsers break lines on both sides of a formula; what touches it without a space stays with it."""
    return _TOUCHED.sub(
        lambda match: f'<span class="whole">{match[0]}</span>' if match[1] or match[2] else match[0], body
    )


def plain(text: Text, where: str, scope: Scope) -> str:
    """A text without markup: values as numbers, formulas in words."""
    scope.check_numbers(text, where)
    pieces = [piece for _, piece in _pieces(text, where, scope)]
    words = "".join(piece.plain for piece in pieces)
    if _RIGHT_TO_LEFT.search(words):
        words = "".join(_apart(piece.plain) if piece.kind != "text" else piece.plain for piece in pieces)
    return " ".join(words.split())


def words_of(body: str) -> str:
    """What is read of a text in HTML: without tags and references to notes, and with formulas in words."""
    body = _MATH.sub(r"<math>\1</math>", body)
    if _RIGHT_TO_LEFT.search(body):
        body = _APART.sub(lambda tag: _END if tag[1] else _FROM_ITS_SIDE if "dir=" in tag[2] else _FROM_LEFT, body)
    return " ".join(html.unescape(_NO_WORDS.sub("", body)).split())


def shortened(words: str, most: int) -> str:
    """Plain text of at most so many characters, cut between words."""
    if len(words) <= most:
        return words
    kept = words[:most].rsplit(" ", 1)[0]
    begun = sum(map(kept.count, (_FROM_LEFT, _FROM_ITS_SIDE))) - kept.count(_END)
    return f"{kept}{_END * begun} ..."


def _apart(words: str) -> str:
    """Words that change the direction of nothing beside them."""
    return f"{_FROM_ITS_SIDE if _RIGHT_TO_LEFT.search(words) else _FROM_LEFT}{words}{_END}"


def substituted(text: Text, where: str, scope: Scope) -> Text:
    """A title with its values put in and its formulas still LaTeX, for a drawing."""
    scope.check_numbers(text, where)
    spans = scan(text)
    drawn = [_drawn(span, text, where, scope) for span in spans]
    kinds = {span.kind for span in spans}
    if _RIGHT_TO_LEFT.search("".join(drawn)) and kinds.isdisjoint({"formula", "display"}):
        drawn = [_apart(words) if span.kind == "value" else words for span, words in zip(spans, drawn, strict=True)]
    return Text("".join(drawn), text.file, text.line)


def _drawn(span: Span, text: Text, where: str, scope: Scope) -> str:
    if span.kind in ("formula", "display"):
        mark = "$$" if span.kind == "display" else "$"
        return f"{mark}{_ROLE.sub('', _with_values(span, text, where, scope)[0])}{mark}"
    return _shown(span, text, where, scope).plain.replace("$", r"\$") if span.kind == "value" else span.raw


def numbers(text: Text, scope: Scope) -> int:
    """How many of the values that a text shows are numbers."""
    spans = (span for span in scan(text) if span.kind in ("value", "formula", "display"))
    values = (value for span in spans for value in ((span,) if span.kind == "value" else values_in(span)))
    return sum(_is_number(value, scope) for value in values)


def _is_number(span: Span, scope: Scope) -> bool:
    match = _VALUE.fullmatch(span.inner)
    try:
        value = scope.find(match["scene"], match["name"]) if match else None
    except LookupError:
        return False
    return isinstance(value, int | float) and not isinstance(value, bool)


def code(source: str, language: str) -> str:
    """Source text as HTML, with pygments' classes where it knows the language."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    inner = highlight(source, lexer, HtmlFormatter(nowrap=True)) if lexer else html.escape(source, quote=False)
    inner = _UNCOLOURED.sub(r"\1", inner)
    return f'<pre class="code" tabindex="0"><code>{inner.rstrip()}\n</code></pre>'


def warm() -> None:
    """Set up Markdown before the first text needs it."""
    markdown.warm()


def warm_code() -> None:
    """Write a line of code: a lexer compiles its patterns when it is first used, which takes as long as ten scenes."""
    code("x = 1", "python")


def _pieces(text: Text, where: str, scope: Scope) -> Iterator[tuple[Span, _Piece]]:
    for span in scan(text):
        yield span, _MAKERS[span.kind](span, text, where, scope)


def _literal(span: Span, text: Text, where: str, scope: Scope) -> _Piece:
    for offset, message in _unclosed(span):
        scope.complain(text, span.start + offset, where, message)
    return _Piece(html.escape(span.inner, quote=False), span.inner)


def _unclosed(span: Span) -> Iterator[tuple[int, str]]:
    """What is left in a text of the marks of values, formulas and code, by offset; escapes are spans of their own."""
    for found in _MARKS.finditer(span.inner) if span.kind == "text" else ():
        yield found.start(), _UNCLOSED[str(found.lastgroup)].format(found[0])


def _code(span: Span, text: Text, where: str, scope: Scope) -> _Piece:
    inner = (
        span.inner[1:-1]
        if span.inner.startswith(" ") and span.inner.endswith(" ") and span.inner.strip()
        else span.inner
    )
    return _Piece(f"<code>{html.escape(inner, quote=False)}</code>", inner, "code")


def _fence(span: Span, text: Text, where: str, scope: Scope) -> _Piece:
    language, _, source = span.inner.partition("\n")
    return _Piece(code(source, language.strip()), source, "fence")


def _formula(span: Span, text: Text, where: str, scope: Scope) -> _Piece:
    source, names = _with_values(span, text, where, scope)
    try:
        formula = mathml.convert(source, display=span.kind == "display")
    except ValueError as error:
        offset, _, message = str(error).partition(": ")
        at = span.line(source.count("\n", 0, int(offset)) if offset.isdigit() else 0)
        told = " ".join(span.inner.split())
        scope.complain(text, at, where, f"in the formula '{told}': {(message or offset).rstrip('.')}")
        return _Piece("", span.inner, "code")
    origin = f' data-from="{html.escape(" ".join(names))}"' if names else ""
    formula = formula.replace("<math", f"<math{origin}", 1)
    display = f'<span class="display" tabindex="0">{formula}</span>'
    return _Piece(display if span.kind == "display" else formula, source, span.kind)


def _with_values(span: Span, text: Text, where: str, scope: Scope) -> tuple[str, list[str]]:
    """The LaTeX of a formula with its values put in, and the names of these."""
    source, names = span.inner, []
    for value in values_in(span):
        piece = _shown(value, text, where, scope)
        source = source.replace(value.raw, f"{{{_in_latex(piece.plain)}}}", 1)
        names += re.findall(r'data-from="([^"]*)"', piece.html)
    return source, names


_IN_WORDS = str.maketrans(
    {mark: f"\\{mark}" for mark in "&%$#_{}"}
    | {"\\": "\\textbackslash ", "~": "\\textasciitilde ", "^": "\\textasciicircum "}
)


def _in_latex(shown: str) -> str:
    """A value as it is written in a formula; words stand upright."""
    if any(character.isalpha() for character in shown):
        return f"\\text{{{shown.translate(_IN_WORDS)}}}"
    raised = re.sub("[⁺⁻⁰¹²³⁴-⁹]+", lambda power: f"^{{{unicodedata.normalize('NFKC', power[0])}}}", shown)
    return raised.replace(",", "{,}").replace("%", r"\%").replace(number_format.MINUS, "-")


def _shown(span: Span, text: Text, where: str, scope: Scope) -> _Piece:
    match = _VALUE.fullmatch(span.inner)
    try:
        if not match:
            raise LookupError(f"{span.raw!r} is not a value; write {{{{ scene.name }}}} or {{{{ scene.name:.2f }}}}")
        value = scope.find(match["scene"], match["name"])
        shown = FAILED if value is FAILED else number_format.show(value, match["spec"] or "")
        if isinstance(value, float) and not isfinite(value):
            message = f"{span.raw}: is {shown}; have the scene compute a number, or return a text if this is meant"
            scope.complain(text, span.start, where, message, warning=True)
    except (LookupError, ValueError) as error:
        scope.complain(text, span.start, where, f"{span.raw}: {error.args[0]}" if match else str(error.args[0]))
        return _Piece("", "")
    scene = match["scene"] if "/" in match["scene"] else f"{scope.slug}/{match['scene']}"
    origin = html.escape(f"{scene}.{match['name']}")
    full = html.escape(str(value).lower() if isinstance(value, bool) else str(value))
    side = ' dir="auto"' if _RIGHT_TO_LEFT.search(shown) else ""
    return _Piece(f'<data value="{full}" data-from="{origin}"{side}>{html.escape(shown)}</data>', shown, "value")


_MAKERS: dict[str, Callable[[Span, Text, str, Scope], _Piece]] = {
    "text": _literal,
    "escape": _literal,
    "code": _code,
    "fence": _fence,
    "formula": _formula,
    "display": _formula,
    "value": _shown,
}


def _held(span: Span, piece: _Piece, pieces: list[_Piece]) -> str:
    """What stands for a span in the Markdown: plain text is itself, but for `&`; the rest is a placeholder."""
    if span.kind == "text":
        return _placeholder(_Piece("&amp;", "&"), pieces).join(span.inner.split("&"))
    return _placeholder(piece, pieces)


def _with_fences_apart(source: str, pieces: list[_Piece]) -> str:
    """The Markdown with blank lines around each fence, inside its quote, so that it becomes a paragraph of its own."""

    def apart(match: re.Match[str]) -> str:
        here, below = match["lead"], lead(match["next"])
        begins_an_item, item_follows = here.strip(" >"), below.strip(" >")
        if pieces[int(match["piece"])].kind != "fence" or (begins_an_item and item_follows):
            return match[0]
        quote = re.sub("[^>]", " ", here[: here.rfind(">") + 1])
        above = "" if begins_an_item else f"{quote}\n"
        return f"{above}{match['line']}{quote if below.count('>') >= quote.count('>') else ''}\n"

    return _FENCE.sub(apart, f"{source}\n")


def _placeholder(piece: _Piece, pieces: list[_Piece]) -> str:
    pieces.append(piece)
    return f"\x0e{len(pieces) - 1}\x0f"


def _filled(body: str, pieces: list[_Piece], plain: bool = False) -> str:
    def fill(match: re.Match[str]) -> str:
        piece, begins, ends = pieces[int(match["piece"])], match["begins"] or "", match["ends"] or ""
        if plain:
            return f"{begins}{html.escape(piece.plain)}{ends}"
        if piece.kind == "fence" and begins:
            return piece.html if ends else f"{piece.html}<p>"
        return f"{begins}{piece.html}{ends}"

    return _PLACEHOLDER.sub(fill, body)


def _as_read(node: str, pieces: list[_Piece]) -> str:
    """A text node of the tree as `numerals` reads it."""

    def read(match: re.Match[str]) -> str:
        piece = pieces[int(match["piece"])]
        held = typed_numbers.VALUE if piece.kind == "value" else typed_numbers.HOLE
        return piece.source if piece.kind == "text" else held

    return _PLACEHOLDER.sub(read, node)
