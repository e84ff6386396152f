"""What the layouts of all kinds share: boxes, labels and axes in CSS pixels.

A panel is as wide as a phone shows it, so no text is smaller than 11 pixels. Anything that does not fit at that size is
left out and named in a warning.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scenebook.core.lazy import lazy
from scenebook.figure import _ticks as ticks
from scenebook.figure import color
from scenebook.figure._labels import Side, widest
from scenebook.figure._sizes import GAP, LINE

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure import _canvas as canvas
    from scenebook.figure._canvas import Align, Canvas
    from scenebook.figure._color_scale import ColorScale
    from scenebook.figure._rounding_noise import Array, Floats
else:
    np, canvas = lazy("numpy"), lazy("scenebook.figure._canvas")

LEAST_HEIGHT, LEAST_PLOT, TALLEST = 24, 80, 480
"""The smallest height of rows of cells or bars, the smallest height of lines, and the largest height of rows."""
LABELS_SHARE = 0.4
"""Row labels take at most this part of the width."""
INK, MUTED, RULE = color.light("ink"), color.light("muted"), color.light("rule")


@dataclass(frozen=True)
class Box:
    """A rectangle in CSS pixels."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


@dataclass(frozen=True)
class Label:
    """A text of an axis. If `turned`, it reads upwards and ends at y."""

    x: float
    y: float
    text: str
    align: Align = "center"
    turned: bool = False


@dataclass(frozen=True)
class AxisLayout:
    """Numbers along a length: from `low` at `start` to `high` at `end`, in CSS pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def place(self, values: Array) -> Floats:
        """Return the positions of values, in CSS pixels."""
        scaled = [np.log10(part) if self.log else np.asarray(part, float) for part in (values, self.low, self.high)]
        share: Floats = (scaled[0] - scaled[1]) / (scaled[2] - scaled[1])
        return self.start + share * (self.end - self.start)

    def ticks(self, most: int, whole: bool = False) -> ticks.Ticks:
        """Return at most about `most` round numbers on the axis."""
        low, high = self.low, self.high
        return ticks.logarithmic(low, high, most) if self.log else ticks.linear(low, high, most, whole)


@dataclass(frozen=True)
class Layout(ABC):
    """A panel whose parts have their places. The data are drawn in `box`. Each kind has its own layout."""

    width: float
    height: float
    box: Box
    labels: tuple[Label, ...]
    warnings: tuple[str, ...] = field(default=(), kw_only=True)

    @abstractmethod
    def draw_data(self, on: Canvas, scale: ColorScale | None, pixels: float) -> None:
        """Draw the data for a medium that has at least this many pixels per CSS pixel."""

    def missing_look(self, pixels: float) -> str:
        """Return how data without a finite value look: `gap`, `hatched` or `grey`."""
        return "gap"

    def attributes(self) -> dict[str, str]:
        """Return the attributes by which a page's script finds the data under a pointer."""
        return {}


def draw(layout: Layout, on: Canvas, scale: ColorScale | None, pixels: float = 1) -> None:
    """Draw a panel: its data and the labels of its axes."""
    layout.draw_data(on, scale, pixels)
    for label in layout.labels:
        style = canvas.Style(INK, align=label.align, turned=label.turned)
        canvas.text(on, label.x, label.y, label.text, style)


def room_above(pitch: float) -> float:
    """Return the space above the first row, for its line or for a label that is taller than the row."""
    return max(1.0, (LINE - pitch) / 2)


def pitch_of(height: float, count: int) -> float:
    """Return the height of each of `count` rows that share a height, without the space above the first."""
    return max(float(LEAST_HEIGHT), height - room_above(height / count)) / count


def row_labels(side: Side, box: Box) -> Iterator[Label]:
    """Yield the labels to the left of rows."""
    pitch = box.height / len(side.texts)
    for index, text in enumerate(side.texts):
        if text:
            yield Label(box.left - GAP, box.top + (index + 0.5) * pitch, text, "right")


def column_labels(side: Side, box: Box) -> Iterator[Label]:
    """Yield the labels under columns."""
    pitch, top = box.width / len(side.texts), box.bottom + GAP
    for index, text in enumerate(side.texts):
        middle = top if side.turned else top + LINE * (1 + text.count("\n")) / 2
        if text:
            yield Label(box.left + (index + 0.5) * pitch, middle, text, turned=side.turned)


def fitted(axis: AxisLayout, whole: bool) -> tuple[AxisLayout, ticks.Ticks]:
    """Return the axis with space at its end for half of its last number, and as many ticks as fit without touching."""
    for most in range(6, 0, -1):
        marks = axis.ticks(most, whole)
        end = axis.end - max(GAP, widest(marks.texts) / 2)
        narrower = AxisLayout(axis.low, axis.high, axis.start, end, axis.log)
        places = narrower.place(np.array(marks.values))
        if np.all(np.diff(places) >= widest(marks.texts) + 2 * GAP):
            break
    return narrower, marks


def numbers_below(axis: AxisLayout, marks: ticks.Ticks, box: Box) -> Iterator[Label]:
    """Yield a number under each tick, moved inside if it would extend beyond the panel on the left."""
    for x, text in zip(axis.place(np.array(marks.values)), marks.texts, strict=True):
        yield Label(max(float(x), canvas.text_width(text) / 2), box.bottom + GAP + LINE / 2, text)


def numbers_beside(axis: AxisLayout, marks: ticks.Ticks, left: float) -> Iterator[Label]:
    """Yield a number to the left of each tick of a vertical axis."""
    for y, text in zip(axis.place(np.array(marks.values)), marks.texts, strict=True):
        yield Label(left - GAP, float(y), text, "right")


def draw_segments(
    on: Canvas, segments: Sequence[tuple[tuple[float, float], tuple[float, float]]], ink: str, gid: str | None = None
) -> None:
    """Draw separate straight lines as one."""
    x: list[Any] = [value for xs, _ in segments for value in (*xs, np.nan)]
    y: list[Any] = [value for _, ys in segments for value in (*ys, np.nan)]
    if segments:
        canvas.line(on, x, y, canvas.Stroke(ink), gid)


def draw_axes(on: Canvas, box: Box, grid: Sequence[float], ticks: Sequence[float]) -> None:
    """Draw horizontal grid lines, the line at the bottom, and its ticks."""
    draw_segments(on, [((box.left, box.right), (y, y)) for y in grid], RULE)
    canvas.line(on, [box.left, box.right], [box.bottom, box.bottom], canvas.Stroke(MUTED))
    draw_segments(on, [((x, x), (box.bottom, box.bottom + 4)) for x in ticks], MUTED)
