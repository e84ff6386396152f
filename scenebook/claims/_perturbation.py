"""Values bent in many ways, to see whether a claim over them could fail at all.

Near ones come first: numbers change sign, size and parity, and become what the claim compares them with; truth values,
texts and lists of text become others. Most honest claims fail at one of these. Then come far ones: numbers of any size,
and whatever the claim's own numbers make, in one value, in all alike and in mixtures. Last, a walk drives the two sides
of a comparison towards each other. A tautology survives all of them. A claim is bent in the same ways each time.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, islice
from math import isfinite
from random import Random
from typing import Any, Generic, TypeVar

Name = TypeVar("Name")
Way = Callable[[Any], Any]
Bent = dict[Name, Any]

MARKS, TEXTS = 8, 20
"""So many numbers of a claim are combined with each other, and so many texts take each other's places."""
TURNS, MIXTURES = 1500, 500
"""So many far ways are tried at most, but no more than `LEAST` of them where arrays have too many `ELEMENTS`."""
LEAST, ELEMENTS = 40, 20_000_000
LADDER = tuple(Fraction(10) ** power for power in (-300, -100, -30, -12, -9, -6, -3, 3, 6, 9, 12, 15, 18, 30, 100, 300))
SMALL = (0, Fraction(1, 2), 1, 2, 3, 4, 5, 7, 10)
STEPS = tuple(2.0**power for power in range(40, -40, -2))
"""The steps of the descent, as parts of a value."""
DEEP = 8
"""The descent is for so many numbers at most."""


@dataclass(frozen=True)
class Doubt(Generic[Name]):
    """What may fail: whether it does for some values, the same where rounding may decide, and how far it is from that.

    `constants` are those that it names; `lengths` tells whether it asks for any.
    """

    near: Callable[[Bent[Name]], bool]
    far: Callable[[Bent[Name]], bool]
    gap: Callable[[Bent[Name]], float | None]
    constants: Sequence[Any] = ()
    lengths: bool = False


def can_fail(doubt: Doubt[Name], values: Mapping[Name, Any]) -> bool:
    """Whether it fails for some way to bend the values."""
    return (
        any(map(doubt.near, _near(values, doubt.constants)))
        or any(map(doubt.far, _far(values, doubt)))
        or any(map(doubt.far, _descent(values, doubt.gap)))
    )


def _near(values: Mapping[Name, Any], constants: Sequence[Any]) -> Iterator[Bent[Name]]:
    """The values a little changed."""
    texts = _texts([*constants, *values.values()])
    numbers = [constant * factor for constant in constants if _is_number(constant) for factor in (1, 2, -1, -2)]
    return _in_turn(values, {name: _near_ways(value, numbers, texts) for name, value in values.items()})


def _near_ways(value: Any, numbers: Sequence[Any], texts: tuple[str, ...]) -> tuple[Way, ...]:
    if isinstance(value, tuple):
        return (*_LISTS, lambda _: texts, *(partial(_with_text, text=text) for text in texts))
    if isinstance(value, str):
        return (*_TEXTS, *(partial(_other_text, text=text) for text in texts))
    return _TRUTHS if _is_truth(value) else (*_NUMBERS, *(partial(_near_number, to=to) for to in numbers))


