"""The points of a control: the values that a reader can choose for a parameter.

A control lists its `values`, or spreads them evenly `from` a number `to` another, or has neither: then it is a switch.
Points are whole numbers if all of the numbers that are written are, and if the spread gives whole numbers. Otherwise
they are floats of 12 significant digits, so that a point that is written by hand equals one that is computed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import isfinite, log10
from typing import TYPE_CHECKING, Any

from scenebook.core.settings import MOST, Settings, place_of

if TYPE_CHECKING:
    from scenebook.core.values import Scalar
    from scenebook.storyboard.model import Control, Scene

SWITCH = (False, True)
BOUNDS = ("from", "to", "step")
CLOSE = 1e-9
"""How near the last step must come to the end of a range, as a part of a step."""


class PointsError(Exception):
    """A mistake in a control: the key that it is about, and a message for the author."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


def points_of(control: Control) -> tuple[Scalar, ...]:
    """The points of a control, in order. Raises `PointsError` for the first mistake in it."""
    bounds = {"from": control.from_, "to": control.to, "step": control.step}
    given = {key: value for key, value in bounds.items() if value is not None}
    return points([each.value for each in control.values], given, control.points, log=control.scale == "log")


def points(
    values: Iterable[Any], bounds: Mapping[str, Any], count: int | None = None, *, log: bool = False
) -> tuple[Scalar, ...]:
    """The points that a list of values or the `from`, `to` and `step` of a range give. Raises `PointsError`."""
    listed = tuple(values)
    if listed:
        found = _listed(listed, bounds, count, log)
    elif bounds or count is not None or log:
        found = _range(bounds, count, log)
    else:
        return SWITCH
    if len(found) > MOST:
        raise PointsError(
            "", f"has {len(found):,} points, {len(found) - MOST:,} more than the {MOST:,} that are allowed"
        )
    return found


def settings_of(scene: Scene, defaults: Mapping[str, Any]) -> Settings:
    """The settings of a scene. `defaults` has the default of each parameter of its `compute`.

    Raises `LookupError`, with a sentence for the author, if the scene does not start at one of its points.
    """
    found = {str(control.param): points_of(control) for control in scene.controls}
    start = {param: start_of(param, values, {**defaults, **scene.params}) for param, values in found.items()}
    settings = Settings(found)
    return Settings(found, settings.moved(0, start))


def start_of(param: str, values: tuple[Scalar, ...], given: Mapping[str, Any]) -> Scalar:
    """The point at which a control starts. Raises `LookupError`, with a sentence for the author, if it is none."""
    if param not in given:
        raise LookupError(f"compute has no default for '{param}', so the start is unknown; give it under `params`")
    start = given[param]
    if not isinstance(start, bool | int | float | str):
        raise LookupError(f"the start {param} = {start!r} is not a number, a text or a truth value")
    try:
        return values[place_of(start, values, param)]
    except LookupError as error:
        raise LookupError(f"the start {error}; change the start under `params`, or the points") from None


def _listed(values: tuple[Any, ...], bounds: Mapping[str, Any], count: int | None, log: bool) -> tuple[Scalar, ...]:
    """The points of a control that lists them."""
    if bounds or count is not None or log:
        key = next(iter(bounds), "points" if count is not None else "scale")
        raise PointsError(key, "is for a range; list the values, or give from and to, not both")
    if len(values) < 2:
        raise PointsError("values", "has one value, so there is nothing to choose; give at least two")
    kinds = {_kind(value) for value in values}
    if len(kinds) > 1 or not kinds <= {"number", "text"}:
        advice = "; leave `values` out for a switch between false and true" if "truth value" in kinds else ""
        raise PointsError("values", f"must be numbers alone or texts alone{advice}")
    found = _numbers(values) if kinds == {"number"} else tuple(map(str, values))
    for place, value in enumerate(found):
        if value in found[:place]:
            raise PointsError("values", f"has {value} twice; list each value once")
    return found


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth value"
    return "number" if isinstance(value, int | float) else "text" if isinstance(value, str) else "something else"


def _range(bounds: Mapping[str, Any], count: int | None, log: bool) -> tuple[Scalar, ...]:
    """The points of a control with a range."""
    for key in BOUNDS[:2]:
        if key not in bounds:
            raise PointsError(key, "is missing; a range needs from and to")
    for key, value in bounds.items():
        if _kind(value) != "number" or not isfinite(value):
            raise PointsError(key, f"expected a number, found {value!r}")
    low, high = bounds["from"], bounds["to"]
    if not low < high:
        raise PointsError("to", "must be greater than from")
    if ("step" in bounds) == (count is not None):
        raise PointsError("step" if "step" in bounds else "points", "a range needs either step or points")
    if log and low <= 0:
        raise PointsError("from", "must be greater than 0 on a log scale")
    return _numbers(tuple(_stepped(bounds, log) if count is None else _spread(low, high, count, log)))


def _stepped(bounds: Mapping[str, Any], log: bool) -> Iterator[int | float]:
    low, high, step = (bounds[key] for key in BOUNDS)
    if log:
        raise PointsError("step", "does not fit a log scale; give points instead")
    if step <= 0:
        raise PointsError("step", "must be greater than 0")
    count = round((high - low) / step)
    if abs(low + count * step - high) > CLOSE * step:
        raise PointsError(
            "step", f"does not lead from {low} to {high}; the last point before it is {high - (high - low) % step:.12g}"
        )
    if count >= MOST:
        raise PointsError(
            "step", f"gives {count + 1:,} points, {count + 1 - MOST:,} more than the {MOST:,} that are allowed"
        )
    yield from (low + place * step for place in range(count + 1))


def _spread(low: float, high: float, count: int, log: bool) -> Iterator[int | float]:
    if not 2 <= count <= MOST:
        raise PointsError("points", f"must be between 2 and {MOST:,}")
    for place in range(count):
        share = place / (count - 1)
        value = 10 ** (log10(low) + share * (log10(high) - log10(low))) if log else low + share * (high - low)
        yield low if place == 0 else high if place == count - 1 else _whole(value, low, high)


def _whole(value: float, *ends: float) -> int | float:
    """The value as a whole number if it is one, as its range's ends are."""
    whole = all(isinstance(end, int) for end in ends) and value == round(value)
    return round(value) if whole else value


def _numbers(values: tuple[Any, ...]) -> tuple[int | float, ...]:
    """Whole numbers as they are; with another number among them, all as floats of 12 significant digits."""
    if all(isinstance(value, int) for value in values):
        return values
    return tuple(float(format(value, ".12g")) for value in values)
