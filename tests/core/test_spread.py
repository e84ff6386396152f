"""Which digits of a number from chance another seed would not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.spread import Spread, fault, spread, stat, written


def between(low: float, high: float, shown: float) -> list[float]:
    """Twenty runs with this low and high, of which the first is shown."""
    return [shown, low, low, high, high, *[shown] * 15]


HALF_RANGE_OF_A_TENTH = between(0.9, 1.1, 1.0)
TINY, AROUND_ZERO, SHARES, COUNTS = (
    between(0.00003, 0.00016, 0.0001),
    between(-0.03, 0.03, 0.001),
    between(0.95, 0.99, 0.97),
    between(765, 807, 786),
)


@pytest.mark.parametrize(
    ("runs", "spec", "earned"),
    [
        (HALF_RANGE_OF_A_TENTH, ".1f", True),
        (HALF_RANGE_OF_A_TENTH, ".2f", False),
        (HALF_RANGE_OF_A_TENTH, ".1e", True),
        (HALF_RANGE_OF_A_TENTH, ".2e", False),
        (HALF_RANGE_OF_A_TENTH, "", True),  # it is shown as 1
        ([value * 4.123 for value in HALF_RANGE_OF_A_TENTH], "", False),
        ([value * 4.123 for value in HALF_RANGE_OF_A_TENTH], ".2g", True),
        (TINY, ".4f", False),
        (TINY, ".0e", False),
        (AROUND_ZERO, ".2f", True),
        ([0.01, *AROUND_ZERO[1:]], ".2f", False),
        (SHARES, ".0%", True),
        (SHARES, ".1%", False),
        (COUNTS, "", False),
        (COUNTS, ",d", False),
        (COUNTS, ".2e", False),
        (COUNTS, ".1e", True),
        ([0.5] * 19 + [9.0], ".4f", True),
        ([0.5] * 18 + [9.0], ".4f", False),  # fewer runs have no outliers
        ([9.0] + [0.5] * 19, ".1f", False),  # an outlier that is shown
        ([0.4999, 0.5001] * 10, ".1f", True),
        ([0.4999, 0.5001] * 10, ".2f", True),
        ([0.4999, 0.5001] * 10, ".5f", False),
        ([1234567, 1234568] * 10, ",d", True),
        ([10**400, 10**401] * 10, "d", False),
        ([3, 3, 3], "x", True),
        ([0.0] * 19 + [1e9], ".2f", True),
        ([1.0 / (n + 1) for n in range(40)], ".1f", False),  # a heavy tail
        (["left"] * 20, "", True),
        (["left"] * 19 + ["right"], "", False),
        ([True] * 19 + [False], "", False),
        ([float("nan"), 1.0, 1.0], ".1f", False),
    ],
)
def test_digits_that_another_seed_would_change_are_refused(runs: list[float], spec: str, earned: bool) -> None:
    assert (fault(runs, spec, "", "s.x") == "") is earned


@pytest.mark.parametrize(
    ("runs", "spec", "message"),
    [
        (
            SHARES,
            ".1%",
            (
                "varies from 0.95 to 0.99 over 20 runs, so another seed would change the digits of 97.0%; "
                "write {{ s.x.about:% }} or {{ s.x.range:% }}, or fewer digits: {{ s.x:.0% }}"
            ),
        ),
        (
            COUNTS,
            "",
            (
                "varies from 765 to 807 over 20 runs, so another seed would change the digits of 786; "
                "write {{ s.x.about }} or {{ s.x.range }}"
            ),
        ),
        (
            TINY,
            ".4f",
            (
                "varies from 3×10⁻⁵ to 0.00016 over 20 runs, so another seed would change the digits of 0.0001; "
                "write {{ s.x.range }}"
            ),
        ),
        (
            [False, False, True],
            "",
            (
                "is false in 2 of 3 runs, so another seed would change it; have the scene compute something that holds "
                "for all, or give it `digits: as written`"
            ),
        ),
    ],
)
def test_a_message_says_how_a_value_varies_and_what_to_write(runs: list[float], spec: str, message: str) -> None:
    assert fault(runs, spec, "", "s.x") == message


@pytest.mark.parametrize(
    ("runs", "wanted", "spec", "expected"),
    [
        (between(0.3, 0.7, 0.5), "about", "", "0.5"),
        (COUNTS, "about", "", "790"),
        (between(0.1, 0.14, 0.12), "about", "%", "12%"),
        (between(12000, 13000, 12500), "about", ",", "12,500"),
        (between(2e8, 3e8, 2.5e8), "about", "", "2.5×10⁸"),
        (between(1e-9, 2e-9, 1.5e-9), "about", "", "1.5×10⁻⁹"),
        ([0.5] * 20, "about", "", "0.5"),
        ([12345] * 20, "about", "", "12345"),
        (between(0.3, 0.7, 0.5), "range", "", "0.3 to 0.7"),
        (COUNTS, "range", "", "765 to 807"),
        (TINY, "range", "", "0.00003 to 0.00016"),
        ([-3e-6, 3e-6, 1e-6], "range", "", "−3×10⁻⁶ to 3×10⁻⁶"),
        (between(-0.03, 0.03, 0), "range", "", "−0.03 to 0.03"),
        (SHARES, "range", "%", "95% to 99%"),
        (SHARES, "range", ".1%", "95.0% to 99.0%"),
        ([7] * 20, "range", "", "7"),
        (SHARES, "low", ".2f", "0.95"),
        (SHARES, "high", ".2f", "0.99"),
        ([1, 2, 4], "median", "", "2"),
        ([1, 2], "median", "", "1.5"),
        (["left", "right"], "runs", "", "2"),
    ],
)
def test_a_text_can_ask_how_a_value_varies(runs: list[float], wanted: str, spec: str, expected: str) -> None:
    assert written(runs, wanted, spec, "", "s.x") == expected


@pytest.mark.parametrize(
    ("runs", "wanted", "spec", "message"),
    [
        (TINY, "about", "", "not one digit is the same for all seeds, from 3×10⁻⁵ to 0.00016; write {{ s.x.range }}"),
        (COUNTS, "about", ".2f", "'.about' finds its digits by itself; write '%', ',' or no format, not '.2f'"),
        (["left", "right"], "low", "", "'s.x' is not a finite number in each run, so it has no .low"),
        (COUNTS, "hihg", "", "there is no '.hihg' of a value; did you mean 'high'?"),
    ],
)
def test_what_cannot_be_said_is_refused(runs: list[float], wanted: str, spec: str, message: str) -> None:
    with pytest.raises((LookupError, ValueError)) as error:
        written(runs, wanted, spec, "", "s.x")
    assert error.value.args[0] == message


def test_low_and_high_leave_out_one_run_on_each_side_of_twenty_but_none_of_fewer() -> None:
    assert spread(range(20)) == Spread(1, 9.5, 18, 20, equal=False)
    assert spread(range(19)) == Spread(0, 9, 18, 19, equal=False)


NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(), min_size=2, max_size=30)


@given(NUMBERS)
def test_what_about_writes_has_earned_its_digits(runs: list[float]) -> None:
    median = stat(runs, "median", "s.x")
    try:
        shown = written(runs, "about", "", "", "s.x")
    except ValueError:
        over = spread(runs)
        assert over.low * over.high <= 0 or max(abs(over.low), abs(over.high)) > 3 * min(abs(over.low), abs(over.high))
        return
    decimals = len(shown.partition(".")[2]) if "×" not in shown else None
    if decimals:
        assert fault([median, *runs, median], f".{decimals}f", "", "s.x") == ""


@given(NUMBERS, st.sampled_from(["", ".2f", ".0%", ".3e", ".4g", ",.1f"]))
def test_any_numbers_are_either_earned_or_described(runs: list[float], spec: str) -> None:
    message = fault(runs, spec, "", "s.x")
    assert message == "" or "{{ s.x.range" in message
