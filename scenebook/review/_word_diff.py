"""Compare rendered texts word by word.

A text is HTML as `prose` writes it. Its tokens are what a reader sees: words, formulas, values and the targets of
links. A token for a value is identified by the value's name, not by its number. So if "0.65 bits" becomes "0.66 bits",
it is the same text with another number; a reworded sentence is another text. Numbers of footnotes are ignored, because
they change with the footnotes above them.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from html.parser import HTMLParser
from itertools import groupby, takewhile
from typing import Literal

from scenebook.core.value_reference import value_of

BLOCKS = {
    "blockquote",
    "dd",
    "div",
    "dt",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "li",
    "p",
    "pre",
    "table",
    "td",
    "th",
    "tr",
}
LONG = 2000
"""In texts with more tokens, frequent words are not used to align the two sides; that would take minutes."""

_SENTENCE_END = re.compile(r"\S*[.!?][\"'”’)\]]*")
_NUMBER = re.compile(r"[-−]?\d(?:[\d.,]|\{,\})*|\?")
UNKNOWN = "?"
"""What a build writes for a value of a failed scene. It is unknown, so it does not count as a change."""


Kind = Literal["same", "gone", "new", "value"]


@dataclass(frozen=True)
class Token:
    """A word, formula, value or link target.

    Tokens with the same `key` are the same word. `space` says whether a space precedes it. `names` are the values that
    it shows, and `value` is their unrounded number. A `quiet` token (the target of a link) is displayed only if it
    changed. `ends` marks the end of a sentence. `place` is the scene it is in, if it comes from a whole page.
    """

    key: str
    text: str
    markup: str = ""
    space: bool = True
    names: tuple[str, ...] = ()
    value: str = ""
    quiet: bool = False
    ends: bool = False
    place: str = ""

    @property
    def html(self) -> str:
        """The token as HTML: MathML for a formula, escaped text for anything else."""
        return self.markup or html.escape(self.text)


@dataclass(frozen=True)
class Piece:
    """A token in a comparison: `gone`, `new`, the `same`, or a `value` whose number differs from the one `before`."""

    kind: Kind
    token: Token
    before: Token | None = None


Sentence = tuple[Piece, ...]


def tokens(markup: str) -> tuple[Token, ...]:
    """Return the tokens of a text, in order."""
    reader = TokenReader()
    reader.feed(markup)
    reader.close()
    return tuple(reader.found)


def plain(markup: str) -> str:
    """Return a text without its markup."""
    return joined(token for token in tokens(markup) if not token.quiet)


def joined(found: Iterable[Token]) -> str:
    """Return tokens as one line of plain text."""
    return "".join(f"{' ' if token.space else ''}{token.text}" for token in found).strip()


def compare(
    before: str, after: str, name: Callable[[str], str], changed: Callable[[str], bool]
) -> tuple[Sentence, ...]:
    """Return the sentences of a text that changed, each with its removed and added words.

    `name` returns the new name of a value from its old one. `changed` says whether the value with a new name changed.
    """
    return compare_tokens([renamed(token, name) for token in tokens(before)], tokens(after), changed)


def compare_tokens(
    before: Sequence[Token], after: Sequence[Token], changed: Callable[[str], bool]
) -> tuple[Sentence, ...]:
    """Return the sentences that changed between two lists of tokens."""
    pieces = list(_pieces(before, after, changed))
    return tuple(sentence for sentence in _sentences(pieces) if any(piece.kind != "same" for piece in sentence))


def runs(sentence: Sentence) -> Iterator[tuple[Kind, tuple[Token, ...]]]:
    """Split a sentence into runs of `gone`, `new` or `same` tokens. A changed number gives a gone and a new run."""
    flat = [entry for piece in sentence for entry in _flat(piece)]
    for kind, run in groupby(flat, key=lambda entry: entry[0]):
        yield kind, tuple(token for _, token in run)


def _flat(piece: Piece) -> Iterator[tuple[Kind, Token]]:
    if piece.kind == "value" and piece.before:
        yield "gone", piece.before
        yield "new", piece.token
    elif piece.kind != "same" or not piece.token.quiet:
        yield piece.kind, piece.token


def reworded(sentence: Sentence) -> bool:
    """Return whether anything other than its numbers changed."""
    return any(piece.kind in ("gone", "new") for piece in sentence)


def changed_values(sentence: Sentence) -> tuple[str, ...]:
    """Return the names of the values whose numbers changed in the sentence."""
    return tuple(name for piece in sentence if piece.kind == "value" for name in piece.token.names)


def _pieces(old: Sequence[Token], new: Sequence[Token], changed: Callable[[str], bool]) -> Iterator[Piece]:
    for equal, before, after in _aligned(old, new):
        if equal:
            for old_token, new_token in zip(before, after, strict=True):
                yield from _same_key(old_token, new_token, changed)
        else:
            yield from (Piece("gone", token) for token in before)
            yield from (Piece("new", token) for token in after)


def _aligned(old: Sequence[Token], new: Sequence[Token]) -> Iterator[tuple[bool, Sequence[Token], Sequence[Token]]]:
    """Align two texts as runs of equal and different tokens. Common beginnings and ends come first, to save time."""
    head = _common_length(zip(old, new, strict=False))
    tail = _common_length(zip(reversed(old[head:]), reversed(new[head:]), strict=False))
    yield True, old[:head], new[:head]
    old_end, new_end = len(old) - tail, len(new) - tail
    before, after = old[head:old_end], new[head:new_end]
    keys = [token.key for token in before], [token.key for token in after]
    for kind, start, end, first, last in SequenceMatcher(None, *keys, len(before) > LONG).get_opcodes():
        yield kind == "equal", before[start:end], after[first:last]
    yield True, old[old_end:], new[new_end:]


def _common_length(pairs: Iterable[tuple[Token, Token]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0].key == pair[1].key, pairs))


def _same_key(before: Token, after: Token, changed: Callable[[str], bool]) -> Iterator[Piece]:
    """Compare two tokens with the same key: equal, another number, or the same number in another format."""
    if before.text == after.text or not after.names or any(UNKNOWN in token.text for token in (before, after)):
        yield Piece("same", after)
    elif any(map(changed, after.names)):
        yield Piece("value", after, before)
    elif before.value == after.value:
        yield Piece("gone", before)
        yield Piece("new", after)
    else:
        yield Piece("same", after)


def renamed(token: Token, name: Callable[[str], str]) -> Token:
    """Return a token of the old side with the new names of its values."""
    if not token.names:
        return token
    names = tuple(map(name, token.names))
    key = token.key
    for old, new in zip(token.names, names, strict=True):
        key = re.sub(rf"{re.escape(old)}(?!\w)", lambda _, new=new: new, key)  # type: ignore[misc]
    return replace(token, names=names, key=key)


def _origins(origin: str) -> list[str]:
    """Return the values that a formula shows, each without a space that could end it."""
    return origin.split(" ") if origin else []


def _key(kind: str, origin: str) -> str:
    return f"{kind} {origin}".replace("\N{NO-BREAK SPACE}", " ")


def _sentences(pieces: list[Piece]) -> Iterator[Sentence]:
    start = 0
    for index, piece in enumerate(pieces, 1):
        following = pieces[index] if index < len(pieces) else None
        if following is None or (piece.token.ends and _is_over(piece, following)):
            yield tuple(pieces[start:index])
            start = index


def _is_over(piece: Piece, following: Piece) -> bool:
    """Return whether a sentence is over after a piece. The replacement of a removed word still belongs to it."""
    return following.token.space and not (piece.kind == "gone" and following.kind != "gone")


class TokenReader(HTMLParser):
    """Collects the tokens of a text. A formula is one token, with its markup. A tag of the `blocks` ends a sentence."""

    blocks = BLOCKS

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Token] = []
        self._space = True
        self._formula: list[str] | None = None
        self._source = ""
        self._inside: dict[str, dict[str, str]] = {}

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag in self.blocks:
            self._end_block()
        self._inside[tag] = {name: value or "" for name, value in attributes}
        if tag == "math":
            self._formula, self._source = [], ""
        if self._formula is not None and tag != "annotation":
            self._formula.append(self.get_starttag_text() or "")

    def handle_endtag(self, tag: str) -> None:
        attributes = self._inside.pop(tag, {})
        if self._formula is not None and tag != "annotation":
            self._formula.append(f"</{tag}>")
        if tag == "math":
            self._end_formula(attributes.get("data-from", ""))
        elif tag == "a" and not (address := attributes.get("href", "")).startswith("#"):
            self._space = True
            self._add(Token(f"link {address}", f"({address})", quiet=True))
        elif tag in self.blocks:
            self._end_block()

    def handle_data(self, data: str) -> None:
        if self._formula is not None:
            if "annotation" in self._inside:
                self._source += data
            else:
                self._formula.append(html.escape(data, quote=False))
        elif "data" in self._inside:
            found = self._inside["data"]
            name = found.get("data-from", "")
            self._add(Token(_key("value", name), data, names=(value_of(name),), value=found.get("value", "")))
        elif self._inside.get("a", {}).get("class") == "footnote-ref":
            self._add(Token("note", data))
        else:
            self._words(data)

    def _words(self, data: str) -> None:
        for match in re.finditer(r"\s+|\S+", data):
            if match[0].isspace():
                self._space = True
            else:
                ends = _SENTENCE_END.fullmatch(match[0]) is not None
                self._add(Token(unicodedata.normalize("NFC", match[0]), match[0], ends=ends))

    def _end_formula(self, origin: str) -> None:
        markup, self._formula = "".join(self._formula or ()), None
        key = _key("formula", f"{origin} {_NUMBER.sub('#', self._source) if origin else self._source}")
        self._add(Token(key, self._source, markup, names=tuple(map(value_of, _origins(origin)))))

    def _end_block(self) -> None:
        self._space = True
        if self.found:
            self.found[-1] = replace(self.found[-1], ends=True)

    def _add(self, token: Token) -> None:
        self.found.append(replace(token, space=self._space))
        self._space = False
