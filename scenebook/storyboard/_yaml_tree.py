r"""Reads a YAML file into a tree of mappings, lists and texts.

Every scalar stays text, because the field that it belongs to decides its type. Only the mappings and scalars that
`Typed` names have values with the types of the core schema of YAML 1.2. A key without a value is left out.

The nodes that `_yaml` returns are copied into the tree. The copy expands aliases and merge keys (within a limit, so
that a few lines cannot become a billion) and gives every entry its path. It also reports text that YAML would lose or
change: repeated keys, `"\frac"` in double quotes, and text that a # cuts off.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from scenebook.core.problems import Problem, Problems
from scenebook.core.scanner import is_tex
from scenebook.storyboard._tree import Map, Seq, child_path, path_step, quoted
from scenebook.storyboard._yaml import DEEPEST, Mapping, Node, Scalar, Sequence, parse

MOST_NODES = 100_000
INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


class Typed(NamedTuple):
    """Patterns of paths: of mappings whose values have YAML's own types, and of single scalars that have them."""

    mappings: re.Pattern[str]
    scalars: re.Pattern[str]


def read(root: Path, file: str, typed: Typed) -> tuple[Map, list[Problem]]:
    """Return the mapping in a file and the problems in it. Raises `Problems` if the file cannot be read at all."""
    node = parse(file, _decode(_bytes(root, file), file))
    if node is None or (isinstance(node, Scalar) and node.null):
        raise Problems([Problem(file, 0, "", "is empty")])
    if not isinstance(node, Mapping):
        kind = "a list" if isinstance(node, Sequence) else "text"
        raise Problems([Problem(file, node.line, "", f"expected a mapping of keys to values, found {kind}")])
    builder = _TreeBuilder(file, typed)
    tree: Map = builder.build(node, "", node.line)
    return tree, builder.problems


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


