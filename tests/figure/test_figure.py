"""A figure comes out whole: SVGs that fit a page, a PNG that fits a card, data that parse, and warnings that help."""

from __future__ import annotations

import csv
import io
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

from scenebook.core.problems import Problems
from scenebook.core.text import Text
from scenebook.figure import _canvas as canvas
from scenebook.figure import _figure_png as figure_png
from scenebook.figure import color, figure
from scenebook.figure.drawing import Drawing
from scenebook.figure.kinds.lines import Line
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel

ROOT = Path(__file__).parents[2]
NAME = "attention-is-all-you-need/scaled_dot_product"
SVG = "{http://www.w3.org/2000/svg}"
WORDS = ("the", "cat", "sat", "down")


def at(raw: str, line: int = 7) -> Text:
    return Text(raw, "scenes/a/page.yaml", line)


def spec(*panels: Panel, **fields: Any) -> Figure:
    return Figure(Text(""), Text(""), panels, **fields)


def heatmap(data: Any, title: str = "", name: str = NAME, labels: Any = WORDS, **fields: Any) -> Drawing:
    shown = spec(Panel(heatmap=at("a"), title=at(title)), **fields)
    return figure.draw(shown, {"a": data, "words": labels}, name=name)


def labelled(**fields: Any) -> dict[str, Any]:
    return {"rows": Axis(labels=at("words")), "columns": Axis(labels=at("words"))} | fields


def elements(drawing: Drawing, tag: str, panel: int = 0) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(drawing.panels[panel].svg).iter(SVG + tag))


def texts(drawing: Drawing, panel: int = 0) -> list[str]:
    return ["".join(element.itertext()) for element in elements(drawing, "text", panel)]


def pixels(drawing: Drawing) -> Any:
    with Image.open(io.BytesIO(drawing.png)) as image:
        assert image.info.keys() <= {"dpi"}
        return np.asarray(image.convert("RGB")).astype(int)


def warned(drawing: Drawing) -> list[str]:
    return [str(problem) for problem in drawing.warnings]


def refused(shown: Figure, **values: Any) -> list[str]:
    with pytest.raises(Problems) as caught:
        figure.draw(shown, values, name=NAME)
    return [str(problem) for problem in caught.value.problems]


# Size and speed ------------------------------------------------------------------------------------------------------


def test_a_small_heatmap_is_light() -> None:
    four = heatmap(np.random.default_rng(0).random((4, 4)), **labelled(cells=at(".2f")))
    assert len(four.panels[0].svg) < 4_000
    sixteen = heatmap(np.random.default_rng(0).random((16, 16)))
    assert len(sixteen.panels[0].svg) < 20_000


def test_a_large_heatmap_is_neither_heavy_nor_huge() -> None:
    large = heatmap(np.random.default_rng(0).random((2000, 2000)), cells=at(".2f"))
    assert len(large.panels[0].svg) < 1_000_000
    assert warned(large) == [
        (
            "scenes/a/page.yaml:7: scenes.scaled_dot_product.figure.panels.1: warning: "
            "cells: 4,000,000 values are too many to write; the limit is 1,000"
        )
    ]
    assert (large.panels[0].table, large.panels[0].csv) == (None, None)
    assert large.panels[0].summary[0] == ("size", "2000 × 2000")
    tall = heatmap(np.zeros((70_000, 3)))
    assert max(pixels(tall).shape) < 1500
    assert len(tall.panels[0].svg) < 20_000


def test_many_panels_do_not_make_the_png_too_wide() -> None:
    panels = [Panel(heatmap=at(f"a{index}")) for index in range(14)]
    wide = figure.draw(spec(*panels), {f"a{index}": np.eye(2) for index in range(14)}, name=NAME)
    assert max(pixels(wide).shape) <= 4000
    assert len(wide.panels) == 14


def test_the_png_of_a_figure_fits_a_card() -> None:
    two = figure.draw(spec(Panel(heatmap=at("a")), Panel(heatmap=at("b"))), {"a": np.eye(4), "b": np.eye(4)}, name=NAME)
    height, width, _ = pixels(two).shape
    assert 1190 <= width <= 1200
    assert 600 <= height <= 900
    assert two.panels[0].svg.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="panel" viewBox="0 0 330 ')
    assert pixels(two)[0].min() == 255


# In the page ---------------------------------------------------------------------------------------------------------


