"""The sinusoidal encoding of the first positions, and the wavelengths of its columns."""

import numpy as np

from scenes.attention.functions import Array, Values, positional_encoding


def compute(n_positions: int = 16, d_model: int = 16, d_model_of_paper: int = 512, base: int = 10_000) -> Values:
    """The encoding, positions by d_model, and its wavelengths, in positions and as multiples of 2 pi."""
    positions = np.arange(n_positions)
    encoding = positional_encoding(positions, d_model, base)
    waves = wavelengths(encoding)
    longest_of_paper = wavelengths(positional_encoding(positions, d_model_of_paper, base))[-1]
    ratios = waves[1:] / waves[:-1]
    return {
        "encoding": encoding,
        "positions": positions,
        "columns": np.arange(d_model),
        "pairs": d_model // 2,
        "shortest": waves[0],
        "growth": ratios[0],
        "spread_of_growth": np.ptp(ratios),
        "longest": waves[-1],
        "longest_turns": waves[-1] / (2 * np.pi),
        "longest_turns_of_paper": longest_of_paper / (2 * np.pi),
        "nearest": nearest(encoding),
        "slowest_angle": 360 * positions[-1] / waves[-1],
        "tolerance": 1e-9,
    }


def wavelengths(encoding: Array) -> Array:
    """The number of positions in which each pair of columns comes round, measured by how far it turns in one step.

    Takes the encoding of the positions 0, 1, 2 and so on, (n, d_model), and returns (d_model / 2,).
    """
    sines, cosines = encoding[1, 0::2], encoding[1, 1::2]  # at position 0 the angle of every pair is 0
    turns: Array = 2 * np.pi / np.arctan2(sines, cosines)
    return turns


def nearest(encoding: Array) -> float:
    """The smallest distance between the encodings of two positions."""
    gaps = np.linalg.norm(encoding[:, None] - encoding, axis=-1)
    return float(gaps[np.triu_indices(len(encoding), 1)].min())


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
