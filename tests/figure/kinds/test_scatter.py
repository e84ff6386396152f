"""Points are where their values say, in groups that can be told apart. Area and colour are to scale."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection

from scenebook.core.problems import Problems
from scenebook.core.text import Text
from scenebook.figure import _canvas as canvas
from scenebook.figure import _layout as layouts
from scenebook.figure import figure as figures
from scenebook.figure.kinds.scatter import LARGEST, RADIUS, Points, ScatterLayout
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel
from tests.support.charts import alone

VALUES = {
    "a": np.array([1.0, 2.0, 4.0]),
    "b": np.array([10.0, 20.0, 40.0]),
    "c": np.array([5.0, 5.0]),
    "size": np.array([1.0, 4.0, 16.0]),
    "shade": np.array([0.0, 0.5, 1.0]),
}


def at(raw: str) -> Text:
    return Text(raw, "scenes/a/page.yaml", 7)


def scatter(*groups: Points, **options: Any) -> Figure:
    return Figure(Text(""), Text(""), (Panel(scatter=groups),), **options)


def drawn(figure: Figure, values: Any) -> tuple[ScatterLayout, list[EllipseCollection], Any]:
    (read,) = figures.read(figure, values, "page/scene")
    layout = alone(read.chart, 330, None)
    assert isinstance(layout, ScatterLayout)
    page = canvas.blank(layout.width, layout.height)
    with canvas.settings():
        layouts.draw(layout, page, read.scale)
    return layout, [each for each in page.figure.artists if isinstance(each, EllipseCollection)], read.scale


def problems_of(figure: Figure, values: Any) -> list[str]:
    with pytest.raises(Problems) as caught:
        figures.read(figure, values, "page/scene")
    return [str(problem) for problem in caught.value.problems]


def test_points_are_where_their_values_say() -> None:
    layout, (dots,), _ = drawn(scatter(Points(at("a"), at("b"))), VALUES)
    offsets = np.asarray(dots.get_offsets()) * canvas.CSS_DPI
    assert offsets[:, 0] == pytest.approx(layout.x.place(VALUES["a"]))
    assert layout.height - offsets[:, 1] == pytest.approx(layout.y.place(VALUES["b"]))
    assert layout.box.left < offsets[:, 0].min()
    assert offsets[:, 0].max() < layout.box.right
    assert dots.get_widths() == pytest.approx([2 * RADIUS] * 3)


def test_the_area_of_a_point_is_in_proportion_to_its_size() -> None:
    _, (dots,), _ = drawn(scatter(Points(at("a"), at("b"), size_by=at("size"))), VALUES)
    assert np.asarray(dots.get_widths()) / 2 == pytest.approx([LARGEST / 4, LARGEST / 2, LARGEST])


def test_the_colour_of_a_point_shows_its_value() -> None:
    _, (dots,), scale = drawn(scatter(Points(at("a"), at("b"), color_by=at("shade"))), VALUES)
    assert (scale.vmin, scale.vmax) == (0, 1)
    colors = np.rint(np.asarray(dots.get_facecolor())[:, :3] * 255).astype(int).tolist()
    assert colors[0] == [255, 255, 255]
    assert colors[2] == [0, 0x76, 0x2F]


def test_each_group_has_its_own_look_and_an_entry_in_the_legend() -> None:
    groups = (Points(at("a"), at("b"), at("first")), Points(at("b"), at("a"), at("second")))
    (read,) = figures.read(scatter(*groups), VALUES, "page/scene")
    entries = [(str(entry.label), entry.color, entry.mark) for entry in read.chart.legend()]
    assert entries == [("first", "blue", "dot"), ("second", "orange", "dot")]


def test_a_log_axis_spreads_powers_evenly() -> None:
    layout, (dots,), _ = drawn(scatter(Points(at("a"), at("b")), x=Axis(scale="log")), VALUES)
    steps = np.diff(np.asarray(dots.get_offsets())[:, 0])
    assert steps[0] == pytest.approx(steps[1])
    assert layout.x.log


def test_a_point_without_a_place_is_left_out_and_counted() -> None:
    values = {"a": np.array([1.0, np.nan, 3.0]), "b": np.array([1.0, 2.0, np.inf])}
    figure = scatter(Points(at("a"), at("b")))
    _, (dots,), _ = drawn(figure, values)
    assert len(np.asarray(dots.get_offsets())) == 1
    drawing = figures.draw(figure, values, name="page/scene")
    assert drawing.panels[0].bad == ("1 NaN", "1 inf")
    (warning,) = drawing.warnings
    expected = "scenes/a/page.yaml:7: scenes.scene.figure.panels.1.scatter.1: "
    expected += "warning: b has points without a place (1 NaN, 1 inf); mask them if this is intended"
    assert str(warning) == expected


def test_the_table_has_a_row_for_each_point() -> None:
    drawing = figures.draw(scatter(Points(at("a"), at("b"), size_by=at("size"))), VALUES, name="page/scene")
    assert drawing.panels[0].csv == b",a,b,size\n0,1.0,10.0,1.0\n1,2.0,20.0,4.0\n2,4.0,40.0,16.0\n"


MISTAKES: list[tuple[Points, dict[str, Any], str, str]] = [
    (
        Points(at("a"), at("c")),
        {},
        "1.y",
        "c: has 2 elements, but a has 3; each point needs one of each",
    ),
    (Points(at("a"), at("z")), {}, "1.y", "there is no value 'z'; the scene has: a, b, c, shade, size"),
    (
        Points(at("a"), at("b"), size_by=at("d")),
        {"d": -VALUES["a"]},
        "1.size_by",
        "d: a size must not be negative, found −4",
    ),
    (Points(at("d"), at("b")), {"d": -VALUES["a"]}, "1.x", "d: a log scale can only show numbers above 0, found −4"),
]


@pytest.mark.parametrize(("points", "more", "where", "message"), MISTAKES)
def test_what_cannot_be_drawn_is_reported(points: Points, more: dict[str, Any], where: str, message: str) -> None:
    found = problems_of(scatter(points, x=Axis(scale="log")), VALUES | more)
    assert found == [f"scenes/a/page.yaml:7: scenes.scene.figure.panels.1.scatter.{where}: {message}"]


def test_a_colormap_without_a_value_to_show_is_refused() -> None:
    (found,) = problems_of(scatter(Points(at("a"), at("b")), vmax=1.0), VALUES)
    assert found.endswith("figure.vmax: is for points with color_by, but no group of this panel has it; leave it out")


def test_points_without_a_place_are_counted_where_no_point_is_drawn() -> None:
    shown = Figure(Text(""), Text(""), (Panel(scatter=(Points(Text("x"), Text("y")),)),))
    drawing = figures.draw(shown, {"x": np.arange(3.0), "y": np.full(3, np.nan)}, name="page/scene")
    assert ">3 NaN</text>" in drawing.panels[0].svg
