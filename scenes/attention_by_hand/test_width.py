"""Means over many rows against a loop, with the division and without."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scenes.attention_by_hand import width


@pytest.mark.parametrize("scaled", [False, True])
def test_means_are_those_of_single_rows(scaled: bool) -> None:
    values = width.compute(d_k=4, scaled=scaled, sentences=2, seed=5)
    queries, keys = np.random.default_rng(5).standard_normal((4, 2, 2, 6)).transpose(1, 2, 3, 0)
    rows = []
    for sentence in range(2):
        for query in queries[sentence]:
            scores = [math.exp(query @ key / (2 if scaled else 1)) for key in keys[sentence]]
            rows.append(np.array(scores) / sum(scores))
    assert_allclose(values["weights"], rows[:6], rtol=1e-12)
    assert_allclose(values["entropy"], np.mean([-(row * np.log2(row)).sum() for row in rows]), rtol=1e-12)
    assert_allclose(values["slope"], np.mean([row.max() * (1 - row.max()) for row in rows]), rtol=1e-12)
    assert_allclose(values["by_place"], np.mean([sorted(row, reverse=True) for row in rows], axis=0), rtol=1e-12)
    assert values["rows"] == len(rows)


def test_longer_vectors_begin_with_the_entries_of_shorter_ones_and_spread_as_the_root() -> None:
    spreads = [width.compute(d_k=d_k, seed=1)["typical_score"] for d_k in (4, 16, 64)]
    assert_allclose(spreads, [2, 4, 8], rtol=0.05)
    queries, keys = np.random.default_rng(1).standard_normal((4, 2, 3, 6))[:2].transpose(1, 2, 3, 0)
    expected = np.exp(queries[0] @ keys[0].T)
    short = width.compute(d_k=2, sentences=3, seed=1)["weights"]
    assert_allclose(short, expected / expected.sum(axis=1, keepdims=True), rtol=1e-12)
