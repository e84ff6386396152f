"""Chooses the ticks of an axis and writes their numbers: few, round and distinct."""

import math
from dataclasses import dataclass

from scenebook.core.number_format import show

_STEPS = (1, 2, 2.5, 5, 10)
_WHOLE_STEPS = (1, 2, 5, 10)
_FIXED_FROM, _FIXED_TO = 1e-4, 1e7


@dataclass(frozen=True)
class Ticks:
    """Ticks at `values`, each with its text."""

    values: tuple[float, ...]
    texts: tuple[str, ...]


def linear(low: float, high: float, most: int, whole: bool = False) -> Ticks:
    """Return about `most` round numbers from `low` to `high`. If `whole`, they are integers."""
    step = _step((high - low) / max(most, 1), whole)
    return _every(step, math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9))


def covering(low: float, high: float, most: int) -> Ticks:
    """Return round numbers that reach from `low` or below to `high` or above."""
    step = _step((high - low) / max(most, 1), whole=False)
    return _every(step, math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9))


def _every(step: float, first: int, last: int) -> Ticks:
    values = tuple(number * step for number in range(first, last + 1))
    greatest = max(map(abs, values), default=0.0)
    return Ticks(values, tuple(_text(value, step, greatest) for value in values))


def logarithmic(low: float, high: float, most: int) -> Ticks:
    """Return powers of ten, all or some. If they are few, add 2 and 5 times each, or else return round numbers."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 2:
        between = [m * 10.0**e for e in range(first - 1, last + 1) for m in (1, 2, 5)]
        values = tuple(value for value in between if low * (1 - 1e-9) <= value <= high * (1 + 1e-9))
        return Ticks(values, tuple(map(_power, values))) if len(values) > 1 else linear(low, high, most)
    every = math.ceil((last - first + 1) / max(most, 2))
    powers = [10.0**exponent for exponent in range(first, last + 1, every)]
    return Ticks(tuple(powers), tuple(map(_power, powers)))


def _step(rough: float, whole: bool) -> float:
    magnitude = 10.0 ** math.floor(math.log10(rough))
    steps = [step * magnitude for step in (_WHOLE_STEPS if whole else _STEPS)]
    step = next((step for step in steps if step >= rough * (1 - 1e-9)), steps[-1])
    return max(1.0, step) if whole else step


def _text(value: float, step: float, greatest: float) -> str:
    """Write a number with enough digits to tell neighbours apart, without a power of ten from 0.0001 to 10,000,000."""
    if not value:
        return "0"
    exponent = math.floor(math.log10(step) + 1e-9)
    halved = 0 if abs(step / 10.0**exponent - 2.5) > 1e-6 else 1
    if step >= _FIXED_FROM and greatest < _FIXED_TO:
        return show(value, f",.{max(0, halved - exponent)}f")
    digits = math.floor(math.log10(greatest)) - exponent + halved
    return show(value, f".{max(0, digits)}e")


def _power(value: float) -> str:
    if _FIXED_FROM <= value < _FIXED_TO / 10:
        return show(value, ",.4g" if value < 1 else ",.0f")
    return show(value, ".0e").removeprefix("1×")
