"""Rounding noise: values that differ only by rounding noise are drawn as equal."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scenebook.core.lazy import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Floats = NDArray[np.float64]
else:
    np = lazy("numpy")

NOISE = 8
"""Values are equal if their span is at most this many machine epsilons of their type, times the largest value."""
FINE = sys.float_info.epsilon
"""The machine epsilon of numbers that an author types."""

Extent = tuple[float, float]


def alike(one: float, other: float, epsilon: float) -> bool:
    """Return whether two values are equal apart from rounding noise."""
    return math.isclose(one, other, rel_tol=NOISE * epsilon)


def epsilon(*arrays: Array) -> float:
    """Return the machine epsilon of the coarsest type. It is 0 for integers and truth values, which are exact."""
    types = [array.dtype for array in arrays if array.dtype.kind == "f"]
    return max((max(FINE, float(np.finfo(each).eps)) for each in types), default=0.0)


def finite(data: Array) -> Floats:
    """Return the finite, unmasked elements in one row."""
    flat: Floats = np.ma.compressed(data).astype(float)
    return flat[np.isfinite(flat)]


def extent(*arrays: Array) -> Extent | None:
    """Return the smallest and the largest finite value of all. If they differ only by noise, both are the same."""
    found = [each for each in map(finite, arrays) if each.size]
    if not found:
        return None
    least, greatest = min(float(each.min()) for each in found), max(float(each.max()) for each in found)
    if not alike(least, greatest, epsilon(*arrays)):
        return least, greatest
    level = max(least, greatest, key=abs)
    return level, level


def levels(*arrays: Array) -> list[float | None]:
    """Return the one value as which each array is drawn: that of all arrays, or its own; None if the array varies."""
    together = _level(extent(*arrays))
    return [together if together is not None else _level(extent(array)) for array in arrays]


def evened(*arrays: Array) -> tuple[Floats, ...]:
    """Return arrays on one scale as they are drawn: equal if they differ only by noise, and NaN where not finite."""
    return tuple(_evened(*pair) for pair in zip(map(_floats, arrays), levels(*arrays), strict=True))


def _level(found: Extent | None) -> float | None:
    return found[0] if found and found[0] == found[1] else None


def _floats(array: Array) -> Floats:
    floats: Floats = np.ma.filled(array.astype(float), np.nan)
    return np.where(np.isfinite(floats), floats, np.nan)


def _evened(drawn: Floats, level: float | None) -> Floats:
    return drawn if level is None else np.where(np.isnan(drawn), np.nan, level)


def evened_sums(parts: Iterable[Array]) -> Floats:
    """Return parts (n,) as rows (n, parts), evened and scaled so that sums that differ only by noise are equal."""
    columns = tuple(parts)
    drawn = np.stack(evened(*columns), 1)
    sums = drawn.sum(1)
    least, greatest = float(sums.min()), float(sums.max())
    if greatest > 0 and alike(least, greatest, epsilon(*columns)):
        drawn *= (greatest / sums)[:, None]
    return drawn