def test_no_two_drawings_on_a_page_share_an_id() -> None:
    bad = np.array([[1.0, np.nan]])
    line = spec(Panel(lines=(Line(at("a")), Line(at("b")))))
    drawings = [
        heatmap(bad, name="page/one"),
        heatmap(bad, name="page/two"),
        figure.draw(line, {"a": np.arange(3.0), "b": np.arange(3.0)}, name="page/one_a"),
    ]
    found = [re.findall(r'id="([^"]+)"', drawing.panels[0].svg) for drawing in drawings]
    used = [re.findall(r'(?:url\(#|href="#)([^)"]+)', drawing.panels[0].svg) for drawing in drawings]
    assert [set(ids) for ids in found] == [set(ids) for ids in used]
    assert all(found)
    assert len({name for ids in found for name in ids}) == sum(map(len, found))
    assert [ids[0] for ids in found] == ["page-one-a-0", "page-two-a-0", "page-one_a-a-0"]


def test_a_drawing_takes_its_colours_from_the_page() -> None:
    """Outside the cells every colour is a variable, so that the page's scheme decides."""
    shown = spec(Panel(bars=at("b")), Panel(lines=(Line(at("c"), color="purple"), Line(at("d"), dashed=True))))
    drawing = figure.draw(shown, {"b": np.arange(3.0), "c": np.arange(9.0), "d": np.arange(9.0)}, name=NAME)
    for panel in drawing.panels:
        assert not re.search(r'(?:fill|stroke)="#', panel.svg)
        assert 'fill="var(--ink, #1b1f24)"' in panel.svg
    assert "var(--c-blue, #2874c7)" in drawing.panels[0].svg
    assert "var(--c-purple, #6a24a3)" in drawing.panels[1].svg
    assert "stroke-dasharray" in drawing.panels[1].svg
    cells = heatmap(np.eye(2)).panels[0].svg
    assert re.findall(r'fill="(#[^"]+)"', cells) == ["#00762f", "#ffffff", "#ffffff", "#00762f"]


def test_text_is_large_enough_for_a_phone() -> None:
    for drawing in (heatmap(np.eye(11), cells=at(".2f")), heatmap(np.eye(4), **labelled(cells=at(".3f")))):
        sizes = re.findall(r'font-size="([\d.]+)px"', drawing.panels[0].svg)
        assert sizes
        assert min(map(float, sizes)) >= 11


def test_a_value_on_a_dark_cell_is_written_in_white() -> None:
    drawing = heatmap(np.array([[0.0, 1.0]]), cells=at(".1f"))
    inks = {element.text: element.get("fill") for element in elements(drawing, "text")}
    assert (inks["0.0"], inks["1.0"]) == (None, "#ffffff")


def test_a_pointer_can_find_each_cell() -> None:
    root = ElementTree.fromstring(heatmap(np.eye(4)).panels[0].svg)
    left, top, width, height = map(float, root.attrib["data-box"].split())
    assert (root.get("data-rows"), root.get("data-columns")) == ("4", "4")
    first, last = (re.findall(r"[\d.]+", elements(heatmap(np.eye(4)), "path")[n].attrib["d"]) for n in (0, 15))
    assert [float(first[0]), float(first[1])] == [left, top]
    assert [float(last[2]), float(last[3])] == [left + width, top + height]


def test_text_in_a_drawing_is_text() -> None:
    assert texts(heatmap(np.eye(4), **labelled(cells=at(".0f"))))[-8:] == [*WORDS, *WORDS]
    assert texts(heatmap(np.eye(1), labels=("<b>&amp;",), **labelled())) == ["<b>&amp;"] * 2
    assert texts(heatmap(np.eye(1), labels=("$5 & <b>",), **labelled())) == ["$5 & <b>"] * 2


# Cells without a value -----------------------------------------------------------------------------------------------

HOLES = np.ma.masked_equal([[1.0, np.nan], [np.inf, 2.0], [-np.inf, -9.0]], -9.0)


def test_a_cell_without_a_value_is_hatched_and_reported() -> None:
    drawing = heatmap(HOLES, cells=at(".1f"))
    assert [text for text in texts(drawing) if not text.isdigit()] == ["1.0", "NaN", "inf", "2.0", "−inf", "–"]
    assert drawing.panels[0].bad == ("1 NaN", "1 inf", "1 −inf", "1 masked")
    assert drawing.panels[0].svg.count('fill="url(#') == 4
    assert warned(drawing)[0].endswith(
        "a contains 1 NaN, 1 inf, 1 −inf, 1 masked; mask the cells that are meant to be empty"
    )
    assert heatmap(np.ma.masked_equal([[1.0, 2.0]], 2.0)).warnings == ()
    assert heatmap(np.array([[1.0, -np.inf]])).warnings == ()
    scale = drawing.panels[0].scale
    assert scale is not None
    assert (scale.vmin, scale.vmax, scale.ticks) == (1.0, 2.0, ((0.0, "1"), (1.0, "2")))


