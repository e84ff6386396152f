"""A claim at every setting: its verdict, its margin, and its values where it fails."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from scenebook.claims import _evaluation as evaluation
from scenebook.claims import _moves as moves
from scenebook.claims._table import Table
from scenebook.claims._tautologies import Case
from scenebook.claims._trees import parts
from scenebook.claims._trends import Trends, first_wrong, nearest
from scenebook.core.settings import describe


class Margin(NamedTuple):
    """How far an inequality is from failing, negative if it fails, and the number of the setting where that is."""

    size: float
    number: int


@dataclass(frozen=True)
class ClaimEverywhere:
    """A claim, to be read at any setting of the scene that is checked."""

    tree: ast.expr
    trends: Trends

    @property
    def table(self) -> Table:
        """The values that the claim is about."""
        return self.trends.table

    def verdict(self, number: int) -> bool:
        """Return whether the claim is true at a setting; raises `ClaimError` if it is neither true nor false."""
        home = self.table.home(number)
        tree = self.trends.read(self.tree, home)
        return evaluation.verdict(tree, self.table.values(tree, home))

    def margins(self, number: int) -> Iterator[Margin]:
        """Return the margin of each inequality at a setting, and the smallest step of each trend."""
        home = self.table.home(number)
        for part in parts(self.tree):
            if moves.is_trend(part):
                yield from self._smallest_step(part, number)
            else:
                tree = self.trends.read(part, home)
                size = evaluation.margin(tree, self.table.values(tree, home))
                yield from () if size is None else (Margin(size, number),)

    def _smallest_step(self, trend: ast.Call, number: int) -> Iterator[Margin]:
        closest = self.trends.line(trend, self.table.home(number)).closest
        if closest:
            size, begins = closest
            yield Margin(
                size, self.table.checked_from(begins, number) if moves.scene(trend) == self.table.scene else number
            )

    def case(self, part: ast.expr, number: int) -> Case:
        """Return what a part of the claim says at a setting. Of a trend, it is the step nearest to that setting."""
        home = self.table.home(number)
        tree = self.trends.read_steps(part, home, nearest)
        values = self.table.values(tree, home)
        fixed = {pair: value for pair, value in values.items() if self.table.is_parameter(*pair)}
        return Case(tree, {pair: value for pair, value in values.items() if pair not in fixed}, fixed)

    def describe(self, number: int) -> str:
        """Describe the values of the claim at a setting; of a trend that fails, those of its first wrong step."""
        home = self.table.home(number)
        tree = self.trends.read_steps(self.tree, home, first_wrong)
        label = partial(self.table.label, home=home, shown=set(self.table.checked.points) - self._followed)
        values = self.table.values(tree, home).items()
        return ", ".join(f"{label(*pair)} is {evaluation.describe(value)}" for pair, value in values)

    def where(self, number: int) -> str:
        """Describe a setting by the controls that matter to the claim; an empty text if none does."""
        return self._described(number, self._followed)

    def where_closest(self, margin: Margin) -> str:
        """Describe where a margin is, by the controls that matter and those along which the claim compares."""
        trends = filter(moves.is_trend, parts(self.tree))
        along = {moves.along(trend) for trend in trends if moves.scene(trend) == self.table.scene}
        return self._described(margin.number, self._followed | along)

    def _described(self, number: int, controls: frozenset[str]) -> str:
        setting = self.table.checked[number].items()
        return describe({param: value for param, value in setting if param in controls})

    @property
    def _followed(self) -> frozenset[str]:
        return _followed(self.tree, self.table)


def _followed(node: ast.AST, table: Table, fixed: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the controls that matter to an expression, among those that are not set around it."""
    match node:
        case ast.Attribute(value=ast.Name(id=scene), attr=name):
            return table.axes(scene, name) - fixed
        case ast.Call() if moves.is_move(node):
            return _followed(node.args[0], table, fixed | moves.controls(node))
    return frozenset().union(*(_followed(child, table, fixed) for child in ast.iter_child_nodes(node)))
