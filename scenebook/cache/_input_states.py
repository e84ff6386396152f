"""The states of inputs, derived from their content. A build compares them with the states in an earlier build."""
# Paths are strings here because that takes a third of the time that Path objects take.

import os
import time
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path

from scenebook.cache import packages
from scenebook.cache.reads import Reads
from scenebook.core.digests import digest, of_file

TICK = 20_000_000
"""The number of nanoseconds by which a file's date can lag behind the clock."""

BUILD_OUTPUT = (".scenebook", "output", "facts.lock")
"""The files and folders that builds write into a root have names that begin with one of these."""

States = dict[str, dict[str, str]]
"""The state of each input, by kind of read and then by path. An input that does not exist has the state ""."""


class Inputs:
    """The states of the inputs that `Reads` lists. Each state is determined once, so use one object per build."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._began = time.time_ns()
        self._names_at_start = self._names_in_root()
        self._names: dict[str, list[str] | None] = {}
        self._states: dict[tuple[str, str], str] = {}
        self._state_functions: dict[str, Callable[[str], str]] = {
            "paths": self._content,
            "folders": self._listing,
            "modules": self._candidates,
            "links": self._target,
            "packages": packages.version,
            "imports": packages.candidates,
        }

    def state(self, kind: str, path: str) -> str:
        """Return the state of one input; `kind` is the field of `Reads` that lists it."""
        state = self._states.get((kind, path))
        if state is None:
            state = self._states[kind, path] = self._state_functions[kind](path)
        return state

    def states(self, reads: Reads) -> States:
        """Return the states of all inputs that were read."""
        inputs = {kind: getattr(reads, kind) for kind in self._state_functions}
        return {kind: {path: self.state(kind, path) for path in paths} for kind, paths in inputs.items() if paths}

    def changing(self, reads: Reads) -> bool:
        """Return whether an input has changed since the build began, so that its state may not be what was read.

        A missing file may have existed when it was read. In that case its folder, or a folder above it, has changed.
        """
        modules = (
            f"{os.path.dirname(path)}/{name}" for path in reads.modules for name in self.state("modules", path).split()
        )
        files = (*reads.paths, *reads.links, *modules)
        return any(map(self._file_changed, files)) or any(map(self._list_changed, reads.folders))

    def _file_changed(self, path: str) -> bool:
        full = f"{self._root}/{path}"
        if os.path.islink(full) and self._is_late(os.lstat(full)):
            return True
        if os.path.isfile(full):
            return self._is_late(os.stat(full))
        return not os.path.isdir(full) and self._list_changed(os.path.dirname(path))

    def _list_changed(self, path: str) -> bool:
        """Return whether names were added to or removed from a folder.

        The root is compared by its names, because builds write there too and so change its date.
        """
        if path in {"", "."}:
            return self._names_in_root() != self._names_at_start
        full = f"{self._root}/{path}"
        return self._is_late(os.stat(full)) if os.path.isdir(full) else self._list_changed(os.path.dirname(path))

    def _names_in_root(self) -> set[str]:
        """Return the names in the root, except those that builds write."""
        names = os.listdir(self._root) if os.path.isdir(self._root) else []
        return {name for name in names if not name.startswith(BUILD_OUTPUT)}

    def _is_late(self, state: os.stat_result) -> bool:
        """Return whether the last change was after the build began.

        The date used here is that of the last change to content or metadata, because no program can set it. Windows
        does not have it, so there it is the date of the content.
        """
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
        """Return the names that an import of this module could find: `x.py`, `x.so`, `x/`, `x/__init__.py`."""
        folder, _, module = path.rpartition("/")
        listed = self._list(folder or ".") or []
        # The characters . / 0 have consecutive codes, so in sorted order all `x.` and `x/` come just before `x0`.
        names = listed[bisect_left(listed, f"{module}.") : bisect_left(listed, f"{module}0")]
        inside = self._list(path) or () if f"{module}/" in names else ()
        return " ".join([*names, *(f"{module}/{name}" for name in inside if name.startswith("__init__."))])

    def _list(self, folder: str) -> list[str] | None:
        """Return the sorted names in a folder, with a slash after those of folders, or None if it cannot be listed.

        The slash is there because a process that lists a folder can also see which of the names are folders.
        """
        if folder not in self._names:
            try:
                with os.scandir(f"{self._root}/{folder}") as entries:
                    self._names[folder] = sorted(f"{item.name}/" if item.is_dir() else item.name for item in entries)
            except OSError:
                self._names[folder] = None
        return self._names[folder]
