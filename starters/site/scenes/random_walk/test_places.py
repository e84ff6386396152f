"""A scene is plain numpy, so its test is plain pytest."""

from math import comb

import numpy as np

from scenes.random_walk.places import compute, walk


def test_the_chances_after_each_toss_add_up_to_one() -> None:
    np.testing.assert_allclose(walk(tosses=9, heads=0.3).sum(axis=1), 1)


def test_the_last_row_counts_the_ways_to_each_place() -> None:
    ways = [comb(6, rights) for rights in range(7)]
    np.testing.assert_allclose(compute(tosses=6)["chances"][-1, ::2], np.array(ways) / 2**6)
