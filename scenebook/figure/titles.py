"""The titles and labels of a figure: found wherever a spec holds them, and changed all at once."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from scenebook.core.text import Text


def titles(spec: Any, path: str = "") -> Iterator[tuple[Text, str]]:
    """Every title and label of a figure that its drawing shows, and where each is written."""
    for each in fields(spec):
        value = getattr(spec, each.name)
        inside = f"{path}.{each.name}" if path else each.name
        if each.name in ("title", "label") and value:
            yield value, inside
        elif isinstance(value, tuple):
            for number, item in enumerate(value, 1):
                if is_dataclass(item):
                    yield from titles(item, f"{inside}.{number}" if each.name == "panels" else inside)
        elif is_dataclass(value):
            yield from titles(value, inside)


def with_titles(spec: Any, change: Callable[[Text, str], Text], path: str = "") -> Any:
    """A figure with each of its titles and labels changed; `change` gets a text and where it is written."""
    changed: dict[str, Any] = {}
    for each in fields(spec):
        value = getattr(spec, each.name)
        inside = f"{path}.{each.name}" if path else each.name
        if each.name in ("title", "label"):
            changed[each.name] = change(value, inside)
        elif isinstance(value, tuple) and any(map(is_dataclass, value)):
            numbered = ((f"{inside}.{n}" if each.name == "panels" else inside, item) for n, item in enumerate(value, 1))
            changed[each.name] = tuple(with_titles(item, change, place) for place, item in numbered)
        elif is_dataclass(value):
            changed[each.name] = with_titles(value, change, inside)
    return replace(spec, **changed)
