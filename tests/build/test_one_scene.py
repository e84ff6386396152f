"""`run SCENE` shows what a scene prints, what is odd about its figure, and its values, also as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scenebook.cli import main

BOARD = """\
site: {title: Small, url: https://example.org/, numbers: off}
pages:
  - slug: one
    title: One
    summary: Words.
    scenes:
      - id: a
        compute: a.py
        params: {kind: flat}
        controls: [{param: n, label: n, values: [1, 2]}]
        figure:
          panels: [{heatmap: m}]
          rows: {labels: names}
          caption: It is green. And more.
          alt: A green square.
"""
MODULE = """\
import numpy as np


def compute(n=1, kind="round"):
    print("seen", n)
    large = np.zeros((100, 100))
    m = np.array([[n, np.nan], [np.inf, 0.5]])
    return {"m": m, "large": large, "names": ["a \\u2603", "b"], "half": n / 2, "none": float("nan"), "is": n > 1}
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "storyboard.yaml").write_text(BOARD, encoding="utf-8")
    (tmp_path / "scenes" / "a.py").write_text(MODULE, encoding="utf-8")
    return tmp_path


def ran(root: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    capsys.readouterr()
    assert main(["run", "--root", str(root), "a", *arguments]) == 0
    printed = capsys.readouterr()
    return printed.out, printed.err


def strict(text: str) -> Any:
    """Read strict JSON, which has no NaN and no infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_json_is_all_of_the_output_and_has_setting_parameters_and_values(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, err = ran(root, capsys, "n=2", "--json", "--out", str(root / "figures"))
    assert out.isascii()
    found = strict(out)
    large = found["values"].pop("large")
    assert found == {
        "scene": "one/a",
        "setting": {"n": 2},
        "params": {"kind": "flat", "n": 2},
        "values": {
            "kind": "flat", "n": 2, "m": [[2.0, "NaN"], ["inf", 0.5]], "names": ["a \u2603", "b"], "half": 1.0,
            "none": "NaN", "is": True,
        },
    }  # fmt: skip
    assert (large["shape"], large["dtype"]) == ([100, 100], "float64")
    assert "| seen 2\n" in err
    assert f"wrote {root / 'figures' / 'a.png'}\n" in err


def test_a_mistake_leaves_the_output_empty(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "scenes" / "a.py").write_text(
        "def compute(n=1, kind=''):\n    print('seen')\n    return 1\n", encoding="utf-8"
    )
    assert main(["run", "a", "--json", "--root", str(root)]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "scenes/a.py" in printed.err


def test_what_a_scene_with_controls_prints_is_shown_each_time(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, again = (ran(root, capsys)[0] for _ in range(2))
    assert "| seen 1\n" in first
    assert "| seen 1\n" in again


def test_run_prints_the_warnings_of_the_drawing_as_build_does(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, first = ran(root, capsys)
    _, again = ran(root, capsys)
    assert main(["build", "--root", str(root)]) == 0
    built = capsys.readouterr().err
    assert ": warning: " in first
    assert first == again == built
