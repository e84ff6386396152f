"""Heads against their definition, their ranks against elimination, and the counts against closed forms."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scenes.attention_by_hand import heads


@pytest.mark.parametrize("number", [1, 4, 16])
def test_scores_and_counts_are_those_of_the_definition(number: int) -> None:
    values = heads.compute(heads=number, n_words=20, d_model=16, seed=5)
    rng = np.random.default_rng(5)
    words, projections = rng.standard_normal((20, 16)), rng.standard_normal((4, 16, 16)) / 4
    d_k = 16 // number
    queries, keys = (words @ projection[:, :d_k] for projection in projections[:2])
    scores = queries @ keys.T / math.sqrt(d_k)
    assert_allclose(values["scores"], scores[:16, :16], rtol=1e-10)
    assert values["favourites"] == len({int(row.argmax()) for row in scores})
    assert (values["parameters"], values["exponentials"]) == (4 * 16 * 16, number * 20 * 20)
    assert values["least_rank"] == values["greatest_rank"] == d_k
    eigenvalues = np.linalg.eigvalsh(scores @ scores.T)[::-1]
    assert_allclose(values["singular"] ** 2, eigenvalues / eigenvalues[0], atol=1e-10)


def test_with_one_entry_the_keys_are_ranked_in_one_order_or_its_reverse() -> None:
    orders = np.argsort(heads.compute(heads=64)["scores"], axis=1).tolist()
    assert all(order in (orders[0], orders[0][::-1]) for order in orders)
