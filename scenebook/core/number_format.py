"""The one rule for writing a number.

Prose, alt texts, cells of a heatmap, tables, ticks and reviews all write numbers through `show`, so one number looks
the same wherever it stands with the same format:

- Python's format language decides the digits (and so rounds as Python does: the float that is there, half to even);
- without a format an integer is written whole and a float with four significant digits, without trailing zeros;
- the minus sign is U+2212, and what rounds to zero has none;
- an exponent is written as a power of ten: 1.2×10⁻⁷; a fixed format of 10¹⁶ and above, where a float no longer holds
  every integer, is written so too;
- what is not finite is NaN, inf or −inf; a truth value is true or false;
- the machine's locale has no influence.
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
    """Write a number, truth value or text as a page shows it.

    Raises `ValueError` with a sentence for the author when the format does not fit the value.
    """
    value = plain(value)
    if _FILLED.match(spec):
        raise ValueError(f"the format {spec!r} fills up with what could be part of a number; leave out {spec[:2]!r}")
    if isinstance(value, str):
        if _WIDE.search(spec):
            raise ValueError(f"the format {spec!r} is too wide for a line")
        return _format(value, spec)
    if isinstance(value, bool):
        if spec:
            raise ValueError(f"a truth value takes no format, found {spec!r}")
        return "true" if value else "false"
    if _UNFIT.search(spec):
        raise ValueError(f"the format {spec!r} depends on the machine or is too wide for a line; use ',d' or '.2f'")
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else f"{MINUS}inf"
    return _typeset(_digits(value, spec))


def plain(value: Any) -> Any:
    """A numpy scalar as the Python number it holds; anything else as it is."""
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
