"""The parts of a claim that name other settings of a scene: `at`, `increasing` and `decreasing`.

`at(s.x, d_k=4)` is an expression at another setting. `increasing(s.x, along="d_k")` compares an expression at all
points of a control. Here is their syntax; what they mean is in `_table.py` and `_trends.py`.
"""

import ast
from typing import TYPE_CHECKING, TypeGuard

from scenebook.claims._other_pages import written
from scenebook.claims._trees import names

if TYPE_CHECKING:
    from scenebook.core.values import Scalar

TRENDS: dict[str, type[ast.cmpop]] = {"increasing": ast.Lt, "decreasing": ast.Gt}
"""The functions that compare along a control, and how each value compares with the next one."""
MOVES = ("at", *TRENDS)
_TRUTHS = {"true": True, "false": False}


def is_move(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node names other settings."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MOVES


def found(tree: ast.AST) -> list[ast.Call]:
    """Return the moves in a tree."""
    return list(filter(is_move, ast.walk(tree)))


def is_trend(node: ast.AST) -> TypeGuard[ast.Call]:
    """Return whether a node compares along a control."""
    return is_move(node) and function(node) in TRENDS


def function(call: ast.AST) -> str:
    """Return which function a move calls."""
    match call:
        case ast.Call(func=ast.Name(id=name)):
            return name
    raise AssertionError(f"{ast.dump(call)} calls no function by name")


def refusal(call: ast.Call) -> str | None:
    """Return why a claim may not contain a move as it is written; None if it may."""
    name = function(call)
    reason = _refused_trend(call, name) if name in TRENDS else _refused_at(call)
    return reason or _refused_scenes(call.args[0], name)


def _refused_at(call: ast.Call) -> str | None:
    if len(call.args) != 1 or not call.keywords or any(keyword.arg is None for keyword in call.keywords):
        return f"{written(call)!r} does not say where; write at(scene.value, control=point)"
    named = [keyword.arg for keyword in call.keywords]
    if again := next((name for place, name in enumerate(named) if name in named[:place]), None):
        return f"at(...) sets '{again}' twice"
    for keyword in call.keywords:
        if _constant(keyword.value) is None:
            return f"{written(keyword)!r} sets no number, text in quotes, true or false"
    return None


def _refused_trend(call: ast.Call, name: str) -> str | None:
    match call:
        case ast.Call(args=[_], keywords=[ast.keyword(arg="along", value=ast.Constant(value=str()))]):
            return None
    return f"{written(call)!r} does not say along which control; write {name}(scene.value, along='control')"


def _refused_scenes(inner: ast.expr, name: str) -> str | None:
    scenes = sorted({scene for scene, _ in names(inner)})
    if not scenes:
        return f"{name}(...) needs a value; write scene.value, not {written(inner)!r}"
    if len(scenes) > 1:
        return f"{name}(...) takes values of one scene; {written(inner)!r} has values of {' and '.join(scenes)}"
    return None


def scene(call: ast.Call) -> str:
    """Return the scene whose other settings a move names."""
    return names(call.args[0])[0][0]


def changes(call: ast.Call) -> "dict[str, Scalar]":
    """Return what `at` sets, by control."""
    return {str(keyword.arg): value for keyword in call.keywords if (value := _constant(keyword.value)) is not None}


def along(call: ast.Call) -> str:
    """Return the control along which a move compares."""
    return str(ast.literal_eval(call.keywords[0].value))


def controls(call: ast.Call) -> frozenset[str]:
    """Return the controls of which a move names other points."""
    return frozenset({along(call)} if is_trend(call) else changes(call))


def _constant(node: ast.expr) -> "Scalar | None":
    """Return the point that an argument names; None if it is not a constant. Truth values can be as in YAML."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Name(id=name):
            return _TRUTHS.get(name)
    return None
