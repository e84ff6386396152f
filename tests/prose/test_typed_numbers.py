"""Every number that is typed where a reader sees it is found, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.scanner import scan
from scenebook.prose import typed_numbers
from scenebook.prose._said_numbers import in_formula
from scenebook.prose._stand_ins import HOLE, VALUE

VALUES = {
    "s": {
        "entropy": 0.6473801910873517,
        "total": 1048576,
        "share": 0.031,
        "tiny": 1.23e-7,
        "heads": 8,
        "whole": 8.0,
        "about": 7.6,
        "loss": -0.5,
        "word": "512",
        "truth": True,
    }
}


def typed(visible: str, *quoted: str) -> list[str]:
    return [numeral for _, numeral in typed_numbers.typed(visible, quoted, set())]


def in_text(raw: str, *quoted: str) -> list[str]:
    """The typed numerals of a text without Markdown, in order."""
    return [numeral for _, numeral in sorted(typed_numbers.find(scan(raw), None, quoted, set()))]


@given(st.text(max_size=60), st.from_regex(r"[0-9]{1,4}", fullmatch=True), st.text(max_size=60))
def test_a_number_that_stands_alone_is_found(before: str, digits: str, after: str) -> None:
    visible = f"{before} {digits} {after}"
    found = {
        at for start, numeral in typed_numbers.typed(visible, (), set()) for at in range(start, start + len(numeral))
    }
    assert set(range(len(before) + 1, len(before) + 1 + len(digits))) <= found


@given(st.text(max_size=80))
def test_a_numeral_is_found_at_its_offset(visible: str) -> None:
    for start, numeral in typed_numbers.typed(visible, (), set()):
        assert visible[start : start + len(numeral)] == numeral


@given(st.text(alphabet=st.characters(exclude_categories=["N"]), max_size=80).filter(lambda text: VALUE not in text))
def test_a_text_without_digits_has_no_numerals(visible: str) -> None:
    assert typed(visible) == []


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        ("The entropy is 0.65 bits.", ["0.65"]),
        ("1,048,576 and 1 048 576 and 1\u202f048\u202f576", ["1,048,576", "1 048 576", "1\u202f048\u202f576"]),
        ("from -0.5 to −3, +2 and ±4", ["-0.5", "−3", "+2", "±4"]),
        ("3–5, 3-5, 8x8 and 512×512", ["3–5", "3-5", "8x8", "512×512"]),
        ("the 1st, 8x, 8×, a 4-token text in 2D", ["1st", "8x", "8", "4", "2D"]),
        ("on 2017-06-12 at 12:30, 1/2", ["2017-06-12", "12:30", "1/2"]),
        ("see section 3.2.1.", ["3.2.1"]),
        ("Python 3.11, d_k=8, top-5, Llama-3", ["3.11", "8", "5", "3"]),
        ("10² ½ 1½ ٣ ３ ① Ⅷ 𝟏", ["10²", "½", "1½", "٣", "３", "①", "Ⅷ", "𝟏"]),
        ("1.2×10⁻⁷ and 1e-7", ["1.2×10⁻⁷", "1e-7"]),
        ("65 % and 65% and 3‰", ["65 %", "65%", "3‰"]),
        ("№8, #2, §3, (4), “5”", ["8", "2", "3", "4", "5"]),
        (".65, 0x1F, 2.5k", [".65", "0x1F", "2.5k"]),
    ],
)
def test_a_numeral_is_found_whole(visible: str, found: list[str]) -> None:
    assert typed(visible) == found


@pytest.mark.parametrize(
    "visible",
    [
        "conv2d, x1, H2O, Q4, d_k, v2.1, K80s, utf8",
        "GPT-2, ResNet-50, COVID-19, CIFAR-10, UTF-8, ISO-8859-1",
        "x₁ + y², e\u0301t\u00e91, e\u03011",
        "two heads, half of it, chapter II, 一 and 二",
        f"{VALUE} of {VALUE}: {VALUE}–{VALUE} ({VALUE}%), a {VALUE}-word text, {VALUE}×{VALUE}",
        f"${HOLE} and {HOLE}, -{HOLE}",
    ],
)
def test_names_and_values_are_not_typed_numbers(visible: str) -> None:
    assert typed(visible) == []


@pytest.mark.parametrize(
    ("visible", "found"),
    [
        ("6\u200b5 and 6\u00ad5", ["6", "5", "6", "5"]),
        ("o.65 and x0.65", ["65", "0.65"]),
        (f"{VALUE}5 and 5{VALUE}", ["5", "5"]),
        (f"{VALUE}e5 and {VALUE}x10", ["5", "10"]),
        (f"-{VALUE} and −{VALUE} and (.{VALUE})", ["-", "−", "."]),
        (f"0.{VALUE} and 1,{VALUE}", ["0", "1"]),
    ],
)
def test_a_number_cannot_be_hidden(visible: str, found: list[str]) -> None:
    assert typed(visible) == found


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        ("$0.65$", ["0.65"]),
        (r"$8\,\%$", ["8"]),
        (r"$6\%$", ["6"]),
        ("$-3$", ["3"]),
        ("$1$", ["1"]),
        ("$d_k = 8$", ["8"]),
        ("$d_k = d_v = 512$", ["512"]),
        ("$x = 5, y = 7$", ["5", "7"]),
        (r"$n = 4 \cdot 16^2$", ["4", "16"]),
        (r"$3162 \cdot 2\pi$", ["3162"]),
        (r"$64\,\mathrm{bits}$", ["64"]),
        (r"$64 \text{ bits}$", ["64"]),
        ("$12 heads$", ["12"]),
        (r"$90^\circ$", ["90"]),
        (r"$\text{about 12 heads}$", ["12"]),
        (r"$\mathbf{65}$", ["65"]),
        (r"$1{,}048{,}576$", ["1,048,576"]),
        (r"$x^{0.5}$", ["0.5"]),
        (r"$0{.}65$", ["0.65"]),
        (r"${0}.{65}$", ["0", "65"]),
        (r"$5{{ s.heads }}$", ["5"]),
        (r"$\begin{aligned} a &= 8 \\ b &= c \end{aligned}$", ["8"]),
        (r"$\sqrt{8} = b$", ["8"]),
        (r"$p < 10^{-12}$", ["10"]),
    ],
)
def test_a_number_that_a_formula_states_is_found(latex: str, found: list[str]) -> None:
    assert list(dict.fromkeys(in_text(latex))) == found


@pytest.mark.parametrize(
    "latex",
    [
        "$x^2 + 1 = 0$",
        "$x = -1$",
        r"$\sum_{i=1}^{8} p_i = 1$",
        "$n - 1$",
        "$O(n^2)$",
        r"$10000^{2i/d_{model}}$",
        r"$2\pi = {{ s.entropy:.2f }}$",
        r"$\pi/4$",
        r"$p = \frac{1}{2}$",
        r"$\tfrac23 x$",
        r"$\{1,2\}$",
        "$[1](2)$",
        "$(0, 1)$",
        "$i = 1, \\dots, n$",
        r"$\frac{1}{\sqrt{d_k}}$",
        r"$\log_2 8$",
        r"$h = {{ s.heads }}$",
        r"${{ s.total:,d }} \cdot 2\pi$",
        r"$x \in \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$",
        r"$\mathrm{W2}$",
        r"$x \tag{3.1} \label{eq:2.5} \hspace{0.5em}$",
        r"$\begin{alignedat}{2} x \\[0.25em] y \end{alignedat}$",
        r"see \eqref{eq:2.5}",
    ],
)
def test_mathematical_constants_and_indices_are_not_typed_numbers(latex: str) -> None:
    assert in_text(latex) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("`512`", ["512"]),
        ("` 8 `", ["8"]),
        ("`0.65 bits`", ["0.65"]),
        ("`-3 %`", ["-3 %"]),
        ("`1e-7`", ["1e-7"]),
        ("`(4, 4)`", ["4", "4"]),
        ("`4*512`", ["4", "512"]),
        ("```\n0.65\n```", ["0.65"]),
        ("`x[3]`", []),
        ("`d = 8`", []),
        ("`return 8`", []),
        ("`conv2d`", []),
        ("`f(2, axis=1)`", []),
        ("```python\nx = 0.65\n```", []),
        ("`{{ s.heads }}`", []),
    ],
)
def test_code_that_is_only_a_number_is_found(code: str, found: list[str]) -> None:
    assert in_text(code) == found


@pytest.mark.parametrize(
    ("visible", "quoted", "left"),
    [
        ("in 2017, section 3.5 and 3.5", ["2017", "section 3.5"], ["3.5"]),
        ("a long\nsection\n  3.5", ["section 3.5"], []),
        ("5 to 10 minutes, 10 hours", ["5 to 10 minutes"], ["10"]),
        ("8x and 18 and 8.5 and 0.8", ["8"], ["18", "8.5", "0.8"]),
        ("8x8 and 3–8", ["8", "3"], []),
        ("-5 and 5", ["5"], ["-5"]),
        ("-5 and 5", ["-5"], ["5"]),
        ("1,048,576", ["1", "048", "576"], ["1,048,576"]),
        ("1,048,576", ["1,048,576"], []),
        ("65 % of it", ["65"], []),
        ("１２", ["12"], ["１２"]),
    ],
)
def test_a_quotation_allows_what_it_says(visible: str, quoted: list[str], left: list[str]) -> None:
    assert typed(visible, *quoted) == left


@pytest.mark.parametrize(
    ("numeral", "near"),
    [
        ("0.65", "s.entropy:.2f"),
        ("0.647", "s.entropy:.3f"),
        ("65%", "s.entropy:.0%"),
        ("64.7 %", "s.entropy:.1%"),
        ("1,048,576", "s.total:,d"),
        ("1 048 576", "s.total:,d"),
        ("1048576", "s.total"),
        ("3 %", "s.share:.0%"),
        ("1.2×10⁻⁷", "s.tiny:.1e"),
        ("8", "s.heads"),
        ("8x", "s.heads"),
        ("3–8", "s.heads"),
        ("-0.5", "s.loss:.1f"),
        ("0.66", None),
        ("512", None),
        ("1", None),
    ],
)
def test_the_value_that_reads_like_the_number_is_suggested(numeral: str, near: str | None) -> None:
    found = typed_numbers.nearest(numeral, VALUES)
    assert (found and found[0]) == near


def test_a_message_says_what_to_do() -> None:
    assert typed_numbers.message("0.65", VALUES) == (
        "0.65 is typed: is this {{ s.entropy:.2f }} = 0.6474? "
        "Write the value, or list the number under quoted: with its source"
    )
    assert typed_numbers.message("0.66", VALUES) == (
        "0.66 is typed: write a value that a scene computes, or list it under quoted: with its source"
    )
    assert typed_numbers.message("-", VALUES) == (
        "'-' is typed before a value and turns it into another number; have the scene compute that number"
    )


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("2017", None),
        ("section 0.65", None),
        ("8", None),
        (
            "0.65",
            "0.65 is {{ s.entropy:.2f }} = 0.6474; write the value, or, if it is another 0.65, quote it with the ",
        ),
        ("1,048,576", "1,048,576 is {{ s.total:,d }} = 1048576; write the value"),
        ("1999", "1999 does not appear in the text; remove it from quoted:, or write it as in the text"),
        ("many", "'many' contains no number; list numerals as they appear in the text"),
    ],
)
def test_a_quotation_that_is_computed_or_missing_is_reported(entry: str, message: str | None) -> None:
    found = typed_numbers.misquoted(entry, VALUES, {"2017", "section 0.65", "8", "0.65", "1,048,576", "many"})
    assert found == message if message is None else found is not None and found.startswith(message)


@given(st.text(alphabet="0123456789.,{}\\ x=^_$", max_size=40))
def test_the_index_of_a_number_in_a_formula_lies_in_the_formula(latex: str) -> None:
    for span in scan(f"${latex}$"):
        if span.kind in ("formula", "display"):
            assert all(latex[index : index + 1] for index, _ in in_formula(span))
