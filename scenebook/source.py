r"""YAML as its author wrote it: mappings, lists and text, each with its place.

A scalar stays text, whatever YAML makes of it elsewhere: who reads the tree decides by the field's type. Only mappings
whose path matches the pattern `typed` hold values typed by the core schema of YAML 1.2. A key without a value is left
out.

It takes two steps. `_Composer` turns the parser's events into nodes as written. `_Placer` copies the nodes into the
tree: it spells out aliases and merge keys (within a budget, so that a few lines cannot become a billion), gives every
entry its path, and reports what YAML would swallow: repeated keys, `"\frac"` in double quotes, text cut off by a #.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from scenebook.errors import Problem, Problems
from scenebook.model import Text

if TYPE_CHECKING:
    from yaml import MarkedYAMLError

DEEPEST = 40
LARGEST = 100_000
TOO_DEEP = f"is nested more than {DEEPEST} levels deep"
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class Map(dict[str, Any]):
    """A mapping: its file, line and path, and the line of each value (or of the key that was written without one)."""

    def __init__(self, file: str, line: int, where: str) -> None:
        super().__init__()
        self.file, self.line, self.where = file, line, where
        self.lines: dict[str | int, int] = {}


class Seq(list[Any]):
    """A list: its file, line and path, and the line of each entry. An entry without a value is None."""

    def __init__(self, file: str, line: int, where: str) -> None:
        super().__init__()
        self.file, self.line, self.where = file, line, where
        self.lines: dict[str | int, int] = {}


def problem(node: Map | Seq, key: str | int | None, message: str) -> Problem:
    """The problem of one entry of a mapping or list (None: of all of it), at its line and path.

    Where nothing is written under the key, the line is that of the whole.
    """
    if key is None:
        return Problem(node.file, node.line, node.where, message)
    child = node.get(str(key)) if isinstance(node, Map) else node[int(key)]
    where = child.where if isinstance(child, Map | Seq) else join(node.where, label(key))
    return Problem(node.file, node.lines.get(key, node.line), where, message)


def join(where: str, name: str) -> str:
    """A path one step down."""
    return f"{where}.{name}" if where else name


def label(key: str | int) -> str:
    """A key as a step of a path; the entries of lists count from 1."""
    if isinstance(key, int):
        return str(key + 1)
    return str(key) if key.isprintable() and 0 < len(key) <= 80 else shown(key)


def shown(text: str) -> str:
    """A text within a message: quoted, on one line, no longer than a terminal bears."""
    return repr(str(text) if len(text) <= 320 else f"{text[:320]}…")


def read(root: Path, file: str, typed: re.Pattern[str]) -> tuple[Map, list[Problem]]:
    """The mapping that a file holds, and what is wrong in it; raises `Problems` where it cannot be read at all."""
    node = _Composer(file, decode(_bytes(root, file), file)).document()
    if node is None or (isinstance(node, _Scalar) and node.null):
        raise Problems([Problem(file, 0, "", "is empty")])
    if not isinstance(node, _Mapping):
        found = "a list" if isinstance(node, _Sequence) else "text"
        raise Problems([Problem(file, node.line, "", f"expected a mapping of keys to values, found {found}")])
    placer = _Placer(file, typed)
    tree: Map = placer.place(node, "", node.line)
    return tree, placer.problems


def _bytes(root: Path, file: str) -> bytes:
    try:
        return (root / file).read_bytes()
    except FileNotFoundError:
        message = f"not found; looked for {(root / file).absolute().as_posix()}"
    except IsADirectoryError:
        message = "is a folder, not a file"
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
    raise Problems([Problem(file, 0, "", message)])


def decode(data: bytes, file: str) -> str:
    """The text of UTF-8 bytes, without a byte order mark and with LF alone as the end of a line."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        found = f"byte 0x{data[error.start]:02X} at offset {error.start}"
        raise Problems([Problem(file, line, "", f"is not UTF-8 text ({found}); save the file as UTF-8")]) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if invisible := {text.count("\n", 0, found.start()) + 1: ord(found[0]) for found in INVISIBLE.finditer(text)}:
        message = "holds the invisible character U+{:04X}; remove it"
        raise Problems(Problem(file, line, "", message.format(char)) for line, char in invisible.items())
    return text


