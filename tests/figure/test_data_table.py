"""A panel's data can be read on the page, and its file can be used in computations."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.number_format import show
from scenebook.figure import data_table
from scenebook.figure.data_table import Grid


def grid(data: Any, spec: str = "", **fields: Any) -> Grid:
    array = np.ma.getdata(data) if np.ma.isMaskedArray(data) else np.asarray(data)
    rows, columns = (data_table.labelled((), count) for count in array.shape)
    return Grid(
        **{"rows": rows, "columns": columns, "data": array, "masked": np.ma.getmaskarray(data)} | fields, format=spec
    )


def parsed(grid: Grid) -> list[list[str]]:
    content = data_table.comma_separated(grid)
    assert content is not None
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def test_a_table_shows_numbers_in_their_format_and_holds_the_exact_values() -> None:
    data = [[1e-17, 0.0, -0.0, -0.0004], [0.125, 0.375, 2.675, 0.5], [1234567.0, 99999.5, 1e16, -1.0]]
    found = data_table.table(grid(data, ".2f"))
    assert found is not None
    assert found.texts[0] == ("0.00",) * 4
    assert found.texts[1] == ("0.12", "0.38", "2.67", "0.50")
    assert found.texts[2] == ("1234567.00", "99999.50", "1.00×10¹⁶", "−1.00")
    assert found.values[2] == ("1234567.0", "99999.5", "1e+16", "-1.0")


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=9))
def test_a_number_in_the_file_reads_back_unchanged(values: list[float]) -> None:
    assert [float(cell) for cell in parsed(grid([values]))[1][1:]] == values


def test_single_precision_is_written_as_double() -> None:
    assert parsed(grid(np.array([[0.1]], np.float32)))[1] == ["0", "0.1"]


def test_a_cell_without_a_value_says_so() -> None:
    data = np.ma.masked_equal([[1.0, np.nan], [np.inf, -9.0]], -9.0)
    found = data_table.table(grid(data))
    assert found is not None
    assert found.texts == (("1", "NaN"), ("inf", "–"))
    assert found.values == (("1.0", "nan"), ("inf", ""))


def test_truth_values_and_integers_are_not_written_as_floats() -> None:
    assert parsed(grid([[True, False]]))[1] == ["0", "true", "false"]
    assert parsed(grid([[3, -4]]))[1] == ["0", "3", "-4"]


def test_labels_with_commas_and_quotes_do_not_break_the_file() -> None:
    labels = ("a,b", 'say "x"', "−1")
    found = parsed(grid(np.eye(3), columns=labels, rows=labels))
    assert found[0] == ["", "a,b", 'say "x"', "-1"]
    assert [row[0] for row in found[1:]] == ["a,b", 'say "x"', "-1"]


@pytest.mark.parametrize(
    "label",
    [
        *("=A()", "+A()", "-A()", "@A()", "\tA()", "\rA()", "\nA()", " =A()", "=1+1", "-1-2", "−A()", "＝A()", "＠A()"),
        *("-", "-1+A()", "-1.5.2", "-1e", "−inf()", "--1", "+-1", "=-1", "-1×10⁻⁷+A()", "-nano", '=HYPERLINK("a,b")'),
    ],
)
def test_a_label_that_a_spreadsheet_would_run_is_marked_as_text(label: str) -> None:
    found = parsed(grid(np.eye(2), columns=(label, "a"), rows=("a", label)))
    assert found[0] == ["", f"'{label}", "a"]
    assert [row[0] for row in found[1:]] == ["a", f"'{label}"]


@pytest.mark.parametrize("number", [-1.5, -3, 0, 2.5e-7, -1.2e-7, -4e20, -(10**18), -math.inf, math.inf, 12345.678])
def test_a_label_that_is_a_number_can_be_parsed(number: float) -> None:
    label = show(number)
    found = parsed(grid(np.eye(1), columns=(label,), rows=(label,)))
    assert [float(found[0][1]), float(found[1][0])] == [pytest.approx(number, rel=1e-3)] * 2


@pytest.mark.parametrize(
    "label", ["-1.5", "+1.5", "-.5", "-1e-7", "-5%", "-1,048,576", "a=b", "a-b", "a−b", "'x", "a\r=A()", "∞", "½", ""]
)
def test_a_harmless_label_stays_as_it_is(label: str) -> None:
    assert parsed(grid(np.eye(1), columns=(label,)))[0] == ["", label]


def test_positions_in_the_file_keep_all_their_digits() -> None:
    found = grid([[1.0], [2.0]], rows=("0.3333", "0.6667"), keys=np.array([1 / 3, 2 / 3]))
    assert [float(row[0]) for row in parsed(found)[1:]] == [1 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("size", "table_there", "file_there"),
    [(400, True, True), (401, False, True), (10_000, False, True), (10_001, False, False)],
)
def test_a_large_panel_has_no_table_and_a_very_large_one_no_file(
    size: int, table_there: bool, file_there: bool
) -> None:
    data = grid(np.zeros((1, size)))
    assert (data_table.table(data) is not None) is table_there
    assert (data_table.comma_separated(data) is not None) is file_there


def test_a_summary_ignores_cells_without_a_value() -> None:
    data = np.ma.masked_equal([[1.0, np.nan], [3.0, -9.0]], -9.0)
    assert data_table.summary(np.ma.getdata(data), np.ma.getmaskarray(data)) == (
        ("size", "2 × 2"),
        ("smallest", "1"),
        ("largest", "3"),
        ("mean", "2"),
    )
    assert data_table.summary(np.full((2, 2), np.nan), np.zeros((2, 2), bool)) == (("size", "2 × 2"),)
    assert data_table.summary(np.array([[2**53 + 1]]), np.zeros((1, 1), bool))[1] == ("smallest", str(2**53 + 1))