def test_a_heatmap_without_a_value_has_no_scale() -> None:
    drawing = heatmap(np.full((3, 3), np.nan))
    assert drawing.panels[0].scale is None
    assert drawing.panels[0].bad == ("9 NaN",)
    assert drawing.panels[0].summary == (("size", "3 × 3"),)
    assert drawing.panels[0].svg.count('fill="url(#') == 9
    assert not np.any(np.ptp(pixels(drawing), axis=2) > 25), "only greys"


def test_truth_values_are_drawn_as_false_and_true() -> None:
    drawing = heatmap(np.eye(2, dtype=bool), cells=at(""))
    scale = drawing.panels[0].scale
    assert scale is not None
    assert (scale.gradient, scale.swatches) == ("", (("#ffffff", "false"), ("#00762f", "true")))
    assert texts(drawing)[:4] == ["true", "false", "false", "true"]
    assert "False" not in drawing.panels[0].svg


def test_a_colour_bar_shows_the_scale_of_its_heatmap() -> None:
    scale = heatmap(np.array([[-1.0, 2.0]]), colormap="blue_white_green").panels[0].scale
    assert scale is not None
    assert scale.ticks == ((0.0, "−2"), (0.5, "0"), (1.0, "2"))
    assert scale.gradient == color.css_gradient("blue_white_green")


# Rounding noise ------------------------------------------------------------------------------------------------------


def fills(drawing: Drawing, panel: int = 0) -> list[str]:
    return re.findall(r'fill="(#[^"]+)"', drawing.panels[panel].svg)


NOISE: list[Any] = [
    np.array([[0.1 + 0.2, 0.3]]),
    np.array([[1, 1 + 1e-15]]),
    np.array([[-0.3, -0.1 - 0.2]]),
    np.array([[1, 1.0068]], np.float16),
    np.array([[0.1, np.nextafter(np.float32(0.1), np.float32(1))]], np.float32),
]


@pytest.mark.parametrize("data", NOISE)
@pytest.mark.parametrize("fields", [{}, {"colormap": "blue_white_green"}, {"vmin": -1.0}, {"vmin": -2.0, "vmax": 2.0}])
def test_cells_that_differ_by_rounding_noise_have_one_colour(data: Any, fields: dict[str, Any]) -> None:
    assert len(set(fills(heatmap(data, **fields)))) == 1


def test_cells_that_differ_by_more_have_two_colours() -> None:
    assert len(set(fills(heatmap(np.array([[1, 1 + 3e-15]]))))) == 2
    assert len(set(fills(heatmap(np.array([[10**15, 10**15 + 1]]))))) == 2


def test_panels_that_differ_by_rounding_noise_have_one_colour() -> None:
    both = spec(Panel(heatmap=at("a")), Panel(heatmap=at("b")), Panel(heatmap=at("c")))
    values = {"a": np.array([[0.3]]), "b": np.array([[0.1 + 0.2]]), "c": np.array([[0.3]], np.float16)}
    alike = figure.draw(both, values, name=NAME)
    assert len({fill for index in range(3) for fill in fills(alike, index)}) == 1
    other = figure.draw(both, values | {"c": np.array([[0.0, 1.0]])}, name=NAME)
    assert fills(other, 0) == fills(other, 1)


def test_a_picture_of_rounding_noise_has_one_colour() -> None:
    data = np.full((50, 50), 0.3)
    data[::3] = 0.1 + 0.2
    shown = pixels(heatmap(data))
    assert len(np.unique(shown[100:300, 200:500].reshape(-1, 3), axis=0)) == 1


# Lines with gaps -----------------------------------------------------------------------------------------------------


def gappy(*ys: Any, **fields: Any) -> Drawing:
    names = "abcdef"[: len(ys)]
    shown = spec(Panel(lines=tuple(Line(at(name, line)) for line, name in enumerate(names, 8))), **fields)
    return figure.draw(shown, dict(zip(names, ys, strict=True)), name=NAME)


