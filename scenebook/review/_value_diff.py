"""Compare two facts (values as facts.json stores them): whether they differ, by how much, and where.

Rounding is not a change, neither on one machine nor between two:

- Two numbers are the same if they differ by at most a millionth (1e-6) of the larger one, the precision of a float32,
  or by at most 1e-12. In an array, it is a millionth of the largest finite number, because rounding errors scale with
  that.
- The limit of 1e-12 does not apply to a number that a text shows: readers see a change from 1e-13 to 9e-13.
- Integers are compared exactly.
- -0.0 equals 0.0, and 3 equals 3.0. NaN equals NaN and a masked cell. An infinity equals itself.

The sign of an eigenvector, for example, is arbitrary and may differ between machines. That is reported as a change "in
sign only"; a scene should fix the sign.
"""

import math
import unicodedata
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core import number_format
from scenebook.review import _alignment as alignment

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RELATIVE = 1e-6
ABSOLUTE = 1e-12
GRID = 32
"""The most rows and columns of a map of differences. Each of its cells shows the largest difference it covers."""

_NOT_FINITE = {"NaN": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True)
class LargeArray:
    """An array that is too large for facts.json: its summary from there, and the file of its numbers."""

    summary: dict[str, Any]
    file: Path = field(repr=False, compare=False)


