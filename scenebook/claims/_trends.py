"""`increasing` and `decreasing`: an expression at all points of a control, each compared with the next one."""

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from typing import Any, NamedTuple

from scenebook.claims import _moves as moves
from scenebook.claims._evaluation import evaluate
from scenebook.claims._operators import OPERATORS, ClaimError
from scenebook.claims._other_pages import written
from scenebook.claims._table import Numbers, Table, read_at
from scenebook.core import number_format

_KINDS = {bool: "a truth value", str: "a text", tuple: "a list of texts"}


class Line(NamedTuple):
    """The settings along a control, with what is known of the numbers there.

    `wrong` is the place of the first number that the next one does not follow as it should. `closest` is the size of
    the smallest step, negative if it goes the wrong way, and the setting where it begins.
    """

    numbers: tuple[int, ...]
    wrong: int | None
    closest: tuple[float, int] | None


@dataclass(frozen=True)
class Trends:
    """The trends in claims about a table. Each line is evaluated once, although many settings lie on it."""

    table: Table
    _lines: dict[tuple[ast.Call, int], Line] = field(default_factory=dict, repr=False)

    def line(self, call: ast.Call, here: Numbers) -> Line:
        """Return the line through where the scenes stand; raises `ClaimError` if there is none."""
        scene, param = moves.scene(call), moves.along(call)
        first = self.table.moved(here, scene, {param: self.table.points(scene, param)[0]})
        key = call, first[scene]
        if key not in self._lines:
            self._lines[key] = self._evaluated(call, first)
        return self._lines[key]

    def _evaluated(self, call: ast.Call, here: Numbers) -> Line:
        scene = moves.scene(call)
        numbers = self.table.of(scene).along(here[scene], moves.along(call))
        values = tuple(self._number(call, {**here, scene: number}) for number in numbers)
        compare = OPERATORS[moves.TRENDS[moves.function(call)]]
        wrong = (place for place, pair in enumerate(pairwise(values)) if not compare(*pair))
        sign = 1 if moves.TRENDS[moves.function(call)] is ast.Lt else -1
        differences = (sign * (right - left) for left, right in pairwise(values))
        steps = zip(differences, numbers, strict=False)
        return Line(numbers, next(wrong, None), min((step for step in steps if isfinite(step[0])), default=None))

    def _number(self, call: ast.Call, here: Numbers) -> Any:
        tree = self.read(call.args[0], here)
        value = number_format.plain(evaluate(tree, self.table.values(tree, here)))
        if isinstance(value, bool) or not isinstance(value, int | float):
            inner = f"{written(call.args[0])!r} is {_KINDS.get(type(value), 'an array')}"
            raise ClaimError(f"cannot be evaluated: {moves.function(call)}(...) needs single numbers, and {inner}")
        return value

    def read(self, tree: ast.expr, home: Numbers) -> ast.expr:
        """Return an expression as it reads at a setting, with truth values for its trends."""
        if not moves.found(tree):
            return tree

        def truth(call: ast.Call, here: Numbers) -> ast.expr:
            return ast.Constant(self.line(call, here).wrong is None)

        return read_at(tree, self.table, home, home, truth)

    def read_steps(self, tree: ast.expr, home: Numbers, place: Callable[[Line, int], int]) -> ast.expr:
        """Return an expression as it reads at a setting, with a single comparison for each of its trends.

        `place(line, number)` says where on the line, given the number of the setting at which the trend is read.
        """

        def step(call: ast.Call, here: Numbers) -> ast.expr:
            scene, line = moves.scene(call), self.line(call, here)
            first = place(line, self.table.number(scene, here))
            left, right = (
                read_at(call.args[0], self.table, {**here, scene: number}, home, step)
                for number in line.numbers[first : first + 2]
            )
            return ast.Compare(left, [moves.TRENDS[moves.function(call)]()], [right])

        return read_at(tree, self.table, home, home, step)


def first_wrong(line: Line, _: int) -> int:
    """The place of the first step that is wrong, or of the first one."""
    return line.wrong or 0


def nearest(line: Line, number: int) -> int:
    """The place of the step that begins at a setting, or of the one that ends there."""
    return min(line.numbers.index(number), len(line.numbers) - 2)
