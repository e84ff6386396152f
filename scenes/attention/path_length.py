"""How many steps a signal needs from the first position to the last, found by walking the connections of each layer."""

from collections.abc import Callable, Iterable

import numpy as np

from scenes.attention.functions import Values

Readers = Callable[[int, int, int], Iterable[int]]

WINDOW = 8
BEFORE = 4  # a position reads this many positions before it, itself, and the rest of the window after it
KERNEL = 3


def compute(doublings: int = 10) -> Values:
    """Shortest paths from the first position to the last, for sequences of n = 2, 4, 8, ... positions."""
    n = 2 ** np.arange(1, doublings + 1)
    lengths = {name: np.array([path_length(readers, int(m)) for m in n]) for name, readers in LAYERS.items()}
    return {
        "n": n,
        **lengths,
        "layers_of_convolution": np.array([integer_log(int(m), KERNEL) for m in n]),
        "hops_of_window": -(-(n - 1) // BEFORE),
        "longest_n": n[-1],
        **{f"{name}_at_longest": length[-1] for name, length in lengths.items()},
        "window": WINDOW,
        "before": BEFORE,
        "after": WINDOW - BEFORE - 1,
        "kernel": KERNEL,
    }


def path_length(readers: Readers, n: int) -> int:
    """Breadth-first search over nodes (layer, position), from the first position to the last."""
    frontier, layer = {0}, 0
    while n - 1 not in frontier:
        frontier = {reader for position in frontier for reader in readers(position, layer, n) if 0 <= reader < n}
        layer += 1
    return layer


def self_attention(_position: int, _layer: int, n: int) -> Iterable[int]:
    """Every position reads every position."""
    return range(n)


def recurrence(position: int, _layer: int, _n: int) -> Iterable[int]:
    """A state is read by the next state, one step of time later."""
    return (position + 1,)


def convolution(position: int, layer: int, _n: int) -> Iterable[int]:
    """Causal, kernel 3, dilation 3^layer: a position is read by itself and by two positions further on."""
    dilation = KERNEL**layer
    return (position + tap * dilation for tap in range(KERNEL))


def restricted(position: int, _layer: int, _n: int) -> Iterable[int]:
    """Self-attention in a window: a position is read by those that have it in their window."""
    return range(position - (WINDOW - BEFORE - 1), position + BEFORE + 1)


LAYERS: dict[str, Readers] = {
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
