import numpy as np


def compute(size: int = 5) -> dict:
    swapped = np.eye(size)[::-1] - 0.5 * np.eye(size)
    return {"swapped": swapped, "places": [f"place {n}" for n in range(size)], "least": swapped.min()}
