"""The script of a page reads a settings file as it was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from playwright.sync_api import Browser

from scenebook.core.text import Text
from scenebook.core.tracks import Track
from scenebook.figure.kinds.lines import Line
from scenebook.figure.spec import Figure, Panel
from scenebook.figure.svg_tracks import tracks
from scenebook.page.settings_file import settings_file
from tests.support.charts import drawn_at_all

SCRIPT = Path(__file__).parents[2] / "templates/static/controls.js"
READ = """script => {
  let found;
  groups.scene = ({ regions, texts }) => found = Object.values(regions).flat().map(
    ([node, name, places, columns]) => [node, name, written(places.map(place => texts[place]), columns)]);
  eval(script);
  return found;
}"""


def test_the_script_reads_every_value_as_it_was_written(browser: Browser) -> None:
    rng = np.random.default_rng(0)
    values = [{"y": rng.normal(size=64).round(number % 3)} for number in range(9)]
    drawings = drawn_at_all(Figure(Text(""), Text(""), (Panel(lines=(Line(Text("y")),)),)), values, "page/scene")
    lines = tracks([drawing.panels[0].svg for drawing in drawings])
    assert [track.attribute for track in lines] == ["d"]
    others = Track(3, "fill", ("#fff", None, "~") * 3), Track(-1, "", ("~ < 1", "\u2028", "") * 3)
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    found = page.evaluate(READ, settings_file("scene", 9, {"a": (*lines, *others)}).decode())
    page.close()
    assert [Track(node, name, tuple(values)) for node, name, values in found] == [*lines, *others]
