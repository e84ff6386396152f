"""Tracks hold what changes in a drawing: applied to the start's drawing, they give that of any other setting."""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import canonicalize

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenebook.core.text import Text
from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track
from scenebook.figure import figure
from scenebook.figure.kinds.lines import Line
from scenebook.figure.kinds.scatter import Points
from scenebook.figure.spec import Figure, Panel
from scenebook.figure.svg_tracks import applied, tracks
from tests.support.charts import drawn_at_all

PANELS = {
    "heatmap": Panel(heatmap=Text("a"), cells=Text(".1f")),
    "picture": Panel(heatmap=Text("large")),
    "bars": Panel(bars=Text("y")),
    "lines": Panel(lines=(Line(Text("y")),)),
    "scatter": Panel(scatter=(Points(Text("y"), Text("y"), color_by=Text("y")),)),
}
NUMBERS = st.floats(-1e3, 1e3, width=16) | st.just(0.0) | st.just(np.nan)
ROWS = st.lists(st.lists(NUMBERS, min_size=4, max_size=4), min_size=1, max_size=4)


def svg(inside: str, attributes: str = "") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg"{attributes}>{inside}</svg>'


def values(row: list[float], kind: str) -> dict[str, Any]:
    known = np.nan_to_num(row) if kind == "bars" else np.array(row)
    return {"y": known, "a": known.reshape(2, 2), "large": np.add.outer(np.tile(known, 10), np.arange(40.0))}


@pytest.mark.parametrize("kind", PANELS)
@given(ROWS, st.data())
@settings(max_examples=25, deadline=None)
def test_the_start_with_its_tracks_applied_is_the_drawing_of_any_setting(
    kind: str, rows: list[list[float]], data: st.DataObject
) -> None:
    shown = Figure(Text(""), Text(""), (PANELS[kind],))
    drawn = [each.panels[0].svg for each in drawn_at_all(shown, [values(row, kind) for row in rows], "page/scene")]
    start = data.draw(st.integers(0, len(rows) - 1))
    found = tracks(drawn, start)
    assert applied(drawn[start], found, start) == drawn[start]
    for number, drawing in enumerate(drawn):
        assert canonicalize(applied(drawn[start], found, number)) == canonicalize(drawing)
    assert all(len(set(track.values)) > 1 for track in found)


def test_equal_drawings_have_no_tracks() -> None:
    assert tracks([svg("<g/>")] * 3) == ()


def test_nodes_are_counted_from_the_root_in_the_order_of_the_document() -> None:
    drawings = [
        svg(f'<g><text x="{x}">{text}</text></g><path d="M0 0"/>') for x, text in ((1, "a"), (2, "a"), (2, "b"))
    ]
    assert tracks(drawings) == (Track(2, TEXT, ("a", "a", "b")), Track(2, "x", ("1", "2", "2")))
    assert tracks([svg("", ' width="1"'), svg("", ' width="2"')]) == (Track(0, "width", ("1", "2")),)


def test_an_attribute_that_some_settings_lack_is_none_there() -> None:
    drawings = [svg("<path/>"), svg('<path fill="#fff"/>'), svg("<path/>")]
    assert tracks(drawings) == (Track(1, "fill", (None, "#fff", None)),)
    assert tracks(drawings, 1) == tracks(drawings)
    assert canonicalize(applied(drawings[1], tracks(drawings), 2)) == canonicalize(drawings[2])


@pytest.mark.parametrize(
    "other", ["<path/>", "<circle/><circle/>", "<path/><path/><path/>", "<g><path/></g>", "<path><path/></path>"]
)
def test_elements_that_differ_make_the_whole_drawing_a_track(other: str) -> None:
    drawings = [svg("<path/><path/>"), svg(other), svg('<path d="M0 0"/><path/>')]
    assert tracks(drawings) == (Track(ITSELF, CONTENT, tuple(drawings)),)
    assert applied(drawings[0], tracks(drawings), 1) == drawings[1]


@pytest.mark.parametrize("other", ["<text>b<tspan/>c</text>", "<text>a<tspan/>d</text>"])
def test_a_text_beside_elements_makes_the_whole_drawing_a_track(other: str) -> None:
    assert [track.attribute for track in tracks([svg("<text>a<tspan/>c</text>"), svg(other)])] == [CONTENT]


def test_a_scene_s_own_drawing_has_tracks_as_well() -> None:
    def sketch(drawing: Any, values: Any) -> None:
        axes = drawing.subplots()
        axes.plot([0, 1, 2], values["y"], clip_on=True)
        axes.set(xlim=(0, 2), ylim=(0, 9))

    shown = Figure(Text(""), Text(""), draw=Text("sketch"))
    drawn = [
        figure.draw(shown, {"y": np.array([1, 2, last])}, name="page/scene", draw=sketch, png=False).panels[0].svg
        for last in (3, 4, 8)
    ]
    [track] = tracks(drawn)
    assert track.attribute == "d"
    assert canonicalize(applied(drawn[0], [track], 2)) == canonicalize(drawn[2])
