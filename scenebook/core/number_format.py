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

A bound can be rounded to the side on which it stays true: `ceil` never shows less than the value, `floor` never more.
Both ignore the noise of the last bits, so 0.1 + 0.2 is 0.3.
"""

import math
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from decimal import Decimal

MINUS = "\N{MINUS SIGN}"
HUGE = 1e16
_SUPERSCRIPT = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_EXPONENT = re.compile(r"[eE]([+-]\d+)")
_MINUS_ZERO = re.compile(r"-(?=[.,_]*0[0.,_]*(?![0-9.,_]))")
_WIDE = re.compile(r"\d{3}")
_UNFIT = re.compile(rf"{_WIDE.pattern}|[cn]$")
_FILLED = re.compile(rf"[\w.,+{MINUS}%-][<>=^]")
_FIXED = re.compile(r"(.*?)(\.\d+)?[fF%]")
_PRECISION = re.compile(r"(?:\.(?P<digits>\d+))?(?P<type>[eEfFgG%]?)$")
DEFAULT = ".4g"
"""The format of a float without one."""
NOISE = 1e-12
"""A number is shown exactly if it differs from the value by no more than this part of it."""


def show(value: Any, spec: str = "", rounding: str = "") -> str:
    """Return a number, boolean or text as a page shows it. `rounding` is ceil, floor, nearest, or "" for nearest.

    Raises `ValueError`, with a message for the author, if the format or the rounding does not fit the value.
    """
    value = plain(value)
    if message := _misfit(value, spec, rounding):
        raise ValueError(message)
    if isinstance(value, str):
        return _format(value, spec)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "inf" if value > 0 else f"{MINUS}inf"
    return _typeset(_digits(_bound(value, spec, rounding), spec))


def _misfit(value: float | str, spec: str, rounding: str) -> str:
    """Return why a format or a rounding does not fit a value; empty if Python's own rules decide."""
    if _FILLED.match(spec):
        return f"the format {spec!r} pads with a character that could be part of a number; remove {spec[:2]!r}"
    if rounding and isinstance(value, str | bool):
        return f"only a number can be rounded; remove {rounding!r}"
    if isinstance(value, str):
        return f"the format {spec!r} is too wide for a line" if _WIDE.search(spec) else ""
    if isinstance(value, bool):
        return f"true and false take no format, found {spec!r}; remove it" if spec else ""
    if _UNFIT.search(spec):
        return f"the format {spec!r} depends on the machine or is too wide for a line; use ',d' or '.2f'"
    return ""


def is_exact(value: Any, spec: str = "") -> bool:
    """Return whether a value is shown in full with a format that fits it, apart from the noise of the last bits."""
    value = plain(value)
    if isinstance(value, str | bool) or not math.isfinite(value):
        return True
    return _differs(value, spec) == 0


def _bound(value: float, spec: str, rounding: str) -> float:
    """Return the number to be shown in place of a value, so that it is rounded up (ceil) or down (floor)."""
    if rounding not in ("ceil", "floor") or _differs(value, spec) == 0:
        return value
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

    direction = ROUND_CEILING if rounding == "ceil" else ROUND_FLOOR
    exact, last = Decimal(value), _last_digit(value, spec)
    quotient = (exact.scaleb(-last, Context(prec=1000))).to_integral_value(direction)
    return float(quotient.scaleb(last))


def _differs(value: float, spec: str) -> "Decimal | int":
    """Return how far what is shown is from the value; 0 if that is only noise."""
    from decimal import Decimal

    shown = _decimal(_digits(value, spec))
    difference = Decimal(0) if shown is None else shown - Decimal(value)
    return difference if abs(difference) > Decimal(NOISE) * abs(Decimal(value)) else 0


def shown_number(value: Any, spec: str = "", rounding: str = "") -> "Decimal | None":
    """Return a finite number as `show` shows it, with an exponent that is that of the last digit; 1.20% is 0.0120.

    It is None if the format has no decimal digits, such as x.
    """
    value = plain(value)
    return _decimal(_digits(_bound(value, spec, rounding), spec))


def _decimal(digits: str) -> "Decimal | None":
    """Return the number that digits state, with their last digit as its exponent."""
    from decimal import Decimal, InvalidOperation

    bare = re.sub(r"[,_\s]", "", digits)
    try:
        return Decimal(f"{bare[:-1]}e-2" if bare.endswith("%") else bare)
    except InvalidOperation:  # a format such as x, for whole numbers alone
        return None


def _last_digit(value: float, spec: str) -> int:
    """Return the power of ten of the last digit that a format shows."""
    from decimal import Decimal

    match = _PRECISION.search(spec or DEFAULT)
    assert match
    digits, kind = int(match["digits"] or 6), match["type"].lower()
    if kind == "%" or (kind == "f" and abs(value) < HUGE):
        return -digits - 2 * (kind == "%")
    return Decimal(value).adjusted() - digits + (kind in ("", "g"))


def plain(value: Any) -> Any:
    """Return a numpy scalar as a Python number, and any other value unchanged."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 0) == 0 else value


def _digits(value: float, spec: str) -> str:
    if not spec:
        return str(value) if isinstance(value, int) else _digits(value, DEFAULT)
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
