"""Bytes by their digest: a file of the site is known by what is in it, and read only where it has to be written."""

from collections.abc import Callable
from hashlib import blake2b
from io import BytesIO
from pickle import Pickler
from typing import Any, NamedTuple


class File(NamedTuple):
    """A file of the site: the digest of its bytes, and how to get them."""

    digest: str
    read: Callable[[], bytes]


def digest(content: bytes) -> str:
    """The name of some bytes."""
    return blake2b(content, digest_size=16).hexdigest()


def fingerprint(thing: Any) -> str:
    """The digest of plain data by what it says: a pickle also tells which of its equal parts are the same object."""
    written = BytesIO()
    pickler = Pickler(written)
    pickler.fast = True
    pickler.dump(thing)
    return digest(written.getvalue())


def file(content: bytes) -> File:
    """A file whose bytes are at hand."""
    return File(digest(content), lambda: content)
