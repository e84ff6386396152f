"""Writes the site: gathered first, then written, and only what we wrote is ever replaced or removed.

`output/files.json` lists what is ours. A file that is there and not listed is the author's: if a page would need its
place, the build stops before it touches anything. Assets are written first, pages next, removals come last, each file
by an atomic rename and only where bytes changed; so whenever a build ends early, every page there is finds all it
points to, and the list (written before the first file, and again after the last) still tells whose the files are.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scenebook.content import File, digest
from scenebook.errors import Problem, Problems

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

LIST = "files.json"
PART = ".part"


def write(folder: Path, files: Mapping[str, File], name: str = "output") -> tuple[str, ...]:
    """Make the folder hold these files (and leave the author's own alone); return the paths that changed.

    Raises `Problems`, before anything is touched, where a file of the author's is in the way or writing is not allowed.
    """
    if folder.exists() and not folder.is_dir():
        raise Problems([Problem(name, 0, "", "is not a folder; move it away")])
    try:
        with _alone(folder):
            return _write(folder, files, name)
    except PermissionError as error:
        message = "permission denied; make the folder and its files writable"
        raise Problems([Problem(str(error.filename or name), 0, "", message)]) from None
    except OSError as error:
        raise Problems([Problem(str(error.filename or name), 0, "", f"cannot be written: {error.strerror}")]) from None


def _write(folder: Path, files: Mapping[str, File], name: str) -> tuple[str, ...]:
    ours = _listed(folder)
    _stop_on_foreign(folder, files, ours, name)
    changed = [path for path in files if _digest(folder / path) != files[path].digest]
    gone = sorted(set(ours) - set(files))
    if changed or gone or set(ours) != set(files):
        replace(folder / LIST, _list({*ours, *files}))
        for path in sorted(changed, key=lambda path: (path.endswith((".html", ".xml")), path)):
            replace(folder / path, files[path].read())
        _remove(folder, gone)
        replace(folder / LIST, _list(files))
    return (*changed, *gone)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other build writes into the folder."""
    _make(folder)
    place = os.open(folder, os.O_RDONLY)
    try:
        if fcntl:
            fcntl.flock(place, fcntl.LOCK_EX)
        yield
    finally:
        os.close(place)


def clean(folder: Path) -> tuple[str, ...]:
    """Remove what we wrote, by the same rule; return the removed paths."""
    ours = sorted(_listed(folder))
    _remove(folder, ours)
    if (folder / LIST).exists():
        _remove(folder, [LIST])
    return tuple(ours)


def _stop_on_foreign(folder: Path, files: Iterable[str], ours: Iterable[str], name: str) -> None:
    """Raise `Problems` for each place that something other than our own file takes."""
    owned = {*ours, LIST}
    problems = [problem for path in files if path not in owned and (problem := _foreign(folder, path, name))]
    if problems:
        raise Problems(problems)


def _foreign(folder: Path, path: str, name: str) -> Problem | None:
    target = folder / path
    if target.is_symlink() or target.exists():
        return Problem(f"{name}/{path}", 0, "", "was not written by this build and is in the way; move it away")
    blocked = next(
        (parent for parent in target.parents if parent != folder and parent.exists() and not parent.is_dir()), None
    )
    if blocked and blocked.is_relative_to(folder):
        message = "is a file where the site needs a folder; move it away"
        return Problem(f"{name}/{blocked.relative_to(folder).as_posix()}", 0, "", message)
    return None


def _listed(folder: Path) -> tuple[str, ...]:
    """The paths that are ours: none by a list that is not one of ours, and none that leaves the folder."""
    try:
        listed = json.loads((folder / LIST).read_bytes())
    except (OSError, ValueError):
        return ()
    if not isinstance(listed, dict) or not isinstance(listed.get("files"), list):
        return ()
    return tuple(path for path in listed["files"] if isinstance(path, str) and _inside(path))


def _inside(path: str) -> bool:
    parts = path.split("/")
    return bool(path) and not any(part in ("", ".", "..") for part in parts) and "\\" not in path and ":" not in path


def _list(paths: Iterable[str]) -> bytes:
    return (json.dumps({"files": sorted(paths)}, indent=1, ensure_ascii=False) + "\n").encode()


def _digest(path: Path) -> str:
    try:
        return digest(path.read_bytes())
    except OSError:
        return ""


def replace(path: Path, content: bytes) -> None:
    """Write a file by an atomic rename, readable for all; nothing is touched where the bytes are the same."""
    if _digest(path) == digest(content):
        return
    _make(path.parent)
    part = path.with_name(path.name + PART)
    with part.open("wb") as file:
        file.write(content)
    part.chmod(0o644)
    part.replace(path)


def _make(folder: Path) -> None:
    """Make a folder, and those above it, which all may enter."""
    if not folder.exists():
        _make(folder.parent)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)


def _remove(folder: Path, paths: Iterable[str]) -> None:
    """Remove files, and the folders that they leave empty."""
    for path in paths:
        (folder / path).unlink(missing_ok=True)
        for parent in (folder / path).parents:
            if parent == folder or (parent.exists() and any(parent.iterdir())):
                break
            if parent.exists():
                parent.rmdir()
