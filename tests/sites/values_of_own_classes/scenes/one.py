from enum import Enum, IntEnum, StrEnum

import numpy as np


class Size(IntEnum):
    LARGE = 3


class Name(StrEnum):
    X = "x"
    KEY = "key"


class Old(str, Enum):
    OLD = "old"


class Real(float):
    def __float__(self):
        return 7.0


class Words(list):
    pass


class Grid(np.ndarray):
    pass


class Table(dict):
    pass


class Q:
    pass


def f():
    pass


def compute(size=Size.LARGE, name=Name.X, g=f, q=Q(), kind=Q, h=lambda z: z, rows=Words([{Name.X: Real(0.5)}])):
    grid = np.arange(6.0).reshape(2, 3).view(Grid)
    return Table(
        {
            Name.KEY: Real(0.5),
            "old": Old.OLD,
            "words": Words([Name.X, "y"]),
            "sizes": [Size.LARGE, Size.LARGE],
            "large": Size.LARGE,
            "grid": grid,
            "masked": np.ma.masked_equal(grid, 3.0),
        }
    )
