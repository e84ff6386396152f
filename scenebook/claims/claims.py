"""Claims: sentences a page stands for, each with an expression over values that the build evaluates.

The language is Python's arithmetic and comparisons, `in`, and/or/not, over `scene.value` and its elements
(`scene.value[0]`), elementwise on arrays, where `&`, `|` and `~` join truth values; with the functions `abs min max all
any len round close`. Nothing else can be written. What has no answer is an error, never false: a comparison with NaN
is neither true nor false, so a scene says with a truth value what it found.

A claim also has to be able to fail. `check` evaluates each of its parts (what `and` joins, and each link of
`a < b < c`) again over values that were bent in many ways; one that holds whatever the scenes compute says nothing and
is refused. Single numbers are bent as exact fractions, so that rounding makes no tautology look honest.
"""

import ast
import builtins
import copy
import math
import operator
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from scenebook.claims import _perturbation as perturbation
from scenebook.core import number_format

if TYPE_CHECKING:
    from scenebook.core.values import Value

Names = Mapping[tuple[str, str], "Value"]
Operators = dict[type[ast.AST], Callable[..., Any]]
LONGEST = 1000  # characters; deeper nesting than these can hold does not exhaust the stack
MOST_BITS = 100_000  # of an integer power
MOST_DIGITS = 308  # of an integer that is told
TOO_CLOSE = 1e-9  # relative; less could be rounding


@dataclass(frozen=True)
class ClaimResult:
    """What became of a claim: `holds`, or why not; `margin` is how far its nearest inequality is from tipping."""

    holds: bool
    margin: float | None = None
    message: str = ""


class ClaimError(Exception):
    """An expression that cannot be evaluated, told for its author."""


def close(a: Any, b: Any, rel: float = 1e-9, abs: float = 0.0) -> bool:
    """Whether a and b, or all their elements, differ by at most `rel` of the larger magnitude or by at most `abs`."""
    gap = builtins.abs(_known(a) - _known(b))
    return _every((gap <= rel * builtins.abs(a)) | (gap <= rel * builtins.abs(b)) | (gap <= abs))


def names(expression: str) -> tuple[tuple[str, str], ...]:
    """The values an expression names, as (scene, value), in order of appearance.

    Raises `ClaimError` for what is not an expression of the claims' language.
    """
    return _names(_parse(expression))


def check(expression: str, values: Names) -> ClaimResult:
    """Evaluate a claim over the values that `names` found in it.

    Raises `ClaimError` when it has no verdict, or could not have another one.
    """
    tree = _parse(expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what overflows or divides by zero is told as inf or NaN, if it matters
        holds = _verdict(tree, values)
        parts = tuple(_parts(tree))
        for part in parts if holds else ():
            _refuse_emptiness(part, values)
        margins = [margin for part in parts if (margin := _margin(part, values)) is not None]
    return ClaimResult(holds, min(margins, default=None), "" if holds else f"is false: {_told(values)}")


def _parse(expression: str) -> ast.expr:
    if len(expression) > LONGEST:
        raise ClaimError(f"is longer than {LONGEST} characters; have the scene compute it")
    try:
        tree = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        told = f"is not an expression: {getattr(error, 'msg', error)}"
        slip = re.search("=[<>]|<>|(?<![<>=!])=(?![=<>])", expression)
        raise ClaimError(told + (f"; '{slip[0]}' does not compare, but ==, !=, <= and >= do" if slip else "")) from None
    for node in ast.walk(tree):
        if message := _not_of_the_language(node):
            raise ClaimError(f"is no claim: {message}")
    return tree


_LANGUAGE = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Call, ast.keyword, ast.Name, ast.Attribute, ast.Constant),
    *(ast.Subscript, ast.Slice, ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context),
)


