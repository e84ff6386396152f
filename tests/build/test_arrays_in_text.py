"""Elements of arrays in texts, from the scene to the page."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.builder import Builder, building

BOARD = """
site: {title: Tiny, url: https://example.org/tiny/}
pages:
  - slug: one
    title: One
    summary: Sums.
    scenes:
      - {id: s, title: S, compute: s.py, text: 'It is {{ s.P[0, 1] }} of {{ s.large[70, -1] }}.'}
  - slug: two
    title: Two
    summary: Sums.
    scenes:
      - id: c
        title: C
        compute: c.py
        params: {n: 1}
        controls: [{param: n, label: n, values: [0, 1]}]
        text: 'It is {{ c.v[n] }}, and there {{ one/s.P[1, 0] }}. Large: {{ c.large[70, n] }}.'
"""
S = """
import numpy as np


def compute():
    return {"P": np.array([[0.5, FIRST], [SECOND, 2.5]], dtype="float32"), "large": np.ones((71, 71))}
"""
C = """
import numpy as np


def compute(n=0):
    return {"v": np.array([4, 5, 6]) * 10**n, "large": np.arange(71 * 71).reshape(71, 71)}
"""


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("arrays") / "root") as (builder,):
        (builder.root / "storyboard.yaml").write_text(BOARD)
        (builder.root / "scenes").mkdir()
        (builder.root / "scenes/c.py").write_text(C)
        yield builder


def write(root: Path, first: str, second: str) -> None:
    (root / "scenes/s.py").write_text(S.replace("FIRST", first).replace("SECOND", second))


def test_elements_are_shown_at_the_start_and_change_with_their_scene(builder: Builder) -> None:
    write(builder.root, "0.1", "1.5")
    built = builder.build()
    assert built.refused == ()
    one, two = (built.tree[f"output/{slug}/index.html"].decode() for slug in ("one", "two"))
    assert '<data value="0.1" data-from="one/s.P[0,1]">0.1</data>' in one
    assert '<data value="1.0" data-from="one/s.large[70,-1]">1</data>' in one
    assert ">50</data>" in two
    assert '<data value="1.5" data-from="one/s.P[1,0]">1.5</data>' in two
    assert ">4971</data>" in two
    settings = built.tree["output/two/c-settings.js"].decode()
    assert '"texts":["4","50","4970","4971",' in settings
    write(builder.root, "0.1", "1.75")
    assert ">1.75</data>" in builder.build().tree["output/two/index.html"].decode()
