"""Keeps results with what they were made from, and finds them while all of it is still so.

A result is made from what its maker declares (parameters, versions) and from what it was seen to read. Both are
compared by content, never by date. Of each thing that is made several results are kept, so that an edit that is taken
back finds the older one. Nothing here must survive: what is missing, cut short or damaged is made again.

    <step>/<name>.json   what is kept of one thing, the last used first, below the digest of the text
    blobs/<digest>       the bytes of results
    trimmed              tells by its date when what was not used was last removed

Files are put in place in one step and never changed, so builds may end at any moment, and overlap.
"""
# Paths are strings here, which take a third of the time of objects.

import json
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from scenebook.cache._input_states import Inputs, States
from scenebook.cache.reads import Reads
from scenebook.core.digests import SIZE, File, digest

FORMAT = "2"
"""Another one makes all that is kept unknown."""

RESULTS = 8
"""So many results are kept of each thing."""

LIMIT = 1 << 30
"""So many bytes are kept in all."""

HOUR = 3600
"""Seconds: use is noted no more often, and nothing younger is removed."""

LONG = 100
"""Longer values that are declared are kept as their digest."""

NEW = "it was not made before"
_DIGEST = re.compile(rf"[0-9a-f]{{{SIZE}}}")


class LostError(Exception):
    """Raised where bytes are gone or damaged. They will not be found again, so a build begun anew succeeds."""


class CacheEntry(NamedTuple):
    """One result: `data` is small and fit for JSON, `blobs` are digest and size of its byte strings, by name."""

    declared: Mapping[str, str]
    reads: States
    data: Any
    blobs: Mapping[str, tuple[str, int]]


