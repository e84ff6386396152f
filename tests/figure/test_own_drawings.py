"""A scene's own drawing: what is cut off is reported, and its colours fit a light and a dark page."""

import io
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.patches import Circle
from PIL import Image

from scenebook.core.text import Text
from scenebook.figure import color, figure
from scenebook.figure.drawing import Drawing
from scenebook.figure.spec import Figure

SVG = "{http://www.w3.org/2000/svg}"
ROOT = Path(__file__).parents[2]
INK, PAPER = color.variable("ink"), color.variable("paper")
LONG = "A title that is far too long for one line of such a narrow drawing"
Draw = Callable[[Any], object]


def drawn(function: Draw) -> Drawing:
    spec = Figure(Text(""), Text(""), draw=Text("own"))
    return figure.draw(spec, {}, name="page/scene", draw=lambda sheet, values: function(sheet))


def warned(function: Draw) -> list[str]:
    return [problem.message for problem in drawn(function).warnings]


def on_axes(function: Draw) -> Draw:
    """Return a function of a figure that plots a line, and calls `function` with the axes."""

    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        axes.plot([0, 1, 2])
        function(axes)

    return draw


# What is cut off -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda axes: axes.set_title(LONG), r"the title 'A title that is far too long for one lin\.\.\.' is cut off, "),
        (
            lambda axes: axes.figure.suptitle(LONG),
            r"the title '.*' is cut off, .*: \d+ at the left, \d+ at the right; ",
        ),
        (lambda axes: axes.set_title(LONG, loc="left"), r"the title '.*' is cut off, .*: \d+ at the right; shorten it"),
        (lambda axes: axes.set_xlabel(LONG), r"the label of the x axis '.*' is cut off, .*more width"),
        (lambda axes: axes.set_ylabel(LONG), r"the label of the y axis '.*' is cut off, .*more height"),
        (lambda axes: axes.figure.text(0.9, 0.5, "by the edge"), r"the text 'by the edge' is cut off, .*: \d+ at the "),
        (lambda axes: axes.figure.text(0.5, 2, "above"), r"the text 'above' is outside of what is shown; move it"),
        (lambda axes: axes.text(1.8, 1, "half of it", clip_on=True), r"the text 'half of it' is cut off, "),
        (lambda axes: axes.annotate("gone", (9, 9)), r"the annotation 'gone' is not drawn, because it points to"),
        (lambda axes: axes.set_xticks([0, 1], ["a name " * 6] * 2), r"tick labels of the x axis \('a name a name"),
    ],
)
def test_what_is_cut_off_is_named(function: Draw, message: str) -> None:
    (found,) = warned(on_axes(function))
    assert re.match(message, found)


def test_a_legend_outside_is_one_warning() -> None:
    def draw(axes: Any) -> None:
        axes.figure.set_layout_engine("none")
        axes.plot([2, 1], label="one")
        axes.plot([3, 1], label="other")
        axes.legend(loc="upper left", bbox_to_anchor=(1.1, 1))

    (found,) = warned(on_axes(draw))
    assert found.startswith("the legend ('one', 'other') is outside of what is shown")


def test_axes_without_room_are_reported() -> None:
    long = ["a name without an end " * 4] * 3
    no_room, cut = warned(on_axes(lambda axes: axes.set_xticks(range(3), long, rotation=90)))
    assert no_room.startswith("its titles and labels leave no room for its axes")
    assert cut.startswith("tick labels of the x axis ('a name")


def test_axes_that_a_layout_makes_tiny_are_reported() -> None:
    def draw(sheet: Any) -> None:
        for axes in sheet.subplots(7, 1):
            axes.set(title="a", xticks=[])

    found = warned(draw)
    assert [line for line in found if line.startswith("7 of its 7 axes are less than 8 pixels wide or high")]


@pytest.mark.parametrize(
    "function",
    [
        lambda axes: axes.text(1.02, 0.5, "beside", transform=axes.transAxes),
        lambda axes: axes.figure.text(0.5, 0, "source", verticalalignment="baseline"),
        lambda axes: axes.text(9, 9, "far away", clip_on=True),
        lambda axes: axes.set_xlim(0.4, 1.1),
        lambda axes: axes.tick_params(axis="x", rotation=90),
        lambda axes: axes.set_title("Two lines\nof a title"),
        lambda axes: axes.figure.tight_layout(),
        lambda axes: axes.figure.colorbar(axes.imshow(np.eye(2)), label="weight"),
        lambda axes: axes.set_title(LONG, visible=False),
        lambda axes: axes.annotate("", (1, 1), (0, 0), arrowprops={"arrowstyle": "->"}),
    ],
)
def test_what_can_be_seen_gives_no_warning(function: Draw) -> None:
    assert warned(on_axes(function)) == []


