"""Evaluate the tree of a claim: its verdict, its margin, and its values described for a message."""

import ast
import math
import operator
from types import SimpleNamespace
from typing import Any

from scenebook.claims._operators import FUNCTIONS, MAX_DIGITS, OPERATORS, ClaimError, Operators
from scenebook.claims._trees import Values
from scenebook.core import number_format


def evaluate(tree: ast.expr, values: Values, operators: Operators = OPERATORS) -> Any:
    """Return the result of an expression; raises `ClaimError` if it cannot be evaluated."""
    import simpleeval

    scenes: dict[str, SimpleNamespace] = {}
    for (scene, name), value in values.items():
        setattr(scenes.setdefault(scene, SimpleNamespace()), name, widen(value))
    evaluator = simpleeval.SimpleEval(dict(operators), FUNCTIONS, scenes)
    try:
        return evaluator.eval("", previously_parsed=tree)
    except ClaimError:
        raise
    except Exception as error:  # noqa: BLE001 - any error in an expression is for its author to fix
        raise ClaimError(_explain(error)) from None


def widen(value: Any) -> Any:
    """Convert arrays of small integers to 64 bits, so that arithmetic does not wrap around."""
    small = getattr(value, "dtype", None) is not None and value.dtype.kind in "iu" and value.dtype.itemsize < 8
    return value.astype("int64") if small else value


def _explain(error: Exception) -> str:
    if type(error).__name__ == "NameNotDefined":
        return f"'{getattr(error, 'name', '')}' is not a value; write scene.value"
    if "truth value of an array" in str(error):
        return "and, or, not and a < b < c need single values; reduce arrays with all(...) or any(...)"
    return f"cannot be evaluated: {error}"


def verdict(tree: ast.expr, values: Values, operators: Operators = OPERATORS) -> bool:
    """Return whether a claim is true; raises `ClaimError` if it is neither true nor false."""
    result = number_format.plain(evaluate(tree, values, operators))
    if isinstance(result, bool):
        return result
    if getattr(result, "ndim", 0):
        raise ClaimError(f"gives an array of shape {result.shape}; reduce it with all(...) or any(...)")
    raise ClaimError(f"gives {describe(result)}, not true or false; compare it with something")


def fails(tree: ast.expr, values: Values, operators: Operators = OPERATORS) -> bool:
    """Return whether a claim is false. A claim without a verdict is not false."""
    try:
        return not verdict(tree, values, operators)
    except ClaimError:
        return False


def margin(part: ast.expr, values: Values) -> float | None:
    """Return how far an inequality is from failing, negative if it fails; None for any other expression.

    For arrays, it is that of the elements that are closest to failing, or furthest behind.
    """
    match part:
        case ast.Call(func=ast.Name(id="all"), args=[ast.Compare() as inner]):
            part = inner
    match part:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            larger, smaller = left, right
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE()], comparators=[right]):
            larger, smaller = right, left
        case _:
            return None
    try:
        distance = evaluate(larger, values) - evaluate(smaller, values)
        least = float(distance.min() if hasattr(distance, "min") else distance)
    except (ClaimError, TypeError, ValueError, ArithmeticError):
        return None
    return least if math.isfinite(least) else None


def distance_to_failure(tree: ast.expr, values: Values) -> float | None:
    """Return how far an inequality is from failing, negative if it fails; None for any other expression."""
    match tree:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            sides = left, right
        case ast.Compare(left=right, ops=[ast.Lt() | ast.LtE()], comparators=[left]):
            sides = left, right
        case _:
            return None
    try:
        distance = float(operator.sub(*(evaluate(side, values) for side in sides)))
    except (ClaimError, TypeError, ValueError, ArithmeticError):
        return None
    return distance if math.isfinite(distance) else None


def describe(value: Any) -> str:
    """Return a value in a few words, for a message."""
    if isinstance(value, tuple | list):
        return f"a list of {len(value)} texts"
    if getattr(value, "ndim", 0):
        extent = f" from {number_format.show(value.min())} to {number_format.show(value.max())}" if value.size else ""
        return f"an array of shape {value.shape}{extent}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else f"{value[:57]}...")
    value = number_format.plain(value)
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        return f"an integer with more than {MAX_DIGITS} digits"
    return number_format.show(value) if isinstance(value, bool | int | float) else "something that is not a value"
