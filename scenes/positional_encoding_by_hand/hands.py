"""The encoding of one position as the hands of a clock, and the position read back from the hands."""

import numpy as np

from scenes.attention.functions import Array, Values, frequencies, positional_encoding
from scenes.positional_encoding_by_hand.functions import dial


def compute(position: int = 10, d_model: int = 16, decimals: int = 2) -> Values:
    """Sine and cosine of each hand; and the position that they tell, rounded to as many decimals as the page prints."""
    here, next_one = positional_encoding(np.array([position, position + 1]), d_model)
    sines, cosines = here[0::2], here[1::2]
    readings = read_clock(sines.round(decimals), cosines.round(decimals), frequencies(d_model))
    dial_sines, dial_cosines = dial()
    hands = np.arange(1, d_model // 2 + 1)
    return {
        "dial_sines": dial_sines,
        "dial_cosines": dial_cosines,
        "dial_sizes": np.zeros(len(dial_sines)),
        "sines": sines[::-1],  # the slowest first, so that no small dot is hidden behind a large one
        "cosines": cosines[::-1],
        "sizes": hands[::-1],
        "row": np.stack([sines, cosines], axis=1),
        "hands": hands,
        "columns": ["sine", "cosine"],
        "count": len(hands),
        "radii": np.hypot(sines, cosines),
        "step": np.linalg.norm(next_one - here),
        "turn_of_first": 360 / (2 * np.pi),
        "by_slowest": readings[0],
        "by_half": readings[len(hands) // 2 - 1],
        "by_all": readings[-1],
        "tolerance": 1e-12,
    }


def read_clock(sines: Array, cosines: Array, speeds: Array) -> Array:
    """The position as told by the slowest hand, by the two slowest, and so on, as one reads hours before minutes.

    Each faster hand says it more finely, but not how often it has come round: that is what the slower ones know. The
    slowest has made less than half a turn.
    """
    readings = [0.0]
    for angle, speed in zip(np.arctan2(sines, cosines)[::-1], speeds[::-1], strict=True):
        rounds = np.round((readings[-1] * speed - angle) / (2 * np.pi))
        readings.append((angle + 2 * np.pi * rounds) / speed)
    return np.array(readings[1:])


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
