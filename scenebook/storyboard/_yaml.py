"""YAML's syntax: the text of a file to nodes as written, each with its line.

Only here is YAML known. The library's own composer nests without end, refuses what YAML allows (an anchor's name used
twice) and stops at the first oddity; so this one takes the parser's events. In a `|` block each line of the text is a
line of the file; in other text only the first is known.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from scenebook.core.problems import Problem, Problems
from scenebook.core.text import Text
from scenebook.storyboard._yaml_errors import explained

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

DEEPEST = 40
TOO_DEEP = f"is nested more than {DEEPEST} levels deep"


@dataclass
class Node:
    """What stands at a line, and what is wrong with it (lines and messages)."""

    line: int
    faults: list[tuple[int, str]]


@dataclass
class Scalar(Node):
    """A text; `quoted` is what stands between double quotes, as written; a # that touches what follows has `cut` it."""

    text: Text
    plain: bool
    quoted: str = ""
    cut: bool = False

    @property
    def null(self) -> bool:
        """Whether nothing is written, or a word for it."""
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@dataclass
class Sequence(Node):
    """A list."""

    children: list[Node] = field(default_factory=list)


@dataclass
class Mapping(Node):
    """Keys and values in their order, repeated keys and merge keys (<<) among them."""

    pairs: list[tuple[Scalar, Node]] = field(default_factory=list)


def parse(file: str, text: str) -> Node | None:
    """The one document of a file, or None where nothing is written; raises `Problems`."""
    from yaml import MarkedYAMLError

    composer = _Composer(file, text)
    try:
        return composer.document()
    except MarkedYAMLError as error:
        composer.stop(*_explained(error, text, composer.opened[-1] if composer.opened else None))


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


def _breaks(value: str) -> tuple[int, ...]:
    return tuple(found.end() for found in re.finditer("\n", value))


def _folds(value: str, written: list[str]) -> tuple[int, ...]:
    """The offsets in a text of what is written on each of its lines but the first, however they were joined.

    Where an escape stands in a line, it is not found as it is written, and no more is known of those after it.
    """
    begins, end = list[int](), 0
    for line in map(str.strip, written):
        begin = value.find(line, end)
        if begin < 0:
            break
        begins.append(begin)
        end = begin + len(line)
    return tuple(begins[1:])


class _Composer:
    """Turns the events of YAML's parser into nodes, one after the other."""

    def __init__(self, file: str, text: str) -> None:
        import yaml

        self.file, self.text = file, text
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.anchors: dict[str, Node | None] = {}
        self.anchored: list[tuple[str, Node]] = []
        self.referred: list[Node] = []
        self.opened: list[int] = []
        self.next: Callable[[], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text).get_event

    def stop(self, line: int, message: str) -> NoReturn:
        raise Problems([Problem(self.file, min(line, self._line(max(len(self.text) - 1, 0))), "", message)])

    def _line(self, index: int) -> int:
        return bisect_right(self.starts, index)

    def document(self) -> Node | None:
        self.next()
        if _kind(self.next()) != "DocumentStart":
            return None
        node = self._node(self.next(), 0)
        self.next()
        if _kind(again := self.next()) == "DocumentStart":
            self.stop(self._line(again.start_mark.index), "a file holds one document; remove what follows this ---")
        self._report_unused()
        return node

    def _report_unused(self) -> None:
        """A text that begins with & loses a word if YAML reads that as the name of an anchor."""
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
            node.faults.append((line, f"{tag} is read as a tag of YAML; remove it, or quote a text that begins with !"))
        return node

    def _alias(self, event: Any, line: int) -> Node:
        if event.anchor not in self.anchors:
            self.stop(line, f"*{event.anchor} refers to no anchor above; quote a text that begins with *")
        node = self.anchors[event.anchor]
        if node is None:
            self.stop(line, f"*{event.anchor} stands within what it refers to")
        self.referred.append(node)
        return node

    def _scalar(self, event: Any, line: int, _depth: int) -> Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        if found := _PROPERTIES.match(self.text, start, end):
            start = found.end()
        mark = self.text[start : start + 1] if event.style else ""
        block = mark in {"|", ">"} and bool(event.value)
        written = self.text[start + 1 : end - 1] if mark in {"'", '"'} else self.text[start:end]
        breaks = _breaks(event.value) if mark == "|" else _folds(event.value, written.split("\n")[block:])
        text = Text(event.value, self.file, self._line(start) + block, breaks)
        quoted, cut = written if mark == '"' else "", not mark and bool(_CUT.match(self.text, end))
        return Scalar(line, [], text, not mark, quoted, cut)

    def _sequence(self, event: Any, line: int, depth: int) -> Sequence:
        return Sequence(line, [], [self._node(child, depth + 1) for child in self._inside(event)])

    def _mapping(self, event: Any, line: int, depth: int) -> Node:
        pairs = [self._pair(key, depth + 1) for key in self._inside(event)]
        odd = next((key for key, _ in pairs if not isinstance(key, Scalar)), None)
        if odd and (written := self.text[event.start_mark.index :].partition("\n")[0]).startswith("{{"):
            message = "YAML reads {{ ... }} as a mapping; quote the text that begins with it, or put it in a | block"
            return Scalar(line, [(line, message)], Text(written, self.file, line), plain=False)
        faults = [(odd.line, "a key must be text, not a list or a mapping")] if odd else []
        return Mapping(line, faults, [(key, value) for key, value in pairs if isinstance(key, Scalar)])

    def _pair(self, event: Any, depth: int) -> tuple[Node, Node]:
        key = self._node(event, depth)
        if self.opened and isinstance(key, Scalar) and _NO_COLON.match(self.text, event.end_mark.index):
            key.faults.append((key.line, "has no value; write `key: value`, and quote a text that holds a comma"))
        return key, self._node(self.next(), depth)

    def _inside(self, begin: Any) -> Iterator[Any]:
        """The events up to the end of this list or mapping; whoever asks takes what belongs to each."""
        if begin.flow_style:
            self.opened.append(begin.start_mark.index)
        while not _kind(event := self.next()).endswith("End"):
            yield event
        if begin.flow_style:
            self.opened.pop()

    _KINDS = {"Scalar": _scalar, "SequenceStart": _sequence, "MappingStart": _mapping}  # noqa: RUF012


_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_CUT = re.compile(r"[ \t]+#(?=[^\s#])")
_NO_COLON = re.compile(r"\s*[,}]")


def _explained(error: MarkedYAMLError, text: str, opened: int | None) -> tuple[int, str]:
    """The line and our own words for what YAML's parser says; `opened` is the innermost bracket that is open."""
    told, mark = f"{error.context} {error.problem}", error.problem_mark or error.context_mark
    if mark is None:
        return 1, f"cannot be read: {told}"
    if "nesting" in told:
        return mark.line + 1, TOO_DEEP
    at, start = (min(place.index, len(text)) for place in (mark, error.context_mark or mark))
    return explained(told, text, at, start, opened)
