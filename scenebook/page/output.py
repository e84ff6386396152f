"""Writes the site to its folder, and never replaces or removes a file that a build did not write.

`output/files.json` lists our files. A path is ours if it is listed, and either does not exist or is a regular file in
real folders; only output/ itself may be a link. Everything else belongs to the author. If a page needs the path of an
author's file, the build stops before it touches anything.

New files are first written under temporary names, so a full disk changes nothing. Then they are renamed: first assets,
then new pages, then changed pages. Old files are removed last. So if a build is interrupted, every page that can be
reached still finds everything that it links to. The list is written before the first rename and after the last one, so
it always names all our files.
"""
# Paths are strings here: a site has thousands of files, and path objects take four times the memory.

import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import accumulate
from pathlib import Path

from scenebook.core.digests import File, file, of_files
from scenebook.core.problems import Problem, Problems, stop_on

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

LIST = "files.json"
MARK = b'"written by": "scenebook"'
"""Identifies our list, because authors may have a file with the same name."""
PART, PARTS = ".scenebook-part", ".scenebook-parts"
"""Temporary names. A file with such a name was left by a build that was killed, and is removed."""


def write(
    folder: Path, files: Mapping[str, File], name: str = "output", beside: Mapping[Path, bytes] | None = None
) -> tuple[str, ...]:
    """Write these files to the folder and remove our old ones. Return the paths that changed.

    `beside` are files outside the folder, which are replaced last. Raises `Problems`, before anything is touched, if a
    file of the author is in the way, writing is not allowed, or the disk is full.
    """
    beside = beside or {}
    _stop_on_special(folder, beside, name)
    behind_links = {Path(os.path.realpath(path)): content for path, content in beside.items()}
    with _reported(name), _alone(folder), _prepared(_differing(behind_links)) as parts:
        changed = _write(folder, files, name)
        _put(parts)
        return changed


@contextmanager
def _reported(name: str) -> Iterator[None]:
    """Turn an `OSError` into `Problems` that name the file, if it is known."""
    try:
        yield
    except OSError as error:
        file = str(error.filename2 or error.filename or name).removesuffix(PART)
        denied = "permission denied; make the folder and its files writable"
        message = denied if isinstance(error, PermissionError) else f"cannot be written: {error.strerror}"
        raise Problems([Problem(file, 0, "", message)]) from None


def _write(folder: Path, files: Mapping[str, File], name: str) -> tuple[str, ...]:
    ours = _ours(folder)
    _stop_on_foreign(folder, files, ours, name)
    there = of_files([f"{folder}/{path}" for path in files])
    changed = [path for path, found in zip(files, there, strict=True) if found != files[path].digest]
    gone = sorted(set(ours) - set(files))
    stop_on(_locked(folder, [*changed, *gone], name))
    _remove_parts(folder)
    order = sorted(changed, key=lambda path: _place(folder, path))
    with _prepared({f"{folder}/{path}": files[path] for path in order}, f"{folder}/{PARTS}") as parts:
        replace(folder / LIST, listing({*ours, *files}))
        _put(parts)
    _remove(folder, gone)
    replace(folder / LIST, listing(files))
    return (*changed, *gone)


def _place(folder: Path, path: str) -> tuple[bool, bool, bool, str]:
    """Return the sort key for the order of writing: a page that can be reached must not link to a missing file."""
    return path.endswith((".html", ".xml")), _is_there(f"{folder}/{path}"), "/" not in path, path


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other build writes to the folder, and keep others waiting."""
    _make(str(folder))
    place = os.open(folder, os.O_RDONLY)
    try:
        if fcntl:
            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


def clean(folder: Path) -> tuple[str, ...]:
    """Remove our files, by the same rules. Return their paths."""
    if not folder.is_dir():
        return ()
    with _reported(folder.name), _alone(folder):
        ours = sorted(_ours(folder))
        _remove_parts(folder)
        _remove(folder, [*ours, LIST] if _list(folder) else ours)
        return tuple(ours)


def is_ours(folder: Path) -> bool:
    """Return whether a folder contains a site that we wrote."""
    return bool(_list(folder))


def listed(folder: Path) -> tuple[str, ...]:
    """Return the paths of the files that we wrote to a folder; none if it has no list of them."""
    return _ours(folder)


def _stop_on_special(folder: Path, beside: Iterable[Path], name: str) -> None:
    """Raise `Problems` if the folder is not a folder, or one of the other files is not a file."""
    special = (path for path in beside if path.exists() and not path.is_file())
    problems = [Problem(path.name, 0, "", "is not a file; move it away") for path in special]
    if os.path.lexists(folder) and not folder.is_dir():
        problems.append(Problem(name, 0, "", "is not a folder; move it away"))
    stop_on(problems)


def _stop_on_foreign(folder: Path, files: Mapping[str, File], ours: Iterable[str], name: str) -> None:
    """Raise `Problems` for each file that is not ours and is in the way of one of ours."""
    message = "was not written by this build and is in the way; move it away"
    blocked = _blocker(folder)
    places = (blocked(path) or _other(folder, path, files[path]) for path in files.keys() - set(ours))
    problems = [Problem(f"{name}/{place}", 0, "", message) for place in places if place]
    if os.path.lexists(folder / LIST) and not _list(folder):
        older = f"{message}, or all of {name}/ if an older Scenebook wrote it"
        problems.append(Problem(f"{name}/{LIST}", 0, "", older))
    stop_on(problems)


def _locked(folder: Path, paths: Iterable[str], name: str) -> Iterator[Problem]:
    """Yield a problem for each folder in which files must be replaced or removed, but permissions do not allow it."""
    message = "permission denied; make the folder writable"
    for parent in {os.path.dirname(path) for path in paths}:
        place = f"{folder}/{parent}"
        if _is_there(place) and not os.access(place, os.W_OK | os.X_OK):
            yield Problem(f"{name}/{parent}".removesuffix("/"), 0, "", message)


def _blocker(folder: Path) -> Callable[[str], str]:
    """Return a cached function that finds what prevents a path from being ours, or "" if nothing does.

    The obstacle is the first part of the path that is not a real folder, or the path itself if it exists and is not a
    regular file.
    """

    def look(path: str, is_right: Callable[[int], bool]) -> str:
        try:
            return "" if is_right(os.lstat(f"{folder}/{path}").st_mode) else path
        except OSError:
            return ""

    @cache
    def on_the_way(folder: str) -> str:
        return look(folder, stat.S_ISDIR)

    def blocked(path: str) -> str:
        *folders, _ = accumulate(path.split("/"), "{}/{}".format)
        return next(filter(None, map(on_the_way, folders)), "") or look(path, stat.S_ISREG)

    return blocked


def _other(folder: Path, path: str, item: File) -> str:
    """Return the path if a file with other bytes than ours exists there, or ""."""
    there = _is_there(f"{folder}/{path}") and of_files([f"{folder}/{path}"]) != [item.digest]
    return path if there else ""


def _is_there(path: str) -> bool:
    """Return whether a path exists. Raises `OSError` if permissions hide that."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _ours(folder: Path) -> tuple[str, ...]:
    """Return the listed paths that are ours. A damaged list has none, and a path outside the folder is left out."""
    try:
        listed = json.loads(_list(folder))["files"]
    except (ValueError, KeyError, TypeError):
        return ()
    paths = listed if isinstance(listed, list) else ()
    blocked = _blocker(folder)
    return tuple(path for path in paths if isinstance(path, str) and _inside(path) and not blocked(path))