def test_gaps_in_a_line_are_reported_as_gaps() -> None:
    drawing = gappy(np.array([1, np.nan, np.inf, 3]), np.full(4, np.nan), np.ma.masked_equal([1, 2, 3, 4], 2))
    place = "scenes.scaled_dot_product.figure.panels.1.lines: warning:"
    assert warned(drawing) == [
        f"scenes/a/page.yaml:8: {place} a contains 1 NaN, 1 inf; mask what is meant to be a gap",
        (
            f"scenes/a/page.yaml:9: {place} b has no finite value (4 NaN), so neither the panel nor the legend "
            "shows it; check the scene, or leave the line out"
        ),
    ]
    (panel,) = drawing.panels
    assert (panel.bad, panel.bad_look) == (("5 NaN", "1 inf", "1 masked"), "gap")
    assert [entry.label for entry in panel.legend] == ["a", "c"]
    assert panel.table is not None
    assert [row[2] for row in panel.table.texts] == ["1", "–", "3", "4"]
    assert [row[2] for row in panel.table.values] == ["1.0", "", "3.0", "4.0"]


def test_a_partly_masked_line_gives_no_warning() -> None:
    drawing = gappy(np.ma.masked_equal([1, 2, 3, 4], 2))
    assert (drawing.warnings, drawing.panels[0].bad) == ((), ("1 masked",))


def test_a_panel_without_a_number_says_what_it_holds() -> None:
    drawing = gappy(np.full(3, np.nan), np.ma.masked_array(np.zeros(3), mask=True))
    assert texts(drawing) == ["0", "1", "2", "3 NaN, 3 masked"]
    assert drawing.panels[0].legend == ()
    assert drawing.panels[0].summary == (("size", "3 × 2"),)
    assert "var(--c-" not in drawing.panels[0].svg


@pytest.mark.parametrize(("shape", "look"), [((2, 3), "hatched"), ((40, 40), "grey"), ((1, 900), "grey")])
def test_cells_without_a_number_are_described_as_they_look(shape: tuple[int, int], look: str) -> None:
    data = np.zeros(shape)
    data[0, 1] = np.nan
    (panel,) = heatmap(data).panels
    assert panel.bad_look == look
    assert ("<pattern" in panel.svg) == (look == "hatched")


