"""Every entry point is a Make target that exists and sets itself up, once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Makefile").read_text(encoding="utf-8")
DOCUMENTED = re.findall(r"^([a-z-]+):.*## (.+)$", TEXT, flags=re.MULTILINE)
TARGETS = [target for target, _ in DOCUMENTED]


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make from another folder, without the variables of the make that runs the tests."""
    command = ["make", "--no-print-directory", "-C", str(folder), *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The files that the Makefile reads, as after a fresh clone, in a folder with a space in its name."""
    folder = tmp_path / "a fresh clone"
    folder.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def installed(checkout: Path) -> Path:
    """The same folder after the set-up of `make test`: a Python, then the two stamps."""
    (checkout / ".venv/bin").mkdir(parents=True)
    for name in ("bin/python", ".runtime", ".development"):
        (checkout / ".venv" / name).touch()
    return checkout


def test_every_target_is_documented() -> None:
    [phony] = re.findall(r"^\.PHONY: (.+)$", TEXT, flags=re.MULTILINE)
    assert phony.split() == TARGETS


def test_make_alone_lists_the_targets(checkout: Path) -> None:
    lines = make(checkout).stdout.splitlines()
    assert [line.split(maxsplit=1) for line in lines] == [list(documented) for documented in DOCUMENTED]


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_can_be_planned_in_a_fresh_clone(checkout: Path, target: str) -> None:
    planned = make(checkout, "--dry-run", target)
    assert (planned.returncode, planned.stderr) == (0, "")
    assert ("-m venv" in planned.stdout) == (target not in ("help", "comment", "comment-pictures", "publish"))


def test_every_command_that_a_target_runs_exists() -> None:
    command = [sys.executable, str(ROOT / "build.py"), "--help"]
    known = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    asked = re.findall(r"build\.py ([a-z]+)", TEXT)
    assert "build" in asked
    assert [name for name in asked if not re.search(rf"^    {name} ", known, flags=re.MULTILINE)] == []


@pytest.mark.parametrize(("value", "flags"), [("true", " --format github"), ("", "")])
def test_mistakes_are_annotations_in_github_actions(
    installed: Path, monkeypatch: pytest.MonkeyPatch, value: str, flags: str
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", value)
    assert make(installed, "--dry-run", "check").stdout.split("check", 1)[1].rstrip() == flags


def test_a_second_run_installs_nothing(installed: Path) -> None:
    assert make(installed, "--dry-run", "build").stdout.splitlines() == [".venv/bin/python build.py build"]


@pytest.mark.parametrize(
    ("changed", "reinstalled"),
    [
        ("requirements.txt", ["requirements.txt", "requirements-dev.txt"]),
        ("requirements-dev.txt", ["requirements-dev.txt"]),
        (".venv/bin/python", ["requirements.txt", "requirements-dev.txt"]),
    ],
)
def test_a_changed_lock_or_interpreter_installs_again(installed: Path, changed: str, reinstalled: list[str]) -> None:
    planned = make(installed, "--dry-run", f"--what-if={changed}", "test").stdout
    assert re.findall(r"--require-hashes -r (\S+)", planned) == reinstalled


def test_a_python_that_has_disappeared_is_replaced(installed: Path) -> None:
    (installed / ".venv/bin/python").unlink()
    (installed / ".venv/bin/python").symlink_to("/missing/python")
    planned = make(installed, "--dry-run", "build").stdout
    assert "-m venv --clear" in planned
    assert "--require-hashes -r requirements.txt" in planned


def python_that(checkout: Path, script: str) -> str:
    program = checkout / "python"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return f"PYTHON=./{program.name}"


def test_an_old_python_makes_no_virtual_environment(checkout: Path) -> None:
    failed = make(checkout, "build", python_that(checkout, 'test "$1" != -c || exit 1; mkdir .venv'))
    assert failed.returncode == 2
    assert not (checkout / ".venv").exists()


def test_a_missing_venv_module_leaves_no_virtual_environment(checkout: Path) -> None:
    script = 'test "$1" = -c || { mkdir -p .venv/bin; touch .venv/bin/python; exit 1; }'
    failed = make(checkout, "build", python_that(checkout, script))
    assert failed.returncode == 2
    assert "install Python's venv module (on Debian and Ubuntu the package python3-venv)" in failed.stderr
    assert not (checkout / ".venv").exists()


def test_no_recipe_removes_what_a_variable_names() -> None:
    assert not re.findall(r"\brm\b.*\$[({]", TEXT)


def test_every_locked_package_has_a_hash() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        requirements = re.split(r"\n(?=\S)", (ROOT / name).read_text(encoding="utf-8").strip())
        assert requirements
        for requirement in requirements:
            assert re.match(r"[a-z0-9-]+==\S+( ;.*)? \\\n +--hash=sha256:[0-9a-f]{64}", requirement), requirement
