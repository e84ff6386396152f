"""Tables, series and tensors of other libraries. Small classes with the same names and methods stand in for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from scenebook.run import _result_values as result_values


class Dtype:
    """A type of pandas' own, such as Int64, which can have missing values."""

    def __init__(self, name: str, kind: str = "O", numpy_dtype: str = "") -> None:
        self.name, self.kind = name, kind
        if numpy_dtype:
            self.numpy_dtype = np.dtype(numpy_dtype)

    def __str__(self) -> str:
        return self.name


class RangeIndex:
    """The index that says nothing but the number of each row."""

    nlevels = 1

    def __init__(self, length: int, start: int = 0, step: int = 1) -> None:
        self.length, self.start, self.step = length, start, step

    def __len__(self) -> int:
        return self.length


class Columns(list[Any]):
    """The names of the columns of a pandas DataFrame."""

    def __init__(self, names: Sequence[Any], nlevels: int = 1) -> None:
        super().__init__(names)
        self.nlevels = nlevels


class PandasSeries:
    """A series of pandas: `array` stands for its values, in which None is missing."""

    def __init__(self, array: Any, dtype: Any = None, index: Any = None) -> None:
        self.array = array
        self.dtype = dtype or array.dtype
        self.index = RangeIndex(len(array)) if index is None else index

    def __len__(self) -> int:
        return len(self.array)

    def isna(self) -> np.ndarray[Any, Any]:
        return np.array([item is None or item != item for item in self.array])

    def tolist(self) -> list[Any]:
        return list(self.array)

    def to_numpy(self, dtype: Any) -> np.ndarray[Any, Any]:
        return np.array(self.array, dtype=dtype)


class PandasFrame:
    """A DataFrame of pandas."""

    def __init__(self, series: Sequence[Any], names: Any, index: Any = None) -> None:
        self.columns = names if isinstance(names, Columns) else Columns(names)
        self.index = RangeIndex(len(series[0]) if series else 0) if index is None else index
        self.iloc = self
        self.series = series

    def __getitem__(self, places: tuple[slice, int]) -> Any:
        return self.series[places[1]]

    def __len__(self) -> int:
        return len(self.series[0]) if self.series else 0


class PolarsSeries:
    """A series of polars."""

    def __init__(self, items: Any, dtype: str) -> None:
        self.items, self.dtype = items, dtype

    def null_count(self) -> int:
        return sum(item is None for item in self.items)

    def to_numpy(self) -> np.ndarray[Any, Any]:
        return np.array(self.items)

    def to_list(self) -> list[Any]:
        return list(self.items)


class PolarsFrame:
    """A DataFrame of polars."""

    def __init__(self, series: Mapping[str, PolarsSeries]) -> None:
        self.columns, self.series = list(series), list(series.values())

    def to_series(self, place: int) -> PolarsSeries:
        return self.series[place]


