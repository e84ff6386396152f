"""Moving on by k positions turns each pair of the encoding by a fixed angle, so a head can look k positions back."""

import numpy as np

from scenes.attention.functions import Array, Values, frequencies, positional_encoding, softmax


def compute(n_positions: int = 16, d_model: int = 16, distance: int = 3, sharpness: float = 32) -> Values:
    """A head, built by hand, that looks `distance` back; one for each distance; and how exact the turns are."""
    encoding = positional_encoding(np.arange(n_positions), d_model)
    weights = look_back(encoding, distance, sharpness)
    blunt = look_back(encoding, distance, 1)
    distances = range(n_positions)
    lengths = np.linalg.norm(encoding, axis=1)
    return {
        "weights": weights,
        "positions": np.arange(n_positions),
        "least_weight": np.diagonal(weights, -distance).min(),
        "least_weight_blunt": np.diagonal(blunt, -distance).min(),
        "first_looks_for": -distance,
        "first_looks_at": weights[0].argmax(),
        "look_ups": sum(n_positions - k for k in distances),
        "hits": sum(hits(look_back(encoding, k, sharpness), k) for k in distances),
        "hits_blunt": sum(hits(look_back(encoding, k, 1), k) for k in distances),
        "hits_of_numbers": sum(hits(look_back_by_number(n_positions, k, sharpness), k) for k in distances),
        "residual": max(residual(encoding, k) for k in distances),
        "spread_of_lengths": np.ptp(lengths),
        "length": lengths[0],
        "tolerance": 1e-12,
    }


def rotation(k: int, d_model: int) -> Array:
    """The (d_model, d_model) matrix that turns the encoding of any position into the one k positions further on."""
    matrix = np.zeros((d_model, d_model))
    for i, angle in enumerate(k * frequencies(d_model)):
        sine, cosine = np.sin(angle), np.cos(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cosine, sine], [-sine, cosine]]
    return matrix


def residual(encoding: Array, k: int) -> float:
    """Largest difference between the turned encoding and the encoding of the positions k further on."""
    n_positions, d_model = encoding.shape
    shifted = positional_encoding(np.arange(n_positions) + k, d_model)
    return float(np.abs(encoding @ rotation(k, d_model).T - shifted).max())


def look_back(encoding: Array, distance: int, sharpness: float) -> Array:
    """Attention weights (..., n, n) of a head that looks `distance` positions back.

    Its keys are the rows of `encoding`, (..., n, d_model). Its queries are these rows, turned back and multiplied by
    `sharpness`.
    """
    d_model = encoding.shape[-1]
    queries = sharpness * encoding @ rotation(-distance, d_model).T
    return softmax(queries @ np.swapaxes(encoding, -1, -2) / np.sqrt(d_model))


def look_back_by_number(n_positions: int, distance: int, sharpness: float) -> Array:
    """The same head with (pos, 1) in place of the encoding. A fixed matrix moves this on, too."""
    encoding = np.stack([np.arange(n_positions), np.ones(n_positions)], axis=1)
    one_step_back = np.array([[1, -1], [0, 1]])
    queries = sharpness * encoding @ np.linalg.matrix_power(one_step_back, distance).T
    return softmax(queries @ encoding.T / np.sqrt(2))


def hits(weights: Array, distance: int) -> int:
    """Of the positions that have one `distance` back, how many attend to it more than to any other."""
    found = np.diagonal(weights, -distance)
    others = weights[distance:].copy()
    np.fill_diagonal(others, 0)
    return int((found > others.max(axis=1)).sum())


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
