"""Looks up the values that a panel draws, by name, and checks them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scenebook.core.lazy import lazy
from scenebook.core.number_format import MINUS, plain, show
from scenebook.core.problems import Problem
from scenebook.core.suggestions import closest
from scenebook.core.text import Text
from scenebook.core.values import columns_of, in_double_quotes
from scenebook.figure._rounding_noise import finite
from scenebook.figure.options import HIGH, LOW, Axis

if TYPE_CHECKING:
    import numpy as np

    from scenebook.core.values import Values
    from scenebook.figure._rounding_noise import Array
else:
    np = lazy("numpy")

GREATEST, LEAST = 1e300, 1e-300
"""Axes and colour scales cannot be computed beyond the first magnitude, nor log scales and spans below the second."""

Labels = tuple[str, ...]


@dataclass(frozen=True)
class ValueReader:
    """Looks up values for one panel, and collects what cannot be drawn.

    `where` is the path of the figure, `panel` is the path of the panel in it, and `own` are the options written on the
    panel itself. `place` gives the line for problems with options that have no line of their own, such as numbers.
    """

    values: Values
    where: str
    panel: str
    own: Collection[str]
    place: Text
    problems: list[Problem]

    def path(self, option: str) -> str:
        """Return the path of an option, on the panel or on the figure."""
        inside = f"{self.panel}.{option}" if option.partition(".")[0] in self.own else option
        return f"{self.where}.{inside}"

    def fail(self, text: str | None, option: str, message: str) -> None:
        """Note a problem with an option."""
        place = text if isinstance(text, Text) else self.place
        self.problems.append(Problem(place.file, place.line, self.path(option), message))

    def array(self, name: Text, option: str, what: str, dimensions: tuple[int, ...]) -> Array | None:
        """Return the array with this name. If there is none, note a problem and return None."""
        if (key := in_double_quotes(name)) not in self.values:
            self.fail(name, option, _unknown(name, self.values))
            return None
        value = self.values[key]
        if message := _unfit(value, what, dimensions):
            self.fail(name, option, f"{name}: {message}")
            return None
        return np.asanyarray(value)

    def spread(self, name: Text) -> tuple[Array, Array] | None:
        """Return low and high of the array with this name over the runs of the scene; None if it does not repeat."""
        low, high = (self.values.get(f"{in_double_quotes(name)}{end}") for end in (LOW, HIGH))
        return None if low is None or high is None else (np.asanyarray(low), np.asanyarray(high))

    def labels(self, axis: Axis, option: str, count: int, what: str) -> Labels:
        """Return the labels that an axis names, one for each of `count`, or nothing if it names none or wrong ones."""
        name = axis.labels
        if name is None:
            return ()
        labels = self.values.get(in_double_quotes(name))
        if message := _unfit_labels(name, labels, self.values, count, what):
            self.fail(name, f"{option}.labels", message)
            return ()
        return tuple(label if isinstance(label, str) else show(plain(label)) for label in labels)  # type: ignore[union-attr]


def off_log_scale(least: float) -> str:
    """Return the message that a number cannot be shown on a log scale."""
    return f"a log scale can only show numbers {f'from {show(LEAST)}' if least > 0 else 'above 0'}, found {show(least)}"


def positions_fault(positions: Array, log: bool) -> list[str]:
    """Return what is wrong with positions on an axis."""
    messages = []
    if bad := bad_counts(positions):
        messages.append(f"a position must be a finite number, found {', '.join(bad)}")
    least = min(finite(positions), default=1)
    if log and least < LEAST:
        messages.append(off_log_scale(least))
    return messages


def bad_counts(*data: Array) -> Labels:
    """Count the values that have no place on a scale: `1 NaN`, `2 inf`, `1 masked`."""
    flat = np.concatenate([np.ma.compressed(each).astype(float) for each in data])
    counts = {
        "NaN": int(np.isnan(flat).sum()),
        "inf": int((flat == np.inf).sum()),
        f"{MINUS}inf": int((flat == -np.inf).sum()),
        "masked": sum(int(np.ma.getmaskarray(each).sum()) for each in data),
    }
    return tuple(f"{count} {name}" for name, count in counts.items() if count)


def _unknown(name: str, values: Mapping[str, Any]) -> str:
    known = sorted(each for each in values if not each.endswith((LOW, HIGH)))
    if table := columns_of(name, known):
        return table
    near = closest(name, known)
    hint = f"did you mean '{near}'? The scene" if near else "the scene"
    return f"there is no value '{name}'; {hint} has: {', '.join(known) or 'no values'}"


def _unfit(value: Any, what: str, dimensions: tuple[int, ...]) -> str | None:
    """Return why a value is not an array to draw, or None."""
    wanted = " or ".join({1: "one-dimensional", 2: "two-dimensional"}[dimension] for dimension in dimensions)
    accepted = f"{what} takes a {wanted} array of bool, int or float"
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return f"{accepted}, found {_description(value)}"
    if value.ndim not in dimensions:
        hint = "; index it with [None] to show it as one row" if (value.ndim, dimensions) == (1, (2,)) else ""
        return f"{accepted}, found {_description(value)}{hint}"
    if not value.size:
        return f"{accepted} that is not empty, found {_description(value)}"
    greatest = abs(finite(value)).max(initial=0)
    return f"{what} shows numbers up to {GREATEST:g}, found {greatest:g}" if greatest > GREATEST else None


def _unfit_labels(name: str, labels: Any, values: Mapping[str, Any], count: int, what: str) -> str | None:
    """Return why a value cannot label `count` things, or None."""
    if in_double_quotes(name) not in values:
        return _unknown(name, values)
    if isinstance(labels, np.ndarray) and np.ma.is_masked(labels):
        return f"{name}: some of the labels are masked; every label needs a value"
    if not _is_labels(labels):
        return f"{name}: labels must be a list of texts or numbers, found {_description(labels)}"
    if len(labels) != count:
        return f"{name} has {len(labels)}, but there are {count} {what}; give each a label"
    return None


def _description(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    if isinstance(value, tuple | list):
        return f"a list of {len(value)}"
    return f"the {'text' if isinstance(value, str) else 'number'} {value!r}"


def _is_labels(value: Any) -> bool:
    array = isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf"
    return array or (isinstance(value, tuple | list) and all(isinstance(label, str) for label in value))