def _list(folder: Path) -> bytes:
    """Return the bytes of our list, or no bytes if there is no list or it is not ours."""
    path = folder / LIST
    content = path.read_bytes() if path.exists() and not _blocker(folder)(LIST) else b""
    return content if MARK in content else b""


def _inside(path: str) -> bool:
    parts = path.split("/")
    return not any(part in ("", ".", "..") for part in parts) and not set(path) & set("\\:\0")


def listing(paths: Iterable[str]) -> bytes:
    """Return the bytes of the list of our files."""
    listed = {"written by": "scenebook", "files": sorted(paths)}
    return (json.dumps(listed, indent=1, ensure_ascii=False) + "\n").encode()


def replace(path: Path, content: bytes) -> None:
    """Write a file by an atomic rename, readable by everyone, unless it already has these bytes.

    Raises `Problems` if that is not possible.
    """
    with _reported(str(path)), _prepared(_differing({path: content})) as parts:
        _put(parts)


def _differing(contents: Mapping[Path, bytes]) -> dict[str, File]:
    """Return the files whose bytes differ from those on disk."""
    files = {str(path): file(content) for path, content in contents.items()}
    _unlink(path + PART for path in files)  # left by a build that was killed
    return {
        path: files[path]
        for path, found in zip(files, of_files(list(files)), strict=True)
        if found != files[path].digest
    }


@contextmanager
def _prepared(files: Mapping[str, File], folder: str = "") -> Iterator[dict[str, str]]:
    """Write new files under temporary names, beside their targets or in a folder. Yield these names by target.

    Those that are not renamed in the block are removed, so a full disk changes nothing.
    """
    parts: dict[str, str] = {}
    try:
        for path, item in files.items():
            parts[path] = f"{folder}/{len(parts)}{PART}" if folder else path + PART
            _make(os.path.dirname(parts[path]))
            with open(parts[path], "wb") as written:
                written.writelines(item.parts())
            os.chmod(parts[path], 0o644)
        yield parts
    finally:
        _unlink(parts.values())
        if folder:
            _remove_empty(folder, os.path.dirname(folder))


def _put(parts: Mapping[str, str]) -> None:
    for path, part in parts.items():
        _make(os.path.dirname(path))
        os.replace(part, path)


def _remove_parts(folder: Path) -> None:
    """Remove the temporary files of a build that was killed."""
    _unlink([f"{folder}/{LIST}{PART}", *map(str, (folder / PARTS).glob(f"*{PART}"))])
    _remove_empty(f"{folder}/{PARTS}", str(folder))


def _make(folder: str) -> None:
    """Make a folder and the folders above it, readable by everyone."""
    if folder and not os.path.exists(folder):
        _make(os.path.dirname(folder))
        with suppress(FileExistsError):
            os.mkdir(folder)
            os.chmod(folder, 0o755)


def _remove(folder: Path, paths: Iterable[str]) -> None:
    """Remove files, and folders that become empty."""
    for path in paths:
        _unlink([f"{folder}/{path}"])
        _remove_empty(os.path.dirname(f"{folder}/{path}"), str(folder))


def _remove_empty(folder: str, top: str) -> None:
    """Remove a folder if it is empty, then those above it that become empty, but not the top one."""
    while folder != top and not (os.path.exists(folder) and os.listdir(folder)):
        if os.path.exists(folder):
            os.rmdir(folder)
        folder = os.path.dirname(folder)


def _unlink(paths: Iterable[str]) -> None:
    """Remove the files that exist."""
    for path in paths:
        with suppress(FileNotFoundError):
            os.unlink(path)
