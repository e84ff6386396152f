"""What can be done with the tree of any expression: find the values in it, split it, replace parts of it."""

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scenebook.core.values import Value

Values = Mapping[tuple[str, str], "Value"]
"""Values by (scene, name)."""


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


def replaced(tree: ast.expr, other: Callable[[ast.expr], ast.expr | None]) -> ast.expr:
    """Return a copy of a tree in which `other(node)` stands for each node of which it is not None."""
    found = other(tree)
    return _copy(tree, other) if found is None else found


def _copy(node: Any, other: Callable[[ast.expr], ast.expr | None]) -> Any:
    fields = {name: _copied_field(value, other) for name, value in ast.iter_fields(node)}
    return ast.copy_location(type(node)(**fields), node)


def _copied_field(value: Any, other: Callable[[ast.expr], ast.expr | None]) -> Any:
    if isinstance(value, list):
        return [_copied_field(each, other) for each in value]
    if isinstance(value, ast.expr):
        return replaced(value, other)
    return _copy(value, other) if isinstance(value, ast.keyword) else value
