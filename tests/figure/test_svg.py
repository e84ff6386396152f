"""A drawing does not affect the rest of its page, and looks as matplotlib meant it to."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from scenebook.figure import _canvas as canvas
from scenebook.figure import _svg as svg
from scenebook.figure._canvas import Stroke, Style

COLORS = {"#102030": "var(--x, #102030)", "black": "var(--ink, #111111)"}
RAW = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="90pt" height="60pt" viewBox="0 0 90 60"
 xmlns="http://www.w3.org/2000/svg" version="1.1">
<metadata><date>2026-01-01</date></metadata><defs><style type="text/css">*{stroke-linejoin: round}</style></defs>
<g id="figure_1"><!-- a comment --><g id="patch_1"><path d="M 1 2.004 &#10;L 30.999999 2.004 &#10;L 31 50 &#10;z &#10;"
 style="fill: #102030; stroke: #000000; stroke-width: 0.123456" clip-path="url(#p1)"/></g>
<g id="data-cells"><path d="M 0 0 L 1 1" style="fill: #102030"/></g>
<defs><clipPath id="p1"><rect x="0" y="0" width="9" height="9"/></clipPath></defs>
<use xlink:href="#p1" x="-0.001" y="3"/><g id="empty"/>
<text style="font-size: 12px; font-family: 'DejaVu Sans'; text-anchor: end" x="5" y="7.125"
 transform="rotate(-0 5 7.125)">a &lt; b</text></g></svg>"""


def tidy(raw: str = RAW, prefix: str = "page-scene-panel") -> ElementTree.Element:
    return ElementTree.fromstring(svg.tidy(raw, prefix, COLORS))


