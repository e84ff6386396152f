"""Everything in a panel has its place: nothing is cut off, nothing overlaps, sizes are to scale and can be read."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.lines import Line2D

from scenebook.core.text import Text
from scenebook.figure import _canvas as canvas
from scenebook.figure import _layout as layouts
from scenebook.figure._canvas import text_width
from scenebook.figure._kind import Chart
from scenebook.figure._labels import Side, below, beside, fit_below
from scenebook.figure._layout import AxisLayout, Label, Layout
from scenebook.figure._looks import LegendEntry, Look, dashes
from scenebook.figure._sizes import LINE
from scenebook.figure.kinds import heatmap as heatmaps
from scenebook.figure.kinds import lines as line_charts
from scenebook.figure.kinds.bars import Bars, BarsChart, BarsLayout
from scenebook.figure.kinds.heatmap import Heatmap, HeatmapChart
from scenebook.figure.kinds.lines import Line, Lines, LinesChart
from scenebook.figure.options import Axis
from tests.support.charts import alone

WORDS = st.text("abcdefghij WM", min_size=1, max_size=40).map(str.strip).filter(bool)


def heatmap(data: Any, rows: Any = (), columns: Any = (), spec: str | None = None) -> HeatmapChart:
    array = np.ma.getdata(data) if np.ma.isMaskedArray(data) else np.asarray(data)
    options = Heatmap(Text("a"), cells=None if spec is None else Text(spec))
    return HeatmapChart("a", options, array, np.ma.getmaskarray(np.ma.asarray(data)), tuple(rows), tuple(columns))


def bars(lengths: Any, rows: Any = (), log: bool = False) -> BarsChart:
    array = np.asarray(lengths)
    stacked = array.ndim == 2
    array = array.reshape(len(array), -1)
    look: Look = ("blue", False)
    looks = (look,) * (array.shape[1] if stacked else len(array))
    options = Bars(Text("a"), x=Axis(scale="log" if log else "linear"))
    return BarsChart("a", options, array, tuple(rows), (), looks, stacked)


def lines(*ys: Any, x: Any = None, log_x: bool = False, log_y: bool = False) -> LinesChart:
    values = tuple(np.asarray(y, float) for y in ys)
    entries = tuple(LegendEntry(Text("a"), "blue") for _ in ys)
    sides = {"x": Axis(scale="log" if log_x else "linear"), "y": Axis(scale="log" if log_y else "linear")}
    options = Lines(tuple(Line(Text("a")) for _ in ys), **sides)
    return LinesChart(
        "a",
        options,
        np.arange(len(values[0])) if x is None else np.asarray(x),
        values,
        entries,
        bands=(None,) * len(values),
    )


def extent(label: Label) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a label."""
    rows = label.text.split("\n")
    width, height = max(map(text_width, rows)), LINE * len(rows) - 3
    if label.turned:
        return label.x - LINE / 2 + 2, label.y, label.x + LINE / 2 - 2, label.y + width
    left = label.x - {"left": 0.0, "center": 0.5, "right": 1.0}[label.align] * width
    return left, label.y - height / 2, left + width, label.y + height / 2


def overlap(one: Label, other: Label) -> bool:
    first, second = extent(one), extent(other)
    return all(first[side] < second[side + 2] - 0.01 and second[side] < first[side + 2] - 0.01 for side in (0, 1))


def assert_placed(found: Layout) -> None:
    """Assert that all labels and the box are inside the panel, and that no label overlaps another."""
    for label in found.labels:
        left, top, right, bottom = extent(label)
        assert left >= -0.5, label
        assert top >= -0.5, label
        assert right <= found.width + 0.5, label
        assert bottom <= found.height + 0.5, label
    pairs = [(a, b) for index, a in enumerate(found.labels) for b in found.labels[:index]]
    assert not [pair for pair in pairs if overlap(*pair)]
    assert found.box.left >= 0
    assert found.box.right <= found.width + 0.01
    assert found.box.bottom < found.height


