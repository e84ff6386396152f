"""Gradients agree with finite differences, and the summary of many rows is right."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from scenes.attention import functions, query_gradient


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def _gradient_length(query: Any, keys: Any, step: float = 1e-6) -> float:
    winner = (keys @ query).argmax()
    moves = step * np.eye(len(query))
    ahead, behind = ([functions.softmax(keys @ (query + sign * move))[winner] for move in moves] for sign in (1, -1))
    return float(np.linalg.norm(np.subtract(ahead, behind)) / (2 * step))


@pytest.mark.parametrize("divisor", [1, 2.5])
def test_the_gradient_at_the_query_equals_finite_differences(divisor: float) -> None:
    queries, keys = _random(3, 6), _random(3, 4, 6)
    lengths = query_gradient.gradient_lengths(queries, keys, divisor)
    expected = [_gradient_length(query, rows / divisor) for query, rows in zip(queries, keys, strict=True)]
    assert_allclose(lengths, expected, rtol=1e-7)


def test_the_figure_shows_means_and_medians_of_the_gradients_of_raw_and_scaled_rows() -> None:
    values = query_gradient.compute(largest=4, n_keys=3, rows=9, seed=5)
    queries, keys = functions.random_rows(9, 3, 4, 5)
    for name, divisor in (("raw", 1), ("scaled", 2)):
        lengths = [_gradient_length(query, rows / divisor) for query, rows in zip(queries, keys, strict=True)]
        assert_allclose(values[f"median_{name}"][-1], np.median(lengths), rtol=1e-7)
        assert_allclose(values[f"mean_{name}"][-1], np.mean(lengths), rtol=1e-7)
        assert_allclose(values[f"last_mean_{name}"], np.mean(lengths), rtol=1e-7)


def test_the_steepest_fifth_and_the_faint_rows_are_counted() -> None:
    lengths = np.tile([3, 0.001, 0.5, 0.002, 0.25, 5, 0.125, 0.125, 0.5, 0.5], 2)
    found = query_gradient.at_largest(lengths, "raw")
    assert_allclose(found["steepest_fifth_raw"], 8 / 10.003)
    assert found["faint_raw"] == 0.2


def test_a_lead_is_the_best_score_minus_the_second_best() -> None:
    keys = np.array([[[1.0, 0], [4, 1], [0, 2]]])
    assert_allclose(query_gradient.lead(np.array([[2.0, 1]]), keys), [9 - 2])
