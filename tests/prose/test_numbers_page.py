"""The table of NUMBERS.md says what the number rule does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scenebook.core.text import Text
from scenebook.prose import prose

PAGE = (Path(__file__).parents[2] / "NUMBERS.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!in a text)([^|]+) \| (passes|reported): ([^|]+) \|$", PAGE, re.MULTILINE)
VALUES = {"s": {"entropy": 0.6474, "heads": 8}}


@pytest.mark.parametrize(("text", "verdict", "reason"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_of_the_table_is_true(text: str, verdict: str, reason: str) -> None:
    scope = prose.Scope("page", VALUES)
    note = "\n\n[^v7]: The paper." if "[^v7]" in text else ""
    prose.block(Text(f"It is {text}.{note}"), "text", scope)
    messages = [problem.message for problem in scope.problems]
    assert bool(messages) == (verdict == "reported")
    value = re.search(r"\{\{.*\}\}", reason)
    assert all(value[0] in message if value else "is this" not in message for message in messages)


def test_the_table_has_rows() -> None:
    assert len(ROWS) == 15


def test_every_number_of_a_row_that_asks_for_quotes_is_reported() -> None:
    for text in (text for text, _, reason in ROWS if reason.startswith("quote")):
        scope = prose.Scope("page", VALUES)
        prose.block(Text(text), "text", scope)
        assert len(scope.problems) == len(re.findall(r"\d[\d.]*", text))
