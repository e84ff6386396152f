"""What a result depends on besides the author's files: engine, templates, and the libraries that are installed."""

import os
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from pathlib import Path

ENGINE = Path(__file__).parent
OWN_TEMPLATES = ENGINE.parent / "templates"
"""What a site without templates of its own is made with."""


@cache
def engine() -> str:
    """A digest of the engine's own source."""
    return _digest(sorted(ENGINE.glob("*.py")), ENGINE)


@cache
def libraries() -> str:
    """A digest of the interpreter's version and of the names of all that is installed, which tell the versions."""
    folders = [folder for folder in sys.path if folder.endswith("-packages") and Path(folder).is_dir()]
    installed = sorted(name for folder in folders for name in os.listdir(folder) if name.endswith(".dist-info"))  # noqa: PTH208
    return blake2b("\n".join([sys.version, *installed]).encode(), digest_size=16).hexdigest()


@cache
def templates() -> str:
    """A digest of the engine's own templates; a site's are inputs, like its scenes."""
    return _digest(sorted(path for path in OWN_TEMPLATES.rglob("*") if path.is_file()), OWN_TEMPLATES)


def _digest(paths: Iterable[Path], folder: Path) -> str:
    found = blake2b(digest_size=16)
    for path in paths:
        content = path.read_bytes()
        found.update(f"{path.relative_to(folder).as_posix()}\0{len(content)}\0".encode() + content)
    return found.hexdigest()
