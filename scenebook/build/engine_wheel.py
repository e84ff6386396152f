"""Packs the engine that is running into a wheel, for sites that cannot install a released one.

The bytes depend on nothing but the engine: the same ones come from a checkout and from an installed engine, on any day
and machine. So files are sorted, have a fixed date and are not compressed (libraries compress differently).
"""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import scenebook
from scenebook.cache import versions

ENGINE = versions.ENGINE
BESIDE = ("templates", "starters")
"""The folders that are beside the engine in a checkout, and inside it in a wheel."""
INFO = f"scenebook-{scenebook.__version__}.dist-info"
_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can express
_WHEEL = "Wheel-Version: 1.0\nGenerator: scenebook\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_ENTRY_POINTS = "[console_scripts]\nscenebook = scenebook.cli:main\n"


class Wheel(NamedTuple):
    """A wheel: the name of its file, and its content."""

    name: str
    content: bytes

    @property
    def sha256(self) -> str:
        """The hash by which pip recognises the file."""
        return hashlib.sha256(self.content).hexdigest()


def pack() -> Wheel:
    """Return the wheel of the engine that is running."""
    files = dict(sorted([*_engine_files(), *_info_files()]))
    record = f"{INFO}/RECORD"
    files[record] = _record(files, record).encode()  # the last file, as the standard asks
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.create_system, entry.external_attr = 3, 0o100644 << 16  # a file of Unix that everyone can read
            archive.writestr(entry, data)
    return Wheel(f"scenebook-{scenebook.__version__}-py3-none-any.whl", content.getvalue())


def files_below(top: Path) -> Mapping[str, bytes]:
    """Return the files below a folder by their paths in it, without what Python compiles."""
    paths = (path for path in top.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(top).as_posix(): path.read_bytes() for path in paths}


def _engine_files() -> Iterator[tuple[str, bytes]]:
    yield from ((f"scenebook/{path}", content) for path, content in files_below(ENGINE).items())
    for name in BESIDE:
        files = files_below(versions.OWN_FILES / name)
        yield from ((f"scenebook/{name}/{path}", content) for path, content in files.items())


def _info_files() -> Iterator[tuple[str, bytes]]:
    licence = ENGINE.parent / (f"{INFO}/licenses/LICENSE" if versions.INSTALLED else "LICENSE")
    yield f"{INFO}/METADATA", _metadata().encode()
    yield f"{INFO}/WHEEL", _WHEEL.encode()
    yield f"{INFO}/entry_points.txt", _ENTRY_POINTS.encode()
    yield f"{INFO}/licenses/LICENSE", licence.read_bytes()


def _metadata() -> str:
    lines = [
        "Metadata-Version: 2.4",
        "Name: scenebook",
        f"Version: {scenebook.__version__}",
        f"Summary: {(scenebook.__doc__ or '').removeprefix('Scenebook: ')}",
        "License-Expression: MIT",
        "License-File: LICENSE",
        "Requires-Python: >=3.11",
        *(f"Requires-Dist: {name}{bounds}" for name, bounds in versions.NEEDED.items()),
    ]
    return "\n".join(lines) + "\n"


def _record(files: Mapping[str, bytes], record: str) -> str:
    """Return the list of all files with their hashes and sizes, and of itself without them."""
    rows = (f"{name},sha256={_digest(content)},{len(content)}" for name, content in files.items())
    return "\n".join([*rows, f"{record},,", ""])


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
