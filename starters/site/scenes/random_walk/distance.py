"""How far from home the coin takes you: the root mean square of the distance after each toss."""

import numpy as np

from scenes.random_walk.places import walk


def compute(tosses: int = 100, heads: float = 0.5) -> dict:
    tossed = np.arange(tosses + 1)
    places = np.arange(-tosses, tosses + 1)
    walked = np.sqrt(walk(tosses, heads) @ places**2)
    quarter = tosses // 4
    return {
        "tossed": tossed,
        "walked": walked,
        "quarter": quarter,
        "after_quarter": walked[quarter],
        "after_all": walked[-1],
    }
