"""Bytes by their digest: a file of the site is known by what is in it, and read only where it has to be written."""

from collections.abc import Callable
from hashlib import blake2b
from typing import NamedTuple


class File(NamedTuple):
    """A file of the site: the digest of its bytes, and how to get them."""

    digest: str
    read: Callable[[], bytes]


def digest(content: bytes) -> str:
    """The name of some bytes."""
    return blake2b(content, digest_size=16).hexdigest()


def file(content: bytes) -> File:
    """A file whose bytes are at hand."""
    return File(digest(content), lambda: content)
