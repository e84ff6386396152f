"""The seeds of a scene that repeats its run: how many there are, or which."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from scenebook.core.settings import MOST, written

if TYPE_CHECKING:
    from scenebook.storyboard.model import Scene


class Repeat(NamedTuple):
    """The parameter that differs between runs, and how many runs there are, or its values."""

    param: str
    wanted: int | tuple[int, ...]

    @property
    def total(self) -> int:
        """The number of runs."""
        return self.wanted if isinstance(self.wanted, int) else len(self.wanted)

    def seeds(self, start: Any) -> tuple[int, ...]:
        """The value of the parameter in each run, that at the start first.

        Raises `LookupError`, with a sentence for the author, if the start does not fit.
        """
        if message := self.misfit(start):
            raise LookupError(message)
        if isinstance(self.wanted, int):
            return tuple(range(start, start + self.wanted))
        return (start, *(seed for seed in self.wanted if seed != start))

    def misfit(self, start: Any) -> str:
        """What is wrong with the value of the parameter at the start; empty if nothing is."""
        if isinstance(start, bool) or not isinstance(start, int):
            return f"the start {self.param} = {start!r} is not a whole number; only a whole number can be repeated"
        if not isinstance(self.wanted, int) and start not in self.wanted:
            return f"the start {self.param} = {written(start)} is not among the values; add it, or change the start"
        return ""


def repeat_of(scene: Scene) -> Repeat | None:
    """How a scene repeats its run, if it does."""
    return read(scene.repeat) if scene.repeat else None


def read(repeat: Mapping[str, Any]) -> Repeat:
    """The runs that `{seed: 20}` or `{seed: [2017, 1, 2]}` asks for. Raises `ValueError` for a mistake in it."""
    if len(repeat) != 1:
        raise ValueError("needs exactly one parameter, such as {seed: 20}")
    [(param, wanted)] = repeat.items()
    if isinstance(wanted, list | tuple):
        return Repeat(param, _listed(wanted))
    if isinstance(wanted, bool) or not isinstance(wanted, int):
        raise ValueError("must be a number of runs or a list of whole numbers")
    if not 2 <= wanted <= MOST:
        raise ValueError(f"must be between 2 and {MOST:,} runs")
    return Repeat(param, wanted)


def _listed(values: list[Any] | tuple[Any, ...]) -> tuple[int, ...]:
    if any(isinstance(value, bool) or not isinstance(value, int) for value in values):
        raise ValueError("must be a number of runs or a list of whole numbers")
    if len(values) < 2:
        raise ValueError("has fewer than two values, so there is nothing to repeat; give at least two")
    twice = next((value for place, value in enumerate(values) if value in values[:place]), None)
    if twice is not None:
        raise ValueError(f"has {twice} twice; list each value once")
    return tuple(values)
