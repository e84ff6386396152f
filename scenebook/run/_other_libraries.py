"""Takes tables and arrays of pandas, polars, torch and xarray, if nothing is lost, without importing these libraries.

Whatever would be lost is refused, with what to return instead: an index, missing values, dates, names of dimensions, a
tensor's gradient.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scenebook.core import values

_NAME = re.compile(r"""[^"'\\{}\[\]\x00-\x1f]+""")
_NUMBERS = "biuf"
_POLARS = re.compile(r"U?Int(?:8|16|32|64)|Float(?:32|64)|Boolean")


class LossError(Exception):
    """Something would be lost. The message completes `compute returned 'x', ...`."""


def converted(value: Any) -> Any:
    """Return a table as a dict of columns, and a series or tensor as an array or a list of texts.

    So are those in a list. Any other value stays as it is. Raises `LossError`.
    """
    if isinstance(value, list | tuple) and value and _converter(value[0]):
        return list(map(converted, value))
    convert = _converter(value)
    try:
        return convert(value) if convert else value
    except (TypeError, ValueError, AttributeError, RuntimeError) as error:
        raise LossError(f"a {type(value).__name__} that numpy cannot take: {error}") from None


def _converter(value: Any) -> Callable[[Any], Any] | None:
    """Return the function that converts a value of another library; None for any other value."""
    found = (_CONVERTERS.get((_library(kind), kind.__name__)) for kind in type(value).__mro__)
    return next(filter(None, found), None)


def _library(kind: type) -> str:
    return kind.__module__.partition(".")[0]


def _columns(names: Sequence[Any], series: Callable[[int], Any], convert: Callable[[Any, str], Any], what: str) -> Any:
    """Return a table as a dict, given its names and its columns by place."""
    if not names:
        raise LossError(f"{what} without columns; return one with at least one")
    for name in names:
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise LossError(f"{what} with a column named {name!r}; name it with a text without quotes and brackets")
    if again := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise LossError(f"{what} with two columns named {again!r}; rename one of them")
    return {name: convert(series(place), f"{what} whose column {name!r}") for place, name in enumerate(names)}


# pandas.


def _pandas_frame(frame: Any) -> Any:
    what = "a pandas DataFrame"
    if getattr(frame.columns, "nlevels", 1) > 1:
        raise LossError(f"{what} whose columns have several levels; name each column with one text")
    _without_index(frame, what, "df.reset_index(), or df.reset_index(drop=True) to leave it out")
    return _columns(list(frame.columns), lambda place: frame.iloc[:, place], _pandas_column, what)


def _pandas_series(series: Any) -> Any:
    what = "a pandas Series"
    _without_index(series, what, "x.to_numpy(), and its index as another value: x.index.tolist()")
    return _pandas_column(series, f"{what} that")


def _index(_: Any) -> Any:
    raise LossError("a pandas Index; return x.tolist()")


def _extension_array(_: Any) -> Any:
    raise LossError("an array of pandas; return x.to_numpy()")


def _without_index(data: Any, what: str, instead: str) -> None:
    index, count = data.index, len(data)
    is_default = type(index).__name__ == "RangeIndex" and (index.start, index.step, len(index)) == (0, 1, count)
    if not is_default:
        raise LossError(f"{what} with an index, which would be lost; return {instead}")


def _pandas_column(series: Any, what: str) -> Any:
    dtype = series.dtype
    name, kind = str(dtype), getattr(dtype, "kind", "O")
    if name.startswith("Sparse"):
        raise LossError(f"{what} is sparse; return it with .sparse.to_dense()")
    if name == "category":
        raise LossError(f"{what} is categorical; return its texts with .astype(str).tolist()")
    if kind in "mM" or name.startswith(("datetime", "period", "interval", "timestamp", "date", "duration")):
        raise LossError(f"{what} has dates or times (type {name}); return them as texts, such as .astype(str).tolist()")
    has_nan = kind == "f" and _library(type(dtype)) == "numpy"
    if not has_nan and bool(series.isna().any()):
        advice = "fill them, leave them out, or return floats with NaN"
        raise LossError(f"{what} has missing values (type {name}); {advice}")
    if kind in _NUMBERS:
        return series.to_numpy(dtype=getattr(dtype, "numpy_dtype", dtype))
    return _texts(series.tolist(), f"{what} has values of type {name}")


