"""Digests of files and data. A file of the site is identified by its content, and read only when it must be written."""
# Paths are strings here because that takes half the time that Path objects take.

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

try:
    from _hashlib import openssl_sha256 as sha256  # importing hashlib would set up all of its other functions too
except ImportError:
    from hashlib import sha256

SIZE = 32
"""The length of a digest: this many hexadecimal digits of SHA-256, which processors compute in hardware."""
CHUNK = 1 << 20
"""The number of bytes that are read from a file at a time."""
OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe does not wait until another process writes to it."""
THREADS, WORTH_THREADS = 2, 500
"""Two threads take two thirds of the time of one. For fewer files, starting them costs more than it saves."""


class File(NamedTuple):
    """A file of the site: the digest of its content, and a function that returns the content, in chunks, by digest.

    A site can have thousands of these in memory at once. Many files can share one source.
    """

    digest: str
    source: Callable[[str], Iterable[bytes]]

    def parts(self) -> Iterable[bytes]:
        """Return the content in chunks."""
        return self.source(self.digest)

    def read(self) -> bytes:
        """Return the content."""
        return b"".join(self.parts())


def digest(content: bytes) -> str:
    """Return the digest of some bytes."""
    return sha256(content).hexdigest()[:SIZE]


def of_file(path: str) -> str:
    """Return the digest of a file's content. Raises `OSError` if the path is not a regular file or cannot be read."""
    content, descriptor = sha256(), os.open(path, OPEN_FLAGS)
    try:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise (IsADirectoryError if stat.S_ISDIR(mode) else OSError)(f"{path} is not a regular file")
        while chunk := os.read(descriptor, CHUNK):
            content.update(chunk)
    finally:
        os.close(descriptor)
    return content.hexdigest()[:SIZE]


def of_files(paths: Sequence[str]) -> list[str]:
    """Return the digests of many files, with "" for each file that cannot be read."""
    if len(paths) < WORTH_THREADS:
        return list(map(_of_file_or_empty, paths))
    from threading import Thread

    digests = [""] * len(paths)

    def digest_every_other(start: int) -> None:
        for index in range(start, len(paths), THREADS):
            digests[index] = _of_file_or_empty(paths[index])

    threads = [Thread(target=digest_every_other, args=(start,)) for start in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return digests


def _of_file_or_empty(path: str) -> str:
    try:
        return of_file(path)
    except OSError:
        return ""


def fingerprint(data: Any) -> str:
    """Return the digest of plain data. Equal data has the same digest, even if parts of it are shared objects.

    An ordinary pickle would also record which equal parts are the same object.
    """
    from pickle import Pickler

    content = sha256()
    pickler = Pickler(_Writer(content.update))
    pickler.fast = True
    pickler.dump(data)
    return content.hexdigest()[:SIZE]


class _Writer(NamedTuple):
    """The part of a file's interface that a pickler uses."""

    write: Callable[[bytes], object]


def in_parts(parts: Callable[[], Iterable[bytes]]) -> File:
    """Return a file whose content is generated in chunks and is never in memory all at once."""
    content = sha256()
    for part in parts():
        content.update(part)
    return File(content.hexdigest()[:SIZE], lambda _: parts())


def file(content: bytes) -> File:
    """Return a file whose content is in memory."""
    return File(digest(content), lambda _: [content])
