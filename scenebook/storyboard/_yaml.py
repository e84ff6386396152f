"""Parses YAML into nodes that record what was written and on which line.

It builds the nodes from the events of the library's parser, because the library's own composer recurses without a
limit, refuses some valid YAML (an anchor name that is used twice), and stops at the first mistake.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from scenebook.core.problems import Problem, Problems
from scenebook.core.text import Text
from scenebook.storyboard._yaml_errors import BEGINS, BRACES, explained

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

DEEPEST = 40
TOO_DEEP = f"is nested more than {DEEPEST} levels deep; use fewer levels"


@dataclass
class Node:
    """A piece of YAML, the line where it begins, and its faults, each as a line and a message."""

    line: int
    faults: list[tuple[int, str]]


@dataclass
class Scalar(Node):
    """A text. `quoted` is the raw text between double quotes. `cut` says whether a # without a space ends the text."""

    text: Text
    plain: bool
    quoted: str = ""
    cut: bool = False

    @property
    def null(self) -> bool:
        """Whether the scalar is empty or a word for null."""
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@dataclass
class Sequence(Node):
    """A list."""

    children: list[Node] = field(default_factory=list)


@dataclass
class Mapping(Node):
    """Keys and values in the order of the file, including repeated keys and merge keys (<<)."""

    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)


def parse(file: str, text: str) -> Node | None:
    """Return the document in a file, or None if the file is empty. Raises `Problems` if it is not valid YAML."""
    from yaml import MarkedYAMLError

    composer = _Composer(file, text)
    try:
        return composer.document()
    except MarkedYAMLError as error:
        composer.stop(*_explained(error, text, composer.open_brackets[-1] if composer.open_brackets else None))


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _line_starts(text: str) -> tuple[int, ...]:
    """Return the offset of each line of a text except the first."""
    return tuple(match.end() for match in re.finditer("\n", text))


def _folded_line_starts(value: str, written: list[str]) -> tuple[int, ...]:
    """Return the offsets in a folded text at which each line of the file begins, except the first.

    Lines are located by their text. A line with an escape differs between the file and the value, so the offsets end
    there.
    """
    starts, end = list[int](), 0
    for line in map(str.strip, written):
        start = value.find(line, end)
        if start < 0:
            break
        starts.append(start)
        end = start + len(line)
    return tuple(starts[1:])