# More than can be seen -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 2000), (2000, 1), (1, 700), (900, 1100), (3, 900)])
@pytest.mark.parametrize("panels", [1, 14])
def test_the_png_shows_the_one_cell_that_differs(shape: tuple[int, int], panels: int) -> None:
    data = np.zeros((2, *shape))
    data[1, shape[0] // 3, shape[1] // 3] = 1
    shown = spec(*(Panel(heatmap=at(f"a{index}")) for index in range(panels)), vmin=0.0, vmax=1.0)
    others = {f"a{index}": np.zeros((2, 2)) for index in range(1, panels)}
    without, with_it = (pixels(figure.draw(shown, {"a0": each, **others}, name=NAME)) for each in data)
    changed = with_it[(without != with_it).any(axis=2)]
    assert (changed == (0, 118, 47)).all(axis=1).any()


def test_nine_lines_or_parts_give_a_warning_unless_the_author_coloured_them() -> None:
    nine = {f"l{index}": np.arange(3.0) + index for index in range(9)}
    plain, grey = ([Line(at(name), color=color) for name in nine] for color in (None, "grey"))
    shown = spec(Panel(lines=tuple(plain)), Panel(bars=at("parts")))
    found = warned(figure.draw(shown, nine | {"parts": np.ones((2, 9))}, name=NAME))
    assert [line.partition("warning: ")[2] for line in found] == [
        "9 lines are too many to tell apart; draw at most 8 in a panel, or choose their colours",
        "9 parts are too many to tell apart; draw at most 8 in a panel, or choose their colours",
    ]
    one = spec(Panel(lines=(*grey[:8], plain[8])), Panel(bars=at("parts")), colors=("blue",))
    assert figure.draw(one, nine | {"parts": np.ones((2, 9))}, name=NAME).warnings == ()


def test_the_sixth_line_is_dotted_and_the_legend_says_so() -> None:
    values = {f"l{index}": np.arange(30.0) * index for index in range(6)}
    drawing = figure.draw(spec(Panel(lines=tuple(Line(at(name)) for name in values))), values, name=NAME)
    assert re.findall(r'stroke-dasharray="([^"]*)"', drawing.panels[0].svg) == ["2,3"]
    assert [(entry.color, entry.again) for entry in drawing.panels[0].legend][4:] == [("grey", False), ("blue", True)]


# Options -------------------------------------------------------------------------------------------------------------


def test_two_panels_of_one_value_have_different_names_and_ids() -> None:
    values = {"a": np.array([[1.0, np.nan]]), "b": np.array([[1.0, np.nan]])}
    shown = spec(*(Panel(heatmap=at(name)) for name in "aba"))
    drawing = figure.draw(shown, values, name=NAME)
    assert [panel.name for panel in drawing.panels] == ["a", "b", "a-2"]
    ids = [name for panel in drawing.panels for name in re.findall(r'id="([^"]+)"', panel.svg)]
    assert len(ids) == len(set(ids)) >= 3
    alone = figure.draw(spec(*shown.panels[:2]), values, name=NAME)
    assert alone.panels == drawing.panels[:2]
    bars = spec(Panel(heatmap=at("c")), Panel(bars=at("d")), Panel(bars=at("d")))
    tables = [panel.table for panel in figure.draw(bars, {"c": np.eye(2), "d": np.ones(2)}, name=NAME).panels]
    assert [table.columns for table in tables if table] == [("0", "1"), ("d",), ("d",)]


@pytest.mark.parametrize("height", [120, 200, 333, 900])
def test_a_height_is_kept(height: int) -> None:
    shown = spec(Panel(heatmap=at("a")), Panel(bars=at("b")), Panel(lines=(Line(at("b")),)), height=height)
    drawing = figure.draw(shown, {"a": np.eye(3), "b": np.arange(3.0)}, name=NAME)
    heights = [float(str(ElementTree.fromstring(panel.svg).get("height"))) for panel in drawing.panels]
    assert heights == pytest.approx([height] * 3, abs=1)


def test_a_height_that_is_too_small_is_refused_with_the_smallest_that_works() -> None:
    panels = (Panel(heatmap=at("a")), Panel(lines=(Line(at("b")),)))
    values = {"a": np.eye(3), "b": np.arange(3.0)}
    (found,) = refused(spec(*panels, height=30), **values)
    assert found == (
        "scenes/a/page.yaml:7: scenes.scaled_dot_product.figure.height: 30 pixels are too few for this figure; "
        "give at least 80, or leave the height out"
    )
    assert figure.draw(spec(*panels, height=80), values, name=NAME).warnings == ()


# Titles --------------------------------------------------------------------------------------------------------------


def ink(drawing: Drawing) -> int:
    """The number of dark pixels in the row of the title."""
    return int((pixels(drawing)[30:66].max(axis=2) < 128).sum())


def test_money_is_not_drawn_as_a_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[tuple[str, bool]] = []
    original = canvas.text

    def spy(page: Any, x: float, y: float, string: str, style: Any) -> None:
        drawn.append((string, style.math))
        original(page, x, y, string, style)

    monkeypatch.setattr(canvas, "text", spy)
    for title in ("cost $5 to $10", "only $5", "Ba$$in", "$x_1$", "$5 is $x_1$ dollars", r"\$7", "`$a$`", "$$E = 1$$"):
        heatmap(np.eye(1), title)
    shown = [each for each in drawn if not re.fullmatch(r"[01]", each[0])]
    assert shown == [
        ("cost $5 to $10", False),
        ("only $5", False),
        ("Ba$$in", False),
        ("$x_1$", True),
        (r"\$5 is $x_1$ dollars", True),
        ("$7", False),
        ("$a$", False),
        ("$E = 1$", True),
    ]


def test_a_title_is_drawn() -> None:
    counts = [ink(heatmap(np.eye(2), title)) for title in (".", "$x_1$", "a long title here")]
    assert 0 < counts[0] < counts[1] < counts[2] < 2000


def test_a_long_title_is_broken_into_lines() -> None:
    from scenebook.figure._figure_png import rich

    long = (
        r"weights of all queries over all keys, $\mathrm{softmax}(Q K^\top / \sqrt{d_k})$, without a mask of any kind"
    )
    lines = rich(long, 330).string.split("\n")
    assert len(lines) == 3
    assert " ".join(lines) == long
    assert sum(line.count("$") % 2 for line in lines) == 0
    assert rich(long, 330).lines == 3


def test_a_title_is_above_its_panel_and_a_legend_below(monkeypatch: pytest.MonkeyPatch) -> None:
    """Titles are level with each other."""
    places: dict[str, tuple[float, float]] = {}
    original = canvas.text

    def spy(page: Any, x: float, y: float, string: str, style: Any) -> None:
        inches = page.transform.transform((x, y)) / page.figure.dpi
        places[string] = (inches[0] * 72, (page.figure.get_size_inches()[1] - inches[1]) * 72)
        original(page, x, y, string, style)

    two = (Line(at("b")), Line(at("c"), at("second")))
    axes = {"rows": Axis(title=at("down")), "columns": Axis(title=at("across")), "x": Axis(title=at("right"))}
    shown = spec(Panel(heatmap=at("a"), title=at("left")), Panel(lines=two, title=at("two\nlines of a title")), **axes)
    monkeypatch.setattr(canvas, "text", spy)
    figure.draw(shown, {"a": np.eye(4), "b": np.arange(3.0), "c": np.arange(3.0)}, name=NAME)
    top = places["0"][1]
    assert places["left"][0] < places["across"][0] < places["two lines of a title"][0] < places["right"][0]
    assert places["left"][1] == places["two lines of a title"][1] < places["down"][1] < top
    assert places["right"][1] < places["b"][1] < places["second"][1] < places["across"][1]
    assert places["b"][1] - places["right"][1] < 25


@pytest.mark.parametrize(
    "formula",
    [
        r"x \ge 0 \le \ne",
        r"\mathbb R^n",
        r"\frac12 \tfrac{a}{b} \sqrt2 \sqrt[3]x",
        r"\lVert x \rVert + \left\lVert y \right\rVert + \left< z \right>",
        r"\textrm{a b} \text{if $x$ holds} \mbox{m} \textbf{c d}",
        r"\bm x \pmb{y} \mathds{1} \widetilde{z} \hat x \overline{ab} \underline c",
        r"\argmax_x \operatorname*{f g}_y \limsup_n \sum_{\substack{a \\ b}}",
        r"x \coloneqq y \lesssim z \dotsc \dotsb \iff \land \bigl( a \bigm| b \bigr]",
        r"a \equiv b \pmod 3 \mathrel{R} \displaystyle c",
    ],
)
def test_a_label_takes_the_latex_of_texts(formula: str) -> None:
    assert canvas.formula_problem(figure_png.rich(f"${formula}$").string) is None


def test_a_formula_that_no_drawing_can_show_is_refused_in_words() -> None:
    shown = spec(Panel(heatmap=at("a"), title=at(r"$\begin{matrix} a \end{matrix}$", 12)))
    (problem,) = refused(shown, a=np.eye(2))
    assert problem.endswith(r"cannot be drawn: a drawing cannot show \begin{matrix}; show this formula in the caption")


def test_a_bad_formula_is_reported_at_its_place() -> None:
    shown = spec(Panel(heatmap=at("a"), title=at(r"$\foo$", 12)), rows=Axis(title=at(r"$x_$", 13)))
    assert refused(shown, a=np.eye(2)) == [
        (
            r"scenes/a/page.yaml:12: scenes.scaled_dot_product.figure.panels.1.title: "
            r"'$\foo$' cannot be drawn: Unknown symbol: \foo"
        ),
        (
            r"scenes/a/page.yaml:13: scenes.scaled_dot_product.figure.rows.title: "
            r"'$x_$' cannot be drawn: a part of it is missing"
        ),
    ]


def test_problems_of_titles_and_of_values_are_reported_together() -> None:
    found = refused(spec(Panel(heatmap=at("a"), title=at(r"$\foo$", 12))), a=np.zeros(3))
    assert len(found) == 2
    assert [line.split(":")[1] for line in found] == ["7", "12"]
    assert figure.check(spec(Panel(heatmap=at("a"))), {"a": np.eye(2)}, name=NAME) == ()


def test_a_missing_glyph_gives_a_warning() -> None:
    drawing = heatmap(np.eye(2), "注意力 🧮 𝐱", labels=("力", "ok"), rows=Axis(labels=at("words", 9)))
    assert warned(drawing) == [
        (
            "scenes/a/page.yaml:7: scenes.scaled_dot_product.figure.panels.1.title: warning: "
            "the font of the PNG lacks 注 意 力 🧮 𝐱; the page shows them"
        ),
        (
            "scenes/a/page.yaml:9: scenes.scaled_dot_product.figure.rows.labels: warning: "
            "the font of the PNG lacks 力; the page shows them"
        ),
    ]
    for title in ("softmax(QKᵀ/√d)", "x̂ = x + U+0302", "שלום 12", r"$\mathrm{softmax}(QK^\top/\sqrt{d_k})$"):
        assert heatmap(np.eye(2), title).warnings == ()


# Data ----------------------------------------------------------------------------------------------------------------


def test_the_table_of_a_panel_holds_its_numbers() -> None:
    table = (
        heatmap(np.array([[0.25, -0.0004]]), labels=("x",), rows=Axis(labels=at("words")), cells=at(".2f"))
        .panels[0]
        .table
    )
    assert table is not None
    assert (table.rows, table.columns) == (("x",), ("0", "1"))
    assert (table.texts, table.values) == ((("0.25", "0.00"),), (("0.25", "-0.0004"),))
    shown = spec(Panel(bars=at("b")), rows=Axis(labels=at("n")), columns=Axis(labels=at("p")))
    values: Any = {"b": np.array([[1, 2], [3, 4]]), "n": ("one", "two"), "p": ("left", "right")}
    bars = figure.draw(shown, values, name=NAME).panels[0]
    assert bars.table is not None
    assert (bars.table.rows, bars.table.columns, bars.table.texts) == (
        ("one", "two"),
        ("left", "right"),
        (("1", "2"), ("3", "4")),
    )
    assert [(entry.label, entry.css) for entry in bars.legend] == [
        ("left", color.variable("blue")),
        ("right", color.variable("orange")),
    ]


def test_the_file_of_lines_holds_their_positions() -> None:
    shown = spec(Panel(lines=(Line(at("y")), Line(at("z"), at("$z^2$"), dashed=True))), x=Axis(values=at("x")))
    values = {"x": np.array([1 / 3, 2 / 3]), "y": np.array([1, 2]), "z": np.array([0.1, np.nan])}
    panel = figure.draw(shown, values, name=NAME).panels[0]
    assert panel.csv is not None
    assert list(csv.reader(io.StringIO(panel.csv.decode()))) == [
        ["", "y", "z squared"],
        ["0.3333333333333333", "1.0", "0.1"],
        ["0.6666666666666666", "2.0", "nan"],
    ]
    assert panel.table is not None
    assert panel.table.rows == ("0.3333", "0.6667")
    assert [entry.dashed for entry in panel.legend] == [False, True]


def test_a_drawing_can_be_sent_to_a_process_without_numpy() -> None:
    drawing = heatmap(HOLES, "$x$")
    assert pickle.loads(pickle.dumps(drawing)) == drawing
    assert b"numpy" not in pickle.dumps(drawing)


# A scene's own drawing -----------------------------------------------------------------------------------------------


def own(function: Any, **fields: Any) -> Drawing:
    shown = spec(draw=at("sketch", 5), **fields)
    return figure.draw(shown, {"y": np.arange(3.0)}, name=NAME, draw=function)


def sketch(figure: Any, values: Any) -> None:
    axes = figure.subplots()
    axes.plot(values["y"], label="$x_1$")
    axes.axhline(1, color="black", linestyle="--")
    axes.imshow(np.eye(2), extent=(0, 1, 0, 1))
    axes.set_xlim(0, 2)
    axes.set_title("own, for $5")
    axes.legend()


def test_a_scenes_own_drawing_is_treated_like_any_other() -> None:
    drawing = own(sketch)
    (panel,) = drawing.panels
    assert (panel.name, panel.table, panel.csv, panel.legend) == ("sketch", None, None, ())
    root = ElementTree.fromstring(panel.svg)
    assert root.get("viewBox") == "0 0 330 231"
    assert "var(--c-blue, #2874c7)" in panel.svg
    assert 'stroke="var(--ink, #1b1f24)"' in panel.svg
    assert "own, for $5" in texts(drawing)
    assert not re.search(r"<style|<metadata|DejaVu|font-family=\"'", panel.svg)
    ids = set(re.findall(r'id="([^"]+)"', panel.svg))
    assert ids == set(re.findall(r'(?:url\(#|href="#)([^)"]+)', panel.svg))
    assert all(name.startswith("attention-is-all-you-need-scaled_dot_product-sketch-") for name in ids)
    assert pixels(drawing).shape == (462, 660, 3)
    assert pixels(drawing)[0].min() == 255
    assert drawing.warnings == ()


def test_the_texts_of_a_scenes_own_drawing_are_known_but_for_its_ticks() -> None:
    def draw(sheet: Any, values: Any) -> None:
        axes = sheet.subplots()
        axes.plot([1, 2], [3, 4], label="in the legend")
        axes.legend(title="legend")
        axes.set(title="title", xlabel="across", ylabel="up")
        axes.set_xticks([1, 2], ["tick 1", "tick 2"])
        axes.annotate("note", (1, 3), (2, 3), arrowprops={"arrowstyle": "->"})
        axes.text(1, 3, "hidden").set_visible(False)
        axes.table([["cell"]])
        sheet.suptitle("above")

    shown = {"legend", "in the legend", "title", "across", "up", "note", "cell", "above"}
    assert set(own(draw).texts) == shown


def test_eight_lines_of_a_scenes_own_drawing_look_different() -> None:
    def eight(figure: Any, values: Any) -> None:
        axes = figure.subplots()
        for index in range(8):
            axes.plot(values["y"] + index)

    paths = [path.attrib for path in elements(own(eight), "path") if "--c-" in path.get("stroke", "")]
    looks = [(path["stroke"], path.get("stroke-dasharray")) for path in paths]
    assert len(looks) == len(set(looks)) == 8


def test_a_scenes_own_drawing_has_the_size_that_its_figure_says() -> None:
    assert ElementTree.fromstring(own(sketch, width=500, height=400).panels[0].svg).get("viewBox") == "0 0 500 400"


def test_a_function_that_draws_nothing_is_reported() -> None:
    with pytest.raises(Problems, match=r"page.yaml:5: .*sketch\(figure, values\) drew nothing"):
        own(lambda figure, values: None)


def test_faults_in_a_scenes_own_drawing_are_reported() -> None:
    def small(figure: Any, values: Any) -> None:
        figure.text(0.5, 0.5, "tiny", size=6)
        figure.text(0.5, 0.2, "力")

    found = warned(own(small))
    assert any("text under 11 pixels is too small to read on a phone: tiny" in line for line in found)
    assert any("missing from" in line for line in found)
    assert all(
        line.startswith("scenes/a/page.yaml:5: scenes.scaled_dot_product.figure.draw: warning: ") for line in found
    )


def test_a_heavy_drawing_gives_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure, "HEAVY", 1000)
    assert "the drawing weighs 0.0 MB, which every reader has to load" in warned(heatmap(np.eye(9)))[0]
    assert "the drawing weighs" in warned(own(sketch))[0]


