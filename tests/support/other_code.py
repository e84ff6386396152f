"""Lets this process take another folder for the code of the engine, or other folders for those of packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenebook.cache import _engine_code as engine_code
from scenebook.cache import packages, versions

KNOWN = (
    *(engine_code.files, engine_code._imports, engine_code._of_file),
    *(versions.engine, versions.made_by, versions.needed, versions.libraries),
    *(packages.folders, packages.names, packages.infos, packages.startup, packages._requirements, packages._modules),
)
"""Everything that a process finds out only once."""


@contextmanager
def engine_in(folder: Path) -> Iterator[None]:
    """Take the modules in a folder for the engine's. What this process runs stays the same."""
    with pytest.MonkeyPatch.context() as patch, _anew():
        patch.setattr(engine_code, "ENGINE", folder)
        yield


@contextmanager
def packages_in(*folders: Path) -> Iterator[None]:
    """Add folders of packages, before the others."""
    with pytest.MonkeyPatch.context() as patch, _anew():
        for folder in reversed(folders):
            patch.syspath_prepend(folder)
        patch.syspath_prepend("the program's own folder")
        yield


@contextmanager
def _anew() -> Iterator[None]:
    for each in KNOWN:
        each.cache_clear()
    try:
        yield
    finally:
        for each in KNOWN:
            each.cache_clear()
