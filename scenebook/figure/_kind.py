"""What a kind of panel is: its options, what it reads from a scene's values, and how it is laid out.

Each kind is one file in `kinds/`, with a class of options (`Kind`), a class of data (`Chart`) and a class of places
(`Layout`). The rest of the engine uses these three interfaces and never asks which kind a panel is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from scenebook.core.text import Model, Text
from scenebook.figure.options import Axis

if TYPE_CHECKING:
    from scenebook.figure._color_scale import ColorData
    from scenebook.figure._layout import Layout
    from scenebook.figure._looks import LegendEntry
    from scenebook.figure._rounding_noise import Array
    from scenebook.figure._value_reader import ValueReader
    from scenebook.figure.data_table import Grid


class Sides(NamedTuple):
    """The options for the vertical and the horizontal axis, and the arrow that points along the vertical one."""

    vertical: str
    horizontal: str
    arrow: str


class Warned(NamedTuple):
    """A warning about a panel's data: the text whose line is reported, and the option that it is about."""

    place: Text | None
    option: str
    message: str


class Kind(Model, ABC):
    """The options of one kind of panel, as a frozen dataclass. The option `key` names the data, and thus the kind."""

    key: ClassVar[str]
    naming: ClassVar[str] = ""
    """If the data are a list of entries: the key of the entry that gives the panel its name."""
    sides: ClassVar[Sides]
    axes: ClassVar[Mapping[str, tuple[str, ...]]]
    """The options of each axis that this kind uses."""

    @classmethod
    def complaints(cls, options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with options before there are values: the option, and a message.

        `options` are as written: texts, lists and mappings. Any other shape is reported elsewhere.
        """
        yield from ()

    @abstractmethod
    def read(self, reader: ValueReader) -> Chart | None:
        """Take the data from the values. Problems are noted in the reader. Return None if there is nothing to draw."""

    def axis(self, option: str) -> Axis:
        """Return the axis under an option."""
        found: Axis = getattr(self, option)
        return found


@dataclass(frozen=True)
class Chart(ABC):
    """The data of a panel, before it has a size."""

    name: str
    ignored: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options that have no effect on these data, each with a message."""

    @classmethod
    @abstractmethod
    def frame(cls, charts: Sequence[Self], width: float, height: float | None) -> Any:
        """Axes and sizes in which all of the charts have room, as plain data. A height is chosen if none is given.

        The charts are one panel at every setting of a scene.
        """

    @abstractmethod
    def layout(self, frame: Any) -> Layout:
        """Give the data their places in a frame."""

    @abstractmethod
    def grid(self) -> Grid:
        """Return the data as a table."""

    @abstractmethod
    def missing(self) -> tuple[Array, ...]:
        """Return the arrays in which values that are not finite are counted for readers."""

    def legend(self, frame: Any = None) -> tuple[LegendEntry, ...]:
        """The entries of the legend: for what the chart draws, or for what all charts of the frame draw."""
        return ()

    def colored(self) -> ColorData | None:
        """Return the data that are shown by colour, or None."""
        return None

    def leveled(self, level: float | None) -> Self:
        """Return the same chart. If its coloured data differ only by rounding noise, they are all drawn as `level`."""
        return self

    def warnings(self) -> Iterator[Warned]:
        """Yield what the author should know about the data."""
        yield from ()
