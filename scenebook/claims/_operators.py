"""The functions and operators that a claim can use.

There are three sets of operators. `OPERATORS` work on the values as they are. `EXACT` ones keep fractions exact, so
that rounding cannot make a tautology fail. `CAUTIOUS` ones also refuse to compare two floats that rounding could have
made equal.
"""

import ast
import builtins
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

Operators = Mapping[type[ast.AST], Callable[..., Any]]

MAX_POWER_BITS = 100_000
"""The largest result of an integer power, in bits."""
MAX_DIGITS = 308
"""The most digits of an integer that a message shows, and the most that `round` takes."""
TOO_CLOSE = 1e-9
"""A smaller relative difference could be due to rounding."""


class ClaimError(Exception):
    """A claim that cannot be evaluated or is not allowed. The message is for the author of the page."""


def close(a: Any, b: Any, rel: float = 1e-9, abs: float = 0.0) -> bool:
    """Return whether a and b differ by at most `rel` of the larger magnitude or by at most `abs`.

    Arrays are close if all their elements are.
    """
    gap = builtins.abs(_without_nan(a) - _without_nan(b))
    return _all((gap <= rel * builtins.abs(a)) | (gap <= rel * builtins.abs(b)) | (gap <= abs))


def _without_nan(value: Any) -> Any:
    """Return a value that can be compared; raises `ClaimError` if it is or contains NaN."""
    if not isinstance(value, str | tuple):
        is_nan = value != value  # NaN is the only number that differs from itself
        if is_nan if isinstance(is_nan, bool) else getattr(is_nan, "any", bool)():
            raise ClaimError("compares NaN, so it is neither true nor false; have the scene return a truth value")
    return value


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(_without_nan(a), _without_nan(b))


def _cautious_comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return the same comparison, except that it refuses floats that are nearly equal or infinite."""

    def cautious(a: Any, b: Any) -> Any:
        if any(isinstance(side, float) or getattr(getattr(side, "dtype", None), "kind", "") == "f" for side in (a, b)):
            tolerance = (abs(a) + abs(b)) * TOO_CLOSE
            too_close = (abs(a - b) <= tolerance) & (tolerance > 0)
            if too_close.any() if hasattr(too_close, "any") else too_close:
                raise ClaimError("compares two numbers that rounding may have made equal")
        return compare(_without_nan(a), _without_nan(b))

    return cautious


def _arithmetic(calculate: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*operands: Any) -> Any:
        if any(isinstance(operand, str | tuple) for operand in operands):
            raise ClaimError("does arithmetic with a text or a list of texts; these can only be compared")
        return calculate(*operands)

    return checked


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int | Fraction) and isinstance(exponent, int | Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(Fraction(exponent)) * bits > MAX_POWER_BITS:
            raise ClaimError("has a power with too many digits")
    result = base**exponent
    if isinstance(result, complex):
        raise ClaimError("takes a root of a negative number")
    return result


def _exact_quotient(a: Any, b: Any) -> Any:
    return Fraction(a) / b if isinstance(a, int) and isinstance(b, int) else a / b


def _exact_power(base: Any, exponent: Any) -> Any:
    """Return a power that is not rounded, or at least not rounded to 0."""
    base = Fraction(base) if isinstance(base, int) else base
    result = _power(base, exponent)
    if isinstance(result, float) and result == 0 != base:
        raise ClaimError("has a power that is too small")
    return result


def _exact_or_float_power(base: Any, exponent: Any) -> Any:
    """Return a power that is rounded only if the exact one has too many digits."""
    try:
        return _exact_power(base, exponent)
    except ClaimError:
        return _exact_power(float(base), float(exponent))


def _reduction(name: str) -> Callable[..., Any]:
    """Return a function that calls Python's built-in for plain values, and the method of the same name for arrays."""

    def reduce(first: Any, *rest: Any) -> Any:
        if not rest and hasattr(first, name):
            return getattr(first, name)()
        return getattr(builtins, name)(first, *rest)

    return reduce


def _round(value: Any, digits: int = 0) -> Any:
    """Round a number, or each element of an array, to a number of decimal places."""
    if abs(digits) > MAX_DIGITS:
        raise ClaimError(f"rounds to more than {MAX_DIGITS} digits")
    return value.round(digits) if hasattr(value, "round") else round(value, digits)


def _all(value: Any) -> bool:
    return bool(value.all()) if hasattr(value, "all") else all(_as_list(value))


def _any(value: Any) -> bool:
    return bool(value.any()) if hasattr(value, "any") else any(_as_list(value))


def _as_list(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": _reduction("min"),
    "max": _reduction("max"),
    "all": _all,
    "any": _any,
    "len": len,
    "round": _round,
    "close": close,
}
_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.Invert: lambda value: not value if isinstance(value, bool) else ~value,
}
OPERATORS: Operators = {
    **{symbol: _comparison(compare) for symbol, compare in _COMPARISONS.items()},
    **{symbol: _arithmetic(calculate) for symbol, calculate in _ARITHMETIC.items()},
    ast.In: lambda item, group: item in group,
    ast.NotIn: lambda item, group: item not in group,
    ast.Not: operator.not_,
}
_EXACT_ARITHMETIC: Operators = {ast.Div: _arithmetic(_exact_quotient), ast.Pow: _arithmetic(_exact_power)}
EXACT: Operators = {**OPERATORS, **_EXACT_ARITHMETIC}
"""Operators for fractions, which stay exact."""
CAUTIOUS_WITH_ARRAYS: Operators = {
    **OPERATORS,
    **{symbol: _cautious_comparison(compare) for symbol, compare in _COMPARISONS.items()},
}
"""Operators for arrays of any size, where rounding could decide a comparison. numpy cannot calculate with fractions."""
CAUTIOUS: Operators = {
    **CAUTIOUS_WITH_ARRAYS,
    **_EXACT_ARITHMETIC,
    ast.Pow: _arithmetic(_exact_or_float_power),
}
"""Operators for fractions of any size, where rounding could decide a comparison."""
