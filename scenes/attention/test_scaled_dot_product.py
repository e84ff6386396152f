"""The toy has the weights and entropies that the page describes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention import scaled_dot_product


def test_the_toy_has_the_entropies_that_the_page_names() -> None:
    values = scaled_dot_product.compute()
    assert round(values["entropy_raw"], 2) == 0.65
    assert round(values["entropy_scaled"], 2) == 1.65


def test_the_toy_is_readable_and_its_winners_make_sense() -> None:
    assert_array_equal(2 * scaled_dot_product.QUERIES % 1, 0)
    assert_array_equal(2 * scaled_dot_product.KEYS % 1, 0)
    values = scaled_dot_product.compute()
    winners = {
        query: values["tokens"][key] for query, key in zip(values["tokens"], values["winner_scaled"], strict=True)
    }
    assert winners == {"the": "cat", "cat": "sat", "sat": "cat", "down": "sat"}


def test_the_row_that_the_text_follows_is_the_row_in_the_figure() -> None:
    values = scaled_dot_product.compute()
    for name in ("raw", "scaled"):
        row = sorted(values[name][values["tokens"].index("cat")])
        assert_allclose([row[-1], row[-2]], [values[f"keen_winner_{name}"], values[f"keen_runner_up_{name}"]])
        assert_allclose(row[-1] / row[-2], values[f"odds_{name}"])


def test_rows_that_the_text_treats_alike_are_told_apart_when_they_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    assert scaled_dot_product.compute()["keen_spread"] < 1e-12
    monkeypatch.setattr(scaled_dot_product, "QUERIES", scaled_dot_product.QUERIES + 0.5 * np.eye(4)[[3, 2, 3, 3]])
    assert scaled_dot_product.compute()["keen_spread"] > 0.01
    shuffled = np.array([[0.5, 0.3, 0.2], [0.2, 0.5, 0.3]])
    assert scaled_dot_product.spread_of_rows(shuffled) == 0
    assert_allclose(scaled_dot_product.spread_of_rows(np.array([[0.5, 0.3, 0.2], [0.1, 0.5, 0.4]])), 0.1)


def test_d_k_can_be_any_multiple_of_the_kinds_of_word_and_nothing_else() -> None:
    small, large = (scaled_dot_product.compute(d_k=d_k) for d_k in (4, 64))
    assert_allclose(large["lead_raw"] / small["lead_raw"], 16)
    assert_allclose(large["lead_scaled"] / small["lead_scaled"], 4)
    with pytest.raises(ValueError, match="multiple of 4"):
        scaled_dot_product.compute(d_k=6)
