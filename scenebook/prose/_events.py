"""A text as a list of events, such as the beginning of a list or a piece of text, to compare two readings of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from scenebook.core.blocks import Block
from scenebook.prose._pieces import PLACEHOLDER, Piece

HELD, AMPERSAND, PIPE = "\ue001", "\ue002", "\ue003"
"""What stands for a formula or a value, for `&`, and for `|` in code."""
_STASHED = re.compile("\x02[^\x03]*\x03")
_BREAK = re.compile(r"[ \t]*\n[ \t]*")
_NAMES = {
    "p": "a paragraph",
    "ul": "a list",
    "ol": "a numbered list",
    "item": "an item of a list",
    "quote": "a quote",
    "heading": "a heading",
    "rule": "a line across",
    "code": "code",
    "table": "a table",
    "cell": "a cell of a table",
    "em": "emphasis",
    "strong": "strong emphasis",
    "a": "a link",
    "img": "an image",
    "br": "the end of a line",
}


class Event(NamedTuple):
    """What begins (or, with `end`, ends) in a text. `value` is a text, an address, a level and so on."""

    kind: str
    value: str = ""
    end: bool = False

    def name(self, same: int = 0) -> str:
        """Return the event in words. The first `same` characters of its value matter little."""
        if self.kind == "text":
            words = " ".join(self.value[max(0, same - 10) :].split()).replace(HELD, "...").replace(AMPERSAND, "&")
            return f"the text '{words[:40]}...'" if len(words) > 40 else f"the text '{words}'"
        return f"the end of {_NAMES[self.kind]}" if self.end else _NAMES[self.kind]


Placed = tuple[Block, Event]
"""An event with its block."""


def merged(events: Iterable[Event]) -> list[Event]:
    """Return events with neighbouring texts as one, and without spaces around the ends of lines."""
    texts: list[Event] = []
    for event in events:
        if event.kind == "text" and texts and texts[-1].kind == "text":
            texts[-1] = Event("text", texts[-1].value + event.value)
        else:
            texts.append(event)
    tidy = [event._replace(value=_BREAK.sub("\n", event.value)) if event.kind == "text" else event for event in texts]
    for index, event in enumerate(tidy[:-1]):
        if event.kind == "br" and tidy[index + 1].kind == "text":
            tidy[index + 1] = Event("text", tidy[index + 1].value.lstrip("\n"))
    return [event for event in tidy if event != Event("text")]


class Events:
    """The events of a text as it is read here. `elements` are the elements with the text of each block, by its id.

    Notes and the definitions of terms are items of lists, and terms are paragraphs.
    """

    def __init__(self, pieces: Sequence[Piece], elements: dict[int, list[Element]]) -> None:
        self.pieces = pieces
        self.elements = elements

    def of_blocks(self, blocks: Sequence[Block], tight: bool = False) -> Iterator[Placed]:
        """Yield the events of blocks. Neighbouring notes, or definitions, are one list."""
        listed = False
        for block in blocks:
            own = block.kind in ("note", "definition")
            if own != listed:
                yield block, Event("ul", "+" if own else "", end=listed)
            listed = own
            yield from self._of_block(block, tight)
        if listed:
            yield blocks[-1], Event("ul", "", end=True)

    def _of_block(self, block: Block, tight: bool) -> Iterator[Placed]:
        match block.kind:
            case "list":
                yield from self._of_list(block)
            case "note" | "definition":
                yield from _around(block, "item", "", self.of_blocks(block.blocks, tight))
            case "terms":
                yield from self._of_terms(block)
            case "quote":
                yield from _around(block, "quote", "", self.of_blocks(block.blocks))
            case "table":
                yield from _around(block, "table", "", self._of_table(block))
            case _:
                yield from self._of_leaf(block)

    def _of_leaf(self, block: Block) -> Iterator[Placed]:
        if block.kind == "rule":
            yield block, Event("rule")
        elif block.kind in ("code", "piece"):
            yield block, Event("code", self._code(block))
        elif block.lines:
            kind, level = ("heading", str(block.number)) if block.kind == "heading" else ("p", "")
            yield from _around(block, kind, level, ((block, event) for event in self._texts([block])))

    def _of_list(self, block: Block) -> Iterator[Placed]:
        kind, value = ("ol", str(block.number)) if block.label in ".)" else ("ul", block.label)
        tight = not block.is_loose
        items = (_around(item, "item", "", self.of_blocks(item.blocks, tight)) for item in block.blocks)
        yield from _around(block, kind, value, (placed for item in items for placed in item))

    def _of_terms(self, terms: Block) -> Iterator[Placed]:
        """Yield the events of terms and of their definitions. Terms that follow each other are lines of a paragraph."""
        names: list[Block] = []
        definitions: list[Block] = []
        for block in terms.blocks:
            if block.kind == "term":
                yield from self.of_blocks(definitions)
                definitions = []
                names.append(block)
                continue
            if names:
                texts = self._texts(names)
                yield from _around(names[0], "p", "", ((names[0], event) for event in texts))
                names = []
            definitions.append(block)
        yield from self.of_blocks(definitions)

    def _of_table(self, table: Block) -> Iterator[Placed]:
        for cell in self.elements.get(id(table), ()):
            yield table, Event("cell", f"{cell.tag} {cell.get('style', '')}")
            yield from ((table, event) for event in merged(self._inside(cell)))

    def _code(self, block: Block) -> str:
        held = PLACEHOLDER.fullmatch(block.lines[0])
        return (self.pieces[int(held[1])].source if held else "\n".join(block.lines)).rstrip("\n")

    def _texts(self, blocks: Sequence[Block]) -> list[Event]:
        """Return the events of the texts of blocks, one a line."""
        events: list[Event] = []
        for block in blocks:
            for element in self.elements.get(id(block), ()):
                events += [*([Event("text", "\n")] if events else []), *self._inside(element)]
        return merged(events)

    def _inside(self, element: Element) -> Iterator[Event]:
        yield from self._text(element.text)
        for child in element:
            yield from self._of_element(child)
            yield from self._text(child.tail)

    def _of_element(self, element: Element) -> Iterator[Event]:
        match element.tag:
            case "sup":
                yield Event("text", f"[^{element[0].get('href', '').removeprefix('#fn:')}]")
            case "img":
                yield Event("img", self._attributes(element, "src", "title"))
            case "br":
                yield Event("br")
            case "a" if element.get("href", "").startswith("\x02"):
                yield Event("a", "mail")
            case "a" if element.get("class") == "footnote-backref":
                pass
            case tag:
                yield Event(tag, self._attributes(element, "href", "title") if tag == "a" else "")
                yield from self._inside(element)
                yield Event(tag, "", end=True)

    def _attributes(self, element: Element, *names: str) -> str:
        """Return attributes as the author wrote them."""
        written = (element.get(name, "") for name in names)
        return "\n".join(PLACEHOLDER.sub(lambda held: _written(self.pieces[int(held[1])]), text) for text in written)

    def _text(self, text: str | None) -> Iterator[Event]:
        bare, done = _STASHED.sub("", text or ""), 0
        for held in PLACEHOLDER.finditer(bare):
            yield Event("text", bare[done : held.start()])
            done = held.end()
            piece = self.pieces[int(held[1])]
            if _is_code(piece):
                yield Event("code", piece.source.replace("\\|", PIPE).replace("|", PIPE))
            else:
                yield Event("text", _written(piece))
        yield Event("text", bare[done:])


def _around(block: Block, kind: str, value: str, inside: Iterator[Placed]) -> Iterator[Placed]:
    yield block, Event(kind, value)
    yield from inside
    yield block, Event(kind, "", end=True)


def _written(piece: Piece) -> str:
    if piece.kind in ("text", "mark"):
        return piece.source.replace("&", AMPERSAND)
    return piece.written if _is_code(piece) else HELD


def _is_code(piece: Piece) -> bool:
    """Return whether a piece is code, and not a formula with a mistake, which is shown as code."""
    return piece.kind == "code" and piece.written.startswith("`")
