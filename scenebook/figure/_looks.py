"""What distinguishes the lines, parts and groups of a panel: colours, and a second look for each colour."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from scenebook.core.lazy import lazy
from scenebook.core.text import Text
from scenebook.figure.options import Color

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure._rounding_noise import Array
else:
    np = lazy("numpy")

CYCLE: tuple[Color, ...] = ("blue", "orange", "green", "purple", "grey")
"""The colours for lines, parts and groups without a colour of their own, in order. Then their second looks follow."""
APART = 8
"""The most lines, parts or groups of one panel that readers can tell apart."""
DASHED, DOTTED, DASH_DOT = (4, 2.5), (1, 1.5), (4, 1.5, 1, 1.5)
"""Dashes and gaps of a line, in line widths."""

Look = tuple[Color, bool]
"""A colour, and whether it is the colour's second look."""
Mark = Literal["line", "box", "dot"]


@dataclass(frozen=True)
class LegendEntry:
    """One entry of a legend. `color` is a name of the palette, and `mark` is what the panel draws in that colour.

    `again` means that the colour is already in use. Then a line is dotted, a part of a bar is two strips, and a point
    is a ring.
    """

    label: Text
    color: Color
    dashed: bool = False
    again: bool = False
    mark: Mark = "line"


def looks(count: int, free: Sequence[Color] = CYCLE) -> tuple[Look, ...]:
    """Return this many looks: the free colours first, then every colour in its second look, then all of these again."""
    known = [*((color, False) for color in free), *((color, True) for color in CYCLE)]
    return tuple(known[index % len(known)] for index in range(count))


def chosen_looks(colors: Sequence[Color | None]) -> list[Look]:
    """Return a look for each line or group: the colour that it names, or the next look that is not in use."""
    free = [color for color in CYCLE if color not in colors]
    rest = iter(looks(sum(color is None for color in colors), free))
    return [(color, False) if color else next(rest) for color in colors]


def too_many(named: Sequence[Color | None], dashed: Sequence[bool], what: str) -> str | None:
    """Return the warning that some lines or groups look the same, or None if the author gave each of them a colour."""
    if None not in named:
        return None
    own = {(color, dash) for color, dash in zip(named, dashed, strict=True) if color}
    return crowd(len(own) + list(named).count(None), what)


def crowd(count: int, what: str) -> str | None:
    """Return the warning that there are more than readers can tell apart, or None."""
    if count <= APART:
        return None
    return f"{count} {what} are too many to tell apart; draw at most {APART} in a panel, or choose their colours"


def shown_entries(
    entries: Sequence[LegendEntry], drawn: Iterable[bool], labels: Iterable[Text]
) -> tuple[LegendEntry, ...]:
    """Return the entries for what is drawn in its own colour. A single line or group needs a label to get one."""
    shown = tuple(entry for entry, is_drawn in zip(entries, drawn, strict=True) if is_drawn)
    return shown if len(entries) > 1 or any(labels) else ()


def dashes(entry: LegendEntry) -> tuple[float, ...]:
    """Return the dashes of a line: the author's, or those that distinguish it from another line of its colour."""
    if entry.again:
        return DASH_DOT if entry.dashed else DOTTED
    return DASHED if entry.dashed else ()


def strips(corners: Array) -> Array:
    """Return boxes (n, 4) as two strips each, one above the other: the second look of a colour."""
    left, top, width, height = corners.T
    return np.concatenate([np.stack([left, y, width, height * 3 / 8], 1) for y in (top, top + height * 5 / 8)])
