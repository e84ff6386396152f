"""The distance from home is what the theory says, for a fair coin and for an unfair one."""

import numpy as np

from scenes.random_walk.distance import compute


def test_a_fair_coin_takes_you_the_square_root_of_the_tosses() -> None:
    values = compute(tosses=50)
    np.testing.assert_allclose(values["walked"], np.sqrt(values["tossed"]))


def test_a_coin_that_always_shows_heads_takes_you_a_step_with_each_toss() -> None:
    values = compute(tosses=50, heads=1.0)
    np.testing.assert_allclose(values["walked"], values["tossed"])