class Cache:
    """Results in a folder, made from what is below a root. One object serves one build."""

    def __init__(self, folder: Path, root: Path, limit: int = LIMIT) -> None:
        self.folder = f"{folder}/{FORMAT}"
        self.inputs = Inputs(root)
        self.limit = limit
        self._damaged = False

    def find(self, step: str, name: str, declared: Mapping[str, str]) -> CacheEntry | None:
        """The result of a step for a name such as `slug/scene`, if one was made from the same."""
        path, short = self._path(step, name), _short(declared)
        entries = _load(path)
        found = next((entry for entry in entries if entry.declared == short and self._holds(entry)), None)
        with suppress(OSError):  # that it was used is good to know, no more
            if found and found is not entries[0]:
                _save(path, [found, *(entry for entry in entries if entry is not found)])
        return found

    def keep(
        self,
        step: str,
        name: str,
        declared: Mapping[str, str],
        reads: Reads,
        data: Any = None,
        blobs: Mapping[str, bytes] | None = None,
    ) -> CacheEntry | None:
        """Keep a result; None where it is not known what it was made from, or where there is no place for it."""
        states = self.inputs.states(reads)  # first: what changes behind the next look will be another state
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
        """Keep nothing of a step for a name."""
        with suppress(OSError):
            os.unlink(self._path(step, name))

    def read(self, entry: CacheEntry, blob: str) -> bytes:
        """The bytes of an entry. Raises `LostError`; from then on no bytes are believed in without a look at them."""
        [content] = self._source(entry.blobs[blob][0])
        return content

    def _source(self, name: str) -> list[bytes]:
        """The bytes that have this digest, as the source of a file."""
        path = self._blob(name)
        with suppress(OSError):
            content = _read(path)
            if digest(content) == name:
                return [content]
            os.unlink(path)
        self._damaged = True
        raise LostError(f"{path} is gone or damaged")

    def file(self, entry: CacheEntry, blob: str) -> File:
        """The same as a file, read when it has to be written. It does not hold the entry, which may be large."""
        return File(entry.blobs[blob][0], self._source)

    def why(self, step: str, name: str, declared: Mapping[str, str]) -> list[str]:
        """What differs from the last result that was kept or used; empty where that still holds."""
        entries = _load(self._path(step, name))
        if not entries:
            return [NEW]
        last, short = entries[0], _short(declared)
        changes = [_change(key, last.declared.get(key), short.get(key)) for key in sorted({*last.declared, *short})]
        for kind, states in last.reads.items():
            changes += [_changed(kind, path, old, self.inputs.state(kind, path)) for path, old in states.items()]
        return list(filter(None, changes)) or ([] if self._whole(last) else ["its bytes are gone"])

    def trim(self) -> None:
        """Keep within the limit: remove what was not used for longest. For the end of a build; once an hour will do."""
        young, mark = time.time() - HOUR, f"{self.folder}/trimmed"
        with suppress(OSError):
            if os.stat(mark).st_mtime > young:
                return
        excess = sum(state.st_size for _, state in _files(self.folder)) - self.limit
        full = excess > 0
        old = (file for file in _files(self.folder) if file[1].st_mtime < young and (full or _is_part(file[0])))
        for _, path, size in sorted((state.st_mtime, path, state.st_size) for path, state in old):
            if excess > 0 or _is_part(path):
                excess -= size
                with suppress(OSError):  # another build was quicker, or it may not be removed
                    os.unlink(path)
        with suppress(OSError):
            _replace(mark, b"")

    def _holds(self, entry: CacheEntry) -> bool:
        return self._whole(entry) and all(
            self.inputs.state(kind, path) == state
            for kind, states in entry.reads.items()
            for path, state in states.items()
        )

    def _whole(self, entry: CacheEntry) -> bool:
        return all(self._there(name, size) for name, size in entry.blobs.values())

    def _there(self, name: str, size: int) -> bool:
        """Whether some bytes are there. Whether they are sound is seen when they are read, unless some were not."""
        path = self._blob(name)
        if not self._damaged:
            return _use(path) == size
        with suppress(OSError):
            return digest(_read(path)) == name
        return False

    def _put(self, content: bytes) -> tuple[str, int]:
        name = digest(content)
        if not self._there(name, len(content)):
            _replace(self._blob(name), content)
        return name, len(content)

    def _path(self, step: str, name: str) -> str:
        return f"{self.folder}/{step}/{name}.json"

    def _blob(self, name: str) -> str:
        return f"{self.folder}/blobs/{name}"


def _short(declared: Mapping[str, str]) -> dict[str, str]:
    return {key: value if len(value) <= LONG else digest(value.encode()) for key, value in declared.items()}


def _change(key: str, old: str | None, new: str | None) -> str:
    if old is None or new is None:
        return "" if old == new else f"{key} is {'new' if old is None else 'gone'}"
    if old == new:
        return ""
    return f"{key} changed" + ("" if _DIGEST.fullmatch(new) else f" from {old or 'nothing'} to {new or 'nothing'}")


def _changed(kind: str, path: str, old: str, new: str) -> str:
    if old == new:
        return ""
    if kind == "modules":
        return f"an import of {path} found {old or 'nothing'}, and could now find {new or 'nothing'}"
    what = {"paths": path, "links": f"the link {path}"}.get(kind, f"the list of files in {path}")
    return f"{what} {'is new' if not old else 'is gone' if not new else 'changed'}"


def _load(path: str) -> list[CacheEntry]:
    """The entries of a file; none if it is not there or not sound."""
    _use(path)
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
    except BaseException:  # the disk is full, a folder has this place, somebody interrupts
        with suppress(OSError):
            os.unlink(part)
        raise


def _use(path: str) -> int:
    """Note that a file is used, for `trim`; return its size, -1 if there is none."""
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
    """The files in a folder and below, one by one, since they may be many thousands."""
    with suppress(OSError), os.scandir(folder) as found:
        for item in found:
            if item.is_dir(follow_symlinks=False):
                yield from _files(item.path)
            else:
                with suppress(FileNotFoundError):  # another build may have been quicker
                    yield item.path, item.stat()
