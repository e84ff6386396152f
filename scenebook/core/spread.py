"""How a number from chance varies over the repeats of a scene, and which digits of it another seed would not change.

Let low and high be the second smallest and second largest of 20 or more runs, or the extremes of fewer, and let a unit
be that of the last digit that is shown. The digits are earned if all runs are equal, or if low and high are less than
20 units apart and, unless zero is shown, have the same sign and differ at most threefold. A run that is shown and lies
outside of low and high counts as one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from scenebook.core.number_format import DEFAULT, NOISE, show, shown_number
from scenebook.core.suggestions import did_you_mean_or_list

if TYPE_CHECKING:
    from decimal import Decimal

    from scenebook.core.values import Scalar

MANY = 20
"""Of so many runs or more, one on each side is left out as an outlier."""
UNITS = 20
FOLD = 3
"""How far low and high may be apart: less than so many units, and at most so many times."""
EXACT = 2**53
"""A float can represent each integer up to this."""
MOST_DIGITS = 4
"""The most digits of a median, as of any number without a format."""
PLAIN_BELOW, PLAIN_FROM = 1e6, 1e-5
"""Magnitudes that are written without an exponent."""
_PRECISION = re.compile(r"(?P<before>.*)\.(?P<digits>\d+)(?P<type>[eEfFgG%])")
NUMBERS = ("low", "high", "median", "runs")
"""What claims can compare."""
STATS = ("about", "range", *NUMBERS)
"""What texts can ask for."""


def without_stat(name: str) -> tuple[str, str]:
    """Split `x.low` into the name of a value and what is asked of its runs, which is "" if nothing is."""
    value, _, stat = name.rpartition(".")
    return (value, stat) if stat in NUMBERS else (name, "")


class Spread(NamedTuple):
    """Numbers of several runs in brief: `equal` is true if all of them are the same number."""

    low: float
    median: float
    high: float
    runs: int
    equal: bool


def spread(values: Sequence[float]) -> Spread:
    """How the numbers of several runs vary."""
    ordered = sorted(values)
    cut = outliers(len(ordered))
    return Spread(ordered[cut], _median(ordered), ordered[-1 - cut], len(ordered), ordered[0] == ordered[-1])


def outliers(runs: int) -> int:
    """How many runs are left out on each side."""
    return 1 if runs >= MANY else 0


def of_scalars(values: Sequence[object]) -> Spread | None:
    """How the values of several runs vary; None unless all of them are finite numbers."""
    numbers = [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
    return spread(numbers) if len(numbers) == len(values) and all(map(_is_finite, numbers)) else None


def _median(ordered: Sequence[float]) -> float:
    left, right = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if left == right:
        return left
    if isinstance(left, int) and isinstance(right, int) and ((left + right) % 2 == 0 or abs(left) > EXACT):
        return (left + right) // 2
    return left / 2 + right / 2


def _is_finite(value: float) -> bool:
    return isinstance(value, int) or isfinite(value)


def fault(values: Sequence[Scalar], spec: str, rounding: str, name: str) -> str:
    """What is wrong with showing the first of several runs in a format; empty if nothing is.

    `name` is how a text names the value, such as `scene.x`. The format fits the value.
    """
    first = values[0]
    if all(value == first for value in values):
        return ""
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return _differs(values)
    numbers: list[float] = list(values)  # type: ignore[arg-type]
    if not all(map(_is_finite, numbers)):
        return f"is not a finite number in each of {len(numbers)} runs; have the scene compute one, or a text"
    over = _with(spread(numbers), numbers[0])
    shown = shown_number(first, spec, rounding)
    if shown is None or _is_earned(over, shown):
        return ""
    varies = f"varies from {_end(over.low)} to {_end(over.high)} over {over.runs} runs"
    written = show(first, spec, rounding)
    return f"{varies}, so another seed would change the digits of {written}; write {_advice(numbers, spec, name)}"


def _differs(values: Sequence[Scalar]) -> str:
    same = sum(value == values[0] for value in values)
    written = str(values[0]).lower() if isinstance(values[0], bool) else repr(values[0])
    return (
        f"is {written} in {same} of {len(values)} runs, so another seed would change it; have the scene compute "
        "something that holds for all, or give it `digits: as written`"
    )


def _with(over: Spread, shown: float) -> Spread:
    return over._replace(low=min(over.low, shown), high=max(over.high, shown))


def _is_earned(over: Spread, shown: Decimal) -> bool:
    """Whether runs are near enough to each other for the digits that are shown."""
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    return over.equal or (_within(over, exponent) and (shown == 0 or _alike(over)))


def _within(over: Spread, exponent: int) -> bool:
    """Whether low and high are less than 20 units apart; the noise of the last bits does not bring them nearer."""
    from decimal import Decimal

    low, high = Decimal(over.low), Decimal(over.high)
    noise = Decimal(NOISE) * max(abs(low), abs(high))
    return low == high or high - low + noise < Decimal(UNITS).scaleb(exponent)


def _alike(over: Spread) -> bool:
    """Whether low and high have the same sign and differ at most threefold."""
    from decimal import Decimal

    least, most = sorted((abs(Decimal(over.low)), abs(Decimal(over.high))))
    same_sign = (over.low > 0) == (over.high > 0) and (over.low < 0) == (over.high < 0)
    return same_sign and most <= FOLD * least * (1 + Decimal(NOISE))


def _advice(values: Sequence[float], spec: str, name: str) -> str:
    """What to write instead of digits that are not earned."""
    over = spread(values)
    percent = ":%" if spec.endswith("%") else ""
    instead = [f"{{{{ {name}.{wanted}{percent} }}}}" for wanted in (("about", "range") if _alike(over) else ("range",))]
    fewer = _fewer(_with(over, values[0]), values[0], spec) if _alike(over) else ""
    return " or ".join(instead) + (f", or fewer digits: {{{{ {name}:{fewer} }}}}" if fewer else "")


def _fewer(over: Spread, first: float, spec: str) -> str:
    """A format of the same type with the digits that are earned; empty if there is none."""
    match = _PRECISION.fullmatch(spec or ("" if isinstance(first, int) else DEFAULT))
    if match is None:
        return ""
    for digits in range(int(match["digits"]) - 1, -1, -1):
        fewer = f"{match['before']}.{digits}{match['type']}"
        shown = shown_number(first, fewer)
        if shown and _is_earned(over, shown):
            return fewer
    return ""


def _earned(over: Spread) -> int:
    """The exponent of the last digit that is earned."""
    from decimal import Decimal

    difference = Decimal(over.high) - Decimal(over.low)
    exponent = difference.adjusted() - 2 if difference else _adjusted(over.median) - MOST_DIGITS + 1
    while not _within(over, exponent):
        exponent += 1
    return exponent


def _adjusted(value: float) -> int:
    """The exponent of the first digit of a number."""
    from decimal import Decimal

    return Decimal(value).adjusted()


# What texts can ask for.


def stat(values: Sequence[Scalar], wanted: str, name: str) -> float:
    """One number that says how runs vary; the median for those that are written in their own way.

    Raises `LookupError`, with a message for the author, if there is no such number.
    """
    if wanted not in STATS:
        raise LookupError(f"there is no '.{wanted}' of a value{did_you_mean_or_list(wanted, STATS)}")
    if wanted == "runs":
        return len(values)
    over = of_scalars(values)
    if over is None:
        raise LookupError(f"'{name}' is not a finite number in each run, so it has no .{wanted}")
    return {"low": over.low, "high": over.high}.get(wanted, over.median)


def written(values: Sequence[Scalar], wanted: str, spec: str, rounding: str, name: str) -> str:
    """How a text shows one of the `STATS`.

    Raises `LookupError` like `stat`, or `ValueError`, with a message for the author, if the format does not fit.
    """
    number = stat(values, wanted, name)
    own: dict[str, Callable[[Spread, str, str], str]] = {"about": about, "range": between}
    if wanted not in own:
        return show(number, spec, rounding)
    if rounding:
        raise ValueError(f"'.{wanted}' is not rounded up or down; remove {rounding!r}")
    return own[wanted](spread(values), spec, name)  # type: ignore[arg-type]


def about(over: Spread, spec: str, name: str) -> str:
    """The median with the digits that it has earned. `spec` may ask for a percentage, or for commas."""
    if spec not in ("", "%", ","):
        raise ValueError(f"'.about' finds its digits by itself; write '%', ',' or no format, not {spec!r}")
    if not (over.equal or _alike(over)):
        ends = f"{_end(over.low)} to {_end(over.high)}"
        raise ValueError(f"not one digit is the same for all seeds, from {ends}; write {{{{ {name}.range }}}}")
    if over.equal and spec != "%":
        return show(over.median, spec)
    return _to_digit(over.median, _last(over), spec)


def between(over: Spread, spec: str, name: str) -> str:
    """Both ends: `0.3 to 0.7`. Without a format of their own they have the digits that tell them apart."""
    if spec not in ("", "%", ","):
        low, high = show(over.low, spec), show(over.high, spec)
    else:
        whole = isinstance(over.low, int) and isinstance(over.high, int) and spec != "%"
        low, high = (_to_digit(end, 0 if whole else _last(over), spec) for end in (over.low, over.high))
    return low if low == high else f"{low} to {high}"


def _last(over: Spread) -> int:
    """The exponent of the last digit to show: of those that are earned, at most four, and none below a whole number."""
    whole = isinstance(over.low, int) and isinstance(over.high, int)
    if over.equal and whole:
        return 0
    largest = max(abs(over.low), abs(over.high))
    last = max(_earned(over), _adjusted(largest) - MOST_DIGITS + 1)
    return max(last, 0) if whole else last


def _to_digit(value: float, exponent: int, spec: str) -> str:
    """A number rounded to a digit, and written without an exponent unless it is very large or small."""
    from decimal import Context, Decimal

    rounded = Decimal(value).quantize(Decimal(1).scaleb(exponent), context=Context(prec=1000))
    if spec == "%":
        return show(float(rounded), f".{max(0, -exponent - 2)}%")
    if rounded == 0 or PLAIN_FROM <= abs(rounded) < PLAIN_BELOW:
        return show(float(rounded), f"{spec}.{max(0, -exponent)}f")
    return show(float(rounded), f".{max(0, rounded.adjusted() - exponent)}e")


def _end(value: float) -> str:
    return show(value, ".2g") if isinstance(value, float) else show(value)
