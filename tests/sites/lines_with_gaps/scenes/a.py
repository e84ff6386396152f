import numpy as np


def compute():
    return {
        "x": np.arange(4.0),
        "broken": np.array([1, np.nan, np.inf, 3]),
        "nothing": np.full(4, np.nan),
        "hidden": np.ma.masked_all(4),
        "gap": np.ma.masked_equal([1, 2, 3, 4], 3),
        "whole": np.arange(4.0),
        "many": np.ones((2, 9)),
        **{f"line{number}": np.arange(4.0) + number for number in range(9)},
    }
