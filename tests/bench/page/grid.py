"""How alike the encodings of two positions are."""

from typing import Any

import numpy as np


def compute(seed: int, n: int) -> dict[str, Any]:
    positions, frequencies = np.arange(n), np.random.default_rng(seed).uniform(0.05, 1.5, size=8)
    alike = np.cos((positions[:, None, None] - positions[:, None]) * frequencies).mean(axis=-1)
    numbers = {"least": alike.min(), "mean": alike.mean(), "greatest": alike.max()}
    return {"positions": positions, "alike": alike, **numbers}


def draw(figure: Any, values: dict[str, Any]) -> None:
    axis = figure.subplots()
    for position in (0, 4, 8):
        axis.plot(values["positions"], values["alike"][position], label=f"to {position:d}")
    axis.set_title(r"dot products, $\cos(\omega_i \Delta)$")
    axis.set_xlabel("position")
    axis.set_ylabel("dot product")
    axis.legend()
