"""The measured spread agrees with NumPy's, one width at a time."""

import math

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention import score_spread


def test_the_spread_equals_that_of_vectors_cut_to_their_first_entries() -> None:
    queries, keys = np.random.default_rng(3).standard_normal((2, 40, 500), dtype=np.float32).astype(float)
    expected = [np.einsum("is,is->s", queries[:d_k], keys[:d_k]).std() for d_k in range(1, 41)]
    values = score_spread.compute(largest=40, samples=500, seed=3)
    assert_allclose(values["spread"], expected, rtol=1e-5)
    assert_allclose(values["worst"], max(abs(s / math.sqrt(i + 1) - 1) for i, s in enumerate(expected)), rtol=1e-4)
