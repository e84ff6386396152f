"""Checks what `compute` returned, and converts it to values in Python's own types and numpy's arrays.

A value is a bool, number, string, tuple of strings, or numpy array. A table is one value for each of its columns. Call
`convert` only if `problems` finds nothing.
"""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scenebook.core import facts, values
from scenebook.core.scanner import broken_tex_command
from scenebook.run import _other_libraries as other_libraries

if TYPE_CHECKING:
    from scenebook.core.values import Value

VALUE_KINDS = "a number, a string, a list of strings, or an array of bool, int or float"
MAX_DIGITS = 308
"""How many digits an integer may have, so that it also fits a float."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML cannot contain, and other control characters."""


def problems(result: Any, params: Mapping[str, Any]) -> Iterator[str]:
    """Yield messages for the author about a result and about the parameters that it was computed from."""
    if not isinstance(result, Mapping):
        yield f"compute returned {_describe(result)}; return a dict of named values"
        return
    result, losses = _expanded(result)
    yield from losses
    wrong_kind = {name: value for name, value in result.items() if not _is_value(_convert(value))}
    if described := ", ".join(f"{name} = {_describe(_convert(value))}" for name, value in wrong_kind.items()):
        yield f"compute returned {described}; a value must be {VALUE_KINDS}"
    yield from (f"the parameter '{name}' {flaw}" for name, value in params.items() if (flaw := _flaw(value)))
    for name, value in result.items():
        if not (isinstance(name, str) and (name.isidentifier() or values.named_column(name))):
            yield f"compute returned a value named {name!r}; use a Python identifier as its name"
        elif name in params and name not in wrong_kind and not _equal(value, params[name]):
            yield f"compute returned '{name}', which is a parameter with another value; rename one of them"
        elif name not in params and name not in wrong_kind and (flaw := _flaw(_convert(value))):
            yield f"compute returned '{name}', which {flaw}"


def convert(result: Mapping[str, Any], params: Mapping[str, Any]) -> dict[str, "Value"]:
    """Return the values of a result, and of the parameters that can be values, sorted by name.

    The columns of a table keep their order.
    """
    passed = {name: value for name, value in params.items() if _is_value(_convert(value))}
    returned = {to_builtin(name): value for name, value in _expanded(result)[0].items()}
    in_order = sorted({**passed, **returned}.items(), key=lambda item: values.table_of(item[0]))
    return {name: _convert(value) for name, value in in_order}


def _expanded(result: Mapping[Any, Any]) -> tuple[dict[Any, Any], list[str]]:
    """Return a result whose tables are columns and whose series and tensors are arrays, with what cannot be taken."""
    found: dict[Any, Any] = {}
    losses = list[str]()
    for name, value in result.items():
        try:
            taken = other_libraries.converted(value)
        except other_libraries.LossError as error:
            losses.append(f"compute returned '{name}', {error}")
        else:
            is_table = taken is not value and isinstance(taken, dict)
            found |= other_libraries.columns(name, taken) if is_table else {name: taken}
    return found, losses


def to_builtin(value: Any) -> Any:
    """Convert a number or string from numpy or an author's class (an `IntEnum`, a `StrEnum`) to Python's own type."""
    import numpy as np

    match value:
        case np.generic():
            return float(str(value)) if isinstance(value, np.floating) and value.itemsize < 8 else value.item()
        case int() if not isinstance(value, bool):
            return int.__int__(value)
        case float():
            return float.__float__(value)
        case str():
            return str.__str__(value)
    return value


def size(value: Any) -> str:
    """Return the shape of an array, such as `2 x 3`."""
    return " x ".join(map(str, value.shape))


def _flaw(value: Any) -> str:
    """Return why a value, or plain data, cannot be written on a page or in a file, or "" if it can."""
    if isinstance(value, int) and abs(value) >= 10**MAX_DIGITS:
        return f"is an integer of more than {MAX_DIGITS} digits; take its logarithm, or turn it into a string"
    if isinstance(value, str) and (escaped := broken_tex_command(value)):
        character, command = escaped
        code = f"U+{ord(character):04X}"
        return f"contains the character {code}, which a page cannot show; if you mean {command}, write r'...'"
    if isinstance(value, str) and (found := _UNPRINTABLE.search(value)):
        return f"contains the character U+{ord(found[0]):04X}, which a page cannot show; replace it"
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return next(filter(None, map(_flaw, parts)), "")


def _convert(value: Any) -> Any:
    """Convert numbers and strings to Python's own types, lists of strings to tuples, and lists of numbers to arrays."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return _convert_array(value)
    if isinstance(value, list | tuple):
        return tuple(map(to_builtin, value)) if all(isinstance(item, str) for item in value) else _list_to_array(value)
    return to_builtin(value)


def _convert_array(value: Any) -> Any:
    """Return an array without the author's class. An array without dimensions becomes its only element."""
    import numpy as np

    if value is np.ma.masked:
        return value
    data = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray):
        data = np.ma.array(data, mask=np.ma.getmask(value))
    if data.ndim == 0:
        return _convert(data[()])
    return tuple(data.tolist()) if data.dtype.kind == "U" and data.ndim == 1 else data


def _list_to_array(value: Any) -> Any:
    """Convert a list to an array. A ragged list stays as it is."""
    import numpy as np

    try:
        return np.array(value)
    except (ValueError, TypeError, RuntimeError):
        return value


def _is_value(value: Any) -> bool:
    """Return whether a converted value is of a kind that a scene may return."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return value.ndim > 0 and value.dtype.kind in "biuf" and value.dtype.itemsize <= 8
    return isinstance(value, bool | int | float | str) or (
        isinstance(value, tuple) and all(isinstance(item, str) for item in value)
    )


def _equal(value: Any, other: Any) -> bool:
    return facts.fact(_convert(value)) == facts.fact(_convert(other)) if _is_value(_convert(value)) else False


def _describe(value: Any) -> str:
    """Describe a value of the wrong kind for a message."""
    import numpy as np

    if value is None:
        return "None"
    if type(value).__name__ == "MaskedConstant":
        return "a masked number, which has no value"
    if isinstance(value, np.ndarray) and value.ndim:
        return f"an array of {size(value)} and type {value.dtype}"
    name = type(value).__name__
    article = "an" if name[0].lower() in "aeiou" else "a"
    return "a ragged list" if isinstance(value, list | tuple) else f"{article} {name}"
