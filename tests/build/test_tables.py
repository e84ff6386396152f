"""Tables, from the scene to the page: in texts, claims, panels, files and a scene's own drawing."""

import json
import shutil
from pathlib import Path

from tests.support.builder import building

FRAMES = Path(__file__).parents[1] / "sites/tables_with_mistakes/scenes/frames.py"
PAGE = """
site: {title: Tiny, url: https://example.org/tiny/}
pages:
  - slug: one
    title: One
    summary: Words.
    scenes:
      - id: s
        title: S
        compute: s.py
        text: 'It is {{ s.df["price in $"][1]:.1f }} for {{ s.df["who"][0] }}.'
        figure:
          panels:
            - lines: [{value: 'df["price in $"]'}, {value: "df['n']", label: $n$}]
              x: {values: 'df["n"]'}
            - bars: df["n"]
              rows: {labels: 'df["who"]'}
          caption: A. B.
          alt: Two kinds.
      - {id: own, title: Own, compute: s.py, figure: {draw: draw, caption: C., alt: An own drawing.}}
  - slug: two
    title: Two
    summary: Words.
    scenes:
      - id: c
        title: C
        compute: c.py
        params: {k: 1}
        controls: [{param: k, label: k, values: [1, 2]}]
        text: 'It is {{ c.df["a b"][0] }}.'
        claims:
          - {say: It rises., check: 'increasing(c.df["a b"][0], along="k")'}
          - {say: Elsewhere., check: 'at(c.df["a b"], k=2)[1] == 4 and {{ one/s.df["n"][k] }} == 1'}
"""
S = """
import numpy as np

from scenes.frames import DataFrame


def compute():
    large = DataFrame({"v w": np.arange(5000), "v-w": np.zeros(5000)})
    return {"df": DataFrame({"price in $": [1.5, 2.5], "who": ["a", "b"], "n": [1, 2]}), "large": large, "k": 0}


def draw(figure, values):
    table = values["df"]
    assert list(table) == ["price in $", "who", "n"]
    figure.subplots().bar(table["who"], table["n"])
"""
C = """
from scenes.frames import DataFrame


def compute(k=1):
    return {"df": DataFrame({"a b": [2 * k, 4]})}
"""


def test_a_table_is_shown_drawn_checked_and_kept_by_its_columns(tmp_path: Path) -> None:
    with building(tmp_path / "root") as (builder,):
        (builder.root / "scenes").mkdir()
        shutil.copy(FRAMES, builder.root / "scenes")
        for name, text in (("storyboard.yaml", PAGE), ("scenes/s.py", S), ("scenes/c.py", C)):
            (builder.root / name).write_text(text)
        built = builder.build()
    assert built.refused == built.warnings == ()
    one = built.tree["output/one/index.html"].decode()
    origin = "one/s.df[&quot;price\u00a0in\u00a0$&quot;][1]"
    assert f'<data value="2.5" data-from="{origin}">2.5</data> for <data value="a"' in one
    assert '"texts":["2","4",' in built.tree["output/two/c-settings.js"].decode()
    scene = json.loads(built.tree["output/facts.json"])["pages"]["one"]["scenes"]["s"]
    assert list(scene["values"]) == [
        'df["price in $"]', 'df["who"]', 'df["n"]', "k", 'large["v w"]', 'large["v-w"]'
    ]  # fmt: skip
    assert list(scene["figure"]["panels"]) == ["df-price-in", "df-n"]
    for number, stem in enumerate(("v-w", "v-w-2")):
        assert scene["values"][('large["v w"]', 'large["v-w"]')[number]]["npy"] == f"one/s-large-{stem}.npy"
        assert f"output/one/s-large-{stem}.npy" in built.tree
    assert "</svg> price in $</li>" in one
