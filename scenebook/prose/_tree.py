"""Turns the blocks of a text into Markdown's tree, and reads the text of each block."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from xml.etree.ElementTree import Element, SubElement

from scenebook.core import blocks
from scenebook.core.blocks import Block
from scenebook.prose._inline import Context, fill
from scenebook.prose._left_marks import UNCLOSED_FENCE
from scenebook.prose._link_syntax import definition, name_of
from scenebook.prose._links import Definitions
from scenebook.prose._pieces import MARK, PLACEHOLDER, Piece, first_place, hold, in_definition, without_marks
from scenebook.prose.code import code

ATTRIBUTE_LIST = "\x10"
"""The attribute that stores the mark of an element's attribute list."""
_TIGHT = "\x11"
"""The attribute of a paragraph that is shown without an element of its own."""
_SIDES = {(False, False): "", (True, False): "left", (False, True): "right", (True, True): "center"}
"""How a column of a table is aligned, by whether its delimiter begins and ends with a colon."""
_BEFORE_ATTRIBUTES = re.compile(rf"({MARK.pattern})(\{{:?[ ]*)(?=[^}}\s])")
_BEFORE_CELL = re.compile(rf"^({MARK.pattern})(\|?[ \t]*)")


@dataclass
class Tree:
    """A text as a tree, with what it defines. `texts` are the elements of the blocks whose text is to be read."""

    pieces: list[Piece]
    report: Callable[[int, str], None]
    line_of: Callable[[int], int]
    notes: dict[str, Block] = field(default_factory=dict)
    definitions: Definitions = field(default_factory=Definitions)
    used: set[str] = field(default_factory=set)
    """The names of the links that are used."""
    texts: list[tuple[Block, Element]] = field(default_factory=list)
    document: Block = field(default_factory=lambda: Block("document"))

    def build(self, root: Element, lines: list[str]) -> None:
        """Parse lines, and put their blocks into an element."""
        marks = [mark[0] if (mark := MARK.match(line)) else "" for line in lines]
        bare = [line.removeprefix(mark) for line, mark in zip(lines, marks, strict=True)]
        self.document = blocks.parse(bare, marks, self._is_fence, self._take)
        self._fill(root, self.document, tight=False)

    def note(self, parent: Element, label: str) -> None:
        """Put the blocks of a note into an element."""
        self._fill(parent, self.notes[label], tight=False)

    def link(self, name: str) -> tuple[str, str | None] | None:
        """Return the address and the title of a link that is used."""
        self.used.add(name)
        return self.definitions.get(name)

    def place(self, block: Block) -> int:
        """Return the offset at which a block begins."""
        return first_place("".join(block.marks), self.pieces) or 0

    def _is_fence(self, line: str) -> bool:
        held = PLACEHOLDER.fullmatch(line)
        return held is not None and self.pieces[int(held[1])].kind == "fence"

    def _take(self, paragraph: Block) -> None:
        """Remove the definitions of links from the start of a paragraph."""
        text = _marked_text(paragraph)
        while found := definition(text):
            label, target = found
            mark = MARK.match(text)
            self._define(label, target.address, target.title, mark[0] if mark else "")
            lines = len(paragraph.lines) - text.count("\n", target.end) - (1 if target.end < len(text) else 0)
            del paragraph.lines[:lines], paragraph.marks[:lines]
            text = text[target.end :]

    def _define(self, label: str, address: str, title: str | None, mark: str) -> None:
        name, place = self.name_of(label), first_place(mark, self.pieces) or 0
        if name in self.definitions:
            first = self.line_of(first_place(self.definitions[name][0], self.pieces) or 0)
            self.report(place, f"the link [{name}] is defined in line {first} already; remove one, or rename it")
            return
        placed = address if MARK.search(address) else mark + address
        self.definitions[name] = (in_definition(placed), title and in_definition(title))

    def name_of(self, label: str) -> str:
        """Return the name of a link, with what its placeholders stand for."""
        return name_of(PLACEHOLDER.sub(lambda held: self.pieces[int(held[1])].source, label))

    def _fill(self, parent: Element, block: Block, tight: bool) -> None:
        for inner in block.blocks:
            self._add(parent, inner, tight)

    def _add(self, parent: Element, block: Block, tight: bool) -> None:
        match block.kind:
            case "note":
                self._note(block)
            case "list":
                self._list(parent, block)
            case "terms":
                self._terms(parent, block)
            case "table":
                self._table(parent, block)
            case "quote" | "rule":
                self._fill(SubElement(parent, "hr" if block.kind == "rule" else "blockquote"), block, tight=False)
            case _:
                self._leaf(parent, block, tight)

    def _leaf(self, parent: Element, block: Block, tight: bool) -> None:
        if block.kind == "fence":
            self.report(self.place(block), UNCLOSED_FENCE)
        elif block.kind == "piece":
            SubElement(parent, "p").text = block.lines[0]
        elif block.kind == "code":
            SubElement(parent, "p").text = self._code(block)
        else:
            self._text(parent, block, tight)

    def _note(self, block: Block) -> None:
        if block.label in self.notes:
            first = self.line_of(self.place(self.notes[block.label]))
            message = f"the note [^{block.label}] is defined in line {first} already; remove one, or rename it"
            self.report(self.place(block), message)
        else:
            self.notes[block.label] = block

    def _list(self, parent: Element, block: Block) -> None:
        ordered = block.label in ".)"
        element = SubElement(parent, "ol" if ordered else "ul")
        if ordered and block.number != 1:
            element.set("start", str(block.number))
        tight = not block.is_loose
        for item in block.blocks:
            self._fill(SubElement(element, "li"), item, tight=tight)

    def _terms(self, parent: Element, block: Block) -> None:
        element, above = SubElement(parent, "dl"), block.first
        for inner in block.blocks:
            if inner.kind == "term":
                self._text(element, inner, tight=False)
            else:
                loose = inner.first > above + 1 or Block("list", blocks=[inner]).is_loose
                self._fill(SubElement(element, "dd"), inner, tight=not loose)
            above = inner.last

    def _text(self, parent: Element, block: Block, tight: bool) -> None:
        if not block.lines:
            return
        tag = f"h{block.number}" if block.kind == "heading" else "dt" if block.kind == "term" else "p"
        element = SubElement(parent, tag, {_TIGHT: ""} if tight and tag == "p" else {})
        self._read_later(element, _marked_text(block).rstrip(), block)

    def _read_later(self, element: Element, text: str, block: Block) -> None:
        element.text = _BEFORE_ATTRIBUTES.sub(r"\3\1", text)
        self.texts.append((block, element))

    def _code(self, block: Block) -> str:
        """Return the placeholder of indented code. Everything in it is shown as it was written."""
        lines = [PLACEHOLDER.sub(self._as_written, line) for line in block.lines]
        source = "\n".join(lines) + "\n"
        start, end = self.place(block), first_place(block.marks[-1], self.pieces) or 0
        return hold(Piece(code(source, ""), source, "fence", start, end), self.pieces)

    def _as_written(self, held: re.Match[str]) -> str:
        return self.pieces[int(held[1])].written

    def _table(self, parent: Element, block: Block) -> None:
        for held in PLACEHOLDER.finditer("".join(block.lines)):
            self._unescape_pipes(int(held[1]))
        header, delimiters, *rows = (_cells(line) for line in _marked_text(block).split("\n"))
        delimiters = [without_marks(cell) for cell in delimiters]
        table = SubElement(parent, "table")
        self._row(SubElement(table, "thead"), "th", header, delimiters, block)
        body = SubElement(table, "tbody") if rows else table
        for row in rows:
            if any(map(without_marks, row[len(delimiters) :])):
                place = first_place(row[len(delimiters)] + "".join(row), self.pieces) or 0
                more = len(row) - len(delimiters)
                self.report(place, f"this row has {len(row)} cells, {more} more than the table has columns")
            self._row(body, "td", row, delimiters, block)

    def _unescape_pipes(self, index: int) -> None:
        """A pipe in a table is written with a backslash, in code too."""
        piece = self.pieces[index]
        if piece.kind == "code":
            shown, source = (text.replace("\\|", "|") for text in (piece.html, piece.source))
            self.pieces[index] = replace(piece, html=shown, source=source)

    def _row(self, parent: Element, tag: str, cells: list[str], delimiters: list[str], block: Block) -> None:
        row = SubElement(parent, "tr")
        for cell, delimiter in zip_longest(cells[: len(delimiters)], delimiters, fillvalue=""):
            side = _SIDES[delimiter.startswith(":"), delimiter.endswith(":")]
            element = SubElement(row, tag, {"style": f"text-align: {side};"} if side else {})
            self._read_later(element, cell, block)

    def read_texts(self, context: Context) -> None:
        """Read the text of each block."""
        for _, element in self.texts:
            text, children = element.text or "", list(element)
            element.text = None
            element[:] = []
            fill(element, text, context)
            element.extend(children)


