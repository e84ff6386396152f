"""Keeps the results of build steps on disk, and finds a result again while its inputs are unchanged.

The inputs of a result are those that the step declares (parameters, versions) and those that it was observed to read.
Both are compared by content, never by date. Several results are kept for each name, so that undoing an edit finds the
earlier result. The cache can be deleted at any time: a result that is missing, truncated or damaged is made again.

    <step>/<name>.json   the results of a step for one name, most recently used first, after a line with a checksum
    blobs/<digest>       the byte strings of results
    trimmed              an empty file whose date is that of the last trim

Each file is written under another name and then renamed, and never changed. So a build can stop at any moment, and
several builds can run at once.
"""
# Paths are strings here because that takes a third of the time that Path objects take.

import json
import math
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from scenebook.cache._input_states import Inputs, States
from scenebook.cache.packages import ALL
from scenebook.cache.reads import Reads
from scenebook.core.digests import SIZE, File, digest

FORMAT = "3"
"""The version of the format. A change to it makes the cache start empty; then add the last version to those below."""

EARLIER_FORMATS = ("2",)
"""The formats that earlier engines wrote. Their files are arranged as in this one."""

RESULTS = 8
"""The number of results that are kept for each name."""

LIMIT = 1 << 30
"""The largest size of the cache in bytes, unless the user sets another."""

HOUR = 3600
"""Seconds. The use of a file is recorded at most this often, and newer files are never removed."""

LONG = 100
"""Declared values with more characters than this are stored as digests."""

NEW = "there is no earlier result"
T = TypeVar("T")
_DIGEST = re.compile(rf"[0-9a-f]{{{SIZE}}}")
_CHECKSUM = re.compile(rb"[0-9a-f]{%d}\n" % SIZE)
_OWN_NAME = re.compile(rf"/blobs/[0-9a-f]{{{SIZE}}}$|/trimmed$|\.\d+\.\d+\.part$")


class LostError(Exception):
    """Raised when the bytes of a result are missing or damaged. A second build then makes the result again."""


def retry_if_lost(attempt: Callable[[], T]) -> T:
    """Return what `attempt` returns. After a `LostError`, call it again: the cache no longer offers the lost result."""
    while True:
        with suppress(LostError):
            return attempt()


class CacheEntry(NamedTuple):
    """One result: `data` is small and fits JSON; `blobs` has the digest and size of each byte string, by name."""

    declared: Mapping[str, str]
    reads: States
    data: Any
    blobs: Mapping[str, tuple[str, int]]


