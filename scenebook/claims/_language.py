"""The syntax of claims: a small part of Python's expressions.

An expression is parsed by Python, and every node of its tree is checked against what a claim may contain.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from scenebook.claims._operators import FUNCTIONS, OPERATORS, ClaimError

if TYPE_CHECKING:
    from scenebook.core.values import Value

Values = Mapping[tuple[str, str], "Value"]
"""Values by (scene, name)."""

MAX_LENGTH = 1000
"""The longest expression, in characters. It cannot be nested deeply enough to exhaust the stack."""

_ALLOWED = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword, ast.Name, ast.Attribute, ast.Constant),
    *(ast.Subscript, ast.Slice, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)
_FUNCTION_NAMES = ", ".join(FUNCTIONS)


def parse(expression: str) -> ast.expr:
    """Return the tree of an expression; raises `ClaimError` if it is not in the language of claims."""
    if len(expression) > MAX_LENGTH:
        raise ClaimError(f"is longer than {MAX_LENGTH} characters; have the scene compute it")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        message = f"is not an expression: {getattr(error, 'msg', error)}"
        typo = re.search("=[<>]|<>|(?<![<>=!])=(?![=<>])", expression)
        advice = f"; '{typo[0]}' is not a comparison, write ==, !=, <= or >=" if typo else ""
        raise ClaimError(message + advice) from None
    for node in ast.walk(tree):
        if reason := _refusal(node):
            raise ClaimError(f"is not a claim: {reason}")
    return tree


def _refusal(node: ast.AST) -> str | None:
    """Return why a claim may not contain a node; None if it may."""
    match node:
        case ast.Attribute(value=ast.Name()):
            return None
        case ast.Attribute(attr=name):
            return f"'.{name}' is not allowed; write scene.value, and have the scene compute the rest"
        case ast.Call(func=ast.Name(id=name)):
            return None if name in FUNCTIONS else f"'{name}' is not a function for claims; use {_FUNCTION_NAMES}"
        case ast.Call():
            return f"{ast.unparse(node.func)!r} is not a function for claims; use {_FUNCTION_NAMES}"
        case ast.keyword(arg=name) if name not in ("rel", "abs"):
            return f"functions for claims take no argument '{name or '**'}'"
        case ast.Constant(value=value) if not isinstance(value, bool | int | float | str):
            return f"{ast.unparse(node)!r} is not a number, a text or a truth value"
        case ast.operator() | ast.unaryop() | ast.cmpop() if type(node) not in OPERATORS:
            return f"the operator '{type(node).__name__}' is not allowed"
    return None if isinstance(node, _ALLOWED) else f"{ast.unparse(node)!r} is not allowed"


def names(tree: ast.AST) -> tuple[tuple[str, str], ...]:
    """Return the values that a tree uses, as (scene, value) in order of appearance."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys((node.value.id, node.attr) for node in found if isinstance(node.value, ast.Name)))


def parts(tree: ast.expr) -> Iterator[ast.expr]:
    """Split a claim into the parts that must all hold: the operands of `and`, and each link of `a < b < c`."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for value in tree.values:
            yield from parts(value)
    elif isinstance(tree, ast.Compare) and len(tree.ops) > 1:
        sides = (tree.left, *tree.comparators)
        for left, operator, right in zip(sides, tree.ops, sides[1:], strict=False):
            yield ast.Compare(left, [operator], [right])
    else:
        yield tree
