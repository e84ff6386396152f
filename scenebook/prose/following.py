"""What a scene's texts show at every setting of its controls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track
from scenebook.run.everywhere import Everywhere


@dataclass(frozen=True)
class Following:
    """The scene whose settings a text follows, and what follows in its texts.

    `scene` is its id and `anchor` its anchor. `regions` are filled while texts are made: the tracks of each element by
    the key that the element has. `numbers` has what each number in the texts is at every setting, by its name.
    """

    scene: str
    anchor: str
    everywhere: Everywhere
    regions: dict[str, tuple[Track, ...]] = field(default_factory=dict)
    numbers: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def apart(self) -> Following:
        """The same for values that have no element of their own, such as those in formulas."""
        return replace(self, regions={})

    def value(self, written: Sequence[str], full: Sequence[str], *, number: bool) -> str:
        """Return the attributes of a value that is `written` so at each setting. `full` has all of its digits.

        A number has room for the widest, so that its line does not move. Texts may differ too much for that.
        """
        tracks = (_track(TEXT, written), _track("value", full))
        widths = {len(text) for text in written}
        room = f' style="--room: {max(widths)}"' if number and len(widths) > 1 else ""
        return f' data-follow="{self._key(tracks)}"{room}'

    def content(self, bodies: Sequence[str]) -> str:
        """The attribute of an element that holds this HTML at each setting."""
        return f' data-follow="{self._key((_track(CONTENT, bodies),))}"'

    def _key(self, tracks: tuple[Track, ...]) -> str:
        """The key of a region: elements that show the same at every setting share one."""
        known = next((key for key, found in self.regions.items() if found == tracks), None)
        key = known or f"{self.anchor}--{len(self.regions) + 1}"
        self.regions[key] = tracks
        return key


def _track(attribute: str, values: Sequence[str]) -> Track:
    return Track(ITSELF, attribute, tuple(values))
