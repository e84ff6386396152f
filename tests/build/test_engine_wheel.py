"""The wheel of the running engine is a wheel, and is the same from wherever it is packed."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import subprocess
import sys
import zipfile
from importlib.metadata import PathDistribution
from pathlib import Path

import pytest

from scenebook.build import engine_wheel
from scenebook.cache import versions

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel() -> engine_wheel.Wheel:
    return engine_wheel.pack()


@pytest.fixture(scope="module")
def unpacked(wheel: engine_wheel.Wheel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has what pip puts into `site-packages`."""
    folder = tmp_path_factory.mktemp("site-packages")
    zipfile.ZipFile(io.BytesIO(wheel.content)).extractall(folder)
    return folder


def test_an_installed_engine_packs_the_same_bytes(wheel: engine_wheel.Wheel, unpacked: Path) -> None:
    (unpacked / "scenebook" / "__pycache__").mkdir()
    (unpacked / "scenebook" / "__pycache__" / "cli.cpython.pyc").write_bytes(b"as pip leaves it")
    script = "from scenebook.build import engine_wheel; print(engine_wheel.__file__, engine_wheel.pack().sha256)"
    command = [sys.executable, "-P", "-c", script]
    environment = {**os.environ, "PYTHONPATH": str(unpacked), "PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo"}
    done = subprocess.run(command, cwd=unpacked, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(unpacked / "scenebook/build/engine_wheel.py"), wheel.sha256]


def test_the_date_of_a_file_changes_nothing(wheel: engine_wheel.Wheel) -> None:
    os.utime(ROOT / "LICENSE", (0, 0))
    assert engine_wheel.pack().sha256 == wheel.sha256


def test_the_record_lists_every_file_with_its_hash_and_size(wheel: engine_wheel.Wheel) -> None:
    archive = zipfile.ZipFile(io.BytesIO(wheel.content))
    *names, record = archive.namelist()
    rows = list(csv.reader(archive.read(record).decode().splitlines()))
    assert rows[-1] == [record, "", ""]
    assert [row[0] for row in rows[:-1]] == names
    for name, digest, size in rows[:-1]:
        content = archive.read(name)
        assert int(size) == len(content)
        assert base64.urlsafe_b64decode(digest.removeprefix("sha256=") + "=") == hashlib.sha256(content).digest()


def test_it_needs_the_packages_that_a_build_needs(unpacked: Path) -> None:
    [info] = unpacked.glob("*.dist-info")
    found = PathDistribution(info)
    assert found.requires == [f"{name}{bounds}" for name, bounds in versions.NEEDED.items()]
    assert (found.name, found.version) == ("scenebook", info.name.removesuffix(".dist-info").partition("-")[2])
    [command] = found.entry_points
    assert callable(command.load())


def test_it_has_the_templates_and_the_starters(unpacked: Path) -> None:
    for name in ("templates/page.html", "starters/site/.github/workflows/pages.yml", "page.schema.json"):
        assert (unpacked / "scenebook" / name).is_file()
