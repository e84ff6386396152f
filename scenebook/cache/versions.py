"""What a result depends on besides the author's files: engine, templates, and the libraries that are installed."""
# Paths are strings here, which take half of the time of objects.

import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scenebook.core import digests
from scenebook.core.problems import Problem

ENGINE = Path(__file__).parents[1]
OWN_TEMPLATES = ENGINE.parent / "templates"
"""What a site without templates of its own is made with."""
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
}
"""The packages that a build needs, and which releases of them, as in requirements.in."""
_IMPORTED_AS = {"pillow": "PIL", "pyyaml": "yaml"}


@cache
def engine() -> str:
    """A digest of the engine's own source, in its folder and below."""
    return _digest(str(ENGINE), sorted(_sources(str(ENGINE))))


@cache
def libraries() -> str:
    """A digest of the interpreter's version and of the names of all that is installed, which tell the versions."""
    return digests.digest("\n".join([sys.version, *sorted(_installed())]).encode())


def unfit() -> Iterator[Problem]:
    """A problem for each package that a build needs and that is missing, or of a release that it does not work with."""
    named = (each.removesuffix(INFO).rpartition("-") for each in reversed(_installed()))
    found = {_plain(name): version for name, _, version in named}
    for name, bounds in NEEDED.items():
        version = found.get(name, "")
        if version and not _within(version, bounds):
            cure = "run `python -m pip install -r requirements.txt`"
            yield Problem("", 0, "", f"Scenebook needs {name} {bounds}, but {version} is installed; {cure}")
        elif not version and not _is_there(_IMPORTED_AS.get(name, name.replace("-", "_"))):
            yield Problem("", 0, "", f"Scenebook needs {name}, but it is not installed; `make build` installs it")


@cache
def _installed() -> tuple[str, ...]:
    """The names of what describes the installed packages, such as `numpy-2.4.6.dist-info`, in the order of the path."""
    folders = [folder for folder in sys.path if folder.endswith("-packages") and os.path.isdir(folder)]
    return tuple(name for folder in folders for name in os.listdir(folder) if name.endswith(INFO))


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _within(version: str, bounds: str) -> bool:
    """Whether a version is within bounds such as `>=0.9,<0.10`."""
    compared = [(bound.startswith(">="), _release(bound.lstrip("<>="))) for bound in bounds.split(",") if bound]
    return all((_release(version) >= bound) == at_least for at_least, bound in compared)


def _release(version: str) -> list[int]:
    """The numbers with which a version begins, so that 2.0 is 2, and 2.1rc1 is 2.1."""
    numbers = re.match(r"(\d+\.)*\d+", version)
    found = [int(number) for number in numbers[0].split(".")] if numbers else []
    while found and not found[-1]:
        found.pop()
    return found


def _plain(name: str) -> str:
    """The name of a package as all of its spellings are compared."""
    return name.lower().replace("_", "-").replace(".", "-")


def made_by() -> dict[str, str]:
    """What every result depends on."""
    return {"engine": engine(), "libraries": libraries()}


@cache
def templates() -> str:
    """A digest of the engine's own templates; a site's are inputs, like its scenes."""
    below = (path for path in OWN_TEMPLATES.rglob("*") if path.is_file())
    return _digest(str(OWN_TEMPLATES), sorted(path.relative_to(OWN_TEMPLATES).as_posix() for path in below))


def _sources(folder: str, below: str = "") -> Iterator[str]:
    """The paths of all modules in a folder and below, relative to it."""
    with os.scandir(f"{folder}/{below}") as found:
        for item in found:
            if item.name.endswith(".py"):
                yield f"{below}{item.name}"
            elif item.is_dir() and item.name != "__pycache__":
                yield from _sources(folder, f"{below}{item.name}/")


def _digest(folder: str, names: list[str]) -> str:
    """A digest of the names and contents of files in a folder."""
    listed = "".join(f"{name}\0{digests.of_file(f'{folder}/{name}')}\0" for name in names)
    return digests.digest(listed.encode())