# Colours -------------------------------------------------------------------------------------------------------------


def fills(drawing: Drawing) -> dict[str, str]:
    """Return the fill of each text, as the page computes it from the elements around it."""
    found: dict[str, str] = {}

    def walk(element: ElementTree.Element, fill: str) -> None:
        fill = element.get("fill", fill)
        if element.tag == f"{SVG}text":
            found["".join(element.itertext())] = fill
        for child in element:
            walk(child, fill)

    walk(ElementTree.fromstring(drawing.panels[0].svg), "black")
    return found


@pytest.mark.parametrize("black", ["black", "k", "#000", (0, 0, 0), "0.05", None])
def test_black_turns_with_the_page(black: Any) -> None:
    drawing = drawn(
        on_axes(lambda axes: (axes.text(1, 1, "words", color=black), axes.plot([2, 1], color=black or "k")))
    )
    assert fills(drawing)["words"] == INK
    assert f'stroke="{INK}"' in drawing.panels[0].svg
    assert not re.search(r"\"#0[0d]0[0d]0[0d]", drawing.panels[0].svg)
    assert drawing.warnings == ()


def test_default_colours_of_a_style_turn_with_the_page() -> None:
    def draw(sheet: Any) -> None:
        mpl.rcParams.update({"text.color": "black", "xtick.color": "#222222", "axes.edgecolor": "black"})
        sheet.subplots().set(title="words", xticks=[0, 1], xticklabels=["one", "other"])

    found = fills(drawn(draw))
    assert (found["words"], found["one"]) == (INK, color.mixture("#222222"))


def test_a_grey_is_a_mixture_that_looks_the_same_on_white() -> None:
    assert color.mixture("#ffffff") == PAPER
    assert color.mixture("#808080") == f"color-mix(in srgb, {INK} 57%, {PAPER})"
    ink = sum(bytes.fromhex(color.light("ink")[1:])) / 3
    assert abs(0.57 * ink + 0.43 * 255 - 0x80) < 1
    assert color.is_grey("#333633")
    assert not color.is_grey("#000080")


def test_white_areas_and_what_is_in_them_turn_together() -> None:
    def draw(axes: Any) -> None:
        axes.text(1, 1, "in a box", color="black", bbox={"facecolor": "white"})
        axes.add_patch(Circle((0.3, 1.5), 0.3, color="black"))
        axes.text(0.3, 1.5, "o", color="white", ha="center", va="center")

    drawing = drawn(on_axes(draw))
    found = fills(drawing)
    assert (found["in a box"], found["o"]) == (INK, PAPER)
    assert f'fill="{PAPER}"' in drawing.panels[0].svg
    assert drawing.warnings == ()


def test_what_lies_on_a_picture_keeps_its_colours() -> None:
    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        axes.imshow(np.eye(2), cmap="Greens")
        axes.text(0, 0, "light", color="white", ha="center")
        axes.text(0, 1, "dark", color="black", ha="center")
        axes.axhline(0.5, color="white")
        axes.set_title("beside")

    drawing = drawn(draw)
    found = fills(drawing)
    assert (found["light"], found["dark"], found["beside"]) == ("#ffffff", "#000000", INK)
    assert 'stroke="#ffffff"' in drawing.panels[0].svg
    assert drawing.warnings == ()


def test_greys_that_show_data_stay() -> None:
    drawing = drawn(lambda sheet: sheet.subplots().pcolormesh(np.arange(4.0).reshape(2, 2), cmap="gray"))
    assert {"#ffffff", "#555555"} <= set(re.findall(r'fill="(#\w+)"', drawing.panels[0].svg))


def test_words_on_a_colour_can_be_read_on_both_pages() -> None:
    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        bars = axes.bar([0, 1], [1, 1])
        axes.bar_label(bars, ["light", "also"], label_type="center", color="white")
        axes.bar_label(axes.bar([2], [1], color="gold"), ["dark"], label_type="center")
        axes.bar_label(bars, ["above", "over"])

    found = fills(drawn(draw))
    assert found["light"] == PAPER, "the blue of the palette is lighter on a dark page"
    assert found["dark"] == color.light("ink")
    assert found["above"] == INK


