"""The values of scenes at all settings of their controls, and a claim as it reads at one setting.

At a setting, `at` and the trends are replaced: what is left is an expression over values, of which some are from other
settings. These have the number of their setting below their name, as no author can write.
"""

import ast
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scenebook.claims import _moves as moves
from scenebook.claims._operators import ClaimError
from scenebook.claims._trees import names, replaced
from scenebook.core.settings import Settings, describe
from scenebook.core.spread import without_stat
from scenebook.core.suggestions import did_you_mean_or_list

if TYPE_CHECKING:
    from scenebook.core.values import Scalar

Numbers = Mapping[str, int]
"""The setting at which each scene stands. A scene that is left out stands at its start."""
Trend = Callable[[ast.Call, Numbers], ast.expr]
"""What stands for `increasing` and `decreasing` when a claim is read at a setting."""


@dataclass(frozen=True)
class Table:
    """The values of all scenes that a claim can name, at all settings.

    `value(scene, name, number)` returns a value at the setting with a number, and raises `ClaimError` if there is none.
    It is asked for the same value often. `settings` has the settings of each scene that has controls. `scene` is the
    scene that is checked at its settings, if any. `parameters` are the values that no scene computes, as (scene, name).

    A scene that repeats its run has one more control, which comes last: the parameter that differs, which `repeats`
    names. `runs` are the runs at which the claim is checked, as settings of one control. All scenes that repeat theirs
    are moved together; one with fewer runs begins again.
    """

    value: Callable[[str, str, int], Any]
    settings: Mapping[str, Settings]
    scene: str | None = None
    parameters: Collection[tuple[str, str]] = frozenset()
    repeats: Mapping[str, str] = field(default_factory=dict)
    runs: Settings = Settings({})

    @cached_property
    def checked(self) -> Settings:
        """The settings at which the claim is checked: those of the scene's controls, each with every run."""
        controls = self.of(self.scene or "")
        points = {param: each for param, each in controls.points.items() if param != self.repeats.get(self.scene or "")}
        start = controls.start // self._runs_of(self.scene or "") * len(self.runs)
        return Settings({**points, **self.runs.points}, start)

    def _runs_of(self, scene: str) -> int:
        return len(self.of(scene).points[self.repeats[scene]]) if scene in self.repeats else 1

    def of(self, scene: str) -> Settings:
        """The settings of a scene."""
        return self.settings.get(scene, _NO_CONTROLS)

    def home(self, number: int) -> Numbers:
        """Where the scenes stand when the claim is checked at a setting."""
        setting, run = divmod(number, len(self.runs))
        home = {scene: self.of(scene).start + run % self._runs_of(scene) for scene in self.repeats}
        if self.scene:
            each = self._runs_of(self.scene)
            home[self.scene] = setting * each + run % each
        return home

    def checked_from(self, setting: int, number: int) -> int:
        """Where the claim is checked if its scene stands at a setting, in the same run as at a number."""
        return setting // self._runs_of(self.scene or "") * len(self.runs) + number % len(self.runs)

    def axes(self, scene: str, name: str) -> frozenset[str]:
        """What a claim's check moves that matters to a value: controls, and the parameter that differs between runs."""
        runs = self.runs.points if scene in self.repeats and not without_stat(plain_name(name)[0])[1] else {}
        controls = self.checked.points.keys() - self.runs.points.keys() if scene == self.scene else set[str]()
        return frozenset(controls | runs.keys())

    def number(self, scene: str, numbers: Numbers) -> int:
        """The setting at which a scene stands."""
        return numbers[scene] if scene in numbers else self.of(scene).start

    def moved(self, numbers: Numbers, scene: str, changes: "Mapping[str, Scalar]") -> Numbers:
        """Where the scenes stand when a scene is moved; raises `ClaimError` if it cannot be."""
        return {**numbers, scene: moved(self.of(scene), scene, self.number(scene, numbers), changes)}

    def points(self, scene: str, param: str) -> "tuple[Scalar, ...]":
        """The points of a control; raises `ClaimError` if there is none or it has only one point."""
        settings = self.of(scene)
        _refuse_unless_control(param, settings, scene)
        if len(settings.points[param]) == 1:
            raise ClaimError(f"goes along '{param}', which has only one point")
        return settings.points[param]

    def is_parameter(self, scene: str, name: str) -> bool:
        """Whether a value is the same whatever the scenes compute; its setting can stand after its name."""
        value, stat = without_stat(plain_name(name)[0])
        return stat == "runs" or (scene, value) in self.parameters

    def values(self, tree: ast.expr, home: Numbers) -> dict[tuple[str, str], Any]:
        """The values that a claim names when it is read at a setting, by scene and name."""
        return {(scene, name): self._named(scene, name, home) for scene, name in names(tree)}

    def _named(self, scene: str, name: str, home: Numbers) -> Any:
        plain, number = plain_name(name)
        return self.value(scene, plain, int(number) if number else self.number(scene, home))

    def label(self, scene: str, name: str, home: Numbers, shown: Collection[str]) -> str:
        """A value as a message names it: `s.x`, or `s.x at d_k = 4` if it is from another setting.

        The controls in `shown` are always named, for values of the scene that is checked.
        """
        plain, number = plain_name(name)
        here = self.of(scene)[self.number(scene, home)]
        there = self.of(scene)[int(number)] if number else here
        always = shown if scene == self.scene else ()
        named = {param: value for param, value in there.items() if param in always or value != here[param]}
        return f"{scene}.{plain} at {describe(named)}" if named else f"{scene}.{plain}"


_NO_CONTROLS = Settings({})


def plain_name(name: str) -> tuple[str, str]:
    """Return the name of a value without the number of its setting, and that number, or "" if it has none."""
    plain, _, number = name.partition("\n")
    return plain, number


def moved(settings: Settings, scene: str, number: int, changes: "Mapping[str, Scalar]") -> int:
    """Return the setting that differs from another by `changes`; raises `ClaimError` if there is none."""
    for param in changes:
        _refuse_unless_control(param, settings, scene)
    try:
        return settings.moved(number, changes)
    except LookupError as error:
        raise ClaimError(f"names a point that '{scene}' does not have: {error}") from None


def _refuse_unless_control(param: str, settings: Settings, scene: str) -> None:
    if not settings.points:
        raise ClaimError(f"names the control '{param}', but '{scene}' has no controls")
    if param not in settings.points:
        hint = did_you_mean_or_list(param, settings.points)
        raise ClaimError(f"names '{param}', which is not a control of '{scene}'{hint}")


def read_at(tree: ast.expr, table: Table, here: Numbers, home: Numbers, trend: Trend) -> ast.expr:
    """Return an expression as it reads where scenes stand `here`, in a claim that is checked at `home`.

    What stands for trends is up to `trend(call, here)`.
    """

    def other(node: ast.expr) -> ast.expr | None:
        match node:
            case ast.Attribute(value=ast.Name(id=scene)):
                number = table.number(scene, here)
                return node if number == table.number(scene, home) else _from_elsewhere(node, number)
            case ast.Call() if moves.is_trend(node):
                return trend(node, here)
            case ast.Call() if moves.is_move(node):
                there = table.moved(here, moves.scene(node), moves.changes(node))
                return read_at(node.args[0], table, there, home, trend)
        return None

    return replaced(tree, other)


def _from_elsewhere(node: ast.Attribute, number: int) -> ast.expr:
    return ast.copy_location(ast.Attribute(node.value, f"{node.attr}\n{number}", node.ctx), node)
