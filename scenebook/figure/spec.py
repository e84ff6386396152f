"""A figure as its author writes it: panels, axes, colours, caption and alternative text.

`Panel` and `Figure` have the options of all kinds of panels. An option on a panel applies to that panel. On the figure,
it applies to all panels whose kind has it. pydantic validates these classes, and the schema for editors and the
reference come from them, docstrings included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, make_dataclass
from typing import TYPE_CHECKING, Any, get_type_hints

from scenebook.core.text import EMPTY, Model, Text
from scenebook.core.text_fields import Caption, Label, Words
from scenebook.core.values import file_name
from scenebook.figure._kind import Kind
from scenebook.figure.kinds import KINDS

KEYS = {kind.key: kind for kind in KINDS}
"""The kinds, by the option that names their data."""


@dataclass(frozen=True)
class _Panel(Model):
    """One drawing of a figure: the data of exactly one kind, and options of that kind."""

    title: Label = EMPTY
    """The title above the panel; formulas in $...$."""

    @property
    def kind(self) -> type[Kind]:
        """The kind whose data the panel names."""
        return next(kind for key, kind in KEYS.items() if getattr(self, key) is not None)

    @property
    def name(self) -> Text:
        """The (first) value that the panel draws."""
        data = getattr(self, self.kind.key)
        return getattr(data[0], self.kind.naming) if self.kind.naming else data  # type: ignore[no-any-return]

    @property
    def own(self) -> frozenset[str]:
        """The options that are written on the panel itself."""
        return frozenset(each.name for each in fields(self) if getattr(self, each.name) is not None)


@dataclass(frozen=True)
class _Figure(Model):
    """The picture of a scene: one or more panels, or a function of its own."""

    caption: Caption
    """Markdown. The first sentence says what to see and is set in bold."""
    alt: Words
    """What the figure shows, for readers who cannot see it."""
    panels: tuple[Panel, ...] = ()
    """The panels, from left to right."""
    draw: Text | None = None
    """Instead of panels: a function `draw(figure, values)` of the scene's module, in plain matplotlib."""
    width: int = 330
    """The width of one panel in CSS pixels."""
    height: int | None = None
    """The height of one panel in CSS pixels; chosen from the data when left out."""
    shared: bool = True
    """In a scene with controls: all settings have the same axes, colours and sizes. If false, each has its own."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its panels, which their files have too."""
        return panel_names([str(panel.name) for panel in self.panels])

    def options(self, panel: Panel) -> Kind:
        """Return the options of a panel: its own, and the figure's where it has none."""
        kind = panel.kind
        given = {each.name: _given(each.name, panel, self) for each in _fields(kind)}
        return kind(**{name: value for name, value in given.items() if value is not None})


def _given(name: str, panel: Any, figure: Any) -> Any:
    own = getattr(panel, name)
    return own if own is not None else getattr(figure, name, None)


def _fields(kind: type[Kind]) -> tuple[Field[Any], ...]:
    return fields(kind)  # type: ignore[arg-type]  # each kind is a dataclass


def _optional_fields(*, shared: bool) -> list[tuple[str, Any, Any]]:
    """Return the options of all kinds, each of which may be left out. `shared` ones can also be on a figure."""
    hints = {name: hint for kind in reversed(KINDS) for name, hint in get_type_hints(kind, include_extras=True).items()}
    names = dict.fromkeys(each.name for kind in KINDS for each in _fields(kind))
    return [(name, hints[name] | None, field(default=None)) for name in names if not (shared and name in KEYS)]


if TYPE_CHECKING:

    class Panel(_Panel):
        """One drawing of a figure."""

        def __init__(self, **options: Any) -> None: ...

        def __getattr__(self, option: str) -> Any: ...

    class Figure(_Figure):
        """The picture of a scene."""

        def __init__(self, caption: Text, alt: Text, panels: tuple[Panel, ...] = (), **options: Any) -> None: ...

        def __getattr__(self, option: str) -> Any: ...

else:

    def _with_options(base: type[Model], *, shared: bool) -> type[Model]:
        """Return the class of a panel or figure, with the options of all kinds."""
        namespace = {"__module__": __name__, "__doc__": base.__doc__}
        options = _optional_fields(shared=shared)
        return make_dataclass(base.__name__.lstrip("_"), options, bases=(base,), frozen=True, namespace=namespace)

    Panel = _with_options(_Panel, shared=False)
    Figure = _with_options(_Figure, shared=True)


def kinds_with(option: str) -> tuple[str, ...]:
    """Return the kinds that have an option."""
    return tuple(key for key, kind in KEYS.items() if option in {each.name for each in _fields(kind)})


def options_of(key: str) -> tuple[str, ...]:
    """Return the options of a kind."""
    return tuple(each.name for each in _fields(KEYS[key]))


def written_name(panel: Mapping[str, Any]) -> Text | None:
    """Return the (first) value that a panel draws, given the panel as written, or None if it has another shape."""
    for key, kind in KEYS.items():
        data = panel.get(key)
        if kind.naming and isinstance(data, Sequence) and data and isinstance(data[0], Mapping):
            data = data[0].get(kind.naming)
        if isinstance(data, Text):
            return data
    return None


def panel_names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a figure's panels and their files: each is named after the (first) value that it draws.

    If several panels draw the same value, the first has its name and the others get a number: `raw`, `raw-2`. Names
    that a file system or a link could confuse count as the same.
    """
    values = list(map(file_name, values))
    taken, names = set(map(_plain_name, values)), list[str]()
    for index, value in enumerate(values):
        name, number = value, 2
        if _plain_name(value) in map(_plain_name, values[:index]):
            while _plain_name(name := f"{value}-{number}") in taken:
                number += 1
        taken.add(_plain_name(name))
        names.append(name)
    return tuple(names)


def _plain_name(name: str) -> str:
    return name.lower().replace("_", "-")
