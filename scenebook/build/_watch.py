"""Watches the files that a site is made from, and reports which of them have changed, many at a time."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import NamedTuple, TypeAlias

from watchfiles import Change, DefaultFilter, watch

from scenebook.core.problems import Problem, Problems
from scenebook.page import output

QUIET, AT_MOST = 25, 1_000
"""Changes belong together until nothing has changed for `QUIET` milliseconds, but not for longer than `AT_MOST`."""
AWAKE = 0.5
"""Seconds after which the main thread looks up from its waiting: not every system wakes it for Ctrl-C."""
NOT_INPUTS = ("output", "review", ".scenebook", "facts.lock")
"""What Scenebook itself writes at the top of a site."""
TEMPORARY = (*DefaultFilter.ignore_entity_patterns, r"^4913$", r"^#.*#$", rf"{output.PART}$")
"""The names of files that editors, and builds, write for a moment while they save."""

Changes: TypeAlias = SimpleQueue[frozenset[Path] | Problems | None]
"""The paths of files that have changed, together; or what has gone wrong; or None at the end."""


class Watcher(NamedTuple):
    """Waits for changes, until `end` is called, which is possible in any thread and in a signal handler."""

    changes: Changes

    def next(self) -> frozenset[Path]:
        """Wait until files have changed, and return their paths, or none at the end.

        What has come together during a build is returned together. Raises `Problems` if watching is not possible.
        """
        found: frozenset[Path] = frozenset()
        while True:
            try:
                new = self.changes.get(timeout=0 if found else AWAKE)
            except Empty:
                if found:
                    return found
                continue
            if new is None:
                return frozenset()
            if isinstance(new, Problems):
                raise new
            found |= new

    def end(self) -> None:
        self.changes.put(None)


class _Stop(Event):
    """Ends the watching when it is set. The watcher asks for that again and again, but only once it watches."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = Event()

    def is_set(self) -> bool:
        self.asked.set()
        return super().is_set()


@contextmanager
def watching(root: Path, *others: Path) -> Iterator[Watcher]:
    """Yield what waits for changes below the root or other folders. It misses none from here on."""
    stop, changes = _Stop(), Changes()
    folders = [root, *(folder for folder in others if folder.is_dir() and not folder.is_relative_to(root))]
    watcher = Thread(target=_watch, args=(folders, stop, changes.put), daemon=True)
    watcher.start()
    stop.asked.wait()
    try:
        yield Watcher(changes)
    finally:
        stop.set()
        watcher.join()


def _watch(folders: list[Path], stop: _Stop, put: Callable[[frozenset[Path] | Problems | None], None]) -> None:
    found = watch(
        *folders,
        watch_filter=_input_filter(folders[0]),
        debounce=AT_MOST,
        step=QUIET,
        stop_event=stop,
        raise_interrupt=False,
        ignore_permission_denied=True,
    )
    try:
        for changes in found:
            put(frozenset(Path(path) for _, path in changes))
    except OSError as error:
        advice = "set the environment variable WATCHFILES_FORCE_POLLING=1, which looks at all files again and again"
        put(Problems([Problem("", 0, "serve", f"the site's folder cannot be watched: {error}; {advice}")]))
    finally:
        stop.asked.set()
        put(None)


def _input_filter(root: Path) -> Callable[[Change, str], bool]:
    """Return a function that says whether a change counts. Folders above the root may have any names."""
    ordinary = DefaultFilter(ignore_entity_patterns=TEMPORARY)

    def counts(change: Change, path: str) -> bool:
        name = os.path.relpath(path, root)
        return name.partition(os.sep)[0] not in NOT_INPUTS and ordinary(change, name)

    return counts
