"""The sinusoidal encoding of the first positions, and the wavelengths of its columns."""

import numpy as np

from scenes.attention.functions import Array, Values, frequencies, positional_encoding


def compute(n_positions: int = 16, d_model: int = 16, d_model_of_paper: int = 512, base: int = 10_000) -> Values:
    """The encoding as positions by d_model; wavelengths in positions."""
    positions = np.arange(n_positions)
    encoding = positional_encoding(positions, d_model, base)
    wavelengths = 2 * np.pi / frequencies(d_model, base)
    slowest = frequencies(d_model, base)[-1]
    return {
        "encoding": encoding,
        "positions": positions,
        "columns": np.arange(d_model),
        "pairs": d_model // 2,
        "wavelengths": wavelengths,
        "ratios": wavelengths[1:] / wavelengths[:-1],
        "shortest": wavelengths[0],
        "growth": base ** (2 / d_model),
        "longest_turns": 1 / slowest,
        "longest": wavelengths[-1],
        "longest_turns_of_paper": 1 / frequencies(d_model_of_paper, base)[-1],
        "limit": 2 * np.pi * base,
        "nearest": nearest(encoding),
        "slowest_angle": np.degrees((n_positions - 1) * slowest),
    }


def nearest(encoding: Array) -> float:
    """The least distance between the encodings of two positions."""
    gaps = np.linalg.norm(encoding[:, None] - encoding, axis=-1)
    return float(gaps[np.triu_indices(len(encoding), 1)].min())


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