def _decode(data: bytes, file: str) -> str:
    """Return UTF-8 bytes as text without a byte order mark, and with LF as the only line ending."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n?|\n", data[: error.start])) + 1
        detail = f"byte 0x{data[error.start]:02X} at offset {error.start}"
        raise Problems([Problem(file, line, "", f"is not UTF-8 text ({detail}); save the file as UTF-8")]) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if chars := {text.count("\n", 0, match.start()) + 1: ord(match[0]) for match in INVISIBLE.finditer(text)}:
        message = "contains the invisible character U+{:04X}; remove it"
        raise Problems(Problem(file, line, "", message.format(char)) for line, char in chars.items())
    return text


@dataclass
class _TreeBuilder:
    """Copies nodes into the tree and collects the problems on the way."""

    file: str
    typed: Typed
    problems: list[Problem] = field(default_factory=list)
    nodes: int = 0

    def build(self, node: Node, where: str, line: int, depth: int = 0, typed: bool = False) -> Any:
        self._count(1, node, where, depth)
        for fault_line, message in node.faults:
            self._report(fault_line, where, message)
        if isinstance(node, Scalar):
            return self._scalar(node, where, typed or bool(self.typed.scalars.fullmatch(where)))
        if isinstance(node, Sequence):
            return self._sequence(node, Seq(self.file, line, where), depth, typed)
        assert isinstance(node, Mapping)
        return self._mapping(node, Map(self.file, line, where), depth, typed)

    def _count(self, count: int, node: Node, where: str, depth: int) -> None:
        self.nodes += count
        if depth > DEEPEST or self.nodes > MOST_NODES:
            message = "aliases (*name) expand to more than a storyboard can contain; use fewer of them"
            raise Problems([Problem(self.file, node.line, where.partition(".")[0], message)])

    def _report(self, line: int, where: str, message: str, *, warning: bool = False) -> None:
        self.problems.append(Problem(self.file, line, where, message, warning))

    def _scalar(self, node: Scalar, where: str, typed: bool) -> Any:
        if node.quoted:
            for line, message in _escape_faults(node, typed):
                self._report(line, where, message)
        if node.cut and isinstance(_core_value(node.text), str):
            message = "a # ends the text here; quote the text, or put a space after the # of a comment"
            self._report(node.line, where, message, warning=True)
        if node.null or not typed:
            return None if node.null else node.text
        value = _core_value(node.text) if node.plain else str(node.text)
        if isinstance(value, float) and math.isinf(value) and "inf" not in node.text.lower():
            self._report(node.line, where, f"the number {quoted(node.text)} is too large")
        return value

    def _sequence(self, node: Sequence, tree: Seq, depth: int, typed: bool) -> list[Any]:
        for index, child in enumerate(node.children):
            where = child_path(tree.where, _id_or_slug(child) or path_step(index))
            tree.lines[index] = child.line
            tree.append(self.build(child, where, child.line, depth + 1, typed))
        return list(tree) if typed else tree

    def _mapping(self, node: Mapping, tree: Map, depth: int, typed: bool) -> dict[Any, Any]:
        typed_values = typed or bool(self.typed.mappings.fullmatch(tree.where))
        for key, child in self._pairs(node, tree.where, depth).values():
            line = child.line if isinstance(child, Scalar) and not child.null else key.line
            value = self.build(child, child_path(tree.where, path_step(key.text)), line, depth + 1, typed_values)
            tree.lines[key.text] = line
            if typed_values or value is not None:
                tree[key.text] = value
        return {str(key): value for key, value in tree.items()} if typed else tree

    def _pairs(self, node: Mapping, where: str, depth: int) -> dict[str, tuple[Scalar, Node]]:
        """Return the entries of a mapping by key, including those that it merges."""
        pairs: dict[str, tuple[Scalar, Node]] = {}
        for key, value in node.pairs:
            key_path = child_path(where, path_step(key.text))
            if key.quoted or key.faults:
                self.build(key, key_path, key.line, depth)
            if key.text not in pairs:
                pairs[key.text] = key, value
                continue
            first = pairs[key.text][0].line
            self._report(key.line, key_path, f"{quoted(key.text)} is already used on line {first}; remove one of them")
        if "<<" in pairs and pairs["<<"][0].plain:
            return self._merged(pairs.pop("<<")[1], where, depth + 1) | pairs
        return pairs

    def _merged(self, value: Node, where: str, depth: int) -> dict[str, tuple[Scalar, Node]]:
        merged: dict[str, tuple[Scalar, Node]] = {}
        for source in reversed(value.children if isinstance(value, Sequence) else [value]):
            if isinstance(source, Mapping):
                merged |= self._pairs(source, where, depth)
                self._count(len(merged), source, where, depth)
            else:
                self._report(source.line, where, "<< merges only mappings; write <<: *name, or <<: [*name, *other]")
        return merged


def _id_or_slug(node: Node) -> str | None:
    """Return the id or slug of a list entry, for use in paths, or None if it has none that is fit to print."""
    pairs = node.pairs if isinstance(node, Mapping) else []
    names = (value.text for key, value in pairs if key.text in {"id", "slug"} and isinstance(value, Scalar))
    return next((str(name) for name in names if re.fullmatch(r"[\w-]{1,80}", name)), None)


_ESCAPE = re.compile(r"\\(.)([A-Za-z]*)", re.DOTALL)


def _escape_faults(node: Scalar, typed: bool) -> Iterator[tuple[int, str]]:
    r"""Yield the line and the message for a text in double quotes that YAML changes: `"\theta"` is a tab and "heta".

    The value of a parameter can be a tab, for example to separate columns.
    """
    for match in _ESCAPE.finditer(node.quoted):
        char, rest = match.groups()
        is_separator = typed and char == "t" and not rest
        if (char in "abtvfre0_NLP " and not is_separator) or (char == "n" and is_tex(char, rest)):
            line = node.line + node.quoted.count("\n", 0, match.start())
            yield line, f"\\{char} in double quotes is an escape, not a backslash; use single quotes or a | block"
            return
    if invisible := INVISIBLE.search(node.text):
        code = f"U+{ord(invisible[0]):04X}"
        yield node.line, f"contains the invisible character {code}; remove it, or use single quotes"


_CORE_SCHEMA: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]{1,4000}"), int),
    (re.compile(r"0o[0-7]{1,4000}|0x[0-9a-fA-F]{1,3000}"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), float),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), lambda text: float(text.replace(".", ""))),
)


def _core_value(text: str) -> Any:
    """Return the value of a plain scalar according to the core schema of YAML 1.2."""
    return next((value(text) for pattern, value in _CORE_SCHEMA if pattern.fullmatch(text)), str(text))
