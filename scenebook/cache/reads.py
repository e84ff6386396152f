"""Observes what a process reads under a root folder.

An author can forget to declare an input, but an observed input cannot be forgotten. Python reports opened files, listed
folders and started programs as audit events. It does not report paths that are only asked about (`os.path.exists`) or
modules that an import looks for, so the functions that do this are wrapped. The files of Python, of installed packages
and of the engine are not inputs, even if they are under the root. Their versions are, so the names of what is imported
are recorded, and also the names of what an import did not find. Modules that are anywhere else are inputs like files
under the root.

Compiled code may open files without Python, so Python cannot report them. SQLite is asked which files it opens. After
an import of one of the `OPENERS`, or of the author's own compiled code, the process may have read more than was seen.
Two things are never seen: files that other compiled libraries open, and the dates of files.
"""
# The observer records paths as the strings that were used, and does not access the disk while the process runs.

import builtins
import importlib
import os
import site
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial, wraps
from importlib.machinery import FileFinder, SourceFileLoader
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from scenebook.cache.packages import ALL

LISTS = {"os.listdir", "os.scandir"}

OPENERS = {"PIL._imagingft", "_cffi_backend", "_dbm", "_gdbm", "apsw", "cv2", "duckdb", "fiona", "h5py", "lmdb"}
OPENERS |= {"lxml.etree", "netCDF4", "osgeo", "polars", "pyogrio", "rasterio", "safetensors", "tables", "tokenizers"}
OPENERS |= {f"pyarrow._{part}" for part in ("csv", "dataset", "feather", "fs", "json", "orc", "parquet")}
"""Compiled modules that are made for reading files and open them without Python."""

WRITES = {
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.rename": ((0, 2), (1, 3)),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
}
"""For each event, the positions of two arguments: the written path, and the descriptor of its folder."""

