"""Fits labels along a side: they are wrapped, then turned or cut. Numbers are thinned out so that none touch.

A warning names each label that a reader will not see in full.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

from scenebook.core.lazy import lazy
from scenebook.core.number_format import MINUS
from scenebook.figure._sizes import GAP, LINE

if TYPE_CHECKING:
    from scenebook.figure import _canvas as canvas
else:
    canvas = lazy("scenebook.figure._canvas")

LONGEST, MOST_LINES = 110, 3
"""The longest turned label in CSS pixels, and the most lines of a wrapped one."""

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """Labels as they fit, with "" for one that is left out, the space that they take, and those not shown in full."""

    texts: Labels
    room: float
    turned: bool = False
    harmed: Labels = ()


@dataclass(frozen=True)
class Below:
    """How labels stand under columns that are `pitch` wide: the room that they take, and the width of the widest."""

    form: Literal["numbers", "lines", "turned"]
    pitch: float
    room: float
    widest: float


def fit_below(every: Sequence[Labels], pitch: float) -> Below:
    """How labels stand, so that each of several lists of them fits in the same way."""
    known = tuple(dict.fromkeys(chain.from_iterable(every)))
    if all(map(is_number, known)):
        return Below("numbers", pitch, LINE, widest(known))
    lines = [wrapped(label, pitch - 4) for label in known]
    if all(widest(text.split("\n")) <= pitch - 4 and text.count("\n") < MOST_LINES for text in lines):
        return Below("lines", pitch, LINE * (1 + max(text.count("\n") for text in lines)), 0)
    return Below("turned", pitch, max(map(widest, (_turned(labels, pitch) for labels in every))), 0)


def below(labels: Labels, fit: Below) -> Side:
    """Labels under columns."""
    if fit.form == "numbers":
        return Side(_thinned(labels, fit.widest + GAP, fit.pitch), fit.room)
    if fit.form == "lines":
        return Side(tuple(wrapped(label, fit.pitch - 4) for label in labels), fit.room)
    shown = _turned(labels, fit.pitch)
    return Side(shown, fit.room, turned=True, harmed=_harmed(labels, shown))


def _turned(labels: Labels, pitch: float) -> Labels:
    return _thinned(tuple(_cut(label, LONGEST) for label in labels), LINE - 1, pitch)


def beside(labels: Labels, pitch: float, most: float) -> Side:
    """Fit labels to the left of rows that are `pitch` high. They are at most `most` wide."""
    if all(map(is_number, labels)):
        return Side(_thinned(labels, LINE - 1 if pitch >= LINE - 1 else 2 * LINE, pitch), widest(labels))
    lines = tuple(_in_lines(label, most, int(pitch / LINE)) for label in labels)
    shown = _thinned(lines, LINE - 1, pitch)
    room = max(widest(text.split("\n")) for text in shown)
    return Side(shown, room, harmed=_harmed(labels, tuple(text.replace("\n", " ") for text in shown)))


def counted(count: int) -> Labels:
    """Return positions from 0, as labels."""
    return tuple(f"{index:,}" for index in range(count))


def wrapped(text: str, width: float, measure: Callable[[str], float] | None = None) -> str:
    """Break a text at spaces into lines of at most this width. A longer word gets its own line."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or (measure or canvas.text_width)(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(lines)


def _in_lines(text: str, width: float, most: int) -> str:
    lines = wrapped(text, width)
    fits = lines.count("\n") < most and widest(lines.split("\n")) <= width
    return lines if fits else _cut(text, width)


def _cut(label: str, width: float) -> str:
    text = " ".join(label.split())
    if canvas.text_width(text) <= width:
        return text
    kept = next((n for n in range(len(text) - 1, 0, -1) if canvas.text_width(text[:n] + "…") <= width), 0)
    return text[:kept].rstrip() + "…"


def _thinned(labels: Labels, room: float, pitch: float) -> Labels:
    """Return every label, or only every second, fifth, tenth and so on, so that each has enough space."""
    steps = (step * 10**power for power in range(12) for step in (1, 2, 5))
    step = next(step for step in steps if step * pitch >= room)
    return tuple(label if index % step == 0 else "" for index, label in enumerate(labels))


def _harmed(labels: Labels, shown: Labels) -> Labels:
    return tuple(label for label, text in zip(labels, shown, strict=True) if " ".join(label.split()) != text)


def widest(texts: Sequence[str]) -> float:
    """Return the width of the widest line."""
    return max(map(canvas.text_width, texts), default=0)


def complaint(what: str, harmed: Labels) -> Iterator[str]:
    """Yield the warning that some labels are not shown in full."""
    if harmed:
        named = ", ".join(harmed[:5]) + (f" and {len(harmed) - 5} more" if len(harmed) > 5 else "")
        yield f"{what}: no room for {named}; shorten or leave out the labels"


def is_number(text: str) -> bool:
    """Return whether a label is a number as pages write it."""
    try:
        float(text.replace(MINUS, "-").replace(",", ""))
    except ValueError:
        return False
    return True
