"""Look-ups in sentences with words, one at a time, and what holds with other random numbers too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention.functions import positional_encoding
from scenes.positional_encoding_by_hand import words_added


def test_each_look_up_goes_to_the_key_with_the_largest_score() -> None:
    values = words_added.compute(size=0.5, distance=3, sentences=20, seed=4)
    places = positional_encoding(np.arange(16), 16)
    words = 0.5 * np.random.default_rng(4).standard_normal((20, 16, 16))
    found = []
    for sentence in places + words:
        for place in range(3, 16):
            pairs = sentence[place].reshape(8, 2) @ [[1], [1j]]  # sine and cosine as a complex number
            turned = pairs[:, 0] * np.exp(1j * 3 / 10_000 ** (np.arange(8) / 8))
            query = np.stack([turned.real, turned.imag], axis=1).ravel()
            found.append(int((sentence @ query).argmax()) - place)
    assert_allclose(values["share"], np.mean(np.array(found) == -3))
    assert_allclose(values["itself"], np.mean(np.array(found) == 0))
    assert_allclose(values["word_length"], np.sqrt((words**2).sum(axis=-1)).mean())


def test_sentences_are_counted_by_the_share_of_places_they_find() -> None:
    clean = words_added.compute(size=0)
    assert_array_equal(clean["counts"], [0, 0, 0, 0, 0, 500])
    assert clean["shift"] == 0
    mixed = words_added.compute(size=0.1)
    assert mixed["counts"].sum() == 500
    assert len(mixed["counts"]) == len(mixed["bins"])
    drowned = words_added.compute(size=1, distance=1)
    assert drowned["counts"][0] > 350
    assert drowned["worst_sentence"] == 0


def test_the_lead_over_the_nearest_rival_is_that_of_one_step() -> None:
    lead = sum(1 - np.cos(1 / 10_000 ** (i / 8)) for i in range(8))
    assert_allclose(words_added.compute()["lead"], lead, rtol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_what_the_page_says_holds_for_other_random_numbers(seed: int) -> None:
    shares = np.array(
        [[words_added.compute(size, k, seed=seed)["share"] for size in np.linspace(0, 1, 11)] for k in (1, 3, 8)]
    )
    assert (shares[:, 0] == 1).all()
    assert (np.diff(shares) < 0).all()
    assert (shares[0, 1:] < shares[1:, 1:]).all()
    assert shares[0, -1] < 1 / 16