NAMES = ["the", "cat", "sat", "on", "a", "mat", "because", "it", "was", "internationalisation", "very tired indeed"]
PANELS: dict[str, Chart] = {
    "four words": heatmap(np.eye(4), NAMES[:4], NAMES[:4], ".2f"),
    "many words": heatmap(np.eye(11), NAMES, NAMES),
    "one row": heatmap(np.arange(5.0)[None]),
    "one column": heatmap(np.arange(5.0)[:, None]),
    "one cell": heatmap(np.array([[3.0]]), spec=""),
    "wide": heatmap(np.zeros((3, 200))),
    "tall": heatmap(np.zeros((7000, 3))),
    "large": heatmap(np.zeros((300, 300))),
    "numbers": heatmap(np.eye(16), columns=[str(1000 * n) for n in range(16)]),
    "bars": bars([1.5, 3, 2], NAMES[:3]),
    "negative bars": bars([-1.5, 3], NAMES[:2]),
    "long names": bars([[1, 2], [3, 4]], ["one head of full width, all in one", "eight narrow ones and a projection"]),
    "many bars": bars(np.arange(300)),
    "log bars": bars([2, 300, 40_000], log=True),
    "zero bars": bars([0, 0]),
    "millions": bars([1_048_576, 3_000_000]),
    "lines": lines([1, 4, 9], [1, 2, 3]),
    "log lines": lines([1, 40, 900], x=[2, 64, 1024], log_x=True, log_y=True),
    "constant": lines([5, 5, 5]),
    "one point": lines([5]),
    "no point": lines([math.nan, math.nan]),
    "tiny": lines([1e-9, 3e-9]),
    "huge": lines([1e9, 3e12]),
}


@pytest.mark.parametrize("width", [120, 330, 700])
@pytest.mark.parametrize("name", PANELS)
def test_nothing_is_cut_off_or_overlaps(name: str, width: int) -> None:
    found = alone(PANELS[name], width, None)
    assert found.width == width
    assert 20 < found.height < 700
    assert_placed(found)


@pytest.mark.parametrize("name", PANELS)
def test_a_requested_height_is_kept(name: str) -> None:
    assert alone(PANELS[name], 330, 400).height == pytest.approx(400, abs=4)


@pytest.mark.parametrize(("width", "height"), [(80, None), (80, 20), (330, 20), (2000, 4000)])
@pytest.mark.parametrize("name", PANELS)
def test_every_size_that_is_allowed_can_be_drawn(name: str, width: int, height: int | None) -> None:
    found = alone(PANELS[name], width, height)
    assert found.box.width > 0
    assert found.box.height >= 8
    assert found.box.right <= width
    boxes = np.array(drawn(found)).reshape(-1, 4) if isinstance(found, BarsLayout) else np.ones((1, 4))
    assert np.all(boxes[:, 2:] > 0)


@given(st.lists(WORDS, min_size=1, max_size=30), st.floats(3, 90))
def test_labels_under_columns_do_not_touch(labels: list[str], pitch: float) -> None:
    side = below(tuple(labels), fit_below((tuple(labels),), pitch))
    placed = [
        Label((index + 0.5) * pitch, 0 if side.turned else LINE * (1 + text.count("\n")) / 2, text, turned=side.turned)
        for index, text in enumerate(side.texts)
        if text
    ]
    assert not [pair for pair in itertools.pairwise(placed) if overlap(*pair)]
    assert all(extent(label)[3] <= side.room + 0.01 for label in placed)
    assert_named(tuple(labels), side)


@given(st.lists(WORDS, min_size=1, max_size=30), st.floats(1, 90), st.floats(20, 140))
def test_labels_beside_rows_do_not_touch(labels: list[str], pitch: float, most: float) -> None:
    side = beside(tuple(labels), pitch, most)
    placed = [Label(0, (index + 0.5) * pitch, text, "right") for index, text in enumerate(side.texts) if text]
    assert not [pair for pair in itertools.pairwise(placed) if overlap(*pair)]
    assert all(-extent(label)[0] <= min(side.room, most) + 0.01 for label in placed)
    assert_named(tuple(labels), side)


def assert_named(labels: tuple[str, ...], side: Side) -> None:
    """Assert that every label that is not shown in full is reported."""
    shown = [" ".join(text.split()) for text in side.texts]
    assert side.harmed == tuple(
        label for label, text in zip(labels, shown, strict=True) if " ".join(label.split()) != text
    )


def test_labels_without_room_are_reported() -> None:
    words = tuple(f"token{index}" for index in range(64))
    (rows, columns) = alone(heatmap(np.zeros((64, 64)), words, words), 330, None).warnings
    assert rows.startswith("rows: no room for token1, token2, token3, token4, token6 and ")
    assert columns.startswith("columns: no room for token1, ")
    assert alone(heatmap(np.zeros((64, 64))), 330, None).warnings == ()


