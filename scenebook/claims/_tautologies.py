"""Refuse claims that cannot fail.

Each part of a claim that holds is evaluated again with many other values. A part that holds for all of them says
nothing about what the scenes computed. Single numbers become exact fractions first, so that no tautology fails because
of rounding.
"""

import ast
import copy
import math
from contextlib import suppress
from fractions import Fraction
from typing import Any

from scenebook.claims import _perturbed_values as perturbed_values
from scenebook.claims._evaluation import distance_to_failure, evaluate, fails, widen
from scenebook.claims._language import Values, names
from scenebook.claims._operators import CAUTIOUS, CAUTIOUS_WITH_ARRAYS, EXACT, OPERATORS, ClaimError


def refuse(part: ast.expr, values: Values) -> None:
    """Raise `ClaimError` if a part of a claim holds whatever the scenes compute."""
    used: Values = {name: values[name] for name in names(part)}
    if not used:
        raise ClaimError(f"cannot fail: {ast.unparse(part)!r} uses no value; compare something that a scene computes")
    exact, numbers = _exact(part, {name: widen(value) for name, value in used.items()})
    alternatives = [_easier_conditions(exact), (exact,)] if _has_no_array(numbers) else [_easier_conditions(exact)]
    for conditions in dict.fromkeys(alternatives):
        if all(_can_fail(condition, exact, numbers) for condition in conditions):
            return
    reason = f"{ast.unparse(part)!r} holds whatever the scenes compute"
    raise ClaimError(f"cannot fail: {reason}; claim something that could be false")


def _can_fail(condition: ast.expr, part: ast.expr, values: Values) -> bool:
    called = {node.func.id for node in ast.walk(part) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    near, far = (EXACT, CAUTIOUS) if _has_no_array(values) else (OPERATORS, CAUTIOUS_WITH_ARRAYS)
    return perturbed_values.can_fail(
        perturbed_values.Condition(
            fails=lambda perturbed: fails(condition, perturbed, near),
            clearly_fails=lambda perturbed: fails(condition, perturbed, far),
            distance=lambda perturbed: distance_to_failure(condition, perturbed),
            constants=_constants(part),
            uses_length="len" in called,
        ),
        values,
    )


def _easier_conditions(part: ast.expr) -> tuple[ast.expr, ...]:
    """Return conditions that are easier to make fail. If all of them can fail, the part can fail too.

    A search does not find the single point where `a != b` fails, or the narrow gap where `abs(a) > b` fails. But if `a`
    can be on either side of that point or gap, it can also be inside.
    """
    match part:
        case (
            ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right])
            | ast.UnaryOp(op=ast.Not(), operand=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]))
            | ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="close"), args=[left, right]))
        ):
            return (ast.Compare(left, [ast.Lt()], [right]), ast.Compare(left, [ast.Gt()], [right]))
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="abs"), args=[inner]),
            ops=[ast.Gt() | ast.GtE() as above],
            comparators=[least],
        ):
            negative = ast.UnaryOp(ast.USub(), least)
            sides = (ast.Compare(inner, [ast.Gt()], [least]), ast.Compare(inner, [ast.Lt()], [negative]))
            return (*sides, ast.Compare(ast.Constant(0), [above], [least]))
    return (part,)


def _has_no_array(values: Values) -> bool:
    return not any(hasattr(value, "ndim") for value in values.values())


def _exact(part: ast.expr, values: Values) -> tuple[ast.expr, Values]:
    """Replace floats by equal fractions, unless one of the values is an array."""
    if not _has_no_array(values):
        return part, values
    part = copy.deepcopy(part)
    for node in ast.walk(part):
        if isinstance(node, ast.Constant):
            node.value = _fraction(node.value)
    return part, {name: _fraction(value) for name, value in values.items()}


def _fraction(value: Any) -> Any:
    return Fraction(value) if isinstance(value, float) and math.isfinite(value) else value


def _constants(tree: ast.expr) -> list[Any]:
    """Return the constants of an expression, and the results of its parts that use no value."""
    parts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp))
    found = []
    for part in parts:
        if not names(part):
            with suppress(ClaimError):
                found.append(evaluate(part, {}))
    return found
