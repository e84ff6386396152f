"""An alternative text says what the figure shows, and does not repeat the text around it."""

from __future__ import annotations

import pytest

from scenebook.prose.alt_text import fault

BESIDE = {
    "title": "Scores",
    "caption": "Each query against each key. **White** is {{ s.a:.2f }}.",
    "first sentence of the caption": "Each query against each key.",
}
NAMES = ["scaled_dot_product", "raw"]


@pytest.mark.parametrize(
    ("alt", "message"),
    [
        ("Scores", "repeats the title, which is read out anyway; say what the figure shows"),
        ("A figure of scores.", "repeats the title, which is read out anyway; say what the figure shows"),
        ("Each query\nagainst each key!", "repeats the first sentence of the caption, which is read out anyway; say "),
        ("Each query against each key. White is {{ s.a:.2f }}", "repeats the caption, which is read out anyway; say "),
        ("Image: each query against each key", "repeats the first sentence of the caption, which is read out anyway; "),
        ("scores.png", "is the name of a file or scene; say what the figure shows"),
        ("my figures/fig 1.svg", "is the name of a file or scene; say what the figure shows"),
        ("Scaled dot product", "is the name of a file or scene; say what the figure shows"),
        ("raw", "is the name of a file or scene; say what the figure shows"),
        ("image of", "says only that there is a figure; say what it shows"),
        ("Heatmap.", "says only that there is a figure; say what it shows"),
        ("A plot: see the caption below", "says only that there is a figure; say what it shows"),
        ("TODO", "says only that there is a figure; say what it shows"),
        ("...", "says only that there is a figure; say what it shows"),
        ("\U0001f600", "says only that there is a figure; say what it shows"),
    ],
)
def test_a_text_that_describes_nothing_is_refused(alt: str, message: str) -> None:
    message_found = fault(alt, BESIDE, NAMES)
    assert message_found is not None
    assert message_found.startswith(message)


@pytest.mark.parametrize(
    "alt",
    [
        "Two heatmaps of weights. The diagonal is dark.",
        "Scores of each query: the first row is {{ s.a:.2f }}.",
        "The raw line falls.",
        "注意力的热图",
        "Plot of scenes/a.py against its rivals",
    ],
)
def test_a_description_is_accepted(alt: str) -> None:
    assert fault(alt, BESIDE, NAMES) is None


def test_a_missing_title_is_not_repeated() -> None:
    assert fault("Weights", {"title": "", "caption": ""}, []) is None
