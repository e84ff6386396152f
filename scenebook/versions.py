"""What a result depends on besides the author's files: engine, templates, and the libraries that are installed."""
# Paths are strings here, which take half of the time of objects.

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from scenebook import content

ENGINE = Path(__file__).parent
OWN_TEMPLATES = ENGINE.parent / "templates"
"""What a site without templates of its own is made with."""


@cache
def engine() -> str:
    """A digest of the engine's own source, in its folder and below."""
    return _digest(str(ENGINE), sorted(_sources(str(ENGINE))))


@cache
def libraries() -> str:
    """A digest of the interpreter's version and of the names of all that is installed, which tell the versions."""
    folders = [folder for folder in sys.path if folder.endswith("-packages") and os.path.isdir(folder)]
    installed = sorted(name for folder in folders for name in os.listdir(folder) if name.endswith(".dist-info"))
    return content.digest("\n".join([sys.version, *installed]).encode())


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
    listed = "".join(f"{name}\0{content.of_file(f'{folder}/{name}')}\0" for name in names)
    return content.digest(listed.encode())