def test_numbers_are_thinned_to_round_steps() -> None:
    labels = [label.text for label in alone(heatmap(np.zeros((2000, 2000))), 330, None).labels]
    assert labels == ["0", "500", "1,000", "1,500"] * 2


@pytest.mark.parametrize("shape", [(1, 5), (5, 1), (1, 1), (1, 35), (60, 1), (2, 3), (16, 16)])
def test_every_cell_is_large_enough_to_see(shape: tuple[int, int]) -> None:
    box = alone(heatmap(np.zeros(shape)), 330, None).box
    assert box.height / shape[0] >= 8
    assert box.width / shape[1] >= 8


@pytest.mark.parametrize("shape", [(4, 4), (16, 16), (2, 3), (3, 2), (1, 5), (12, 9), (200, 200)])
def test_cells_are_squares(shape: tuple[int, int]) -> None:
    box = alone(heatmap(np.zeros(shape)), 330, None).box
    assert box.height / shape[0] == pytest.approx(box.width / shape[1])


def test_values_are_written_only_where_they_fit() -> None:
    fits = alone(heatmap(np.eye(4), spec=".2f"), 330, None)
    assert (fits.cells[0], fits.size, fits.warnings) == (("1.00", "0.00", "0.00", "0.00"), 12, ())
    tight = alone(heatmap(np.eye(11)[:1], spec=".2f"), 330, None)
    assert (tight.cells[0][:2], tight.size) == (("1.00", "0.00"), 11)
    full = alone(heatmap(np.eye(16), spec=".2f"), 330, None)
    assert full.cells == ()
    assert full.warnings == ("cells: values are up to 24 pixels wide, but a cell is 19 by 19; none are written",)
    large = alone(heatmap(np.zeros((40, 40)), spec=".2f"), 330, None)
    assert (large.cells, large.warnings) == ((), ("cells: 1,600 values are too many to write; the limit is 1,000",))


def test_a_cell_without_a_value_says_why() -> None:
    data = np.ma.masked_equal([[1.0, np.nan], [np.inf, 2.0], [-np.inf, -9.0]], -9.0)
    assert alone(heatmap(data), 330, None).cells == (("", "NaN"), ("inf", ""), ("−inf", "–"))
    assert alone(heatmap(data, spec=".1f"), 330, None).cells == (("1.0", "NaN"), ("inf", "2.0"), ("−inf", "–"))


def test_integers_and_truth_values_are_not_written_as_floats() -> None:
    assert alone(heatmap([[1, 20]], spec=""), 330, None).cells == (("1", "20"),)
    assert alone(heatmap([[True, False]], spec=""), 330, None).cells == (("true", "false"),)


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.booleans())
def test_places_are_to_scale(low: float, span: float, log: bool) -> None:
    low = abs(low) + 1e-3 if log else low
    axis = AxisLayout(low, low + span, 10, 300, log)
    assert axis.place(np.array([low, low + span])) == pytest.approx([10, 300])
    middle = math.sqrt(low * (low + span)) if log else low + span / 2
    assert axis.place(np.array(middle)) == pytest.approx(155, abs=0.01)


def drawn(plan: Layout) -> list[Any]:
    """The boxes of a panel as left, top, width, height."""
    page = canvas.blank(plan.width, plan.height)
    with canvas.settings():
        layouts.draw(plan, page, None)
    outlines = np.concatenate([getattr(artist, "outlines", np.empty((0, 4, 2))) for artist in page.figure.artists])
    low, high = outlines.min(1), outlines.max(1)
    return [(*map(float, corner), *map(float, size)) for corner, size in zip(low, high - low, strict=True)]


def test_a_bar_is_as_long_as_its_number() -> None:
    plan = alone(bars([10, 40, 0]), 330, None)
    boxes = drawn(plan)
    assert len(boxes) == 2
    assert boxes[1][2] == pytest.approx(4 * boxes[0][2], abs=0.01)
    assert boxes[0][0] == boxes[1][0] == pytest.approx(plan.box.left)
    assert boxes[1][0] + boxes[1][2] == pytest.approx(plan.box.right)