class Tensor:
    """A tensor of torch."""

    def __init__(self, array: Any, **other: Any) -> None:
        self.array = array
        self.requires_grad, self.is_quantized = other.get("grad", False), other.get("quantized", False)
        self.device = SimpleNamespace(type=other.get("device", "cpu"))
        self.layout, self.dtype = other.get("layout", "torch.strided"), other.get("dtype", "torch.float64")
        if "names" in other:
            self.names = other["names"]

    def resolve_neg(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        if self.array is None:
            raise RuntimeError("no storage")
        return self.array


class DataArray:
    """An array of xarray."""

    def __init__(self, array: Any, dims: Sequence[str] = (), coords: Sequence[str] = ()) -> None:
        self.array, self.coords = array, coords
        self.dims = dims or tuple(f"dim_{place}" for place in range(array.ndim))

    def to_numpy(self) -> Any:
        return self.array


for kind, module, name in (
    (PandasSeries, "pandas", "Series"),
    (PandasFrame, "pandas.core.frame", "DataFrame"),
    (Dtype, "pandas.core.arrays.integer", "Int64Dtype"),
    (PolarsSeries, "polars.series.series", "Series"),
    (PolarsFrame, "polars.dataframe.frame", "DataFrame"),
    (Tensor, "torch", "Tensor"),
    (DataArray, "xarray.core.dataarray", "DataArray"),
):
    kind.__module__, kind.__name__ = module, name


def named(library: str, name: str, *bases: type) -> Any:
    """An object of a class of a library."""
    return type(name, bases, {"__module__": library})


def taken(value: Any) -> dict[str, Any]:
    """The values that a scene has if it returns one."""
    assert list(result_values.problems({"x": value}, {})) == []
    return result_values.convert({"x": value}, {})


def refused(value: Any) -> str:
    (problem,) = result_values.problems({"x": value}, {})
    return problem


NUMBERS = np.array([1.5, np.nan])
INT64 = Dtype("Int64", "i", "int64")


def test_a_table_is_a_value_for_each_of_its_columns() -> None:
    columns = [PandasSeries(NUMBERS), PandasSeries([1, 2], INT64), PandasSeries(["a", "b"], Dtype("str"))]
    pandas = PandasFrame(columns, ["price (€)", "n", "t"])
    polars = PolarsFrame(
        {
            "price (€)": PolarsSeries([1.5, np.nan], "Float64"),
            "n": PolarsSeries([1, 2], "Int64"),
            "t": PolarsSeries(["a", "b"], "String"),
        }
    )
    for frame in (pandas, polars, named("site", "Own", PandasFrame)(columns, pandas.columns)):
        found = taken(frame)
        assert list(found) == ['x["price (€)"]', 'x["n"]', 'x["t"]']
        assert found['x["t"]'] == ("a", "b")
        np.testing.assert_array_equal(found['x["price (€)"]'], NUMBERS)
        assert (found['x["n"]'].tolist(), found['x["n"]'].dtype.kind) == ([1, 2], "i")


def test_a_series_or_tensor_is_an_array() -> None:
    for value in (PandasSeries(NUMBERS), PolarsSeries(NUMBERS, "Float64"), Tensor(NUMBERS), DataArray(NUMBERS)):
        np.testing.assert_array_equal(taken(value)["x"], NUMBERS)
    assert taken(PandasSeries(["a", "b"], np.dtype(object))) == {"x": ("a", "b")}
    assert taken(PandasSeries([True], Dtype("boolean", "b", "bool")))["x"].tolist() == [True]
    assert taken(PolarsSeries([True], "Boolean"))["x"].tolist() == [True]
    assert taken(Tensor(np.array(2.5))) == taken(DataArray(np.array(2.5))) == {"x": 2.5}
    assert taken([Tensor(np.array(2)), Tensor(np.array(3))])["x"].tolist() == [2, 3]
    assert taken(Tensor(NUMBERS, names=(None,)))["x"].tolist()[0] == 1.5


@pytest.mark.parametrize(
    ("series", "words"),
    [
        (PandasSeries([1, None], INT64), "has missing values (type Int64); fill them"),
        (PandasSeries([1.5, None], Dtype("Float64", "f", "float64")), "has missing values (type Float64); fill them"),
        (PandasSeries(["a", None], Dtype("str")), "has missing values (type str); fill them"),
        (
            PandasSeries(np.array(["2020"], "datetime64[ns]")),
            "has dates or times (type datetime64[ns]); return them as",
        ),
        (PandasSeries(["2020-01"], Dtype("period[M]")), "has dates or times (type period[M]); return them as texts"),
        (PandasSeries(["a"], Dtype("category")), "is categorical; return its texts with .astype(str).tolist()"),
        (PandasSeries([0], Dtype("Sparse[int64, 0]")), "is sparse; return it with .sparse.to_dense()"),
        (PandasSeries([1, "a"], np.dtype(object)), "has values of type object; return numbers, truth values or texts"),
        (PolarsSeries([1, None], "Int64"), "has nulls (type Int64); fill them with .fill_null(...), or leave them out"),
        (PolarsSeries(["d"], "Date"), "has dates or times (type Date); return them as texts, such as .cast(pl.String)"),
        (PolarsSeries(["a"], "Enum(categories=['a'])"), "is categorical; return its texts with .cast(pl.String)"),
        (PolarsSeries([[1]], "List(Int64)"), "has values of type List(Int64); return numbers, truth values or texts"),
    ],
)
def test_a_column_that_would_lose_something_is_refused_by_itself_and_in_a_table(series: Any, words: str) -> None:
    library = "pandas" if isinstance(series, PandasSeries) else "polars"
    assert refused(series).startswith(f"compute returned 'x', a {library} Series that {words}")
    frame = PandasFrame([series], ["day"]) if library == "pandas" else PolarsFrame({"day": series})
    assert refused(frame).startswith(f"compute returned 'x', a {library} DataFrame whose column 'day' {words}")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (PandasFrame([PandasSeries(NUMBERS)], ["a"], RangeIndex(2, 1)), "a pandas DataFrame with an index, which"),
        (PandasFrame([PandasSeries(NUMBERS)], ["a"], Columns(["x", "y"])), "a pandas DataFrame with an index, which"),
        (PandasSeries(NUMBERS, index=Columns("xy")), "a pandas Series with an index, which would be lost; return x.to"),
        (
            PandasFrame([PandasSeries(NUMBERS)] * 2, Columns([("a", "b"), ("a", "c")], 2)),
            "a pandas DataFrame whose col",
        ),
        (PandasFrame([PandasSeries(NUMBERS)] * 2, ["a", "a"]), "a pandas DataFrame with two columns named 'a'; rename"),
        (PandasFrame([PandasSeries(NUMBERS)], [0]), "a pandas DataFrame with a column named 0; name it with a text"),
        (PandasFrame([PandasSeries(NUMBERS)], ['a"b']), "a pandas DataFrame with a column named 'a\"b'; name it with"),
        (PandasFrame([], []), "a pandas DataFrame without columns; return one with at least one"),
        (named("pandas", "Index")(), "a pandas Index; return x.tolist()"),
        (
            named("pandas.core", "Own", named("pandas.core", "ExtensionArray"))(),
            "an array of pandas; return x.to_numpy",
        ),
        (named("polars.lazyframe", "LazyFrame")(), "a polars LazyFrame, which is not computed yet; return df.collect"),
        (Tensor(NUMBERS, grad=True), "a torch tensor that requires a gradient; return x.detach()"),
        ([Tensor(NUMBERS, grad=True)], "a torch tensor that requires a gradient; return x.detach()"),
        (Tensor(NUMBERS, device="cuda"), "a torch tensor on the device 'cuda'; return x.cpu()"),
        (Tensor(NUMBERS, layout="torch.sparse_coo"), "a torch tensor of layout torch.sparse_coo; return x.to_dense()"),
        (Tensor(NUMBERS, dtype="torch.bfloat16"), "a torch tensor of type torch.bfloat16, which numpy does not have"),
        (Tensor(NUMBERS, quantized=True), "a torch tensor that is quantized; return x.dequantize()"),
        (Tensor(NUMBERS, names=("time",)), "a torch tensor with named dimensions; return x.rename(None)"),
        (Tensor(None), "a Tensor that numpy cannot take: no storage"),
        (DataArray(NUMBERS, ("time",)), "an xarray DataArray with named dimensions ('time'), which would be lost"),
        (DataArray(NUMBERS, coords=("dim_0",)), "an xarray DataArray with coordinates, which would be lost; return x."),
        (named("xarray.core.dataset", "Dataset")(), "an xarray Dataset; return each of its variables under a name of"),
    ],
)
def test_what_would_be_lost_is_refused_with_what_to_return_instead(value: Any, words: str) -> None:
    assert refused(value).startswith(f"compute returned 'x', {words}")


def test_a_class_of_the_same_name_elsewhere_is_not_taken() -> None:
    assert refused(named("site.tables", "DataFrame")()).startswith("compute returned x = a DataFrame; a value must be")


def test_other_mistakes_in_a_result_are_reported_with_those_of_tables() -> None:
    problems = list(result_values.problems({"a": Tensor(NUMBERS, grad=True), "b": 1j, "c": PandasFrame([], [])}, {}))
    assert len(problems) == 3
