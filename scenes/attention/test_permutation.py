"""The effect of a shuffle agrees with attention that is computed twice."""

from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention import permutation


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def test_a_shuffled_word_is_compared_with_itself() -> None:
    values = permutation.compute()
    assert sorted(values["shuffled"].split()) == sorted(values["tokens"])
    assert all(new != old for new, old in zip(values["shuffled"].split(), values["tokens"], strict=True))
    tokens, places, projections = _random(4, 6), _random(4, 6), _random(3, 6, 2)
    after = permutation.attend(tokens + places, projections)
    before = permutation.attend(tokens[permutation.SHUFFLE] + places, projections)
    moved = permutation.moved(tokens, places, projections)
    for new, old in enumerate(permutation.SHUFFLE):
        assert_allclose(moved[old], np.abs(before[new] - after[old]))
