"""The elements of arrays and of lists of texts, as a text names them: one element, or all of a small one as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenebook.core import facts

MOST = 16
"""The most rows and the most columns that a formula shows."""
_ROWS_AND_COLUMNS = 2


@dataclass(frozen=True)
class Array:
    """An array among the values: a description such as `an array of 2 x 3 (float64)`, and a function that loads it.

    `load(number)` returns the array at the setting with a number; None stands for a scene without controls. A small
    array is loaded as nested lists, as `facts.fact` makes them, and a large one as it is.
    """

    size: str
    load: Callable[[int | None], Any]


def element(value: Any, indices: Sequence[str], scalars: Mapping[str, Any], name: str) -> Any:
    """Return an element of an array or of a list of texts. Raises `LookupError` with a message for the author.

    `scalars` has the values that an index can name. `name` is what the value is called in messages.
    """
    if isinstance(value, bool | int | float | str):
        kind = "text" if isinstance(value, str) else "single value"
        raise LookupError(f"'{name}' is a {kind}, so it has no elements; leave out [{', '.join(indices)}]")
    shape, is_list_of_texts = _shape(value), isinstance(value, tuple)
    if len(indices) != len(shape):
        raise LookupError(f"'{name}' is {described(value)}; name an element with {_count(shape)}")
    places = [_place(index, scalars, length, value, name) for index, length in zip(indices, shape, strict=True)]
    if hasattr(value, "dtype"):
        value = facts.fact(value[tuple(slice(place, place + 1) for place in places)])
        places = [0] * len(places)
    for place in places:
        item = value = value[place]
    return item if is_list_of_texts else _number(item, name, indices)


def rows(value: Any, name: str) -> list[list[Any]]:
    """Return all elements of a small array as rows; one dimension becomes a column.

    Raises `LookupError` with a message for the author.
    """
    shape = _shape(value)
    if len(shape) > _ROWS_AND_COLUMNS or max(shape) > MOST or not all(shape):
        limits = f"a formula shows one or two dimensions, with 1 to {MOST} rows and columns"
        raise LookupError(f"'{name}' is {described(value)}; {limits}")
    if isinstance(value, tuple):
        return [[text] for text in value]
    listed = value if len(shape) == _ROWS_AND_COLUMNS else [[each] for each in value]
    return [
        [_number(each, name, (str(row), str(column))[: len(shape)]) for column, each in enumerate(line)]
        for row, line in enumerate(listed)
    ]


def described(value: Any) -> str:
    """Return what kind of value an array or a list of texts is, with its size."""
    if isinstance(value, tuple):
        return f"a list of {len(value)} texts"
    return f"an array of {' x '.join(map(str, _shape(value)))}"


def example(name: str, dimensions: int) -> str:
    """Return how the first element of a value is named."""
    return f"{name}[{', '.join(['0'] * dimensions)}]"


def _shape(value: Any) -> tuple[int, ...]:
    if hasattr(value, "shape"):
        return tuple(value.shape)
    if isinstance(value, list | tuple):
        return (len(value), *(_shape(value[0]) if value else ()))
    return ()


def _count(shape: Iterable[int]) -> str:
    dimensions = len(tuple(shape))
    return f"{dimensions} {'index' if dimensions == 1 else 'indices'}, as in {example('', dimensions)}"


def _place(index: str, scalars: Mapping[str, Any], length: int, value: Any, name: str) -> int:
    """Return the place that an index means, counted from the start."""
    place = _whole_number(index, scalars)
    if not -length <= place < length:
        among = f"goes from 0 to {length - 1}" if length else "is empty"
        named = index if index == str(place) else f"{index} = {place}"
        raise LookupError(f"the index {named} is out of range: '{name}' is {described(value)}, and this index {among}")
    return place % length


def _whole_number(index: str, scalars: Mapping[str, Any]) -> int:
    try:
        return int(index)
    except ValueError:
        found = scalars.get(index)
    if isinstance(found, int) and not isinstance(found, bool):
        return found
    what = f"{index} = {found!r}" if found is not None else repr(index)
    raise LookupError(f"{what} is not an index; write a whole number, or the name of one that the scene has")


def _number(value: Any, name: str, indices: Iterable[str]) -> Any:
    """Return an element of JSON data as a number or a text."""
    if value is None:
        raise LookupError(f"'{name}[{', '.join(indices)}]' is masked, so it has no value")
    return float(value) if value in facts.NOT_FINITE else value
