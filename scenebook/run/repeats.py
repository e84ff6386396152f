"""What a scene computes with every seed, or any other parameter, that it repeats its run with."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.settings import Settings

if TYPE_CHECKING:
    from scenebook.core.values import Scalar, Values


@dataclass(frozen=True)
class Repeats:
    """The values of every run. The first run at a setting of the controls is the one that figures and texts show.

    `param` is the parameter that differs, and `seeds` are its values. `controls` are the settings of the scene's
    controls. `scalars` are the numbers, texts and lists of texts of each run, parameters included, setting after
    setting. `digests` are those of all values of each run. `pickled` is a pickled list with the pickled values of each
    run. `as_written` is true if texts may show digits that another seed would change.
    """

    param: str
    seeds: tuple[int, ...]
    controls: Settings
    scalars: tuple[dict[str, Any], ...]
    digests: tuple[str, ...]
    as_written: bool = False
    pickled: File | None = field(default=None, repr=False, compare=False)

    @property
    def settings(self) -> Settings:
        """All runs, as settings of the controls and of the parameter that differs, which is innermost."""
        return with_runs(self.controls, self.param, self.seeds)

    @cached_property
    def digest(self) -> str:
        """A digest of all values of all runs."""
        return digests.digest("\n".join([repr(self.settings), *self.digests]).encode())

    def numbers(self, setting: int) -> range:
        """The numbers of the runs at a setting of the controls."""
        return range(setting * len(self.seeds), (setting + 1) * len(self.seeds))

    def runs(self, name: str, setting: int) -> "tuple[Scalar, ...]":
        """A value in each run at a setting of the controls. What differs by design is as in the first run."""
        numbers = self.numbers(setting)
        found = tuple(self.scalars[number][name] for number in numbers)
        return found[:1] if name == self.param else found

    @cached_property
    def _all_pickled(self) -> list[bytes]:
        assert self.pickled is not None
        found: list[bytes] = pickle.loads(self.pickled.read())
        return found

    def pickled_values(self, setting: int) -> tuple[bytes, ...]:
        """All values of each run at a setting of the controls, pickled. Raises `LostError` like `values`."""
        return tuple(self._all_pickled[number] for number in self.numbers(setting))

    def values(self, number: int) -> "Values":
        """All values of a run, arrays included. Raises `LostError` if the cache has lost them."""
        values: Values = pickle.loads(self._all_pickled[number])
        return values


def with_runs(controls: Settings, param: str, seeds: tuple[int, ...]) -> Settings:
    """The settings of controls, each with every seed: the runs of a scene."""
    points: Mapping[str, tuple[Scalar, ...]] = {**controls.points, param: seeds}
    return Settings(points, controls.start * len(seeds))
