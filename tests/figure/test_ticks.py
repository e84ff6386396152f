"""Ticks are few, round, inside the axis, and no two of them read the same."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from scenebook.figure import _ticks as ticks
from scenebook.figure._labels import is_number

SPANS = st.tuples(st.floats(-1e12, 1e12), st.floats(1e-9, 1e12))


@given(SPANS, st.integers(2, 8))
def test_ticks_stay_on_the_axis_and_read_differently(span: tuple[float, float], most: int) -> None:
    low, high = span[0], span[0] + span[1]
    assume(high - low > 1e-9 * max(abs(low), abs(high)))
    found = ticks.linear(low, high, most)
    slack = 1e-6 * (high - low)
    assert all(low - slack <= value <= high + slack for value in found.values)
    assert len(found.values) <= most + 1
    assert len(set(found.texts)) == len(found.texts)


@example((3.0, 2.0**-23), 2)
@given(SPANS, st.integers(2, 8))
def test_covering_ticks_enclose_the_data(span: tuple[float, float], most: int) -> None:
    low, high = span[0], span[0] + span[1]
    assume(high - low > 1e-9 * max(abs(low), abs(high)))
    found = ticks.covering(low, high, most)
    slack = 1e-6 * (high - low)
    assert found.values[0] <= low + slack
    assert found.values[-1] >= high - slack
    assert 2 <= len(found.values) <= most + 2


@given(st.floats(1e-30, 1e30), st.floats(1.001, 1e30), st.integers(2, 8))
def test_a_log_axis_has_ticks_and_all_of_them_are_on_it(low: float, factor: float, most: int) -> None:
    high = low * factor
    found = ticks.logarithmic(low, high, most)
    assert all(low * (1 - 1e-6) <= value <= high * (1 + 1e-6) for value in found.values)
    assert found.values
    assert len(set(found.texts)) == len(found.texts)


def test_ticks_are_round_and_free_of_noise() -> None:
    assert ticks.linear(0, 0.97, 5).texts == ("0", "0.2", "0.4", "0.6", "0.8")
    assert ticks.linear(-1.5, 1, 5).texts == ("−1.5", "−1.0", "−0.5", "0", "0.5", "1.0")
    assert ticks.linear(0, 1_048_576, 3).texts == ("0", "500,000", "1,000,000")
    assert ticks.linear(0, 3e-7, 3).texts == ("0", "1×10⁻⁷", "2×10⁻⁷", "3×10⁻⁷")
    assert ticks.linear(0, 3, 12, whole=True).texts == ("0", "1", "2", "3")
    assert ticks.linear(0, 7.5, 3).texts == ("0", "2.5", "5.0", "7.5")


def test_the_ticks_of_a_log_axis_are_few_and_written_well() -> None:
    assert ticks.logarithmic(2, 1024, 6).texts == ("10", "100", "1,000")
    assert ticks.logarithmic(1, 30, 6).texts == ("1", "2", "5", "10", "20")
    assert ticks.logarithmic(1e-9, 1e9, 5).texts == ("10⁻⁹", "10⁻⁵", "0.1", "1,000", "10⁷")
    assert ticks.logarithmic(3, 4, 5).texts == ("3.0", "3.2", "3.4", "3.6", "3.8", "4.0")


def test_a_word_is_not_taken_for_a_number() -> None:
    assert all(map(is_number, ("0", "−1.5", "1,000", "1e3")))
    assert not any(map(is_number, ("", "the", "1×10⁵", "3 cats")))
    assert is_number("inf")
