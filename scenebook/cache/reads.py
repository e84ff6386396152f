"""Observes what a process reads under a root folder.

An author can forget to declare an input, but cannot forget an observed one. Python raises audit events when files are
opened, folders listed and programs started. It raises none when a process only asks about a file (`os.path.exists`) or
looks for a module, so those functions are wrapped. Libraries and the engine do not count as inputs, even if they are
under the root; their versions do. Two things are not observed: files that a compiled library such as HDF5 opens by
itself, and the sizes and dates in the results of `os.scandir`.
"""
# The observer records paths as the strings that were used, and does not access the disk while the process runs.

import os
import site
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from importlib.machinery import FileFinder, SourceFileLoader
from typing import Any, NamedTuple

LISTS = {"os.listdir", "os.scandir"}
LOADS = {"sqlite3.connect", "ctypes.dlopen"}
"""Events for files that compiled code opens by itself."""

WRITES = {
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
}
"""For each event: the argument that holds the written path, and the one that holds its folder's descriptor."""

UNSEEN = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "socket.connect"}
UNSEEN |= {"subprocess.Popen"}
_SPAWNS = ("multiprocessing.popen_spawn", "multiprocessing.popen_forkserver")
_WRITING = os.O_WRONLY | os.O_RDWR


class Reads(NamedTuple):
    """What a process read, as sorted paths relative to the root, with forward slashes.

    `paths` were opened or asked about, and can be missing or folders. `folders` were listed. `modules` are the paths,
    without suffix, that an import looked for: a file or folder with that name and any suffix can change what it finds.
    `written` should be empty. `unseen` are events after which more may have been read, such as the start of a program.
    """

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Observer:
    """Observes this process until it ends, because an audit hook cannot be removed."""

    def __init__(self, root: str) -> None:
        """Start to observe; `root` is the path of a folder, with links resolved."""
        self._root = os.path.join(root, "")
        self._seen: set[tuple[str, str]] = set()
        sys.addaudithook(self._audit)
        for function in ("stat", "lstat", "access", "readlink", "open"):
            _before(os, function, lambda path, *_, **options: self._note("paths", path, options.get("dir_fd")))
        _before(FileFinder, "find_spec", self._note_module)
        _before(SourceFileLoader, "path_stats", self._ignore_bytecode)

    def take(self) -> Reads:
        """Return what was read since the last call."""
        seen = [(kind, path) for kind, used in tuple(self._seen) for path in self._inputs(kind, used)]
        self._seen.clear()
        return Reads(**{kind: tuple(sorted({path for other, path in seen if other == kind})) for kind, _ in seen})

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            self._note("written" if arguments[2] & _WRITING else "paths", arguments[0])
        elif event in LISTS:
            if not _importing():
                descriptor = isinstance(arguments[0], int)
                self._note("folders", *(".", arguments[0]) if descriptor else (arguments[0] or ".",))
        elif event in LOADS:
            self._note("paths", arguments[0])
        elif event in WRITES:
            for path, folder in WRITES[event]:
                self._note("written", arguments[path], arguments[folder])
        elif event in UNSEEN or (event == "import" and arguments[0].startswith(_SPAWNS)):
            self._seen.add(("unseen", event))

    def _note(self, kind: str, path: Any, folder: int | None = None) -> None:
        with suppress(OSError, TypeError):  # the working directory was removed, or the path is a file descriptor
            base = os.getcwd() if folder in {None, -1} else os.readlink(f"/proc/self/fd/{folder}")
            self._seen.add((kind, os.path.join(base, os.fsdecode(path))))

    def _note_module(self, finder: FileFinder, name: str, *_: Any) -> None:
        self._note("modules", os.path.join(finder.path, name.rpartition(".")[2]))

    def _ignore_bytecode(self, _: SourceFileLoader, path: str) -> None:
        """Make the import system read the source. It checks bytecode by date, and a quick edit may not change that."""
        if self._is_input(path):
            raise OSError

    def _inputs(self, kind: str, path: str) -> Iterator[str]:
        """Yield the path as it was used and the path that its links lead to, each only if it is an input."""
        if kind == "unseen":
            yield path
        elif not path.startswith(LIBRARIES):
            for candidate in {os.path.normpath(path), os.path.realpath(path)}:
                if self._is_input(candidate) and not (kind == "paths" and candidate in ABOVE_LIBRARIES):
                    yield candidate[len(self._root) :].replace(os.sep, "/") or "."

    def _is_input(self, path: str) -> bool:
        return os.path.join(path, "").startswith(self._root) and not path.startswith(LIBRARIES)


def _libraries() -> Iterator[str]:
    for folder in (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__), *site.getsitepackages()):
        yield os.path.join(folder, "")
        yield os.path.join(os.path.realpath(folder), "")


LIBRARIES = tuple(sorted(set(_libraries())))
ABOVE_LIBRARIES = {path[:end] for path in LIBRARIES for end, sign in enumerate(path) if sign == os.sep}
"""Resolving the links in a library's path also reads the folders above the library, which are not inputs."""


def _importing() -> bool:
    """Return whether the import system itself caused the current event."""
    return sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")


def _before(owner: Any, name: str, do: Callable[..., None]) -> None:
    """Make a function of a module or class call `do` first, with the same arguments."""
    original = getattr(owner, name)

    @wraps(original)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        do(*arguments, **options)
        return original(*arguments, **options)

    setattr(owner, name, wrapper)
    for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in supported:
            supported.add(wrapper)
