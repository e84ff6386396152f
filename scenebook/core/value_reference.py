"""How a text names a value: `{{ slug/scene.name[i, j].STAT @ control=value, ... :FORMAT ROUNDING }}`.

All of it but `scene.name` may be left out. A name can be a column of a table, `df["price"]`. `[i, j]` takes an element
of an array or of a list of texts; an index is a whole number, or the name of one. STAT is what the repeats of a scene
say of the value, such as low. What follows `@` pins the value to points of the scene's controls. ROUNDING is ceil,
floor or nearest; a bound has to name one of them.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scenebook.core.values import COLUMN, in_double_quotes

_SCENE, _NAME, _STAT = r"[\w/-]+", rf"\w+(?:\s*{COLUMN})?", r"\.\w+"
_INDICES = r"\[[^\[\]{}\n]*\]"
_PIN = r"\w+\s*=\s*(?:'[^'\n]*'|\"[^\"\n]*\"|[^\s,:{}'\"]+)"
_PINS = rf"{_PIN}(?:\s*,\s*{_PIN})*"
PATTERN = rf"{_SCENE}\.{_NAME}(?:{_INDICES})?(?:{_STAT})?(?:\s*@[^{{}}:\n]*)?(?:\s*:[^{{}}\n]*)?"
"""A reference inside a formula, where double braces can also be LaTeX."""
_REFERENCE = re.compile(
    rf"\s*(?P<scene>{_SCENE})\.(?P<name>{_NAME})(?P<indices>{_INDICES})?(?P<stat>{_STAT})?\s*"
    rf"(?:@\s*(?P<pins>{_PINS})\s*)?"
    r"(?::(?P<format>[^{}]*?)"
    r"(?:(?<=[:\s])(?P<rounding>ceil|floor|nearest))?)?\s*"
)


_ORIGIN = re.compile(rf"(?P<value>{_SCENE}\.{_NAME})(?:{_INDICES})?")


class ValueReference(NamedTuple):
    """A value as a text names it.

    `pins` are the points of controls, as written, by parameter. `indices` say which element of the value is meant.
    `stat` is empty unless the text asks for what the repeats of the scene say of the value.
    """

    scene: str
    name: str
    pins: tuple[tuple[str, str], ...] = ()
    format: str = ""
    rounding: str = ""
    indices: tuple[str, ...] = ()
    stat: str = ""

    @property
    def element(self) -> str:
        """The value without its scene, such as `P[0,1]`. It has no spaces that could end it in a list of names."""
        indices = f"[{','.join(self.indices)}]" if self.indices else ""
        return f"{self.name}{indices}".replace(" ", "\N{NO-BREAK SPACE}")

    def full_scene(self, slug: str) -> str:
        """The scene as `slug/id`; `slug` is that of the page with the text."""
        return self.scene if "/" in self.scene else f"{slug}/{self.scene}"


def parse(inner: str) -> ValueReference | None:
    """The reference between double braces; None if it is not one."""
    match = _REFERENCE.fullmatch(inner)
    if match is None:
        return None
    pins = tuple(_pin(pin) for pin in re.findall(_PIN, match["pins"] or ""))
    spec = (match["format"] or "").rstrip()
    indices = tuple(index.strip() for index in match["indices"][1:-1].split(",")) if match["indices"] else ()
    name, stat = in_double_quotes(match["name"]), (match["stat"] or "")[1:]
    return ValueReference(match["scene"], name, pins, spec, match["rounding"] or "", indices, stat)


def value_of(origin: str) -> str:
    """Return the value `slug/scene.name` of an element that a page shows, such as `slug/scene.name[0,1]`."""
    match = _ORIGIN.fullmatch(origin.replace("\N{NO-BREAK SPACE}", " "))
    return match["value"] if match else origin


def without_scene(value: str) -> str:
    """Return the name of a value, given as `slug/scene.name` or as the name itself."""
    scene, _, name = value.partition(".")
    return name if "/" in scene else value


def _pin(pin: str) -> tuple[str, str]:
    param, _, value = pin.partition("=")
    value = value.strip()
    return param.strip(), value[1:-1] if value[:1] in "'\"" else value
