"""Similarity against a mean of cosines, and look-alikes one distance at a time."""

import math

import pytest
from numpy.testing import assert_allclose

from scenes.positional_encoding_by_hand import look_alikes


def similarity(distance: int, base: float, d_model: int) -> float:
    """The mean cosine over all hands."""
    hands = d_model // 2
    return sum(math.cos(distance / base ** (i / hands)) for i in range(hands)) / hands


@pytest.mark.parametrize(("base", "d_model"), [(10, 4), (46.4158883361, 16), (10_000, 64)])
def test_similarity_and_look_alikes_are_those_of_the_cosines(base: float, d_model: int) -> None:
    expected = [similarity(distance, base, d_model) for distance in range(512)]
    values = look_alikes.compute(base, d_model)
    assert_allclose(values["similarity"], expected, atol=1e-12)
    best = max(range(5, 512), key=expected.__getitem__)
    assert values["best_at"] == best
    assert_allclose([values["best"], values["least"]], [expected[best], min(expected)], rtol=1e-9)
    assert_allclose(values["far"], sum(expected[256:]) / 256, atol=1e-12)


@pytest.mark.parametrize(("base", "first"), [(10, 358), (100, 63), (10_000, 19), (100_000, 19)])
def test_two_hands_repeat_where_both_have_come_round(base: float, first: int) -> None:
    values = look_alikes.compute(base, 4)
    assert values["first_repeat"] == first
    assert values["repeats"].endswith(f"at distance {first}")
    assert similarity(first, base, 4) > 0.98 > max(similarity(distance, base, 4) for distance in range(1, first))


def test_many_hands_do_not_repeat() -> None:
    values = look_alikes.compute(10, 64)
    assert values["first_repeat"] == 512
    assert values["repeats"] == "at none of these distances"


def test_a_hand_is_slow_if_it_makes_less_than_a_quarter_of_a_turn() -> None:
    assert look_alikes.compute(10_000, 64)["slow"] == sum(511 / 10_000 ** (i / 32) < math.pi / 2 for i in range(32))
    assert look_alikes.compute(10, 64)["slow"] == 0
