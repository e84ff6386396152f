"""Differences between two builds of the same sources are found and reported."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenebook.cli import main
from tests.support.changing_site import Site, write

SCENES = {
    "steady": ("{'x': np.random.default_rng(0).random(3)}", None),
    "global_state": ("{'x': np.random.rand(3), 'y': random.random()}", None),
    "unseeded": ("{'x': np.random.default_rng().random((2, 2))}", r"values\.x\[0\]\[0\] is 0\.\d+, then 0\.\d+"),
    "clock": ("{'x': time.time() % 7}", r"values\.x is \d\.\d+, then \d\.\d+"),
    "order_of_a_set": (
        "{'x': list({'query', 'key', 'value', 'mask', 'head'})}",
        r'values\.x\[\d\] is "\w+", then "\w+"',
    ),
    "hash": ("{'x': hash('a') % 1000003}", r"values\.x is \d+, then \d+"),
    "identity": ("{'x': id(object())}", r"values\.x is \d+, then \d+"),
    "representation": (
        "{'x': str(object())}",
        r'values\.x is "<object object at 0x\w+>", then "<object \w+ at 0x\w+>"',
    ),
    "folder": ("{'x': os.getcwd()}", r'values\.x is ".+/one", then ".+/the other"'),
    "umask": ("{'x': os.umask(0)}", r"values\.x is 18, then 63"),
    "home": ("{'x': os.path.expanduser('~')}", r'values\.x is ".+/home of one", then ".+/home of the other"'),
    "zone_language_and_jobs": ("{'x': time.localtime(0).tm_hour, 'y': os.environ['LC_ALL']}", None),
    "drawing": ("{'x': 1}", r"the drawing is different each time"),
}
MODULE = """
import os, random, time
import numpy as np


def compute():
    return {0}


def sketch(figure, values):
    figure.subplots().plot(np.random.default_rng().random(3))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A site with a scene of each kind. It was built once, so its results are in the cache."""
    figure = {"draw": "sketch", "caption": "A line. It rises.", "alt": "Three points on a line."}
    scenes = [{"id": name, "title": "Title", "compute": f"{name}.py", "text": "Words."} for name in SCENES]
    scenes[-1]["figure"] = figure  # type: ignore[assignment]
    page = {"slug": "page", "title": "Page", "summary": "Words.", "scenes": scenes}
    texts = {f"scenes/{name}.py": MODULE.format(code) for name, (code, _) in SCENES.items()}
    write(tmp_path / "root", Site(pages=[page], texts=texts).files())
    assert main(["build", "--root", str(tmp_path / "root")]) == 0
    return tmp_path / "root"


def test_each_scene_that_differs_between_builds_is_reported(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert main(["verify", "--root", str(root)]) == 1
    reported = dict(line.split(": ", 2)[1:] for line in capsys.readouterr().err.splitlines())
    assert sorted(reported) == sorted(f"page/{name}" for name, (_, difference) in SCENES.items() if difference)
    for name, (_, difference) in SCENES.items():
        if difference:
            file = "facts.json" if name != "drawing" else r"page/drawing-sketch\.svg"
            advice = r"seed the generator \(numpy\.random\.default_rng\(0\)\), do not read the clock, sort sets"
            assert re.fullmatch(f"{file}: first difference: {difference}; {advice}", reported[f"page/{name}"]), reported
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


def test_a_site_with_many_kinds_of_inputs_is_reproducible(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "root", Site().files())
    assert main(["verify", "--root", str(tmp_path / "root")]) == 0
    assert re.fullmatch(r"two builds in different environments wrote the same \d\d files\n", capsys.readouterr().out)


def test_a_site_that_cannot_be_built_reports_its_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    site = Site()
    site.texts["scenes/deep.py"] = "U = 1 / 0\n"
    write(tmp_path / "root", site.files())
    assert main(["verify", "--root", str(tmp_path / "root")]) == 1
    errors = capsys.readouterr().err.splitlines()
    assert [line.partition(" (called")[0] for line in errors] == [
        "scenes/deep.py:1: first/again: ZeroDivisionError: division by zero",
        "scenes/deep.py:1: first/scores: ZeroDivisionError: division by zero",
    ]
