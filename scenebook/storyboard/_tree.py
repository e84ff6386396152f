r"""YAML as its author wrote it: mappings, lists and text, each with its place.

A scalar stays text, whatever YAML makes of it elsewhere: who reads the tree decides by the field's type. Only mappings
whose path matches the pattern `typed` hold values typed by the core schema of YAML 1.2. A key without a value is left
out.

`_Placer` copies the nodes of `syntax` into the tree: it spells out aliases and merge keys (within a budget, so that a
few lines cannot become a billion), gives every entry its path, and reports what YAML would swallow: repeated keys,
`"\frac"` in double quotes, text cut off by a #.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenebook.core.problems import Problem, Problems
from scenebook.core.scanner import is_tex
from scenebook.storyboard._yaml import DEEPEST, Mapping, Node, Scalar, Sequence, parse

LARGEST = 100_000
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
    node = parse(file, decode(_bytes(root, file), file))
    if node is None or (isinstance(node, Scalar) and node.null):
        raise Problems([Problem(file, 0, "", "is empty")])
    if not isinstance(node, Mapping):
        found = "a list" if isinstance(node, Sequence) else "text"
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


@dataclass
class _Placer:
    """Copies nodes into the tree, and keeps the problems it meets."""

    file: str
    typed: re.Pattern[str]
    problems: list[Problem] = field(default_factory=list)
    spent: int = 0

    def place(self, node: Node, where: str, line: int, depth: int = 0, typed: bool = False) -> Any:
        self._spend(1, node, where, depth)
        for at, message in node.faults:
            self._report(at, where, message)
        if isinstance(node, Scalar):
            return self._scalar(node, where, typed)
        if isinstance(node, Sequence):
            return self._sequence(node, Seq(self.file, line, where), depth, typed)
        assert isinstance(node, Mapping)
        return self._mapping(node, Map(self.file, line, where), depth, typed)

    def _spend(self, count: int, node: Node, where: str, depth: int) -> None:
        self.spent += count
        if depth > DEEPEST or self.spent > LARGEST:
            message = "aliases (*name) unfold here into more than a storyboard can hold"
            raise Problems([Problem(self.file, node.line, where.partition(".")[0], message)])

    def _report(self, line: int, where: str, message: str, *, warning: bool = False) -> None:
        self.problems.append(Problem(self.file, line, where, message, warning))

    def _scalar(self, node: Scalar, where: str, typed: bool) -> Any:
        if node.quoted:
            for line, message in _escapes(node, typed):
                self._report(line, where, message)
        if node.cut and isinstance(_core(node.text), str):
            message = "a # ends the text here; quote the text, or put a space behind the # of a comment"
            self._report(node.line, where, message, warning=True)
        if node.null or not typed:
            return None if node.null else node.text
        value = _core(node.text) if node.plain else str(node.text)
        if isinstance(value, float) and math.isinf(value) and "inf" not in node.text.lower():
            self._report(node.line, where, f"the number {shown(node.text)} is too large")
        return value

    def _sequence(self, node: Sequence, tree: Seq, depth: int, typed: bool) -> list[Any]:
        for index, child in enumerate(node.children):
            where = join(tree.where, _named(child) or label(index))
            tree.lines[index] = child.line
            tree.append(self.place(child, where, child.line, depth + 1, typed))
        return list(tree) if typed else tree

    def _mapping(self, node: Mapping, tree: Map, depth: int, typed: bool) -> dict[Any, Any]:
        inside = typed or bool(self.typed.fullmatch(tree.where))
        for key, child in self._pairs(node, tree.where, depth).values():
            line = child.line if isinstance(child, Scalar) and not child.null else key.line
            value = self.place(child, join(tree.where, label(key.text)), line, depth + 1, inside)
            tree.lines[key.text] = line
            if inside or value is not None:
                tree[key.text] = value
        return {str(key): value for key, value in tree.items()} if typed else tree

    def _pairs(self, node: Mapping, where: str, depth: int) -> dict[str, tuple[Scalar, Node]]:
        """The entries of a mapping by key, those it merges included."""
        own: dict[str, tuple[Scalar, Node]] = {}
        for key, value in node.pairs:
            step = join(where, label(key.text))
            if key.quoted or key.faults:
                self.place(key, step, key.line, depth)
            if key.text not in own:
                own[key.text] = key, value
                continue
            first = own[key.text][0].line
            self._report(key.line, step, f"{shown(key.text)} is repeated; it stands on line {first}")
        if "<<" in own and own["<<"][0].plain:
            return self._merged(own.pop("<<")[1], where, depth + 1) | own
        return own

    def _merged(self, value: Node, where: str, depth: int) -> dict[str, tuple[Scalar, Node]]:
        merged: dict[str, tuple[Scalar, Node]] = {}
        for source in reversed(value.children if isinstance(value, Sequence) else [value]):
            if isinstance(source, Mapping):
                merged |= self._pairs(source, where, depth)
                self._spend(len(merged), source, where, depth)
            else:
                self._report(source.line, where, "<< merges mappings: <<: *name, or <<: [*name, *other]")
        return merged


def _named(node: Node) -> str | None:
    """What an entry of a list is called in paths, if it has an id or slug that can be shown."""
    pairs = node.pairs if isinstance(node, Mapping) else []
    names = (value.text for key, value in pairs if key.text in {"id", "slug"} and isinstance(value, Scalar))
    return next((str(name) for name in names if re.fullmatch(r"[\w-]{1,80}", name)), None)


_ESCAPE = re.compile(r"\\(.)([A-Za-z]*)", re.DOTALL)


def _escapes(node: Scalar, typed: bool) -> Iterator[tuple[int, str]]:
    r"""What double quotes make of a text that was meant otherwise: `"\theta"` is a tab and "heta".

    A parameter may be a tab, to separate columns.
    """
    for found in _ESCAPE.finditer(node.quoted):
        char, rest = found.groups()
        is_separator = typed and char == "t" and not rest
        if (char in "abtvfre0_NLP " and not is_separator) or (char == "n" and is_tex(char, rest)):
            line = node.line + node.quoted.count("\n", 0, found.start())
            yield line, f"\\{char} in double quotes is an escape, not a backslash; use single quotes or a | block"
            return
    if invisible := INVISIBLE.search(node.text):
        yield node.line, f"holds the invisible character U+{ord(invisible[0]):04X}; remove it, or use single quotes"


_CORE: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,4000}"), int),
    (re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,3000}"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), lambda text: float(text.replace(".", ""))),
)


def _core(text: str) -> Any:
    """The value of a plain scalar by the core schema of YAML 1.2."""
    return next((value(text) for pattern, value in _CORE if pattern.fullmatch(text)), str(text))
