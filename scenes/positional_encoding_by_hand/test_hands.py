"""Hands against the formula of the paper, and positions that are read from them."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.positional_encoding_by_hand import hands


def test_each_hand_has_the_sine_and_cosine_of_its_angle() -> None:
    values = hands.compute(position=7, d_model=8)
    angles = [7 / 10_000 ** (2 * i / 8) for i in range(4)]
    assert_allclose(values["row"], [(math.sin(angle), math.cos(angle)) for angle in angles], rtol=1e-12)
    assert_allclose(values["sines"], [math.sin(angle) for angle in reversed(angles)], rtol=1e-12)
    assert_allclose(values["cosines"], [math.cos(angle) for angle in reversed(angles)], rtol=1e-12)
    assert_array_equal(values["sizes"], [4, 3, 2, 1])


@pytest.mark.parametrize("position", range(64))
def test_a_step_is_as_long_as_its_angles_make_it(position: int) -> None:
    squares = [2 - 2 * math.cos(1 / 10_000 ** (i / 8)) for i in range(8)]
    assert_allclose(hands.compute(position)["step"], math.sqrt(sum(squares)), rtol=1e-12)


def test_a_clock_is_read_from_hours_to_minutes() -> None:
    minutes = 4 * 60 + 27
    speeds = 2 * math.pi * np.array([1 / 60, 1 / 720])  # radians a minute, the fast hand first
    angles = np.round(minutes * speeds, 1)  # so the hour hand alone is minutes off
    by_hour, by_both = hands.read_clock(np.sin(angles), np.cos(angles), speeds)
    assert 1 < abs(by_hour - minutes) < 6
    assert abs(by_both - minutes) < 0.5


@pytest.mark.parametrize("position", range(64))
def test_two_decimals_tell_every_position_and_one_hand_does_not(position: int) -> None:
    values = hands.compute(position)
    assert round(values["by_all"]) == position
    assert abs(values["by_half"] - position) < 1
    assert abs(values["by_slowest"] - position) < 0.005 * 10_000 ** (7 / 8) * 1.01
