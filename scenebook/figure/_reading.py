"""The data of a figure's panels, taken from a scene's values and checked, with the scales of their colours."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, NamedTuple

from scenebook.core.problems import Problem
from scenebook.figure import _color_scale as color_scale
from scenebook.figure._color_scale import ColorData, ColorScale
from scenebook.figure._kind import Chart, Kind
from scenebook.figure._rounding_noise import levels
from scenebook.figure._value_reader import ValueReader
from scenebook.figure.spec import Figure, Panel

if TYPE_CHECKING:
    from scenebook.core.values import Values


class Found(NamedTuple):
    """A panel with its data, and those that it shows by colour; `reader` notes what is wrong with them."""

    panel: Panel
    options: Kind
    chart: Chart
    reader: ValueReader
    colored: ColorData | None


class Shade(NamedTuple):
    """The scale of colours that some data share; if they differ by rounding noise alone, all are drawn as `level`."""

    scale: ColorScale | None
    level: float | None


Shades = Mapping[Any, Shade]
"""By the options of the scale."""


@dataclass(frozen=True)
class Read:
    """A panel whose data are in place, with the scale of its colours."""

    panel: Panel
    options: Kind
    chart: Chart
    scale: ColorScale | None


def where_of(name: str) -> str:
    """The path of a figure in its page, by the name of its scene (`page/scene`)."""
    return f"scenes.{name.rpartition('/')[2]}.figure"


def find(figure: Figure, values: "Values", name: str, problems: list[Problem]) -> list[Found]:
    """Take the data of all panels from the values, and note what is wrong. A panel without data is left out."""
    found: list[Found] = []
    for number, panel in enumerate(figure.panels, 1):
        options = figure.options(panel)
        own = panel.own | {panel.kind.key}
        reader = ValueReader(values, where_of(name), f"panels.{number}", own, figure.panels[0].name, problems)
        if chart := options.read(reader):
            found.append(Found(panel, options, chart, reader, chart.colored()))
    if len(found) == len(figure.panels):
        _report_ignored(found)
    return found


def _report_ignored(found: Sequence[Found]) -> None:
    """Report options that have no effect on the data: of a panel, or of the figure if no panel uses them."""
    for each in found:
        for option, message in each.chart.ignored.items():
            head = option.partition(".")[0]
            others = [other for other in found if other.panel is not each.panel and hasattr(other.panel.kind, head)]
            elsewhere = head not in each.panel.own and any(option not in other.chart.ignored for other in others)
            if not elsewhere and (text := _written(each.options, option)) is not None:
                each.reader.fail(text if isinstance(text, str) else None, option, message)


def _written(options: Kind, option: str) -> Any:
    """What is written under an option such as `columns.labels`; None where it is left out."""
    value: Any = options
    for step in option.split("."):
        value = getattr(value, step)
    default = next((each.default for each in fields(options) if each.name == option), None)  # type: ignore[arg-type]
    return None if value == default else value


def shades(found: Sequence[Found]) -> Shades:
    """The scales of the data that are shown by colour. Panels share one if they have the same options of it."""
    together: dict[Any, list[tuple[ColorData, ValueReader]]] = {}
    for each in found:
        if each.colored:
            together.setdefault(each.colored.options, []).append((each.colored, each.reader))
    return {options: _shade([data for data, _ in members], members[0][1]) for options, members in together.items()}


def _shade(together: Sequence[ColorData], reader: ValueReader) -> Shade:
    messages = list(color_scale.complaints(together))
    for option, message in messages:
        reader.fail(None, option, message)
    return Shade(None if messages else color_scale.scale(together), color_scale.level(together))


def shaded(found: Sequence[Found], known: Shades) -> Iterator[Read]:
    """The panels with their scales. Data of a panel that differ by rounding noise alone get one level."""
    for panel, options, chart, _, colored in found:
        if colored is None:
            yield Read(panel, options, chart, None)
        else:
            scale, level = known[colored.options]
            own = levels(colored.data)[0] if level is None else level
            yield Read(panel, options, chart.leveled(own), scale)
