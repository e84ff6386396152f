"""The states of inputs, by content: what a later build compares with what an earlier one read."""
# Paths are strings here, which take a third of the time of objects.

import os
import time
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

from scenebook.cache.reads import Reads
from scenebook.core.digests import digest, of_file

TICK = 20_000_000
"""Nanoseconds by which a file's date may lag behind the clock."""

OWN = (".scenebook", "output", "facts.lock")
"""How the names of what builds write into a root begin."""

States = dict[str, dict[str, str]]
"""By kind of read and path: a state; "" is that of what is not there."""


class Inputs:
    """The states of what `Reads` lists. Each is looked at once, so one object serves one build."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._began = time.time_ns()
        self._had = self._top()
        self._names: dict[str, list[str] | None] = {}
        self._states: dict[tuple[str, str], str] = {}
        self._looks: dict[str, Callable[[str], str]] = {
            "paths": self._content,
            "folders": self._listing,
            "modules": self._candidates,
            "links": self._target,
        }

    def state(self, kind: str, path: str) -> str:
        """The state of what an observer saw under this kind: `paths`, `folders`, `modules` or `links`."""
        state = self._states.get((kind, path))
        if state is None:
            state = self._states[kind, path] = self._looks[kind](path)
        return state

    def states(self, reads: Reads) -> States:
        """The states of all that was read."""
        seen = {kind: getattr(reads, kind) for kind in self._looks}
        return {kind: {path: self.state(kind, path) for path in paths} for kind, paths in seen.items() if paths}

    def changing(self, reads: Reads) -> bool:
        """Whether something that was read has changed since the build began, so that nobody knows what was read.

        A file that is not there may have been when it was read; then its folder has changed, or the one that held it.
        """
        modules = (
            f"{os.path.dirname(path)}/{name}" for path in reads.modules for name in self.state("modules", path).split()
        )
        files = (*reads.paths, *reads.links, *modules)
        return any(map(self._file_changed, files)) or any(map(self._list_changed, reads.folders))

    def _file_changed(self, path: str) -> bool:
        full = f"{self._root}/{path}"
        if os.path.islink(full) and self._late(os.lstat(full)):
            return True
        if os.path.isfile(full):
            return self._late(os.stat(full))
        return not os.path.isdir(full) and self._list_changed(os.path.dirname(path))

    def _list_changed(self, path: str) -> bool:
        """Whether names came or went. The date of the root tells nothing, since builds write there too."""
        if path in {"", "."}:
            return self._top() != self._had
        full = f"{self._root}/{path}"
        return self._late(os.stat(full)) if os.path.isdir(full) else self._list_changed(os.path.dirname(path))

    def _top(self) -> set[str]:
        """The names in the root, but for what builds write."""
        names = os.listdir(self._root) if os.path.isdir(self._root) else []
        return {name for name in names if not name.startswith(OWN)}

    def _late(self, state: os.stat_result) -> bool:
        """By the date of the last change of any kind, which nobody can set; Windows does not have it."""
        return (state.st_mtime_ns if os.name == "nt" else state.st_ctime_ns) > self._began - TICK

    def _content(self, path: str) -> str:
        try:
            return of_file(f"{self._root}/{path}")
        except IsADirectoryError:
            return "folder"
        except OSError:
            return ""

    def _listing(self, path: str) -> str:
        names = self._list(path)
        return "" if names is None else digest(os.fsencode("\n".join(names)))

    def _target(self, path: str) -> str:
        try:
            return digest(os.fsencode(os.readlink(f"{self._root}/{path}")))
        except OSError:
            return ""

    def _candidates(self, path: str) -> str:
        """All that an import of this module could find: `x.py`, `x.so`, `x/`, `x/__init__.py`."""
        folder, _, module = path.rpartition("/")
        listed = self._list(folder or ".") or []
        # Sorted, what begins with `x.` or `x/` lies together: of all characters . / 0 follow one another.
        names = listed[bisect_left(listed, f"{module}.") : bisect_left(listed, f"{module}0")]
        inside = self._list(path) or () if f"{module}/" in names else ()
        return " ".join([*names, *(f"{module}/{name}" for name in inside if name.startswith("__init__."))])

    def _list(self, folder: str) -> list[str] | None:
        """The names in a folder, those of folders with a slash: who lists a folder is told that too."""
        if folder not in self._names:
            try:
                with os.scandir(f"{self._root}/{folder}") as found:
                    self._names[folder] = sorted(f"{item.name}/" if item.is_dir() else item.name for item in found)
            except OSError:
                self._names[folder] = None
        return self._names[folder]
