"""Values bent in many ways, to see whether a claim over them could fail at all.

Numbers change sign, size and parity, and become what the claim compares them with; truth values, texts and lists of
text become others. Some bends meet each honest claim, whatever its form; a tautology survives them all.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

Name = TypeVar("Name")
Way = Callable[[Any], Any]


def bent(values: Mapping[Name, Any], constants: Sequence[Any]) -> Iterator[dict[Name, Any]]:
    """The values with one of them changed, or all of them alike; `constants` are those that the claim names."""
    ways = {name: _ways(value, constants) for name, value in values.items()}
    for turn in range(max(map(len, ways.values()))):
        changed = {name: _bend(value, ways[name][turn % len(ways[name])]) for name, value in values.items()}
        for name in values:
            yield {**values, name: changed[name]}
        yield changed


def _ways(value: Any, constants: Sequence[Any]) -> tuple[Way, ...]:
    """How to change a value of its type."""
    texts = [constant for constant in constants if isinstance(constant, str)]
    if isinstance(value, tuple):
        return (*_LISTS, lambda _: tuple(texts))
    if isinstance(value, str):
        return (*_TEXTS, *(lambda _, text=text: text for text in texts))
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":
        return _TRUTHS
    around = [constant * factor for constant in constants if not isinstance(constant, str) for factor in (1, 2)]
    return (*_NUMBERS, *(lambda x, to=to: x * 0 + to for to in around))


def _bend(value: Any, way: Way) -> Any:
    try:
        return way(value)
    except ArithmeticError:  # what its type cannot hold
        return value


def _half_again(x: Any) -> Any:
    return x * Fraction(3, 2) if isinstance(x, int | Fraction) else x * 1.5


def _another_length_or_none(x: Any) -> Any:
    return x.repeat(2, 0) if getattr(x, "ndim", 0) else x * 0 + Fraction(1, 2)


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
_TRUTHS: tuple[Way, ...] = (lambda x: x ^ True, lambda x: x & False, lambda x: x | True)
_TEXTS: tuple[Way, ...] = (lambda x: f"{x} otherwise", lambda _: "", lambda _: "\U0010fffd")
_LISTS: tuple[Way, ...] = (
    lambda x: (*x, "another"),
    lambda _: (),
    lambda x: ("another",) * len(x),
    lambda x: x[::-1],
)
