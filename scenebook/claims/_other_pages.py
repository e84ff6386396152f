"""Values of other pages in a claim: `{{ slug/scene.name }} > 2`.

Before Python parses a claim, a plain name stands for each pair of braces. In the tree, a value of another page is an
attribute of the name `slug/scene`, as no author can write.
"""

import ast
import re

from scenebook.claims._operators import ClaimError
from scenebook.claims._trees import replaced
from scenebook.core.value_reference import ValueReference, parse

_BRACES = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\{\{(?P<inner>[^{}]*)\}\}")
_STAND_IN = "scene_in_braces_"


def without_braces(expression: str) -> tuple[str, dict[str, str]]:
    """Return an expression with names in place of its braces, and the scene that each name stands for.

    Raises `ClaimError` if something else than a value of another page is between braces.
    """
    scenes: dict[str, str] = {}

    def plain(match: re.Match[str]) -> str:
        if match["inner"] is None:
            return match[0]
        reference = _reference(match["inner"], match[0])
        stand_in = f"{_STAND_IN}{len(scenes)}"
        scenes[stand_in] = reference.scene
        indices = ", ".join(index if _is_number(index) else f"{stand_in}.{index}" for index in reference.indices)
        stat = f".{reference.stat}" if reference.stat else ""
        return f"{stand_in}.{reference.name}{f'[{indices}]' if indices else ''}{stat}"

    return _BRACES.sub(plain, expression), scenes


def with_scenes(tree: ast.expr, scenes: dict[str, str]) -> ast.expr:
    """Return a tree with the scenes that its stand-ins stand for."""

    def scene(node: ast.expr) -> ast.expr | None:
        if isinstance(node, ast.Name) and node.id in scenes:
            return ast.copy_location(ast.Name(scenes[node.id], node.ctx), node)
        return None

    return replaced(tree, scene) if scenes else tree


def written(tree: ast.AST) -> str:
    """Return an expression as an author writes it."""

    def braced(node: ast.expr) -> ast.expr | None:
        match node:
            case ast.Attribute(value=ast.Name(id=scene), attr=name) if "/" in scene:
                return ast.Name(f"{{{{ {scene}.{name} }}}}")
        return None

    return ast.unparse(replaced(tree, braced) if isinstance(tree, ast.expr) else tree)


def _reference(inner: str, braces: str) -> ValueReference:
    found = parse(inner)
    if found is None:
        raise ClaimError(f"is not a claim: {braces!r} is not a value; write {{{{ page-slug/scene.name }}}}")
    value = f"{found.scene}.{found.name}"
    if "/" not in found.scene:
        raise ClaimError(f"is not a claim: braces are for values of other pages; write {value} without them")
    if found.pins:
        points = ", ".join(f"{param}={point}" for param, point in found.pins)
        raise ClaimError(f"is not a claim: {braces!r} names a setting; write at({{{{ {value} }}}}, {points})")
    if ":" in inner:
        raise ClaimError(f"is not a claim: {braces!r} has a format; write {{{{ {value} }}}}, with all of its digits")
    return found


def _is_number(index: str) -> bool:
    return not index.isidentifier()
