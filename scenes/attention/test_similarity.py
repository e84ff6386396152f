"""The similarity of positions agrees with a sum of cosines."""

import math

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import similarity


def test_similarity_is_a_sum_of_cosines_and_has_the_values_on_the_page() -> None:
    values = similarity.compute()
    for distance, found in enumerate(values["by_distance"]):
        assert_allclose(found, sum(math.cos(distance / 10000 ** (pair / 8)) for pair in range(8)), rtol=1e-12)
    assert (
        f"{values['at_zero']:.2f} {values['by_distance'][10]:.2f} {values['by_distance'][13]:.2f}" == "8.00 3.65 5.52"
    )
    assert f"{values['at_near']:.2f} {values['at_far']:.2f}" == "5.54 6.44"
    assert f"{values['at_later']:.2f} {values['at_two']:.2f}" == "6.43 6.37"


def test_peaks_are_higher_than_both_neighbours() -> None:
    assert_array_equal(similarity.peaks(np.array([5.0, 1, 3, 2, 2, 4, 4, 0, 1, 0.5, 7])), [2, 8])