class _Composer:
    """Builds nodes from the events of the YAML parser."""

    def __init__(self, file: str, text: str) -> None:
        import yaml

        self.file, self.text = file, text
        self.line_starts = [0, *_line_starts(text)]
        self.anchors: dict[str, Node | None] = {}
        self.anchored: list[tuple[str, Node]] = []
        self.referred: list[Node] = []
        self.open_brackets: list[int] = []
        self.next_event: Callable[[], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text).get_event

    def stop(self, line: int, message: str) -> NoReturn:
        raise Problems([Problem(self.file, min(line, self._line(max(len(self.text) - 1, 0))), "", message)])

    def _line(self, index: int) -> int:
        return bisect_right(self.line_starts, index)

    def document(self) -> Node | None:
        self.next_event()
        if _kind(self.next_event()) != "DocumentStart":
            return None
        node = self._node(self.next_event(), 0)
        self.next_event()
        if _kind(event := self.next_event()) == "DocumentStart":
            message = "a file can contain only one YAML document; remove this --- and everything after it"
            self.stop(self._line(event.start_mark.index), message)
        self._report_unused_anchors()
        return node

    def _report_unused_anchors(self) -> None:
        """Report anchors that nothing refers to: a text that begins with & would lose its first word as an anchor."""
        referred = set(map(id, self.referred))
        for name, node in self.anchored:
            if isinstance(node, Scalar) and node.plain and id(node) not in referred:
                message = f"&{name} is read as an anchor that nothing refers to; quote a text that begins with &"
                node.faults.append((node.line, message))

    def _node(self, event: Any, depth: int) -> Node:
        kind, line = _kind(event), self._line(event.start_mark.index)
        if depth > DEEPEST:
            self.stop(line, TOO_DEEP)
        if kind == "Alias":
            return self._alias(event, line)
        if event.anchor:
            self.anchors[event.anchor] = None
        node = self._KINDS[kind](self, event, line, depth)
        if event.anchor:
            self.anchors[event.anchor] = node
            self.anchored.append((event.anchor, node))
        if event.tag:
            tag = self.text[event.start_mark.index :].split(maxsplit=1)[0]
            if tag.startswith("!["):
                self.stop(line, BEGINS.format("!"))
            node.faults.append((line, f"{tag} is read as a YAML tag; remove it, or quote a text that begins with !"))
        return node

    def _alias(self, event: Any, line: int) -> Node:
        if event.anchor not in self.anchors:
            name = event.anchor
            self.stop(line, f"*{name} has no anchor &{name} above it; quote a text that begins with *")
        node = self.anchors[event.anchor]
        if node is None:
            self.stop(line, f"*{event.anchor} refers to something that contains it; remove it")
        self.referred.append(node)
        return node

    def _scalar(self, event: Any, line: int, _depth: int) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        if properties := _PROPERTIES.match(self.text, start, end):
            start = properties.end()
        mark = self.text[start : start + 1] if event.style else ""
        block = mark in {"|", ">"} and bool(event.value)
        written = self.text[start + 1 : end - 1] if mark in {"'", '"'} else self.text[start:end]
        lines = written.split("\n")[block:]
        breaks = _line_starts(event.value) if mark == "|" else _folded_line_starts(event.value, lines)
        text = Text(event.value, self.file, self._line(start) + block, breaks)
        quoted, cut = written if mark == '"' else "", not mark and bool(_CUT.match(self.text, end))
        return Scalar(line, [], text, not mark, quoted, cut)

    def _sequence(self, event: Any, line: int, depth: int) -> Sequence:
        return Sequence(line, [], [self._node(child, depth + 1) for child in self._children(event)])

    def _mapping(self, event: Any, line: int, depth: int) -> Node:
        pairs = [self._pair(key, depth + 1) for key in self._children(event)]
        bad_key = next((key for key, _ in pairs if not isinstance(key, Scalar)), None)
        if bad_key and (written := self.text[event.start_mark.index :].partition("\n")[0]).startswith("{{"):
            return Scalar(line, [(line, BRACES)], Text(written, self.file, line), plain=False)
        faults = [(bad_key.line, "a key must be text, not a list or a mapping")] if bad_key else []
        return Mapping(line, faults, [(key, value) for key, value in pairs if isinstance(key, Scalar)])

    def _pair(self, event: Any, depth: int) -> tuple[Node, Node]:
        key = self._node(event, depth)
        if self.open_brackets and isinstance(key, Scalar) and _NO_COLON.match(self.text, event.end_mark.index):
            key.faults.append((key.line, "has no value; write `key: value`, and quote a text that contains a comma"))
        return key, self._node(self.next_event(), depth)

    def _children(self, start: Any) -> Iterator[Any]:
        """Yield the first event of each child of a list or mapping. The caller takes the other events of each child."""
        if start.flow_style:
            self.open_brackets.append(start.start_mark.index)
        while not _kind(event := self.next_event()).endswith("End"):
            yield event
        if start.flow_style:
            self.open_brackets.pop()

    _KINDS = {"Scalar": _scalar, "SequenceStart": _sequence, "MappingStart": _mapping}  # noqa: RUF012


_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_CUT = re.compile(r"[ \t]+#(?=[^\s#])")
_NO_COLON = re.compile(r"\s*[,}]")


def _explained(error: MarkedYAMLError, text: str, bracket: int | None) -> tuple[int, str]:
    """Return the line and our own message for a parser error; `bracket` is the offset of the innermost open bracket."""
    parser_message, mark = f"{error.context} {error.problem}", error.problem_mark or error.context_mark
    if mark is None:
        return 1, f"cannot be read: {parser_message}"
    if "nesting" in parser_message:
        return mark.line + 1, TOO_DEEP
    offset, start = (min(place.index, len(text)) for place in (mark, error.context_mark or mark))
    return explained(parser_message, text, offset, start, bracket)
