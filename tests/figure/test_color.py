"""Everyone can tell the colours apart and read text on them, and a cell's colour shows its value."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from scenebook.figure import color

Floats = NDArray[np.float64]

COLORMAPS = {"white_green": (0.0, 1.0), "blue_white_green": (-1.0, 1.0)}
DATA, ROLES = ("blue", "green", "orange", "purple", "grey"), ("query", "key", "value")
# How eyes without one kind of cone see linear RGB (Machado, Oliveira and Fernandes, 2009, severity 1).
EYES = {
    "all cones": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no medium": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
LMS = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
LAB = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def linear(colors: Any) -> Floats:
    encoded = np.asarray(colors, float) / 255
    found: Floats = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return found


def oklab(colors: Any, eyes: Any = EYES["all cones"]) -> Floats:
    seen = np.clip(linear(colors) @ np.transpose(eyes), 0, 1)
    found: Floats = np.cbrt(seen @ np.transpose(LMS)) @ np.transpose(LAB)
    return found


def contrast(one: Any, other: Any) -> Floats:
    first, second = (linear(each) @ (0.2126, 0.7152, 0.0722) + 0.05 for each in (one, other))
    found: Floats = np.maximum(first, second) / np.minimum(first, second)
    return found


def palette(scheme: Any, *names: str) -> NDArray[np.uint8]:
    return color.rgb(*(color.PALETTE.get(name, color.PALETTE.get(f"c-{name}", {}))[scheme] for name in names))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_colour_stands_out_from_the_paper(scheme: str) -> None:
    paper = palette(scheme, "paper")
    assert contrast(palette(scheme, *DATA), paper).min() >= 3
    assert contrast(palette(scheme, "ink", "muted", *ROLES), paper).min() >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everyone_can_tell_any_two_colours_apart(scheme: str) -> None:
    for (name, eyes), pair in product(EYES.items(), combinations((*DATA, *ROLES), 2)):
        distance = np.linalg.norm(np.diff(oklab(palette(scheme, *pair), eyes), axis=0))
        assert distance >= (0.05 if name == "no short" else 0.09), (name, pair)


def test_each_colour_of_a_drawing_has_only_one_name() -> None:
    light = [value["light"] for value in color.PALETTE.values()]
    assert len(set(light)) == len(light)
    assert set(color.on_page()) == (set(light) - {"#ffffff"}) | {"black"}


def test_both_schemes_define_every_variable() -> None:
    lines = [color.css_variables(dark).splitlines() for dark in (False, True)]
    names = [[line.split(":")[0] for line in each] for each in lines]
    assert names[0] == names[1] == [f"--{name}" for name in color.PALETTE]
    assert "--c-blue: #2874c7;" in lines[0]
    assert color.variable("blue") == "var(--c-blue, #2874c7)"
    assert color.variable("ink") == f"var(--ink, {color.light('ink')})"


def test_zero_is_white() -> None:
    assert color.paint(np.array([0.0]), "white_green", 0, 7).tolist() == [[255, 255, 255]]
    for limit in (1.0, 3.7, 1e-9, 1e200):
        assert color.paint(np.array([0.0, -0.0]), "blue_white_green", -limit, limit).tolist() == [[255] * 3] * 2


@pytest.mark.parametrize("colormap", COLORMAPS)
def test_equal_steps_of_data_are_equal_steps_of_lightness(colormap: str) -> None:
    low, high = COLORMAPS[colormap]
    for end in {low, high} - {0}:
        lightness = oklab(color.paint(np.linspace(0, end, 52), colormap, low, high))[:, 0]
        steps = np.diff(lightness)
        assert lightness[0] == pytest.approx(1, abs=0.001)
        assert lightness[-1] == pytest.approx(0.5, abs=0.03)
        assert steps == pytest.approx(np.full(len(steps), steps.mean()), abs=0.003)


def test_a_value_and_its_negative_are_equally_light_and_differ_in_colour() -> None:
    values = np.linspace(0, 1, 51)
    up, down = (oklab(color.paint(sign * values, "blue_white_green", -1, 1)) for sign in (1, -1))
    assert up[:, 0] == pytest.approx(down[:, 0], abs=0.02)
    assert np.linalg.norm(up[5:] - down[5:], axis=1).min() > 0.02


@pytest.mark.parametrize("colormap", COLORMAPS)
def test_the_ink_in_every_cell_can_be_read(colormap: str) -> None:
    low, high = COLORMAPS[colormap]
    cells = color.paint(np.linspace(low, high, 4001), colormap, low, high)
    inks = color.rgb(*(color.ink_on(cell) for cell in cells))
    assert contrast(inks, cells).min() >= 4.5
    assert {color.ink_on(cell) for cell in cells} == {"#000000", "#ffffff"}


@pytest.mark.parametrize("colormap", COLORMAPS)
def test_a_cell_without_a_value_looks_like_neither_data_nor_the_page(colormap: str) -> None:
    low, high = COLORMAPS[colormap]
    cells = oklab(color.paint(np.linspace(low, high, 401), colormap, low, high))
    papers = oklab(np.concatenate([palette("light", "paper"), palette("dark", "paper")]))
    fill, hatch = oklab(color.rgb(color.BAD_FILL, color.BAD_HATCH))
    for other in (*cells, *papers):
        assert max(np.linalg.norm(other - fill), np.linalg.norm(other - hatch)) > 0.1
        assert np.linalg.norm(other - fill) > 0.03
    assert contrast(color.rgb(color.BAD_FILL, color.BAD_HATCH), color.rgb("#000000")).min() >= 4.5


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_rounding_noise_around_a_round_number_does_not_change_its_colour(kind: Any) -> None:
    for tenth in range(1, 10):
        value = kind(tenth) / kind(10)
        near = np.array([np.nextafter(value, kind(0)), value, np.nextafter(value, kind(1))], float)
        assert len(np.unique(color.paint(near, "white_green", 0, 1), axis=0)) == 1


def test_values_beyond_a_limit_have_the_colour_of_the_limit() -> None:
    ends = color.paint(np.array([-9.0, 0.0, 1.0, 9.0]), "white_green", 0, 1).tolist()
    assert ends[0] == ends[1] != ends[2] == ends[3]


def test_the_colour_bar_of_a_page_shows_the_colours_of_the_cells() -> None:
    for colormap, (low, high) in COLORMAPS.items():
        gradient = color.css_gradient(colormap)
        shown = [color.hexadecimal(each) for each in color.paint(np.linspace(low, high, 9), colormap, low, high)]
        assert gradient == f"linear-gradient(to right, {', '.join(shown)})"