def _marked_text(block: Block) -> str:
    """Return the text of a block, with the mark of each line at its beginning."""
    return "\n".join(mark + line for line, mark in zip(block.lines, block.marks, strict=True))


def _cells(row: str) -> list[str]:
    """Return the cells of a row of a table. The mark of its line goes to the first one."""
    inner = _BEFORE_CELL.sub(r"\3\1", row.strip()).removeprefix("|")
    inner = inner if inner.endswith("\\|") else inner.removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", inner)]


def unwrap_tight(root: Element) -> None:
    """Replace each paragraph of a tight list by what is in it."""
    for element in root.iter():
        if not any(_TIGHT in child.attrib for child in element):
            continue
        children = list(element)
        element[:] = []
        for child in children:
            if _TIGHT in child.attrib:
                _unwrap(element, child, child is children[-1])
            else:
                element.append(child)


def _unwrap(element: Element, child: Element, is_last: bool) -> None:
    """Add what is in a paragraph to an element. A line ends between it and the next block."""
    if len(element):
        element[-1].tail = child.text
    else:
        element.text = child.text
    element.extend(child)
    if not is_last and len(child):
        child[-1].tail = f"{child[-1].tail or ''}\n"
    elif not is_last and len(element):
        element[-1].tail = f"{element[-1].tail or ''}\n"
    elif not is_last:
        element.text = f"{element.text or ''}\n"
