"""Columns of tables in claims."""

from typing import Any

import numpy as np
import pytest

from scenebook.claims import claims
from scenebook.core.settings import Settings

VALUES: Any = {
    ("s", 'df["a b"]'): np.array([1.0, 3.0]),
    ("s", 'df["who"]'): ("x", "y"),
    ("s", "i"): 1,
    ("p/t", 'df["a b"]'): np.array([2.0]),
}


@pytest.mark.parametrize(
    ("expression", "margin"),
    [
        ('s.df["a b"][1] > 2', 1),
        ("s.df['a b'][s.i] > 2.5", 0.5),
        ('all(s.df["a b"] > 0)', 1),
        ("'x' in s.df['who']", None),
        ('{{ p/t.df["a b"] }}[0] > 1 and {{ p/t.df["a b"][0] }} < 4', 1),
    ],
)
def test_a_column_is_a_value(expression: str, margin: float | None) -> None:
    found = claims.check(expression, {name: VALUES[name] for name in claims.names(expression)})
    assert (found.holds, found.margin) == (True, margin)


def test_a_claim_about_a_column_must_be_able_to_fail() -> None:
    with pytest.raises(claims.ClaimError, match=r"'len\(s.df\[\"a b\"\]\) >= 0' holds whatever the scenes compute"):
        claims.check("len(s.df['a b']) >= 0", VALUES)


def test_a_column_has_settings() -> None:
    table = claims.Table(lambda _, __, number: np.array([number, 5.0]), {"s": Settings({"k": (1, 2)})}, "s")
    assert claims.check_everywhere('increasing(s.df["a b"][0], along="k")', table, [0, 1]).holds
    message = claims.check_everywhere('at(s.df["a b"], k=2)[0] > s.df["a b"][1]', table, [0]).message
    assert message.startswith('is false at k = 1: s.df["a b"] at k = 2 is an array of shape (2,) from 1 to 5')
