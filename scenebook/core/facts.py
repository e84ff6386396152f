"""Values as facts: what `facts.json` and `facts.lock` say of them, in strict JSON and in one line each.

JSON has no NaN and no infinity, so they are the texts "NaN", "inf" and "-inf"; a masked element is null. A float32 is
written with the digits that lead back to it (0.1, not 0.10000000149). Arrays are nested lists up to `LISTED` elements
and a summary above that. Parameters follow the same rule.
"""

import io
import json
import math
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    import numpy as np

    from scenebook.core.values import Value

LISTED = 4096
SIGNIFICANT = 9
ZERO = 1e-12


def is_array(value: object) -> TypeGuard["np.ndarray[Any, np.dtype[Any]]"]:
    """Whether a value is an array, told without importing numpy."""
    return hasattr(value, "ndim")


def fact(value: "Value") -> Any:
    """A value as JSON data: a number, text, list of text, nested list, or the summary of a large array."""
    if is_array(value):
        return _nested(value) if value.size <= LISTED else _summary(value)
    if isinstance(value, tuple):
        return list(value)
    return _finite(value) if isinstance(value, float) else value


def npy(value: Any) -> bytes:
    """An array as the bytes of a float32 .npy file (integers and truth values keep their type)."""
    import numpy as np

    buffer = io.BytesIO()
    with np.errstate(over="ignore"):
        filled = np.ma.filled(value.astype(np.float32), np.nan) if value.dtype.kind == "f" else np.ma.getdata(value)
    np.save(buffer, filled, allow_pickle=False)
    return buffer.getvalue()


def dumps(data: Any) -> str:
    """Strict JSON in the order of the data, a line for each entry, and a newline at the end."""
    return json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"


def lock_line(name: str, value: Any, *, shown: bool = False) -> str | None:
    """The line of facts.lock for a scalar fact; None for what facts.lock does not list.

    Floats have nine significant digits. A magnitude under 1e-12 is most likely rounding noise, which differs between
    machines: it is written as 0 unless it is `shown`, which means that a text quotes it.
    """
    if isinstance(value, bool):
        return f"{name} = {str(value).lower()}"
    if isinstance(value, float):
        noise = abs(value) < (0 if shown else ZERO)
        return f"{name} = {0.0 if noise or not value else value:.{SIGNIFICANT}g}"
    if isinstance(value, int):
        return f"{name} = {value}"
    return f"{name} = {_on_a_line(value)}" if isinstance(value, str) else None


def lock_entry(line: str) -> tuple[str, str]:
    """A line of facts.lock as what it is about, and what it says of that.

    The name of a value has no spaces. A claim may hold any text, but its verdict has no spaces.
    """
    first = line.partition(" = ")
    name, _, told = first if " " not in first[0] else line.rpartition(" = ")
    return name, told


def _on_a_line(text: str) -> str:
    """A text as JSON in which every character can be seen, and none ends a line."""
    dumped = json.dumps(text, ensure_ascii=False)
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in dumped)


def _finite(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "inf" if value > 0 else "-inf"


def _nested(value: Any) -> Any:
    """Nested lists; a masked element is None."""
    if value.dtype.kind == "f" and value.dtype.itemsize < 8:
        value = value.astype("U32").astype(float)
    return plain(value.tolist())


def plain(data: Any) -> Any:
    """Numbers, texts, and lists, tuples and dicts of them as JSON data."""
    if isinstance(data, dict):
        return {str(plain(key)): plain(item) for key, item in data.items()}
    if isinstance(data, list | tuple):
        return [plain(item) for item in data]
    return _finite(data) if isinstance(data, float) else data


def _summary(value: Any) -> dict[str, Any]:
    import numpy as np

    numbers = np.ma.masked_invalid(value.astype(float)).compressed()
    with np.errstate(over="ignore", invalid="ignore"):
        found = {name: float(getattr(numbers, name)()) for name in ("min", "max", "mean", "std") if numbers.size}
    return {
        "shape": list(value.shape),
        "dtype": str(value.dtype),
        "nan": int(np.isnan(np.ma.filled(value.astype(float), 0)).sum()),
        "inf": int(np.isinf(np.ma.filled(value.astype(float), 0)).sum()),
        "masked": int(np.ma.getmaskarray(value).sum()),
        **plain(found),
    }
