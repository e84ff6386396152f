"""Path lengths agree with products of connection matrices, and with their formulas."""

import math
from typing import Any

import numpy as np
import pytest

from scenes.attention import path_length


def _readers(name: str, position: int, layer: int, n: int) -> list[int]:
    """The positions that read a position."""
    step = 3**layer
    reach = {
        "self_attention": range(n),
        "recurrence": [position + 1],
        "convolution": [position, position + step, position + 2 * step],
        "restricted": range(position - 3, position + 5),
    }[name]
    return [reader for reader in reach if 0 <= reader < n]


@pytest.mark.parametrize("name", path_length.LAYERS)
def test_the_longest_path_agrees_with_products_of_connection_matrices(name: str) -> None:
    for n in range(2, 30):
        joined = np.eye(n, dtype=bool)
        carried, found = joined, 0
        for layer in range(n):
            connected = np.zeros((n, n), dtype=bool)
            for position in range(n):
                connected[position, _readers(name, position, layer, n)] = True
            carried = carried @ connected
            if (carried & ~joined).any():
                found = layer + 1
            joined = joined | carried
        assert joined.all() or (joined == np.tri(n, dtype=bool).T).all()
        assert path_length.maximum_path_length(path_length.LAYERS[name], n) == found, n


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("self_attention", lambda n: 1),
        ("recurrence", lambda n: n - 1),
        ("convolution", lambda n: next(k for k in range(n) if 3**k >= n)),
        ("restricted", lambda n: math.ceil((n - 1) / 3)),
    ],
)
def test_path_lengths_follow_their_formulas_between_powers_of_two(name: str, expected: Any) -> None:
    for n in (2, 3, 4, 9, 10, 27, 28, 81, 82, 100):
        assert path_length.maximum_path_length(path_length.LAYERS[name], n) == expected(n), n


def test_the_longest_path_of_a_window_leads_from_the_last_position_to_the_first() -> None:
    steps = [path_length.steps_to_farthest(path_length.restricted, start, 25) for start in (0, 24)]
    assert steps == [24 / path_length.BEFORE, 24 / path_length.AFTER]


def test_a_window_holds_the_positions_that_its_constants_say() -> None:
    sees = [place for place in range(41) if path_length.restricted(1 << place, 0, 41) & 1 << 20]
    assert sees == list(range(20 - path_length.BEFORE, 20 + path_length.WINDOW - path_length.BEFORE))


def test_the_integer_logarithm_is_exact_at_powers() -> None:
    for k in range(1, 20):
        assert [path_length.integer_log(3**k + i, 3) for i in (-1, 0, 1)] == [k, k, k + 1]
