"""The files that a scene is made of: its module and the helpers that it imports, found without running anything.

So a scene that fails has its code too. Only what a module imports by name counts; what it reads is for the cache.
"""
# Paths are strings here, which take half of the time of objects.

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.util import decode_source
from pathlib import Path
from typing import Literal, NamedTuple

from scenebook.cache.reads import Reads

PACKAGE = "scenes"
LONGEST = 20_000
"""So many characters of a listing are shown, some five hundred lines."""


class Code(NamedTuple):
    """The texts of a scene's files by their paths under the root, its own module first, and what that depends on.

    That may be more than is read when the scene runs: a function that imports may not.
    """

    texts: Mapping[str, str]
    reads: Reads


class Function(NamedTuple):
    """Where a function stands: its file under the root, and its first and last line."""

    file: str
    first: int
    last: int


class Listing(NamedTuple):
    """A part of a scene's code, to be read: the function that is run, the `rest` of its file, or a `whole` file.

    `left` is how many lines at the end are left out, where they are too many.
    """

    file: str
    part: Literal["function", "rest", "whole"]
    code: str
    left: int = 0


def loaded(root: str, first: Iterable[str]) -> dict[str, str]:
    """The texts of the scenes' modules that this process has imported, by path under the root, some of them `first`."""
    modules = [module for name, module in tuple(sys.modules.items()) if name.startswith(f"{PACKAGE}.")]
    files = [under(root, file) for module in modules if (file := getattr(module, "__file__", None))]
    texts = {file: text(f"{root}/{file}") for file in (*first, *files) if not file.startswith("..")}
    return {file: found for file, found in texts.items() if found}


def under(root: str, path: str) -> str:
    """A path as seen from the root."""
    return os.path.relpath(path, root).replace(os.sep, "/")


def listings(texts: Mapping[str, str], function: Function | None) -> tuple[Listing, ...]:
    """What a page lists of modules: first the function that is run, then the rest of its file and the other files."""
    parts = list(_parts(texts, function))
    return tuple(_cut(part) for part in parts if part.code.strip())


def _parts(texts: Mapping[str, str], function: Function | None) -> Iterator[Listing]:
    if function and function.file in texts:
        yield Listing(function.file, "function", _apart(texts[function.file], function)[0])
    for file, source in texts.items():
        if function and file == function.file:
            yield Listing(file, "rest", _apart(source, function)[1])
        else:
            yield Listing(file, "whole", source)


def _apart(source: str, function: Function) -> tuple[str, str]:
    """A function with the comment above it, and the file without them."""
    lines = source.split("\n")  # as Python counts them; splitlines() knows more ends of lines
    first = function.first - 1
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    above, below = ("\n".join(part).strip("\n") for part in (lines[:first], lines[function.last :]))
    return "\n".join(lines[first : function.last]) + "\n", "\n\n\n".join(filter(None, (above, below))) + "\n"


def _cut(listing: Listing) -> Listing:
    """A listing as far as it is shown: whole lines, if the first is not too long itself."""
    if len(listing.code) <= LONGEST:
        return listing
    shown = listing.code[:LONGEST].rpartition("\n")[0] or listing.code[:LONGEST]
    left = listing.code.rstrip("\n").count("\n") - shown.count("\n")
    return listing._replace(code=shown + "\n", left=max(left, 1))


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
