"""Three drafts of pages, with every number typed and labelled: the number rule reports what it should, and little else.

A label is `scene.name` for a number that a scene holds, `source` for one from elsewhere that has to be quoted, or says
why a number may be typed: it is cited, a count, a year, or part of a name. `DIFFER` lists what the rule says otherwise.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import yaml

from scenebook.core.text import Text
from scenebook.prose import prose

DRAFTS = sorted((Path(__file__).parent / "drafts").glob("*.yaml"))
DIFFER = [
    ("dropout", "0.5", "network.rate", "typed"),  # two values read like it, and no name is near
    ("dropout", "2014", "year", "typed"),  # a seed
    ("dropout", "0.957", "ensemble.exact", "sweep.best_accuracy"),
    ("orbits", "70", "ellipse.farthest", "typed"),
    ("orbits", "37%", "drift.euler", "drift.gained"),  # the same number under another name
    ("orbits", "209458", "name", "typed"),
    ("orbits", "2.6", "transit.duration", "transit.hours"),  # the same number under another name
]
_LABELLED = re.compile(r"<<(.+?) = (\w+(?:\.\w+)?)>>")


class Number(NamedTuple):
    """A number of a draft, its label, and what the rule says: `ok`, `typed`, or the values of its hint."""

    shown: str
    label: str
    said: str


def numbers(draft: Path) -> tuple[Number, ...]:
    """Every number of a draft, in order."""
    data = yaml.safe_load(draft.read_text(encoding="utf-8"))
    labelled: str = data["text"]
    raw = _LABELLED.sub(r"\1", labelled)
    breaks = tuple(match.end() for match in re.finditer("\n", raw))
    scope = prose.Scope("page", data["values"])
    prose.block(Text(raw, "draft", 1, breaks), "text", scope)
    reports = [(each.line, each.message) for each in sorted(set(scope.problems))]
    found = [
        Number(match[1], match[2], _said(match[1], [message for at, message in reports if at == line]))
        for line, written in enumerate(labelled.split("\n"), 1)
        for match in _LABELLED.finditer(written)
    ]
    assert {line for line, _ in reports} <= {n for n, text in enumerate(labelled.split("\n"), 1) if "<<" in text}
    return tuple(found)


def _said(shown: str, messages: list[str]) -> str:
    """What the messages about a line say about one of its numbers."""
    for message in messages:
        numeral, _, rest = message.partition(" is typed")
        if numeral in (shown, *shown.split(" ")):
            hint = re.match(r": is this (.*?)(?: = .*?)?\? ", rest)
            return re.sub(r"\{\{ ([\w.]+).*?\}\}", r"\1", hint[1]) if hint else "typed"
    return "ok"


def ideal(number: Number) -> str:
    """What the rule should say about a number: the value to write, `typed` if it must be quoted, and otherwise `ok`."""
    return number.label if "." in number.label else "typed" if number.label == "source" else "ok"


def test_the_rule_says_what_it_should_about_every_number_of_the_drafts_but_these() -> None:
    found = {draft.stem: numbers(draft) for draft in DRAFTS}
    assert {name: len(each) for name, each in found.items()} == {"dropout": 61, "epidemic": 53, "orbits": 47}
    differ = [(name, *each) for name, every in found.items() for each in every if each.said != ideal(each)]
    assert differ == DIFFER


def test_at_least_four_of_five_hints_are_right() -> None:
    hints = [each for draft in DRAFTS for each in numbers(draft) if each.said not in ("ok", "typed")]
    right = [each for each in hints if each.said == each.label]
    assert len(hints) > 60
    assert len(right) >= 0.8 * len(hints)
