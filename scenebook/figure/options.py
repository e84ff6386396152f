"""Options that several kinds of panels share: axes, colours, scales.

pydantic validates these classes, and the schema for editors and the reference come from them, docstrings included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from scenebook.core.text import EMPTY, Model, ValueName
from scenebook.core.text_fields import Label

Scale = Literal["linear", "log"]
Colormap = Literal["white_green", "blue_white_green"]
Role = Literal["query", "key", "value"]
LOW, HIGH = ".low", ".high"
"""What follows the name of a value to name its low and high over the runs of a scene. No value has such a name."""
Color = Literal["blue", "green", "orange", "purple", "grey", "query", "key", "value"]


@dataclass(frozen=True)
class Axis(Model):
    """One side of a panel: rows and columns of a heatmap or of bars, x and y of lines and of points."""

    title: Label = EMPTY
    """What the axis shows; formulas in $...$."""
    labels: ValueName | None = None
    """Rows and columns: the name of the value that labels them (a list of text, or numbers)."""
    values: ValueName | None = None
    """x of lines: the name of the value (one-dimensional) that contains the positions."""
    scale: Scale = "linear"
    """x and y of lines and points, x of bars: linear or log."""
    color: Role | None = None
    """The colour of the title, if the axis represents queries, keys or values."""
