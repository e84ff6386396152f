"""The shipped pages tell the truth: change a number, on either side, and a page changes or a build fails.

Scenes run once. Then their results, the texts and the claims are changed one by one, and only what is pure is done
again: claims are judged, and the part of a page that is concerned is put together.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scenebook.build import scene_runs
from scenebook.core.problems import Problem
from scenebook.core.scanner import Span, scan, values_in
from scenebook.core.text import Text
from scenebook.page import compose, views
from scenebook.prose import prose
from scenebook.run import scene
from scenebook.run.module_files import Listing
from scenebook.run.scene import Computed
from scenebook.storyboard import loader
from scenebook.storyboard.model import Claim, Page, Storyboard

ROOT = Path(__file__).parents[2]
MUTATIONS: dict[str, Callable[[Any], Any]] = {
    "scaled": lambda x: x * 1.5,
    "negated": operator.neg,
    "shifted": lambda x: x + 1,
}
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
REVERSED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.Gt: ast.Lt}


@dataclass(frozen=True)
class Site:
    """The shipped site, its scenes computed."""

    book: Storyboard
    computed: Mapping[str, Computed]

    def material(self, part: Page, computed: Mapping[str, Computed]) -> compose.Material:
        """What a page, or a part of it, is made of; nothing is drawn."""
        scope = compose.scopes([part], self.book.site, computed, computed)[part.slug]
        return compose.Material(part, scope, compose.of_page(part, computed), {})


@cache
def site() -> Site:
    book = loader.load(ROOT).book
    named = scene_runs.scenes(book.pages)
    computed = {name: scene.run(str(part.compute), part.params) for name, _, part in named}
    listings = (Listing("a.py", "whole", "source"),)
    return Site(book, {name: replace(result, listings=listings) for name, result in computed.items()})


@cache
def frame() -> tuple[views.Templates, dict[str, Any]]:
    """The templates, and what they get besides the page."""
    assets = dict.fromkeys(views.static(ROOT / "templates"), "address")
    view = compose.site_view(site().book.site, site().book.tracks, (), assets, [])
    context = {"site": view, "root": "../", "track": None, "previous": None, "next": None, "canonical": "page/"}
    return views.environment(ROOT / "templates"), context


def made(material: compose.Material) -> tuple[str, list[Problem]]:
    """A page's HTML, and what is wrong with it."""
    templates, context = frame()
    view = compose.page_view(material, site().book.site, compose.judge(material))
    return views.render(templates, "page.html", page=view, **context).decode(), sorted(material.scope.problems)


def paragraph(text: Text, place: int) -> Text:
    """The paragraph of a text in which an offset lies; the lines before it are empty, so that offsets stay."""
    start, end = text.rfind("\n\n", 0, place) + 1, text.find("\n\n", place)
    before = re.sub(r"[^\n]", " ", text[:start])
    return Text(before + text[start : end if end >= 0 else None], text.file, text.line, text.breaks)


def values(text: Text) -> Iterator[Span]:
    """The values of a text, those in its formulas too."""
    for span in scan(text):
        if span.kind == "value":
            yield span
        elif span.kind in ("formula", "display"):
            yield from values_in(span)


def claims(whole: Page) -> Iterator[Claim]:
    for part in whole.scenes:
        yield from part.claims
    yield from whole.trap.claims if whole.trap else ()
    yield from whole.claims


def flipped(claim: Claim) -> Iterator[str]:
    """A claim's expression with one of its comparisons turned round, each in turn."""
    tree = ast.parse(" ".join(claim.check.split()), mode="eval")
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Compare)):
        for place, sign in enumerate(node.ops):
            for others in (OPPOSITE, REVERSED):
                if type(sign) in others:
                    node.ops[place] = others[type(sign)]()
                    yield ast.unparse(tree)
            node.ops[place] = sign


def test_the_shipped_pages_have_problems() -> None:
    assert site().book.site.numbers == "strict"
    for whole in site().book.pages:
        material = site().material(whole, site().computed)
        assert made(material)[1] == []
        assert [compose.spec(part, material.scope) for part in whole.scenes if part.figure]
        assert material.scope.problems == []


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_changed_result_changes_nothing(mutation: str) -> None:
    """A part of a page that changes, or fails, is enough."""
    unseen = []
    for full, whole, part in scene_runs.scenes(site().book.pages):
        alone = replace(whole, scenes=(part,), trap=None, takeaways=(), claims=(), terms=(), summary=Text("a"))
        before = made(site().material(alone, site().computed))
        for name, value in site().computed[full].scalars.items():
            if isinstance(value, int | float) and MUTATIONS[mutation](value) != value:
                scalars = {**site().computed[full].scalars, name: MUTATIONS[mutation](value)}
                computed = {**site().computed, full: replace(site().computed[full], scalars=scalars)}
                unseen += [f"{full}.{name}"] if made(site().material(alone, computed)) == before else []
    assert unseen == []


def test_a_number_can_be_typed_over_a_value() -> None:
    """Both the number that is there now and another one, in every text that holds a value."""
    passed, tried = [], 0
    for whole in site().book.pages:
        scope = site().material(whole, site().computed).scope
        for text, value in ((each, value) for each in compose.texts(whole) for value in values(each)):
            shown = prose.plain(Text(value.raw), "", replace(scope, numbers="off"))
            part, line = paragraph(text, value.start), text.line_at(value.start)
            for typed in (shown, "0.123", "97") if re.search(r"\d", shown) else ():
                silent = replace(scope, problems=[])
                over = part[: value.start] + typed + part[value.end :]
                prose.block(Text(over, text.file, text.line, text.breaks), "text", silent)
                told = any(each.line == line and "is typed" in each.message for each in silent.problems)
                passed += [] if told else [f"{text.file}:{line}: {value.raw}: {typed}"]
                tried += 1
    assert passed == []
    assert tried > 300


def test_a_flipped_comparison_holds() -> None:
    passed, tried = [], 0
    for whole in site().book.pages:
        for claim in claims(whole):
            for expression in flipped(claim):
                changed = replace(claim, check=Text(expression, claim.check.file, claim.check.line))
                material = site().material(replace(whole, scenes=(), trap=None, claims=(changed,)), site().computed)
                material = replace(material, computed=compose.of_page(whole, site().computed))
                compose.judge(material)
                told = [(each.file, each.line) for each in material.scope.problems]
                passed += [] if told == [(claim.check.file, claim.check.line)] else [expression]
                tried += 1
    assert passed == []
    assert tried > 40
