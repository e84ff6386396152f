"""Computed values in the form in which `facts.json` (strict JSON) and `facts.lock` (one line each) record them.

JSON has no NaN and no infinity, so these become the texts "NaN", "inf" and "-inf"; a masked element becomes null. A
float32 is written with the shortest digits that give the same float32 (0.1, not 0.10000000149). An array of up to
`LISTED` elements becomes nested lists; a larger one becomes a summary. Parameters are written in the same way.
"""

import io
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import numpy as np

    from scenebook.core.values import Value

LISTED = 4096
"""Arrays with more elements than this are summarized."""
SIGNIFICANT = 9
"""The number of significant digits of floats in facts.lock."""
NOT_FINITE = {"NaN", "inf", "-inf"}
"""The texts that stand for numbers that JSON does not have."""
LOCK_FORMAT = 2
"""The version of the format of facts.lock, which is its first line."""
FACTS_FORMAT = 1
"""The version of the format of facts.json, under `format`. It rises when what is there changes its place or meaning."""
ZERO = 1e-12
"""Magnitudes below this are most likely rounding noise."""


def is_array(value: object) -> TypeGuard["np.ndarray[Any, np.dtype[Any]]"]:
    """Return whether a value is an array, without importing numpy."""
    return hasattr(value, "ndim")


def fact(value: "Value") -> Any:
    """Return a value as JSON data: a number, text, list of texts, nested list, or the summary of a large array."""
    if is_array(value):
        return _nested(value) if value.size <= LISTED else _summary(value)
    if isinstance(value, tuple):
        return list(value)
    return _finite(value) if isinstance(value, float) else value


def npy(value: Any) -> bytes:
    """Return an array as the bytes of a float32 .npy file (integers and booleans keep their type)."""
    import numpy as np

    buffer = io.BytesIO()
    with np.errstate(over="ignore"):
        filled = np.ma.filled(value.astype(np.float32), np.nan) if value.dtype.kind == "f" else np.ma.getdata(value)
    np.save(buffer, filled, allow_pickle=False)
    return buffer.getvalue()


def dumps(data: Any) -> str:
    """Return strict JSON with the keys in their original order, one entry per line, and a newline at the end."""
    return json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def lock_line(name: str, value: Any, *, shown: bool = False) -> str | None:
    """Return the line of facts.lock for a scalar fact, or None for a fact that facts.lock does not list.

    Floats have nine significant digits. A magnitude below 1e-12 is most likely rounding noise, which differs between
    machines, so it is written as 0, unless the value is `shown`: a text on a page uses it.
    """
    if isinstance(value, bool):
        return f"{name} = {str(value).lower()}"
    if isinstance(value, float):
        noise = abs(value) < (0 if shown else ZERO)
        return f"{name} = {0.0 if noise or not value else value:.{SIGNIFICANT}g}"
    if isinstance(value, int):
        return f"{name} = {value}"
    return f"{name} = {_one_line_json(value)}" if isinstance(value, str) else None


def lock_format() -> str:
    """Return the first line of facts.lock."""
    return f"format = {LOCK_FORMAT}"


def over_settings(values: Sequence[Any], start: int) -> dict[str, Any]:
    """Return what facts.lock says of a fact at all settings of a scene's controls, by the end of its name.

    That is the fact at the start, and how many truth values are true, how many texts differ, or the least, greatest
    and mean of the finite numbers. It is empty for a list of texts.
    """
    if any(isinstance(value, list) for value in values):
        return {}
    found = {"start": values[start]}
    if all(isinstance(value, bool) for value in values):
        return {**found, "true": sum(values)}
    finite = [value for value in values if not isinstance(value, str)]
    if not finite or {value for value in values if isinstance(value, str)} - NOT_FINITE:
        return {**found, "distinct": len(set(values))}
    return {**found, "least": min(finite), "greatest": max(finite), "mean": math.fsum(finite) / len(finite)}


def lock_entry(line: str) -> tuple[str, str]:
    """Split a line of facts.lock into a name and its value, or a claim and its verdict.

    The name of a value has no spaces. A claim can contain any text, but its verdict has no spaces.
    """
    first = line.partition(" = ")
    name, _, value = first if " " not in first[0] else line.rpartition(" = ")
    return name, value


def _one_line_json(text: str) -> str:
    """Return a text as JSON on one line, with every invisible character escaped."""
    dumped = json.dumps(text, ensure_ascii=False)
    return "".join(char if char.isprintable() else json.dumps(char)[1:-1] for char in dumped)


def _finite(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _nested(value: Any) -> Any:
    """Return an array as nested lists, with None for each masked element."""
    if value.dtype.kind == "f" and value.dtype.itemsize < 8:
        value = value.astype("U32").astype(float)
    return plain(value.tolist())


def plain(data: Any) -> Any:
    """Return numbers, texts, and lists, tuples and dicts of them as JSON data."""
    if isinstance(data, dict):
        return {str(plain(key)): plain(item) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [plain(item) for item in data]
    return _finite(data) if isinstance(data, float) else data


def _summary(value: Any) -> dict[str, Any]:
    import numpy as np

    numbers = np.ma.masked_invalid(value.astype(float)).compressed()
    with np.errstate(over="ignore", invalid="ignore"):
        statistics = {name: float(getattr(numbers, name)()) for name in ("min", "max", "mean", "std") if numbers.size}
    return {
        "shape": list(value.shape),
        "dtype": str(value.dtype),
        "nan": int(np.isnan(np.ma.filled(value.astype(float), 0)).sum()),
        "inf": int(np.isinf(np.ma.filled(value.astype(float), 0)).sum()),
        "masked": int(np.ma.getmaskarray(value).sum()),
        **plain(statistics),
    }
