"""The small drawing that stands for a page in lists."""

from types import SimpleNamespace
from typing import Any

import pytest

from scenebook.page.cards import small_drawing

HEATMAP = '<svg class="panel" viewBox="0 0 330 311" width="330" height="311" data-box="39 1 288 270.5">'
CROPPED = '<svg class="panel" viewBox="38 0 290 272.5" width="290" height="272.5" data-box="39 1 288 270.5">'
LINES = '<svg class="panel" viewBox="0 0 330 311" width="330" height="311">'


def view(svg: str) -> Any:
    return SimpleNamespace(card=SimpleNamespace(panels=[SimpleNamespace(svg=svg)]))


@pytest.mark.parametrize(("drawing", "expected"), [(HEATMAP, CROPPED), (LINES, LINES)])
def test_a_small_drawing_of_cells_is_cropped_to_the_cells(drawing: str, expected: str) -> None:
    text, cell = '<text x="1">the <tspan>viewBox</tspan></text>', '<path d="M39 1z" /></svg>'
    assert small_drawing(view(drawing + text + cell)) == expected + cell


def test_a_page_without_a_figure_has_no_small_drawing() -> None:
    page: Any = SimpleNamespace(card=None)
    assert small_drawing(page) == ""
