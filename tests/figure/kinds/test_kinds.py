"""Rules that hold for every kind of panel, and for different kinds in one figure."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

from scenebook.core.text import Text
from scenebook.figure import figure as figures
from scenebook.figure.kinds import KINDS
from scenebook.figure.kinds.bars import BarsChart
from scenebook.figure.kinds.heatmap import HeatmapChart
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel, kinds_with

ROOT = Path(__file__).parents[3]


def test_importing_the_kinds_imports_neither_numpy_nor_matplotlib() -> None:
    script = "import sys, scenebook.figure.spec; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {"numpy", "matplotlib"}.isdisjoint(done.stdout.split())


def test_an_option_has_the_same_type_in_every_kind_that_has_it() -> None:
    seen: dict[str, Any] = {}
    for kind in KINDS:
        hints = get_type_hints(kind, include_extras=True)
        for each in fields(kind):  # type: ignore[arg-type]
            assert seen.setdefault(each.name, hints[each.name]) == hints[each.name], each.name


def test_every_option_of_a_kind_can_be_set_on_a_panel_and_on_its_figure() -> None:
    on_panels, on_figures = ({each.name for each in fields(model)} for model in (Panel, Figure))
    for kind in KINDS:
        options = {each.name for each in fields(kind)}  # type: ignore[arg-type]
        assert options <= on_panels
        assert options - {kind.key} <= on_figures
        assert kind.key not in on_figures
        assert kinds_with(kind.key) == (kind.key,)


def test_no_kind_uses_another() -> None:
    files = [Path(str(sys.modules[kind.__module__].__file__)) for kind in KINDS]
    assert len(set(files)) == len(KINDS)
    assert [file.name for file in files if "scenebook.figure.kinds" in file.read_text(encoding="utf-8")] == []


def test_an_option_of_a_panel_overrides_the_option_of_its_figure() -> None:
    values: dict[str, Any] = {"a": np.eye(2), "b": np.ones(2), "n": ("one", "two"), "m": ("three", "four")}
    rows, other = Axis(labels=Text("n")), Axis(labels=Text("m"))
    panels = (Panel(heatmap=Text("a"), vmax=4.0), Panel(heatmap=Text("a")), Panel(bars=Text("b"), rows=other))
    first, second, third = figures.read(Figure(Text(""), Text(""), panels, rows=rows), values, "page/scene")
    assert isinstance(first.chart, HeatmapChart)
    assert isinstance(third.chart, BarsChart)
    assert (first.chart.rows, third.chart.rows) == (("one", "two"), ("three", "four"))
    assert first.scale is not None
    assert second.scale is not None
    assert (first.scale.vmax, second.scale.vmax) == (4, 1)


def test_panels_with_different_limits_have_different_scales() -> None:
    panels = (Panel(heatmap=Text("a"), vmax=4.0), Panel(heatmap=Text("a")))
    drawing = figures.draw(Figure(Text(""), Text(""), panels), {"a": np.eye(2)}, name="page/scene")
    assert [panel.scale and panel.scale.vmax for panel in drawing.panels] == [4, 1]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_the_axes_of_a_kind_are_among_its_options(kind: Any) -> None:
    options = {each.name for each in fields(kind)}
    assert set(kind.axes) <= options
    assert {kind.sides.vertical, kind.sides.horizontal} <= options
