"""Change values in many ways, to find out whether a condition on them can fail.

Small changes come first: numbers change sign, size and parity, or take a value that the claim compares them with. Truth
values, texts and lists of texts are replaced by others. These make most honest claims fail. Large changes follow:
numbers of any size, and the results of combining the claim's own numbers, in one value, in all values, or mixed.
Finally, a descent moves the two sides of an inequality towards each other. A tautology holds in all of these cases. The
same claim is always tried with the same changes.
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
Change = Callable[[Any], Any]
"""A function from a value to a changed value."""
Perturbed = dict[Name, Any]
"""Values, some or all of them changed."""

MAX_NUMBERS, MAX_TEXTS = 8, 20
"""How many numbers of a claim are combined with each other, and how many texts replace each other."""
MAX_CHANGES, MAX_MIXTURES = 1500, 500
"""How many large changes are tried, first in single values and then mixed."""
MIN_CHANGES, MAX_ELEMENTS = 40, 20_000_000
"""Large arrays get fewer changes, so that about `MAX_ELEMENTS` elements are evaluated, but at least `MIN_CHANGES`."""
POWERS_OF_TEN = tuple(
    Fraction(10) ** power for power in (-300, -100, -30, -12, -9, -6, -3, 3, 6, 9, 12, 15, 18, 30, 100, 300)
)
SMALL_NUMBERS = (0, Fraction(1, 2), 1, 2, 3, 4, 5, 7, 10)
STEPS = tuple(2.0**power for power in range(40, -40, -2))
"""The steps of the descent, relative to the value."""
MAX_DIMENSIONS = 8
"""The most numbers that the descent changes."""


@dataclass(frozen=True)
class Condition(Generic[Name]):
    """A condition that may fail for some values.

    `fails` evaluates it exactly. `clearly_fails` is false if rounding could decide the result. `distance` is how far
    the condition is from failing. `constants` are those it contains, and `uses_length` is true if it calls `len`.
    """

    fails: Callable[[Perturbed[Name]], bool]
    clearly_fails: Callable[[Perturbed[Name]], bool]
    distance: Callable[[Perturbed[Name]], float | None]
    constants: Sequence[Any] = ()
    uses_length: bool = False


def can_fail(condition: Condition[Name], values: Mapping[Name, Any]) -> bool:
    """Return whether the condition fails for some change of the values."""
    return (
        can_fail_nearby(condition, values)
        or any(map(condition.clearly_fails, _greatly_changed(values, condition)))
        or any(map(condition.clearly_fails, _descent(values, condition.distance)))
    )


def can_fail_nearby(condition: Condition[Name], values: Mapping[Name, Any]) -> bool:
    """Return whether the condition fails for one of the small changes, which are few."""
    return any(map(condition.fails, _slightly_changed(values, condition.constants)))


def _slightly_changed(values: Mapping[Name, Any], constants: Sequence[Any]) -> Iterator[Perturbed[Name]]:
    texts = _texts([*constants, *values.values()])
    numbers = [constant * factor for constant in constants if _is_number(constant) for factor in (1, 2, -1, -2)]
    return _one_or_all(values, {name: _small_changes(value, numbers, texts) for name, value in values.items()})


def _small_changes(value: Any, numbers: Sequence[Any], texts: tuple[str, ...]) -> tuple[Change, ...]:
    if isinstance(value, tuple):
        return (*_LIST_CHANGES, lambda _: texts, *(partial(_append_text, text=text) for text in texts))
    if isinstance(value, str):
        return (*_TEXT_CHANGES, *(partial(_replace_text, text=text) for text in texts))
    if _is_truth(value):
        return _TRUTH_CHANGES
    return (*_NUMBER_CHANGES, *(partial(_set_all, to=to) for to in numbers))


def _greatly_changed(values: Mapping[Name, Any], condition: Condition[Name]) -> Iterator[Perturbed[Name]]:
    """Change values to numbers and lengths of any size, within the limits on the number of tries."""
    found = [*condition.constants, *values.values()]
    size = sum(value.size for value in values.values() if _is_array(value))
    numbers, texts = _combined_numbers(found, exact=not size), _texts(found)
    lengths = [partial(_with_length, length=length) for length in _lengths(numbers)] if condition.uses_length else []
    changes = {
        name: (*(lengths if _has_length(value) else ()), *_large_changes(value, numbers, texts))
        for name, value in values.items()
    }
    most = max(MIN_CHANGES, MAX_ELEMENTS // size) if size else MAX_CHANGES
    return chain(
        islice(_one_or_all(values, changes), min(most, MAX_CHANGES)),
        islice(_mixtures(values, changes), min(most, MAX_MIXTURES)),
    )


def _large_changes(value: Any, numbers: Sequence[Any], texts: tuple[str, ...]) -> tuple[Change, ...]:
    if _is_truth(value) or isinstance(value, str | tuple):
        return _small_changes(value, (), texts)
    if not _is_array(value):
        return tuple(partial(_set_number, to=to) for to in numbers)
    return tuple(partial(change, to=to) for changes in _ARRAY_CHANGES for to in numbers for change in changes)


def _has_length(value: Any) -> bool:
    return isinstance(value, str | tuple) or _is_array(value)


def _combined_numbers(found: Iterable[Any], *, exact: bool) -> tuple[Any, ...]:
    """Combine numbers with each other, with both signs; return fractions if `exact`, otherwise floats."""
    magnitudes = tuple(dict.fromkeys(size for value in found if (size := _magnitude(value))))[:MAX_NUMBERS]
    pairs = [result for a in magnitudes for b in magnitudes for result in (a * b, a / b, a + b, abs(a - b))]
    numbers: list[Any] = [size * factor for factor in (1, 2, 1000, Fraction(1, 2)) for size in magnitudes]
    numbers += SMALL_NUMBERS
    numbers += [size + step for size in magnitudes for step in (1, -1)]
    numbers += [pair * factor for pair in pairs for factor in (1, 2, Fraction(1, 2))]
    numbers += POWERS_OF_TEN if exact else ()
    signed = dict.fromkeys(sign * Fraction(number) for number in numbers for sign in (1, -1))
    return tuple(signed) if exact else tuple(float(number) for number in signed if abs(number) < 10**300)


def _magnitude(value: Any) -> Fraction | None:
    """Return the magnitude of a number, or the largest in an array; None or 0 if there is none."""
    if getattr(value, "size", 0) and not _is_truth(value):
        value = float(abs(value).max())
    return abs(Fraction(value)) if _is_finite(value) else None


def _lengths(numbers: Iterable[Any]) -> tuple[int, ...]:
    """Return the possible lengths among and next to some numbers."""
    whole = (int(number) + step for number in numbers if 0 <= number < 10**18 for step in (0, 1))
    return tuple(dict.fromkeys(whole))


def _one_or_all(values: Mapping[Name, Any], changes: Mapping[Name, Sequence[Change]]) -> Iterator[Perturbed[Name]]:
    """Apply each change to one value, and then to all values at once."""
    for turn in range(max(map(len, changes.values()))):
        changed = {name: _apply(changes[name][turn % len(changes[name])], value) for name, value in values.items()}
        for name in values:
            yield {**values, name: changed[name]}
        if len(values) > 1:
            yield changed


def _mixtures(values: Mapping[Name, Any], changes: Mapping[Name, Sequence[Change]]) -> Iterator[Perturbed[Name]]:
    """Apply a random change, or none, to each value. The seed is fixed, so the mixtures are always the same."""
    random = Random(0)
    while len(values) > 1:
        yield {
            name: _apply(changes[name][int(random.random() * len(changes[name]))], value)
            if random.random() < 0.75
            else value
            for name, value in values.items()
        }


def _descent(
    values: Mapping[Name, Any], distance: Callable[[Perturbed[Name]], float | None]
) -> Iterator[Perturbed[Name]]:
    """Reduce the distance in smaller and smaller steps, starting at the values and at 0; yield where each one ends."""
    numbers = [name for name, value in values.items() if _is_finite(value) and abs(value) < 10**300]
    if any(map(_is_array, values.values())) or len(numbers) > MAX_DIMENSIONS:
        return
    for start in (1.0, 0.0):
        point = {**values, **{name: start * float(values[name]) for name in numbers}}
        least = distance(point)
        if least is not None:
            for step in (step for step in STEPS for _ in range(3)):
                point, least = _step_down(point, numbers, step, least, distance)
            yield {**point, **{name: Fraction(point[name]) for name in numbers}}


def _step_down(
    point: Perturbed[Name],
    numbers: Iterable[Name],
    step: float,
    least: float,
    distance: Callable[[Perturbed[Name]], float | None],
) -> tuple[Perturbed[Name], float]:
    """Take one step in each number that reduces the distance, if there is one."""
    for name in numbers:
        for sign in (1, -1):
            other = {**point, name: point[name] + sign * step * max(abs(point[name]), 1.0)}
            if (found := distance(other)) is not None and found < least:
                point, least = other, found
    return point, least


def _texts(found: Iterable[Any]) -> tuple[str, ...]:
    """Return the texts among constants and values, including those in lists."""
    lists = (value if isinstance(value, tuple) else (value,) for value in found)
    return tuple(dict.fromkeys(text for texts in lists for text in texts[:MAX_TEXTS] if isinstance(text, str)))[
        :MAX_TEXTS
    ]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and (not isinstance(value, float) or isfinite(value))


def _is_array(value: Any) -> bool:
    return getattr(value, "ndim", 0) > 0


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool"


def _apply(change: Change, value: Any) -> Any:
    try:
        return change(value)
    except (ArithmeticError, LookupError):  # the type cannot hold the changed value
        return value


def _set_all(x: Any, to: Any) -> Any:
    try:
        return x * 0 + to
    except OverflowError:  # the integer is too large for the array
        return x * 0 + float(to)


def _set_number(x: Any, to: Any) -> Any:
    return int(to) if isinstance(x, int) and to == int(to) else to


def _append_text(x: Any, text: str) -> Any:
    return (*x, text)


def _replace_text(_: Any, text: str) -> Any:
    return text


def _with_length(x: Any, length: int) -> Any:
    """Return the same value with another length, whatever it contains."""
    kind = type("Lengthened", (type(x),), {"__len__": lambda _: length})
    return x.view(kind) if hasattr(x, "view") else kind(x)


def _times_one_and_a_half(x: Any) -> Any:
    return x * Fraction(3, 2) if isinstance(x, int | Fraction) else x * 1.5


def _double_length_or_half(x: Any) -> Any:
    return x.repeat(2, 0) if _is_array(x) else x * 0 + Fraction(1, 2)


def _set_first(x: Any, to: Any) -> Any:
    """Return an array with another first element."""
    changed = x * 1.0
    changed.flat[0] = to
    return changed


def _flip_first(x: Any) -> Any:
    if not _is_array(x):
        return not x
    changed = x.copy()
    changed.flat[0] = not changed.flat[0]
    return changed


_NUMBER_CHANGES: tuple[Change, ...] = (
    lambda x: -x,
    lambda x: x * 0,
    lambda x: x + 1,
    lambda x: x - 1,
    _times_one_and_a_half,
    _double_length_or_half,
    lambda x: x * 1000,
    lambda x: x * -1000,
    lambda x: x / 1000,
    lambda x: x * 0 + 10**6,
    lambda x: x * 0 - 10**6,
)
_ARRAY_CHANGES: tuple[tuple[Callable[..., Any], ...], ...] = (
    (lambda x, to: x * 0 + to, lambda x, to: x * to),
    (lambda x, to: x + to, _set_first),
)
_TRUTH_CHANGES: tuple[Change, ...] = (lambda x: x ^ True, lambda x: x & False, lambda x: x | True, _flip_first)
_TEXT_CHANGES: tuple[Change, ...] = (lambda x: f"{x} otherwise", lambda _: "", lambda _: "\U0010fffd")
_LIST_CHANGES: tuple[Change, ...] = (
    lambda x: (*x, "another"),
    lambda _: (),
    lambda x: ("another",) * len(x),
    lambda x: x[::-1],
)