class Cache:
    """The results in a folder, whose inputs are files under a root. Use one object for one build."""

    def __init__(self, folder: Path, root: Path, limit: int = LIMIT) -> None:
        self._all_formats = str(folder)
        self.folder = f"{folder}/{FORMAT}"
        self.inputs = Inputs(root)
        self.limit = limit
        self._damaged = False

    def find(self, step: str, name: str, declared: Mapping[str, str]) -> CacheEntry | None:
        """Return the result of a step for a name such as `slug/scene`, or None if no result has the same inputs."""
        path, short = self._path(step, name), _short(declared)
        entries = _load(path)
        match = next((entry for entry in entries if entry.declared == short and self._is_current(entry)), None)
        with suppress(OSError):  # recording the use of an entry is optional
            if match and match is not entries[0]:
                _save(path, [match, *(entry for entry in entries if entry is not match)])
        return match

    def keep(
        self,
        step: str,
        name: str,
        declared: Mapping[str, str],
        reads: Reads,
        data: Any = None,
        blobs: Mapping[str, bytes] | None = None,
    ) -> CacheEntry | None:
        """Keep a result and return its entry, or None if its inputs are uncertain or it cannot be written."""
        states = self.inputs.states(reads)  # before the check, so that the next build notices any change after it
        if reads.written or reads.unseen or self.inputs.changing(reads):
            return None
        path, short = self._path(step, name), _short(declared)
        others = [entry for entry in _load(path) if (entry.declared, entry.reads) != (short, states)]
        with suppress(OSError):
            stored = {blob: self._put(content) for blob, content in (blobs or {}).items()}
            entry = CacheEntry(short, states, data, stored)
            _save(path, [entry, *others[: RESULTS - 1]])
            return entry
        return None

    def forget(self, step: str, name: str) -> None:
        """Remove all results of a step for a name."""
        with suppress(OSError):
            os.unlink(self._path(step, name))

    def read(self, entry: CacheEntry, blob: str) -> bytes:
        """Return a byte string of an entry.

        Raises `LostError` if it is missing or damaged. After that, byte strings are verified before an entry is used.
        """
        [content] = self._source(entry.blobs[blob][0])
        return content

    def _source(self, name: str) -> list[bytes]:
        """Return the bytes with this digest, in the form that `File` expects of a source."""
        path = self._blob(name)
        with suppress(OSError):
            content = _read(path)
            if digest(content) == name:
                return [content]
            os.unlink(path)
        self._damaged = True
        raise LostError(f"{path} is missing or damaged")

    def file(self, entry: CacheEntry, blob: str) -> File:
        """Return a byte string as a file that is read on demand. It does not keep the entry, which can be large."""
        return File(entry.blobs[blob][0], self._source)

    def why(self, step: str, name: str, declared: Mapping[str, str]) -> list[str]:
        """Return what has changed since the last result that was kept or used, or an empty list if nothing has."""
        entries = _load(self._path(step, name))
        if not entries:
            return [NEW]
        last, short = entries[0], _short(declared)
        keys = sorted({*last.declared, *short})
        changes = [_declared_change(key, last.declared.get(key), short.get(key)) for key in keys]
        for kind, states in last.reads.items():
            changes += [_input_change(kind, path, old, self.inputs.state(kind, path)) for path, old in states.items()]
        missing = [] if self._is_complete(last) else ["its data is missing from the cache"]
        return list(filter(None, changes)) or missing

    def trim(self) -> None:
        """Remove the least recently used files until the cache is within its limit, unfinished files, and old formats.

        Call this at the end of a build. It does nothing if the last trim was less than an hour ago.
        """
        hour_ago, mark = time.time() - HOUR, f"{self.folder}/trimmed"
        with suppress(OSError):
            if os.stat(mark).st_mtime > hour_ago:
                return
        excess = sum(state.st_size for _, state in _files(self.folder)) - self.limit
        full = excess > 0
        old = (file for file in _files(self.folder) if file[1].st_mtime < hour_ago and (full or _is_part(file[0])))
        for _, path, size in sorted((state.st_mtime, path, state.st_size) for path, state in old):
            if excess > 0 or _is_part(path):
                excess -= size
                with suppress(OSError):  # another build has removed it, or it is write-protected
                    os.unlink(path)
        _remove_formats(self._all_formats, EARLIER_FORMATS, before=hour_ago)
        with suppress(OSError):
            _replace(mark, b"")

    def _is_current(self, entry: CacheEntry) -> bool:
        return self._is_complete(entry) and all(
            self.inputs.state(kind, path) == state
            for kind, states in entry.reads.items()
            for path, state in states.items()
        )

    def _is_complete(self, entry: CacheEntry) -> bool:
        return all(self._has_blob(name, size) for name, size in entry.blobs.values())

    def _has_blob(self, name: str, size: int) -> bool:
        """Return whether a blob exists and has the right size.

        Content is normally verified when it is read. Once damage has been found, it is verified here too.
        """
        path = self._blob(name)
        if not self._damaged:
            return _mark_used(path) == size
        with suppress(OSError):
            return digest(_read(path)) == name
        return False

    def _put(self, content: bytes) -> tuple[str, int]:
        name = digest(content)
        if not self._has_blob(name, len(content)):
            _replace(self._blob(name), content)
        return name, len(content)

    def _path(self, step: str, name: str) -> str:
        return f"{self.folder}/{step}/{name}.json"

    def _blob(self, name: str) -> str:
        return f"{self.folder}/blobs/{name}"


def remove(folder: Path) -> int:
    """Remove the cache in a folder, in every format that we know, and nothing else. Return the number of files."""
    return _remove_formats(str(folder), (*EARLIER_FORMATS, FORMAT))