def test_words_in_a_hole_of_a_picture_turn() -> None:
    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        axes.imshow([[1, np.nan]])
        axes.text(0, 0, "one", color="black")
        axes.text(1, 0, "none", color="black")

    found = fills(drawn(draw))
    assert (found["one"], found["none"]) == ("#000000", INK)


def test_words_of_a_table_keep_to_their_cells() -> None:
    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        axes.set_axis_off()
        axes.table([["on gold", "on white"]], cellColours=[["gold", "w"]], loc="center")

    found = fills(drawn(draw))
    assert (found["on gold"], found["on white"]) == (color.light("ink"), INK)


def test_axes_on_a_coloured_background_keep_their_colours() -> None:
    def draw(sheet: Any) -> None:
        left, right = sheet.subfigures(1, 2)
        left.set_facecolor("lightyellow")
        for part, name in ((left, "left"), (right, "right")):
            part.subplots().set(title=name, xticks=[0], xticklabels=[f"a {name}"])

    found = fills(drawn(draw))
    assert found["left"] == found["a left"] == color.light("ink")
    assert found["right"] == found["a right"] == INK


@pytest.mark.parametrize("whole", [False, True])
def test_a_dark_background_stays_dark(whole: bool) -> None:
    def draw(sheet: Any) -> None:
        axes = sheet.subplots()
        (sheet if whole else axes).set_facecolor("black")
        axes.text(0.5, 0.5, "inside", color="white")

    drawing = drawn(draw)
    assert fills(drawing)["inside"] == "#ffffff"
    assert drawing.warnings == ()
    with Image.open(io.BytesIO(drawing.png)) as image:
        assert image.convert("L").getpixel((0, 0)) == (0 if whole else 255)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda axes: axes.text(1, 1, "a", color="white"), "this can hardly be seen on a light page: 'a' (#ffffff); "),
        (lambda axes: axes.text(1, 1, "a", color="navy"), "this can hardly be seen on a dark page: 'a' (#000080); "),
        (lambda axes: axes.plot([2, 0], color="navy"), "this can hardly be seen on a dark page: #000080; "),
        (lambda axes: axes.bar([1], [1], color="navy"), "this can hardly be seen on a dark page: #000080; "),
        (lambda axes: axes.tick_params(labelcolor="#f8f8f8"), "this can hardly be seen on a light page: '"),
    ],
)
def test_a_colour_that_one_paper_hides_is_reported(function: Draw, message: str) -> None:
    (found,) = warned(on_axes(function))
    assert found.startswith(message)


def test_a_dark_line_over_a_pale_colour_that_stays_is_reported() -> None:
    def over(line: str, **span: Any) -> list[str]:
        return warned(on_axes(lambda axes: (axes.axvspan(0.5, 1, **span), axes.plot([2, 0], color=line))))

    (found,) = over("black", color="lightyellow")
    assert found.startswith("a dark line crosses #ffffe0; on a dark page the line turns light")
    assert over("black", color="lightyellow", alpha=0.4) == over("red", color="lightyellow") == []
    assert over("black", color="lightyellow", ymax=0.1) == []


@pytest.mark.parametrize("shade", ["tab:blue", "tab:orange", "green", "red", "0.5"])
def test_colours_that_both_papers_show_give_no_warning(shade: str) -> None:
    assert warned(on_axes(lambda axes: (axes.plot([2, 0], color=shade), axes.text(1, 1, "a", color=shade)))) == []


# Fast ----------------------------------------------------------------------------------------------------------------

WARMED = """
import sys
from scenebook.core.text import Text
from scenebook.figure import figure
from scenebook.figure.spec import Figure
def own(sheet, values):
    import matplotlib.pyplot
    axes = sheet.subplots()
    axes.plot([1, 2], label="$x$")
    axes.bar([1], [2])
    sheet.colorbar(axes.imshow([[1, 2]]))
    axes.legend()
figure.warm_own()
before = set(sys.modules)
figure.draw(Figure(Text(""), Text(""), draw=Text("own")), {}, name="page/scene", draw=own)
print(*sys.modules.keys() - before)
"""


def test_a_drawing_after_the_warm_up_imports_nothing() -> None:
    done = subprocess.run([sys.executable, "-c", WARMED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
