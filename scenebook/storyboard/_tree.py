"""The tree of a storyboard: mappings, lists and texts, each with its file, line and path.

The functions that read the tree skip nodes that do not have the expected shape. The validation reports those.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from scenebook.core.problems import Problem
from scenebook.core.text import Text


class Map(dict[str, Any]):
    """A mapping, with its file, line and path, and the line of each value (or of the key, if its value is missing)."""

    def __init__(self, file: str, line: int, where: str) -> None:
        super().__init__()
        self.file, self.line, self.where = file, line, where
        self.lines: dict[str | int, int] = {}


class Seq(list[Any]):
    """A list, with its file, line and path, and the line of each entry. An entry without a value is None."""

    def __init__(self, file: str, line: int, where: str) -> None:
        super().__init__()
        self.file, self.line, self.where = file, line, where
        self.lines: dict[str | int, int] = {}


# Places.


def problem(node: Map | Seq, key: str | int | None, message: str) -> Problem:
    """Return a problem with an entry of a mapping or list, or with the whole node if the key is None.

    If the node has no such key, the line is that of the node.
    """
    if key is None:
        return Problem(node.file, node.line, node.where, message)
    child = node.get(str(key)) if isinstance(node, Map) else node[int(key)]
    where = child.where if isinstance(child, Map | Seq) else child_path(node.where, path_step(key))
    return Problem(node.file, node.lines.get(key, node.line), where, message)


def child_path(where: str, step: str) -> str:
    """Return the path of a child, given the path of its parent."""
    return f"{where}.{step}" if where else step


def path_step(key: str | int) -> str:
    """Return a key as a step of a path. The entries of lists are counted from 1."""
    if isinstance(key, int):
        return str(key + 1)
    return str(key) if key.isprintable() and 0 < len(key) <= 80 else quoted(key)


def quoted(text: str) -> str:
    """Return a text as a message quotes it: in quotes, on one line, and cut to a readable length."""
    return repr(str(text) if len(text) <= 320 else f"{text[:320]}…")


# Reading the tree.


def text(node: Map, key: str) -> Text | None:
    """Return the text under a key, or None if there is no text."""
    value = node.get(key)
    return value if isinstance(value, Text) else None


def number(node: Map, key: str) -> float | None:
    """Return the number under a key, or None if there is no number."""
    try:
        return float(text(node, key) or "")
    except ValueError:
        return None


def maps(node: Map, key: str) -> list[Map]:
    """Return the mappings in the list under a key."""
    value = node.get(key)
    return [entry for entry in value if isinstance(entry, Map)] if isinstance(value, Seq) else []


def part(node: Map, key: str) -> Map:
    """Return the mapping under a key, or an empty one."""
    value = node.get(key)
    return value if isinstance(value, Map) else Map(node.file, node.line, node.where)


def texts(node: Map, key: str) -> Iterator[tuple[Seq, int, Text]]:
    """Yield the texts in the list under a key, each with the list and its index."""
    if isinstance(entries := node.get(key), Seq):
        yield from ((entries, index, entry) for index, entry in enumerate(entries) if isinstance(entry, Text))
