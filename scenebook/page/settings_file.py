"""The file that a page loads when a reader first moves a control: what every region of a scene is at each setting.

It is a script of one call, because that loads from a folder, too. `texts` holds every value once. A region has the key
of its elements. Each of its tracks is a node, an attribute, and the place in `texts` for each setting.

The path of a line is another text at each setting. So its numbers stand apart, in columns: each `~` of the text is the
number of the next column. Columns have hundredths, each as the step from the setting before; zeros at the end are left
out.
"""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise, zip_longest
from typing import Any, NamedTuple

from scenebook.core.tracks import Track

NUMBERED = "d"
"""The attribute whose numbers stand apart."""
SLOT, PARTS = "~", 100

_HEAD, _TAIL = "addSettings(", ");\n"
_ESCAPED = {ord(character): f"\\u{ord(character):04x}" for character in "<\u2028\u2029"}
"""Characters that end a script or a line in some place where this text may stand."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


class SettingsFile(NamedTuple):
    """A settings file, read: the scene's anchor, how many settings it has, and its regions by key."""

    anchor: str
    settings: int
    regions: dict[str, tuple[Track, ...]]


def settings_file(anchor: str, count: int, regions: Mapping[str, Sequence[Track]]) -> bytes:
    """The script with all settings of the scene with this anchor."""
    texts = dict[str | None, int]()
    known = {key: [_encoded(track, texts) for track in tracks] for key, tracks in regions.items() if tracks}
    return f"{_HEAD}{_json(anchor)},{_json({'count': count, 'texts': list(texts), 'regions': known})}{_TAIL}".encode()


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPED)


def _encoded(track: Track, texts: dict[str | None, int]) -> list[Any]:
    values: Sequence[str | None] = track.values
    columns: list[list[int]] = []
    if track.attribute == NUMBERED and all(map(_is_numbered, values)):
        columns = _columns([_hundredths(value or "") for value in values])
        values = [_NUMBER.sub(SLOT, value or "") for value in values]
    places = [texts.setdefault(value, len(texts)) for value in values]
    return [track.node, track.attribute, places, *([columns] if columns else [])]


def _is_numbered(value: str | None) -> bool:
    """Whether a value is the same again after its numbers were taken out and put back."""
    return value is not None and SLOT not in value and _filled(_NUMBER.sub(SLOT, value), _hundredths(value)) == value


def _hundredths(value: str) -> list[int]:
    return [round(float(number) * PARTS) for number in _NUMBER.findall(value)]


def _filled(text: str, numbers: Sequence[int]) -> str:
    """A text with a number in place of each slot."""
    rest = iter(numbers)
    return re.sub(SLOT, lambda _: f"{next(rest) / PARTS:.2f}".rstrip("0").rstrip("."), text)


def _columns(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Steps from each row to the next, by column."""
    return [_steps(column) for column in zip_longest(*rows, fillvalue=0)]


def _steps(column: Sequence[int]) -> list[int]:
    steps = [column[0], *(after - before for before, after in pairwise(column))]
    while steps and not steps[-1]:
        steps.pop()
    return steps


def read_settings_file(script: bytes) -> SettingsFile:
    """Read what `settings_file` has written."""
    anchor, found = json.loads(f"[{script.decode().removeprefix(_HEAD).removesuffix(_TAIL)}]")
    count, texts = found["count"], found["texts"]
    regions = found["regions"].items()
    return SettingsFile(anchor, count, {key: tuple(_decoded(each, texts, count) for each in of) for key, of in regions})


def _decoded(track: Sequence[Any], texts: Sequence[str | None], count: int) -> Track:
    node, attribute, places, *more = track
    values = tuple(texts[place] for place in places)
    if more:
        columns = [list(accumulate(steps + [0] * (count - len(steps)))) for steps in more[0]]
        values = tuple(_filled(value or "", [column[s] for column in columns]) for s, value in enumerate(values))
    return Track(node, attribute, values)
