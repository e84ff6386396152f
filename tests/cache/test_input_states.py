"""An input that changes while a build runs is noticed, so that no result made from it is kept."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scenebook.cache._input_states import TICK, Inputs
from scenebook.cache.reads import Reads

FILE, MISSING = Reads(paths=("data/w.csv",)), Reads(paths=("data/gone.csv",))
FOLDER, MODULE = Reads(folders=("data",)), Reads(modules=("data/w",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "data/deep").mkdir(parents=True)
    (tmp_path / "data/deep/w.csv").touch()
    (tmp_path / "data" / "w.csv").write_text("1", encoding="ascii")
    time.sleep(2 * TICK / 1e9)
    return tmp_path


def same_size_and_date(root: Path) -> None:
    path = root / "data" / "w.csv"
    before = path.stat()
    path.write_text("2", encoding="ascii")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: list[tuple[Reads, Callable[[Path], object]]] = [
    (FILE, lambda root: (root / "data/w.csv").write_text("2")),
    (FILE, same_size_and_date),
    (FILE, lambda root: (root / "data/w.csv").unlink()),
    (FILE, lambda root: (root / "other.csv").write_text("2") and (root / "other.csv").rename(root / "data/w.csv")),
    (FOLDER, lambda root: (root / "data/new.csv").touch()),
    (FOLDER, lambda root: (root / "data/w.csv").unlink()),
    (MISSING, lambda root: (root / "data/gone.csv").touch()),
    (MISSING, lambda root: (root / "data/w.csv").unlink()),
    (MODULE, lambda root: (root / "data/w.py").touch()),
    (Reads(modules=("w",)), lambda root: (root / "w.py").touch()),
    (Reads(links=("link",)), lambda root: (root / "link").symlink_to("data")),
    (Reads(paths=("data/deep/w.csv",)), lambda root: shutil.rmtree(root / "data/deep")),
    (Reads(folders=("data/deep",)), lambda root: shutil.rmtree(root / "data/deep")),
    (Reads(paths=("data/deep/w.csv",)), lambda root: shutil.rmtree(root / "data")),
    (Reads(paths=("gone.csv",)), lambda root: shutil.rmtree(root / "data")),
    (Reads(folders=(".",)), lambda root: (root / "new.csv").touch()),
]


@pytest.mark.parametrize(("reads", "change"), CHANGES)
def test_a_change_of_an_input_is_noticed(root: Path, reads: Reads, change: Callable[[Path], object]) -> None:
    assert not Inputs(root).changing(reads)
    inputs = Inputs(root)
    change(root)
    assert inputs.changing(reads)


UNRELATED: list[tuple[Reads, Callable[[Path], object]]] = [
    (FILE, lambda root: (root / "data/new.csv").touch()),
    (FILE, lambda root: os.utime(root / "data", (2e9, 2e9))),
    (FOLDER, lambda root: (root / "data/w.csv").write_text("2")),
    (MODULE, lambda root: (root / "data/new.py").touch()),
    (Reads(paths=("gone.csv",), folders=("gone",)), lambda root: (root / "facts.lock").touch()),
]


@pytest.mark.parametrize(("reads", "change"), UNRELATED)
def test_an_unrelated_change_is_not_mistaken_for_a_change_of_an_input(
    root: Path, reads: Reads, change: Callable[[Path], object]
) -> None:
    inputs = Inputs(root)
    change(root)
    assert not inputs.changing(reads)


def test_a_file_dated_in_the_future_does_not_count_as_changing(root: Path) -> None:
    os.utime(root / "data/w.csv", (2e9, 2e9))
    time.sleep(2 * TICK / 1e9)
    assert not Inputs(root).changing(FILE)


def test_only_the_candidates_of_a_module_are_in_its_state(root: Path) -> None:
    for name in ("w-a.py", "w.py", "w.so", "w.d/a.py", "w/__init__.py", "w/b.py", "w0.py", "wx.py", "v.py", "W.py"):
        path = root / "m" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert Inputs(root).state("modules", "m/w") == "w.d/ w.py w.so w/ w/__init__.py"
    assert Inputs(root).state("modules", "m/x") == Inputs(root).state("modules", "n/w") == ""
