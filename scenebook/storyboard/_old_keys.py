"""Keys of a storyboard that were renamed or removed. For one release they give a warning, and still work if they can.

Before a tree is checked, the value of a renamed key moves to the new key. It is still reported at its own line and
under its old name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from scenebook.core.problems import Problem
from scenebook.storyboard._tree import Map, Seq, problem


class OldKey(NamedTuple):
    """A key that the release `since` renamed to `new` in the same place, or removed.

    `path` leads to it from the top of a page, or from the top of the storyboard: `scenes.figure.panels.colours`. The
    entries of lists have no step. `instead` says what to write, if that is more than the new name.
    """

    path: str
    since: str
    new: str = ""
    instead: str = ""


OLD_KEYS: tuple[OldKey, ...] = ()
"""The keys that the last release renamed or removed. After the next release, each is unknown."""


def renew(tree: Map) -> list[Problem]:
    """Move the values of old keys to the new ones, and drop those of removed keys. Return a warning for each."""
    return [
        _renew(node, key, name)
        for key in OLD_KEYS
        for *steps, name in [key.path.split(".")]
        for node in _at(tree, steps)
        if name in node and key.new not in node
    ]


def _at(node: Any, steps: list[str]) -> Iterator[Map]:
    """Yield the mappings that a path leads to."""
    if isinstance(node, Seq):
        for entry in node:
            yield from _at(entry, steps)
    elif isinstance(node, Map) and steps:
        yield from _at(node.get(steps[0]), steps[1:])
    elif isinstance(node, Map):
        yield node


def _renew(node: Map, key: OldKey, name: str) -> Problem:
    warning = problem(node, name, _message(key))._replace(warning=True)
    value, line = node.pop(name), node.lines.pop(name)
    if key.new:
        node[key.new], node.lines[key.new] = value, line
    return warning


def _message(key: OldKey) -> str:
    if key.new:
        instead = key.instead or f"write '{key.new}'"
        return f"is called '{key.new}' since Scenebook {key.since}; {instead}; the next release refuses the old name"
    instead = key.instead or "remove it"
    return f"has no effect since Scenebook {key.since}; {instead}; the next release refuses it"
