"""Rules for the controls of a scene: their points, where they start, and how many settings they give."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from contextlib import suppress
from math import prod
from typing import TYPE_CHECKING, Any

from scenebook.core.problems import Problem
from scenebook.core.settings import MOST
from scenebook.storyboard._tree import Map, Seq, maps, number, part, problem, quoted, text
from scenebook.storyboard.control_points import BOUNDS, PointsError, points, start_of

if TYPE_CHECKING:
    from scenebook.core.values import Scalar


def check(scene: Map) -> Iterator[Problem]:
    """Yield the problems of a scene's controls."""
    found: dict[str, tuple[Scalar, ...]] = {}
    for control in maps(scene, "controls"):
        param = text(control, "param")
        if param is not None and (not param.isidentifier() or keyword.iskeyword(param)):
            yield problem(control, "param", f"{quoted(param)} cannot be the name of a parameter of `compute`")
        elif param in found:
            yield problem(control, "param", f"{quoted(param)} already has a control; remove one of them")
        try:
            values = _points(control)
        except PointsError as error:
            yield problem(control, error.key or None, str(error))
            continue
        if values and param is not None:
            found[param] = values
        if values and isinstance(values[0], bool | str) and text(control, "play") in ("true", "True", "TRUE"):
            yield problem(control, "play", "is for numbers; leave it out")
    yield from _starts(scene, found)
    yield from _total(scene, found)


def count_points(scene: Map) -> list[int]:
    """How many points each control of a scene has. One with a mistake is left out."""
    found = []
    for control in maps(scene, "controls"):
        with suppress(PointsError):
            found.append(len(_points(control)) or 1)
    return found


def _points(control: Map) -> tuple[Scalar, ...]:
    """The points of a control; none if an entry has the wrong shape, which the validation reports."""
    listed = control.get("values", [])
    count = number(control, "points")
    entries = [entry.get("value") if isinstance(entry, Map) else entry for entry in listed]
    if not isinstance(listed, list) or any(each is None or isinstance(each, Seq) for each in entries):
        return ()
    if "points" in control and (count is None or not count.is_integer()):
        return ()
    bounds = {key: control[key] for key in BOUNDS if key in control}
    return points(entries, bounds, None if count is None else int(count), log=text(control, "scale") == "log")


def _starts(scene: Map, found: dict[str, tuple[Scalar, ...]]) -> Iterator[Problem]:
    """The starts that `params` gives and that are not points. Those that `compute` gives are checked when it runs."""
    params: dict[str, Any] = part(scene, "params")
    for param, values in found.items():
        if param in params:
            try:
                start_of(param, values, params)
            except LookupError as error:
                yield problem(part(scene, "params"), param, str(error))


def _total(scene: Map, found: dict[str, tuple[Scalar, ...]]) -> Iterator[Problem]:
    total = prod(map(len, found.values()))
    if total > MOST:
        product = " × ".join(str(len(values)) for values in found.values())
        over = f"{total - MOST:,} more than the {MOST:,} that are allowed"
        yield problem(scene, "controls", f"have {product} = {total:,} settings, {over}; use fewer points")