UNSEEN = {"os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "subprocess.Popen"}
UNSEEN |= {"socket.bind", "socket.connect", "socket.sendmsg", "socket.sendto"}
UNSEEN |= {"sqlite3.enable_load_extension", "sqlite3.load_extension"}
CALLS = {"ctypes.call_function", "ctypes.dlsym", "ctypes.dlsym/handle"}
"""Events that let an author's code call any function of the system."""

_SPAWNS = ("multiprocessing.popen_spawn", "multiprocessing.popen_forkserver")
_WRITING = os.O_WRONLY | os.O_RDWR
_ATTACH = 24  # the value in sqlite3.h


class Reads(NamedTuple):
    """What a process read, as sorted paths relative to the root, with forward slashes.

    `paths` were opened or asked about, and may be missing or folders. `folders` were listed. `links` were read for
    their targets. `modules` are paths without a suffix that an import looked for: a file or folder with this name and
    any suffix may change what the import finds. `imports` are the names of modules that an import looked for in
    packages, with or without success, and `packages` are the packages that had them. `written` should be empty.
    `unseen` are events after which the process may have read more, such as the start of a program.
    """

    paths: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class Observer:
    """Observes this process until it ends, because an audit hook cannot be removed."""

    def __init__(self, root: str) -> None:
        """Start to observe. `root` is the path of a folder, with links resolved."""
        self._root = os.path.join(root, "")
        self._seen: set[tuple[str, str]] = set()
        self._watching = self._connecting = False
        self._handlers: dict[str, Callable[..., None]] = {
            "open": self._open,
            **dict.fromkeys(LISTS, self._list),
            **{event: partial(self._write, places) for event, places in WRITES.items()},
            **dict.fromkeys(UNSEEN, self._unseen),
            **dict.fromkeys(CALLS, self._call),
            "import": self._import,
            "ctypes.dlopen": self._load,
            "sqlite3.connect": self._connect,
        }
        sys.addaudithook(self._audit)
        for function in ("stat", "lstat", "access", "open"):
            _before(os, function, lambda path, *_, **options: self._note("paths", path, options.get("dir_fd")))
        _before(os, "readlink", lambda path, *_, **options: self._note("links", path, options.get("dir_fd")))
        _before(FileFinder, "find_spec", self._note_module)
        _before(SourceFileLoader, "path_stats", self._ignore_bytecode)
        for owner, function in ((builtins, "__import__"), (importlib, "import_module")):
            _before(owner, function, self._note_import)
        sys.meta_path.append(_LastFinder(self._note_missing))

    def take(self) -> Reads:
        """Return what was read since the last call."""
        seen = [(kind, path) for kind, used in tuple(self._seen) for path in self._inputs(kind, used)]
        imported = {name for kind, name in seen if kind == "imports"}
        seen += [("paths", path) for path in self._modules_elsewhere(imported)]
        self._seen.clear()
        found = [("unseen" if kind == "opener" else kind, path) for kind, path in seen]
        return Reads(**{kind: tuple(sorted({path for of, path in found if of == kind})) for kind, _ in found})

    def fork(self) -> int:
        """Fork this process as `os.fork` does. Both processes go on observing, so nothing happens unseen."""
        noted = ("unseen", "os.fork") in self._seen
        pid = os.fork()
        if not noted:
            self._seen.discard(("unseen", "os.fork"))
        return pid

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if handle := self._handlers.get(event):
            handle(event, *arguments)

    def _open(self, _: str, path: Any, mode: Any, flags: int) -> None:
        self._note("written" if flags & _WRITING else "paths", path)

    def _list(self, _: str, folder: Any = None, *__: Any) -> None:
        """Record a listed folder. Who lists a folder of packages wants to know what is installed."""
        if _importing():
            return
        if isinstance(folder, str | bytes | os.PathLike) and os.path.join(os.fsdecode(folder), "") in LIBRARIES:
            self._seen.add(("packages", ALL))
        else:
            self._note("folders", *(".", folder) if isinstance(folder, int) else (folder or ".",))

    def _write(self, places: tuple[tuple[int, int], ...], _: str, *arguments: Any) -> None:
        for path, folder in places:
            self._note("written", arguments[path], arguments[folder])

    def _unseen(self, event: str, *_: Any) -> None:
        self._seen.add(("unseen", event))

    def _call(self, event: str, *_: Any) -> None:
        if _called_by_author():
            self._unseen(event)

    def _load(self, _: str, library: Any) -> None:
        self._note("paths", library)

    def _import(self, _: str, module: str, file: str | None, *__: Any) -> None:
        """Record an import. `file` is given only for compiled code."""
        if file:
            self._note("paths", file)
        top, part = module.partition(".")[0], ".".join(module.split(".")[:2])
        if opener := next((name for name in (top, part) if name in OPENERS), None):
            self._seen.add(("opener", opener))
        elif module.startswith(_SPAWNS) or (file and self._is_input(file)):
            self._unseen(f"import of {module}")
        elif top in {"sqlite3", "_sqlite3"} and not self._watching:
            self._watching = True
            self._watch_sqlite()

    def _watch_sqlite(self) -> None:
        """Make each connection report which other files it attaches. Its module is about to be imported anyway."""
        import _sqlite3

        connect = _sqlite3.connect

        @wraps(connect)
        def watched(*arguments: Any, **options: Any) -> Any:
            self._connecting = True
            try:
                connection = connect(*arguments, **options)
            finally:
                self._connecting = False
            if isinstance(connection, _sqlite3.Connection):
                _sqlite3.Connection.set_authorizer(connection, self._authorize)
            return connection

        _sqlite3.connect = watched

    def _connect(self, event: str, database: Any) -> None:
        if not self._connecting:  # connected in another way, so what it attaches cannot be seen
            self._unseen(event)
        self._open_database(database)

    def _authorize(self, action: int, database: str | None, *_: Any) -> int:
        """Allow each action. SQLite asks before each one, and this is the only way to learn which files it attaches."""
        if action == _ATTACH and database is None:  # SQLite computes the name later
            self._unseen("sqlite3 ATTACH")
        elif action == _ATTACH:
            self._open_database(database)
        return 0

    def _open_database(self, database: Any) -> None:
        """Note a database, which SQLite opens by its path or a URI, and the log and journal that it reads too."""
        with suppress(TypeError):
            name = os.fsdecode(database)
            if name not in {"", ":memory:"}:
                path = _from_uri(name)
                real = os.path.realpath(path) if os.path.islink(path) else path
                for each in (name, path, f"{real}-wal", f"{real}-journal"):
                    self._note("paths", each)

    def _note(self, kind: str, path: Any, folder: int | None = None) -> None:
        with suppress(OSError, TypeError):  # the working directory was removed, or the path is a file descriptor
            base = os.getcwd() if folder in {None, -1} else os.readlink(f"/proc/self/fd/{folder}")
            self._seen.add((kind, os.path.join(base, os.fsdecode(path))))

    def _note_module(self, finder: FileFinder, name: str, *_: Any) -> None:
        self._note("modules", os.path.join(finder.path, name.rpartition(".")[2]))

    def _note_import(self, name: Any, *_: Any, **__: Any) -> None:
        if isinstance(name, str) and (top := name.partition(".")[0]):
            self._seen.add(("imports", top))

    def _note_missing(self, name: str, folders: Iterable[str] | None) -> None:
        if folders is None or not all(self._is_input(folder) for folder in folders):
            self._seen.add(("imports", name))

    def _ignore_bytecode(self, _: SourceFileLoader, path: str) -> None:
        """Make the import system read the source. It checks bytecode by date, and a quick edit may not change that."""
        if self._is_input(path):
            raise OSError

    def _inputs(self, kind: str, path: str) -> Iterator[str]:
        """Yield the path as it was used and the path that its links lead to, each only if it is an input."""
        if kind in {"unseen", "packages"}:
            yield path
        elif kind == "imports":
            yield from [path] if self._may_be_of_package(path) else []
        elif kind == "opener":  # the import may have failed
            yield from [f"import of {path}"] if path in sys.modules else []
        elif not path.startswith(LIBRARIES):
            real = path if kind == "links" else os.path.realpath(path)
            for candidate in {os.path.normpath(path), os.path.normpath(real)}:
                if self._is_input(candidate) and not (kind == "paths" and candidate in ABOVE_LIBRARIES):
                    yield candidate[len(self._root) :].replace(os.sep, "/") or "."

    def _may_be_of_package(self, name: str) -> bool:
        """Return whether a module is not known to be Python's, the engine's, or in a file under the root."""
        top = name.partition(".")[0]
        places = _places(sys.modules.get(name))
        return top not in NOT_OF_PACKAGES and not (places and all(map(self._is_input, places)))

    def _modules_elsewhere(self, imported: Collection[str]) -> Iterator[str]:
        """Yield the files of imported modules that are neither under the root nor in a folder of packages."""
        for name, module in tuple(sys.modules.items()):
            if name.partition(".")[0] in imported:
                files = (file for file in _places(module) if not file.startswith((*LIBRARIES, self._root)))
                yield from (os.path.relpath(file, self._root).replace(os.sep, "/") for file in files)

    def _is_input(self, path: str) -> bool:
        return os.path.join(path, "").startswith(self._root) and not path.startswith(LIBRARIES)


def _package_folders() -> list[str]:
    return [*site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]


def _libraries() -> Iterator[str]:
    for folder in (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(os.__file__), *_package_folders()):
        yield os.path.join(folder, "")
        yield os.path.join(os.path.realpath(folder), "")


def _places(module: Any) -> list[str]:
    """Return the file of a module, or the folders of a package without a file of its own."""
    names = object.__getattribute__(module, "__dict__") if isinstance(module, ModuleType) else {}
    file = names.get("__file__")
    return [file] if isinstance(file, str) else list(names.get("__path__", ()))


class _LastFinder:
    """Comes after all that find modules, so it is asked only for those that nobody has found."""

    def __init__(self, note: Callable[[str, Iterable[str] | None], None]) -> None:
        self._note = note

    def find_spec(self, name: str, folders: Iterable[str] | None = None, target: object = None) -> None:
        self._note(name, folders)


NOT_OF_PACKAGES = {*sys.stdlib_module_names, "__main__", "scenebook"}
LIBRARIES = tuple(sorted(set(_libraries())))
ABOVE_LIBRARIES = {path[:end] for path in LIBRARIES for end, sign in enumerate(path) if sign == os.sep}
"""Resolving the links in a library's path also reads the folders above the library, which are not inputs."""


def _importing() -> bool:
    """Return whether the import system itself caused the current event."""
    return sys._getframe(3).f_code.co_filename.startswith("<frozen importlib")


def _called_by_author() -> bool:
    """Return whether the current event was caused by an author's code that called `ctypes`, not by a library's."""
    frame: FrameType | None = sys._getframe(3)
    while frame and frame.f_globals.get("__name__") == "ctypes":
        frame = frame.f_back
    return frame is not None and not frame.f_code.co_filename.startswith(LIBRARIES)


def _from_uri(database: str) -> str:
    """Return the path of a database, which may be given as a URI."""
    if not database.startswith("file:"):
        return database
    from urllib.parse import unquote

    path = database.removeprefix("file:").partition("#")[0].partition("?")[0]
    if path.startswith("//"):  # a host, which can only be this machine
        path = path[path.find("/", 2) :]
    return unquote(path, errors="surrogateescape")


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