def test_an_error_in_the_authors_function_is_passed_on() -> None:
    def fails(figure: Any, values: Any) -> None:
        raise KeyError("their own")

    with pytest.raises(KeyError, match="their own"):
        own(fails)


# Always the same -----------------------------------------------------------------------------------------------------

PROGRAM = """
import sys, hashlib, numpy as np
from scenebook.core.text import Text
from scenebook.figure.kinds.lines import Line
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel
from scenebook.figure import figure
def own(figure, values):
    figure.subplots().plot([1, 2], label="x")
panels = (Panel(heatmap=Text("a"), title=Text("$x_1$")), Panel(bars=Text("b")), Panel(lines=(Line(Text("c")),)))
values = {"a": np.array([[1.0, np.nan]]), "b": np.arange(3), "c": np.arange(3)}
drawings = [figure.draw(Figure(Text(""), Text(""), panels), values, name="p/s"),
            figure.draw(Figure(Text(""), Text(""), draw=Text("own")), values, name="p/t", draw=own)]
for drawing in drawings:
    content = drawing.png + "".join(panel.svg for panel in drawing.panels).encode()
    print(hashlib.sha256(content).hexdigest())
    assert b"Matplotlib" not in content and b"matplotlib" not in content
"""


def test_the_settings_of_a_machine_do_not_change_a_byte(tmp_path: Path) -> None:
    found = set()
    for seed, settings in (
        ("1", ""),
        ("2", "axes.facecolor: red\nfont.size: 30\nsvg.fonttype: path\nimage.cmap: gray\n"),
    ):
        home = tmp_path / seed
        home.mkdir()
        (home / "matplotlibrc").write_text(settings, encoding="utf-8")
        environment = os.environ | {
            "PYTHONHASHSEED": seed,
            "TZ": f"UTC{seed}",
            "MATPLOTLIBRC": str(home),
            "PYTHONPATH": str(Path.cwd()),
        }
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=home, env=environment, capture_output=True, check=True
        )
        found.add(run.stdout)
    assert len(found) == 1


def test_settings_leak_neither_out_of_a_drawing_nor_into_the_next() -> None:
    before = dict(mpl.rcParams)
    clean = heatmap(np.eye(2), "a")

    def rude(figure: Any, values: Any) -> None:
        mpl.rcParams["font.size"] = 40
        mpl.rcParams["text.color"] = "red"
        sketch(figure, values)

    own(rude)
    assert dict(mpl.rcParams) == before
    with mpl.rc_context({"font.size": 40, "text.color": "red", "figure.facecolor": "red"}):
        assert heatmap(np.eye(2), "a") == clean


WARMED = """
import sys
import numpy as np
from scenebook.core.text import Text
from scenebook.figure import figure
from scenebook.figure.spec import Figure, Panel
figure.warm()
before = set(sys.modules)
figure.draw(Figure(Text(""), Text(""), (Panel(heatmap=Text("a"), title=Text("$x$")),)), {"a": np.eye(2)}, name="p/s")
print(*sys.modules.keys() - before)
"""


def test_a_drawing_after_the_warm_up_imports_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", WARMED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
