"""The packages that are installed, as far as results depend on them.

A package counts by its version: two installations of one version are taken to be the same. Modules that belong to no
package, such as those of an editable installation, count by their content instead (`reads.py`).
"""
# Paths are strings here because that takes half the time that Path objects take.

import os
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache

from scenebook.core import digests

INFO = ".dist-info"
ALL = "all installed packages"
"""Stands for the packages that a scene depends on if it lists what is installed."""
CUSTOM = ("sitecustomize", "usercustomize")
"""Modules that Python imports when it starts."""
_TOP = re.compile(rb"^([A-Za-z_]\w*)[./]", re.MULTILINE)
"""The name that a file of a package has in an `import`, at the start of a line of RECORD."""
_REQUIRES = re.compile(r"^Requires-Dist: *([\w.-]+)(?!.*\bextra\b)", re.MULTILINE)
"""A requirement of a package. Those for its extras are left out."""


@cache
def folders() -> tuple[str, ...]:
    """Return the folders of `sys.path` that can hold packages: all but Python's own and that of the program."""
    own = os.path.dirname(os.__file__)
    found = sys.path if sys.flags.safe_path else sys.path[1:]
    libraries = [path for path in found if not path.startswith(own) or path.endswith("-packages")]
    return tuple(dict.fromkeys(path for path in libraries if os.path.isdir(path)))


@cache
def names(folder: str) -> tuple[str, ...]:
    """Return the sorted names in a folder, or none if it cannot be listed."""
    try:
        return tuple(sorted(os.listdir(folder)))
    except OSError:
        return ()


@cache
def infos() -> dict[str, str]:
    """Return the folder of each package's metadata, by normalized name. The first one in `sys.path` order counts."""
    found = ((name, f"{folder}/{name}") for folder in reversed(folders()) for name in names(folder))
    return {normalized(name.removesuffix(INFO).rpartition("-")[0]): path for name, path in found if name.endswith(INFO)}


def version(name: str) -> str:
    """Return the version of a package, or "" if it is not installed."""
    if name == ALL:
        return digests.digest("\n".join(sorted(os.path.basename(path) for path in infos().values())).encode())
    return infos().get(name, "").removesuffix(INFO).rpartition("-")[2]


def normalized(name: str) -> str:
    """Return the name of a package in the same form for all of its spellings."""
    return re.sub(r"[-_.]+", "-", name).lower()


def with_requirements(wanted: Iterable[str]) -> tuple[str, ...]:
    """Return these packages and all that they require, sorted. Only installed ones count."""
    found: dict[str, None] = {}
    waiting = [normalized(name) for name in wanted]
    for name in waiting:
        if name not in found and name in infos():
            found[name] = None
            waiting += _requirements(name)
    return tuple(sorted(found))


def owners(modules: Iterable[str]) -> set[str]:
    """Return every package that has a file of one of these top-level modules."""
    wanted = set(modules)
    return {name for name in infos() if wanted & _modules(name)} if wanted else set()


def candidates(module: str) -> str:
    """Return the names that an import of this module could find among the packages: `x.py`, `x`, `x.so`."""
    *parents, leaf = module.split(".")
    places = ("/".join([folder, *parents]) for folder in folders())
    return " ".join(name for place in places for name in names(place) if name == leaf or name.startswith(f"{leaf}."))


@cache
def startup() -> str:
    """Return a digest of the files that Python runs when it starts: `.pth` files, sitecustomize and usercustomize."""
    files = list(_startup())
    contents = (
        f"{os.path.basename(file)} {digest}" for file, digest in zip(files, digests.of_files(files), strict=True)
    )
    return digests.digest("\n".join(contents).encode())


def _startup() -> Iterator[str]:
    for folder in folders():
        yield from (f"{folder}/{name}" for name in names(folder) if name.endswith(".pth"))
    for folder in sys.path[1:]:
        files = (f"{folder}/{name}{end}" for name in CUSTOM for end in (".py", "/__init__.py"))
        yield from filter(os.path.isfile, files)


@cache
def _requirements(name: str) -> tuple[str, ...]:
    head = _read(f"{infos()[name]}/METADATA").partition(b"\n\n")[0].decode(errors="replace")
    return tuple(normalized(required) for required in _REQUIRES.findall(head))


@cache
def _modules(name: str) -> frozenset[str]:
    """Return the top-level modules of a package."""
    return frozenset(top.decode() for top in _TOP.findall(_read(f"{infos()[name]}/RECORD")))


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
