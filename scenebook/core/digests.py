"""Bytes by their digest: a file of the site is known by what is in it, and read only where it has to be written."""
# Paths are strings here, which take half of the time of objects.

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

try:
    from _hashlib import openssl_sha256 as sha256  # hashlib's own, without the other functions that it makes ready
except ImportError:
    from hashlib import sha256

SIZE = 32
"""So many hexadecimal digits of SHA-256, which processors have instructions for, name some bytes."""
PIECE = 1 << 20
"""So many bytes of a file are in memory at once."""
READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting for somebody to write into a pipe."""
THREADS, MANY = 2, 500
"""Threads read and digest side by side, which is two thirds of the work; for fewer files they are not worth a start."""


class File(NamedTuple):
    """A file of the site: the digest of its bytes, and where they are got by it, in parts where they are many.

    Sites have many files, which are in memory all together; a source can be that of many.
    """

    digest: str
    source: Callable[[str], Iterable[bytes]]

    def parts(self) -> Iterable[bytes]:
        """The bytes, part by part."""
        return self.source(self.digest)

    def read(self) -> bytes:
        """The bytes."""
        return b"".join(self.parts())


def digest(content: bytes) -> str:
    """The name of some bytes."""
    return sha256(content).hexdigest()[:SIZE]


def of_file(path: str) -> str:
    """The digest of the bytes of a file. Raises `OSError`, also where a pipe or a device has its place."""
    found, place = sha256(), os.open(path, READ)
    try:
        mode = os.fstat(place).st_mode
        if not stat.S_ISREG(mode):
            raise (IsADirectoryError if stat.S_ISDIR(mode) else OSError)(f"{path} is no file")
        while piece := os.read(place, PIECE):
            found.update(piece)
    finally:
        os.close(place)
    return found.hexdigest()[:SIZE]


def of_files(paths: Sequence[str]) -> list[str]:
    """The digests of many files, "" for one that cannot be read."""
    if len(paths) < MANY:
        return list(map(_of_file, paths))
    from threading import Thread

    found = [""] * len(paths)

    def look(start: int) -> None:
        for place in range(start, len(paths), THREADS):
            found[place] = _of_file(paths[place])

    threads = [Thread(target=look, args=(start,)) for start in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _of_file(path: str) -> str:
    try:
        return of_file(path)
    except OSError:
        return ""


def fingerprint(thing: Any) -> str:
    """The digest of plain data by what it says: a pickle also tells which of its equal parts are the same object."""
    from pickle import Pickler

    found = sha256()
    pickler = Pickler(_Writer(found.update))
    pickler.fast = True
    pickler.dump(thing)
    return found.hexdigest()[:SIZE]


class _Writer(NamedTuple):
    """What looks like a file to those who only write."""

    write: Callable[[bytes], object]


def in_parts(parts: Callable[[], Iterable[bytes]]) -> File:
    """A file made of parts, which are never in memory all together."""
    found = sha256()
    for part in parts():
        found.update(part)
    return File(found.hexdigest()[:SIZE], lambda _: parts())


def file(content: bytes) -> File:
    """A file whose bytes are at hand."""
    return File(digest(content), lambda _: [content])
