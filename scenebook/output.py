"""Writes the site: gathered first, then written, and only what we wrote is ever replaced or removed.

`output/files.json` lists what is ours. A file that is there and not listed is the author's: if a page would need its
place, the build stops before it touches anything. New bytes are first written aside, so a full disk changes nothing.
Then they are put in place by renames: assets, new pages, old pages, and removals last; so whenever a build ends early,
every page that can be reached finds all it points to, and the list (written before the first rename, and again after
the last) still tells whose the files are.
"""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from scenebook.content import File, digest, file, of_files
from scenebook.errors import Problem, Problems

try:
    import fcntl
except ImportError:  # Windows has no such locks
    fcntl = None  # type: ignore[assignment]

LIST = "files.json"
PART, PARTS = ".part", ".parts"
Parts: TypeAlias = Callable[[], Iterable[bytes]]


def write(
    folder: Path, files: Mapping[str, File], name: str = "output", beside: Mapping[Path, bytes] | None = None
) -> tuple[str, ...]:
    """Make the folder hold these files (and leave the author's own alone); return the paths that changed.

    `beside` are files elsewhere, replaced last. Raises `Problems`, before anything is touched, where a file of the
    author's is in the way, writing is not allowed, or the disk is full.
    """
    if folder.exists() and not folder.is_dir():
        raise Problems([Problem(name, 0, "", "is not a folder; move it away")])
    try:
        with _alone(folder), _prepared(_differing(beside or {})) as parts:
            changed = _write(folder, files, name)
            _put(parts)
            return changed
    except PermissionError as error:
        message = "permission denied; make the folder and its files writable"
        raise Problems([Problem(str(error.filename or name), 0, "", message)]) from None
    except OSError as error:
        raise Problems([Problem(str(error.filename or name), 0, "", f"cannot be written: {error.strerror}")]) from None


def _write(folder: Path, files: Mapping[str, File], name: str) -> tuple[str, ...]:
    ours = _listed(folder)
    _stop_on_foreign(folder, files, ours, name)
    there = of_files([f"{folder}/{path}" for path in files])
    changed = [path for path, found in zip(files, there, strict=True) if found != files[path].digest]
    gone = sorted(set(ours) - set(files))
    _stop_on_locked(folder, [*changed, *gone], name)
    _remove_parts(folder)
    if changed or gone or set(ours) != set(files):
        order = sorted(changed, key=lambda path: _place(folder, path))
        with _prepared({folder / path: files[path].parts for path in order}, folder / PARTS) as parts:
            replace(folder / LIST, listing({*ours, *files}))
            _put(parts)
        _remove(folder, gone)
        replace(folder / LIST, listing(files))
    return (*changed, *gone)


def _place(folder: Path, path: str) -> tuple[bool, bool, bool, str]:
    """Where in the order of writing a file stands: nothing that is reachable may point to what is still to come."""
    return path.endswith((".html", ".xml")), (folder / path).exists(), "/" not in path, path


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


def _stop_on_foreign(folder: Path, files: Mapping[str, File], ours: Iterable[str], name: str) -> None:
    """Raise `Problems` for each place that something other than our own file takes."""
    owned = {*ours, LIST}
    strange = (path for path in files if path not in owned and not _same(folder / path, files[path]))
    problems = [problem for path in strange if (problem := _foreign(folder, path, name))]
    if problems:
        raise Problems(problems)


def _stop_on_locked(folder: Path, paths: Iterable[str], name: str) -> None:
    """Raise `Problems` for each folder in which files will be replaced or removed, and may not."""
    parents = {(folder / path).parent for path in paths}
    locked = [parent for parent in parents if parent.exists() and not os.access(parent, os.W_OK | os.X_OK)]
    message = "permission denied; make the folder writable"
    if locked:
        places = (f"{name}/{parent.relative_to(folder).as_posix()}".removesuffix("/.") for parent in locked)
        raise Problems(Problem(place, 0, "", message) for place in places)


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


def listing(paths: Iterable[str]) -> bytes:
    """The list of what is ours."""
    return (json.dumps({"files": sorted(paths)}, indent=1, ensure_ascii=False) + "\n").encode()


def _same(path: Path, item: File) -> bool:
    """Whether the file is there as we would write it, so that it can as well be ours."""
    return not path.is_symlink() and of_files([str(path)]) == [item.digest]


def replace(path: Path, content: bytes) -> None:
    """Write a file by an atomic rename, readable for all; nothing is touched where the bytes are the same."""
    with _prepared(_differing({path: content})) as parts:
        _put(parts)


def _differing(contents: Mapping[Path, bytes]) -> dict[Path, Parts]:
    """What has to be written, less what is there already."""
    for path in contents:
        _part(path).unlink(missing_ok=True)  # of a build that was killed
    there = of_files(list(map(str, contents)))
    return {
        path: file(content).parts
        for (path, content), found in zip(contents.items(), there, strict=True)
        if found != digest(content)
    }


def _part(path: Path) -> Path:
    return path.with_name(path.name + PART)


@contextmanager
def _prepared(contents: Mapping[Path, Parts], folder: Path | None = None) -> Iterator[dict[Path, Path]]:
    """Write new bytes beside the files that they will replace, or into a folder; where they are is by file.

    What is not used then is removed, so a disk that becomes full changes nothing.
    """
    parts: dict[Path, Path] = {}
    try:
        for path, pieces in contents.items():
            part = folder / str(len(parts)) if folder else _part(path)
            parts[path] = part
            _make(part.parent)
            with part.open("wb") as written:
                written.writelines(pieces())
            part.chmod(0o644)
        yield parts
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
        if folder and folder.exists():
            folder.rmdir()


def _put(parts: Mapping[Path, Path]) -> None:
    for path, part in parts.items():
        _make(path.parent)
        part.replace(path)


def _remove_parts(folder: Path) -> None:
    """Remove what a build that was killed left."""
    left = [f"{PARTS}/{part.name}" for part in (folder / PARTS).glob("*")]
    _remove(folder, [LIST + PART, *left, f"{PARTS}/none"])


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