def test_parts_add_up_to_the_whole() -> None:
    plan = alone(bars([[100, 0, 0], [0, 25, 75]]), 330, None)
    whole, small, rest = sorted(drawn(plan), key=lambda box: (box[1], box[0]))
    assert small[0] == whole[0]
    assert rest[0] == pytest.approx(whole[0] + whole[2] / 4, abs=0.01)
    assert rest[0] + rest[2] == pytest.approx(whole[0] + whole[2], abs=0.01)
    assert rest[0] - small[0] - small[2] == pytest.approx(1, abs=0.01)


def test_a_negative_bar_points_the_other_way() -> None:
    plan = alone(bars([-10, 20]), 330, None)
    assert plan.x is not None
    zero = float(plan.x.place(np.array(0.0)))
    down, up = drawn(plan)
    assert (down[0] + down[2], up[0]) == pytest.approx((zero, zero))
    assert up[2] == pytest.approx(2 * down[2])


def test_many_points_keep_their_peaks() -> None:
    y = np.sin(np.linspace(0, 9, 100_000))
    y[12_345], y[77_777] = 50, -40
    x, kept = line_charts._reduced(np.linspace(0, 280, len(y)), y, 280)
    assert len(x) <= 1200
    assert (kept.max(), kept.min()) == (50, -40)
    assert np.all(np.diff(x) > 0)


def test_a_gap_is_kept_among_many_points() -> None:
    y = np.ones(100_000)
    y[40_000:60_000] = np.nan
    x, kept = line_charts._reduced(np.linspace(0, 280, len(y)), y, 280)
    assert np.isnan(kept[(x > 115) & (x < 165)]).all()


def test_extremes_beside_a_gap_survive_reduction() -> None:
    y = np.zeros(100_000)
    y[50_000:50_003] = [7, np.nan, -7]
    _, kept = line_charts._reduced(np.linspace(0, 280, len(y)), y, 280)
    assert (np.nanmax(kept), np.nanmin(kept)) == (7, -7)
    assert np.isnan(kept).sum() == 1


SIZES = st.sampled_from([1, 2, 7, 30, 100, 261, 262, 400, 1000])


@given(SIZES, SIZES, st.tuples(st.floats(0, 1), st.floats(0, 1)), st.sampled_from([0.0, 1.0, 0.5]), st.booleans())
def test_the_extremes_of_a_matrix_are_visible_however_small_the_picture(
    rows: int, columns: int, place: tuple[float, float], value: float, hole: bool
) -> None:
    data = np.full((rows, columns), 1 - value)
    row, column = (int(part * (count - 1)) for part, count in zip(place, data.shape, strict=True))
    data[row, column] = -3 if value == 0.5 else value
    bad = np.zeros(data.shape, bool)
    bad[row, :column] = hole
    values, holes = heatmaps._reduced_cells(data, bad, (100, 261))
    assert values.shape == holes.shape
    assert values.shape[0] <= 100
    assert values.shape[1] <= 261
    assert data[row, column] in values[~holes]
    assert holes.any() == bad.any()


def test_a_block_shows_its_smallest_and_its_largest_cell_in_order() -> None:
    data = np.full((1, 600), 0.5)
    data[0, 302:304] = 0, 1
    data[0, 404:406] = 1, 0
    values, _ = heatmaps._reduced_cells(data, np.zeros(data.shape, bool), (10, 202))
    assert values[values != 0.5].tolist() == [0, 1, 1, 0]
    assert values.shape == (1, 202)


def test_a_block_with_a_hole_shows_the_hole_and_the_value_farthest_from_the_middle() -> None:
    data, bad = np.zeros((600, 1)), np.zeros((600, 1), bool)
    data[301], bad[303] = 1, True
    values, holes = heatmaps._reduced_cells(data, bad, (202, 10))
    assert (holes.sum(), values[~holes].sum()) == (1, 1)
    values, holes = heatmaps._reduced_cells(data, np.ones(data.shape, bool), (202, 10))
    assert holes.all()


def test_a_small_matrix_as_an_image_keeps_its_cells() -> None:
    data = np.arange(40 * 30.0).reshape(40, 30)
    values, holes = heatmaps._reduced_cells(data, np.zeros(data.shape, bool), (300, 300))
    assert values.tolist() == data.tolist()
    assert not holes.any()


