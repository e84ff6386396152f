import numpy as np


def compute(first: int = 10, second: int = 60) -> dict:
    minutes = np.array([[first, 0], [first, second]])
    return {"minutes": minutes, "readers": ["in a hurry", "at ease"], "passes": ["first", "second"], "total": first + second}
