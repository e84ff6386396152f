"""Claims are judged in their lists, and each keeps its own words."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from scenebook.page.judged_claims import judge
from scenebook.page.page_view import page_view
from tests.support.sample_page import material_of

PAGE = """\
slug: one
title: One
summary: A.
scenes: [{id: a}]
claims:
  - {say: The first., check: gone.x > 1}
  - {say: The second $x$., check: a.x > 1}
  - {say: The third., check: a.x > 5}
"""
COMPUTED: Any = SimpleNamespace(
    facts={"x": 3}, scalars={"x": 3}, values={}, digest="digest", listings=(), params={}, everywhere=None, repeats=None
)
COMPUTED.npy = COMPUTED.npy_files = COMPUTED.results = {}


def test_a_claim_about_a_failed_scene_is_left_out_and_the_others_keep_their_words(tmp_path: Path) -> None:
    material, site = material_of(tmp_path, PAGE)
    scope = replace(material.scope, failed=frozenset({"gone"}))
    material = replace(material, scope=scope, computed={"a": COMPUTED})
    judged = judge(material)
    assert [(each.index, each.outcome.holds) for each in judged["page"]] == [(1, True), (2, False)]
    view = page_view(material, site, judged)
    assert [claim.check for claim in view.claims] == ["a.x > 1", "a.x > 5"]
    assert view.claims[0].say.startswith("The second ")
    assert view.claims[1].say == "The third."
    assert [str(problem) for problem in scope.problems] == [
        "page.yaml:8: claims.3: the claim 'The third.' fails: 'a.x > 5' is false: a.x is 3"
    ]


def test_a_claim_that_held_before_over_the_same_values_is_not_evaluated_again(tmp_path: Path) -> None:
    material, _ = material_of(tmp_path, PAGE)
    scope = replace(material.scope, failed=frozenset({"gone"}))
    material = replace(material, scope=scope, computed={"a": COMPUTED})
    held = {material.key("page {} None a.x > 5", ["a"]): (0.25, "", 1)}
    judged = judge(replace(material, held=held))
    assert [(each.outcome.holds, each.outcome.margin) for each in judged["page"]][1] == (True, 0.25)
    assert scope.problems == []
