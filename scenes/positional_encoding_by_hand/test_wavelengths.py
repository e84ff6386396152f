"""Wavelengths against their formula, and what the slowest hand does over the one that the paper names."""

import math

import pytest
from numpy.testing import assert_allclose

from scenes.positional_encoding_by_hand import wavelengths


@pytest.mark.parametrize("d_model", [4, 36, 128])
def test_measured_wavelengths_are_those_of_the_formula(d_model: int) -> None:
    values = wavelengths.compute(d_model)
    expected = [2 * math.pi * 10_000 ** (2 * i / d_model) for i in range(d_model // 2)]
    assert_allclose(values["waves"], expected, rtol=1e-12)
    assert_allclose(values["share"], 10_000 ** (-2 / d_model), rtol=1e-12)
    assert_allclose(values["share"] * values["rounds"], 1)
    assert_allclose(values["places"], [2 * i / d_model for i in range(d_model // 2)])


def test_with_eight_entries_the_slowest_hand_comes_round_ten_times() -> None:
    values = wavelengths.compute(8)
    assert_allclose(values["rounds"], 10, rtol=1e-12)
    assert_allclose(values["slowest"][::60], 1, atol=1e-9)  # 60 of 600 steps are a tenth of the way
    assert_allclose(values["slowest"][30::60], -1, atol=1e-9)
