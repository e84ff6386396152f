"""The settings of a scene: every combination of the points of its controls.

A control sets one parameter of `compute`. Its points are the values that a reader can choose. Settings are numbered in
the order of nested loops over the controls, the last one innermost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scenebook.core.values import Scalar

    Setting = Mapping[str, Scalar]

LONGEST = 80
"""The most characters of a value that are written."""
MOST = 2_000
"""The most settings that a scene can have."""


@dataclass(frozen=True)
class Settings:
    """All settings of a scene.

    `points` are the points of each control, by parameter and in the order of the controls. `start` is the number of the
    setting that a page shows first. A scene without controls has one setting, which sets nothing.
    """

    points: Mapping[str, tuple[Scalar, ...]]
    start: int = 0

    def __len__(self) -> int:
        return prod(map(len, self.points.values()))

    def __getitem__(self, number: int) -> dict[str, Scalar]:
        """The setting with a number: the value of each parameter."""
        found = {}
        for param, values in reversed(tuple(self.points.items())):
            number, place = divmod(number, len(values))
            found[param] = values[place]
        return {param: found[param] for param in self.points}

    def moved(self, number: int, changes: Setting) -> int:
        """The number of the setting that differs from another by `changes`.

        Raises `LookupError`, with a sentence for the author, if it changes something that is not a control, or to a
        value that is not one of its points.
        """
        step = len(self)
        for param in changes:
            if param not in self.points:
                raise LookupError(f"'{param}' is not a control of the scene; its controls are {', '.join(self.points)}")
        for param, values in self.points.items():
            step //= len(values)
            if param in changes:
                number += step * (place_of(changes[param], values, param) - number // step % len(values))
        return number

    def along(self, number: int, param: str) -> tuple[int, ...]:
        """The numbers of the settings that differ from one only in a control, in the order of its points."""
        return tuple(self.moved(number, {param: value}) for value in self.points[param])

    def agreeing(self, fixed: Setting) -> tuple[int, ...]:
        """The numbers of all settings that have the values of `fixed`. Raises `LookupError` like `moved`."""
        return tuple(number for number in range(len(self)) if self.moved(number, fixed) == number)

    def describe(self, number: int) -> str:
        """A setting in words: `d_k = 4, masked = true`."""
        return describe(self[number])


def place_of(value: Scalar, points: tuple[Scalar, ...], param: str) -> int:
    """The place of a value among the points of a control; raises `LookupError` with a sentence for the author.

    Truth values equal no numbers.
    """
    for place, point in enumerate(points):
        if point == value and isinstance(point, bool) == isinstance(value, bool):
            return place
    shown = ", ".join(map(written, points if len(points) <= 8 else (*points[:4], "...", *points[-2:])))
    nearest = _nearest(value, points)
    hint = f"the nearest is {written(nearest)}" if nearest is not None else f"they are {shown}"
    raise LookupError(f"{param} = {written(value)} is not one of the points of the control; {hint}")


def _nearest(value: Scalar, points: tuple[Scalar, ...]) -> Scalar | None:
    """The number among the points that is nearest to a number; None if they are not finite numbers."""
    if not all(map(_is_finite, (value, *points))):
        return None
    return min(points, key=lambda point: abs(Fraction(point) - Fraction(value)))


def _is_finite(value: Scalar) -> bool:
    """Whether a value is a finite number. An integer is, however large."""
    return not isinstance(value, bool | str) and (isinstance(value, int) or isfinite(value))


def describe(setting: Setting) -> str:
    """A setting, or a part of one, in words."""
    return ", ".join(f"{param} = {written(value)}" for param, value in setting.items())


def written(value: Scalar) -> str:
    """A value as an author writes it in a storyboard."""
    if isinstance(value, bool):
        return str(value).lower()
    text = format(value, ".12g") if isinstance(value, float) else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def read_pins(pins: Iterable[tuple[str, str]], points: Mapping[str, tuple[Scalar, ...]]) -> dict[str, Scalar]:
    """Points of controls that a text names, as values. Those of unknown controls, and unknown points, stay texts."""
    return {param: _read_point(text, points.get(param, ())) for param, text in pins}


def _read_point(text: str, points: tuple[Scalar, ...]) -> Scalar:
    """The point that is written like a text, or the number that the text is."""
    for point in points:
        if written(point) == text:
            return point
    for number in (int, float):
        with suppress(ValueError):
            return number(text)
    return text
