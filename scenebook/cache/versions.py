"""What every result depends on besides the author's files: the engine, its templates and the installed libraries."""
# Paths are strings here because that takes half the time that Path objects take.

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scenebook.core import digests
from scenebook.core.commands import has_target
from scenebook.core.problems import Problem

ENGINE = Path(__file__).parents[1]
INSTALLED = (ENGINE / "templates").is_dir()
"""Whether the engine comes from a wheel, which holds the templates. In a checkout they are beside the engine."""
OWN_TEMPLATES = (ENGINE if INSTALLED else ENGINE.parent) / "templates"
"""The templates for a site that has none of its own."""
INFO = ".dist-info"


NEEDED = {
    "numpy": ">=2.0",
    "matplotlib": ">=3.11",
    "pillow": ">=11.0",
    "jinja2": ">=3.1.2",
    "pyyaml": ">=6.0.1",
    "pydantic": ">=2.13",
    "annotated-types": "",
    "markdown": ">=3.11.1",
    "math-core": ">=0.9,<0.10",
    "pygments": ">=2.17",
    "simpleeval": ">=1.0",
    "rich": ">=13.7",
    "watchfiles": ">=1.0",
}
"""The packages that a build needs, with the same version bounds as in pyproject.toml."""
_IMPORTED_AS = {"pillow": "PIL", "pyyaml": "yaml"}


@cache
def engine() -> str:
    """Return a digest of the engine's source files."""
    return _digest(str(ENGINE), sorted(_sources(str(ENGINE))))


@cache
def libraries() -> str:
    """Return a digest of the Python version and of the names and versions of all installed packages."""
    return digests.digest("\n".join([sys.version, *sorted(_installed())]).encode())


def package_problems(root: Path) -> Iterator[Problem]:
    """Yield a problem for each package that a build needs, but that is missing or has an unsupported version.

    `root` is the site's folder: what to do depends on whether it has a Makefile and a lock file.
    """
    names = (info.removesuffix(INFO).rpartition("-") for info in reversed(_installed()))
    versions = {_normalized(name): version for name, _, version in names}
    for name, bounds in NEEDED.items():
        version = versions.get(name, "")
        if version and not _within(version, bounds):
            message = f"Scenebook needs {name} {bounds}, but {version} is installed"
            yield Problem("", 0, "", f"{message}; {_install(root, name + bounds)}")
        elif not version and not _can_import(_IMPORTED_AS.get(name, name.replace("-", "_"))):
            remedy = "`make build` installs it" if has_target(root, "build") else _install(root, name + bounds)
            yield Problem("", 0, "", f"Scenebook needs {name}, but it is not installed; {remedy}")


def _install(root: Path, requirement: str) -> str:
    """Return what installs a package, in words."""
    what = "-r requirements.txt" if (root / "requirements.txt").exists() else f"'{requirement}'"
    return f"run `python -m pip install {what}`"


@cache
def _installed() -> tuple[str, ...]:
    """Return the names of the packages' metadata folders, such as `numpy-2.4.6.dist-info`, in `sys.path` order."""
    folders = [folder for folder in sys.path if folder.endswith("-packages") and os.path.isdir(folder)]
    return tuple(name for folder in folders for name in os.listdir(folder) if name.endswith(INFO))


def _can_import(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _within(version: str, bounds: str) -> bool:
    """Return whether a version is within bounds such as `>=0.9,<0.10`."""
    limits = [(bound.startswith(">="), _release(bound.lstrip("<>="))) for bound in bounds.split(",") if bound]
    return all((_release(version) >= limit) == at_least for at_least, limit in limits)


def _release(version: str) -> list[int]:
    """Return the numbers at the start of a version, without trailing zeros: 2.0 gives [2], and 2.1rc1 gives [2, 1]."""
    match = re.match(r"(\d+\.)*\d+", version)
    numbers = [int(number) for number in match[0].split(".")] if match else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return numbers


def _normalized(name: str) -> str:
    """Return the name of a package in the same form for all of its spellings."""
    return name.lower().replace("_", "-").replace(".", "-")


def made_by() -> dict[str, str]:
    """Return the digests that every result depends on, by name."""
    return {"engine": engine(), "libraries": libraries()}


@cache
def templates() -> str:
    """Return a digest of the engine's templates. A site's own templates are inputs, like its scenes."""
    files = (path for path in OWN_TEMPLATES.rglob("*") if path.is_file())
    return _digest(str(OWN_TEMPLATES), sorted(path.relative_to(OWN_TEMPLATES).as_posix() for path in files))


def _sources(folder: str, subfolder: str = "") -> Iterator[str]:
    """Yield the paths of all modules in a folder and its subfolders, relative to the folder."""
    with os.scandir(f"{folder}/{subfolder}") as items:
        for item in items:
            if item.name.endswith(".py"):
                yield f"{subfolder}{item.name}"
            elif item.is_dir() and item.name != "__pycache__":
                yield from _sources(folder, f"{subfolder}{item.name}/")


def _digest(folder: str, names: list[str]) -> str:
    """Return a digest of the names and contents of files in a folder."""
    listed = "".join(f"{name}\0{digests.of_file(f'{folder}/{name}')}\0" for name in names)
    return digests.digest(listed.encode())
