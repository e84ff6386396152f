"""A head for each distance: what it finds, how far it turns, and what its lost rows do."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.positional_encoding_by_hand import one_head

DISTANCES = range(16)


def test_the_heads_of_all_distances_find_all_places() -> None:
    found = [one_head.compute(distance) for distance in DISTANCES]
    assert sum(values["hits"] for values in found) == sum(range(1, 17)) == 136
    for distance, values in enumerate(found):
        assert_array_equal(values["weights"].argmax(axis=1)[distance:], np.arange(16 - distance))
        assert values["look_ups"] + values["other_look_ups"] == 136


@pytest.mark.parametrize("distance", DISTANCES)
def test_each_hand_is_turned_back_by_the_distance(distance: int) -> None:
    values = one_head.compute(distance)
    angles = [-distance / 10_000 ** (i / 8) for i in reversed(range(8))]
    assert_allclose(values["sines"], np.sin(angles), atol=1e-15)
    assert_allclose(values["cosines"], np.cos(angles), atol=1e-15)


def test_turns_of_neighbouring_distances_differ_by_their_angles() -> None:
    squares = [4 * (1 - math.cos(1 / 10_000 ** (i / 8))) for i in range(8)]
    assert_allclose(one_head.compute(7)["nearest_turn"], math.sqrt(sum(squares)), rtol=1e-12)


def test_a_lost_row_looks_at_what_is_most_like_the_position_that_is_missing() -> None:
    values = one_head.compute(3)
    likeness = [sum(math.cos((3 + key) / 10_000 ** (i / 8)) for i in range(8)) for key in range(16)]
    assert values["first_looks_for"] == -3
    assert values["first_looks_at"] == likeness.index(max(likeness))
