"""The pages of this site are true: if a number changes, in a scene or in a text, a page changes or a build fails.

Scenes run once. Then their results, the texts and the claims are changed one by one, and only pure functions run
again: texts are rendered, and claims are judged.
"""

from __future__ import annotations

import ast
import operator
import pickle
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scenebook.build import scene_runs
from scenebook.core import digests
from scenebook.core.problems import Problem
from scenebook.core.scanner import Span, all_values, scan
from scenebook.core.text import Text
from scenebook.core.text_fields import all_texts
from scenebook.core.value_reference import parse
from scenebook.page import templates, texts
from scenebook.page.judged_claims import judge
from scenebook.page.material import Material, of_page, text_scopes
from scenebook.page.page_view import page_view
from scenebook.page.site_view import site_view
from scenebook.prose import prose
from scenebook.run import scene
from scenebook.run.everywhere import Everywhere
from scenebook.run.scene import Computed
from scenebook.run.scene_code import Listing
from scenebook.storyboard import loader
from scenebook.storyboard.control_points import settings_of
from scenebook.storyboard.model import Claim, Page, Scene, Storyboard

ROOT = Path(__file__).parents[1]
MUTATIONS: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda x: x * 1.5,
    "negated": operator.neg,
    "shifted": lambda x: x + 1,
}
EXTREMES: dict[str, Callable[[Any], Any]] = {"huge": lambda x: x + 1e9, "hugely negative": lambda x: x - 1e9}
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
TRENDS = {"increasing": "decreasing", "decreasing": "increasing"}
REVERSED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.Gt: ast.Lt}


@dataclass(frozen=True)
class Site:
    """The site, with its scenes computed."""

    book: Storyboard
    computed: Mapping[str, Computed]

    def material(self, part: Page, computed: Mapping[str, Computed]) -> Material:
        """What a page, or a part of it, is made of. Nothing is drawn."""
        scope = text_scopes([part], self.book.site, computed, computed)[part.slug]
        return Material(part, scope, of_page(part, computed), {})


def computed_everywhere(part: Scene) -> Computed:
    """What a scene computes, at every setting if it has controls."""
    start = scene.run(str(part.compute), part.params)
    if not part.controls:
        return start
    every = settings_of(part, start.scalars)
    each = [
        scene.run(str(part.compute), {**part.params, **every[number]}, listed=False) for number in range(len(every))
    ]
    pickled = digests.file(pickle.dumps([one.pickled for one in each]))
    scalars, known = tuple(one.scalars for one in each), tuple(one.digest for one in each)
    return replace(each[every.start], everywhere=Everywhere(every, scalars, known, pickled))


@cache
def site() -> Site:
    book = loader.load(ROOT).book
    named = scene_runs.scenes(book.pages)
    computed = {name: computed_everywhere(part) for name, _, part in named}
    listings = (Listing("a.py", "whole", "source"),)
    return Site(book, {name: replace(result, listings=listings) for name, result in computed.items()})


@cache
def frame() -> tuple[templates.TemplateSet, dict[str, Any]]:
    """The templates, and what they get besides the page."""
    assets = dict.fromkeys(templates.static(ROOT / "templates"), "address")
    view = site_view(site().book.site, site().book.tracks, (), assets, [], [])
    context = {"site": view, "root": "../", "track": None, "previous": None, "next": None, "canonical": "page/"}
    return templates.environment(ROOT / "templates"), context


def made(material: Material) -> tuple[str, list[Problem]]:
    """A page's HTML, and what is wrong with it."""
    ready, context = frame()
    view = page_view(material, site().book.site, judge(material))
    return templates.render(ready, "page.html", page=view, **context).decode(), sorted(material.scope.problems)


def paragraph(text: Text, place: int) -> Text:
    """The paragraph of a text that contains an offset. What comes before it is blank, so that offsets do not change."""
    start, end = text.rfind("\n\n", 0, place) + 1, text.find("\n\n", place)
    before = re.sub(r"[^\n]", " ", text[:start])
    return Text(before + text[start : end if end >= 0 else None], text.file, text.line, text.breaks)


def around(text: Text, value: Span) -> str:
    """Return the formula of a text that contains a value, or the value itself if no formula does."""
    return next(span.raw for span in scan(text) if span.start <= value.start < span.start + len(span.raw))


def claims(whole: Page) -> Iterator[tuple[Scene | None, Claim]]:
    """Every claim of a page, after the scene that makes it, if one does."""
    for part in whole.scenes:
        yield from ((part, claim) for claim in part.claims)
    for claim in (*(whole.trap.claims if whole.trap else ()), *whole.claims):
        yield None, claim


def with_claim(whole: Page, part: Scene | None, claim: Claim) -> Page:
    """A page that has nothing but a claim, where it was."""
    scenes = (Scene(id=part.id, claims=(claim,)),) if part else ()
    return replace(whole, scenes=scenes, trap=None, claims=() if part else (claim,))


def flipped(claim: Claim) -> Iterator[str]:
    """A claim's expression with one of its comparisons or trends reversed, for each in turn."""
    tree = ast.parse(" ".join(claim.check.split()), mode="eval")
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in TRENDS):
        node.id = TRENDS[node.id]
        yield ast.unparse(tree)
        node.id = TRENDS[node.id]
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Compare)):
        for place, sign in enumerate(node.ops):
            for others in (OPPOSITE, REVERSED):
                if type(sign) in others:
                    node.ops[place] = others[type(sign)]()
                    yield ast.unparse(tree)
            node.ops[place] = sign


def test_the_pages_have_no_problems() -> None:
    assert site().book.site.numbers == "strict"
    for whole in site().book.pages:
        material = site().material(whole, site().computed)
        assert made(material)[1] == []
        assert [texts.drawn(part, material.scope) for part in whole.scenes if part.figure]
        assert material.scope.problems == []


