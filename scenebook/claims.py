"""Claims: sentences a page stands for, each with an expression over values that the build evaluates.

The language is Python's arithmetic, comparisons and and/or/not over `scene.value`, elementwise on arrays, with the
functions `abs min max all any len round close`. Nothing else can be called or reached (simpleeval walks the
expression).

A claim also has to be able to fail: `check` evaluates it again over values that were bent in many ways, and one that
holds whatever the scenes compute says nothing and is refused.
"""

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import simpleeval

from scenebook import number

if TYPE_CHECKING:
    from scenebook.model import Value

Names = Mapping[tuple[str, str], "Value"]


@dataclass(frozen=True)
class Outcome:
    """What became of a claim: `holds`, or why not; `margin` is how far the comparison is from tipping."""

    holds: bool
    margin: float | None = None
    message: str = ""


class ClaimError(Exception):
    """An expression that cannot be evaluated, told for its author."""


def close(a: Any, b: Any, rel: float = 1e-9, abs: float = 0.0) -> bool:
    """Whether a and b, or all their elements, differ by at most `rel` of the larger magnitude or by at most `abs`."""
    gap = builtins.abs(a - b)
    return _every((gap <= rel * builtins.abs(a)) | (gap <= rel * builtins.abs(b)) | (gap <= abs))


def names(expression: str) -> tuple[tuple[str, str], ...]:
    """The values an expression names, as (scene, value), in order of appearance.

    Raises `ClaimError` for what is not an expression of the claims' language.
    """
    found: dict[tuple[str, str], None] = {}
    for node in ast.walk(_parse(expression)):
        if isinstance(node, ast.Attribute):
            if not isinstance(node.value, ast.Name):
                raise ClaimError(f"'.{node.attr}' is not allowed; only scene.value is, and the scene computes the rest")
            found[node.value.id, node.attr] = None
    return tuple(found)


def check(expression: str, values: Names) -> Outcome:
    """Evaluate a claim over the values that `names` found in it.

    Raises `ClaimError` when it has no verdict, or could not have another one.
    """
    tree = _parse(expression)
    verdict = _verdict(tree, values)
    if not values:
        raise ClaimError("names no value, so it cannot fail; compare what a scene computes")
    if verdict and not any(_fails(tree, bent) for bent in _bent(values)):
        raise ClaimError("holds whatever the scenes compute, so it says nothing; claim something that could be false")
    margin = _margin(tree, values)
    return Outcome(verdict, margin) if verdict else Outcome(verdict, margin, f"is false: {_told(values)}")


def _parse(expression: str) -> ast.expr:
    try:
        return ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise ClaimError(f"is not an expression: {getattr(error, 'msg', error)}") from None


def _evaluate(tree: ast.expr, values: Names) -> Any:
    scenes: dict[str, SimpleNamespace] = {}
    for (scene, name), value in values.items():
        setattr(scenes.setdefault(scene, SimpleNamespace()), name, value)
    evaluator = simpleeval.SimpleEval(functions=_FUNCTIONS, names={**scenes, "True": True, "False": False})
    try:
        return evaluator.eval("", previously_parsed=tree)
    except Exception as error:  # noqa: BLE001 - whatever an expression does is its author's to mend
        raise ClaimError(_explained(error)) from None


def _explained(error: Exception) -> str:
    if isinstance(error, simpleeval.FunctionNotDefined):
        return f"'{error.func_name}' is not a function of claims; these are: {', '.join(_FUNCTIONS)}"
    if isinstance(error, simpleeval.NameNotDefined):
        return f"'{error.name}' alone is not a value; write scene.value"
    if "truth value of an array" in str(error):
        return "and, or, not and a < b < c need single values; reduce arrays with all(...) or any(...)"
    return f"cannot be evaluated: {error}"


def _verdict(tree: ast.expr, values: Names) -> bool:
    result = number.plain(_evaluate(tree, values))
    if isinstance(result, bool):
        return result
    if getattr(result, "ndim", 0):
        raise ClaimError(f"gives an array of shape {result.shape}; reduce it with all(...) or any(...)")
    raise ClaimError(f"gives {number.show(result)}, not true or false; compare it with something")


def _margin(tree: ast.expr, values: Names) -> float | None:
    """How far the two sides of a single comparison are apart (the nearest elements of arrays), else None."""
    if isinstance(tree, ast.Call) and getattr(tree.func, "id", "") == "all" and len(tree.args) == 1:
        tree = tree.args[0]
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return None
    try:
        gap = abs(_evaluate(tree.left, values) - _evaluate(tree.comparators[0], values))
        return float(gap.min() if getattr(gap, "size", 0) else gap)
    except (ClaimError, TypeError, ValueError):
        return None


def _told(values: Names) -> str:
    return ", ".join(f"{scene}.{name} is {_shown(value)}" for (scene, name), value in values.items())


def _shown(value: "Value") -> str:
    if isinstance(value, tuple):
        return f"a list of {len(value)} texts"
    if getattr(value, "ndim", 0):
        return f"an array of shape {value.shape} from {number.show(value.min())} to {number.show(value.max())}"  # type: ignore[union-attr]
    return repr(value) if isinstance(value, str) else number.show(value)


def _bent(values: Names) -> Iterator[Names]:
    """The values with one of them, or all, changed in a way that an honest claim would notice."""
    for bend in _BENDS:
        for name in values:
            yield {**values, name: bend(values[name])}
        yield {name: bend(value) for name, value in values.items()}


def _fails(tree: ast.expr, values: Names) -> bool:
    try:
        return not _verdict(tree, values)
    except ClaimError:
        return True


def _bending(bend: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def bent(value: Any) -> Any:
        if isinstance(value, tuple):
            return (*value, "another")
        if isinstance(value, str):
            return f"{value} otherwise"
        if value is True or value is False or str(getattr(value, "dtype", "")) == "bool":
            return value ^ True
        return bend(value)

    return bent


_BENDS: tuple[Callable[[Any], Any], ...] = tuple(
    map(
        _bending,
        (
            lambda x: -x,
            lambda x: x * 0,
            lambda x: x + 1,
            lambda x: x - 1,
            lambda x: x * 1000,
            lambda x: -x * 1000,
            lambda x: x * 1.5,
            lambda x: x[:0] if getattr(x, "ndim", 0) else x / 1000,
            lambda x: x * 0 + 1e12,
            lambda x: x * 0 - 1e12,
        ),
    )
)


def _reduced(name: str) -> Callable[..., Any]:
    """Python's own function for plain values, the array's method for arrays."""

    def function(first: Any, *rest: Any) -> Any:
        if not rest and hasattr(first, name):
            return getattr(first, name)()
        return getattr(builtins, name)(first, *rest)

    return function


def _every(value: Any) -> bool:
    return bool(value.all()) if hasattr(value, "all") else all(_listed(value))


def _some(value: Any) -> bool:
    return bool(value.any()) if hasattr(value, "any") else any(_listed(value))


def _listed(value: Any) -> Any:
    return value if isinstance(value, list | tuple) else [value]


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "min": _reduced("min"),
    "max": _reduced("max"),
    "all": _every,
    "any": _some,
    "len": len,
    "round": lambda value, digits=0: value.round(digits) if hasattr(value, "round") else round(value, digits),
    "close": close,
}
