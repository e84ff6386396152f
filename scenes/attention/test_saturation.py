"""Slopes agree with the Jacobian of the softmax, row by row."""

import math

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import functions, saturation


def test_the_figure_shows_means_of_the_slopes_of_raw_and_scaled_rows() -> None:
    values = saturation.compute(largest=4, n_keys=3, rows=9, seed=5)
    queries, keys = functions.random_rows(9, 3, 4, 5)
    assert_array_equal(values["d_k"], [1, 2, 4])
    for name, divisor in (("raw", 1), ("scaled", math.sqrt(2))):
        slopes = []
        for query, rows in zip(queries, keys, strict=True):
            weights = functions.softmax(rows[:, :2] @ query[:2] / divisor)
            slopes.append(np.abs(np.diag(weights) - np.outer(weights, weights)).max())
        assert_allclose(values[name][1], np.mean(slopes), rtol=1e-12)
    assert_allclose(values["scaled_per_score"], values["scaled"] / [1, math.sqrt(2), 2])


def test_faint_rows_and_the_winners_own_entry_are_measured_row_by_row() -> None:
    values = saturation.compute(largest=64, n_keys=3, rows=200, seed=5)
    queries, keys = functions.random_rows(200, 3, 64, 5)
    slopes = []
    for query, rows in zip(queries, keys, strict=True):
        winner = functions.softmax(rows @ query).max()
        slopes.append(winner * (1 - winner))
    assert_allclose(values["faint_raw"], np.mean(np.array(slopes) < 0.01))
    assert_allclose(values["last_raw"], np.mean(slopes), rtol=1e-12)
    assert values["from_winners_own"] < 1e-15
