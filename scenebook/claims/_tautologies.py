"""Refuse claims that cannot fail.

Each part of a claim that holds is evaluated again with many other values. A part that holds for all of them says
nothing about what the scenes computed. Single numbers become exact fractions first, so that no tautology fails because
of rounding.
"""

import ast
import copy
import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from scenebook.claims import _perturbed_values as perturbed_values
from scenebook.claims._evaluation import distance_to_failure, evaluate, fails, widen
from scenebook.claims._operators import CAUTIOUS, CAUTIOUS_WITH_ARRAYS, EXACT, OPERATORS, ClaimError
from scenebook.claims._other_pages import written
from scenebook.claims._table import plain_name
from scenebook.claims._trees import Values, names, replaced

Condition = perturbed_values.Condition[tuple[str, str]]
Search = Callable[[Condition, Values], bool]
"""A search for values with which a condition fails."""
MOST_SEARCHES = 12
"""At how many settings a part is tried with all values, if it reads differently at each of them."""


@dataclass(frozen=True)
class Case:
    """What a part of a claim says at one setting.

    The scenes could compute other `values`. The `fixed` ones are parameters.
    """

    part: ast.expr
    values: Values
    fixed: Values


def refuse(part: ast.expr, cases: Iterable[Case]) -> None:
    """Raise `ClaimError` if a part of a claim holds whatever the scenes compute, in each of the cases."""
    if not names(part):
        raise ClaimError(f"cannot fail: {written(part)!r} uses no value; compare something that a scene computes")
    distinct = _distinct(filter(None, map(_undecided, cases)))
    first = next(distinct, None)
    if first is None:
        reason = f"parameters alone decide {written(part)!r}"
        raise ClaimError(f"cannot fail: {reason}; claim something about what a scene computes")
    if not (_can_fail(first) or _any_can_fail(tuple(distinct))):
        reason = f"{written(part)!r} holds whatever the scenes compute"
        raise ClaimError(f"cannot fail: {reason}; claim something that could be false")


def _any_can_fail(cases: tuple[Case, ...]) -> bool:
    """Return whether one of many cases can fail: all are tried with a few values, some with all."""
    some = cases[:: len(cases) // MOST_SEARCHES + 1]
    return any(_can_fail(case, search=perturbed_values.can_fail_nearby) for case in cases) or any(map(_can_fail, some))


def _undecided(case: Case) -> Case | None:
    """Leave out what parameters decide, such as the second half of `s.x > 0 or s.d_k == 8`; None if that is all."""

    def undecided(node: ast.expr) -> ast.expr | None:
        return _shortened(node, undecided, case.fixed) if isinstance(node, ast.BoolOp) else None

    part = replaced(case.part, undecided) if case.fixed else case.part
    used = names(part)
    values = {name: value for name, value in case.values.items() if name in used}
    return Case(part, values, {name: case.fixed[name] for name in used if name in case.fixed}) if values else None


def _shortened(node: ast.BoolOp, undecided: Callable[[ast.expr], ast.expr | None], fixed: Values) -> ast.expr:
    """Return an `and` or `or` without the operands that parameters decide, or what they decide."""
    absorbing = isinstance(node.op, ast.Or)
    operands = [replaced(operand, undecided) for operand in node.values]
    truths = [_truth(operand, fixed) for operand in operands]
    if absorbing in truths:
        return ast.Constant(absorbing)
    left = [operand for operand, truth in zip(operands, truths, strict=True) if truth is None]
    return ast.BoolOp(node.op, left) if len(left) > 1 else left[0] if left else ast.Constant(not absorbing)


def _truth(operand: ast.expr, fixed: Values) -> bool | None:
    """Return whether an expression over parameters is true; None if it has other values or no answer."""
    if any(name not in fixed for name in names(operand)):
        return None
    with suppress(ClaimError, ValueError):
        return bool(evaluate(operand, fixed))
    return None


def _distinct(cases: Iterable[Case]) -> Iterator[Case]:
    """Leave out cases that say the same as an earlier one, except for what the scenes computed."""
    seen = set()
    for case in cases:
        form = ast.dump(case.part)
        for place, (_, name) in enumerate(names(case.part)):
            form = form.replace(repr(name), repr(f"{plain_name(name)[0]} {place}"))
        key = form, repr(list(case.fixed.values())), tuple(map(_kind, case.values.values()))
        if key not in seen:
            seen.add(key)
            yield case


def _kind(value: Any) -> tuple[Any, ...]:
    return type(value), getattr(value, "shape", None), len(value) if isinstance(value, tuple) else None


def _can_fail(case: Case, search: Search = perturbed_values.can_fail) -> bool:
    exact = _exact(case)
    easier, itself = _easier_conditions(exact.part), (exact.part,)
    alternatives = [easier] if _has_array(exact) else [easier, itself]
    return any(
        all(search(_condition(part, exact), exact.values) for part in conditions)
        for conditions in dict.fromkeys(alternatives)
    )


def _condition(condition: ast.expr, case: Case) -> Condition:
    part, fixed = case.part, case.fixed
    called = {node.func.id for node in ast.walk(part) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    near, far = (OPERATORS, CAUTIOUS_WITH_ARRAYS) if _has_array(case) else (EXACT, CAUTIOUS)
    return Condition(
        fails=lambda perturbed: fails(condition, {**fixed, **perturbed}, near),
        clearly_fails=lambda perturbed: fails(condition, {**fixed, **perturbed}, far),
        distance=lambda perturbed: distance_to_failure(condition, {**fixed, **perturbed}),
        constants=[*_constants(part), *fixed.values()],
        uses_length="len" in called,
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


def _has_array(case: Case) -> bool:
    return any(hasattr(value, "ndim") for value in (*case.values.values(), *case.fixed.values()))


def _exact(case: Case) -> Case:
    """Replace floats by equal fractions, unless one of the values is an array."""
    values, fixed = ({name: widen(value) for name, value in group.items()} for group in (case.values, case.fixed))
    if _has_array(case):
        return Case(case.part, values, fixed)
    part = copy.deepcopy(case.part)
    for node in ast.walk(part):
        if isinstance(node, ast.Constant):
            node.value = _fraction(node.value)
    values, fixed = ({name: _fraction(value) for name, value in group.items()} for group in (values, fixed))
    return Case(part, values, fixed)


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
