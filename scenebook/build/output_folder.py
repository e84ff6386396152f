"""Decides which folders a command may write to: never the site's sources, and never a folder that contains them.

The check compares real locations on the disk, so a link or another spelling of a path does not get around it.
"""

import os
from pathlib import Path

from scenebook.cache import versions
from scenebook.page import output

PROTECTED_FOLDERS = ("scenes", "templates", "tests", "scenebook", ".git", ".github", ".scenebook")
"""Folders of a site that no built file may be written to, even if they do not exist."""
SOURCE_SUFFIXES = (".py", ".yaml", ".yml")


def objection(folder: Path, root: Path, cache_folder: Path, *, whole_site: bool) -> str | None:
    """Return why a command must not write to a folder, or None if it may.

    `root` is the site's folder. If a `whole_site` is written to a folder in the root, nothing else may be in it.
    """
    real, site = _real(folder), _real(root)
    exclusive = whole_site and site in real.parents
    return _protected(real, site, _real(cache_folder)) or _among_sources(real, site) or _occupied(real, exclusive)


def _protected(folder: Path, site: Path, cache_folder: Path) -> str | None:
    """Return an objection if a folder is a protected one, contains one, or is in one."""
    inside_too = {f"the site's {name}/": _real(site / name) for name in PROTECTED_FOLDERS} | {
        "the cache": cache_folder,
        "Scenebook's code": versions.ENGINE,
        "Scenebook's templates": versions.OWN_TEMPLATES,
    }
    for name, protected in {"the site's folder": site, "your home folder": _home(), **inside_too}.items():
        if _is_in(protected, folder):
            return f"{'is' if _is_in(folder, protected) else 'contains'} {name}"
    return next((f"is in {name}" for name, protected in inside_too.items() if _is_in(folder, protected)), None)


def _among_sources(folder: Path, site: Path) -> str | None:
    """Return an objection if a folder in the site contains sources, or is in a folder that does."""
    in_site = (path for path in (folder, *folder.parents) if site in path.parents)
    with_sources = (path for path in in_site if any(name.endswith(SOURCE_SUFFIXES) for name in _names(path)))
    return next((f"is among the sources in {path.relative_to(site)}/" for path in with_sources), None)


def _occupied(folder: Path, exclusive: bool) -> str | None:
    """Return an objection if the path is not a folder, or is to be `exclusive` and contains visible files of others."""
    if os.path.lexists(folder) and not folder.is_dir():
        return "is not a folder"
    foreign = exclusive and not output.is_ours(folder) and any(not name.startswith(".") for name in _names(folder))
    return "contains files that Scenebook did not write" if foreign else None


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []


def _is_in(path: Path, folder: Path) -> bool:
    """Return whether a path is the folder itself or is in it."""
    return any(ancestor == folder or _is_same(ancestor, folder) for ancestor in (path, *path.parents))


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _home() -> Path:
    """Return the user's home folder, or the root of the disk for a user without one. No command may write to either."""
    try:
        return _real(Path.home())
    except RuntimeError:
        return Path("/")
