from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scenebook.review._built_site import BuiltClaim
from scenebook.review._claim_strength import is_weaker

VALUES: dict[tuple[str, str], Any] = {
    ("s", "x"): 5.0,
    ("s", "y"): 3.0,
    ("s", "low"): -2.0,
    ("s", "many"): np.array([1.0, 2.0, 4.0]),
}


def claim(check: str, **fields: Any) -> BuiltClaim:
    return BuiltClaim("It holds.", check, holds=True, margin=None, **fields)


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("s.x > 4", "s.x > 3"),
        ("4 < s.x", "3 < s.x"),
        ("s.x < 6", "s.x < 7"),
        ("s.low > -3", "s.low > -4"),
        ("s.x > 3", "s.x >= 3"),
        ("s.x > 1 and s.y > 1", "s.x > 1"),
        ("s.x > 1 and s.y > 1", "s.y > 0 and s.x > 1"),
        ("1 < s.y < s.x", "s.y < s.x"),
        ("1 < s.y < 4", "0 < s.y < 4"),
        ("s.x > 4", "s.x > 4 or s.y > 4"),
        ("s.x == s.y", "s.x >= s.y"),
        ("close(s.x, 5, rel=0.01)", "close(s.x, 5, rel=0.1)"),
        ("close(s.x, 5)", "close(s.x, 5, abs=1)"),
        ("all(s.many > 0.5)", "all(s.many > 0.25)"),
        ("all(s.many > 0.5)", "any(s.many > 0.5)"),
        ("s.x > 1.5 * s.y", "s.x > 1.2 * s.y"),
        ("s.low > 0.8 * s.low - 1", "s.low > 0.9 * s.low - 1"),
    ],
)
def test_a_bound_that_moved_away_is_weaker_and_the_reverse_is_not(strong: str, weak: str) -> None:
    assert is_weaker(claim(strong), claim(weak), VALUES)
    assert not is_weaker(claim(weak), claim(strong), VALUES)


@pytest.mark.parametrize(
    "check", ["s.y > 4", "not s.x > 4", "s.x + s.y > 4", "s.x >", "len(s.many) == 3", "other.x > 1"]
)
def test_a_claim_that_was_rewritten_is_not_called_weaker(check: str) -> None:
    assert not is_weaker(claim("s.x > 4"), claim(check), VALUES)


def test_a_claim_that_is_checked_at_fewer_settings_is_weaker() -> None:
    everywhere, some = claim("s.x > 4", at={}), claim("s.x > 4", at={"fair": True})
    assert is_weaker(everywhere, some, {})
    assert is_weaker(some, claim("s.x > 4", at={"fair": True, "n": 1}), {})
    assert not is_weaker(some, everywhere, {})
    assert not is_weaker(claim("s.x > 4"), some, {})
