"""Compares a text, as it is read here, with what CommonMark says, so that nothing is read otherwise in silence.

The text goes through a parser of CommonMark as well, markdown-it-py. What CommonMark does not know is out of the way: a
character stands for each formula and value, HTML is text, and notes and definitions of terms are items of lists.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

from scenebook.core.blocks import Block
from scenebook.core.scanner import Span
from scenebook.prose._events import AMPERSAND, HELD, PIPE, Event, Events, merged
from scenebook.prose._places import Source
from scenebook.prose._tree import Tree

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_ANY_MARK = re.compile(r"[*_`\[\]<>|~\\\t]|^ *(?:[-+#=:]|\d+[.)])|^ {4}|  $", re.MULTILINE)
"""What can be Markdown. A text without it is only paragraphs, and there is nothing to compare."""
_PLAIN_EMPHASIS = re.compile(r"(?<![\w*\\])(\*\*?)\w(?:[\w ]*\w)?\1(?![\w*])")
"""Emphasis that every parser reads alike."""
_BLOCKS = {
    "paragraph": "p",
    "heading": "heading",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "item",
    "blockquote": "quote",
    "table": "table",
}
_TEXTS = {"text": "text", "text_special": "text", "softbreak": "text", "hardbreak": "br", "code_inline": "code"}


def difference(source: Source, tree: Tree) -> Iterator[tuple[int, str]]:
    """Yield the offset and the message of the first place that CommonMark reads otherwise than `tree`, if any."""
    if not _may_differ(source):
        return
    elements: dict[int, list[Element]] = {}
    for block, element in tree.texts:
        elements.setdefault(id(block), []).append(element)
    here = Events(tree.pieces, elements).of_blocks(tree.document.blocks)
    there = _as_commonmark(_without_our_own(source, tree))
    for placed, theirs in zip_longest(here, there):
        ours = placed[1] if placed else None
        if ours != theirs:
            yield tree.place(placed[0]) if placed else _last_line(tree), _message(ours, theirs)
            return


def _may_differ(source: Source) -> bool:
    """Return whether a text has Markdown of which there can be two readings. Most have none, and the parser is slow."""
    if not _ANY_MARK.search(source.text):
        return False
    held = ("formula", "display", "value", "code")
    rest = "".join(HELD if span.kind in held else span.raw for span in source.spans)
    return _ANY_MARK.search(_PLAIN_EMPHASIS.sub(HELD, rest)) is not None


def _last_line(tree: Tree) -> int:
    return max((piece.start for piece in tree.pieces if piece.kind == "mark"), default=0)


def _message(ours: Event | None, theirs: Event | None) -> str:
    pairs = enumerate(zip(ours.value if ours else "", theirs.value if theirs else "", strict=False))
    same = next((index for index, (one, other) in pairs if one != other), 0)
    here, there = (event.name(same) if event else "nothing more" for event in (ours, theirs))
    if here == there:
        there = f"another {there.split(' ', 1)[-1]}"
    return (
        f"this can be read in two ways: here as {here}, but by the rules of CommonMark as {there}; put blank lines "
        "between blocks, indent what belongs to an item as far as its first word, and write a backslash before a mark "
        "that is text"
    )


def _without_our_own(source: Source, tree: Tree) -> str:
    """Return a text without what CommonMark does not know."""
    raw, parts, done = source.text, [], 0
    for start, end, text in sorted([*_changes_in_spans(source.spans), *_changes_of_markers(raw, tree)]):
        if start >= done:
            parts += [raw[done:start], text]
            done = end
    return "".join([*parts, raw[done:]]).replace("&", AMPERSAND)


def _changes_in_spans(spans: Iterable[Span]) -> Iterator[tuple[int, int, str]]:
    for span in spans:
        if span.kind in ("formula", "display", "value"):
            yield span.start, span.end, HELD
        elif span.kind == "code" and "|" in span.raw:
            yield span.start, span.end, span.raw.replace("\\|", PIPE).replace("|", PIPE)


def _changes_of_markers(raw: str, tree: Tree) -> Iterator[tuple[int, int, str]]:
    """Yield what makes items of lists of notes and definitions."""
    for block in _notes_and_definitions(tree.document):
        place = tree.place(block)
        marker = f"[^{block.label}]:" if block.kind == "note" else ":"
        start = raw.rfind(marker, place, place + block.column)
        if start >= 0 and block.kind == "note":
            yield start, place + block.column, "+   "
        elif start >= 0:
            yield start, start + 1, "+"


def _notes_and_definitions(block: Block) -> Iterator[Block]:
    if block.kind in ("note", "definition"):
        yield block
    for inner in block.blocks:
        yield from _notes_and_definitions(inner)


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 200}).enable("table")
    parser.disable(["html_block", "html_inline", "entity"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    return parser


@lru_cache(maxsize=1024)
def _as_commonmark(text: str) -> tuple[Event, ...]:
    """Return the events of a text as CommonMark has it."""
    return tuple(_events(_parser().parse(text)))


def _events(tokens: "Sequence[Token]") -> Iterator[Event]:
    for token in tokens:
        name, _, side = token.type.rpartition("_")
        if token.type == "inline":
            yield from merged(_inline_events(token.children or []))
        elif token.type == "hr":
            yield Event("rule")
        elif token.type in ("fence", "code_block"):
            yield Event("code", token.content.replace(AMPERSAND, "&").rstrip("\n"))
        elif token.type in ("th_open", "td_open"):
            style = str(token.attrGet("style") or "")
            yield Event("cell", f"{token.tag} {style and style.replace(':', ': ')}{style and ';'}")
        elif name in _BLOCKS:
            yield Event(_BLOCKS[name], _value(token), end=side == "close")


def _value(token: "Token") -> str:
    match token.type:
        case "heading_open":
            return token.tag[1:]
        case "ordered_list_open":
            return str(token.attrs.get("start", 1))
        case "bullet_list_open":
            return token.markup
    return ""


def _inline_events(tokens: "Sequence[Token]") -> Iterator[Event]:
    rest = iter(tokens)
    for token in rest:
        href, title = str(token.attrs.get("href", "")), token.attrs.get("title", "")
        name, _, side = token.type.rpartition("_")
        if token.type in _TEXTS:
            yield Event(_TEXTS[token.type], _text(token))
        elif token.type == "image":
            yield Event("img", f"{token.attrs['src']}\n{title}")
        elif token.markup == "autolink" and href.startswith("mailto:"):
            yield Event("a", "mail")
            next(rest), next(rest)  # the address as text, and the end of the link
        elif name == "link":
            yield Event("a", f"{href}\n{title}" if side == "open" else "", end=side == "close")
        else:
            yield Event(name, "", end=side == "close")


def _text(token: "Token") -> str:
    if token.type == "softbreak":
        return "\n"
    return token.content.replace(AMPERSAND, "&") if token.type == "code_inline" else token.content
