r"""Whatever is accepted shows every letter, digit and sign that was written, in order, and says every number."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.formulas import mathml
from scenebook.formulas.macros import Macro, expanded
from scenebook.formulas.mathtext import for_matplotlib

MACROS = (Macro("norm", r"\lVert #1 \rVert", 1), Macro("half", r"\frac12"), Macro("pair", r"(#2, #1)", 2))
SETTING = mathml.Setting(macros=MACROS)
CORPUS = (Path(__file__).parent / "formulas.tex").read_text().split("\n\n")
_INVISIBLE = re.compile("[\\s\u00a0\u2000-\u200a\u2061-\u2064\ufe00-\ufe0f\ufdd0-\ufdef]")


class Formula(NamedTuple):
    """LaTeX, and the characters that it must show."""

    latex: str
    shown: str


def shown(latex: str, display: bool = True) -> str:
    """The visible characters of a formula, without their style."""
    body = re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", mathml.convert(latex, display, SETTING), flags=re.DOTALL)
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", _INVISIBLE.sub("", html.unescape(body))))


LEAVES = st.sampled_from(
    [
        *(Formula(sign, sign) for sign in "abxyzABZ+=<>/()[]|,;:!?"),
        *(Formula(number, number) for number in ("0", "7", "12", "345", "6.5")),
        Formula("-", "−"),
        Formula("*", "∗"),
        Formula(r"\alpha ", "α"),
        Formula(r"\beta*", "β∗"),
        Formula(r"\le ", "≤"),
        Formula(r"\%", "%"),
        Formula("#", "#"),
        Formula(r"\$", "$"),
        Formula(r"\half ", "12"),
        Formula(r"\mathds 1", "1"),
        Formula(r"\,", ""),
    ]
)


Parts = st.SearchStrategy[Formula]


def around(before: str, after: str, left: str = "", right: str = "") -> Callable[[Parts], Parts]:
    """A part of a formula between LaTeX, which shows signs of its own."""
    return lambda parts: parts.map(lambda part: Formula(before + part.latex + after, left + part.shown + right))


def two(template: str, order: str = "AB") -> Callable[[Parts], Parts]:
    """Two parts in a command. `order` is the order in which they are shown, with other signs that are shown."""

    def filled(a: Formula, b: Formula) -> Formula:
        latex = "".join({"A": a.latex, "B": b.latex}.get(sign, sign) for sign in template)
        return Formula(latex, "".join({"A": a.shown, "B": b.shown}.get(sign, sign) for sign in order))

    return lambda parts: st.builds(filled, parts, parts)


def joined(parts: list[Formula]) -> Formula:
    return Formula("".join(part.latex for part in parts), "".join(part.shown for part in parts))


COMMANDS = (
    around(r"{\sqrt{", "}}"),
    around(r"\left(", r"\right)", "(", ")"),
    around(r"\left<", r"\right>", "⟨", "⟩"),
    around(r"\bigl. {", r"} \bigr]", "", "]"),
    around(r"\norm{", "}", "‖", "‖"),
    around(r"\text{if $", r"$, 5\% of $x$}", "if", ",5%ofx"),
    around(r"\boxed{", "}"),
    around(r"\smash[b]{", "}"),
    around(r"\colorbox{red}{all $", "$}", "all"),
    around(r"\mathop{", r"}\limits_{i}^{n}", "", "in"),
    around(r"\sum_{\substack{", r" \\ j}} ", "∑", "j"),
    two(r"\frac{A}{B}"),
    two(r"{A}_{B}"),
    two(r"{A}^{B}"),
    two(r"\overset{A}{B}", "BA"),
    two(r"{\sqrt[{A}]{B}}", "BA"),
    two(r"\pair{A}{B}", "(B,A)"),
    two(r"\nicefrac{A}{B}", "A/B"),
)
TABLES = (
    around(r"\begin{split} a &= ", r" \\[2ex] &= c \end{split}", "a=", "=c"),
    around(r"\begin{alignat*}{2} a & ", r" \\* b \end{alignat*}", "a", "b"),
    around(r"\begin{eqnarray*} a &=& ", r" \cr b &<& c \end{eqnarray*}", "a=", "b<c"),
    around(r"\begin{aligned}[t] ", r" & b \\[-1pt] c \\ \end{aligned}", "", "bc"),
    around(r"\begin{cases} 1 & \text{if } ", r" \\[1em] 2 \end{cases}", "{1if", "2"),
    around(r"\begin{pmatrix*}[r] ", r" & 4 \end{pmatrix*}", "(", "4)"),
    around(r"\begin{smallmatrix} ", r" \\ 8 \end{smallmatrix}", "", "8"),
    around(r"\begin{array}[b]{@{}l|*{2}{c}} ", r" & 1 \\ \hline\hline 2 \end{array}", "", "12"),
    two(r"\begin{matrix} A \\ B \end{matrix}"),
)


def parts_of(commands: Sequence[Callable[[Parts], Parts]]) -> Parts:
    """Formulas of a few leaves with these commands around them."""

    def larger(parts: Parts) -> Parts:
        beside = st.builds(lambda left, right: joined([left, right]), parts, parts)
        return st.one_of(beside, *(command(parts) for command in commands))

    return st.recursive(st.lists(LEAVES, min_size=1, max_size=4).map(joined), larger, max_leaves=6)


PART, DRAWN = parts_of((*COMMANDS, *TABLES)), parts_of(COMMANDS)


@given(PART)
def test_a_generated_formula_shows_all_that_was_written(formula: Formula) -> None:
    assert shown(formula.latex) == formula.shown


@given(PART)
def test_a_generated_formula_says_all_its_numbers(formula: Formula) -> None:
    words = Counter(re.findall(r"\d[\d.]*", mathml.convert(formula.latex, setting=SETTING).split(">")[0]))
    written = Counter(re.findall(r"<mn>([^<]*)</mn>", mathml.convert(formula.latex, setting=SETTING)))
    spoken = written - Counter({"2": 99, "3": 99})
    assert not {number: count for number, count in spoken.items() if words[number] < count}


@given(DRAWN)
def test_a_generated_label_is_drawn_with_all_its_letters_and_digits(formula: Formula) -> None:
    drawable = for_matplotlib(expanded(formula.latex, MACROS), lambda command: True)
    letters = Counter(re.sub(r"\\[A-Za-z]+", "", drawable))
    assert not Counter(re.sub("[^A-Za-z0-9]", "", formula.shown)) - letters


@pytest.mark.parametrize("entry", CORPUS)
def test_a_formula_of_the_corpus_shows_all_that_was_written(entry: str) -> None:
    latex, expected = entry.strip().rsplit("\n", 1)
    assert shown(latex) == expected
