"""Pages show everything that a drawing holds, and what they say about it is true. Tested in a real Chromium."""

from __future__ import annotations

import io
import re
import shutil
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from scenebook.cli import main
from scenebook.core.text import Text
from scenebook.figure import figure
from scenebook.figure.spec import Figure, Panel

SITES = Path(__file__).parents[1] / "sites"
DARK, PAPER = (0, 118, 47), (255, 255, 255)
WIDTHS = (289, 300.3, 330, 384, 448)
"""Widths of a panel on a page, from the smallest to the largest."""


CELLS = [
    ((1, 2000), (0, 1234)),
    ((1, 2000), (0, 0)),
    ((1, 900), (0, 899)),
    ((1, 400), (0, 201)),
    ((1500, 2), (777, 1)),
    ((700, 900), (699, 450)),
]
"""Shapes of matrices, and the place of the one cell that differs."""


@cache
def drawing(shape: tuple[int, int], place: tuple[int, int], value: float) -> str:
    data = np.full(shape, 1 - value)
    data[place] = value
    shown = Figure(Text(""), Text(""), (Panel(heatmap=Text("a")),))
    svg = figure.draw(shown, {"a": data}, name="page/scene").panels[0].svg
    return svg.replace("<svg ", '<svg style="display: block; width: 100%; height: auto" ', 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_a_single_cell_among_very_many_has_its_colour_on_the_page(
    browser: Browser, value: float, scheme: Literal["light", "dark"]
) -> None:
    page = browser.new_page(viewport={"width": 450, "height": 600}, color_scheme=scheme, device_scale_factor=1)
    for cell, width in product(CELLS, WIDTHS):
        page.set_content(f'<body style="background: #888"><div style="width: {width}px">{drawing(*cell, value)}</div>')
        with Image.open(io.BytesIO(page.screenshot())) as image:
            found = (np.asarray(image.convert("RGB")) == (DARK if value else PAPER)).all(axis=2)
        assert found.any(), (cell, width)
    page.close()


def built(name: str, root: Path) -> str:
    """The page of one of the tiny sites, without spaces between its elements."""
    shutil.copytree(SITES / name, root)
    assert main(["build", "--root", str(root)]) == 0
    return re.sub(r">\s+", ">", (root / "output/page/index.html").read_text(encoding="utf-8"))


def test_the_page_says_which_lines_have_gaps_and_how_lines_look(tmp_path: Path) -> None:
    page = built("lines_with_gaps", tmp_path / "site")
    assert [re.sub("<[^>]*>", "", each) for each in re.findall(r'<p class="bad">.*?</p>', page)] == [
        "Gaps: 5 NaN, 1 inf, 5 masked",
        "Gaps: 4 NaN",
    ]
    legends = re.findall(r'<ul class="legend".*?</ul>', page)
    assert [re.findall(r"</svg>\s*([^<]*)</li>", each) for each in legends[:1]] == [["whole", "broken", "gap"]]
    keys = re.findall(r'<path d="M0 4h24"( stroke-dasharray="[^"]*")? style="stroke: ([^"]*)"', legends[1])
    assert len(set(keys[:8])) == 8


def test_panels_of_one_value_have_separate_files_and_anchors(tmp_path: Path) -> None:
    page = built("panels_of_one_value", tmp_path / "site")
    names = {path.stem for path in (tmp_path / "site/output/page").glob("*.svg")}
    assert names == {"one-raw", "one-raw-3", "one-raw_2", "one-Raw-4", "two-y", "two-y-2"}
    assert len({name.lower().replace("_", "-") for name in names}) == len(names)
    assert all(f'href="{name}.svg"' in page for name in names)
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert page.count('class="scale"') == 1
