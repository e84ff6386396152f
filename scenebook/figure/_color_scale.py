"""What the colours of a figure mean: the data that panels show by colour, and the scale that these panels share.

- white_green runs from the smallest to the largest finite value of all panels that share the scale, unless `vmin` and
  `vmax` say otherwise. blue_white_green is symmetric about 0, up to the largest magnitude. Truth values run from false
  to true. A constant keeps its colour: its scale runs from 0 to the constant.
- Panels share a scale if their `colormap`, `vmin` and `vmax` are the same.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scenebook.core.lazy import lazy
from scenebook.core.number_format import show
from scenebook.figure import color
from scenebook.figure._rounding_noise import FINE, NOISE, alike, epsilon, extent
from scenebook.figure._value_reader import GREATEST
from scenebook.figure.options import Colormap

if TYPE_CHECKING:
    import numpy as np

    from scenebook.figure._rounding_noise import Array, Extent
    from scenebook.figure.color import Rgb
else:
    np = lazy("numpy")


@dataclass(frozen=True)
class ColorData:
    """What a panel shows by colour: an array, perhaps masked, and the options of its scale."""

    data: Array
    colormap: Colormap
    vmin: float | None
    vmax: float | None

    @property
    def options(self) -> tuple[Colormap, float | None, float | None]:
        """Panels with the same options share a scale."""
        return self.colormap, self.vmin, self.vmax

    @property
    def truth(self) -> bool:
        """Whether the data are truth values."""
        return bool(self.data.dtype.kind == "b")


@dataclass(frozen=True)
class ColorScale:
    """What the colours mean. `ticks` are places from 0 to 1, each with the text of its value.

    A `discrete` scale, for truth values, has only the colours at its two ticks and none between them.
    """

    colormap: Colormap
    vmin: float
    vmax: float
    ticks: tuple[tuple[float, str], ...]
    discrete: bool = False


def scale(shared: Sequence[ColorData]) -> ColorScale | None:
    """Return the scale that panels share, or None if there is no finite value and no limit."""
    limits = _limits(shared)
    if limits is None:
        return None
    colormap = shared[0].colormap
    if _all_truth(shared):
        places = [(value - limits[0]) / (limits[1] - limits[0]) for value in (0, 1)]
        return ColorScale(colormap, *limits, ((places[0], "false"), (places[1], "true")), discrete=True)
    least, greatest = _extent(shared) or limits
    texts = _limit_texts(*limits)
    low = ("≤ " if _beyond(limits[0], least, limits, shared) else "") + texts[0]
    high = ("≥ " if _beyond(greatest, limits[1], limits, shared) else "") + texts[1]
    middle = [(0.5, "0")] if colormap == "blue_white_green" else []
    return ColorScale(colormap, *limits, ((0.0, low), *middle, (1.0, high)))


def level(shared: Sequence[ColorData]) -> float | None:
    """The one value of data that differ by rounding noise alone; None if they vary."""
    found = _extent(shared)
    return found[0] if found and found[0] == found[1] else None


def colors(data: Array, bad: Array, scale: ColorScale | None) -> Rgb:
    """Return the colours (..., 3) of data (...), with grey where `bad` is true, and everywhere if there is no scale."""
    grey = color.rgb(color.BAD_FILL)
    if scale is None:
        return np.broadcast_to(grey, (*data.shape, 3))
    painted = color.paint(np.where(bad, scale.vmin, data.astype(float)), scale.colormap, scale.vmin, scale.vmax)
    found: Rgb = np.where(bad[..., None], grey, painted)
    return found


def written_complaints(options: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the options of a scale as written, before there are data: the option, and a message."""
    low, high = _number(options.get("vmin")), _number(options.get("vmax"))
    for key, limit in (("vmin", low), ("vmax", high)):
        if limit is not None and not math.isfinite(limit):
            yield key, "must be a finite number"
    if low is None or high is None or not math.isfinite(low + high):
        return
    if low >= high or math.isclose(low, high, rel_tol=8 * sys.float_info.epsilon):
        yield "vmax", f"must be greater than vmin, which is {low:g}"
    elif options.get("colormap") == "blue_white_green" and low != -high:
        yield "vmin", f"must be {-high:g}: blue_white_green is symmetric about 0, and vmax is {high:g}"


def _number(written: Any) -> float | None:
    try:
        return float(written)
    except (TypeError, ValueError):
        return None