# From events to nodes.


@dataclass
class _Node:
    line: int
    faults: list[tuple[int, str]]


@dataclass
class _Scalar(_Node):
    text: Text
    plain: bool
    quoted: str = ""  # what stands between double quotes, as written
    cut: bool = False  # a # that touches what follows it ends this text

    @property
    def null(self) -> bool:
        return self.plain and self.text in {"", "~", "null", "Null", "NULL"}


@dataclass
class _Sequence(_Node):
    children: list[_Node] = field(default_factory=list)


@dataclass
class _Mapping(_Node):
    pairs: list[tuple[_Scalar, _Node]] = field(default_factory=list)


def _kind(event: Any) -> str:
    return type(event).__name__.removesuffix("Event")


class _Composer:
    """Turns the events of YAML's parser into nodes, one after the other."""

    def __init__(self, file: str, text: str) -> None:
        import yaml

        self.file, self.text = file, text
        self.starts = [0, *(found.end() for found in re.finditer("\n", text))]
        self.anchors: dict[str, _Node | None] = {}
        self.next: Callable[[], Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text).get_event

    def _stop(self, line: int, message: str) -> NoReturn:
        raise Problems([Problem(self.file, min(line, self._line(max(len(self.text) - 1, 0))), "", message)])

    def _line(self, index: int) -> int:
        return bisect_right(self.starts, index)

    def document(self) -> _Node | None:
        """The one document, or None where nothing is written; raises `Problems`."""
        from yaml import MarkedYAMLError

        try:
            return self._document()
        except MarkedYAMLError as error:
            self._stop(*_explained(error, self.text))

    def _document(self) -> _Node | None:
        self.next()
        if _kind(self.next()) != "DocumentStart":
            return None
        node = self._node(self.next(), 0)
        self.next()
        if _kind(again := self.next()) == "DocumentStart":
            self._stop(self._line(again.start_mark.index), "a file holds one document; remove what follows this ---")
        return node

    def _node(self, event: Any, depth: int) -> _Node:
        kind, line = _kind(event), self._line(event.start_mark.index)
        if depth > DEEPEST:
            self._stop(line, TOO_DEEP)
        if kind == "Alias":
            return self._alias(event, line)
        if event.anchor:
            self.anchors[event.anchor] = None
        node = self._KINDS[kind](self, event, line, depth)
        if event.anchor:
            self.anchors[event.anchor] = node
        if event.tag:
            tag = self.text[event.start_mark.index :].split(maxsplit=1)[0]
            node.faults.append((line, f"{tag} is read as a tag of YAML; remove it, or quote a text that begins with !"))
        return node

    def _alias(self, event: Any, line: int) -> _Node:
        if event.anchor not in self.anchors:
            self._stop(line, f"*{event.anchor} refers to no anchor above; quote a text that begins with *")
        node = self.anchors[event.anchor]
        if node is None:
            self._stop(line, f"*{event.anchor} stands within what it refers to")
        return node

    def _scalar(self, event: Any, line: int, _depth: int) -> _Scalar:
        start, end = event.start_mark.index, event.end_mark.index
        if found := _PROPERTIES.match(self.text, start, end):
            start = found.end()
        mark = self.text[start : start + 1] if event.style else ""
        block = mark == "|" and bool(event.value)
        text = Text(event.value, self.file, self._line(start) + block, exact=block)
        quoted = self.text[start + 1 : end - 1] if mark == '"' else ""
        cut = bool(not mark and _CUT.match(self.text, end)) and isinstance(_core(text), str | None)
        return _Scalar(line, [], text, not mark, quoted, cut)

    def _sequence(self, _event: Any, line: int, depth: int) -> _Sequence:
        return _Sequence(line, [], [self._node(event, depth + 1) for event in self._inside()])

    def _mapping(self, event: Any, line: int, depth: int) -> _Node:
        pairs = [(self._node(key, depth + 1), self._node(self.next(), depth + 1)) for key in self._inside()]
        odd = next((key for key, _ in pairs if not isinstance(key, _Scalar)), None)
        if odd and (written := self.text[event.start_mark.index :].partition("\n")[0]).startswith("{{"):
            message = "YAML reads {{ ... }} as a mapping; quote the text that begins with it, or put it in a | block"
            return _Scalar(line, [(line, message)], Text(written, self.file, line), plain=False)
        faults = [(odd.line, "a key must be text, not a list or a mapping")] if odd else []
        return _Mapping(line, faults, [(key, value) for key, value in pairs if isinstance(key, _Scalar)])

    def _inside(self) -> Iterator[Any]:
        """The events up to the end of this list or mapping; whoever asks takes what belongs to each."""
        while not _kind(event := self.next()).endswith("End"):
            yield event

    _KINDS = {"Scalar": _scalar, "SequenceStart": _sequence, "MappingStart": _mapping}  # noqa: RUF012


