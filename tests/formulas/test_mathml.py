"""LaTeX becomes MathML, or a message that says what is wrong with it."""

from __future__ import annotations

import pytest

from scenebook.formulas import mathml


def test_a_formula_with_many_open_brackets_is_refused_instead_of_taking_for_ever() -> None:
    with pytest.raises(ValueError, match=r"^0: more than 16 brackets are not closed$"):
        mathml.convert("(" * 40 + "x")


@pytest.mark.parametrize("source", ["(" * 40 + "x" + ")" * 40, "[0, 1)", r"\left(" * 20 + "x" + r"\right)" * 20])
def test_any_number_of_closed_brackets_is_accepted(source: str) -> None:
    assert mathml.convert(source).startswith("<math")


def test_the_words_of_a_formula_keep_its_grouping() -> None:
    assert mathml.words(r"\frac{x_t + 1}{n_t + 1}") != mathml.words(r"x_t + \frac{1}{n_t} + 1")
