"""The number rule: what may be typed passes, and every other number that a reader sees is reported."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.scanner import scan
from scenebook.prose import typed_numbers
from scenebook.prose._held import HeldValues
from scenebook.prose._numerals import numerals
from scenebook.prose._said_numbers import in_formula
from scenebook.prose._stand_ins import HOLE, NOTE, VALUE
from scenebook.prose.typed_numbers import Allowed

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

ADVICE = "list the number under quoted: with its source"


def found(visible: str) -> list[str]:
    """The numerals of a text, typed or not."""
    return [visible[start:end] for start, end in numerals(visible)]


def typed(visible: str, *quoted: str) -> list[str]:
    """The typed numerals of a text as a reader sees it, on a page without values."""
    return [each.numeral for each in typed_numbers.typed(visible, Allowed(quoted=quoted))]


def in_text(raw: str, *quoted: str) -> list[str]:
    """The typed numerals of a text without Markdown, in order."""
    return [each.numeral for each in sorted(typed_numbers.find(scan(raw), None, Allowed(quoted=quoted)))]


def hints(raw: str, values: Any = VALUES, scene: str = "", **labels: str) -> list[str]:
    """What the messages about a text say: the value to write, or nothing."""
    allowed = Allowed(HeldValues(values, {"s": labels}), scene=scene)
    messages = [each.message for each in sorted(typed_numbers.find(scan(raw), None, allowed))]
    return [re.sub(r".*?(?:is this (.*?)(?: = [^ ]*)?\?.*|$)", r"\1", each) for each in messages]


@given(st.text(max_size=60), st.from_regex(r"[0-9]{1,4}", fullmatch=True), st.text(max_size=60))
def test_a_number_that_stands_alone_is_found(before: str, digits: str, after: str) -> None:
    visible = f"{before} {digits} {after}"
    at = {place for start, end in numerals(visible) for place in range(start, end)}
    assert set(range(len(before) + 1, len(before) + 1 + len(digits))) <= at


@given(st.text(alphabet=st.characters(exclude_characters="%‰"), max_size=40), st.integers(2101, 10**6))
def test_a_large_number_between_plain_words_is_reported(before: str, number: int) -> None:
    assert str(number) in typed(f"{before}. \n\nThere were {number} words")


@given(st.text(max_size=80))
def test_a_numeral_is_reported_at_its_offset(visible: str) -> None:
    for start, numeral, _ in typed_numbers.typed(visible, Allowed()):
        assert visible[start : start + len(numeral)] == numeral


@given(st.text(alphabet=st.characters(exclude_categories=["N"]), max_size=80).filter(lambda text: VALUE not in text))
def test_a_text_without_digits_has_no_numerals(visible: str) -> None:
    assert found(visible) == []


@pytest.mark.parametrize(
    ("visible", "whole"),
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
def test_a_numeral_is_found_whole(visible: str, whole: list[str]) -> None:
    assert found(visible) == whole


@pytest.mark.parametrize(
    "visible",
    [
        "conv2d, x1, H2O, Q4, d_k, v2.1, K80s, utf8",
        "GPT-2, ResNet-50, COVID-19, CIFAR-10, UTF-8, ISO-8859-1, Llama-3.1",
        "x₁ + y², e\u0301t\u00e91, e\u03011",
        "two heads, half of it, chapter II, 一 and 二",
        f"{VALUE} of {VALUE}: {VALUE}–{VALUE} ({VALUE}%), a {VALUE}-word text, {VALUE}×{VALUE}",
        f"${HOLE} and {HOLE}, -{HOLE}",
    ],
)
def test_names_and_values_are_not_numerals(visible: str) -> None:
    assert found(visible) == []


@pytest.mark.parametrize(
    "visible",
    [
        "Section 3.2, sections 3.2.1 and 13.5, §14, Theorem 1, Lemmas 15–17, Figure 30 (a), Fig. 3.4, Eqs. (14)–(16)",
        "Tables 13, 14 and 15, pp. 120–135, vol. 39, version 7.2, Appendix B.15, chapter 40, No. 14, RFC 2119",
        "1D, 2-D, 2 x 2, 3×3, 2-by-2, position #1, issue #165, 0-mean, 1-norm, all 1's, all 0s, a factor of 2, base 2",
        "4 + 1 cases, 2-dimensional, 1-hot, numpy 1.26.4, the 1990s, the ’90s",
        "17 June, June 17th, on the 23rd of May, 2017-06-12, Dec. 31",
        "doi:10.1162/neco.1997.9.8.1735, arXiv:1706.03762",
    ],
)
def test_names_and_structure_pass(visible: str) -> None:
    """Even if a scene holds the number and its name stands near."""
    values = {
        "s": {"section": 3.2, "theorem": 1, "position": 1, "mean": 0, "norm": 1, "factor": 2, "cases": 4, "tables": 14}
    }
    assert found(visible)
    assert hints(visible, values) == []


@pytest.mark.parametrize(
    ("visible", "reported"),
    [
        (
            "0.65, .65, 3 %, 3%, 3 percent, 3‰, 13, 100, 8x8, 16x16, 1/2, ½, 2.5k",
            ["0.65", ".65", "3 %", "3%", "3", "3‰", "13", "100", "16x16", "2.5k"],
        ),
        ("0, 1, 12, -3, ±4, 3–5, 8x, 1st, 4-token, (4), d_k=8, top-5, 12 and 13", ["13"]),
        (
            "5 million, 5k, 5 thousand, 5e6, 10⁻⁷, 10², 3×10⁸, 0x1F",
            ["5", "5k", "5", "5e6", "10⁻⁷", "10²", "3×10⁸", "0x1F"],
        ),
        ("1499, 1500, 2017, 2100, 2101, 1,999, 1998–2003, 2014-15", ["1499", "2101", "1,999"]),
        (
            "2000 words, in 2000 words, 2048-dimensional, 1600 kg, $1999, the 2012 results",
            ["2000", "2048", "1600", "1999"],
        ),
        ("Vaswani et al., 2017 shows; (Ba, 2016) uses; 2017 marks a year", []),
        ("section 65 %, a factor of 20, 512 x 512, 0.5-norm, step 40", ["65 %", "20", "512", "512", "0.5", "40"]),
    ],
)
def test_size_decides_about_other_numbers(visible: str, reported: list[str]) -> None:
    assert typed(visible) == reported


@pytest.mark.parametrize(
    ("visible", "reported"),
    [
        (f"A BLEU score of 41.8{NOTE} and 28.4. Then 17 more.", ["17"]),
        (f"First 17. A score of 41.8.{NOTE} Then 18.", ["17", "18"]),
        (f"See Vaswani et al. 41.8, e.g. 28.4, J. Smith 0.5{NOTE}", []),
        (f"It is 0.5! “Is 0.6?” It is 0.7{NOTE}", ["0.5", "0.6"]),
    ],
)
def test_a_number_in_a_sentence_with_a_note_passes(visible: str, reported: list[str]) -> None:
    assert typed(visible) == reported


def test_neither_a_note_nor_a_year_excuses_a_number_that_a_scene_holds() -> None:
    """But a single digit is not held by whatever rounds to it, and a year not by what only rounds to it."""
    held = HeldValues({**VALUES, "t": {"steps": 2000, "mass": 1998.7}})
    found = typed_numbers.typed(f"An entropy of 0.65 and 41.8, or 0.6, in 2000 and 1999{NOTE}", Allowed(held))
    assert [each.numeral for each in found] == ["0.65", "0.6", "2000"]
    found = typed_numbers.typed(f"Between 0.65 and 41.8, or 0.6, in 2000 and 1999{NOTE}", Allowed(held))
    assert [each.numeral for each in found] == ["0.65", "2000"]


@pytest.mark.parametrize(
    ("visible", "whole"),
    [
        ("6\u200b5 and 6\u00ad5", ["6", "5", "6", "5"]),
        ("o.65 and x0.65", ["65", "0.65"]),
    ],
)
def test_a_number_cannot_be_hidden(visible: str, whole: list[str]) -> None:
    assert found(visible) == whole


@pytest.mark.parametrize(
    ("visible", "reported"),
    [
        (f"{VALUE}5 and 5{VALUE}", ["5", "5"]),
        (f"{VALUE}e5 and {VALUE}x10", ["5", "10"]),
        (f"-{VALUE} and −{VALUE} and (.{VALUE})", ["-", "−", "."]),
        (f"0.{VALUE} and 1,{VALUE}", ["0", "1"]),
    ],
)
def test_what_turns_a_value_into_another_number_is_reported(visible: str, reported: list[str]) -> None:
    assert typed(visible) == reported


@pytest.mark.parametrize(
    ("latex", "stated"),
    [
        ("$0.65$", ["0.65"]),
        (r"$8\,\%$", ["8%"]),
        (r"$6\%$", ["6%"]),
        ("$-3$", ["3"]),
        ("$1$", ["1"]),
        ("$d_k = 8$", ["8"]),
        ("$d_k = d_v = 512$", ["512"]),
        ("$x = 5, y = 7$", ["5", "7"]),
        (r"$n = 4 \cdot 16^2$", ["4", "16²"]),
        (r"$3162 \cdot 2\pi$", ["3162"]),
        (r"$64\,\mathrm{bits}$", ["64", "bits"]),
        (r"$64 \text{ bits}$", ["64", " bits"]),
        ("$12 heads$", ["12"]),
        (r"$90^\circ$", ["90"]),
        (r"$\text{about 12 heads}$", ["about 12 heads"]),
        (r"$\mathbf{65}$", ["65"]),
        (r"$1{,}048{,}576$", ["1,048,576"]),
        (r"$x^{0.5}$", ["0.5"]),
        (r"$0{.}65$", ["0.65"]),
        (r"${0}.{65}$", ["0", "65"]),
        (r"$5{{ s.heads }}$", [f"5{VALUE}"]),
        (r"$\begin{aligned} a &= 8 \\ b &= c \end{aligned}$", ["8"]),
        (r"$\sqrt{8} = b$", ["8"]),
        (r"$p < 10^{-12}$", ["10⁻¹²"]),
        (r"$p < 2^3$", ["2"]),
    ],
)
def test_a_number_that_a_formula_states_is_found(latex: str, stated: list[str]) -> None:
    [span] = scan(latex)
    assert list(dict.fromkeys(words for _, words in sorted(in_formula(span)))) == stated


@pytest.mark.parametrize(
    ("raw", "reported"),
    [
        ("$x = 2$, $d_k = 12$, $-3$, `12`, `4 bits`", []),
        ("$x = 2.5$, $d_k = 13$, `13`, `0.5 bits`", ["2.5", "13", "13", "0.5"]),
        (r"$6\%$, $10^{-12}$, $2^3 = 8$", ["6%", "10⁻¹²"]),
        (r"$n = 2000$, $\text{since 2000}$, `2000`", ["2000"]),
    ],
)
def test_size_decides_in_formulas_and_code_too(raw: str, reported: list[str]) -> None:
    assert in_text(raw) == reported


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
        ("` 80 `", ["80"]),
        ("`0.65 bits`", ["0.65"]),
        ("`-3 %`", ["-3 %"]),
        ("`1e-7`", ["1e-7"]),
        ("`(40, 40)`", ["40", "40"]),
        ("`4*512`", ["512"]),
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
        ("a norm of 3.5, an error of 3.5", ["norm of 3.5"], ["3.5"]),
        ("a long\nnorm\n  of 3.5", ["norm of 3.5"], []),
        ("50 to 100 minutes, 100 hours", ["50 to 100 minutes"], ["100"]),
        ("80x and 180 and 80.5 and 0.80", ["80"], ["180", "80.5", "0.80"]),
        ("80x80 and 30–80", ["80", "30"], []),
        ("-50 and 50", ["50"], ["-50"]),
        ("-50 and 50", ["-50"], ["50"]),
        ("1,048,576", ["1", "048", "576"], ["1,048,576"]),
        ("1,048,576", ["1,048,576"], []),
        ("65 % of it", ["65"], []),
        ("１３", ["13"], ["１３"]),
    ],
)
def test_a_quotation_allows_what_it_says(visible: str, quoted: list[str], left: list[str]) -> None:
    assert typed(visible, *quoted) == left


@pytest.mark.parametrize(
    ("raw", "quoted", "left"),
    [
        ("$d_k = 512$ and $d_v = 512$", ["d_k = 512"], ["512"]),
        (r"$d_{\text{model}}=512$", ["d_model = 512"], []),
        (r"$\begin{pmatrix} 0.5 & 0.25 \\ 1 & 0.5 \end{pmatrix}$", [r"0.5 & 0.25 \\ 1"], ["0.5"]),
        (r"$1{,}048{,}576$", ["1,048,576"], []),
        ("It has $512$ units of 65.", ["$512$ units of 65"], []),
        ("It has `512` units.", ["has `512`"], []),
        (r"$\text{at 40 or 50}$", ["40 or 50"], []),
        ("$1512$ and $5120$", ["512"], ["1512", "5120"]),
    ],
)
def test_a_quotation_is_found_in_formulas_and_code(raw: str, quoted: list[str], left: list[str]) -> None:
    allowed = Allowed(quoted=quoted)
    assert [each.numeral for each in typed_numbers.find(scan(raw), None, allowed)] == left
    assert allowed.used == (set() if "1512" in raw else set(quoted))


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
        ("3.1 %", "s.share:.1%"),
        ("1.2×10⁻⁷", "s.tiny:.1e"),
        ("-0.5", "s.loss:.1f"),
        ("8 heads", "s.heads"),
        ("$n_{heads} = 8$", "s.heads"),
        ("head count: 8x", "s.heads"),
        ("a share of 3 %", "s.share:.0%"),
    ],
)
def test_the_value_that_reads_like_the_number_is_suggested(numeral: str, near: str) -> None:
    assert hints(numeral) == [f"{{{{ {near} }}}}"]


@pytest.mark.parametrize(
    "raw", ["8", "a pair of 8 tokens", "head 8", "the heads of all of the other five layers, 8", "$x = 8$"]
)
def test_a_small_number_needs_the_name_of_the_value_near_it(raw: str) -> None:
    assert hints(raw) == []


def test_a_hint_is_given_only_if_it_is_likely() -> None:
    twice = {"s": {"raw_entropy": 0.6474, "scaled_entropy": 0.6512}, "t": {"share": 0.648, "rate": 0.1003}}
    assert hints("0.65", twice) == [""]
    assert hints("a share of 0.65", twice) == ["{{ t.share:.2f }}"]
    assert hints("a raw entropy of 0.65", twice) == ["{{ s.raw_entropy:.2f }}"]
    assert hints("an entropy of 0.65", twice) == ["one of {{ s.raw_entropy:.2f }}, {{ s.scaled_entropy:.2f }}"]
    assert hints("10 % of it", twice) == [""]
    assert hints("a rate of 10 %", twice) == ["{{ t.rate:.0% }}"]
    assert hints("0.66", twice) == [""]


def test_a_value_of_the_own_scene_is_likelier_and_a_label_counts_as_a_name() -> None:
    same = {"s": {"n": 50}, "t": {"n": 50}}
    assert hints("$n = 50$", same, scene="t") == ["{{ t.n }}"]
    assert hints("50 tosses", same, n="number of tosses") == ["{{ s.n }}"]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("0.65", f"0.65 is typed: is this {{{{ s.entropy:.2f }}}} = 0.6474? Write the value, or {ADVICE}"),
        (
            "2000",
            f"2000 is typed, and a value of this page reads the same: write the value if it is meant, or {ADVICE}",
        ),
        ("0.66", "0.66 is typed: write a value that a scene computes, or list it under quoted: with its source"),
        (
            "-{{ s.heads }}",
            "'-' is typed before a value and turns it into another number; have the scene compute that number",
        ),
        (
            "5{{ s.heads }}",
            "5 is typed beside a value and turns it into another number; have the scene compute that number",
        ),
    ],
)
def test_a_message_says_what_to_do(raw: str, message: str) -> None:
    held = HeldValues({**VALUES, "t": {"steps": 2000}})
    [found] = typed_numbers.find(scan(raw), None, Allowed(held))
    assert found.message == message


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