_PROPERTIES = re.compile(r"(?:[&!]\S*\s+)+")
_CUT = re.compile(r"[ \t]+#(?=[^\s#])")
_BRACES = re.compile(r"(?:^|[-:,[{]) *\{\{")
_FLOW = "a [ or { is not closed, or a comma is missing; quote a text that holds brackets or #"
_SYNTAX = {
    "nesting": TOO_DEEP,
    "mapping values": "': ' where no key can be; quote a text that holds it, or check the indentation",
    "escape|hexa?decimal": "a backslash in double quotes begins an escape; use single quotes or a | block",
    "quoted scalar": "a quote is opened and not closed",
    "alias|anchor": "a text that begins with * or & is read as an alias or anchor; quote it",
    "block scalar": "the text of a | or > block begins on the next line",
    "flow|node content": _FLOW,
    "cannot start any token": "a text cannot begin with {char}; quote it",
    "could not find expected ':'": "expected `key: value`; quote or indent a text of several lines, or use a | block",
    "entries are not allowed": "a list begins on the line after its key; quote a text that begins with -",
    "": "expected another key or entry here; check the indentation, and quote a text that holds quotes, brackets or #",
}


def _explained(error: MarkedYAMLError, text: str) -> tuple[int, str]:
    """The line and our own words for what YAML's parser says."""
    told, mark = f"{error.context} {error.problem}", error.problem_mark or error.context_mark
    if mark is None:
        return 1, f"cannot be read: {told}"
    opened = error.context_mark if re.search("quoted scalar|flow|simple key", told) else None
    lines = [*text.split("\n"), ""]
    near = lines[mark.line]
    if re.match(r" *\t", near):
        return mark.line + 1, "a tab is used as indentation; use spaces"
    if any(_BRACES.search(lines[place.line]) for place in (mark, opened) if place):
        return mark.line + 1, "a text that begins with {{ is read as a mapping; quote it, or put it in a | block"
    message = next(words for pattern, words in _SYNTAX.items() if re.search(pattern, told))
    return (opened or mark).line + 1, message.replace("{char}", near[mark.column : mark.column + 1])


# From nodes to the tree.


