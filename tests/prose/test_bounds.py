"""A value that a sentence calls a bound says how it is rounded."""

from __future__ import annotations

import pytest

from scenebook.core.text import Text
from scenebook.prose import prose

VALUES = {"s": {"worst": 0.0130649, "half": 0.5, "n": 8, "word": "many"}}


def messages(text: str, language: str = "en") -> list[str]:
    scope = prose.Scope("page", VALUES, language=language)
    prose.block(Text(text), "text", scope)
    return [problem.message for problem in scope.problems]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("nowhere more than {{ s.worst:.1%}}", "more than"),
        ("It is at most {{ s.worst:.2f }}.", "at most"),
        ("At\nleast {{ s.worst:.2f }}", "at least"),
        ("*at most* about the {{ s.worst:.2f }}", "at most"),
        ("{{ s.worst:.2f }} or more", "or more"),
        ("{{ s.worst:.2f }} of the bits or less", "or less"),
        ("{{ s.worst:.2f }} at most", "at most"),
        ("fewer than {{ s.n }} and {{ s.worst:.2f }}", "fewer than"),
        ("The error never exceeds {{ s.worst }}.", "exceeds"),
        ("within $\\pm {{ s.worst:.2f }}$", "within"),
        ("so $x \\le {{ s.worst:.2f }}$", "\\le"),
        ("so ${{ s.worst:.2f }} < x$", "<"),
        ("≥ {{ s.worst:.2f }}", "≥"),
    ],
)
def test_a_rounded_bound_must_say_how_it_is_rounded(text: str, bound: str) -> None:
    [message] = messages(text)
    assert f"which can make '{bound}' false; write ceil (round up), floor (down) or nearest after the format" in message


@pytest.mark.parametrize(
    "text",
    [
        "at most {{ s.worst:.1% ceil }}, at least {{ s.worst:.1% floor }}, about at most {{ s.worst: nearest }}",
        "at most {{ s.half:.1f }}, more than {{ s.n }}, over {{ s.word }}",
        "It takes {{ s.worst:.2f }} s.",
        "There is more than one. {{ s.worst:.2f }} is another.",
        "shorter than that, {{ s.worst:.2f }} is rare",
        "More than one in a great many has {{ s.worst:.2f }}.",
        "> {{ s.worst:.2f }} stands in a quote",
        "in {{ s.worst:.2f }} s at most {{ s.n }} runs",
        "rather than {{ s.worst:.2f }}",
    ],
)
def test_what_is_exact_or_says_how_or_is_no_bound_is_accepted(text: str) -> None:
    assert messages(text) == []


def test_a_language_without_a_list_of_words_has_signs_alone() -> None:
    assert messages("more than {{ s.worst:.2f }}", "de") == []
    assert len(messages("≥ {{ s.worst:.2f }}", "de")) == 1


def test_the_message_says_what_to_write() -> None:
    [message] = messages("more than {{ s.worst:.1%}}")
    assert message == (
        "{{ s.worst:.1%}} is rounded: 0.0130649 is shown as 1.3%, which can make 'more than' false; write ceil (round "
        "up), floor (down) or nearest after the format, as in {{ s.worst:.1% ceil }}"
    )
