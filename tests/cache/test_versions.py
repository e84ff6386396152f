"""Every result depends on digests of the engine and its libraries, and a build checks the packages that it needs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scenebook.cache import packages, versions
from tests.support.changing_site import Site, write
from tests.support.other_code import engine_in

ENGINE = Path(__file__).parents[2]


def test_the_bounds_are_the_same_as_those_of_the_package() -> None:
    project = tomllib.loads((ENGINE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [f"{name}{bounds}" for name, bounds in versions.NEEDED.items()] == project["dependencies"]


def test_every_pinned_version_is_within_the_bounds() -> None:
    pins = re.findall(r"^([a-z0-9-]+)==(\S+)", (ENGINE / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)
    pinned = dict(pins)
    assert [name for name, bounds in versions.NEEDED.items() if not versions._within(pinned[name], bounds)] == []


@pytest.mark.parametrize(
    ("version", "bounds", "within"),
    [
        ("3.10.8", ">=3.11", False),
        ("3.11", ">=3.11.1", False),
        ("3.11", ">=3.11", True),
        ("3.11.0rc1", ">=3.11", True),
        ("2", ">=2.0", True),
        ("2.0.0.post1+local", ">=2.0", True),
        ("0.8.2", ">=0.9,<0.10", False),
        ("0.9.12", ">=0.9,<0.10", True),
        ("0.10.0", ">=0.9,<0.10", False),
        ("5", "", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, bounds: str, within: bool) -> None:
    assert versions._within(version, bounds) == within


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path / "root", Site().files())
    return tmp_path / "root"


def run(root: Path, command: str, path: Path, *, isolated: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command with the packages in another folder found first, or, if `isolated`, with no other packages."""
    start = [sys.executable, *(["-S"] if isolated else []), "-m", "scenebook", command]
    environment = {**os.environ, "PYTHONPATH": str(path)}
    done = [*start, *(["drawn"] if command != "build" else []), "--root", str(root)]
    return subprocess.run(done, cwd=ENGINE, env=environment, capture_output=True, text=True, check=False, timeout=100)


@pytest.mark.parametrize("command", ["build", "run"])
def test_a_package_with_an_unsupported_version_is_reported(root: Path, tmp_path: Path, command: str) -> None:
    for name in ("matplotlib-3.10.8", "PyYAML-5.4", "math_core-0.10.1"):
        (tmp_path / "old-packages" / f"{name}.dist-info").mkdir(parents=True)
    done = run(root, command, tmp_path / "old-packages")
    message = "Scenebook needs {0} {1}, but {2} is installed; run `python -m pip install '{0}{1}'`\n"
    packages = [
        ("math-core", ">=0.9,<0.10", "0.10.1"),
        ("matplotlib", ">=3.11", "3.10.8"),
        ("pyyaml", ">=6.0.1", "5.4"),
    ]
    assert done.stderr == "".join(message.format(*package) for package in packages)
    assert (done.returncode, done.stdout) == (1, "")
    assert not (root / "output").exists()


@pytest.mark.parametrize("command", ["build", "run", "why"])
def test_missing_packages_are_reported(root: Path, tmp_path: Path, command: str) -> None:
    done = run(root, command, tmp_path, isolated=True)
    message = "Scenebook needs {0}, but it is not installed; run `python -m pip install '{0}{1}'`\n"
    assert done.stderr == "".join(message.format(*package) for package in sorted(versions.NEEDED.items()))
    assert (done.returncode, done.stdout) == (1, "")


def test_a_missing_package_is_installed_as_the_site_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "infos", lambda: {"numpy": "numpy-1.0.dist-info"})
    monkeypatch.setattr(versions, "_can_import", lambda module: module != "rich")
    (tmp_path / "requirements.txt").touch()
    remedies = [problem.message.partition("; ")[2] for problem in versions.package_problems(tmp_path)]
    assert remedies == ["run `python -m pip install -r requirements.txt`"] * 2
    (tmp_path / "Makefile").write_text("build: stamp\n", encoding="ascii")
    remedies = [problem.message.partition("; ")[2] for problem in versions.package_problems(tmp_path)]
    assert remedies == ["run `python -m pip install -r requirements.txt`", "`make build` installs it"]


def test_a_package_without_a_known_version_is_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "infos", dict)
    assert list(versions.package_problems(tmp_path)) == []


@pytest.mark.parametrize("changed", ["engine.py", "package/module.py", "package/inner/__init__.py"])
def test_a_change_to_any_module_of_the_engine_changes_its_digest(changed: str, tmp_path: Path) -> None:
    for name in ("engine.py", "package/module.py", "package/inner/__init__.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="ascii")
    with engine_in(tmp_path):
        before = versions.engine()
    (tmp_path / changed).write_text("x = 1\n", encoding="ascii")
    with engine_in(tmp_path):
        assert versions.engine() != before


def test_compiled_modules_do_not_change_the_digest_of_the_engine(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text("", encoding="ascii")
    with engine_in(tmp_path):
        before = versions.engine()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/engine.cpython-311.py").write_text("", encoding="ascii")
    with engine_in(tmp_path):
        assert versions.engine() == before
