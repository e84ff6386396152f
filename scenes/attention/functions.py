"""What the scenes share: softmax, its Jacobian, entropy, attention and the sinusoidal positional encoding."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Values = dict[str, Any]


def softmax(scores: Array) -> Array:
    """Positive weights that sum to 1 along the last axis. The shift by the maximum cancels and keeps exp finite."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights: Array = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights


def softmax_jacobian(weights: Array) -> Array:
    """The derivative of softmax with respect to its own input, diag(p) - p pᵀ: (..., n) weights to (..., n, n)."""
    return weights[..., :, None] * (np.eye(weights.shape[-1]) - weights[..., None, :])


def largest_slope(weights: Array) -> Array:
    """The largest entry, by magnitude, of each row's softmax Jacobian: (..., n) weights to (...)."""
    slopes: Array = np.abs(softmax_jacobian(weights)).max(axis=(-2, -1))
    return slopes


def entropy(weights: Array) -> Array:
    """Shannon entropy along the last axis, in bits: 0 for a one-hot row, log2(n) for n equal weights."""
    logarithms = np.log2(weights, where=weights > 0, out=np.zeros_like(weights))
    bits: Array = np.abs((weights * logarithms).sum(axis=-1))
    return bits


def attention(queries: Array, keys: Array, values: Array) -> Array:
    """Scaled dot-product attention over the last two axes: (..., n, d_k) twice and (..., n, d_v) to (..., n, d_v)."""
    scores = queries @ np.swapaxes(keys, -1, -2)
    return softmax(scores / np.sqrt(queries.shape[-1])) @ values


def random_rows(rows: int, n_keys: int, d_k: int, seed: int) -> tuple[Array, Array]:
    """Queries (rows, d_k), each with keys of its own (rows, n_keys, d_k): normal entries, mean 0 and variance 1."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((rows, d_k)), rng.standard_normal((rows, n_keys, d_k))


def scores_of_rows(queries: Array, keys: Array) -> Array:
    """Dot products of each query (rows, d_k) with its own keys (rows, n_keys, d_k): (rows, n_keys)."""
    scores: Array = (keys @ queries[..., None])[..., 0]
    return scores


def frequencies(d_model: int, base: float = 10_000) -> Array:
    """Radians per position of each of the d_model / 2 pairs of columns, from 1 down towards 1 / base."""
    return base ** (-np.arange(0, d_model, 2) / d_model)


def positional_encoding(positions: NDArray[np.int64], d_model: int, base: float = 10_000) -> Array:
    """Sines in the even columns, cosines in the odd ones: (n,) positions to (n, d_model)."""
    angles = positions[:, None] * frequencies(d_model, base)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), d_model)
