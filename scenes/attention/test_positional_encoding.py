"""Wavelengths agree with their formula, and distances with values worked out by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scenes.attention import functions, positional_encoding


@pytest.mark.parametrize("d_model", [4, 16, 64])
def test_measured_wavelengths_follow_the_formula(d_model: int) -> None:
    measured = positional_encoding.wavelengths(functions.positional_encoding(np.arange(3), d_model))
    assert_allclose(measured, [2 * math.pi * 10_000 ** (2 * i / d_model) for i in range(d_model // 2)], rtol=1e-12)


def test_the_wavelengths_are_as_the_page_says() -> None:
    values = positional_encoding.compute()
    assert round(values["longest_turns"]) == 3162
    assert round(values["longest_turns_of_paper"]) == 9647
    assert_allclose([values["shortest"], values["longest"]], [2 * math.pi, 2 * math.pi * 10_000 ** (14 / 16)])
    assert_allclose(values["growth"], 10_000 ** (1 / 8))
    assert_allclose(math.radians(values["slowest_angle"]), 15 / 10_000 ** (14 / 16))


def test_the_nearest_encodings_are_found_among_all_pairs() -> None:
    points = np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 5.5]])
    assert positional_encoding.nearest(points) == 1.5
