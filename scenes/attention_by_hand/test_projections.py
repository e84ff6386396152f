"""Scores of tied and of independent projections, counted sentence by sentence."""

import math

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention_by_hand import projections


def test_scores_and_counts_are_those_of_single_sentences() -> None:
    values = projections.compute(blend=0.5, sentences=3, d_model=4, d_k=2, seed=5)
    rng = np.random.default_rng(5)
    matrices = rng.standard_normal((2, 3, 4, 2)) / 2
    itself, gaps = [], []
    for sentence, (query, other) in zip(rng.standard_normal((3, 6, 4)), zip(*matrices, strict=True), strict=True):
        key = (query + other) / math.sqrt(2)  # halfway both have the same part
        scores = np.array([[(a @ query) @ (b @ key) / math.sqrt(2) for b in sentence] for a in sentence])
        itself += [row.argmax() == i for i, row in enumerate(scores)]
        gaps += [abs(scores[i, j] - scores[j, i]) for i in range(6) for j in range(6) if i != j]
        if len(itself) == 6:
            assert_allclose(values["scores"], scores, rtol=1e-12)
            assert values["picks_itself_here"] == sum(itself)
    assert_allclose(values["picks_itself"], np.mean(itself))
    assert_allclose(values["asymmetry"], np.mean(gaps), rtol=1e-12)


def test_what_the_page_says_holds_with_other_random_numbers_too() -> None:
    picked = [projections.compute(blend=blend, seed=3)["picks_itself"] for blend in (0, 0.25, 0.5, 0.75, 1)]
    assert picked == sorted(picked, reverse=True)
    assert picked[0] > 0.8
    assert abs(picked[-1] - 1 / 6) < 0.02
    assert projections.compute(blend=0, seed=3)["asymmetry"] < 1e-12
