"""The chance of each place after each toss of a coin that moves you one step left or right."""

import numpy as np


def compute(tosses: int = 6) -> dict:
    chances = walk(tosses, heads=0.5)
    last = chances[-1]
    return {
        "chances": chances,
        "rows": [str(n) for n in range(tosses + 1)],
        "places": [str(place) for place in range(-tosses, tosses + 1)],
        "home": last[tosses],
        "end": last[-1],
        "elsewhere": np.delete(last, tosses).max(),
    }


def walk(tosses: int, heads: float) -> np.ndarray:
    """The chances after 0, 1, 2, ... tosses, one row each. The column in the middle is home."""
    chances = np.zeros((tosses + 1, 2 * tosses + 1))
    chances[0, tosses] = 1
    for n in range(tosses):
        chances[n + 1, 1:] += heads * chances[n, :-1]  # one step to the right
        chances[n + 1, :-1] += (1 - heads) * chances[n, 1:]  # one step to the left
    return chances
