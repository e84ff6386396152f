"""What a process reads under a root folder, observed while it runs.

An observed input can't be forgotten, as a declared one can. Python tells of opened files, listed folders and started
programs by audit events; of what it asks about without opening (`os.path.exists`) and of modules it looks for it tells
nothing, so those functions are wrapped. Libraries and the engine itself are no inputs, even where they lie under the
root: their versions are. What is not seen: a file that a compiled library opens by itself, such as HDF5, and sizes and
dates that `os.scandir` tells of what it lists.
"""
# The observer takes paths as the strings they came as, and asks the disk for nothing.

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
"""Events of files that compiled code opens by itself, and tells of."""

WRITES = {
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
}
"""By event, where in its arguments a written path is, and where the descriptor of the folder it is relative to."""

UNSEEN = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "socket.connect"}
UNSEEN |= {"subprocess.Popen"}
_SPAWNS = ("multiprocessing.popen_spawn", "multiprocessing.popen_forkserver")
_WRITING = os.O_WRONLY | os.O_RDWR


class Reads(NamedTuple):
    """What a process read, by paths relative to the root, with forward slashes, sorted.

    `paths` were opened or asked about, and may be missing or folders; `folders` were listed; `modules` are paths
    without suffix that an import looked for: a file or folder of that name, with any suffix, may change what it finds.
    `written` should be empty. `unseen` are events after which more may have been read, such as a started program.
    """

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Observer:
    """Observes this process, to its end: an audit hook can't be removed."""

    def __init__(self, root: str) -> None:
        """Begin; `root` is the real path of a folder."""
        self._inside = os.path.join(root, "")
        self._seen: set[tuple[str, str]] = set()
        sys.addaudithook(self._audit)
        for function in ("stat", "lstat", "access", "readlink", "open"):
            _before(os, function, lambda path, *_, **options: self._note("paths", path, options.get("dir_fd")))
        _before(FileFinder, "find_spec", self._look_for)
        _before(SourceFileLoader, "path_stats", self._distrust_bytecode)

    def take(self) -> Reads:
        """What was read since the last call."""
        seen = [(kind, path) for kind, written in tuple(self._seen) for path in self._places(kind, written)]
        self._seen.clear()
        return Reads(**{kind: tuple(sorted({path for of, path in seen if of == kind})) for kind, _ in seen})

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
        with suppress(OSError, TypeError):  # the working directory is gone, or the path is a descriptor of an open file
            base = os.getcwd() if folder in {None, -1} else os.readlink(f"/proc/self/fd/{folder}")
            self._seen.add((kind, os.path.join(base, os.fsdecode(path))))

    def _look_for(self, finder: FileFinder, name: str, *_: Any) -> None:
        self._note("modules", os.path.join(finder.path, name.rpartition(".")[2]))

    def _distrust_bytecode(self, _: SourceFileLoader, path: str) -> None:
        """Have the import system read the source: bytecode is checked by a date, which a quick edit may not change."""
        if self._input(path):
            raise OSError

    def _places(self, kind: str, path: str) -> Iterator[str]:
        """The path as asked for, and where its links lead, if they are inputs."""
        if kind == "unseen":
            yield path
        elif not path.startswith(LIBRARIES):
            for place in {os.path.normpath(path), os.path.realpath(path)}:
                if self._input(place) and not (kind == "paths" and place in ABOVE_LIBRARIES):
                    yield place[len(self._inside) :].replace(os.sep, "/") or "."

    def _input(self, path: str) -> bool:
        return os.path.join(path, "").startswith(self._inside) and not path.startswith(LIBRARIES)


def _libraries() -> Iterator[str]:
    for folder in (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__), *site.getsitepackages()):
        yield os.path.join(folder, "")
        yield os.path.join(os.path.realpath(folder), "")


LIBRARIES = tuple(sorted(set(_libraries())))
ABOVE_LIBRARIES = {path[:end] for path in LIBRARIES for end, sign in enumerate(path) if sign == os.sep}
"""Whoever asks where a library really is asks about the folders above it too."""


def _importing() -> bool:
    """Whether the import system itself caused the present event."""
    return sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")


def _before(owner: Any, name: str, do: Callable[..., None]) -> None:
    """Have `do` called, with the same arguments, before each call of a function of a module or class."""
    original = getattr(owner, name)

    @wraps(original)
    def wrapper(*arguments: Any, **options: Any) -> Any:
        do(*arguments, **options)
        return original(*arguments, **options)

    setattr(owner, name, wrapper)
    for able in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks, os.supports_effective_ids):
        if original in able:
            able.add(wrapper)