def _texts(found: Iterable[Any], what: str) -> list[str]:
    """Return a list of texts; raises `LossError` if it is something else."""
    texts = list(found)
    if all(isinstance(text, str) for text in texts):
        return texts
    raise LossError(f"{what}; return numbers, truth values or texts")


# polars.


def _polars_frame(frame: Any) -> Any:
    return _columns(list(frame.columns), frame.to_series, _polars_column, "a polars DataFrame")


def _polars_series(series: Any) -> Any:
    return _polars_column(series, "a polars Series that")


def _polars_column(series: Any, what: str) -> Any:
    name = str(series.dtype)
    if series.null_count():
        raise LossError(f"{what} has nulls (type {name}); fill them with .fill_null(...), or leave them out")
    if _POLARS.fullmatch(name):
        return series.to_numpy()
    if name in ("String", "Utf8"):
        return _texts(series.to_list(), what)
    if name.startswith(("Date", "Time", "Duration")):
        raise LossError(f"{what} has dates or times (type {name}); return them as texts, such as .cast(pl.String)")
    if name.startswith(("Categorical", "Enum")):
        raise LossError(f"{what} is categorical; return its texts with .cast(pl.String)")
    raise LossError(f"{what} has values of type {name}; return numbers, truth values or texts")


def _lazy_frame(_: Any) -> Any:
    raise LossError("a polars LazyFrame, which is not computed yet; return df.collect()")


# torch and xarray.


def _tensor(tensor: Any) -> Any:
    what = "a torch tensor"
    if tensor.requires_grad:
        raise LossError(f"{what} that requires a gradient; return x.detach()")
    if any(getattr(tensor, "names", ())):
        raise LossError(f"{what} with named dimensions; return x.rename(None)")
    if (device := tensor.device.type) != "cpu":
        raise LossError(f"{what} on the device {device!r}; return x.cpu()")
    if (layout := str(tensor.layout)) != "torch.strided":
        raise LossError(f"{what} of layout {layout}; return x.to_dense()")
    if tensor.is_quantized:
        raise LossError(f"{what} that is quantized; return x.dequantize()")
    if (name := str(tensor.dtype)).startswith(("torch.bfloat", "torch.float8")):
        raise LossError(f"{what} of type {name}, which numpy does not have; return x.float()")
    return tensor.resolve_neg().numpy()


def _data_array(array: Any) -> Any:
    what = "an xarray DataArray"
    if any(dimension != f"dim_{place}" for place, dimension in enumerate(array.dims)):
        named = ", ".join(repr(dimension) for dimension in array.dims)
        raise LossError(f"{what} with named dimensions ({named}), which would be lost; return x.to_numpy()")
    if len(array.coords):
        raise LossError(f"{what} with coordinates, which would be lost; return x.to_numpy(), and them as other values")
    return array.to_numpy()


def _dataset(_: Any) -> Any:
    raise LossError("an xarray Dataset; return each of its variables under a name of its own, with .to_numpy()")


_CONVERTERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("pandas", "DataFrame"): _pandas_frame,
    ("pandas", "Series"): _pandas_series,
    ("pandas", "Index"): _index,
    ("pandas", "ExtensionArray"): _extension_array,
    ("polars", "DataFrame"): _polars_frame,
    ("polars", "Series"): _polars_series,
    ("polars", "LazyFrame"): _lazy_frame,
    ("torch", "Tensor"): _tensor,
    ("xarray", "DataArray"): _data_array,
    ("xarray", "Dataset"): _dataset,
}


def columns(name: str, table: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a table by the names of their values."""
    return {values.column(name, inner): value for inner, value in table.items()}