@pytest.mark.parametrize(
    ("shape", "picture"), [((1, 250), False), ((1, 400), True), ((900, 1), True), ((40, 40), True)]
)
def test_cells_smaller_than_a_pixel_are_a_picture(shape: tuple[int, int], picture: bool) -> None:
    of = heatmap(np.zeros(shape))
    assert alone(of, 330, None)._is_picture(1) == picture


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
def test_bars_that_differ_by_rounding_noise_are_equally_long(kind: str, log: bool) -> None:
    step = np.spacing(np.array(1, kind))
    boxes = drawn(alone(bars(np.array([1, 1 + 5 * step, 1 + 2 * step], kind), log=log), 330, None))
    assert len({box[2] for box in boxes}) == 1


def test_a_bar_on_a_log_scale_is_visible_even_if_noise_lifts_it_over_a_power_of_ten() -> None:
    widths = [drawn(alone(bars([each, 100], log=True), 330, None))[0][2] for each in (10, 10.000000000000002)]
    assert widths[0] == pytest.approx(widths[1])
    assert widths[0] > 50


def test_a_single_long_bar_is_visible_among_very_many() -> None:
    boxes = drawn(alone(bars(np.where(np.arange(3000) == 1234, 9, 1)), 330, None))
    assert min(box[3] for box in boxes) >= 1


def test_a_part_with_the_second_look_of_a_colour_has_two_strips() -> None:
    of = replace(bars([[2, 2]]), looks=(("blue", False), ("blue", True)))
    whole, upper, lower = drawn(alone(of, 330, None))
    assert upper[0] == lower[0] == pytest.approx(whole[0] + whole[2], abs=1.01)
    assert upper[2] == lower[2] == pytest.approx(whole[2], abs=1.01)
    assert upper[3] + lower[3] == pytest.approx(0.75 * whole[3])
    assert lower[1] + lower[3] == pytest.approx(upper[1] + whole[3])


def test_a_panel_of_lines_without_a_number_has_no_vertical_axis() -> None:
    plan = alone(lines([math.nan] * 4, [math.inf] * 4), 330, None)
    assert plan.frame.grid == ()
    assert [label.text for label in plan.labels] == ["0", "1", "2", "3", "4 NaN, 4 inf"]


def lined(of: Chart) -> list[Any]:
    """The lines of a panel's data, as artists."""
    plan = alone(of, 330, None)
    page = canvas.blank(plan.width, plan.height)
    with canvas.settings():
        layouts.draw(plan, page, None)
    return [artist for artist in page.figure.artists if isinstance(artist, Line2D) and artist.get_linewidth() == 2]


def test_a_line_without_a_number_is_not_drawn() -> None:
    assert len(lined(lines([1, 2], [math.nan, math.inf]))) == 1


def test_a_point_between_two_gaps_is_a_dot() -> None:
    y = np.arange(100.0)
    y[::2] = math.nan
    y[51] = y[52] = 1
    line, dots = lined(lines(y))
    assert (line.get_marker(), dots.get_marker()) == ("", "o")
    assert np.flatnonzero(~np.isnan(dots.get_ydata())).tolist() == [*range(1, 50, 2), *range(55, 100, 2)]


@pytest.mark.parametrize("log", [False, True])
def test_a_line_that_varies_by_rounding_noise_is_level(log: bool) -> None:
    flat, steep = lined(lines([0.3, 0.1 + 0.2, 0.3], [0.3, 2, 4], log_y=log))
    assert len(set(flat.get_ydata())) == 1
    assert len(set(steep.get_ydata())) == 3
    (alone,) = lined(lines([0.3, 0.1 + 0.2, 0.3], log_y=log))
    assert len(set(alone.get_ydata())) == 1


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("x", [[0.3, 0.1 + 0.2], [1e20, 1e20], [1e-200, 1e-200]])
def test_positions_that_differ_by_rounding_noise_are_drawn_as_one_in_the_middle(x: list[float], log: bool) -> None:
    of = lines([1, 2], x=x, log_x=log)
    (line,) = lined(of)
    box = alone(of, 330, None).box
    assert line.get_xdata() == pytest.approx([box.left + box.width / 2] * 2, abs=0.5)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [((False, False), ()), ((True, False), (4, 2.5)), ((False, True), (1, 1.5)), ((True, True), (4, 1.5, 1, 1.5))],
)
def test_each_look_of_a_line_has_its_own_dashes(entry: tuple[bool, bool], expected: tuple[float, ...]) -> None:
    assert dashes(LegendEntry(Text(""), "blue", *entry)) == expected
