"""Find out whether a changed claim lets more pass than before.

That is so if a part of it is gone, if it is checked at fewer settings, or if a bound has moved away. A claim that was
rewritten in another way is neither weaker nor stronger.
"""

import ast
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any

from scenebook.claims import claims
from scenebook.review._built_site import BuiltClaim

Values = Mapping[tuple[str, str], Any]
_LARGER = (ast.Gt, ast.GtE)
_SMALLER = (ast.Lt, ast.LtE)


def is_weaker(before: BuiltClaim, after: BuiltClaim, values: Values) -> bool:
    """Return whether a claim lets more pass than before, judged with the values after the change where they matter."""
    if before.at is not None and after.at is not None and before.at.items() < after.at.items():
        return True
    try:
        old, new = (list(claims.parts(ast.parse(claim.check, mode="eval").body)) for claim in (before, after))
    except SyntaxError:
        return False
    same = {ast.dump(part) for part in old} & {ast.dump(part) for part in new}
    old, new = ([part for part in parts if ast.dump(part) not in same] for parts in (old, new))
    return any(_is_weaker(was, now, values) for was, now in zip_longest(old, new) if was)


def _is_weaker(before: ast.expr, after: ast.expr | None, values: Values) -> bool:
    match before, after:
        case _, None:
            return True
        case _, ast.BoolOp(op=ast.Or(), values=choices):
            return any(ast.dump(choice) == ast.dump(before) for choice in choices)
        case ast.Call(func=ast.Name(id="all")), ast.Call(func=ast.Name(id="any")):
            return ast.dump(ast.Tuple(before.args)) == ast.dump(ast.Tuple(after.args))
        case ast.Call(func=ast.Name(id="all"), args=[one]), ast.Call(func=ast.Name(id="all"), args=[other]):
            return _is_weaker(one, other, values)
        case ast.Call(func=ast.Name(id="close")), ast.Call(func=ast.Name(id="close")):
            return _has_larger_number(before, after)
        case ast.Compare(), ast.Compare():
            return _has_weaker_bound(before, after, values)
    return False


def _has_larger_number(before: ast.Call, after: ast.Call) -> bool:
    """Whether `close(...)` has the same two sides and more tolerance."""
    if [ast.dump(side) for side in before.args[:2]] != [ast.dump(side) for side in after.args[:2]]:
        return False
    old, new = (_tolerances(call) for call in (before, after))
    return any(new[name] > old.get(name, 0.0) for name in new)


def _tolerances(call: ast.Call) -> dict[str | None, float]:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    named |= dict(zip(("rel", "abs"), call.args[2:], strict=False))
    return {name: number for name, value in named.items() if (number := _number(value)) is not None}


def _has_weaker_bound(before: ast.Compare, after: ast.Compare, values: Values) -> bool:
    old, new = _sides(before), _sides(after)
    if old and new:
        (larger, smaller, strict), (other_larger, other_smaller, other_strict) = old, new
        same = [ast.dump(one) == ast.dump(other) for one, other in ((larger, other_larger), (smaller, other_smaller))]
        if all(same):
            return strict and not other_strict
        bounds = (other_larger, larger) if same[1] else (smaller, other_smaller) if same[0] else (None, None)
        more, less = map(_number, bounds)
        return more > less if more is not None and less is not None else _has_more_room(before, after, values)
    sides = [{ast.dump(tree.left), ast.dump(tree.comparators[0])} for tree in (before, after)]
    return isinstance(before.ops[0], ast.Eq) and bool(new) and sides[0] == sides[1]


def _sides(tree: ast.Compare) -> tuple[ast.expr, ast.expr, bool] | None:
    """Return the side of an inequality that is larger, the other one, and whether they may not be equal."""
    operator, left, right = tree.ops[0], tree.left, tree.comparators[0]
    strict = isinstance(operator, ast.Gt | ast.Lt)
    if isinstance(operator, _LARGER):
        return left, right, strict
    return (right, left, strict) if isinstance(operator, _SMALLER) else None


def _number(tree: ast.expr | None) -> float | None:
    """Return a number as it is written; None for any other expression."""
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return None if (number := _number(tree.operand)) is None else -number
    if isinstance(tree, ast.Constant) and isinstance(tree.value, int | float):
        return float(tree.value)
    return None


def _has_more_room(before: ast.expr, after: ast.expr, values: Values) -> bool:
    """Whether the same inequality with other numbers in it has a larger margin with the same values."""
    if _without_numbers(before) != _without_numbers(after):
        return False
    old, new = (_margin(tree, values) for tree in (before, after))
    return old is not None and new is not None and new > old


def _without_numbers(tree: ast.expr) -> str:
    """Return an expression with 0 for each of its numbers."""
    other = ast.parse(ast.unparse(tree), mode="eval")
    for node in ast.walk(other):
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
            node.value = 0
    return ast.dump(other)


def _margin(tree: ast.expr, values: Values) -> float | None:
    try:
        return claims.check(ast.unparse(tree), values).margin
    except (claims.ClaimError, KeyError):
        return None
