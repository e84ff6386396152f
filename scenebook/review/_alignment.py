"""Align two arrays of different shapes, so that an added row is an added row and not another array.

Rows are the same if they have the same label. Labels are a list of the same scene that is as long as the array, on both
sides: distinct texts or else rising or falling numbers, such as the places of the points of a line. Without labels, the
longest common subsequence decides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

ENOUGH = 0.5
"""Arrays are aligned if they have more than this part of the shorter one in common, along each axis."""
LONGEST = 2000
"""Longer axes are not aligned, because that would take long."""
MANY = 250_000
"""For more pairs than these, a quick method finds a common subsequence that may not be the longest."""
DIGITS = 6
NOUNS = {1: ("item",), 2: ("row", "column")}

Values = Mapping[str, Any]
Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Alignment:
    """What two arrays have in common, as places along each axis, and what was added and removed, in words."""

    before: tuple[tuple[int, ...], ...]
    after: tuple[tuple[int, ...], ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]


class _Axis(NamedTuple):
    """What two arrays have in common along an axis, and the labels on both sides, if there are any."""

    common: Pairs
    labels: tuple[Sequence[Any], Sequence[Any]] | None = None


def align(before: "Array", after: "Array", values: tuple[Values, Values]) -> Alignment | None:
    """Align two arrays of numbers or texts. `values` are the other values of their scene, before and after."""
    if before.ndim != after.ndim or before.ndim == 0 or max((*before.shape, *after.shape)) > LONGEST:
        return None
    sizes = list(zip(before.shape, after.shape, strict=True))
    axes = {axis: found for axis, pair in enumerate(sizes) if (found := _known(pair, values))}
    unknown = [axis for axis in range(before.ndim) if axis not in axes]
    if len(unknown) > 1:
        return None
    for axis in unknown:
        found = _by_content(*(_keys(array, axis, axes, side) for side, array in enumerate((before, after))))
        if found is None:
            return None
        axes[axis] = found
    common = [tuple(tuple(pair[side] for pair in axes[axis].common) for axis in sorted(axes)) for side in (0, 1)]
    left = [tuple(_left(array.shape, common[side], axes, side)) for side, array in enumerate((before, after))]
    return Alignment(common[0], common[1], added=left[1], removed=left[0])


def _known(sizes: tuple[int, int], values: tuple[Values, Values]) -> _Axis | None:
    """Return an axis of the same length on both sides, or with labels; None for any other."""
    if sizes[0] == sizes[1]:
        return _Axis([(place, place) for place in range(sizes[0])])
    labels = _labels(sizes, values)
    return _Axis(_common(*labels), labels) if labels else None


def _by_content(before: Sequence[Any], after: Sequence[Any]) -> _Axis | None:
    """Return an axis aligned by what is along it; None if too little of that is the same on both sides."""
    if len(_common(before, after)) <= ENOUGH * min(len(before), len(after)):
        return None
    if any(isinstance(item, str) for item in before):
        return _Axis(_common(before, after), (before, after))
    return _Axis(_changed(before, after))


def _labels(sizes: tuple[int, int], values: tuple[Values, Values]) -> tuple[Sequence[Any], Sequence[Any]] | None:
    """Return the labels of an axis before and after: those with the most in common, texts rather than numbers."""
    names = [name for name in values[1] if name in values[0]]
    for kind in (_are_texts, _are_in_order):
        found = [(values[0][name], values[1][name]) for name in names]
        fitting = [pair for pair in found if all(kind(side, size) for side, size in zip(pair, sizes, strict=True))]
        best = max(fitting, key=lambda pair: len(_common(*pair)), default=None)
        if best and len(_common(*best)) > ENOUGH * min(sizes):
            return best
    return None


def _are_texts(value: Any, size: int) -> bool:
    is_list = isinstance(value, list) and len(value) == size
    return is_list and all(isinstance(item, str) for item in value) and len(set(value)) == size


def _are_in_order(value: Any, size: int) -> bool:
    if not isinstance(value, list) or len(value) != size or size < 2:
        return False
    if not all(isinstance(item, int | float) for item in value):
        return False
    return all(one < other for one, other in pairwise(value)) or all(one > other for one, other in pairwise(value))


def _common(before: Sequence[Any], after: Sequence[Any]) -> Pairs:
    """Return the places of the longest common subsequence; of long lists, those of a common one that is long."""
    old, new = ([_key(item) for item in side] for side in (before, after))
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    ends = zip(reversed(old[head:]), reversed(new[head:]), strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], ends))
    middle = old[head : len(old) - tail], new[head : len(new) - tail]
    find = _longest if len(middle[0]) * len(middle[1]) <= MANY else _long
    pairs = [(head + left, head + right) for left, right in find(*middle)]
    last = ((len(old) - place, len(new) - place) for place in range(tail, 0, -1))
    return [*((place, place) for place in range(head)), *pairs, *last]


def _longest(old: Sequence[Any], new: Sequence[Any]) -> Pairs:
    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for left in reversed(range(len(old))):
        for right in reversed(range(len(new))):
            below = lengths[left + 1][right + 1] + 1 if old[left] == new[right] else 0
            lengths[left][right] = max(below, lengths[left + 1][right], lengths[left][right + 1])
    pairs: Pairs = []
    left = right = 0
    while left < len(old) and right < len(new):
        if old[left] == new[right]:
            pairs.append((left, right))
            left, right = left + 1, right + 1
        elif lengths[left + 1][right] >= lengths[left][right + 1]:
            left += 1
        else:
            right += 1
    return pairs


def _long(old: Sequence[Any], new: Sequence[Any]) -> Pairs:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]


def _changed(before: Sequence[Any], after: Sequence[Any]) -> Pairs:
    """Return the places of the longest common subsequence, and between them those where as many others stand."""
    pairs: Pairs = []
    start = first = 0
    for end, last in (*_common(before, after), (len(before), len(after))):
        if end - start == last - first:
            pairs += zip(range(start, end), range(first, last), strict=True)
        pairs += [(end, last)] if end < len(before) and last < len(after) else []
        start, first = end + 1, last + 1
    return pairs


def _key(item: Any) -> Any:
    """Return what two items have in common if they are the same: of a float, its first digits."""
    return float(f"{item:.{DIGITS}g}") if isinstance(item, float) else item


def _keys(array: "Array", axis: int, axes: Mapping[int, _Axis], side: int) -> list[Any]:
    """Return a key for each slice along an axis, from what both sides have in common along the other axes."""
    for other, found in axes.items():
        array = array.take([pair[side] for pair in found.common], axis=other)
    slices = (array.take(place, axis=axis) for place in range(array.shape[axis]))
    if array.ndim == 1:
        return [_key(item.item() if hasattr(item, "item") else item) for item in slices]
    return [tuple(map(_key, part.ravel().tolist())) for part in slices]


def _left(
    shape: tuple[int, ...], common: Sequence[tuple[int, ...]], axes: Mapping[int, _Axis], side: int
) -> Iterator[str]:
    """Name what one side does not share with the other."""
    nouns = NOUNS.get(len(shape), tuple(f"part of axis {axis}" for axis in range(len(shape))))
    for axis, size in enumerate(shape):
        labels, known = axes[axis].labels, set(common[axis])
        names = (_name(place, labels[side] if labels else None) for place in range(size) if place not in known)
        yield from (f"{nouns[axis]} {name}" for name in names)


def _name(place: int, labels: Sequence[Any] | None) -> str:
    if labels is None:
        return f"[{place}]"
    return f"“{labels[place]}”" if isinstance(labels[place], str) else f"at {labels[place]:.4g}"


def in_words(parts: Iterable[str], verb: str, limit: int = 4) -> str:
    """Say what was added or removed; empty if nothing was."""
    names = list(parts)
    more = [f"{len(names) - limit} more"] if len(names) > limit else []
    return f"{', '.join([*names[:limit], *more])} {verb}" if names else ""
