"""A format writes a number in the same way everywhere."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core import number_format
from scenebook.core.number_format import show

FORMATS = [
    "",
    ".0f",
    ".1f",
    ".2f",
    ".3g",
    ".2e",
    ",.0f",
    ",.2f",
    ".0%",
    ".1%",
    "+.2f",
    "8.2f",
    "08.3f",
    "*>9.1f",
    "_.2f",
]


@given(st.floats(-1e300, 1e300), st.sampled_from(FORMATS))
def test_zero_has_no_sign(value: float, spec: str) -> None:
    shown = show(value, spec)
    assert "-" not in shown
    if number_format.MINUS in shown.partition("×")[0]:
        assert re.search("[1-9]", shown.partition("×")[0]), shown


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15), st.integers(0, 6))
def test_numbers_are_rounded_as_in_python(value: float, places: int) -> None:
    read = show(value, f",.{places}f").replace(",", "").replace(number_format.MINUS, "-")
    assert float(read) == float(f"{value:.{places}f}")


@given(st.integers())
def test_an_integer_keeps_all_of_its_digits(value: int) -> None:
    assert int(show(value).replace(number_format.MINUS, "-")) == value


@given(st.floats(), st.sampled_from(FORMATS))
def test_every_float_can_be_written(value: float, spec: str) -> None:
    assert show(value, spec).strip()


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (1e-17, ".2f", "0.00"),
        (0.0, ".2f", "0.00"),
        (-0.0, ".2f", "0.00"),
        (-0.0004, ".2f", "0.00"),
        (0.125, ".2f", "0.12"),
        (0.375, ".2f", "0.38"),
        (2.675, ".2f", "2.67"),
        (0.5, ".2f", "0.50"),
        (1234567.0, ".2f", "1234567.00"),
        (99999.5, ".2f", "99999.50"),
        (1e16, ".2f", "1.00×10¹⁶"),
        (-1e16, ",.0f", "−1×10¹⁶"),
        (-1.0, ".2f", "−1.00"),
        (-0.4, ".0f", "0"),
        (-0.0, "", "0"),
        (-0.001, "*>10.2f", "******0.00"),
        (-10, "x", "−a"),
        (1.2e-7, ".1e", "1.2×10⁻⁷"),
        (1e20, "", "1×10²⁰"),
        (1048576, ",d", "1,048,576"),
        (12, "", "12"),
        (0.6473801910873517, "", "0.6474"),
        (0.5, ".0%", "50%"),
        (-0.0001, ".0%", "0%"),
        (math.nan, ".2f", "NaN"),
        (math.inf, ".2f", "inf"),
        (-math.inf, "", "−inf"),
        (True, "", "true"),
        (np.bool_(0), "", "false"),
        (np.int64(3), "", "3"),
        (np.float64(0.125), ".2f", "0.12"),
        ("cat", ">5", "  cat"),
    ],
)
def test_a_value_is_written_as_its_format_says(value: object, spec: str, shown: str) -> None:
    assert show(value, spec) == shown


@pytest.mark.parametrize(
    ("value", "spec", "message"),
    [
        (0.5, "d", "the format 'd' does not fit a float (Unknown format code 'd' for object of type 'float')"),
        ("cat", ".2f", "the format '.2f' does not fit a text (Unknown format code 'f' for object of type 'str')"),
        (True, "d", "true and false take no format, found 'd'; remove it"),
        (5, "n", "the format 'n' depends on the machine or is too wide for a line; use ',d' or '.2f'"),
        ("cat", ">999999999999", "the format '>999999999999' is too wide for a line"),
        (12, "9>5", "the format '9>5' pads with a character that could be part of a number; remove '9>'"),
        (12, "->4", "the format '->4' pads with a character that could be part of a number; remove '->'"),
        (0.5, "0>9.1f", "the format '0>9.1f' pads with a character that could be part of a number; remove '0>'"),
        ("cat", "٣^5", "the format '٣^5' pads with a character that could be part of a number; remove '٣^'"),
        (5, "c", "the format 'c' depends on the machine or is too wide for a line; use ',d' or '.2f'"),
        (
            5,
            "999999999d",
            "the format '999999999d' depends on the machine or is too wide for a line; use ',d' or '.2f'",
        ),
    ],
)
def test_a_format_that_does_not_fit_is_refused(value: object, spec: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        show(value, spec)


# Bounds.


@pytest.mark.parametrize(
    ("value", "spec", "up", "down"),
    [
        (0.01306, ".1%", "1.4%", "1.3%"),
        (0.9685, ".2f", "0.97", "0.96"),
        (-0.9982, ".2f", "−0.99", "−1.00"),
        (1234567.8, ",.0f", "1,234,568", "1,234,567"),
        (1.23456e-7, "", "1.235×10⁻⁷", "1.234×10⁻⁷"),
        (9.9996, ".3g", "10", "9.99"),
        (99999.5, "", "1×10⁵", "9.999×10⁴"),
        (12345, ".2e", "1.24×10⁴", "1.23×10⁴"),
        (1e20 / 3, ".2f", "3.34×10¹⁹", "3.33×10¹⁹"),
        (1e-17, ".2f", "0.01", "0.00"),
        (0.1 + 0.2, ".1f", "0.3", "0.3"),
        (0.5, ".0%", "50%", "50%"),
        (12345, ",d", "12,345", "12,345"),
        (math.nan, ".1f", "NaN", "NaN"),
    ],
)
def test_a_bound_is_rounded_to_the_side_where_it_stays_true(value: float, spec: str, up: str, down: str) -> None:
    assert (show(value, spec, "ceil"), show(value, spec, "floor")) == (up, down)
    assert show(value, spec, "nearest") == show(value, spec)


@given(st.floats(-1e15, 1e15), st.sampled_from([".0f", ".3f", ".2%", ".3e", "", ".2g", ",.1f"]))
def test_a_bound_is_true_and_next_to_the_value(value: float, spec: str) -> None:
    up, down = read(show(value, spec, "ceil")), read(show(value, spec, "floor"))
    noise = number_format.NOISE * abs(Fraction(value))
    assert down - noise <= Fraction(value) <= up + noise
    assert read(show(value, spec)) in (up, down)


def read(shown: str) -> Fraction:
    """The number that a reader sees."""
    ascii_digits = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "+-0123456789")
    digits, _, exponent = (
        shown.translate(ascii_digits).replace(number_format.MINUS, "-").replace(",", "").partition("×10")
    )
    return Fraction(digits.rstrip("%")) / (100 if digits.endswith("%") else 1) * Fraction(10) ** int(exponent or 0)


@pytest.mark.parametrize(
    ("value", "spec", "exact"),
    [(0.1 + 0.2, ".1f", True), (0.25, ".1f", False), (3, "", True), (12345, ".2e", False), (1e-17, ".2f", False),
     (255, "x", True), (True, "", True), ("word", "", True), (math.inf, ".1f", True)],
)  # fmt: skip
def test_a_rounded_number_is_told_from_an_exact_one(value: Any, spec: str, exact: bool) -> None:
    assert number_format.is_exact(value, spec) is exact


@pytest.mark.parametrize("value", [True, "word"])
def test_only_numbers_can_be_rounded(value: Any) -> None:
    with pytest.raises(ValueError, match="only a number can be rounded; remove 'ceil'"):
        show(value, "", "ceil")
