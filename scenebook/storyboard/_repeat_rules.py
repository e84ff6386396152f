"""Rules for a scene that repeats its run: which parameter differs, and how many runs that gives."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

from scenebook.core.problems import Problem
from scenebook.core.settings import MOST
from scenebook.storyboard._control_rules import count_points
from scenebook.storyboard._tree import Map, maps, part, problem, quoted, text
from scenebook.storyboard.repeated_seeds import Repeat, read


def check(scene: Map) -> Iterator[Problem]:
    """Yield the problems of a scene's `repeat`."""
    if "repeat" not in scene:
        if "digits" in scene:
            yield problem(scene, "digits", "is for a scene with `repeat`; leave it out")
        return
    if not isinstance(scene["repeat"], Map):
        return
    try:
        repeat = read(scene["repeat"])
    except ValueError as error:
        yield problem(scene["repeat"], next(iter(scene["repeat"])) if len(scene["repeat"]) == 1 else None, str(error))
        return
    if not repeat.param.isidentifier():
        message = f"{quoted(repeat.param)} cannot be the name of a parameter of `compute`"
        yield problem(scene["repeat"], repeat.param, message)
    if any(text(control, "param") == repeat.param for control in maps(scene, "controls")):
        yield problem(scene["repeat"], repeat.param, "has a control; a parameter has either a control or repeats")
    yield from _start(scene, repeat)
    yield from _total(scene, repeat)


def _start(scene: Map, repeat: Repeat) -> Iterator[Problem]:
    """A start that `params` gives and that does not fit. One that `compute` gives is checked when it runs."""
    params: dict[str, Any] = part(scene, "params")
    if repeat.param in params and (message := repeat.misfit(params[repeat.param])):
        yield problem(scene["repeat"], repeat.param, message)


def _total(scene: Map, repeat: Repeat) -> Iterator[Problem]:
    counts = [*count_points(scene), repeat.total]
    total = prod(counts)
    if total > MOST and prod(counts[:-1]) <= MOST:
        product = f"{' × '.join(map(str, counts))} = " if len(counts) > 1 else ""
        over = f"{total - MOST:,} more than the {MOST:,} that are allowed"
        message = f"gives {product}{total:,} runs, {over}; use fewer points or runs"
        yield problem(scene["repeat"], repeat.param, message)
