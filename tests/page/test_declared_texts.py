"""Every text that the model declares is on a page, in facts.json, in the count of numbers and in reviews.

The site of these tests is made from the model itself: each declared text gets a word of its own. So a new field is
tested as soon as it is declared, and a template that leaves it out fails here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args

import pytest

from scenebook.core.text_fields import WITH_VALUES, Form, declared, form_of
from scenebook.figure.kinds.lines import Line
from scenebook.figure.kinds.scatter import Points
from scenebook.figure.options import Axis
from scenebook.figure.spec import Figure, Panel
from scenebook.review import _built_site as built_site
from scenebook.review._compare import compare
from scenebook.storyboard.model import (
    Choice,
    Claim,
    Companion,
    Control,
    Page,
    Paper,
    Scene,
    Site,
    Storyboard,
    Term,
    Track,
)
from tests.support.builder import building
from tests.support.review_site import write

MODULE = """
import numpy as np


def compute(k=1):
    return {"x": np.arange(3.0), "y": np.arange(3.0), "cells": np.eye(2), "n": 3}
"""
VALUE = "{{ lines.n }}"
OWN: dict[str, None] = dict.fromkeys(("x", "y", "rows", "columns"))
"""Leaves out the axes: a panel then takes those of its figure, and a figure has none."""


@dataclass
class Sample:
    """Makes data for a storyboard. `words` maps the word of each text to its model, its field and its form."""

    letter: str
    words: dict[str, tuple[type[Any], str, Form]] = field(default_factory=dict)

    def of(self, model: type[Any], **given: Any) -> dict[str, Any]:
        """Data of a model: the given fields, and a text for every other declared field. None leaves a field out."""
        found = {}
        for name, hint in declared(model).items():
            if name not in given and (form_of(hint) is not Form.TARGET or _is_required(model, name)):
                found[name] = self._filled(hint, model, name)
        return found | {name: value for name, value in given.items() if value is not None}

    def _filled(self, hint: Any, model: type[Any], name: str) -> Any:
        if is_dataclass(hint):
            return self.of(hint)  # type: ignore[arg-type]
        if form := form_of(hint):
            assert form is not Form.TARGET, f"say in `storyboard` where {model.__name__}.{name} leads"
            return self._text(model, name, form)
        key, *rest = get_args(hint)
        if rest == [...]:
            return [self._filled(key, model, name)]
        return {self._filled(key, model, name): self._filled(rest[0], model, name)}

    def _text(self, model: type[Any], name: str, form: Form) -> str:
        number = len(self.words)
        word = f"w{self.letter}{chr(97 + number // 26)}{chr(97 + number % 26)}w"
        self.words[word] = model, name, form
        has_values = form in WITH_VALUES and model not in (Site, Track)
        return f"{word} {VALUE}" if has_values else word


def _is_required(model: type[Any], name: str) -> bool:
    [found] = [each for each in fields(model) if each.name == name]
    return found.default is MISSING and found.default_factory is MISSING


def storyboard(sample: Sample) -> dict[str, Any]:
    """A site with every declared field. Fields that are not texts, or must fit the others, are given here."""
    curves = sample.of(
        Figure,
        panels=[sample.of(Panel, **OWN, lines=[sample.of(Line, value="y"), sample.of(Line, value="x")], scatter=None)],
        x=sample.of(Axis, values="x"),
        rows=None,
        columns=None,
    )
    grid = sample.of(Panel, **OWN, heatmap="cells", lines=None, scatter=None)
    cells = sample.of(Figure, panels=[grid], x=None, y=None)
    dots = sample.of(Panel, lines=None, scatter=[sample.of(Points, x="x", y="y")], rows=None, columns=None)
    cloud = sample.of(Figure, panels=[dots], **OWN)
    points = [sample.of(Choice, value=1), sample.of(Choice, value=2)]
    controls = {"grid": [sample.of(Control, param="k", values=points)]}
    scenes = [
        sample.of(
            Scene,
            id=name,
            compute="one.py",
            controls=controls.get(name),
            figure=figure,
            claims=[sample.of(Claim, check=f"{name}.n > {number}")],
        )
        for number, (name, figure) in enumerate({"lines": curves, "grid": cells, "dots": cloud}.items())
    ]
    targets = ({"page": "page"}, {"track": "track"}, {"url": "https://example.org/"})
    page = sample.of(
        Page,
        slug="page",
        scenes=scenes,
        terms=[sample.of(Term, at="grid")],
        paper=sample.of(Paper, year=2017, url="https://example.org/paper", guide="page"),
        trap={**sample.of(declared(Page)["trap"], claims=[sample.of(Claim, check="lines.n > 2")])},
        claims=[sample.of(Claim, check="grid.n > 2")],
        companions=[sample.of(Companion, **target) for target in targets],
    )
    site = sample.of(Site, url="https://example.org/", numbers="off")
    return {"site": site, "pages": [page], "tracks": [sample.of(Track, slug="track", pages=["page"])]}


@dataclass(frozen=True)
class Built:
    """A site as built: its folder, and the word of each text."""

    output: Path
    words: dict[str, tuple[type[Any], str, Form]]

    def file(self, path: str) -> str:
        return (self.output / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Built, Built]]:
    """Two sites that differ in every text."""
    folder = tmp_path_factory.mktemp("declared")
    made = []
    with building(folder / "one", folder / "two") as builders:
        for builder, letter in zip(builders, "xy", strict=True):
            sample = Sample(letter)
            write(builder.root, {"storyboard.yaml": json.dumps(storyboard(sample)), "scenes/one.py": MODULE})
            assert builder.build().refused == ()
            made.append(Built(builder.root / "output", sample.words))
        yield made[0], made[1]


def missing(built: Built, text: str, *models: type[Any]) -> list[str]:
    """The fields whose words are not in a text, of these models, or of all if none are given."""
    own = {word: each for word, each in built.words.items() if (each[0] in models or not models)}
    assert own
    return [f"{model.__name__}.{name}" for word, (model, name, _) in own.items() if word not in text]


def of_pages(built: Built) -> tuple[type[Any], ...]:
    return tuple({model for model, _, _ in built.words.values()} - {Site, Track})


def test_the_sample_has_every_declared_field(sites: tuple[Built, Built]) -> None:
    waiting, known = [Storyboard], set[type[Any]]()
    expected = set[tuple[type[Any], str]]()
    while waiting:
        model = waiting.pop()
        known.add(model)
        for name, hint in declared(model).items():
            inner = hint if not get_args(hint) or form_of(hint) else get_args(hint)[0]
            if is_dataclass(inner):
                waiting += [inner] if inner not in known else []  # type: ignore[list-item]
            elif form_of(inner) is not Form.TARGET:
                expected.add((model, name))
    assert {(model, name) for model, name, _ in sites[0].words.values()} == expected
    assert len(expected) > 25


def test_every_declared_text_is_on_its_page(sites: tuple[Built, Built]) -> None:
    for built in sites:
        assert missing(built, built.file("page/index.html"), *of_pages(built)) == []
        assert missing(built, built.file("index.html"), Site) == []
        assert missing(built, built.file("track/index.html"), Track) == []


def test_every_declared_text_is_in_the_facts(sites: tuple[Built, Built]) -> None:
    for built in sites:
        facts = json.loads(built.file("facts.json"))
        page = {name: part for name, part in facts["pages"]["page"].items() if name != "title"}
        assert missing(built, json.dumps(page), *of_pages(built)) == []
        assert missing(built, json.dumps(facts["texts"]), Site, Track) == []


def test_every_changed_text_is_in_a_review(sites: tuple[Built, Built]) -> None:
    before, after = sites
    differences = repr(compare(built_site.read(before.output), built_site.read(after.output)))
    assert missing(before, differences) == []
    assert missing(after, differences) == []


def test_every_number_in_a_declared_text_is_counted(sites: tuple[Built, Built]) -> None:
    shown = WITH_VALUES - {Form.METADATA}
    for built in sites:
        words = (form for model, _, form in built.words.values() if model not in (Site, Track))
        found = re.findall(r"and (\d+) numbers in its texts and formulas", built.file("page/index.html"))
        assert found == [str(sum(form in shown for form in words))]
