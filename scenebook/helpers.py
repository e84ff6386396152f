"""The files that a scene is made of: its module and the helpers that it imports, found without running anything.

So a scene that fails has its code too. Only what a module imports by name counts; what it reads is for the cache.
"""
# Paths are strings here, which take half of the time of objects.

import ast
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.util import decode_source
from pathlib import Path
from typing import NamedTuple

from scenebook.reads import Reads

PACKAGE = "scenes"


class Code(NamedTuple):
    """The texts of a scene's files by their paths under the root, its own module first, and what that depends on.

    That may be more than is read when the scene runs: a function that imports may not.
    """

    texts: Mapping[str, str]
    reads: Reads


def code(root: Path, compute: str) -> Code:
    """The code of a scene, without the files that are not there."""
    searched = _searched(root, compute)
    there = {file for file in searched if os.path.isfile(f"{root}/{file}")}
    missing = {file.removesuffix(".py") for file in searched.keys() - there}
    reads = Reads(paths=tuple(sorted(there)), modules=tuple(sorted(missing)))
    return Code({file: text for file, text in searched.items() if text is not None}, reads)


def _searched(root: Path, compute: str) -> dict[str, str | None]:
    """Every path that a module of the scene's could be at, and the text that is there."""
    found: dict[str, str | None] = {}
    waiting = [f"{PACKAGE}/{compute}"]
    for file in waiting:
        if file not in found:
            source = found[file] = text(f"{root}/{file}")
            waiting += (path for name in _imported(source or "", file) for path in _candidates(name))
    return found


def text(path: str) -> str | None:
    """The text of a source file as Python reads it, if there is one: what encoding it has may stand in it."""
    try:
        with open(path, "rb") as file:
            return decode_source(file.read())
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None


@lru_cache(64)
def _imported(source: str, file: str) -> tuple[str, ...]:
    """The dotted names that a module imports from the scenes. Helpers are shared, so each text is read once."""
    try:
        return tuple(_names(ast.parse(source), file))
    except (SyntaxError, ValueError):
        return ()


def _names(tree: ast.AST, file: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith(f"{PACKAGE}."))
        elif isinstance(node, ast.ImportFrom):
            package = file.split("/")[: -node.level] if node.level else []
            base = ".".join([*package, *filter(None, [node.module])])
            if base.partition(".")[0] == PACKAGE:
                yield from (base, *(f"{base}.{alias.name}" for alias in node.names))


def _candidates(name: str) -> tuple[str, str]:
    path = name.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"
