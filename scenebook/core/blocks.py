"""Splits Markdown into blocks as CommonMark does: quotes, lists, paragraphs, headings, code, and our own kinds.

Lines are read one by one, as in the appendix of CommonMark's specification. A line first continues the blocks that are
open, from the outermost one inwards, then begins new ones, and what is left of it is text. Our own kinds are tables,
the definitions of notes, and lists of terms with their definitions.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

Kind = Literal[
    "document", "quote", "list", "item", "note", "terms", "definition",
    "paragraph", "heading", "rule", "code", "fence", "piece", "table", "term",
]  # fmt: skip

_QUOTE = re.compile(r" {0,3}>")
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)")
_HEADING_END = re.compile(r"(?:^|[ \t]+)#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
_ITEM = re.compile(r"(?P<before> {0,3})(?P<marker>[-*+]|(?P<number>\d{1,9})[.)])(?=[ \t]|$)")
_NOTE = re.compile(r" {0,3}\[\^([^\]\s]+)\]:[ \t]*")
_DEFINITION = re.compile(r" {0,3}:(?=[ \t]+\S)")
_FENCE = re.compile(r"(?P<before> {0,3})(?P<marker>`{3,}(?=[^`\x0e]*$)|~{3,})(?P<language>.*)$")
_DELIMITERS = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_PIPE = re.compile(r"(?<!\\)\|")
_BORDERS = re.compile(r"^\||(?<!\\)\|$")
_DEEPEST = 100


@dataclass
class Block:
    """A block: a container of other blocks, or lines of text. `first` and `last` are the indexes of its lines.

    `number` is the level of a heading or the first number of a list. `label` is a note's name, or the marker of a list
    or a fence. `indent` is how far the text of a list's item, or a fence's marker, is indented. A fence that is not
    closed ends with the block it is in. The first line of a fence is what stands behind its marker. `column` is the
    index in its first line at which a block begins, behind its marker.
    """

    kind: Kind
    first: int = 0
    last: int = 0
    number: int = 0
    label: str = ""
    indent: int = 0
    column: int = 0
    is_closed: bool = False
    blocks: list["Block"] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    """What `parse` was given for each of the lines; for a container, for its first line."""

    @property
    def is_loose(self) -> bool:
        """Whether blank lines separate the items of a list, or the blocks in one of its items."""
        inside = any(_apart(item.blocks) for item in self.blocks)
        return inside or _apart(self.blocks)


def _apart(blocks: list[Block]) -> bool:
    return any(below.first > above.last + 1 for above, below in pairwise(blocks))


def columns(row: str) -> int:
    """Return how many cells a row of a table has."""
    return len(_PIPE.findall(_BORDERS.sub("", row.strip()))) + 1


def parse(
    lines: Sequence[str],
    marks: Sequence[str] | None = None,
    is_block: Callable[[str], bool] = lambda line: False,
    take: Callable[[Block], None] = lambda paragraph: None,
) -> Block:
    """Return the document.

    `marks` go with the lines into their blocks. `is_block` says whether a line is a block by itself, and `take` removes
    the definitions of links from the start of a paragraph.
    """
    reader = _Reader(is_block, take)
    for number, line in enumerate(lines):
        reader.add(number, marks[number] if marks else "", line)
    reader.close(1)
    return reader.open[0]


class _Reader:
    """Reads lines one by one. `open` are the blocks that the next line may continue, outermost first.

    `rest` is what is left of a line, from its column `column`.
    """

    def __init__(self, is_block: Callable[[str], bool], take: Callable[[Block], None]) -> None:
        self.open = [Block("document")]
        self.is_block, self.take = is_block, take
        self.number, self.mark, self.rest, self.column, self.length = 0, "", "", 0, 0

    def add(self, number: int, mark: str, line: str) -> None:
        """Read a line."""
        self.number, self.mark, self.rest, self.column = number, mark, line, 0
        self.length = len(line)
        kept, quoted = self._continue()
        opened = self._begin(kept)
        blank = not self.rest.strip()
        if opened is not None and not blank:
            self._add_text(kept, opened)
        elif opened is False:
            self.close(kept)
        for block in self.open[: quoted if blank and not opened else len(self.open)]:
            block.last = number

    def _add_text(self, kept: int, opened: bool) -> None:
        """Add what is left of a line to a paragraph or a table. It may continue a paragraph lazily."""
        if not opened and self.open[-1].kind != "paragraph":
            self.close(kept)
        if self.open[-1].kind not in ("paragraph", "table"):
            self._push(Block("paragraph"))
        self._add_line(self.open[-1], self.rest.lstrip())

    def close(self, kept: int) -> None:
        """Close all open blocks except the outermost `kept`."""
        while len(self.open) > kept:
            block = self.open.pop()
            if block.kind == "paragraph":
                self.take(block)
            elif block.kind == "code":
                while block.lines and not block.lines[-1].strip():
                    block.lines.pop()
                    block.marks.pop()

    def _continue(self) -> tuple[int, int]:
        """Continue open blocks. Return how many the line continues, and how many of these end with a quote."""
        quoted = 1
        for index, block in enumerate(self.open[1:], 1):
            if not self._continues(block):
                return index, quoted
            if block.kind == "quote":
                quoted = index + 1
        return len(self.open), quoted

    def _continues(self, block: Block) -> bool:
        blank = not self.rest.strip()
        match block.kind:
            case "quote":
                return self._quote()
            case "list" | "terms":
                return True
            case "item" | "note" | "definition":
                indented = self._unindent(block.indent, blank)
                return indented and (not blank or bool(block.blocks) or block.kind == "note")
            case "code":
                return self._unindent(4, blank)
            case "fence":
                return not block.is_closed
        return not blank

    def _skip(self, width: int) -> None:
        self.rest, self.column = self.rest[width:], self.column + width

    def _spread(self, width: int) -> None:
        """Write tabs as spaces in the first columns of what is left of a line."""
        index = 0
        while index < width and self.rest[index : index + 1] in (" ", "\t"):
            if self.rest[index] == "\t":
                spaces = " " * (4 - (self.column + index) % 4)
                self.rest = self.rest[:index] + spaces + self.rest[index + 1 :]
            index += 1

    def _unindent(self, width: int, blank: bool = False) -> bool:
        """Remove spaces from what is left of a line, and return whether there were enough. A blank line always has."""
        self._spread(width)
        indented = self.rest.startswith(" " * width)
        if indented:
            self._skip(width)
        elif blank:
            self.rest = ""
        return indented or blank

    def _quote(self) -> bool:
        """Skip the marker of a quote, and the space behind it."""
        self._spread(4)
        found = _QUOTE.match(self.rest)
        if found:
            self._skip(found.end())
            self._unindent(1)
        return found is not None

    def _begin(self, kept: int) -> bool | None:
        """Begin new blocks. Return whether there are any, or None if the line has no text besides."""
        opened = False
        while True:
            tip = self.open[-1] if opened or kept == len(self.open) else self.open[kept - 1]
            if tip.kind in ("code", "fence") and not opened and kept == len(self.open):
                self._verbatim(tip)
                return None
            begun = self._begin_one(kept, tip, opened)
            if begun is not True:
                return None if begun is None else opened
            kept, opened = len(self.open), True

    def _begin_one(self, kept: int, tip: Block, opened: bool) -> bool | None:
        """Begin a block. Return whether it can contain others, or None if it takes the whole line."""
        if not self.rest.strip() or len(self.open) > _DEEPEST:
            return False
        self._spread(4)
        if self.rest.startswith("    ") and not self.is_block(self.rest.strip()):
            if self.open[-1].kind in ("paragraph", "table") and not opened:
                return False
            self.close(kept)
            self._push(Block("code"))
            self._skip(4)
            self._add_line(self.open[-1], self.rest)
            return None
        for begin in (self._leaf, self._container):
            begun = begin(kept, tip)
            if begun is not False:
                return begun
        return False

    def _leaf(self, kept: int, tip: Block) -> bool | None:
        if heading := _HEADING.match(self.rest):
            words = _HEADING_END.sub("", self.rest[heading.end() :].rstrip())
            self._whole(kept, Block("heading", number=len(heading[1]), lines=[words.strip()]))
        elif self.is_block(self.rest.strip()):
            self._whole(kept, Block("piece", lines=[self.rest.strip()]))
        elif fence := _FENCE.match(self.rest):
            self.close(kept)
            self._push(Block("fence", label=fence["marker"], indent=len(fence["before"])))
            self._add_line(self.open[-1], fence["language"].strip())
        elif tip.kind == "paragraph" and self._under(tip):
            pass
        elif _RULE.match(self.rest):
            self._whole(kept, Block("rule"))
        else:
            return False
        return None

    def _under(self, paragraph: Block) -> bool:
        """Turn a paragraph into a heading or a table, if the line is what stands under one."""
        table = _DELIMITERS.match(self.rest) and "|" in paragraph.lines[-1]
        if table and columns(paragraph.lines[-1]) == columns(self.rest):
            self._table(paragraph)
            return True
        if underline := _UNDERLINE.match(self.rest):
            self.take(paragraph)
            if paragraph.lines:
                paragraph.kind, paragraph.number = "heading", 1 if underline[1][0] == "=" else 2
                paragraph.last = self.number
                self.open.pop()
                return True
        return False

    def _table(self, paragraph: Block) -> None:
        """Begin a table with the last line of a paragraph, above this line."""
        header, mark = paragraph.lines.pop(), paragraph.marks.pop()
        self.close(len(self.open) - 1)
        if not paragraph.lines:
            self.open[-1].blocks.pop()
        self._push(Block("table", lines=[header, self.rest], marks=[mark, self.mark]))
        self.open[-1].first -= 1

    def _container(self, kept: int, tip: Block) -> bool | None:
        if _QUOTE.match(self.rest):
            self.close(kept)
            self._quote()
            self._push(Block("quote"))
            return True
        if note := _NOTE.match(self.rest):
            self.close(kept)
            self._skip(note.end())
            self._push(Block("note", label=note[1], indent=4))
            return True
        return self._definition(kept, tip) or self._item(kept, tip)

    def _definition(self, kept: int, tip: Block) -> bool:
        found = _DEFINITION.match(self.rest)
        parent = self.open[-2] if tip.kind == "paragraph" else tip
        terms = parent if parent.kind == "terms" else parent.blocks[-1] if parent.blocks else None
        if not found or not terms or terms.kind not in ("terms", "paragraph"):
            return False
        if terms.kind == "paragraph" and not terms.lines:
            return False
        self._enter(kept)
        if terms.kind == "paragraph":
            terms = _as_terms(parent, terms)
        if self.open[-1] is not terms:
            self.open.append(terms)
        self._push(Block("definition", indent=self._behind(found.end())))
        return True

    def _item(self, kept: int, tip: Block) -> bool:
        found = _ITEM.match(self.rest)
        if not found:
            return False
        empty = not self.rest[found.end() :].strip()
        if tip.kind == "paragraph" and (empty or found["number"] not in (None, "1")):
            return False
        self._enter(kept)
        label = found["marker"][-1]
        if self.open[-1].kind != "list" or self.open[-1].label != label:
            if self.open[-1].kind == "list":
                self.close(len(self.open) - 1)
            self._push(Block("list", number=int(found["number"] or 1), label=label))
        self._push(Block("item", indent=self._behind(found.end())))
        return True

    def _behind(self, width: int) -> int:
        """Skip a marker and the spaces behind it. Return the width of both, which is how far lines below are indented.

        More than four spaces, or none, count as one: what follows is code, or the item begins with a blank line.
        """
        self._skip(width)
        self._spread(5)
        spaces = len(self.rest) - len(self.rest.lstrip(" "))
        spaces = spaces if 0 < spaces < 5 and self.rest.strip() else 1
        self._skip(spaces)
        return width + spaces

    def _enter(self, kept: int) -> None:
        """Close what a new block of a list cannot be in."""
        self.close(kept)
        if self.open[-1].kind in ("paragraph", "table"):
            self.close(len(self.open) - 1)

    def _push(self, block: Block) -> None:
        while block.kind not in ("item", "definition") and self.open[-1].kind in (
            "list",
            "terms",
            "paragraph",
            "table",
        ):
            self.close(len(self.open) - 1)
        block.first, block.last = self.number, self.number
        block.column = self.length - len(self.rest.lstrip())
        if block.kind not in ("paragraph", "table", "code", "fence"):
            block.marks.append(self.mark)
        self.open[-1].blocks.append(block)
        self.open.append(block)

    def _whole(self, kept: int, block: Block) -> None:
        """Add a block that is this line alone."""
        self.close(kept)
        self._push(block)
        self.open.pop()

    def _add_line(self, block: Block, line: str) -> None:
        block.lines.append(line)
        block.marks.append(self.mark)

    def _verbatim(self, block: Block) -> None:
        """Add the line to code, or close its fence."""
        if block.kind == "fence":
            closing = re.fullmatch(rf" {{0,3}}{re.escape(block.label)}{block.label[0]}*[ \t]*", self.rest)
            if closing:
                block.is_closed = True
                return
            self._spread(block.indent)
            self.rest = re.sub(f"^ {{0,{block.indent}}}", "", self.rest)
        self._add_line(block, self.rest)


def _as_terms(parent: Block, paragraph: Block) -> Block:
    """Turn the last paragraph of a block into terms, one a line. They go to the terms above, if there are any."""
    names = [
        Block("term", paragraph.first, paragraph.last, lines=[line.strip()], marks=[mark])
        for line, mark in zip(paragraph.lines, paragraph.marks, strict=True)
    ]
    parent.blocks.pop()
    if not parent.blocks or parent.blocks[-1].kind != "terms":
        parent.blocks.append(Block("terms", paragraph.first))
    parent.blocks[-1].blocks += names
    return parent.blocks[-1]


def leaves(block: Block) -> Iterator[Block]:
    """Yield the blocks that contain no others, in the order in which they were written."""
    if not block.blocks:
        yield block
    for inner in block.blocks:
        yield from leaves(inner)