def complaints(shared: Sequence[ColorData]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the options of a scale, given its data: the option, and a message."""
    first = shared[0]
    given = {name: limit for name, limit in (("vmin", first.vmin), ("vmax", first.vmax)) if limit is not None}
    endless = [name for name, limit in given.items() if not abs(limit) <= GREATEST]
    yield from ((name, f"a limit must be a finite number, found {show(given[name])}") for name in endless)
    if _all_truth(shared):
        fixed = [*given, *(["colormap"] if first.colormap == "blue_white_green" else [])]
        yield from ((name, f"truth values are white for false and green for true; leave {name} out") for name in fixed)
    elif given and not endless and (limits := _limits(shared)):
        yield from _limit_complaints(shared, next(iter(given)), len(given), limits)


def _limit_complaints(shared: Sequence[ColorData], first: str, count: int, limits: Extent) -> Iterator[tuple[str, str]]:
    options = shared[0]
    if options.colormap == "blue_white_green" and not _symmetric(options.vmin, options.vmax):
        yield first, "blue_white_green is symmetric about 0; give only vmax, above 0, or also vmin as its negative"
    elif limits[0] >= limits[1] or alike(*limits, FINE if count > 1 else _epsilon(shared)):
        which = [f"{name} is {show_limit(limit)}" for name, limit in zip(("vmin", "vmax"), limits, strict=True)]
        yield first, f"vmin must be below vmax: {', '.join(which)}"


def show_limit(limit: float, digits: int = 4) -> str:
    """Return a limit as a page shows it: as an integer if it is whole, otherwise with this many digits."""
    return show(int(limit)) if limit.is_integer() and abs(limit) < 1e15 else show(limit, f".{digits}g")


def _symmetric(vmin: float | None, vmax: float | None) -> bool:
    if vmin is not None and vmax is not None:
        return vmin == -vmax < 0
    return vmin < 0 if vmin is not None else vmax is None or vmax > 0


def _limits(shared: Sequence[ColorData]) -> Extent | None:
    """Return the values at the two ends of the colormap."""
    found, vmin, vmax = _extent(shared), shared[0].vmin, shared[0].vmax
    if shared[0].colormap == "blue_white_green":
        return _mirrored(found, vmax if vmax is not None else None if vmin is None else -vmin)
    if vmin is not None and vmax is not None:
        return float(vmin), float(vmax)
    if found is None:
        return None
    if vmin is None and vmax is None:
        return (0.0, 1.0) if _all_truth(shared) else _spread(*found)
    return _with_limit(found, vmin, vmax, _epsilon(shared))


def _mirrored(found: Extent | None, limit: float | None) -> Extent | None:
    """Return limits that are symmetric about 0, at the given limit or else at the largest magnitude."""
    if limit is None:
        if found is None:
            return None
        limit = max(map(abs, found)) or 1.0
    return float(-limit), float(limit)


def _with_limit(found: Extent, vmin: float | None, vmax: float | None, epsilon: float) -> Extent:
    """Return limits, one of which is given. If all values equal that limit, the other one is 1 away from it."""
    least, greatest = found
    given = vmin if vmin is not None else vmax
    assert given is not None
    if least == greatest and alike(least, given, epsilon):
        least, greatest = given - 1, given + 1
    return (least, float(given)) if vmin is None else (float(given), greatest)


def _spread(least: float, greatest: float) -> tuple[float, float]:
    """Return the limits of a scale without given limits. A constant is shown relative to 0."""
    if least < greatest:
        return least, greatest
    return (min(least, 0.0), max(greatest, 0.0)) if least else (0.0, 1.0)


def _extent(shared: Sequence[ColorData]) -> Extent | None:
    return extent(*(each.data for each in shared))


def _epsilon(shared: Sequence[ColorData]) -> float:
    return epsilon(*(np.ma.getdata(each.data) for each in shared))


def _beyond(one: float, other: float, limits: Extent, shared: Sequence[ColorData]) -> bool:
    """Return whether the first is greater by more than rounding noise, on a scale with these limits."""
    noise = NOISE * FINE * max(map(abs, limits))
    return one - other > noise and not alike(one, other, _epsilon(shared))


def _limit_texts(low: float, high: float) -> tuple[str, str]:
    """Return the two ends of a scale with enough digits to tell them apart. Noise next to the other end becomes 0."""
    greatest = max(abs(low), abs(high))
    digits = max(4, math.ceil(math.log10(greatest / (high - low))) + 2)
    ends = (0.0 if abs(limit) <= NOISE * FINE * greatest else limit for limit in (low, high))
    first, last = (show_limit(limit, min(digits, 17)) for limit in ends)
    return first, last


def _all_truth(shared: Sequence[ColorData]) -> bool:
    return all(each.truth for each in shared)
