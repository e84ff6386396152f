"""The data of a panel as text: a table to read and a CSV file to compute with.

A table has up to 400 cells, a CSV file up to 10,000, and there is always a summary. The table's texts show numbers as
the page writes them. The table's values and the CSV file have every digit, with a plain minus, so that programs can
parse them. A masked cell is a dash in the table and empty in the file.

A spreadsheet executes a cell of a CSV file that starts with =, +, -, @, a tab or a line break. A label that starts like
this and is not a number gets an apostrophe in front, which makes it text
(https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scenebook.core.number_format import MINUS, plain, show
from scenebook.formulas.labels import computed_label, label

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TABLE_CELLS, CSV_CELLS = 400, 10_000
MASKED = "\N{EN DASH}"

_NUMBER = re.compile(
    rf"(?P<sign>[-+{MINUS}]?)(?P<size>(?:\d+(?:,\d{{3}})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?|inf|nan)"
    r"(?:×10(?P<power>[⁺⁻]?[⁰¹²³⁴-⁹]+))?",
    re.ASCII | re.IGNORECASE,
)
_QUOTED = re.compile(r"[\",\r\n]")
_FORMULA = re.compile(rf"[\t\r\n]|\s*[=+\-@{MINUS}＝＋－＠]")

Labels = tuple[str, ...]


@dataclass(frozen=True)
class Grid:
    """Numbers (rows, columns) with a label for each row and column. `format` is a Python number format.

    `keys` are the numbers that label the rows, with every digit, if `rows` shows fewer. The labels of `rich` columns
    are those of a legend, and may contain formulas. `spread` has low and high of each number over the runs of a scene.
    """

    rows: Labels
    columns: Labels
    data: NDArray[Any]
    masked: NDArray[np.bool_]
    format: str = ""
    keys: NDArray[Any] | None = None
    rich: bool = False
    spread: tuple[NDArray[Any], NDArray[Any]] | None = None

    @classmethod
    def labelled(
        cls,
        rows: Labels,
        columns: Labels,
        data: NDArray[Any],
        masked: NDArray[np.bool_],
        format: str = "",
        *,
        rich: bool = False,
    ) -> Grid:
        """Return a grid whose rows and columns have their labels or, without labels, their positions from 0."""
        count, across = data.shape
        named = tuple(map(computed_label, labelled(columns, across))) if not rich else labelled(columns, across)
        return cls(tuple(map(computed_label, labelled(rows, count))), named, data, masked, format, rich=rich)


@dataclass(frozen=True)
class Table:
    """A panel's data, row by row: `texts` to read, and `values` with every digit.

    `spreads` says how each number varies over the runs of a scene, if it repeats its run.
    """

    columns: Labels
    rows: Labels
    texts: tuple[Labels, ...]
    values: tuple[Labels, ...]
    rich: bool = False
    spreads: tuple[Labels, ...] = ()


def labelled(labels: Labels, count: int) -> Labels:
    """Return the labels, or the positions from 0 if there are none."""
    return labels or tuple(map(str, range(count)))


def table(grid: Grid) -> Table | None:
    """Return the table, or None if it has more than 400 cells."""
    if grid.data.size > TABLE_CELLS:
        return None
    return Table(grid.columns, grid.rows, texts(grid), _values(grid), grid.rich, tuple(_spreads(grid)))


def texts(grid: Grid) -> tuple[Labels, ...]:
    """Return each cell as a page writes it."""
    spec = "" if grid.data.dtype.kind == "b" else grid.format
    rows = zip(grid.data, grid.masked, strict=True)
    return tuple(
        tuple(MASKED if out else show(plain(value), spec) for value, out in zip(*row, strict=True)) for row in rows
    )


def _spreads(grid: Grid) -> Iterator[Labels]:
    """Yield low and high of each cell as a page writes them, by row."""
    spec = "" if grid.data.dtype.kind == "b" else grid.format
    for lows, highs in zip(*grid.spread, strict=True) if grid.spread else ():
        ends = zip(lows.tolist(), highs.tolist(), strict=True)
        yield tuple(f"{show(low, spec)} to {show(high, spec)}" for low, high in ends)


def comma_separated(grid: Grid) -> bytes | None:
    """Return the CSV file with a header and with row labels, or None if it has more than 10,000 cells."""
    if grid.data.size > CSV_CELLS:
        return None
    keys = map(_label, grid.rows) if grid.keys is None else map(_exact, grid.keys)
    columns = map(label, grid.columns) if grid.rich else grid.columns
    rows = (("", *map(_label, columns)), *((key, *row) for key, row in zip(keys, _values(grid), strict=True)))
    return "".join(f"{','.join(row)}\n" for row in rows).encode()


def summary(data: NDArray[Any], masked: NDArray[np.bool_]) -> tuple[tuple[str, str], ...]:
    """Return the size and the smallest, largest and mean finite value, each with its name."""
    import numpy as np

    size = ("size", " × ".join(map(str, data.shape)))
    found = data[~masked]
    found = found[np.isfinite(found)]
    if not found.size or data.dtype.kind == "b":
        return (size,)
    numbers = {"smallest": found.min(), "largest": found.max(), "mean": float(found.mean(dtype=float))}
    return (size, *((name, show(value)) for name, value in numbers.items()))


def _values(grid: Grid) -> tuple[Labels, ...]:
    rows = zip(grid.data, grid.masked, strict=True)
    return tuple(tuple("" if out else _exact(value) for value, out in zip(*row, strict=True)) for row in rows)


def _label(label: str) -> str:
    """Return a label as a cell of a CSV file, quoted if necessary. csv.writer would let a bare CR end the row."""
    text = _parsed(label)
    return '"{}"'.format(text.replace('"', '""')) if _QUOTED.search(text) else text


def _parsed(label: str) -> str:
    """Return a numeric label in digits that programs can parse, and any other label as text that is not a formula."""
    if match := _NUMBER.fullmatch(label):
        power = unicodedata.normalize("NFKC", match["power"] or "").replace(MINUS, "-")
        sign = match["sign"].replace(MINUS, "-")
        return f"{sign}{match['size']}{power and 'e'}{power}"
    return f"'{label}" if _FORMULA.match(label) else label


def _exact(value: Any) -> str:
    """Return the shortest text that reads back as this number at its precision."""
    return str(value).lower() if isinstance(plain(value), bool) else str(value)
