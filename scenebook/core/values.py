"""The types of the values that a scene can compute: numbers, texts, lists of texts and arrays.

A table, such as a DataFrame, is kept as one value for each of its columns. The name of such a value is `df["price"]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Scalar = bool | int | float | str
    Value = Scalar | tuple[str, ...] | np.ndarray[Any, np.dtype[Any]]
    Values = Mapping[str, Value]

COLUMN = r"""\[(?:"[^"'\\{}\[\]\n]+"|'[^"'\\{}\[\]\n]+')\]"""
"""The part of a name that says which column of a table is meant."""
_COLUMN_OF_TABLE = re.compile(rf"(?P<table>\w+)\s*(?P<column>{COLUMN})")


def column(table: str, name: str) -> str:
    """Return the name of a column's values."""
    return f'{table}["{name}"]'


def named_column(name: str) -> tuple[str, str] | None:
    """Return the table and the column that a name such as `df["price"]` is about; None for any other name."""
    match = _COLUMN_OF_TABLE.fullmatch(name)
    return (match["table"], match["column"][2:-2]) if match else None


def table_of(name: str) -> str:
    """Return the table of a column, or the name itself if it is not that of a column."""
    found = named_column(name)
    return found[0] if found else name


def in_double_quotes(name: str) -> str:
    """Return the name of a value as it is kept, however an author quotes its column."""
    found = named_column(name)
    return column(*found) if found else name


def columns_of(name: str, names: Iterable[str]) -> str:
    """Return what to write instead of the name of a table, or "" if it is not one."""
    columns = [each for each in names if each.startswith(column(name, "")[:-2])]
    shown = ", ".join(columns[:8]) + (", ..." if len(columns) > 8 else "")
    return f"'{name}' is a table; name one of its columns: {shown}" if columns else ""


def with_tables(values: Values) -> dict[str, Any]:
    """Return values in which each table is a dict of its columns, as a scene's own drawing takes them."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        match named_column(name):
            case (table, inner):
                found.setdefault(table, {})[inner] = value
            case None:
                found[name] = value
    return found


def file_name(name: str) -> str:
    """Return the name of a value as it can be part of a file's name."""
    return re.sub(r"[^A-Za-z0-9_]+", "-", name).strip("-") if named_column(name) else name
