"""The shared formulas agree with loops, finite differences and complex exponentials."""

import itertools
import math
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention import functions


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def test_softmax_equals_a_loop_and_copes_with_large_scores() -> None:
    scores = _random(3, 5)
    expected = [[math.exp(s) / sum(math.exp(t) for t in row) for s in row] for row in scores]
    assert_allclose(functions.softmax(scores), expected, rtol=1e-14)
    assert_allclose(
        functions.softmax(np.array([1000.0, 999.0])), [1 / (1 + math.exp(-1)), 1 / (1 + math.e)], rtol=1e-14
    )


def test_entropy_equals_values_worked_out_by_hand() -> None:
    rows = np.array([[1 / 2, 1 / 4, 1 / 8, 1 / 8], [1 / 4, 1 / 4, 1 / 4, 1 / 4], [1, 0, 0, 0]])
    bits = functions.entropy(rows)
    assert_allclose(bits, [7 / 4, 2, 0], atol=1e-15)
    assert not np.signbit(bits).any()


def test_softmax_jacobian_equals_finite_differences() -> None:
    scores, step = _random(5), 1e-6
    differences = [
        (functions.softmax(scores + step * unit) - functions.softmax(scores - step * unit)) / (2 * step)
        for unit in np.eye(5)
    ]
    jacobian = functions.softmax_jacobian(functions.softmax(scores))
    assert_allclose(jacobian, np.transpose(differences), atol=1e-9)


def test_the_largest_slope_is_the_winners_and_nearly_vanishes_when_it_takes_all() -> None:
    weights = np.array([[0.5, 0.25, 0.25], [0.999, 0.001, 0]])
    assert_allclose(functions.largest_slope(weights), [0.25, 0.999 * 0.001], rtol=1e-12)


def test_attention_equals_a_loop_over_queries_and_keys() -> None:
    (queries, keys), values = _random(2, 4, 6), _random(4, 3)
    for query, output in zip(queries, functions.attention(queries, keys, values), strict=True):
        weights = [math.exp(sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(6)) for key in keys]
        mixed = sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
        assert_allclose(output, mixed, rtol=1e-12)


def test_positional_encoding_equals_complex_exponentials() -> None:
    encoding = functions.positional_encoding(np.arange(20), 12)
    for position, pair in itertools.product(range(20), range(6)):
        turned = np.exp(1j * position / 10000 ** (2 * pair / 12))
        assert_allclose(encoding[position, 2 * pair : 2 * pair + 2], [turned.imag, turned.real], atol=1e-14)
