"""The dial of a clock."""

import math

from numpy.testing import assert_allclose

from scenes.positional_encoding_by_hand import functions


def test_the_marks_of_a_dial_start_at_the_top_and_go_clockwise() -> None:
    right, up = functions.dial(12)
    for hour, place in {0: (0, 1), 1: (1 / 2, math.sqrt(3) / 2), 3: (1, 0), 6: (0, -1), 9: (-1, 0)}.items():
        assert_allclose((right[hour], up[hour]), place, atol=1e-15)