@dataclass(frozen=True)
class ArrayDifference:
    """How two arrays (or lists of texts) differ.

    If they have the same shape, `differ` is the number of cells that differ, `at` the index of the largest difference,
    `before` and `after` the values there, and `grid` a map of the differences, scaled to -1 to 1. If they could be
    aligned, all this is about the cells that they have in common, `at` is an index after the change, and `added` and
    `removed` say in words what they do not have in common. Otherwise only the shapes are set.
    """

    shape_before: tuple[int, ...]
    shape_after: tuple[int, ...]
    differ: int = 0
    at: tuple[int, ...] = ()
    before: Any = None
    after: Any = None
    signs_only: bool = False
    grid: tuple[tuple[float, ...], ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    common: int = 0

    @property
    def reshaped(self) -> bool:
        """Whether the shapes differ and could not be aligned, so that cells cannot be compared."""
        return self.shape_before != self.shape_after and not self.common

    @property
    def total(self) -> int:
        """The number of cells that were compared."""
        return self.common or math.prod(self.shape_after)


@dataclass(frozen=True)
class Change:
    """A fact before and after. For two arrays, `cells` is set instead."""

    before: Any
    after: Any
    cells: ArrayDifference | None = None


def change(
    before: Any, after: Any, *, shown: bool = False, labels: tuple[alignment.Values, alignment.Values] = ({}, {})
) -> Change | None:
    """Return the difference between two facts (JSON data or `LargeArray`); None if they are the same.

    `shown` says whether a text shows the value. `labels` are values that may label arrays, before and after.
    """
    if isinstance(before, list | LargeArray) and isinstance(after, list | LargeArray):
        cells = _compare_arrays(before, after, labels)
        return Change(None, None, cells) if cells else None
    return None if same(before, after, shown=shown) else Change(before, after)


def same(before: Any, after: Any, *, shown: bool = False) -> bool:
    """Return whether two scalar facts are the same apart from rounding; `shown` says whether a text shows them."""
    first, second = _number(before), _number(after)
    if first is None or second is None:
        return type(before) is type(after) and before == after
    return _close(first, second, 0.0 if shown else ABSOLUTE)


def pair(before: Any, after: Any) -> tuple[str, str]:
    """Return two different scalar facts as text, with at least four digits and enough to tell them apart."""
    first, second = _number(before), _number(after)
    if first is None or second is None:
        texts = (_text(before), _text(after))
        return (ascii(before), ascii(after)) if _appearance(texts[0]) == _appearance(texts[1]) else texts
    for digits in range(4, 18):
        texts = (_with_digits(first, digits), _with_digits(second, digits))
        if texts[0] != texts[1]:
            return texts
    return repr(first), repr(second)


def difference(before: Any, after: Any) -> str:
    """Return the change from one fact to the other, with its sign; empty unless both are finite numbers."""
    first, second = _number(before), _number(after)
    if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
        return ""
    return number_format.show(second - first, "+.3g" if isinstance(second - first, float) else "+d")


def relative(before: Any, after: Any) -> str:
    """Return the change in per cent of the first fact; empty if that is meaningless, as when the first is about 0."""
    first, second = _number(before), _number(after)
    if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
        return ""
    if first == 0 or abs(first) <= ABSOLUTE < abs(second):
        return ""
    return f"{number_format.show(100 * ((second - first) / abs(first)), '+.3g')} %"


def is_array(fact: Any) -> bool:
    """Return whether a fact is an array or a list of texts."""
    return isinstance(fact, list | LargeArray)


def shape(fact: Any) -> tuple[int, ...]:
    """Return the shape of an array."""
    if isinstance(fact, LargeArray):
        return tuple(fact.summary.get("shape", ()))
    return (len(fact), *shape(fact[0])) if fact and isinstance(fact[0], list) else (len(fact),)


def _number(fact: Any) -> float | int | None:
    """Return a scalar fact as a number; None if it is not one. A truth value is 0 or 1."""
    if fact is None or (isinstance(fact, str) and fact in _NOT_FINITE):
        return _NOT_FINITE[fact or "NaN"]
    return fact if isinstance(fact, int | float) else None


def _close(first: float, second: float, absolute: float) -> bool:
    if first == second or (first != first and second != second):
        return True
    if isinstance(first, int) and isinstance(second, int):
        return False
    return math.isclose(first, second, rel_tol=RELATIVE, abs_tol=absolute)


def _with_digits(value: float, digits: int) -> str:
    return number_format.show(value, f".{digits}g" if isinstance(value, float) else "")


def _text(fact: Any) -> str:
    return fact if isinstance(fact, str) else number_format.show(fact) if isinstance(fact, int | float) else str(fact)


def _appearance(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _compare_arrays(
    before: list[Any] | LargeArray, after: list[Any] | LargeArray, labels: tuple[alignment.Values, alignment.Values]
) -> ArrayDifference | None:
    if identical(before, after):
        return None
    shapes = shape(before), shape(after)
    if shapes[0] != shapes[1]:
        return _compare_aligned(before, after, labels) or ArrayDifference(*shapes)
    first, second = _array(before), _array(after)
    if first is None or second is None or first.shape != second.shape:
        return _compare_items(before, after)
    return _compare_numbers(first, second)


def _compare_aligned(
    before: list[Any] | LargeArray, after: list[Any] | LargeArray, labels: tuple[alignment.Values, alignment.Values]
) -> ArrayDifference | None:
    """Compare two arrays of different shapes in what they have in common; None if that is too little."""
    import numpy as np

    first, second = (_array(fact) if _array(fact) is not None else _texts(fact) for fact in (before, after))
    if first is None or second is None:
        return None
    found = alignment.align(first, second, labels)
    if found is None:
        return None
    both = first[np.ix_(*found.before)], second[np.ix_(*found.after)]
    cells = _compare_numbers(*both) if first.dtype.kind != "O" and second.dtype.kind != "O" else None
    at = tuple(found.after[axis][place] for axis, place in enumerate(cells.at)) if cells else ()
    shapes = shape(before), shape(after)
    known = cells or ArrayDifference(*shapes)
    return replace(
        known,
        shape_before=shapes[0],
        shape_after=shapes[1],
        at=at,
        added=found.added,
        removed=found.removed,
        common=both[1].size,
    )


def identical(before: Any, after: Any) -> bool:
    """Return whether two facts are the same to the last digit."""
    if not isinstance(before, LargeArray) or not isinstance(after, LargeArray):
        return bool(before == after)
    try:
        return before == after and before.file.read_bytes() == after.file.read_bytes()
    except OSError:
        return False


def _array(fact: list[Any] | LargeArray) -> "Array | None":
    """Return an array's numbers; None for a list of texts, or if the file of a large array cannot be read."""
    import numpy as np

    try:
        return np.load(fact.file, allow_pickle=False) if isinstance(fact, LargeArray) else _from_lists(fact)
    except (OSError, ValueError):
        return None


def _texts(fact: list[Any] | LargeArray) -> "Array | None":
    """Return a list of texts as an array; None for anything else."""
    import numpy as np

    is_list = isinstance(fact, list) and all(isinstance(item, str) for item in fact)
    return np.array(fact, dtype=object) if is_list else None


def _from_lists(nested: list[Any]) -> "Array":
    import numpy as np

    array = np.array(nested)
    if array.dtype.kind not in "biuf":
        array = np.array([_float(item) for item in np.array(nested, dtype=object).ravel()]).reshape(array.shape)
    return array


def _float(item: Any) -> float:
    if (number := _number(item)) is None:
        raise ValueError(item)
    return float(number)


def _compare_items(before: list[Any] | LargeArray, after: list[Any] | LargeArray) -> ArrayDifference | None:
    """Compare lists of texts, or the summaries of large arrays whose files are missing, item by item."""
    first, second = _items(before), _items(after)
    differ = [index for index, (old, new) in enumerate(zip(first, second, strict=False)) if not same(old, new)]
    if not differ:
        return None
    return ArrayDifference(shape(before), shape(after), len(differ), (differ[0],), first[differ[0]], second[differ[0]])


def _items(fact: list[Any] | LargeArray) -> list[Any]:
    return [fact.summary.get(name) for name in ("min", "max", "mean", "std")] if isinstance(fact, LargeArray) else fact


def _compare_numbers(before: "Array", after: "Array") -> ArrayDifference | None:
    import numpy as np

    exact = before.dtype.kind in "biu" and after.dtype.kind in "biu"
    first, second = (array if exact and array.dtype.kind != "b" else array.astype(float) for array in (before, after))
    tolerance = 0 if exact else max(ABSOLUTE, RELATIVE * max(_largest(first), _largest(second)))
    differ = ~_near(first, second, tolerance)
    if not differ.any():
        return None
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.where(differ, second.astype(float) - first.astype(float), 0.0)
    finite = np.nan_to_num(gap, nan=np.inf, posinf=np.inf, neginf=-np.inf)
    at = np.unravel_index(int(np.abs(finite).argmax()), gap.shape)
    return ArrayDifference(
        shape_before=before.shape,
        shape_after=after.shape,
        differ=int(differ.sum()),
        at=tuple(map(int, at)),
        before=before[at].item(),
        after=after[at].item(),
        signs_only=bool(_near(np.abs(first), np.abs(second), tolerance).all()),
        grid=_grid(finite),
    )


def _largest(array: "Array") -> float:
    import numpy as np

    finite = np.abs(array[np.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def _near(first: "Array", second: "Array", tolerance: float) -> "Array":
    import numpy as np

    with np.errstate(invalid="ignore", over="ignore"):
        close = np.abs(first - second) <= tolerance
    result: Array = close | (first == second) | (np.isnan(first) & np.isnan(second))
    return result


def _grid(gap: "Array") -> tuple[tuple[float, ...], ...]:
    """Return a map of the differences, scaled to the largest finite one."""
    import numpy as np

    flat = gap.reshape(-1, gap.shape[-1])
    largest = _largest(flat)
    scaled = np.clip(flat / (largest or 1.0), -1, 1)
    rows, columns = (np.array_split(np.arange(size), min(size, GRID)) for size in scaled.shape)
    return tuple(tuple(_extreme(scaled[row][:, column]) for column in columns) for row in rows)


def _extreme(block: "Array") -> float:
    import numpy as np

    return round(float(block.flat[int(np.abs(block).argmax())]), 3)
