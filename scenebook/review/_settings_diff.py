"""Compare a scene with controls at every setting that both sides have: its values, and the drawings of its panels.

A control that only one side has stands at its start there. So a scene that gets a control is compared with what it was.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite
from typing import Any

from scenebook.core.settings import Settings, describe
from scenebook.core.tracks import Track
from scenebook.figure import svg_tracks
from scenebook.page.settings_file import read_settings_file
from scenebook.review import _value_diff as value_diff
from scenebook.review._built_site import BuiltScene, BuiltSite

SameValue = Callable[[str, Any, Any], bool]
"""Whether the value with a name is the same before and after."""


@dataclass(frozen=True)
class SettingValue:
    """A value that changed at some settings: at how many, and what it was and is where it changed most."""

    name: str
    changed: int
    where: str
    before: Any
    after: Any


@dataclass(frozen=True)
class SettingPicture:
    """A panel whose drawing changed at some settings: at how many, and its SVG at one of them."""

    panel: str
    changed: int
    where: str
    before: str = field(repr=False)
    after: str = field(repr=False)


@dataclass(frozen=True)
class SettingsChange:
    """How a scene with controls differs: points that were added and removed, and what differs at `common` settings."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    common: int = 0
    values: tuple[SettingValue, ...] = ()
    pictures: tuple[SettingPicture, ...] = ()


def compare(
    before: BuiltScene, after: BuiltScene, sites: tuple[BuiltSite, BuiltSite], same: SameValue
) -> SettingsChange | None:
    """Return how the settings of a scene differ; None if they do not, or if it has controls on neither side."""
    old, new = before.settings, after.settings
    if old is None or new is None:
        controls = tuple(f"the control {param}" for side in (old, new) if side for param in side.settings.points)
        found = SettingsChange(removed=controls) if old else SettingsChange(added=controls)
        return found if controls else None
    common = _common(old.settings, new.settings)
    values = tuple(_values(old.values, new.values, new.settings, common, same))
    change = SettingsChange(
        added=tuple(_missing(new.settings, old.settings)),
        removed=tuple(_missing(old.settings, new.settings)),
        common=len(common),
        values=values,
        pictures=tuple(_pictures(before, after, sites, common, values)),
    )
    return change if change.added or change.removed or change.values or change.pictures else None


def _common(old: Settings, new: Settings) -> dict[int, int]:
    """Return the settings that both sides have: the numbers after the change, each with the number before it."""
    own = {param: value for param, value in new[new.start].items() if param not in old.points}
    found = {}
    for number in new.agreeing(own):
        shared = {param: value for param, value in new[number].items() if param in old.points}
        try:
            found[number] = old.moved(old.start, shared)
        except LookupError:
            continue
    return found


def _missing(settings: Settings, other: Settings) -> Iterator[str]:
    """Yield the controls and the points of one side that the other does not have."""
    for param, points in settings.points.items():
        if param not in other.points:
            yield f"the control {param}"
        else:
            yield from (describe({param: point}) for point in points if point not in other.points[param])


def _values(
    old: Mapping[str, Any], new: Mapping[str, Any], settings: Settings, common: Mapping[int, int], same: SameValue
) -> Iterator[SettingValue]:
    """Yield the values that changed at some setting, other than those of the controls."""
    for name in new:
        if name not in old or name in settings.points:
            continue
        pairs = {number: (old[name][common[number]], new[name][number]) for number in common}
        changed = {number: pair for number, pair in pairs.items() if not same(name, *pair)}
        if changed:
            most = max(changed, key=lambda number: _size(*changed[number]))
            yield SettingValue(name, len(changed), settings.describe(most), *changed[most])


def _size(before: Any, after: Any) -> float:
    """Return how large a change is. A change of anything but finite numbers counts as the largest."""
    numbers = [value for value in (before, after) if isinstance(value, int | float) and isfinite(value)]
    return abs(numbers[1] - numbers[0]) if len(numbers) == 2 else inf


def _pictures(
    before: BuiltScene,
    after: BuiltScene,
    sites: tuple[BuiltSite, BuiltSite],
    common: Mapping[int, int],
    values: tuple[SettingValue, ...],
) -> Iterator[SettingPicture]:
    """Yield the panels whose drawing changed at some setting, shown where a value changed most if it did there."""
    assert after.settings is not None
    settings = after.settings.settings
    for panel in after.panels:
        if panel in before.panels:
            old, new = (_Drawings.read(scene, site, panel) for scene, site in zip((before, after), sites, strict=True))
            changed = [number for number in common if old.at(common[number]) != new.at(number)]
            if changed:
                told = {value.where for value in values}
                shown = next((number for number in changed if settings.describe(number) in told), changed[0])
                yield SettingPicture(
                    panel, len(changed), settings.describe(shown), old.at(common[shown]), new.at(shown)
                )


@dataclass(frozen=True)
class _Drawings:
    """The drawing of a panel at the start, and what differs at other settings."""

    start: str
    tracks: tuple[Track, ...]

    @classmethod
    def read(cls, scene: BuiltScene, site: BuiltSite, panel: str) -> "_Drawings":
        """Read the files of a panel; it is empty if they are missing."""
        svg, script = site.file(scene.panels[panel]), site.file(scene.script)
        regions = read_settings_file(script).regions if script else {}
        return cls((svg or b"").decode(), regions.get(f"{scene.id.replace('_', '-')}--{panel}", ()))

    def at(self, number: int) -> str:
        """Return the drawing at a setting."""
        return svg_tracks.applied(self.start, self.tracks, number) if self.start else ""


def same_value(is_shown: Callable[[str, str], bool]) -> SameValue:
    """Return a function that says whether a value is the same, as for scenes without controls."""
    return lambda name, old, new: value_diff.change(old, new, shown=is_shown(name, name)) is None
