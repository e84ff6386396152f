"""What cannot be drawn is reported with its place and what to do. What can be drawn is read as the author meant it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scenebook.core.problems import Problems
from scenebook.core.text import Text
from scenebook.figure import figure as figures
from scenebook.figure._color_scale import ColorScale
from scenebook.figure._kind import Chart
from scenebook.figure._value_reader import bad_counts
from scenebook.figure.kinds.bars import BarsChart
from scenebook.figure.kinds.heatmap import HeatmapChart
from scenebook.figure.kinds.lines import Line, LinesChart
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel, panel_names


def at(raw: str, line: int = 7) -> Text:
    return Text(raw, "scenes/a/page.yaml", line)


def figure(*panels: Panel, **fields: Any) -> Figure:
    return Figure(Text(""), Text(""), panels, **fields)


def heatmap(**fields: Any) -> Figure:
    return figure(Panel(heatmap=at("a")), **fields)


def bars(**fields: Any) -> Figure:
    return figure(Panel(bars=at("a")), **fields)


def lines(*names: str, **fields: Any) -> Figure:
    return figure(Panel(lines=tuple(Line(at(name)) for name in names or ("a",))), **fields)


def charts(figure: Figure, values: Any) -> tuple[Chart, ...]:
    return tuple(panel.chart for panel in figures.read(figure, values, "page/scene"))


def scale_of(figure: Figure, values: Any) -> ColorScale | None:
    return next(iter(panel.scale for panel in figures.read(figure, values, "page/scene") if panel.scale), None)


def problems_of(figure: Figure, **values: Any) -> list[str]:
    with pytest.raises(Problems) as caught:
        charts(figure, values)
    return [str(problem) for problem in caught.value.problems]


def limits(figure: Figure, *arrays: Any) -> tuple[float, float] | None:
    values = {name: np.ma.asarray(data) for name, data in zip("abc", arrays, strict=False)}
    scale = scale_of(figure, values)
    return None if scale is None else (scale.vmin, scale.vmax)


LOOKS = [(color, again) for again in (False, True) for color in ("blue", "orange", "green", "purple", "grey")][:8]
SHAPES = [
    (np.arange(3.0), "found an array of shape (3,) and dtype float64; index it with [None] to show it as one row"),
    (np.zeros((0, 5)), "that is not empty, found an array of shape (0, 5) and dtype float64"),
    (np.zeros((4, 4, 5)), "found an array of shape (4, 4, 5) and dtype float64"),
    (np.array([["1", "2"]]), "found an array of shape (1, 2) and dtype <U1"),
    (np.array([["a", 1]], dtype=object), "found an array of shape (1, 2) and dtype object"),
    (np.eye(2) + 1j, "found an array of shape (2, 2) and dtype complex128"),
    (3.0, "found the number 3.0"),
    ("text", "found the text 'text'"),
    (("a", "b"), "found a list of 2"),
]


@pytest.mark.parametrize(("value", "message"), SHAPES)
def test_a_wrong_shape_is_reported_with_what_was_found_and_what_is_accepted(value: Any, message: str) -> None:
    (found,) = problems_of(heatmap(), a=value)
    start = "scenes/a/page.yaml:7: scenes.scene.figure.panels.1.heatmap: a: "
    assert found.startswith(f"{start}a heatmap takes a two-dimensional array of bool, int or float")
    assert found.endswith(message)


@pytest.mark.parametrize(
    "value", [np.eye(3, dtype=bool), np.arange(6).reshape(2, 3), np.eye(2, dtype="float16"), np.array([[3]], np.uint8)]
)
def test_a_good_array_is_accepted(value: Any) -> None:
    (read,) = charts(heatmap(), {"a": value})
    assert isinstance(read, HeatmapChart)
    assert read.data.tolist() == value.tolist()


def test_a_missing_value_is_reported_with_the_values_that_exist() -> None:
    assert problems_of(figure(Panel(heatmap=at("rwa"))), raw=np.eye(2), other=1.0) == [
        (
            "scenes/a/page.yaml:7: scenes.scene.figure.panels.1.heatmap: "
            "there is no value 'rwa'; did you mean 'raw'? The scene has: other, raw"
        )
    ]


def test_all_problems_of_a_figure_are_reported_at_once() -> None:
    found = problems_of(
        figure(
            Panel(heatmap=at("a", 1)),
            Panel(bars=at("gone", 2)),
            Panel(lines=(Line(at("b", 3)), Line(at("c", 4)))),
            rows=Axis(labels=at("names", 5)),
            columns=Axis(labels=at("nowhere", 6)),
            cells=at(".2q", 8),
            vmin=float("nan"),
        ),
        a=np.eye(2),
        b=np.zeros((1, 1)),
        c="text",
        names=("x",),
    )
    assert [line.split(": ", 2)[0].rpartition(":")[2] for line in found] == ["1", "2", "3", "4", "5", "6", "8"]
    assert "vmin: a limit must be a finite number, found NaN" in found[0]
    assert "names has 1, but there are 2 rows of a; give each a label" in found[4]
    assert "the format '.2q' does not fit a float" in found[6]


def test_wrong_labels_are_refused() -> None:
    assert (
        "labels must be a list of texts or numbers, found the number 3"
        in problems_of(heatmap(rows=Axis(labels=at("n"))), a=np.eye(2), n=3)[0]
    )
    found = problems_of(bars(columns=Axis(labels=at("n"))), a=np.ones((2, 3)), n=("x", "y"))
    place = "scenes/a/page.yaml:7: scenes.scene.figure.columns.labels: "
    assert found == [place + "n has 2, but there are 3 parts of a; give each a label"]


def test_integer_labels_are_written_without_a_decimal_point() -> None:
    (read,) = charts(heatmap(rows=Axis(labels=at("n"))), {"a": np.eye(2), "n": np.array([1, -2])})
    assert isinstance(read, HeatmapChart)
    assert read.rows == ("1", "−2")


BAD_LIMITS: list[tuple[dict[str, Any], Any, str]] = [
    ({"vmin": 2.0, "vmax": 1.0}, np.eye(2), "vmin must be below vmax: vmin is 2, vmax is 1"),
    ({"vmin": 1.0, "vmax": 1.0}, np.eye(2), "vmin must be below vmax: vmin is 1, vmax is 1"),
    ({"vmin": 5.0}, np.eye(2), "vmin must be below vmax: vmin is 5, vmax is 1"),
    ({"vmax": float("inf")}, np.eye(2), "a limit must be a finite number, found inf"),
    ({"vmin": 0.3}, np.array([[0.1, 0.1 + 0.2]]), "vmin must be below vmax: vmin is 0.3, vmax is 0.3"),
    ({"vmin": 0.3, "vmax": 0.1 + 0.2}, np.eye(2), "vmin must be below vmax: vmin is 0.3, vmax is 0.3"),
    ({"vmin": 0.0}, np.eye(2, dtype=bool), "vmin: truth values are white for false and green for true; leave vmin out"),
    ({"colormap": "blue_white_green"}, np.eye(2, dtype=bool), "colormap: truth values are white for false and green"),
    ({"vmin": -1.0, "vmax": 2.0, "colormap": "blue_white_green"}, np.eye(2), "blue_white_green is symmetric about 0"),
    ({"vmin": 1.0, "colormap": "blue_white_green"}, np.eye(2), "blue_white_green is symmetric about 0"),
    ({"vmax": 0.0, "colormap": "blue_white_green"}, np.eye(2), "blue_white_green is symmetric about 0"),
]


@pytest.mark.parametrize(("fields", "data", "message"), BAD_LIMITS)
def test_limits_that_make_no_sense_are_refused(fields: dict[str, Any], data: Any, message: str) -> None:
    (found,) = problems_of(heatmap(**fields), a=data)
    assert message in found
    assert "scenes/a/page.yaml:7: " in found


GOOD_LIMITS: list[tuple[dict[str, Any], Any, tuple[float, float] | None]] = [
    ({}, [[1.0, 2.0], [3.0, 4.0]], (1, 4)),
    ({}, np.ma.masked_equal([[1.0, np.nan], [np.inf, 2.0], [-np.inf, -9.0]], -9.0), (1, 2)),
    ({}, np.full((3, 3), np.nan), None),
    ({"vmin": 0.0}, np.full((3, 3), np.nan), None),
    ({"vmin": 5.0}, np.full((3, 3), np.nan), None),
    ({"vmin": 0.0, "vmax": 2.0}, np.full((3, 3), np.nan), (0, 2)),
    ({"vmax": 2.0, "colormap": "blue_white_green"}, np.full((3, 3), np.nan), (-2, 2)),
    ({"vmin": 0.3}, [[0.1 + 0.2, 0.3]], (0.3, 1.3)),
    ({"vmax": 0.3}, [[0.1 + 0.2, 0.3]], (-0.7, 0.3)),
    ({}, np.full((3, 3), 2.0), (0, 2)),
    ({}, np.full((3, 3), -2.0), (-2, 0)),
    ({}, np.zeros((3, 3)), (0, 1)),
    ({}, np.ones((2, 2), bool), (0, 1)),
    ({"vmin": 0.0}, np.zeros((2, 2)), (0, 1)),
    ({"vmax": 1.0}, np.ones((2, 2)), (0, 1)),
    ({"vmin": 0.0, "vmax": 1.0}, [[0.2, 7.0]], (0, 1)),
    ({"colormap": "blue_white_green"}, [[-1.0, 3.0]], (-3, 3)),
    ({"colormap": "blue_white_green"}, [[0.0, 0.0]], (-1, 1)),
    ({"colormap": "blue_white_green", "vmin": -2.0}, [[-1.0, 3.0]], (-2, 2)),
    ({"colormap": "blue_white_green", "vmin": -2.0, "vmax": 2.0}, [[-1.0, 3.0]], (-2, 2)),
]


@pytest.mark.parametrize(("fields", "data", "expected"), GOOD_LIMITS)
def test_a_scale_begins_and_ends_where_its_options_and_data_say(
    fields: dict[str, Any], data: Any, expected: tuple[float, float] | None
) -> None:
    assert limits(heatmap(**fields), data) == expected


def test_the_heatmaps_of_a_figure_share_one_scale() -> None:
    both = figure(Panel(heatmap=at("a")), Panel(heatmap=at("b")))
    assert limits(both, [[0.0, 1.0]], [[5.0, 9.0]]) == (0, 9)


def test_a_scale_shows_that_values_lie_beyond_its_end() -> None:
    scale = scale_of(heatmap(vmin=0.0, vmax=1.0), {"a": np.array([[-1.0, 0.5, 1.0]])})
    assert scale is not None
    assert scale.ticks == ((0.0, "≤ 0"), (1.0, "1"))


def test_a_scale_ignores_values_that_exceed_it_by_rounding_noise() -> None:
    spec = heatmap(vmin=0.0, vmax=1.0)
    scale = scale_of(spec, {"a": np.array([[-1e-17, 1 + 2e-16]])})
    assert scale is not None
    assert scale.ticks == ((0.0, "0"), (1.0, "1"))


ENDS: list[tuple[Any, tuple[str, str]]] = [
    ([[1.0, 1.00001]], ("1", "1.00001")),
    ([[0.3, 0.3 + 1e-9]], ("0.3", "0.300000001")),
    ([[99.5, 100.2]], ("99.5", "100.2")),
    ([[1_000_000, 1_000_001]], ("1000000", "1000001")),
    ([[1e-17, 1.0]], ("0", "1")),
    ([[1e-9, 1.0]], ("1×10⁻⁹", "1")),
    ([[0.1 + 0.2, 0.3]], ("0", "0.3")),
    ([[-0.3, -0.1 - 0.2]], ("−0.3", "0")),
]


@pytest.mark.parametrize(("data", "texts"), ENDS)
def test_the_ends_of_a_scale_look_different_and_show_no_noise(data: Any, texts: tuple[str, str]) -> None:
    scale = scale_of(heatmap(), {"a": np.array(data)})
    assert scale is not None
    assert tuple(text for _, text in scale.ticks) == texts


def test_a_format_is_checked_even_if_the_first_cell_has_no_value() -> None:
    assert (
        "the format '.2q' does not fit a float" in problems_of(heatmap(cells=at(".2q")), a=np.array([[np.nan, 1.0]]))[0]
    )


def test_masked_labels_are_refused() -> None:
    labels = np.ma.masked_array([1, 2], [False, True])
    found = problems_of(heatmap(rows=Axis(labels=at("n"))), a=np.eye(2), n=labels)
    place = "scenes/a/page.yaml:7: scenes.scene.figure.rows.labels: "
    assert found == [f"{place}n: some of the labels are masked; every label needs a value"]


NAMES = [
    (["a", "b"], ["a", "b"]),
    (["raw", "raw", "raw"], ["raw", "raw-2", "raw-3"]),
    (["raw", "raw", "raw_2"], ["raw", "raw-3", "raw_2"]),
    (["raw", "Raw", "RAW"], ["raw", "Raw-2", "RAW-3"]),
    (["x", "raw", "y", "raw"], ["x", "raw", "y", "raw-2"]),
]


@pytest.mark.parametrize(("values", "names"), NAMES)
def test_every_panel_of_a_figure_has_its_own_name(values: list[str], names: list[str]) -> None:
    assert list(panel_names(values)) == names
    assert figure(*(Panel(bars=at(value)) for value in values)).names == tuple(names)


def test_truth_values_have_a_scale_of_false_and_true() -> None:
    scale = scale_of(heatmap(), {"a": np.eye(2, dtype=bool)})
    assert scale is not None
    assert (scale.ticks, scale.discrete) == (((0.0, "false"), (1.0, "true")), True)


def test_limits_hold_for_numbers_beside_truth_values() -> None:
    both = figure(Panel(heatmap=at("a")), Panel(heatmap=at("b")), vmax=2.0)
    assert limits(both, np.eye(2, dtype=bool), [[0.5, 1.0]]) == (0, 2)


BAD_BARS: list[tuple[dict[str, Any], Any, str]] = [
    ({}, np.array([1.0, np.nan, np.inf]), "a: the length of a bar must be a finite number, found 1 NaN, 1 inf"),
    ({}, np.array([[1.0, -2.0]]), "a: the parts of a stacked bar must not be negative, found −2"),
    ({"x": Axis(scale="log")}, np.ones((2, 2)), "a: stacked bars need a linear scale, but x.scale is log"),
    ({"x": Axis(scale="log")}, np.array([0.0, 1.0]), "a: a log scale can only show numbers above 0, found 0"),
    ({"colors": ("blue", "green")}, np.ones(3), "2 colours for 3 bars of a; give one for each, or one for all"),
    (
        {"colors": ("blue", "green")},
        np.ones((2, 3)),
        "2 colours for 3 parts of a; give one for each, or one for all",
    ),
    ({}, np.ones((2, 2, 2)), "bars takes a one-dimensional or two-dimensional array"),
]


@pytest.mark.parametrize(("fields", "data", "message"), BAD_BARS)
def test_bars_that_cannot_be_drawn_are_refused(fields: dict[str, Any], data: Any, message: str) -> None:
    assert message in problems_of(bars(**fields), a=data)[0]


def test_each_part_has_its_colour_and_the_legend_names_each_label_once() -> None:
    parts = np.ones((2, 7))
    names = tuple("abbbbbc")
    (read,) = charts(bars(columns=Axis(labels=at("n"))), {"a": parts, "n": names})
    assert isinstance(read, BarsChart)
    assert [color for color, _ in read.looks] == ["blue", "orange", "green", "purple", "grey", "blue", "orange"]
    (read,) = charts(bars(colors=("green",), columns=Axis(labels=at("n"))), {"a": parts, "n": names})
    assert [(entry.label, entry.color) for entry in read.legend()] == [
        ("a", "green"),
        ("b", "green"),
        ("c", "green"),
    ]


def test_the_legend_shows_eight_looks_for_eight_parts() -> None:
    spec, parts = bars(columns=Axis(labels=at("n"))), tuple("abcdefgh")
    (read,) = charts(spec, {"a": np.ones((2, 8)), "n": parts})
    entries = read.legend()
    assert [entry.label for entry in entries] == list(parts)
    assert [(entry.color, entry.again) for entry in entries] == LOOKS


def test_plain_bars_with_columns_are_refused() -> None:
    spec = bars(columns=Axis(labels=at("n", 9)))
    values: dict[str, Any] = {"a": np.ones(2), "n": ("x", "y")}
    (found,) = problems_of(spec, **values)
    assert found.startswith("scenes/a/page.yaml:9: scenes.scene.figure.columns.labels: plain bars have no columns")
    both = replace(spec, panels=(*spec.panels, Panel(bars=at("b"))))
    assert len(charts(both, {**values, "b": np.ones((3, 2))})) == 2


BAD_LINES: list[tuple[Figure, dict[str, Any], str]] = [
    (lines("a", "b"), {"a": np.ones(3), "b": np.ones(4)}, "b has 4 elements, but a has 3; a line needs one for each"),
    (lines(x=Axis(values=at("x"))), {"a": np.ones(3), "x": np.ones(2)}, "a has 3 elements, but x has 2"),
    (
        lines(x=Axis(values=at("x"))),
        {"a": np.ones(2), "x": np.array([1, np.nan])},
        "x: a position must be a finite number",
    ),
    (
        lines(x=Axis(values=at("x"), scale="log")),
        {"a": np.ones(2), "x": np.arange(2)},
        "x: a log scale can only show numbers",
    ),
    (lines(x=Axis(scale="log")), {"a": np.ones(2)}, "x.scale: a log scale needs positions above 0; name them"),
    (lines(y=Axis(scale="log")), {"a": np.array([1, -2.0])}, "a: a log scale can only show numbers above 0, found −2"),
    (
        lines(x=Axis(values=at("step"))),
        {"a": np.ones(2), "steps": np.ones(2)},
        "no value 'step'; did you mean 'steps'?",
    ),
    (lines(), {"a": np.array([1e301])}, "a: a line shows numbers up to 1e+300, found 1e+301"),
]


@pytest.mark.parametrize(("spec", "values", "message"), BAD_LINES)
def test_lines_that_cannot_be_drawn_are_refused(spec: Figure, values: dict[str, Any], message: str) -> None:
    assert message in problems_of(spec, **values)[0]


def test_a_line_without_a_colour_gets_one_that_is_free() -> None:
    chosen = (Line(at("a")), Line(at("b"), color="blue"), Line(at("c"), at("$c$"), dashed=True))
    (read,) = charts(figure(Panel(lines=chosen)), dict.fromkeys("abc", np.ones(2)))
    assert isinstance(read, LinesChart)
    assert [entry.color for entry in read.entries] == ["orange", "blue", "green"]
    assert [(entry.label, entry.dashed) for entry in read.legend()] == [("a", False), ("b", False), ("$c$", True)]


@pytest.mark.parametrize("count", [5, 6, 8])
def test_up_to_eight_lines_without_a_colour_look_different(count: int) -> None:
    names = "abcdefgh"[:count]
    (read,) = charts(lines(*names), dict.fromkeys(names, np.ones(2)))
    assert [(entry.color, entry.again) for entry in read.legend()] == LOOKS[:count]


@pytest.mark.parametrize(
    "claimed", [("blue",), ("blue", "grey", "query"), ("blue", "orange", "green", "purple", "grey")]
)
@pytest.mark.parametrize("dashed", [False, True])
def test_a_line_without_a_colour_looks_different_from_seven_others(claimed: tuple[Any, ...], dashed: bool) -> None:
    own = [Line(at(name), color=color) for name, color in zip("abcde", claimed, strict=False)]
    others = [Line(at(name), dashed=dashed) for name in "abcdefgh"[len(own) :]]
    (read,) = charts(figure(Panel(lines=(*own, *others))), dict.fromkeys("abcdefgh", np.ones(2)))
    looks = [(entry.color, entry.dashed, entry.again) for entry in read.legend()]
    assert len(set(looks)) == 8
    assert [look[0] for look in looks[: len(own)]] == list(claimed)


def test_a_single_line_has_a_legend_only_if_it_has_a_label() -> None:
    (read,) = charts(lines(), {"a": np.ones(2)})
    assert read.legend() == ()
    (read,) = charts(figure(Panel(lines=(Line(at("a"), at("measured")),))), {"a": np.ones(2)})
    assert [entry.label for entry in read.legend()] == ["measured"]


def test_a_line_without_a_finite_value_is_not_in_the_legend() -> None:
    values = {
        "a": np.full(3, np.nan),
        "b": np.arange(3.0),
        "c": np.ma.masked_array(np.zeros(3), mask=True),
        "d": np.array([np.inf, -np.inf, 1]),
    }
    (read,) = charts(lines(*"abcd"), values)
    assert [(entry.label, entry.color) for entry in read.legend()] == [("b", "orange"), ("d", "purple")]


def test_gaps_are_counted() -> None:
    (read,) = charts(lines(), {"a": np.ma.masked_equal([1.0, np.nan, np.inf, 4.0], 4.0)})
    assert isinstance(read, LinesChart)
    assert bad_counts(*read.ys, *read.ys) == ("2 NaN", "2 inf", "2 masked")
    assert bad_counts(np.ma.masked_equal([1.0, np.nan, np.inf, -np.inf, 4.0], 4.0)) == (
        "1 NaN",
        "1 inf",
        "1 −inf",
        "1 masked",
    )
