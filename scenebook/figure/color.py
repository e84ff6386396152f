"""The colours: one palette for light and dark pages, two colormaps, and ink that can be read on a colour.

A colour of the palette is a name, and the page gives the name its value, so one drawing serves both schemes. The colour
of a heatmap's cell is data: it is the same in both schemes, and comes from steps of lightness that look even (in
OKLab).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from scenebook.core.lazy import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rgb = NDArray[np.uint8]
else:
    np = lazy("numpy")

Scheme = Literal["light", "dark"]

PALETTE: dict[str, dict[Scheme, str]] = {
    "paper": {"light": "#ffffff", "dark": "#111418"},
    "ink": {"light": "#1b1f24", "dark": "#e6e9ed"},
    "muted": {"light": "#57606a", "dark": "#9aa4b0"},
    "rule": {"light": "#d5dae0", "dark": "#3a424b"},
    "c-blue": {"light": "#2874c7", "dark": "#74b0fb"},
    "c-green": {"light": "#17976a", "dark": "#63dcab"},
    "c-orange": {"light": "#c8691e", "dark": "#f2973f"},
    "c-purple": {"light": "#6a24a3", "dark": "#9664c3"},
    "c-grey": {"light": "#46515c", "dark": "#7d8893"},
    "c-query": {"light": "#8c051e", "dark": "#dc555a"},
    "c-key": {"light": "#8c5500", "dark": "#fac305"},
    "c-value": {"light": "#500fe1", "dark": "#967dff"},
}
"""The value of every colour variable of a page, by scheme. Authors can use the names that start with `c-`."""

BAD_FILL, BAD_HATCH = "#d2d2d2", "#a3a3a3"
"""The look of a cell without a finite value. Neither colormap contains a grey."""

GRID = "#c3cad1"
"""The lines between a heatmap's cells. They belong to the data, so they are the same in both schemes."""

NEUTRAL = 8
"""The channels of a grey differ by at most this much of 255."""

UP_FROM = 0.5 + 1e-4
"""A step of a colormap begins just below its half, because values such as 0.3 are at halves, except for noise."""

_LMS = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
_LAB = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)
"""Linear RGB to cone responses, and these (their cube roots) to OKLab: Ottosson, 2020."""


def variable(name: str) -> str:
    """Return the CSS for a colour of the palette (`ink`, `blue`): its variable, with the light value as a fallback."""
    key = name if name in PALETTE else f"c-{name}"
    return f"var(--{key}, {PALETTE[key]['light']})"


def light(name: str) -> str:
    """Return the hexadecimal value of a colour of the palette on white."""
    return PALETTE[name if name in PALETTE else f"c-{name}"]["light"]


def on_page() -> dict[str, str]:
    """Return what a page writes for each colour of the palette on white, and for the black of a drawing's lines."""
    return {value["light"]: variable(name) for name, value in PALETTE.items() if name != "paper"} | {
        "black": variable("ink")
    }


def is_grey(color: str) -> bool:
    """Return whether a colour written as `#rrggbb` is black, white or a neutral grey."""
    channels = bytes.fromhex(color[1:])
    return max(channels) - min(channels) <= NEUTRAL


def mixture(grey: str) -> str:
    """Return a grey as a mixture of ink and paper, which turns with the page. On white it looks as it was."""
    ink, level = (sum(bytes.fromhex(each[1:])) / 3 for each in (light("ink"), grey))
    paper = round(100 * max(0.0, level - ink) / (255 - ink))
    if paper in (0, 100):
        return variable("paper" if paper else "ink")
    return f"color-mix(in srgb, {variable('ink')} {100 - paper}%, {variable('paper')})"


def contrast(color: str, scheme: Scheme) -> float:
    """Return the contrast of a colour against the paper of a scheme, from 1 to 21, as WCAG defines it."""
    weights = (0.2126, 0.7152, 0.0722)
    one, other = (float(_linear(each) @ weights) + 0.05 for each in rgb(color, PALETTE["paper"][scheme]))
    return max(one, other) / min(one, other)


def css_variables(dark: bool) -> str:
    """Return the declarations that give every colour variable its value, one per line, for a rule of a style sheet."""
    scheme: Scheme = "dark" if dark else "light"
    return "".join(f"--{name}: {value[scheme]};\n" for name, value in PALETTE.items())


def css_gradient(colormap: str) -> str:
    """Return the colormap as a CSS gradient from its lower end (left) to its upper end, for a colour bar."""
    ends = (-1.0, 1.0) if colormap == "blue_white_green" else (0.0, 1.0)
    stops = (hexadecimal(color) for color in paint(np.linspace(*ends, 9), colormap, *ends))
    return f"linear-gradient(to right, {', '.join(stops)})"


def paint(data: NDArray[np.floating[Any]], colormap: str, vmin: float, vmax: float) -> Rgb:
    """Return the colours (..., 3) of finite data (...). Values outside the limits get the colour of the nearer end.

    white_green is white at `vmin`. blue_white_green is white in the middle, which is 0 for limits symmetric about 0.
    """
    steps = _steps(colormap)
    position = np.clip((data - vmin) / (vmax - vmin), 0, 1)
    found: Rgb = steps[np.floor(position * (len(steps) - 1) + UP_FROM).astype(int)]
    return found


def ink_on(color: Rgb) -> str:
    """Return black or white, whichever reads better on a colour. The contrast is always at least 4.58 to 1."""
    luminance = float(_linear(color) @ (0.2126, 0.7152, 0.0722))
    return "#000000" if luminance + 0.05 > 0.05 * 1.05 / (luminance + 0.05) else "#ffffff"


def rgb(*colors: str) -> Rgb:
    """Return colours written as `#rrggbb` as numbers (n, 3)."""
    return np.array([list(bytes.fromhex(color[1:])) for color in colors], np.uint8)


def hexadecimal(color: Rgb) -> str:
    """Return a colour as `#rrggbb`."""
    return f"#{bytes(color.tolist()).hex()}"


@cache
def _steps(colormap: str) -> Rgb:
    """Return the colours of a colormap from its lower to its upper end. Their number is odd, so there is a middle."""
    green = _ramp("#00762f")
    return np.concatenate([_ramp("#1b5fb4")[:0:-1], green]) if colormap == "blue_white_green" else green


def _ramp(end: str) -> Rgb:
    """Return colours from white to `end` in even steps of OKLab's lightness. Pale steps get more tint against grey."""
    lab = np.cbrt(_linear(rgb("#ffffff", end)) @ np.array(_LMS).T) @ np.array(_LAB).T
    way = np.linspace(0, 1, 256)[:, None]
    tint = way + 0.8 * way * (1 - way)
    steps = lab[0] + np.hstack([way, tint, tint]) * (lab[1] - lab[0])
    linear = np.clip((steps @ np.linalg.inv(np.array(_LAB)).T) ** 3 @ np.linalg.inv(np.array(_LMS)).T, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    rounded: Rgb = np.rint(encoded * 255).astype(np.uint8)
    return rounded


def _linear(color: Rgb) -> NDArray[np.float64]:
    encoded = color / 255
    linear: NDArray[np.float64] = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return linear
