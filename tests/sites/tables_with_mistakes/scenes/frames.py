"""Stands in for pandas, which is recognised by the names of its classes."""

import numpy as np


class RangeIndex:
    start, step = 0, 1

    def __len__(self):
        return 2


class Series:
    __module__ = "pandas"

    def __init__(self, items, dtype=None):
        self.items, self.index = items, RangeIndex()
        self.dtype = dtype or np.asarray(items).dtype

    def __len__(self):
        return len(self.items)

    def isna(self):
        return np.array([item is None for item in self.items])

    def tolist(self):
        return list(self.items)

    def to_numpy(self, dtype):
        return np.asarray(self.items, dtype=dtype)


class DataFrame:
    __module__ = "pandas"

    def __init__(self, columns):
        self.columns, self.index, self.iloc = list(columns), RangeIndex(), self
        self.series = [Series(items) for items in columns.values()]

    def __getitem__(self, place):
        return self.series[place[1]]

    def __len__(self):
        return 2
