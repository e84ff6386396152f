"""A claim about a scene of another page is checked again when that scene changes."""

import json
from pathlib import Path

from tests.support.builder import Outcome, building

BOARD = """
site: {title: Tiny, url: https://example.org/tiny/}
pages:
  - slug: one
    title: One
    summary: Words.
    scenes:
      - id: here
        text: Words.
        claims: [{say: It is large., check: '{{ two/s.x }} > 2'}]
  - slug: two
    title: Two
    summary: Words.
    scenes: [{id: s, title: S, compute: s.py}]
"""


def margin(built: Outcome) -> float:
    """How far the claim is from failing."""
    (claim,) = json.loads(built.tree["output/facts.json"])["pages"]["one"]["scenes"]["here"]["claims"]
    return float(claim["margin"])


def test_a_page_is_made_again_when_a_claim_about_another_page_may_have_changed(tmp_path: Path) -> None:
    with building(tmp_path / "root") as (builder,):
        (builder.root / "storyboard.yaml").write_text(BOARD)
        (builder.root / "scenes").mkdir()
        scene = builder.root / "scenes/s.py"
        scene.write_text("def compute():\n    return {'x': 3}\n")
        built = builder.build()
        assert built.refused == ()
        assert "one/here: claim {{ two/s.x }} > 2 = holds" in built.tree["facts.lock"].decode()
        assert margin(built) == 1
        scene.write_text("def compute():\n    return {'x': 3.5}\n")
        assert margin(builder.build()) == 1.5
        scene.write_text("def compute():\n    return {'x': 2.0}\n")
        (problem,) = builder.build().refused
        assert problem.message.endswith("'{{ two/s.x }} > 2' is false: two/s.x is 2")
