"""Values that differ only by the rounding noise of their type are equal. Values that differ by more are not."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.figure._rounding_noise import evened, evened_sums, extent, levels

TYPES = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("sign", [1, -1])
@given(value=st.floats(1.0, 60_000.0), steps=st.integers(0, 30))
def test_a_span_of_up_to_eight_epsilons_counts_as_none(kind: Any, sign: int, value: float, steps: int) -> None:
    first = last = kind(value)
    for _ in range(steps):
        last = np.nextafter(last, kind(0))
    span = Fraction(float(first)) - Fraction(float(last))
    equal = span <= 8 * Fraction(float(np.finfo(kind).eps)) * Fraction(float(first))
    ends = sorted((sign * float(first), sign * float(last)))
    expected = (sign * float(first),) * 2 if equal else tuple(ends)
    assert extent(np.array([sign * last, sign * first], kind)) == expected


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
def test_integers_are_exact(kind: Any) -> None:
    assert extent(np.array([100, 101], kind)) == (100, 101)
    assert extent(np.array([10**15, 10**15 + 1])) == (10**15, 10**15 + 1)


def test_an_integer_equals_a_float_up_to_the_noise_of_the_float() -> None:
    assert extent(np.array([1]), np.array([1 + 1e-15])) == (1 + 1e-15,) * 2
    assert extent(np.array([1]), np.array([1], np.float16), np.array([1.005])) == (1.005, 1.005)


def test_masked_values_and_values_that_are_not_finite_do_not_count_in_a_span() -> None:
    holes = np.ma.masked_equal([0.3, np.nan, np.inf, -np.inf, 0.1 + 0.2, 9.0], 9.0)
    assert extent(holes) == (0.1 + 0.2, 0.1 + 0.2)
    assert extent(np.full(3, np.nan), np.ma.masked_array(np.zeros(2), mask=True)) is None
    assert extent() is None


def test_small_values_are_not_noise() -> None:
    assert extent(np.array([1e-17, -1e-17])) == (-1e-17, 1e-17)
    assert extent(np.array([0.0, 5e-324])) == (0, 5e-324)


def test_noise_is_levelled_within_an_array_and_across_arrays() -> None:
    flat, other = np.array([0.3, 0.1 + 0.2]), np.array([0.0, 1.0])
    assert levels(flat, other) == [0.1 + 0.2, None]
    assert levels(np.array([1.0]), np.array([1 + 1e-15])) == [1 + 1e-15] * 2
    first, second = evened(np.ma.masked_array([0.3, 0.1 + 0.2, 5], [False, False, True]), np.array([0, np.inf, 1]))
    assert first[:2].tolist() == [0.1 + 0.2] * 2
    assert np.isnan(first[2])
    assert np.isnan(second).tolist() == [False, True, False]


def test_sums_that_differ_by_noise_become_equal_and_zero_stays_zero() -> None:
    parts = np.array([[0.1, 0.2, 0.3, 0.0], [0.3, 0.0, 0.2, 0.1]])
    assert len({float(row.sum()) for row in parts}) == 2
    drawn = evened_sums(parts.T)
    assert drawn.sum(1).tolist() == pytest.approx([0.6, 0.6], rel=1e-15)
    assert (drawn == 0).tolist() == (parts == 0).tolist()
    half = evened_sums(np.array([[0.5, 0.5, 0], [0.25, 0.25, 0.5039]], np.float16).T)
    assert half.sum(1)[0] == pytest.approx(half.sum(1)[1], rel=1e-12)
    assert half[0, 2] == 0
    assert evened_sums(np.array([[1.0, 2.0]])).tolist() == [[1], [2]]
