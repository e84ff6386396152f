"""The code of a scene: its module and the helpers that it imports, and the listings of them that a page shows.

The files are found without running the scene, so a page can list the code of a scene that fails. Only imports written
as statements are followed. The cache does not rely on this, but on what a scene actually reads.
"""
# Paths are strings here because path objects take twice as long.

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
LISTING_LIMIT = 20_000
"""How many characters of a listing a page shows, about five hundred lines."""


class Code(NamedTuple):
    """The texts of a scene's files by path under the root, its own module first, and what the texts depend on.

    `reads` may contain more than the scene reads when it runs, because a function with an import may not be called.
    """

    texts: Mapping[str, str]
    reads: Reads


class Function(NamedTuple):
    """The location of a function: its file under the root, its first and its last line."""

    file: str
    first: int
    last: int


class Listing(NamedTuple):
    """A piece of a scene's code to show: the function that is run, the `rest` of its file, or a `whole` file.

    `left` is the number of lines that are left out at the end of a long listing.
    """

    file: str
    part: Literal["function", "rest", "whole"]
    code: str
    left: int = 0


def imported(root: str, first: Iterable[str]) -> dict[str, str]:
    """Return the texts of the scene modules that this process has imported, by path under the root, after `first`."""
    modules = [module for name, module in tuple(sys.modules.items()) if name.startswith(f"{PACKAGE}.")]
    files = [relative_to(root, file) for module in modules if (file := getattr(module, "__file__", None))]
    texts = {file: text(f"{root}/{file}") for file in (*first, *files) if not file.startswith("..")}
    return {file: found for file, found in texts.items() if found}


def relative_to(root: str, path: str) -> str:
    """Return a path relative to the root, with forward slashes."""
    return os.path.relpath(path, root).replace(os.sep, "/")


def listings(texts: Mapping[str, str], function: Function | None) -> tuple[Listing, ...]:
    """Return the listings for a page: the function that is run, then the rest of its file, then the other files."""
    parts = list(_parts(texts, function))
    return tuple(_cut(part) for part in parts if part.code.strip())


def _parts(texts: Mapping[str, str], function: Function | None) -> Iterator[Listing]:
    if function and function.file in texts:
        yield Listing(function.file, "function", _split(texts[function.file], function)[0])
    for file, source in texts.items():
        if function and file == function.file:
            yield Listing(file, "rest", _split(source, function)[1])
        else:
            yield Listing(file, "whole", source)


def _split(source: str, function: Function) -> tuple[str, str]:
    """Return the function with the comment above it, and the rest of the file."""
    lines = source.split("\n")  # like Python; splitlines() also splits at other characters
    first = function.first - 1
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    above, below = ("\n".join(part).strip("\n") for part in (lines[:first], lines[function.last :]))
    return "\n".join(lines[first : function.last]) + "\n", "\n\n\n".join(filter(None, (above, below))) + "\n"


def _cut(listing: Listing) -> Listing:
    """Return the listing within the limit, cut between lines unless the first line alone is too long."""
    if len(listing.code) <= LISTING_LIMIT:
        return listing
    shown = listing.code[:LISTING_LIMIT].rpartition("\n")[0] or listing.code[:LISTING_LIMIT]
    left = listing.code.rstrip("\n").count("\n") - shown.count("\n")
    return listing._replace(code=shown + "\n", left=max(left, 1))


def find(root: Path, compute: str) -> Code:
    """Return the code of the scene whose module is `compute`, a path below scenes/. Missing files are left out."""
    searched = _searched(root, compute)
    existing = {file for file in searched if os.path.isfile(f"{root}/{file}")}
    missing = {file.removesuffix(".py") for file in searched.keys() - existing}
    reads = Reads(paths=tuple(sorted(existing)), modules=tuple(sorted(missing)))
    return Code({file: text for file, text in searched.items() if text is not None}, reads)


def _searched(root: Path, compute: str) -> dict[str, str | None]:
    """Return every path where a module of the scene could be, with the text of the file there, or None."""
    found: dict[str, str | None] = {}
    waiting = [f"{PACKAGE}/{compute}"]
    for file in waiting:
        if file not in found:
            source = found[file] = text(f"{root}/{file}")
            waiting += (path for name in _imports(source or "", file) for path in _candidates(name))
    return found


def text(path: str) -> str | None:
    """Return the text of a source file, decoded as Python does, or None if it is missing or cannot be decoded."""
    try:
        with open(path, "rb") as file:
            return decode_source(file.read())
    except (OSError, UnicodeDecodeError, SyntaxError):
        return None


@lru_cache(64)
def _imports(source: str, file: str) -> tuple[str, ...]:
    """Return the dotted names under `scenes` that a module imports. They are cached, because scenes share helpers."""
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