def _not_of_the_language(node: ast.AST) -> str | None:
    match node:
        case ast.Attribute(value=ast.Name()):
            return None
        case ast.Attribute(attr=name):
            return f"'.{name}' is not allowed; only scene.value is, and the scene computes the rest"
        case ast.Call(func=ast.Name(id=name)):
            return None if name in _FUNCTIONS else f"'{name}' is not a function of claims; these are: {_ALL_FUNCTIONS}"
        case ast.Call():
            return f"{ast.unparse(node.func)!r} is not a function of claims; these are: {_ALL_FUNCTIONS}"
        case ast.keyword(arg=name) if name not in ("rel", "abs"):
            return f"'{name or '**'}' is not an argument of a function of claims"
        case ast.Constant(value=value) if not isinstance(value, bool | int | float | str):
            return f"{ast.unparse(node)!r} is not a number, a text or a truth value"
        case ast.operator() | ast.unaryop() | ast.cmpop() if type(node) not in _OPERATORS:
            return f"'{type(node).__name__}' is not an operator of claims"
    return None if isinstance(node, _LANGUAGE) else f"{ast.unparse(node)!r} is not part of the language of claims"


def _names(tree: ast.AST) -> tuple[tuple[str, str], ...]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return tuple(dict.fromkeys((node.value.id, node.attr) for node in found if isinstance(node.value, ast.Name)))


def _parts(tree: ast.expr) -> Iterator[ast.expr]:
    """What must all hold for the claim to hold: what `and` joins, and the links of chained comparisons."""
    if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And):
        for value in tree.values:
            yield from _parts(value)
    elif isinstance(tree, ast.Compare) and len(tree.ops) > 1:
        sides = (tree.left, *tree.comparators)
        for left, compared, right in zip(sides, tree.ops, sides[1:], strict=False):
            yield ast.Compare(left, [compared], [right])
    else:
        yield tree


def _refuse_emptiness(part: ast.expr, values: Names) -> None:
    """Raise `ClaimError` where a part of a claim holds whatever is computed."""
    named: Names = {name: values[name] for name in _names(part)}
    if not named:
        raise ClaimError(f"cannot fail: {ast.unparse(part)!r} names no value; compare what a scene computes")
    exact, numbers = _exact(part, {name: _wide(value) for name, value in named.items()})
    ways = [_doubts(exact), (exact,)] if _is_exact(numbers) else [_doubts(exact)]
    if not any(all(_can_fail(doubt, exact, numbers) for doubt in doubts) for doubts in dict.fromkeys(ways)):
        told = ast.unparse(part)
        raise ClaimError(f"cannot fail: {told!r} holds whatever the scenes compute; claim what could be false")


