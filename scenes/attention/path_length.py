"""How many steps a signal needs between the two positions that are farthest apart, found by walking the connections."""

from collections.abc import Callable

import numpy as np

from scenes.attention.functions import Values

WINDOW = 8
BEFORE = 4  # a position reads this many positions before it, itself, and the rest of the window after it
AFTER = WINDOW - BEFORE - 1
KERNEL = 3

# A set of positions is an integer: position p is in it if bit p is 1, so `<< 1` moves the whole set one position on.
# A layer is a function. It takes the positions that a signal has reached, the number of the layer, and n. It returns
# the positions that read from them.
Layer = Callable[[int, int, int], int]


def compute(doublings: int = 10) -> Values:
    """The longest of the shortest paths between two positions, for sequences of n = 2, 4, 8, ... positions."""
    n = 2 ** np.arange(1, doublings + 1)
    self_attention, recurrence, convolution, window = (
        np.array([maximum_path_length(layer, int(m)) for m in n]) for layer in LAYERS.values()
    )
    return {
        "n": n,
        "self_attention": self_attention,
        "recurrence": recurrence,
        "convolution": convolution,
        "restricted": window,
        "logarithm": np.array([integer_log(int(m), KERNEL) for m in n]),
        "longest_n": n[-1],
        "self_attention_at_longest": self_attention[-1],
        "recurrence_at_longest": recurrence[-1],
        "convolution_at_longest": convolution[-1],
        "restricted_at_longest": window[-1],
        "window": WINDOW,
        "before": BEFORE,
        "after": AFTER,
        "kernel": KERNEL,
    }


def maximum_path_length(layer: Layer, n: int) -> int:
    """The length of the longest of the shortest paths between all pairs of positions that a signal can join."""
    return max(steps_to_farthest(layer, start, n) for start in range(n))


def steps_to_farthest(layer: Layer, start: int, n: int) -> int:
    """Breadth-first search from one position: the number of steps until the last position is reached."""
    everywhere = (1 << n) - 1
    reached = frontier = 1 << start
    steps = 0
    while (frontier := layer(frontier, steps, n) & everywhere) & ~reached:
        reached |= frontier
        steps += 1
    return steps


def self_attention(positions: int, _layer: int, n: int) -> int:
    """Every position reads every position."""
    return (1 << n) - 1 if positions else 0


def recurrence(positions: int, _layer: int, _n: int) -> int:
    """A state is read by the next state, one step of time later."""
    return positions << 1


def convolution(positions: int, layer: int, _n: int) -> int:
    """Causal, kernel 3, dilation 3^layer: a position is read by itself and by two positions further on."""
    readers = positions
    for tap in range(1, KERNEL):
        readers |= positions << tap * KERNEL**layer
    return readers


def restricted(positions: int, _layer: int, _n: int) -> int:
    """Self-attention in a window: a position is read by those that have it in their window."""
    readers = positions
    for step in range(1, BEFORE + 1):
        readers |= positions << step
    for step in range(1, AFTER + 1):
        readers |= positions >> step
    return readers


LAYERS: dict[str, Layer] = {
    "self_attention": self_attention,
    "recurrence": recurrence,
    "convolution": convolution,
    "restricted": restricted,
}


def integer_log(n: int, base: int) -> int:
    """The least integer k with base^k >= n, without the rounding of a logarithm."""
    k = 0
    while base**k < n:
        k += 1
    return k


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
