"""What a scene computes at every setting of its controls."""

import pickle
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from scenebook.core import digests
from scenebook.core.digests import File
from scenebook.core.settings import Settings

if TYPE_CHECKING:
    from scenebook.core.values import Values


@dataclass(frozen=True)
class Everywhere:
    """The values at every setting, in the order of `settings`.

    `scalars` are the numbers, texts and lists of texts of each setting, by name, parameters included. `digests` are
    those of all values of each setting. `pickled` is a pickled list with the pickled values of each setting; it is read
    when arrays are needed.
    """

    settings: Settings
    scalars: tuple[dict[str, Any], ...]
    digests: tuple[str, ...]
    pickled: File | None = field(default=None, repr=False, compare=False)

    @cached_property
    def digest(self) -> str:
        """A digest of all values at all settings."""
        return digests.digest("\n".join([repr(self.settings), *self.digests]).encode())

    @cached_property
    def _all_pickled(self) -> list[bytes]:
        assert self.pickled is not None
        found: list[bytes] = pickle.loads(self.pickled.read())
        return found

    def pickled_values(self, number: int) -> bytes:
        """All values at a setting, arrays included, pickled. Raises `LostError` if the cache has lost them."""
        return self._all_pickled[number]

    def values(self, number: int) -> "Values":
        """All values at a setting, arrays included. Raises `LostError` if the cache has lost them."""
        values: Values = pickle.loads(self.pickled_values(number))
        return values