def _can_fail(doubt: ast.expr, part: ast.expr, values: Names) -> bool:
    called = {node.func.id for node in ast.walk(part) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return perturbation.can_fail(
        perturbation.Doubt(
            near=lambda bent: _fails(doubt, bent, _EXACTLY),
            far=lambda bent: _fails(doubt, bent, _CAUTIOUS),
            gap=lambda bent: _gap(doubt, bent),
            constants=_constants(part),
            lengths="len" in called,
        ),
        values,
    )


def _doubts(part: ast.expr) -> tuple[ast.expr, ...]:
    """What must all be able to fail, for the part to be.

    No bending meets the one point at which `a != b` fails, or the gap in which `abs(a) > b` does. But where a can be
    both above and below, it can be there.
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


def _is_exact(values: Names) -> bool:
    return not any(hasattr(value, "ndim") for value in values.values())


def _exact(part: ast.expr, values: Names) -> tuple[ast.expr, Names]:
    """Floats as the fractions they are, where there are no arrays."""
    if not _is_exact(values):
        return part, values
    part = copy.deepcopy(part)
    for node in ast.walk(part):
        if isinstance(node, ast.Constant):
            node.value = _fraction(node.value)
    return part, {name: _fraction(value) for name, value in values.items()}


def _fraction(value: Any) -> Any:
    return Fraction(value) if isinstance(value, float) and math.isfinite(value) else value


def _evaluate(tree: ast.expr, values: Names, operators: Operators | None = None) -> Any:
    import simpleeval

    scenes: dict[str, SimpleNamespace] = {}
    for (scene, name), value in values.items():
        setattr(scenes.setdefault(scene, SimpleNamespace()), name, _wide(value))
    evaluator = simpleeval.SimpleEval(operators or _OPERATORS, _FUNCTIONS, scenes)
    try:
        return evaluator.eval("", previously_parsed=tree)
    except ClaimError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever an expression does is its author's to mend
        raise ClaimError(_explained(error)) from None


def _wide(value: Any) -> Any:
    """Small integers of arrays as 64 bits, so that arithmetic does not wrap around."""
    small = getattr(value, "dtype", None) is not None and value.dtype.kind in "iu" and value.dtype.itemsize < 8
    return value.astype("int64") if small else value


def _explained(error: Exception) -> str:
    if type(error).__name__ == "NameNotDefined":
        return f"'{getattr(error, 'name', '')}' stands alone; write scene.value"
    if "truth value of an array" in str(error):
        return "and, or, not and a < b < c need single values; reduce arrays with all(...) or any(...)"
    return f"cannot be evaluated: {error}"


def _verdict(tree: ast.expr, values: Names, operators: Operators | None = None) -> bool:
    result = number_format.plain(_evaluate(tree, values, operators))
    if isinstance(result, bool):
        return result
    if getattr(result, "ndim", 0):
        raise ClaimError(f"gives an array of shape {result.shape}; reduce it with all(...) or any(...)")
    raise ClaimError(f"gives {_shown(result)}, not true or false; compare it with something")


def _margin(part: ast.expr, values: Names) -> float | None:
    """How far the two sides of an inequality are apart (the nearest elements of arrays); None for the rest."""
    match part:
        case ast.Call(func=ast.Name(id="all"), args=[ast.Compare() as inner]):
            part = inner
    match part:
        case ast.Compare(left=left, ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], comparators=[right]):
            try:
                gap = abs(_evaluate(left, values) - _evaluate(right, values))
                least = float(gap.min() if hasattr(gap, "min") else gap)
            except (ClaimError, TypeError, ValueError, ArithmeticError):
                return None
            return least if math.isfinite(least) else None
    return None


def _told(values: Names) -> str:
    return ", ".join(f"{scene}.{name} is {_shown(value)}" for (scene, name), value in values.items())


def _shown(value: Any) -> str:
    if isinstance(value, tuple | list):
        return f"a list of {len(value)} texts"
    if getattr(value, "ndim", 0):
        extent = f" from {number_format.show(value.min())} to {number_format.show(value.max())}" if value.size else ""
        return f"an array of shape {value.shape}{extent}"
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else f"{value[:57]}...")
    value = number_format.plain(value)
    if isinstance(value, int) and abs(value) >= 10**MOST_DIGITS:
        return f"an integer of more than {MOST_DIGITS} digits"
    return number_format.show(value) if isinstance(value, bool | int | float) else "what is no value"


def _fails(tree: ast.expr, values: Names, operators: Operators | None = None) -> bool:
    """Whether the verdict is no; without a verdict nothing is known."""
    try:
        return not _verdict(tree, values, operators)
    except ClaimError:
        return False


def _gap(tree: ast.expr, values: Names) -> float | None:
    """How far an inequality is from failing; None for the rest."""
    match tree:
        case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
            sides = left, right
        case ast.Compare(left=right, ops=[ast.Lt() | ast.LtE()], comparators=[left]):
            sides = left, right
        case _:
            return None
    try:
        gap = float(operator.sub(*(_evaluate(side, values) for side in sides)))
    except (ClaimError, TypeError, ValueError, ArithmeticError):
        return None
    return gap if math.isfinite(gap) else None


def _constants(tree: ast.expr) -> list[Any]:
    """What parts of an expression are that name no value: its constants, and what is calculated from them alone."""
    parts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant | ast.BinOp | ast.UnaryOp))
    found = []
    for part in parts:
        if not _names(part):
            with suppress(ClaimError):
                found.append(_evaluate(part, {}))
    return found


def _known(value: Any) -> Any:
    """A value that can be compared; NaN cannot."""
    if not isinstance(value, str | tuple):
        strange = value != value  # as of all numbers only NaN is
        if strange if isinstance(strange, bool) else getattr(strange, "any", bool)():
            raise ClaimError("compares NaN, which is neither true nor false; have the scene say what it found")
    return value


def _comparing(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda a, b: compare(_known(a), _known(b))


def _cautious(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The same comparison, without an answer where the two sides are as good as equal, or infinite."""

    def compared(a: Any, b: Any) -> Any:
        if any(isinstance(side, float) or getattr(getattr(side, "dtype", None), "kind", "") == "f" for side in (a, b)):
            larger = (abs(a) + abs(b)) * TOO_CLOSE
            near = (abs(a - b) <= larger) & (larger > 0)
            if near.any() if hasattr(near, "any") else near:
                raise ClaimError("compares what rounding may have made equal")
        return compare(_known(a), _known(b))

    return compared


def _calculating(calculate: Callable[..., Any]) -> Callable[..., Any]:
    def checked(*operands: Any) -> Any:
        if any(isinstance(operand, str | tuple) for operand in operands):
            raise ClaimError("calculates with a text or a list of texts; these can only be compared")
        return calculate(*operands)

    return checked


def _power(base: Any, exponent: Any) -> Any:
    if isinstance(base, int | Fraction) and isinstance(exponent, int | Fraction):
        bits = max(base.numerator.bit_length(), base.denominator.bit_length())
        if abs(Fraction(exponent)) * bits > MOST_BITS:
            raise ClaimError("has a power of too many digits")
    result = base**exponent
    if isinstance(result, complex):
        raise ClaimError("takes a root of a negative number")
    return result


def _exact_quotient(a: Any, b: Any) -> Any:
    return Fraction(a) / b if isinstance(a, int) and isinstance(b, int) else a / b


def _exact_power(base: Any, exponent: Any) -> Any:
    """A power that is not rounded, or at least not to 0."""
    base = Fraction(base) if isinstance(base, int) else base
    result = _power(base, exponent)
    if isinstance(result, float) and result == 0 != base:
        raise ClaimError("has a power that is too small")
    return result


def _any_power(base: Any, exponent: Any) -> Any:
    """A power that is rounded where it has too many digits."""
    try:
        return _exact_power(base, exponent)
    except ClaimError:
        return _exact_power(float(base), float(exponent))


def _reduced(name: str) -> Callable[..., Any]:
    """Python's own function for plain values, the array's method for arrays."""

    def function(first: Any, *rest: Any) -> Any:
        if not rest and hasattr(first, name):
            return getattr(first, name)()
        return getattr(builtins, name)(first, *rest)

    return function


def _rounded(value: Any, digits: int = 0) -> Any:
    """The number, or each of an array, with so many decimal places."""
    if abs(digits) > MOST_DIGITS:
        raise ClaimError(f"rounds to more than {MOST_DIGITS} digits")
    return value.round(digits) if hasattr(value, "round") else round(value, digits)


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
    "round": _rounded,
    "close": close,
}
_ALL_FUNCTIONS = ", ".join(_FUNCTIONS)
_COMPARISONS = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_CALCULATIONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.Invert: lambda value: not value if isinstance(value, bool) else ~value,
}
_OPERATORS: Operators = {
    **{symbol: _comparing(compare) for symbol, compare in _COMPARISONS.items()},
    **{symbol: _calculating(calculate) for symbol, calculate in _CALCULATIONS.items()},
    ast.In: lambda item, group: item in group,
    ast.NotIn: lambda item, group: item not in group,
    ast.Not: operator.not_,
}
_EXACTLY: Operators = {**_OPERATORS, ast.Div: _calculating(_exact_quotient), ast.Pow: _calculating(_exact_power)}
"""For fractions, which stay what they are."""
_CAUTIOUS: Operators = {
    **_EXACTLY,
    **{symbol: _cautious(compare) for symbol, compare in _COMPARISONS.items()},
    ast.Pow: _calculating(_any_power),
}
"""For values of any size, where rounding could decide."""
