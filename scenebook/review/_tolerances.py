"""Two facts measured against each other: whether they differ, by how much, and where.

Rounding is no change, on one machine or between two:

- two numbers are the same when they differ by at most a millionth (1e-6) of the larger one, for that is what a float32
  keeps, or by at most 1e-12; in an array the millionth is of its largest finite number, as its rounding errors are;
- a number that a text shows has no such least size: 1e-13 that becomes 9e-13 is a change that readers see;
- integers are compared exactly;
- -0.0 is 0.0, NaN is NaN and is what a masked cell holds, an infinity is itself; a type is no value: 3 is 3.0.

Vectors whose sign is free, such as eigenvectors, may come back negated from another machine: that is a change, told as
one of signs only. A scene should fix the sign.
"""

import math
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scenebook.core import number_format

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

RELATIVE = 1e-6
ABSOLUTE = 1e-12
GRID = 32
"""A map of differences has at most so many rows and columns; each of its cells is the largest difference below it."""

_NOT_FINITE = {"NaN": math.nan, "inf": math.inf, "-inf": -math.inf}


@dataclass(frozen=True)
class Large:
    """An array that is too large for facts.json: its summary there, and the file of its numbers."""

    summary: dict[str, Any]
    file: Path = field(repr=False, compare=False)


@dataclass(frozen=True)
class Cells:
    """Where two arrays (or lists of texts) differ.

    With one shape on both sides `differ` cells of them do, most of all the one at `at`, which was `before` and is
    `after`; `grid` maps the differences, from -1 to 1. With two shapes there is nothing more to say.
    """

    shape_before: tuple[int, ...]
    shape_after: tuple[int, ...]
    differ: int = 0
    at: tuple[int, ...] = ()
    before: Any = None
    after: Any = None
    signs_only: bool = False
    grid: tuple[tuple[float, ...], ...] = ()

    @property
    def reshaped(self) -> bool:
        """Whether the two have different shapes, so that no cell has its counterpart."""
        return self.shape_before != self.shape_after

    @property
    def total(self) -> int:
        """How many cells there are now."""
        return math.prod(self.shape_after)


@dataclass(frozen=True)
class Change:
    """What a fact was and is; `cells` tells more where both are arrays."""

    before: Any
    after: Any
    cells: Cells | None = None


def change(before: Any, after: Any, *, shown: bool = False) -> Change | None:
    """What differs between two facts (JSON data or `Large`), which a text may show; None where they are the same."""
    if isinstance(before, list | Large) and isinstance(after, list | Large):
        cells = _cells(before, after)
        return Change(None, None, cells) if cells else None
    return None if same(before, after, shown=shown) else Change(before, after)


def same(before: Any, after: Any, *, shown: bool = False) -> bool:
    """Whether two scalar facts, which a text may show, are the same, rounding aside."""
    first, second = _number(before), _number(after)
    if first is None or second is None:
        return type(before) is type(after) and before == after
    return _close(first, second, 0.0 if shown else ABSOLUTE)


def pair(before: Any, after: Any) -> tuple[str, str]:
    """Two different scalar facts in so many digits, at least four, that one sees that they differ."""
    first, second = _number(before), _number(after)
    if first is None or second is None:
        texts = (_text(before), _text(after))
        return (ascii(before), ascii(after)) if _looks(texts[0]) == _looks(texts[1]) else texts
    for digits in range(4, 18):
        shown = (_shown(first, digits), _shown(second, digits))
        if shown[0] != shown[1]:
            return shown
    return repr(first), repr(second)


def difference(before: Any, after: Any) -> str:
    """The absolute change between two facts, with its sign; empty where they are no finite numbers."""
    first, second = _number(before), _number(after)
    if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
        return ""
    return number_format.show(second - first, "+.3g" if isinstance(second - first, float) else "+d")


def relative(before: Any, after: Any) -> str:
    """The change in per cent of what it was; empty where that says nothing, as for what was 0 or mere rounding."""
    first, second = _number(before), _number(after)
    if first is None or second is None or not (math.isfinite(first) and math.isfinite(second)):
        return ""
    if first == 0 or abs(first) <= ABSOLUTE < abs(second):
        return ""
    return f"{number_format.show(100 * ((second - first) / abs(first)), '+.3g')} %"


