"""How numbers are written.

Prose, alt texts, heatmap cells, tables, ticks and reviews all write numbers with `show`, so the same number with the
same format looks the same everywhere:

- Python's format language decides the digits, so numbers are rounded as in Python: the exact value of the float, half
  to even.
- Without a format, an integer is written in full, and a float with four significant digits and no trailing zeros.
- The minus sign is U+2212. A number that rounds to zero has no minus sign.
- An exponent is written as a power of ten: 1.2×10⁻⁷. This also applies to a fixed format from 10¹⁶ up, where floats can
  no longer represent every integer.
- Values that are not finite are written NaN, inf and −inf. Booleans are written true and false.
- The machine's locale has no effect.
"""

import math
import re
from typing import Any

MINUS = "\N{MINUS SIGN}"
HUGE = 1e16
_SUPERSCRIPT = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENT = re.compile(r"[eE]([+-]\d+)")
_MINUS_ZERO = re.compile(r"-(?=[.,_]*0[0.,_]*(?![0-9.,_]))")
_WIDE = re.compile(r"\d{3}")
_UNFIT = re.compile(rf"{_WIDE.pattern}|[cn]$")
_FILLED = re.compile(rf"[\w.,+{MINUS}%-][<>=^]")
_FIXED = re.compile(r"(.*?)(\.\d+)?[fF%]")


def show(value: Any, spec: str = "") -> str:
    """Return a number, boolean or text as a page shows it.

    Raises `ValueError`, with a message for the author, if the format does not fit the value.
    """
    value = plain(value)
    if _FILLED.match(spec):
        raise ValueError(
            f"the format {spec!r} pads with a character that could be part of a number; remove {spec[:2]!r}"
        )
    if isinstance(value, str):
        if _WIDE.search(spec):
            raise ValueError(f"the format {spec!r} is too wide for a line")
        return _format(value, spec)
    if isinstance(value, bool):
        if spec:
            raise ValueError(f"true and false take no format, found {spec!r}; remove it")
        return "true" if value else "false"
    if _UNFIT.search(spec):
        raise ValueError(f"the format {spec!r} depends on the machine or is too wide for a line; use ',d' or '.2f'")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else f"{MINUS}inf"
    return _typeset(_digits(value, spec))


def plain(value: Any) -> Any:
    """Return a numpy scalar as a Python number, and any other value unchanged."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def _digits(value: float, spec: str) -> str:
    if not spec:
        return str(value) if isinstance(value, int) else _digits(value, ".4g")
    if isinstance(value, float) and _MINUS_ZERO.search(_format(value, spec)):
        return _format(-value, spec)
    if isinstance(value, float) and abs(value) >= HUGE and (fixed := _FIXED.fullmatch(spec)) and "%" not in spec:
        return f"{value:{fixed[2] or '.6'}e}"
    return _format(value, spec)


def _format(value: float | str, spec: str) -> str:
    try:
        return format(value, spec)
    except ValueError as error:
        raise ValueError(f"the format {spec!r} does not fit {_type(value)} ({error})") from None


def _type(value: float | str) -> str:
    return {int: "an integer", float: "a float", str: "a text"}[type(value)]


def _typeset(digits: str) -> str:
    digits = _EXPONENT.sub(lambda match: f"×10{str(int(match[1])).translate(_SUPERSCRIPT)}", digits)
    return digits.replace("-", MINUS)