def named(root: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def test_a_drawing_holds_nothing_that_acts_outside_it() -> None:
    text = svg.tidy(RAW, "page-scene-panel", COLORS)
    assert text.startswith('<svg xmlns="http://www.w3.org/2000/svg" class="panel" viewBox="0 0 90 60" width="90"')
    assert not re.search(r"<\?xml|DOCTYPE|metadata|<style|<!--|\*\{|xlink|DejaVu|2026|\n", text)


def test_ids_and_references_to_them_get_the_prefix_of_their_panel() -> None:
    root = tidy()
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert ids == ["page-scene-panel-0"]
    path, use = named(root, "path")[0], named(root, "use")[0]
    assert path.get("clip-path") == "url(#page-scene-panel-0)"
    assert use.get("href") == "#page-scene-panel-0"


def test_a_link_out_of_the_drawing_keeps_its_target() -> None:
    raw = RAW.replace('<g id="empty"/>', '<a xlink:href="#one"><path d="M 0 0" clip-path="url(#two)"/></a>')
    root = tidy(raw)
    assert named(root, "a")[0].get("href") == "#one"
    assert [path.get("clip-path") for path in named(root, "path")] == ["url(#page-scene-panel-0)", None, "url(#two)"]


def test_colours_follow_the_scheme_except_those_of_data() -> None:
    themed, data = named(tidy(), "path")
    assert themed.get("fill") == "var(--x, #102030)"
    assert themed.get("stroke") == "var(--ink, #111111)"
    assert data.get("fill") == "#102030"
    assert data.get("shape-rendering") is None
    assert [group.get("shape-rendering") for group in named(tidy(), "g")] == ["crispEdges"]


def test_digits_that_no_screen_shows_are_dropped() -> None:
    path = named(tidy(), "path")[0]
    assert path.get("d") == "M1 2H31V50z"
    assert path.get("stroke-width") == "0.12"
    assert named(tidy(), "use")[0].get("x") == "0"


def test_text_keeps_its_place_and_takes_the_font_of_the_page() -> None:
    root = tidy()
    (text,) = named(root, "text")
    assert (text.text, text.get("x"), text.get("y"), text.get("text-anchor")) == ("a < b", "5", "7.12", "end")
    assert text.get("font-family") is None
    assert text.get("transform") is None
    assert (root.get("font-size"), text.get("font-size")) == ("12px", None)
    assert root.get("font-family") == "system-ui, sans-serif"


def test_shortening_moves_no_point_visibly() -> None:
    """The points of any path, even one with curves, stay within a hundredth of a pixel."""
    random = np.random.default_rng(5)
    points = np.concatenate([random.normal(size=(40, 2)) * 90, np.repeat([[5.0, 5.0], [80.0, 5.0]], 3, 0)])
    codes = [Path.MOVETO, *[Path.LINETO] * 20, *[Path.CURVE4] * 18, Path.LINETO, *[Path.LINETO] * 6]
    page = canvas.blank(90, 60)
    page.figure.add_artist(PathPatch(Path(points, codes), transform=page.transform, fill=False))
    raw = canvas.to_svg(page.figure)
    drawn = named(ElementTree.fromstring(svg.tidy(raw, "a", {})), "path")[-1].attrib["d"]
    before = re.findall(r"-?[\d.]+", next(e.attrib["d"] for e in named(ElementTree.fromstring(raw), "path")))
    assert absolute(drawn) == pytest.approx([float(number) for number in before], abs=0.006)


def absolute(data: str) -> list[float]:
    """The numbers of a path, with its horizontal and vertical steps written in full."""
    found: list[float] = []
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", data):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        found += [numbers[0], found[-1]] if command == "H" else [found[-2], numbers[0]] if command == "V" else numbers
    return found


def test_a_picture_keeps_its_pixels_and_its_size() -> None:
    page = canvas.blank(90, 60)
    canvas.picture(page, (10, 5, 70, 50), np.zeros((3, 1000, 3), np.uint8), gid="data")
    root = ElementTree.fromstring(svg.tidy(canvas.to_svg(page.figure), "a", {}))
    (image,) = named(root, "image")
    assert image.attrib["href"].startswith("data:image/png;base64,")
    assert image.get("image-rendering") == "pixelated"
    matrix = [float(n) for n in re.findall(r"-?[\d.]+(?:e-?\d+)?", image.attrib["transform"])]
    width, height = float(image.attrib["width"]), float(image.attrib["height"])
    assert matrix[0] * width == pytest.approx(70, abs=0.01)
    assert abs(matrix[3]) * height == pytest.approx(50, abs=0.01)


def test_two_drawings_of_the_same_content_differ_only_in_their_ids() -> None:
    page = canvas.blank(90, 60)
    canvas.boxes(page, [(1, 2, 3, 4)], ["#aaaaaa"], gid="data-bad", hatch="#222222")
    canvas.line(page, [1, 2, 3], [4, 5, 6], Stroke("#333333", 2, marked=True))
    canvas.text(page, 9, 9, "x", Style("#000000"))
    one, other = (svg.tidy(canvas.to_svg(page.figure), prefix, {}) for prefix in ("one", "other"))
    assert one.replace("one-", "other-") == other
    assert set(re.findall(r"#(one-\d+)", one)) == set(re.findall(r'id="(one-\d+)"', one)) != set()


def test_boxes_and_labels_are_written_as_matplotlib_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def sheet() -> str:
        page = canvas.blank(300, 200).moved(10.0, 1 / 3)
        corners = np.random.default_rng(0).uniform(0, 90, (40, 4))
        fills = np.random.default_rng(1).integers(1, 256, (40, 3))
        canvas.boxes(page, corners, fills, gid="data-cells")
        canvas.boxes(page, corners[:3] / 3, ["#2874c7"], gid="bars")
        styles = Style("#000000", 11, "left"), Style("#1b1f24"), Style("#ffffff", 12, turned=True)
        for style in styles:
            canvas.text(page, 10 / 3, 77.7, "a < b\n−1.25", style)
        return svg.tidy(canvas.to_svg(page.figure), "a", {})

    with canvas.settings():
        ours = sheet()
        monkeypatch.setattr(canvas, "_Label", canvas._laid_out)
        monkeypatch.setattr(
            canvas, "_Boxes", lambda page, outlines, fills: canvas._polygons(outlines, fills, page.transform)
        )
        assert ours == sheet()
