"""Plots with two axes of numbers. Lines and points share them."""

from __future__ import annotations

import numpy as np
import pytest

from scenebook.core.text import Text
from scenebook.figure import figure as figures
from scenebook.figure._plot import PlotLayout
from scenebook.figure.kinds.lines import Line
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel
from tests.support.charts import alone


def test_a_tick_stays_in_place_when_its_number_is_moved_into_the_panel() -> None:
    positions = np.array([1.0e7, 1.1e7, 1.2e7])
    panel = Panel(lines=(Line(Text("y")),), x=Axis(values=Text("x")))
    [read] = figures.read(Figure(Text(""), Text(""), (panel,)), {"x": positions, "y": np.full(3, np.nan)}, "page/scene")
    layout = alone(read.chart, 300, None)
    assert isinstance(layout, PlotLayout)
    numbers = [label.x for label in layout.labels if label.y > layout.box.bottom]
    assert layout.frame.ticks == pytest.approx(layout.x.place(positions))
    assert layout.frame.ticks[0] == layout.box.left < numbers[0] - 10
    assert layout.frame.ticks[1:] == pytest.approx(numbers[1:])
