"""Which of the engine's modules a step runs: its own and, from module to module, all that these import.

The text of a module is searched for imports, because parsing all modules would take longer than a small build. Imports
inside functions count. So does any other mention of a module by its dotted name, because processes and lazy imports are
given names. Only imports for type checkers are left out.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from scenebook.core import digests

ENGINE = Path(__file__).parents[1]
NAME = "scenebook"
_TYPES = re.compile(r"if TYPE_CHECKING:\n(?:(?: .*)?\n)+")
_FROM = re.compile(r"from (scenebook[\w.]*) import (\([^)]*\)|.*)")
_OWN = re.compile(r"scenebook(?:\.\w+)+")
_LAZY = re.compile(r"lazy\(\"(\w+)")
_OTHERS = re.compile(r" *(?:import|from) (\w+)")
# The patterns begin with fixed text where they search a whole module, because that makes them ten times as fast.


class Code(NamedTuple):
    """The code of a step: the engine's modules, and the names of other modules that they import."""

    modules: frozenset[str]
    others: frozenset[str]


def used_by(roots: Iterable[str]) -> Code:
    """Return the code of a step that starts in these modules of the engine, given by their dotted names."""
    waiting, found = list(roots), set[str]()
    if unknown := [name for name in waiting if name not in files()]:
        raise LookupError(f"no modules of the engine: {unknown}")
    for name in waiting:
        if name not in found and name in files():
            found.add(name)
            waiting += _imports(name).modules
    others = frozenset().union(*(_imports(name).others for name in found))
    return Code(frozenset(found), others - {NAME} - sys.stdlib_module_names)


def digests_by_package(modules: Iterable[str]) -> dict[str, str]:
    """Return a digest for each of the engine's packages, such as `scenebook/run`, of those of its modules."""
    found: dict[str, list[str]] = {}
    for module in sorted(modules):
        found.setdefault(f"{NAME}/{files()[module]}".rpartition("/")[0], []).append(module)
    return {package: digest(within) for package, within in found.items()}


def digest(modules: Iterable[str]) -> str:
    """Return a digest of the names and contents of some of the engine's modules."""
    return digests.digest("".join(f"{module}\0{_of_file(module)}\0" for module in modules).encode())


@cache
def _of_file(module: str) -> str:
    return digests.of_file(f"{ENGINE}/{files()[module]}")


@cache
def files() -> Mapping[str, str]:
    """Return the engine's modules by their dotted names: the path of each in the engine's folder."""
    found = sorted(_files(str(ENGINE)))
    return {f"{NAME}/{file}".removesuffix(".py").removesuffix("/__init__").replace("/", "."): file for file in found}


def _files(folder: str, subfolder: str = "") -> Iterator[str]:
    with os.scandir(f"{folder}/{subfolder}") as items:
        for item in items:
            if item.name.endswith(".py"):
                yield f"{subfolder}{item.name}"
            elif item.is_dir() and item.name != "__pycache__":
                yield from _files(folder, f"{subfolder}{item.name}/")


@cache
def _imports(module: str) -> Code:
    with open(f"{ENGINE}/{files()[module]}", encoding="utf-8") as file:
        text = _TYPES.sub("", file.read())
    dotted = {name for found in _OWN.findall(text) for name in _with_parents(found)}
    members = {f"{base}.{name}" for base, names in _FROM.findall(text) for name in re.findall(r"\w+", names)}
    lines = map(_OTHERS.match, (line for line in text.split("\n") if "import " in line))
    others = {line[1] for line in lines if line} | {*_LAZY.findall(text)}
    return Code(frozenset({NAME, *dotted, *members}), frozenset(others))


def _with_parents(name: str) -> Iterable[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts) + 1))
