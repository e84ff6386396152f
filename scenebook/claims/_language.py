"""The syntax of claims: a small part of Python's expressions.

An expression is parsed by Python, and every node of its tree is checked against what a claim may contain.
"""

import ast
import re

from scenebook.claims import _moves as moves
from scenebook.claims._operators import FUNCTIONS, OPERATORS, ClaimError
from scenebook.claims._other_pages import with_scenes, without_braces, written
from scenebook.claims._trees import replaced
from scenebook.core.spread import NUMBERS, STATS
from scenebook.core.suggestions import did_you_mean
from scenebook.core.values import column

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
    plain, scenes = without_braces(expression.strip())
    try:
        tree = ast.parse(plain, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        message = f"is not an expression: {getattr(error, 'msg', error)}"
        typo = re.search("=[<>]|<>|(?<![<>=!])=(?![=<>])", expression)
        advice = f"; '{typo[0]}' is not a comparison, write ==, !=, <= or >=" if typo else ""
        raise ClaimError(message + advice) from None
    try:
        tree = with_scenes(tree, scenes)
        tree = replaced(tree, _plainer) if any(isinstance(node, ast.Subscript) for node in ast.walk(tree)) else tree
    except RecursionError:
        raise ClaimError("is nested too deeply; have the scene compute it") from None
    _name_stats(tree)
    for node in ast.walk(tree):
        if reason := _refusal(node):
            raise ClaimError(f"is not a claim: {reason}")
    return tree


def _plainer(node: ast.expr) -> ast.expr | None:
    """Return `s.x[i][j]` for `s.x[i, j]`, unless `i` is a range such as `1:3`; None for anything else.

    A column, `s.df["price"]`, becomes an attribute, because it is a value of its own.
    """
    match node:
        case ast.Subscript(value=ast.Attribute(ast.Name() as scene, table), slice=ast.Constant(value=str(key))):
            return ast.copy_location(ast.Attribute(scene, column(table, key), node.ctx), node)
        case ast.Subscript(value=value, slice=ast.Tuple(elts=[*first, last])) if first:
            if not any(isinstance(index, ast.Slice) for index in first):
                for index in (*first, last):
                    value = ast.copy_location(ast.Subscript(value, index, node.ctx), node)
                return replaced(value, _plainer)
    return None


def _name_stats(tree: ast.expr) -> None:
    """Change `s.x.low` and the like in a tree into a value of that name."""
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Attribute(value=ast.Name() as scene, attr=name), attr=stat) if stat in NUMBERS:
                node.value, node.attr = scene, f"{name}.{stat}"


def _refusal(node: ast.AST) -> str | None:
    """Return why a claim may not contain a node; None if it may."""
    match node:
        case ast.Attribute(value=ast.Name()):
            return None
        case ast.Attribute(attr=name):
            return _refused_attribute(name)
        case ast.Call(func=ast.Name(id=name)):
            return moves.refusal(node) if moves.is_move(node) else _refused_function(name, node.keywords)
        case ast.Subscript(slice=ast.Tuple()):
            return f"{written(node)!r} takes a range before its last index; have the scene compute it"
        case ast.Call():
            return f"{written(node.func)!r} is not a function for claims; use {_FUNCTION_NAMES}"
        case ast.Constant(value=value) if not isinstance(value, bool | int | float | str):
            return f"{written(node)!r} is not a number, a text or a truth value"
        case ast.operator() | ast.unaryop() | ast.cmpop() if type(node) not in OPERATORS:
            return f"the operator '{type(node).__name__}' is not allowed"
    return None if isinstance(node, _ALLOWED) else f"{written(node)!r} is not allowed"


def _refused_attribute(name: str) -> str:
    if name in NUMBERS:
        return f"'.{name}' is for a single number of a scene, as in scene.value.{name}"
    if name in STATS:
        return f"'.{name}' is for texts; claims can compare {', '.join(f'.{stat}' for stat in NUMBERS)}"
    return f"'.{name}' is not allowed; write scene.value, and have the scene compute the rest"


def _refused_function(name: str, keywords: list[ast.keyword]) -> str | None:
    if name not in FUNCTIONS:
        hint = did_you_mean(name, (*FUNCTIONS, *moves.MOVES))
        return f"'{name}' is not a function for claims; use {_FUNCTION_NAMES}{hint}"
    unknown = [keyword.arg or "**" for keyword in keywords if keyword.arg not in ("rel", "abs")]
    return f"functions for claims take no argument '{unknown[0]}'" if unknown else None
