"""The texts of a storyboard, each declared once: by the annotation of its field in the model.

A field such as `summary: Markdown` says what its text becomes on a page. Pages, `facts.json`, reviews and drawings find
the texts of a model through `text_fields` and `replaced`, so they include a new field as soon as it is declared. A
field that is a bare `Text`, such as an id or an expression, is not for readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

from scenebook.core.text import Text


class Form(Enum):
    """What a text becomes on a page."""

    MARKDOWN = "paragraphs"
    CAPTION = "Markdown whose first sentence is set apart"
    INLINE = "one line with formulas, values and code"
    LABEL = "an inline text that is also part of a drawing"
    SOURCE = "an inline text that names a source, in which any number may be typed"
    WORDS = "plain words, with formulas as they are read aloud"
    METADATA = "plain words for search engines and cards, which the page itself does not show"
    QUOTED = "a number that is quoted, or a phrase that contains one"
    AS_WRITTEN = "shown as written"
    TARGET = "the target of a link"


Markdown = Annotated[Text, Form.MARKDOWN]
Caption = Annotated[Text, Form.CAPTION]
Inline = Annotated[Text, Form.INLINE]
Label = Annotated[Text, Form.LABEL]
Source = Annotated[Text, Form.SOURCE]
Words = Annotated[Text, Form.WORDS]
Metadata = Annotated[Text, Form.METADATA]
Quoted = Annotated[Text, Form.QUOTED]
AsWritten = Annotated[Text, Form.AS_WRITTEN]
Target = Annotated[Text, Form.TARGET]

WITH_VALUES = {Form.MARKDOWN, Form.CAPTION, Form.INLINE, Form.LABEL, Form.SOURCE, Form.WORDS, Form.METADATA}
"""The forms of texts that can contain values and formulas."""


class TextField(NamedTuple):
    """A text, and how its field declares it.

    `where` is the path of the text, such as `scenes.softmax.figure.panels.1.title`. `name` is the path of the field, or
    of the first list on the way to it: `figure.panels` for the same text, seen from its scene.
    """

    text: Text
    form: Form
    where: str
    name: str

    @property
    def in_list(self) -> bool:
        """Whether the text is in a list, by itself or as part of an entry."""
        return self.where != self.name


Change = Callable[[TextField], Any]
M = TypeVar("M")


def text_fields(model: Any, where: str = "") -> tuple[TextField, ...]:
    """Return every declared text of a model and of the models in it, in the order of the fields."""
    found: list[TextField] = []

    def note(each: TextField) -> Text:
        found.append(each)
        return each.text

    replaced(model, note, where)
    return tuple(found)


def replaced(model: M, change: Change, where: str = "") -> M:
    """Return a model with `change(field)` in place of each declared text.

    A mapping with declared texts becomes a tuple of pairs, since two changed keys may be equal.
    """
    changed: M = _model(model, change, _Place(where, where))
    return changed


class _Place(NamedTuple):
    where: str
    name: str
    in_list: bool = False

    def field(self, name: str) -> _Place:
        joined = self.name if self.in_list else f"{self.name}.{name}".lstrip(".")
        return _Place(f"{self.where}.{name}".lstrip("."), joined, self.in_list)

    def item(self, name: str) -> _Place:
        return _Place(f"{self.where}.{name}", self.name, in_list=True)


def _model(model: Any, change: Change, place: _Place) -> Any:
    hints = declared(type(model))
    changes = {name: _changed(getattr(model, name), hint, change, place.field(name)) for name, hint in hints.items()}
    return replace(model, **changes)


def _changed(value: Any, hint: Any, change: Change, place: _Place) -> Any:
    """Return a changed value, which the type hint of its field declares: a text, a model, a mapping or a list."""
    if value is None:
        return None
    if form := form_of(hint):
        return change(TextField(value, form, place.where, place.name))
    if is_dataclass(value):
        return _model(value, change, place)
    inner = get_args(hint)
    if inner[1:] == (...,):
        items = enumerate(value, 1)
        return tuple(_changed(item, inner[0], change, place.item(_name(item, index))) for index, item in items)
    pairs = value.items() if isinstance(value, dict) else value
    return tuple(_pair(pair, inner, change, place.item(str(index))) for index, pair in enumerate(pairs, 1))


def _pair(pair: tuple[Any, Any], hints: tuple[Any, ...], change: Change, place: _Place) -> tuple[Any, Any]:
    return _changed(pair[0], hints[0], change, place), _changed(pair[1], hints[1], change, place)


def _name(item: Any, index: int) -> str:
    """Return the name of a list entry in messages: its id if it has one, otherwise its number."""
    return str(getattr(item, "id", index))


def declared(model: Any) -> dict[str, Any]:
    """Return the type hints (without `None`) of the fields of a model that are, or contain, declared texts."""
    return _declared(model)


@cache
def _declared(model: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(model, include_extras=True)
    known = {each.name: _without_none(hints[each.name]) for each in fields(model)}
    return {name: hint for name, hint in known.items() if _has_texts(hint)}


def _without_none(hint: Any) -> Any:
    inner = get_args(hint)
    return next(each for each in inner if each is not NoneType) if NoneType in inner else hint


def _has_texts(hint: Any) -> bool:
    if is_dataclass(hint):
        return bool(declared(hint))
    return bool(form_of(hint)) or any(map(_has_texts, get_args(hint)))


def form_of(hint: Any) -> Form | None:
    """Return the form that a type hint declares, or None if it does not declare one."""
    return next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Form)), None)


def all_texts(item: Any) -> Iterator[Text]:
    """Yield every text of a model, declared or not, in the order of its fields."""
    if isinstance(item, Text):
        yield item
    elif is_dataclass(item):
        for each in fields(item):
            yield from all_texts(getattr(item, each.name))
    elif isinstance(item, tuple | dict):
        for part in item.items() if isinstance(item, dict) else item:
            yield from all_texts(part)
