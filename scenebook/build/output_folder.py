"""Where built files may go: never among the site's sources, nor into a folder that holds them.

Places are compared as the disk knows them, so neither a link nor another spelling leads around this.
"""

import os
from pathlib import Path

from scenebook.cache import versions
from scenebook.page import output

FOLDERS = ("scenes", "templates", "tests", "scenebook", ".git", ".github", ".scenebook")
"""Folders of a site that no built file belongs into, whether they are there or not."""
SOURCES = (".py", ".yaml", ".yml")


def fault(folder: Path, root: Path, kept: Path, *, whole: bool) -> str | None:
    """What is wrong with writing into a folder, if something is.

    `root` is the site's folder and `kept` that of its cache. A `whole` site needs a folder of its own below the root.
    """
    real, site = _real(folder), _real(root)
    own = whole and site in real.parents
    return _kinship(real, site, _real(kept)) or _among_sources(real, site) or _taken(real, own)


def _kinship(real: Path, site: Path, kept: Path) -> str | None:
    """Whether a place is one that must be left alone, or holds it, or is in it."""
    parts = {f"the site's {name}/": _real(site / name) for name in FOLDERS}
    parts |= {"the cache": kept, "Scenebook's code": versions.ENGINE, "Scenebook's templates": versions.OWN_TEMPLATES}
    for name, place in {"the site's folder": site, "your home folder": _home(), **parts}.items():
        if _is_in(place, real):
            return f"{'is' if _is_in(real, place) else 'holds'} {name}"
    return next((f"is in {name}" for name, place in parts.items() if _is_in(real, place)), None)


def _among_sources(real: Path, site: Path) -> str | None:
    """Whether a place below the root is a folder that holds sources, or is in one."""
    below = (place for place in (real, *real.parents) if site in place.parents)
    holding = (place for place in below if any(name.endswith(SOURCES) for name in _names(place)))
    return next((f"is among the sources in {place.relative_to(site)}/" for place in holding), None)


def _taken(place: Path, own: bool) -> str | None:
    """Whether there is a file, or, where a site needs its `own` folder, anything that is not hidden and not ours."""
    if os.path.lexists(place) and not place.is_dir():
        return "is not a folder"
    foreign = own and not output.is_ours(place) and any(not name.startswith(".") for name in _names(place))
    return "holds files that Scenebook did not write" if foreign else None


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _is_in(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or below it."""
    return any(place == folder or _same(place, folder) for place in (path, *path.parents))


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _home() -> Path:
    """The user's home; the root of the disk, which is no place to write either, for a user who has none."""
    try:
        return _real(Path.home())
    except RuntimeError:
        return Path("/")
