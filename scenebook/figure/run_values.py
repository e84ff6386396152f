"""The values that a figure draws of a scene that repeats its run: those of the first run, and how arrays vary.

An array `x` has beside it `x.low` and `x.high`: of each element the second smallest and second largest of 20 or more
runs, or the extremes of fewer. No value of a scene can have such a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from scenebook.core.lazy import lazy
from scenebook.core.spread import outliers
from scenebook.core.values import in_double_quotes
from scenebook.figure.options import HIGH, LOW

if TYPE_CHECKING:
    import numpy as np

    from scenebook.core.values import Values
    from scenebook.figure.spec import Figure
else:
    np = lazy("numpy")


def varying(figure: Figure) -> set[str]:
    """The names of the arrays that a figure shows together with how they vary, if the scene repeats its run."""
    lines = {in_double_quotes(line.value) for panel in figure.panels for line in panel.lines or () if line.band}
    whole = (name for panel in figure.panels for name in (panel.bars, panel.heatmap) if name)
    return lines | set(map(in_double_quotes, whole))


def with_spread(runs: Sequence[Values], names: set[str]) -> Values:
    """The values of the first run, and low and high of arrays over all runs."""
    first, found = runs[0], dict[str, Any]()
    for name in sorted(names & first.keys()) if len(runs) > 1 else ():
        several = [values.get(name) for values in runs]
        if all(isinstance(each, np.ndarray) and each.dtype.kind in "biuf" for each in several):
            found |= _low_and_high(name, several)
    return {**first, **found}


def _low_and_high(name: str, several: Sequence[Any]) -> dict[str, Any]:
    """Low and high of each element; NaN where a run has none. There are none if the shapes differ."""
    if len({each.shape for each in several}) > 1:
        return {}
    whole = all(each.dtype.kind in "iu" and not np.ma.is_masked(each) for each in several)
    numbers = [np.ma.getdata(each) if whole else np.ma.filled(each.astype(float), np.nan) for each in several]
    ordered = np.sort(np.stack(numbers), axis=0)
    cut = outliers(len(several))
    low, high = ordered[cut], ordered[-1 - cut]
    if not whole:
        low, high = (np.where(np.isnan(ordered[-1]), np.nan, end) for end in (low, high))
    return {f"{name}{LOW}": low, f"{name}{HIGH}": high}
