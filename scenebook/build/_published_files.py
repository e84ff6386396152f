"""Finds the file for an address, as GitHub Pages does: folders have an index.html, and what is missing is 404.html.

Only regular files that are really in the folder are found. A link that leads out of it, `..` in any spelling, and names
that Pages may leave out (those that begin with a dot or an underscore) are missing.
"""

import os
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

MISSING = "404.html"


class Found(NamedTuple):
    """What an address leads to: a file, or the address to go to instead, or nothing."""

    status: HTTPStatus
    file: Path | None = None
    location: str = ""


def find(folder: Path, base: str, target: str) -> Found:
    """Return what a `target` (the path and query of an address) leads to, if the folder is published under `base`."""
    written, mark, query = target.partition("?")
    path = unquote(written)
    if path in ("/", base.removesuffix("/")) and path != base:
        return Found(HTTPStatus.FOUND, location=quote(base))
    if not path.startswith(base):
        return Found(HTTPStatus.NOT_FOUND)
    name = path.removeprefix(base)
    candidates = (name, f"{name}.html") if name and not name.endswith("/") else (f"{name}index.html",)
    if file := next(filter(None, (_file(folder, each) for each in candidates)), None):
        return Found(HTTPStatus.OK, file)
    if name and _file(folder, f"{name}/index.html"):
        return Found(HTTPStatus.MOVED_PERMANENTLY, location=f"{quote(path)}/{mark}{query}")
    return Found(HTTPStatus.NOT_FOUND, _file(folder, MISSING))


def _file(folder: Path, name: str) -> Path | None:
    """Return the path of a file in the folder, or None. Case counts, even where the disk ignores it."""
    parts = name.split("/")
    if any(not part or part.startswith((".", "_")) or set(part) & set("\\:\0") for part in parts):
        return None
    try:
        real = Path(os.path.realpath(folder))
        path = Path(os.path.realpath(real.joinpath(*parts)))
        folders = (real.joinpath(*parts[:depth]) for depth in range(len(parts)))
        spelled = all(folder / part in folder.iterdir() for folder, part in zip(folders, parts, strict=True))
    except OSError:
        return None
    return path if path.is_file() and spelled and real in path.parents else None