def _remove_formats(folder: str, formats: Iterable[str], before: float = math.inf) -> int:
    """Remove the files of these formats that no build has used since a time. Return how many were removed."""
    count = 0
    for place in [f"{folder}/{name}" for name in formats]:
        own = [path for path, state in _files(place) if state.st_mtime < before and _is_own(path)]
        for path in own:
            with suppress(OSError):  # another build has removed it, or it is write-protected
                os.unlink(path)
                count += 1
        for emptied, _, _ in os.walk(place, topdown=False) if own else ():
            with suppress(OSError):  # the folder is not empty
                os.rmdir(emptied)
    return count


def _is_own(path: str) -> bool:
    """Return whether a build wrote a file: its name says so or, for a list of results, its checksum."""
    if not path.endswith(".json"):
        return _OWN_NAME.search(path) is not None
    try:
        with open(path, "rb") as file:
            return _CHECKSUM.match(file.read(SIZE + 1)) is not None
    except OSError:
        return False


def _short(declared: Mapping[str, str]) -> dict[str, str]:
    return {key: value if len(value) <= LONG else digest(value.encode()) for key, value in declared.items()}


def _declared_change(key: str, old: str | None, new: str | None) -> str:
    """Return what has changed in a declared input, or "" if it is the same."""
    if old is None or new is None:
        return "" if old == new else f"{key} is {'new' if old is None else 'gone'}"
    if old == new:
        return ""
    return f"{key} changed" + ("" if _DIGEST.fullmatch(new) else f" from {old or 'nothing'} to {new or 'nothing'}")


def _input_change(kind: str, path: str, old: str, new: str) -> str:
    """Return what has changed in an observed input, or "" if it is the same."""
    if old == new:
        return ""
    if kind == "packages":
        return f"{path} changed" + ("" if path == ALL else f" from {old or 'nothing'} to {new or 'nothing'}")
    if kind in {"modules", "imports"}:
        return f"an import of {path} found {old or 'nothing'}, and could now find {new or 'nothing'}"
    subject = {"paths": path, "links": f"the link {path}"}.get(kind, f"the list of files in {path}")
    return f"{subject} {'is new' if not old else 'is gone' if not new else 'changed'}"


def _load(path: str) -> list[CacheEntry]:
    """Return the entries in a file, or none if the file is missing or damaged."""
    _mark_used(path)
    try:
        checksum, _, text = _read(path).partition(b"\n")
        return [CacheEntry(**entry) for entry in json.loads(text)] if checksum == digest(text).encode() else []
    except (OSError, ValueError, TypeError):
        return []


def _save(path: str, entries: Sequence[CacheEntry]) -> None:
    text = json.dumps([entry._asdict() for entry in entries], sort_keys=True).encode()
    _replace(path, digest(text).encode() + b"\n" + text)


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _replace(path: str, content: bytes) -> None:
    part = f"{path}.{os.getpid()}.{time.monotonic_ns()}.part"
    if not os.path.isdir(folder := os.path.dirname(path)):
        os.makedirs(folder, exist_ok=True)
    try:
        with open(part, "wb") as file:
            file.write(content)
        os.replace(part, path)
    except BaseException:  # the disk is full, a folder has this name, or the user interrupts
        with suppress(OSError):
            os.unlink(part)
        raise


def _mark_used(path: str) -> int:
    """Record for `trim` that a file is in use, and return its size, or -1 if it does not exist."""
    try:
        state = os.stat(path)
    except OSError:
        return -1
    if state.st_mtime < time.time() - HOUR:
        with suppress(OSError):
            os.utime(path)
    return state.st_size


def _is_part(path: str) -> bool:
    return path.endswith(".part")


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files in a folder and its subfolders, one at a time, because there can be thousands."""
    with suppress(OSError), os.scandir(folder) as items:
        for item in items:
            if item.is_dir(follow_symlinks=False):
                yield from _files(item.path)
            else:
                with suppress(FileNotFoundError):  # another build may have removed it
                    yield item.path, item.stat()
