"""A figure at every setting of its scene has the same axes, colours and sizes; a mistake is told once."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenebook.core.problems import Problems
from scenebook.core.text import Text
from scenebook.figure import color, figure, sharing
from scenebook.figure.drawing import Drawing, DrawnPanel
from scenebook.figure.kinds.lines import Line
from scenebook.figure.kinds.scatter import Points
from scenebook.figure.options import Axis
from scenebook.figure.sharing import SettingProblems, shared
from scenebook.figure.spec import Figure, Panel
from tests.support.charts import drawn_at_all

NAME = "page/scene"


def spec(*panels: Panel, **options: Any) -> Figure:
    return Figure(Text("", "page.yaml", 1), Text(""), panels, **options)


def at(raw: str, line: int = 7) -> Text:
    return Text(raw, "page.yaml", line)


LINES = Panel(lines=(Line(at("y")),))
DOTS = Panel(scatter=(Points(at("y"), at("y"), size_by=at("size"), color_by=at("y")),))
PANELS = {
    "heatmap": Panel(heatmap=at("a")),
    "bars": Panel(bars=at("y")),
    "stacked": Panel(bars=at("b")),
    "lines": LINES,
    "scatter": DOTS,
}


def at_sizes(*sizes: float) -> list[dict[str, Any]]:
    """Values that grow from setting to setting."""
    return [
        {"a": size * np.eye(3), "b": size * np.ones((2, 2)), "y": size * np.arange(4.0), "size": size * np.ones(4)}
        for size in sizes
    ]


def frame(panel: DrawnPanel) -> list[Any]:
    """What a reader measures a panel by: its size, the numbers of its axes with their places, and its scale."""
    root = ElementTree.fromstring(panel.svg)
    texts = [(each.get("x"), each.get("y"), each.text) for each in root.iter() if each.tag.endswith("text")]
    return [root.get("viewBox"), texts, panel.scale]


@pytest.mark.parametrize("kind", PANELS)
def test_all_settings_have_the_same_axes_colours_and_sizes(kind: str) -> None:
    drawings = drawn_at_all(spec(PANELS[kind]), at_sizes(1, 10, 3), NAME)
    first, *others = (frame(drawing.panels[0]) for drawing in drawings)
    assert others == [first, first]
    assert len({drawing.panels[0].svg for drawing in drawings}) == 3


@pytest.mark.parametrize("kind", PANELS)
def test_if_the_spec_says_so_each_setting_has_its_own(kind: str) -> None:
    figure_of_own = spec(PANELS[kind], shared=False)
    values = at_sizes(1, 10)
    assert shared(figure_of_own, values, NAME) is None
    for each, drawing in zip(values, drawn_at_all(figure_of_own, values, NAME), strict=True):
        assert drawing == figure.draw(figure_of_own, each, name=NAME)


@pytest.mark.parametrize("kind", PANELS)
def test_one_setting_alone_shares_with_itself(kind: str) -> None:
    [values] = at_sizes(2)
    assert drawn_at_all(spec(PANELS[kind]), [values], NAME) == [figure.draw(spec(PANELS[kind]), values, name=NAME)]


def test_limits_of_the_author_hold_at_every_setting() -> None:
    panel = Panel(heatmap=at("a"), vmin=0.5, vmax=2.0)
    assert [each.panels[0].scale.vmax for each in drawn_at_all(spec(panel), at_sizes(1, 10), NAME)] == [2, 2]  # type: ignore[union-attr]


def test_a_limit_may_be_beyond_the_data_of_some_settings() -> None:
    panel = Panel(heatmap=at("a"), vmin=2.0)
    with pytest.raises(Problems, match="vmin must be below vmax"):
        figure.draw(spec(panel), at_sizes(1)[0], name=NAME)
    assert [each.panels[0].scale.vmax for each in drawn_at_all(spec(panel), at_sizes(1, 10), NAME)] == [10, 10]  # type: ignore[union-attr]


def test_an_array_that_grows_has_room_from_the_start() -> None:
    values = [{"a": np.eye(count), "y": np.arange(count)} for count in (2, 6)]
    for panel in (PANELS["heatmap"], PANELS["bars"]):
        few, many = (drawing.panels[0].svg for drawing in drawn_at_all(spec(panel), values, NAME))
        alone = figure.draw(spec(panel), values[0], name=NAME).panels[0].svg
        heights = [ElementTree.fromstring(each).get("height") for each in (few, many, alone)]
        assert heights[0] == heights[1] != heights[2]


def test_texts_of_cells_have_one_size_or_none_is_written() -> None:
    panel = Panel(heatmap=at("a"), cells=at(".2f"))
    long = [{"a": np.ones((2, 6))}, {"a": np.full((2, 6), 1e9)}]
    drawings = drawn_at_all(spec(panel), long, NAME)
    assert not any(">1.00<" in drawing.panels[0].svg for drawing in drawings)
    assert {str(each.message) for drawing in drawings for each in drawing.warnings} == {
        "cells: values are up to 87 pixels wide, but a cell is 52 by 52; none are written"
    }


def test_labels_turn_at_all_settings_or_at_none() -> None:
    panel = Panel(heatmap=at("a"), columns=Axis(labels=at("words")))
    values: list[dict[str, Any]] = [{"a": np.eye(6), "words": (word,) * 6} for word in ("a", "incomprehensibilities")]
    assert all("rotate(-90" in drawing.panels[0].svg for drawing in drawn_at_all(spec(panel), values, NAME))


def test_a_legend_has_whatever_some_setting_draws() -> None:
    panel = Panel(lines=(Line(at("y")), Line(at("z"))))
    values = [{"y": np.arange(3.0), "z": np.full(3, np.nan)}, {"y": np.full(3, np.nan), "z": np.arange(3.0)}]
    for drawing in drawn_at_all(spec(panel), values, NAME):
        assert [str(entry.label) for entry in drawing.panels[0].legend] == ["y", "z"]


def test_data_that_noise_alone_tells_apart_have_one_colour_at_all_settings() -> None:
    below, above = 0.1, 0.2
    while (middle := (below + above) / 2) not in (below, above):
        below, above = (middle, above) if painted(middle) == painted(0.1) else (below, middle)
    assert painted(below) != painted(above)
    values = [{"a": np.full((2, 2), value)} for value in (below, above)]
    shown = spec(Panel(heatmap=at("a"), vmin=0.0, vmax=1.0))
    assert len({drawing.panels[0].svg for drawing in drawn_at_all(shown, values, NAME)}) == 1


def painted(value: float) -> list[int]:
    return color.paint(np.array(value), "white_green", 0, 1).tolist()  # type: ignore[no-any-return]


def test_the_greatest_size_of_all_settings_has_the_largest_point() -> None:
    shown = spec(Panel(scatter=(Points(at("y"), at("y"), size_by=at("size")),)))
    values = [{"y": np.arange(3.0), "size": np.full(3, size)} for size in (1.0, 4.0)]
    small, large = (drawing.panels[0].svg for drawing in drawn_at_all(shown, values, NAME))
    alone = [figure.draw(shown, each, name=NAME).panels[0].svg for each in values]
    assert small != large == alone[0] == alone[1]


def test_the_start_has_them_too_and_a_png_that_others_do_without() -> None:
    values = at_sizes(1, 10)
    common = shared(spec(LINES), values, NAME)
    whole = figure.draw(spec(LINES), values[0], name=NAME, shared=common)
    bare = figure.draw(spec(LINES), values[0], name=NAME, shared=common, png=False)
    assert whole.png.startswith(b"\x89PNG")
    assert whole.png != figure.draw(spec(LINES), values[0], name=NAME).png
    assert (bare.png, bare.panels[0].csv) == (b"", None)
    assert (bare.panels[0].svg, bare.panels[0].table) == (whole.panels[0].svg, whole.panels[0].table)


def sketch(drawing: Any, values: Any) -> None:
    drawing.subplots().plot(values["y"])


def test_a_scene_s_own_drawing_shares_nothing() -> None:
    own = spec(draw=at("sketch"))
    values = at_sizes(1, 10)
    assert shared(own, values, NAME) is None
    bare, whole = (figure.draw(own, values[0], name=NAME, draw=sketch, png=png) for png in (False, True))
    assert (bare.png, bare.panels) == (b"", whole.panels)


# What cannot be drawn ------------------------------------------------------------------------------------------------


def refused(shown: Figure, *values: Any) -> SettingProblems:
    with pytest.raises(SettingProblems) as caught:
        shared(shown, values, NAME)
    return caught.value


@pytest.mark.parametrize("together", [True, False])
def test_a_mistake_at_many_settings_is_told_once_with_these_settings(together: bool) -> None:
    log = spec(Panel(lines=(Line(at("y")),), y=Axis(scale="log")), shared=together)
    values = [{"y": np.array([1.0, low])} for low in (2, -3, 1, -4, -3)]
    found = refused(log, *values)
    [problem] = found.problems
    assert str(problem) == (
        "page.yaml:7: scenes.scene.figure.panels.1.lines: y: a log scale can only show numbers above 0, found −3"
    )
    assert found.settings == {problem: (1, 3, 4)}


def test_mistakes_at_several_places_are_told_together() -> None:
    panels = spec(Panel(heatmap=at("a", 3)), Panel(bars=at("y", 4)))
    fine, flat, endless = {"a": np.eye(2), "y": np.ones(2)}, {"a": np.ones(2)}, {"y": np.array([np.inf])}
    found = refused(panels, fine, fine | flat, fine | endless, fine | flat | endless)
    assert [(problem.line, found.settings[problem]) for problem in found.problems] == [(3, (1, 3)), (4, (2, 3))]


def test_limits_that_no_setting_can_make_right_are_told_once() -> None:
    found = refused(spec(Panel(heatmap=at("a"), vmin=20.0)), *at_sizes(1, 10))
    assert ["vmin must be below vmax" in str(problem) for problem in found.problems] == [True]


def test_problems_of_settings_cross_processes() -> None:
    found = refused(spec(Panel(heatmap=at("b"))), {"b": np.ones(2)})
    again = pickle.loads(pickle.dumps(found))
    assert (type(again), again.problems, again.settings) == (SettingProblems, found.problems, found.settings)


# Plain data ----------------------------------------------------------------------------------------------------------


SAID = """
import sys; sys.path.insert(0, ".")
from tests.figure import test_sharing as tests
print(repr(tests.shared(tests.spec(*tests.PANELS.values()), tests.at_sizes(1, 10), tests.NAME)))
"""


def test_what_is_shared_is_plain_data_that_reads_the_same_in_every_process() -> None:
    common = shared(spec(*PANELS.values()), at_sizes(1, 10), NAME)
    pickled = pickle.dumps(common)
    assert pickle.loads(pickled) == common
    assert b"matplotlib" not in pickled
    assert "0x" not in repr(common)
    assert len(repr(common)) < 10_000
    again = subprocess.run([sys.executable, "-c", SAID], capture_output=True, text=True, check=True)
    assert again.stdout.strip() == repr(common)


@given(st.lists(st.lists(st.floats(-1e3, 1e3, width=32), min_size=4, max_size=4), min_size=1, max_size=4))
@settings(max_examples=25, deadline=None)
def test_every_point_of_every_setting_lies_inside_the_axes(rows: list[list[float]]) -> None:
    values = [{"y": np.array(row), "size": np.ones(4)} for row in rows]
    for panel in (LINES, DOTS, PANELS["bars"]):
        common = sharing.shared(spec(panel), values, NAME)
        assert common is not None
        [axes] = common.frames
        low, high = sorted((axes.x.low, axes.x.high) if panel is PANELS["bars"] else (axes.y.low, axes.y.high))
        room = 1e-9 * max(abs(low), abs(high))
        assert all(low - room <= value <= high + room for row in rows for value in row)


def test_a_drawing_of_one_panel_does_not_depend_on_the_settings_drawn_before() -> None:
    values = at_sizes(1, 10, 3)
    common = shared(spec(DOTS), values, NAME)

    def draw(number: int) -> Drawing:
        return figure.draw(spec(DOTS), values[number], name=NAME, shared=common, png=False)

    assert [draw(number) for number in (0, 1, 2)] == [draw(number) for number in (2, 1, 0)][::-1]