@dataclass
class _Placer:
    """Copies nodes into the tree, and keeps the problems it meets."""

    file: str
    typed: re.Pattern[str]
    problems: list[Problem] = field(default_factory=list)
    spent: int = 0

    def place(self, node: _Node, where: str, line: int, depth: int = 0, typed: bool = False) -> Any:
        self._spend(1, node, where, depth)
        for at, message in node.faults:
            self._report(at, where, message)
        if isinstance(node, _Scalar):
            return self._scalar(node, where, typed)
        if isinstance(node, _Sequence):
            return self._sequence(node, Seq(self.file, line, where), depth, typed)
        assert isinstance(node, _Mapping)
        return self._mapping(node, Map(self.file, line, where), depth, typed)

    def _spend(self, count: int, node: _Node, where: str, depth: int) -> None:
        self.spent += count
        if depth > DEEPEST or self.spent > LARGEST:
            message = "aliases (*name) unfold here into more than a storyboard can hold"
            raise Problems([Problem(self.file, node.line, where.partition(".")[0], message)])

    def _report(self, line: int, where: str, message: str, *, warning: bool = False) -> None:
        self.problems.append(Problem(self.file, line, where, message, warning))

    def _scalar(self, node: _Scalar, where: str, typed: bool) -> Any:
        if node.quoted:
            for line, message in _escapes(node, typed):
                self._report(line, where, message)
        if node.cut:
            message = "a # ends the text here; quote the text, or put a space behind the # of a comment"
            self._report(node.line, where, message, warning=True)
        if not typed:
            return None if node.null else node.text
        value = _core(node.text) if node.plain else str(node.text)
        if isinstance(value, float) and math.isinf(value) and "inf" not in node.text.lower():
            self._report(node.line, where, f"the number {shown(node.text)} is too large")
        return value

    def _sequence(self, node: _Sequence, tree: Seq, depth: int, typed: bool) -> list[Any]:
        for index, child in enumerate(node.children):
            where = join(tree.where, _named(child) or label(index))
            tree.lines[index] = child.line
            tree.append(self.place(child, where, child.line, depth + 1, typed))
        return list(tree) if typed else tree

    def _mapping(self, node: _Mapping, tree: Map, depth: int, typed: bool) -> dict[Any, Any]:
        inside = typed or bool(self.typed.fullmatch(tree.where))
        for key, child in self._pairs(node, tree.where, depth).values():
            line = child.line if isinstance(child, _Scalar) and not child.null else key.line
            value = self.place(child, join(tree.where, label(key.text)), line, depth + 1, inside)
            tree.lines[key.text] = line
            if inside or value is not None:
                tree[key.text] = value
        return {str(key): value for key, value in tree.items()} if typed else tree

    def _pairs(self, node: _Mapping, where: str, depth: int) -> dict[str, tuple[_Scalar, _Node]]:
        """The entries of a mapping by key, those it merges included."""
        own: dict[str, tuple[_Scalar, _Node]] = {}
        for key, value in node.pairs:
            self.place(key, step := join(where, label(key.text)), key.line, depth)
            if key.text in own:
                self._report(
                    key.line, step, f"{shown(key.text)} is repeated; it stands on line {own[key.text][0].line}"
                )
            else:
                own[key.text] = key, value
        if "<<" in own and own["<<"][0].plain:
            return self._merged(own.pop("<<")[1], where, depth + 1) | own
        return own

    def _merged(self, value: _Node, where: str, depth: int) -> dict[str, tuple[_Scalar, _Node]]:
        merged: dict[str, tuple[_Scalar, _Node]] = {}
        for source in reversed(value.children if isinstance(value, _Sequence) else [value]):
            if isinstance(source, _Mapping):
                merged |= self._pairs(source, where, depth)
                self._spend(len(merged), source, where, depth)
            else:
                self._report(source.line, where, "<< merges mappings: <<: *name, or <<: [*name, *other]")
        return merged


def _named(node: _Node) -> str | None:
    """What an entry of a list is called in paths, if it has an id or slug that can be shown."""
    pairs = node.pairs if isinstance(node, _Mapping) else []
    names = (value.text for key, value in pairs if key.text in {"id", "slug"} and isinstance(value, _Scalar))
    return next((str(name) for name in names if re.fullmatch(r"[\w-]{1,80}", name)), None)


_ESCAPE = re.compile(r"\\(.)([A-Za-z]*)", re.DOTALL)
_TEX_N = re.compile(
    "abla|atural|cong|e|earrow|eg|eq|ewline|exists|geq|i|leq|mid|olimits|onumber|otin|parallel|u|warrow|sim"
)


def _escapes(node: _Scalar, typed: bool) -> Iterator[tuple[int, str]]:
    r"""What double quotes make of a text that was meant otherwise: `"\theta"` is a tab and "heta"."""
    for found in _ESCAPE.finditer("" if typed else node.quoted):
        char, rest = found.groups()
        if char in "abtvfre0_NLP " or (char == "n" and _TEX_N.fullmatch(rest)):
            line = node.line + node.quoted.count("\n", 0, found.start())
            yield line, f"\\{char} in double quotes is an escape, not a backslash; use single quotes or a | block"
            return
    if invisible := INVISIBLE.search(node.text):
        yield node.line, f"holds the invisible character U+{ord(invisible[0]):04X}; remove it, or use single quotes"


_CORE: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"|~|null|Null|NULL"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,4000}"), int),
    (re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,4000}"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), lambda text: float(text.replace(".", ""))),
)


def _core(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    return next((value(text) for pattern, value in _CORE if pattern.fullmatch(text)), str(text))
