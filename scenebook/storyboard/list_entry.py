"""Adds an entry at the end of a list in a YAML file, and leaves every other character as it is.

The YAML library says where the list is, and the entry is inserted there as text. Then both texts are read and compared,
so an edit that does anything else is never made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import indent
from typing import Any

Path = Sequence[str | int]
"""The keys and indices that lead from the top of a file to a list."""


def is_missing(text: str, path: Path) -> bool:
    """Return whether there is no list at a path, or it has no entries."""
    node = _find(text, path)
    return node is None or not node.value


def added(text: str, path: Path, entry: str) -> str | None:
    """Return the text with an entry at the end of the list at a path. The entry is YAML, and is not indented.

    Returns None if the list is missing, or is written in a form to which the entry cannot be added.
    """
    node = _find(text, path)
    if node is None or (node.id != "sequence" and node.value):
        return None
    edited = _in_brackets(text, node, entry) if getattr(node, "flow_style", False) else _in_lines(text, node, entry)
    return edited if edited is not None and _adds_only(text, edited, path, entry) else None


def _find(text: str, path: Path) -> Any:
    """Return the node at a path, or None if there is none or the library cannot read the file."""
    import yaml

    try:
        node: Any = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    for step in path:
        node = _child(node, step)
    return node


def _child(node: Any, step: str | int) -> Any:
    import yaml

    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step]
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    return None


def _in_brackets(text: str, node: Any, entry: str) -> str | None:
    """Add an entry to a list such as `[a, b]`. The entry must be a single word."""
    if not re.fullmatch(r"\S+", entry):
        return None
    if node.value:
        end = node.value[-1].end_mark.index
        return f"{text[:end]}, {entry}{text[end:]}"
    start = node.start_mark.index + 1
    return text[:start] + entry + text[start:]


def _in_lines(text: str, node: Any, entry: str) -> str | None:
    """Add an entry to a list with dashes, or to a key without a value."""
    lines = text.splitlines(keepends=True)
    if not node.value:
        at, column = node.start_mark.line + 1, 2
    else:
        column = node.start_mark.column
        after = len(lines) if node.end_mark.index == len(text) else node.end_mark.line
        at = _end(lines, node.value[-1].start_mark.line + 1, after, column)
    break_ = "\r\n" if "\r\n" in text else "\n"
    spaced = bool(node.value) and "\n" in entry
    new = indent(f"- {indent(entry, '  ').lstrip()}", " " * column).splitlines()
    if at and not lines[at - 1].endswith(("\n", "\r")):
        lines[at - 1] += break_
    return "".join([*lines[:at], *([break_] if spaced else []), *(line + break_ for line in new), *lines[at:]])


def _end(lines: Sequence[str], start: int, end: int, column: int) -> int:
    """Return the line after the last entry of a list: before what follows it, and the comments that belong to that."""
    while end > start and _follows(lines[end - 1], column):
        end -= 1
    return end


def _follows(line: str, column: int) -> bool:
    """Return whether a line is empty, or a comment that is not indented more than the dashes."""
    rest = line.lstrip(" ")
    return not rest.strip() or (rest.startswith("#") and len(line) - len(rest) <= column)


def _adds_only(text: str, edited: str, path: Path, entry: str) -> bool:
    """Return whether an edit adds this entry to the list, and changes no other value in the file."""
    import yaml

    before, after = (yaml.load(each, yaml.BaseLoader) for each in (text, edited))
    found = after
    for step in path:
        found = found[step]
    return bool(found.pop() == yaml.load(entry, yaml.BaseLoader)) and _same(before, after)


def _same(before: Any, after: Any) -> bool:
    """Return whether two trees are the same, if an empty list counts as no value."""
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(_same(before[key], after[key]) for key in before)
    return bool((before or None) == (after or None))
