import numpy as np


def compute():
    return {
        "m": np.eye(3),
        "v": np.arange(1.0, 4),
        "parts": np.ones((2, 3)),
        "truth": np.eye(3, dtype=bool),
        "names": ["x", "y", "z"],
        "some": np.ma.masked_array([1, 2, 3], [False, True, False]),
    }


def draw(figure, values):
    figure.subplots().plot(values["v"])
