"""Messages and pages name commands that exist in the site's folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenebook.core import commands


@pytest.mark.parametrize(
    ("files", "build", "run"),
    [
        ({}, "scenebook build", "scenebook run a/b"),
        ({"build.py": ""}, "python build.py build", "python build.py run a/b"),
        ({"Makefile": "build: stamp ## Build\n"}, "make build", "scenebook run a/b"),
        ({"Makefile": "build::\nrun:\n", "build.py": ""}, "make build", "python build.py run a/b"),
        ({"Makefile": "all: build\n\techo build: no\nbuild := x\nbuilder:\n"}, "scenebook build", "scenebook run a/b"),
    ],
)
def test_a_command_is_named_as_it_is_started_there(tmp_path: Path, files: dict[str, str], build: str, run: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    assert commands.command(tmp_path, "build") == build
    assert commands.command(tmp_path, "run", "a/b") == run