def _far(values: Mapping[Name, Any], doubt: Doubt[Name]) -> Iterator[Bent[Name]]:
    """The values changed to numbers and lengths of any size, as many as there is time for."""
    found = [*doubt.constants, *values.values()]
    size = sum(value.size for value in values.values() if _is_array(value))
    numbers, texts = _numbers(found, exact=not size), _texts(found)
    lengths = [partial(_of_length, count=count) for count in _lengths(numbers)] if doubt.lengths else []
    ways = {name: (*_lengthened(value, lengths), *_far_ways(value, numbers, texts)) for name, value in values.items()}
    most = max(LEAST, ELEMENTS // size) if size else TURNS
    return chain(islice(_in_turn(values, ways), min(most, TURNS)), islice(_mixed(values, ways), min(most, MIXTURES)))


def _far_ways(value: Any, numbers: Sequence[Any], texts: tuple[str, ...]) -> tuple[Way, ...]:
    if _is_truth(value) or isinstance(value, str | tuple):
        return _near_ways(value, (), texts)
    if not _is_array(value):
        return tuple(partial(_far_number, to=to) for to in numbers)
    return tuple(partial(way, to=to) for ways in _ARRAYS for to in numbers for way in ways)


def _lengthened(value: Any, lengths: Sequence[Way]) -> Sequence[Way]:
    return lengths if isinstance(value, str | tuple) or _is_array(value) else ()


def _numbers(found: Iterable[Any], *, exact: bool) -> tuple[Any, ...]:
    """What numbers make when they are combined, of both signs; as fractions, or as floats where it is not `exact`."""
    marks = tuple(dict.fromkeys(size for each in found if (size := _size(each))))[:MARKS]
    pairs = [made for a in marks for b in marks for made in (a * b, a / b, a + b, abs(a - b))]
    reached: list[Any] = [*(mark * factor for factor in (1, 2, 1000, Fraction(1, 2)) for mark in marks), *SMALL]
    reached += [mark + step for mark in marks for step in (1, -1)]
    reached += [pair * factor for pair in pairs for factor in (1, 2, Fraction(1, 2))]
    reached += LADDER if exact else ()
    signed = dict.fromkeys(sign * Fraction(each) for each in reached for sign in (1, -1))
    return tuple(signed) if exact else tuple(float(each) for each in signed if abs(each) < 10**300)


def _size(value: Any) -> Fraction | None:
    """The magnitude of a number, or the largest in an array; None or 0 where there is none."""
    if getattr(value, "size", 0) and not _is_truth(value):
        value = float(abs(value).max())
    return abs(Fraction(value)) if _is_finite(value) else None


def _lengths(numbers: Iterable[Any]) -> tuple[int, ...]:
    """Lengths that something may have."""
    whole = (int(each) + step for each in numbers if 0 <= each < 10**18 for step in (0, 1))
    return tuple(dict.fromkeys(whole))


def _in_turn(values: Mapping[Name, Any], ways: Mapping[Name, Sequence[Way]]) -> Iterator[Bent[Name]]:
    """The values with one of them changed, or all of them alike."""
    for turn in range(max(map(len, ways.values()))):
        changed = {name: _bend(value, ways[name][turn % len(ways[name])]) for name, value in values.items()}
        for name in values:
            yield {**values, name: changed[name]}
        if len(values) > 1:
            yield changed


def _mixed(values: Mapping[Name, Any], ways: Mapping[Name, Sequence[Way]]) -> Iterator[Bent[Name]]:
    """The values each changed in some way, or not at all; the same mixtures each time."""
    random = Random(0)
    while len(values) > 1:
        yield {
            name: _bend(value, ways[name][int(random.random() * len(ways[name]))]) if random.random() < 0.75 else value
            for name, value in values.items()
        }


def _descent(values: Mapping[Name, Any], gap: Callable[[Bent[Name]], float | None]) -> Iterator[Bent[Name]]:
    """Where a walk in ever smaller steps makes the gap smallest; from the values, and from 0."""
    numbers = [name for name, value in values.items() if _is_finite(value) and abs(value) < 10**300]
    if any(map(_is_array, values.values())) or len(numbers) > DEEP:
        return
    for start in (1.0, 0.0):
        point = {**values, **{name: start * float(values[name]) for name in numbers}}
        least = gap(point)
        if least is not None:
            for step in (step for step in STEPS for _ in range(3)):
                point, least = _lower(point, numbers, step, least, gap)
            yield {**point, **{name: Fraction(point[name]) for name in numbers}}


def _lower(
    point: Bent[Name], numbers: Iterable[Name], step: float, least: float, gap: Callable[[Bent[Name]], float | None]
) -> tuple[Bent[Name], float]:
    """A point with a smaller gap one step away in each number, if there is any."""
    for name in numbers:
        for sign in (1, -1):
            other = {**point, name: point[name] + sign * step * max(abs(point[name]), 1.0)}
            if (found := gap(other)) is not None and found < least:
                point, least = other, found
    return point, least


def _texts(found: Iterable[Any]) -> tuple[str, ...]:
    """The texts among constants and values, those in lists too."""
    lists = (each if isinstance(each, tuple) else (each,) for each in found)
    return tuple(dict.fromkeys(text for each in lists for text in each[:TEXTS] if isinstance(text, str)))[:TEXTS]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and (not isinstance(value, float) or isfinite(value))


def _is_array(value: Any) -> bool:
    return getattr(value, "ndim", 0) > 0


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"


def _bend(value: Any, way: Way) -> Any:
    try:
        return way(value)
    except (ArithmeticError, LookupError):  # what its type cannot hold
        return value


def _near_number(x: Any, to: Any) -> Any:
    try:
        return x * 0 + to
    except OverflowError:  # an integer that is too large for an array
        return x * 0 + float(to)


def _far_number(x: Any, to: Any) -> Any:
    return int(to) if isinstance(x, int) and to == int(to) else to


def _with_text(x: Any, text: str) -> Any:
    return (*x, text)


def _other_text(_: Any, text: str) -> Any:
    return text


def _of_length(x: Any, count: int) -> Any:
    """The same, but of another length, whatever it holds."""
    kind = type("Lengthened", (type(x),), {"__len__": lambda _: count})
    return x.view(kind) if hasattr(x, "view") else kind(x)


def _half_again(x: Any) -> Any:
    return x * Fraction(3, 2) if isinstance(x, int | Fraction) else x * 1.5


def _another_length_or_none(x: Any) -> Any:
    return x.repeat(2, 0) if _is_array(x) else x * 0 + Fraction(1, 2)


def _first(x: Any, to: Any) -> Any:
    """An array with another first element, or a number."""
    changed = x * 1.0
    changed.flat[0] = to
    return changed


def _first_flipped(x: Any) -> Any:
    if not _is_array(x):
        return not x
    changed = x.copy()
    changed.flat[0] = not changed.flat[0]
    return changed


_NUMBERS: tuple[Way, ...] = (
    lambda x: -x,
    lambda x: x * 0,
    lambda x: x + 1,
    lambda x: x - 1,
    _half_again,
    _another_length_or_none,
    lambda x: x * 1000,
    lambda x: x * -1000,
    lambda x: x / 1000,
    lambda x: x * 0 + 10**6,
    lambda x: x * 0 - 10**6,
)
_ARRAYS: tuple[tuple[Callable[..., Any], ...], ...] = (
    (lambda x, to: x * 0 + to, lambda x, to: x * to),
    (lambda x, to: x + to, _first),
)
_TRUTHS: tuple[Way, ...] = (lambda x: x ^ True, lambda x: x & False, lambda x: x | True, _first_flipped)
_TEXTS: tuple[Way, ...] = (lambda x: f"{x} otherwise", lambda _: "", lambda _: "\U0010fffd")
_LISTS: tuple[Way, ...] = (
    lambda x: (*x, "another"),
    lambda _: (),
    lambda x: ("another",) * len(x),
    lambda x: x[::-1],
)