def is_array(fact: Any) -> bool:
    """Whether a fact is an array or a list of texts."""
    return isinstance(fact, list | Large)


def shape(fact: Any) -> tuple[int, ...]:
    """The shape of an array's fact."""
    if isinstance(fact, Large):
        return tuple(fact.summary.get("shape", ()))
    return (len(fact), *shape(fact[0])) if fact and isinstance(fact[0], list) else (len(fact),)


def _number(fact: Any) -> float | int | None:
    """A scalar fact as a number, if it is one; a truth value is 0 or 1."""
    if fact is None or (isinstance(fact, str) and fact in _NOT_FINITE):
        return _NOT_FINITE[fact or "NaN"]
    return fact if isinstance(fact, int | float) else None


def _close(first: float, second: float, least: float) -> bool:
    if first == second or (first != first and second != second):
        return True
    if isinstance(first, int) and isinstance(second, int):
        return False
    return math.isclose(first, second, rel_tol=RELATIVE, abs_tol=least)


def _shown(value: float, digits: int) -> str:
    return number_format.show(value, f".{digits}g" if isinstance(value, float) else "")


def _text(fact: Any) -> str:
    return fact if isinstance(fact, str) else number_format.show(fact) if isinstance(fact, int | float) else str(fact)


def _looks(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _cells(before: list[Any] | Large, after: list[Any] | Large) -> Cells | None:
    if _identical(before, after):
        return None
    shapes = shape(before), shape(after)
    if shapes[0] != shapes[1]:
        return Cells(*shapes)
    first, second = _array(before), _array(after)
    if first is None or second is None or first.shape != second.shape:
        return _texts(before, after)
    return _numbers(first, second)


def _identical(before: list[Any] | Large, after: list[Any] | Large) -> bool:
    if not isinstance(before, Large) or not isinstance(after, Large):
        return before == after
    try:
        return before == after and before.file.read_bytes() == after.file.read_bytes()
    except OSError:
        return False


def _array(fact: list[Any] | Large) -> "Array | None":
    """The numbers of an array's fact; None for a list of texts and where the file of a large one cannot be read."""
    import numpy as np

    try:
        return np.load(fact.file, allow_pickle=False) if isinstance(fact, Large) else _from_lists(fact)
    except (OSError, ValueError):
        return None


def _from_lists(nested: list[Any]) -> "Array":
    import numpy as np

    found = np.array(nested)
    if found.dtype.kind not in "biuf":
        found = np.array([_float(item) for item in np.array(nested, dtype=object).ravel()]).reshape(found.shape)
    return found


def _float(item: Any) -> float:
    if (found := _number(item)) is None:
        raise ValueError(item)
    return float(found)


def _texts(before: list[Any] | Large, after: list[Any] | Large) -> Cells | None:
    """Lists of texts, and large arrays of which only the summaries are there, item by item."""
    first, second = _items(before), _items(after)
    differ = [index for index, (old, new) in enumerate(zip(first, second, strict=False)) if not same(old, new)]
    if not differ:
        return None
    return Cells(shape(before), shape(after), len(differ), (differ[0],), first[differ[0]], second[differ[0]])


def _items(fact: list[Any] | Large) -> list[Any]:
    return [fact.summary.get(name) for name in ("min", "max", "mean", "std")] if isinstance(fact, Large) else fact


def _numbers(before: "Array", after: "Array") -> Cells | None:
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
    return Cells(
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
    """A map of the differences, scaled to the largest finite one."""
    import numpy as np

    flat = gap.reshape(-1, gap.shape[-1])
    largest = _largest(flat)
    scaled = np.clip(flat / (largest or 1.0), -1, 1)
    rows, columns = (np.array_split(np.arange(size), min(size, GRID)) for size in scaled.shape)
    return tuple(tuple(_extreme(scaled[row][:, column]) for column in columns) for row in rows)


def _extreme(block: "Array") -> float:
    import numpy as np

    return round(float(block.flat[int(np.abs(block).argmax())]), 3)
