"""The types of the values that a scene can compute: numbers, texts, lists of texts and arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Scalar = bool | int | float | str
    Value = Scalar | tuple[str, ...] | np.ndarray[Any, np.dtype[Any]]
    Values = Mapping[str, Value]
