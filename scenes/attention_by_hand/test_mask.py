"""Masked weights row by row, and who notices that a word was replaced."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention_by_hand import mask


@pytest.mark.parametrize(("kind", "seen"), [("none", 6), ("infinite", None), ("zeroed", None)])
def test_a_row_is_a_softmax_over_what_it_sees(kind: str, seen: int | None) -> None:
    values = mask.compute(mask=kind, seed=5)
    rng = np.random.default_rng(5)
    embeddings, projections = rng.standard_normal((6, 16)), rng.standard_normal((3, 16, 8)) / 4
    queries, keys, _ = embeddings @ projections
    for place, query in enumerate(queries):
        exponentials = [math.exp(query @ key / math.sqrt(8)) for key in keys]
        shown = exponentials[: seen or place + 1]
        total = sum(shown if kind == "infinite" else exponentials)
        expected = [each / total for each in shown] + [0] * (6 - len(shown))
        assert_allclose(values["weights"][place], expected, atol=1e-14)


def test_zeros_after_the_softmax_let_every_earlier_word_notice_and_minus_infinity_none() -> None:
    for place, word in enumerate(mask.WORDS):
        zeroed, infinite = (mask.compute(mask=kind, word=word, seed=4) for kind in ("zeroed", "infinite"))
        assert zeroed["noticed"] == zeroed["n_before"] == place
        assert_array_equal(infinite["moves"][:place], 0)
        assert infinite["moves"][place] > 0.01
        assert zeroed["moved_before"] == max(zeroed["moves"][:place], default=0)


def test_a_move_is_the_distance_between_outputs() -> None:
    rng = np.random.default_rng(2)
    embeddings, projections = rng.standard_normal((6, 16)), rng.standard_normal((3, 16, 8)) / 4
    _, before = mask.attend(embeddings, projections, "zeroed")
    embeddings[1] = rng.standard_normal(16)
    _, after = mask.attend(embeddings, projections, "zeroed")
    moves = [math.dist(a, b) for a, b in zip(before, after, strict=True)]
    assert_allclose(mask.compute(word="dog", seed=2)["moves"], moves, atol=1e-12)
