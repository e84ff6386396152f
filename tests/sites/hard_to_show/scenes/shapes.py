import numpy as np


def compute(rows: int = 4) -> dict:
    grid = np.arange(rows * 5).reshape(rows, 5) - 7.0
    holes = grid.copy()
    holes[1, 2], holes[2, 0] = np.nan, np.inf
    return {
        "count": grid.size if rows == 4 else 20,
        "grid": grid,
        "holes": holes,
        "large": np.linspace(-1, 1, 900).reshape(30, 30),
        "truth": grid > 0,
        "x": np.arange(9),
        "up": np.arange(9),
        "down": np.arange(9)[::-1],
    }
