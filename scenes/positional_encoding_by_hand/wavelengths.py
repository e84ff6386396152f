"""How long each hand of the encoding takes to come round, against the longest wavelength that the paper names."""

import numpy as np

from scenes.attention import positional_encoding as measured
from scenes.attention.functions import Values, positional_encoding


def compute(d_model: int = 16, base: int = 10_000, points: int = 601) -> Values:
    """The wavelengths by their place in the progression, and the slowest hand over the wavelength of the paper."""
    waves = measured.wavelengths(positional_encoding(np.arange(2), d_model, base))
    named = 2 * np.pi * base
    positions = np.linspace(0, named, points)
    return {
        "hands": len(waves),
        "places": np.arange(0, d_model, 2) / d_model,
        "waves": waves,
        "named_place": np.array([1.0]),
        "named_wave": np.array([named]),
        "positions": positions,
        "slowest": np.cos(2 * np.pi * positions / waves[-1]),
        "shortest": waves[0],
        "longest": waves[-1],
        "named": named,
        "share": waves[-1] / named,
        "rounds": named / waves[-1],
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
