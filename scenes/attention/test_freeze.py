"""Random sentences against a loop over their rows."""

import math

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention import freeze


def test_means_are_those_of_single_rows() -> None:
    values = freeze.compute(d_k=3, sentences=2, seed=5)
    queries, keys = np.random.default_rng(5).standard_normal((3, 2, 2, 4)).transpose(1, 2, 3, 0)
    for name, divisor in (("raw", 1), ("scaled", math.sqrt(3))):
        rows = []
        for sentence in range(2):
            for query in queries[sentence]:
                scores = [math.exp(query @ key / divisor) for key in keys[sentence]]
                rows.append(np.array(scores) / sum(scores))
        assert_allclose(values[name], rows[:4], rtol=1e-12)
        assert_allclose(values[f"entropy_{name}"], np.mean([-(row * np.log2(row)).sum() for row in rows]), rtol=1e-12)
        assert_allclose(values[f"won_{name}"], np.mean([row.max() for row in rows]), rtol=1e-12)
        assert values["rows"] == len(rows)


def test_raw_weights_freeze_and_scaled_ones_stay_soft_with_other_random_numbers_too() -> None:
    found = [freeze.compute(d_k=2**power, seed=1) for power in range(10)]
    raw, scaled = ([values[f"entropy_{name}"] for values in found] for name in ("raw", "scaled"))
    assert raw == sorted(raw, reverse=True)
    assert raw[-1] < 0.2
    assert max(abs(bits / scaled[0] - 1) for bits in scaled) < 0.1
    assert found[-1]["sure_raw"] > 0.7
