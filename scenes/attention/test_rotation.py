"""Rotations obey their algebra, and a head finds what is a fixed distance back."""

import math
from typing import Any

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import functions, rotation


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def test_rotations_add_up_and_keep_lengths() -> None:
    assert_allclose(rotation.rotation(3, 8) @ rotation.rotation(-5, 8), rotation.rotation(-2, 8), atol=1e-14)
    assert_allclose(rotation.rotation(7, 8) @ rotation.rotation(7, 8).T, np.eye(8), atol=1e-14)


def test_a_head_looks_back_by_its_distance_and_by_no_other() -> None:
    encoding = functions.positional_encoding(np.arange(10), 16)
    weights = rotation.look_back(encoding, 4, 50)
    assert_array_equal(weights.argmax(axis=1)[4:], np.arange(6))
    assert rotation.hits(weights, 4) == 6
    assert rotation.hits(weights, 3) < 2


def test_a_look_up_that_ties_is_not_a_hit() -> None:
    weights = np.array([[0.4, 0.4, 0.2], [0.5, 0.25, 0.25], [0.4, 0.4, 0.2]])
    assert rotation.hits(weights, 0) == 0
    assert rotation.hits(weights, 1) == 1


def test_with_the_number_of_the_position_the_last_position_wins() -> None:
    weights = rotation.look_back_by_number(6, 2, 1)
    assert_allclose(weights[2], np.full(6, 1 / 6))  # looks for position 0: all tie
    assert_array_equal(weights[3:].argmax(axis=1), [5, 5, 5])
    found = np.log(weights[4] / weights[4, 0])
    assert_allclose(found, 2 * np.arange(6) / math.sqrt(2), atol=1e-12)  # (2, 1) times (pos, 1)


def test_many_sentences_at_once_give_the_same_weights_as_one_by_one() -> None:
    found = _random(3, 7, 16)
    together = rotation.look_back(found, 2, 4)
    for one, weights in zip(found, together, strict=True):
        assert_allclose(rotation.look_back(one, 2, 4), weights, rtol=1e-12)