def shows(text: Text, scene: str, name: str, slug: str) -> bool:
    """Return whether a text of the page `slug` shows a value."""
    names = {f"{scene}.{name}", f"{slug}/{scene}.{name}"}
    found = filter(None, (parse(value.inner) for value in all_values(text)))
    return any(f"{each.scene}.{each.name}" in names for each in found)


def rendered(text: Text, scope: prose.Scope) -> str:
    return prose.block(text, "text", replace(scope, numbers="off", problems=[], notes=[]))


def failing(whole: Page, part: Scene | None, claim: Claim, computed: Mapping[str, Computed]) -> list[Problem]:
    """Return what is wrong with a claim of a page."""
    material = site().material(with_claim(whole, part, claim), computed)
    judge(replace(material, computed=of_page(whole, computed)))
    return material.scope.problems


@dataclass(frozen=True)
class Result:
    """A number that a scene computed, with the texts that show it and the claims about it."""

    page: Page
    scene: str
    name: str
    value: float
    texts: tuple[Text, ...]
    claims: tuple[tuple[Scene | None, Claim], ...]

    def mutated(self, mutation: Callable[[Any], Any]) -> Mapping[str, Computed]:
        """Return the results of all scenes, with this one changed, at every setting."""
        whole = site().computed[self.scene]
        scalars = {**whole.scalars, self.name: mutation(self.value)}
        every = whole.everywhere
        if every:
            changed = tuple({**each, self.name: mutation(each[self.name])} for each in every.scalars)
            every = replace(every, scalars=changed)
        return {**site().computed, self.scene: replace(whole, scalars=scalars, everywhere=every)}

    def changes_every_text(self, mutation: Callable[[Any], Any]) -> bool:
        before, after = (
            site().material(self.page, computed).scope for computed in (site().computed, self.mutated(mutation))
        )
        return all(rendered(text, before) != rendered(text, after) for text in self.texts)

    def breaks_a_claim(self, mutation: Callable[[Any], Any]) -> bool:
        return any(failing(self.page, part, claim, self.mutated(mutation)) for part, claim in self.claims)


def results() -> Iterator[Result]:
    """Return every number of the site that is the result of a scene."""
    for full, whole, part in scene_runs.scenes(site().book.pages):
        for name, value in site().computed[full].results.items():
            if isinstance(value, int | float):
                shown = tuple(text for text in all_texts(whole) if shows(text, part.id, name, whole.slug))
                about = re.compile(rf"\b{part.id}\.{name}\b")
                checked = tuple((owner, claim) for owner, claim in claims(whole) if about.search(claim.check))
                yield Result(whole, full, name, value, shown, checked)


def test_every_result_is_shown_in_a_text_or_checked_by_a_claim() -> None:
    """The list of all values under "How this was made" does not count."""
    found = tuple(results())
    assert len(found) > 100
    assert {f"{each.scene}.{each.name}" for each in found if not (each.texts or each.claims)} == set()


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_changed_result_changes_every_text_that_shows_it(mutation: str) -> None:
    change = MUTATIONS[mutation]
    said = [each for each in results() if each.texts and change(each.value) != each.value]
    assert len(said) > 80
    assert [each.name for each in said if not each.changes_every_text(change)] == []


def test_a_result_that_no_text_shows_breaks_a_claim_when_it_is_far_off() -> None:
    """Claims leave room, so not every change breaks one."""
    changes = [*MUTATIONS.values(), *EXTREMES.values()]
    checked = [each for each in results() if each.claims and not each.texts]
    assert len(checked) > 10
    assert [each.name for each in checked if not any(map(each.breaks_a_claim, changes))] == []


def test_a_number_typed_over_a_value_is_reported() -> None:
    """Each value of a text is replaced by the number that it shows now, and by two other numbers.

    A whole number up to twelve may be typed, unless a word of the name of a value that is that number stands near.
    """
    passed, small, tried = [], 0, 0
    for whole in site().book.pages:
        scope = site().material(whole, site().computed).scope
        for text, value in ((each, value) for each in all_texts(whole) for value in all_values(each)):
            shown = prose.plain(Text(value.raw), "", replace(scope, numbers="off"))
            for typed in (shown, "0.123", "97") if re.search(r"\d", shown) else ():
                reported = _is_reported(typed, text, value, scope)
                is_small = re.fullmatch(r"\W?(?:\d|1[012])", typed) is not None
                passed += [] if reported or is_small else [(around(text, value), typed)]
                small += reported and is_small
                tried += 1
    assert passed == []
    assert tried > 300
    assert small > 50


def _is_reported(typed: str, text: Text, value: Span, scope: prose.Scope) -> bool:
    """Return whether a number is reported that is typed in place of a value."""
    part, line = paragraph(text, value.start), text.line_at(value.start)
    silent = replace(scope, problems=[])
    over = part[: value.start] + typed + part[value.end :]
    prose.block(Text(over, text.file, text.line, text.breaks), "text", silent)
    return any(each.line == line and "is typed" in each.message for each in silent.problems)


def test_no_claim_holds_with_a_comparison_reversed() -> None:
    passed, tried = [], 0
    for whole in site().book.pages:
        for part, claim in claims(whole):
            for expression in flipped(claim):
                changed = replace(claim, check=Text(expression, claim.check.file, claim.check.line))
                reported = [(each.file, each.line) for each in failing(whole, part, changed, site().computed)]
                passed += [] if reported == [(claim.check.file, claim.check.line)] else [expression]
                tried += 1
    assert passed == []
    assert tried > 40
