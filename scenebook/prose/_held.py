"""Finds the values of a page's scenes that a typed numeral reads like, and the one that it probably is.

A value is held at the precision in which the numeral is written: 0.65 is 0.6474 at two decimals. A numeral is probably
the value whose name, or the label of its control, stands near it. If no name does, it is the only value that reads
like it, unless its single digit says too little.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from scenebook.core import number_format
from scenebook.prose._numerals import NUMBER

Values = Mapping[str, Mapping[str, Any]]
"""Values by scene and name."""
_STOP = {"and", "are", "for", "from", "its", "per", "than", "that", "the", "was", "were", "with"}
_WORD = re.compile(r"[^\W\d_]+")


class Held(NamedTuple):
    """A value that reads like a numeral, by its scene and name, with the format in which it does."""

    scene: str
    name: str
    spec: str
    value: Any

    @property
    def written(self) -> str:
        """The value as an author writes it in a text."""
        return f"{{{{ {self.scene}.{self.name}{self.spec and ':'}{self.spec} }}}}"


class HeldValues:
    """The values that a page's scenes hold. `labels` are those of controls, by scene and parameter."""

    def __init__(self, values: Values, labels: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self._values = values
        self._labels = labels or {}
        self._shown: dict[int, dict[str, list[Held]]] = {}

    def like(self, numeral: str) -> tuple[Held, ...]:
        """Return the values that read like a numeral or like a part of it, each once."""
        wanted = [_canonical(numeral), *map(_canonical, re.findall(NUMBER, numeral))]
        decimals = re.search(r"\.(\d+)", numeral)
        shown = self._at(len(decimals[1]) if decimals else 0)
        found: dict[tuple[str, str], Held] = {}
        for held in (held for text in wanted for held in shown.get(text, ())):
            if held.spec.endswith("%") or not numeral.endswith("%") or _is_percentage(held):
                found.setdefault((held.scene, held.name), held)
        return tuple(found.values())

    def named(self, found: Iterable[Held], near: Sequence[str], scene: str = "") -> tuple[Held, ...]:
        """Return those of `found` whose names are best told by the words near a numeral. Own ones of `scene` win."""
        scores = {held: self._score(held, near) for held in found}
        told = {held: (*score, held.scene == scene) for held, score in scores.items() if score[0]}
        return tuple(held for held, score in told.items() if score == max(told.values()))

    def _score(self, held: Held, near: Sequence[str]) -> tuple[int, int]:
        """Return how many words of a value's name, and of its scene's, stand near a numeral."""
        words = frozenset(near)
        label = self._labels.get(held.scene, {}).get(held.name, "")
        whole = 2 * (_joined(held.name) in map(_joined, near))
        return whole + _told(f"{held.name} {label}", words), _told(held.scene, words)

    def _at(self, places: int) -> dict[str, list[Held]]:
        """Return the values by how they read with so many decimal places."""
        if places not in self._shown:
            self._shown[places] = {}
            for scene, named in self._values.items():
                for name, value in named.items():
                    for spec in _specs(value, places):
                        held = Held(scene, name, spec, value)
                        self._shown[places].setdefault(_show(value, spec), []).append(held)
        return self._shown[places]


_show = lru_cache(8192, typed=True)(number_format.show)


def telling(numeral: str, found: Iterable[Held]) -> tuple[Held, ...]:
    """Return those of `found` of which a numeral says enough: it has two digits that count, or is exactly the value.

    If a numeral with a single digit is exactly one value, it is not another that only rounds to it.
    """
    every = tuple(found)
    digits = re.sub(r"^[^1-9]+|\D", "", numeral if "." in numeral else re.sub(r"0+\b", "", numeral))
    return every if len(digits) > 1 else tuple(held for held in every if is_exact(held))


def is_exact(held: Held) -> bool:
    """Return whether a value is shown in full as it reads."""
    return number_format.is_exact(held.value, held.spec)


def _is_percentage(held: Held) -> bool:
    """Return whether a value can be a number of percent, such as 41.8, and not a part of one."""
    return abs(held.value) > 1 and (isinstance(held.value, float) or "perc" in held.name or "pct" in held.name)


def _joined(name: str) -> str:
    return name.replace("_", "").lower()


def is_label(held: Held, before: str) -> bool:
    """Return whether a number is a label rather than a count: the 3 of "head 3" is not the value `heads`."""
    return any(word == f"{before.lower()}s" for word in _words(held.name))


def _told(name: str, near: frozenset[str]) -> int:
    """Return how many words of a name are among the words near a numeral."""
    parts = {part.lower() for word in near for part in (word, *_WORD.findall(word))}
    return sum(any(_same(word, part) for part in parts) for word in _words(name))


@lru_cache(1024)
def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name that say something. The letters of d_k say nothing apart."""
    found = dict.fromkeys(word.lower() for word in _WORD.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)))
    return tuple(word for word in found if len(word) > 2 and word not in _STOP)


@lru_cache(4096)
def _same(word: str, other: str) -> bool:
    """Return whether two words are the same but for an ending, or one is the beginning of the other."""
    short, long = sorted((_stem(word), _stem(other)), key=len)
    return short == long or (len(short) > 3 and long.startswith(short))


def _stem(word: str) -> str:
    return re.sub(r"ies$", "y", word) if word.endswith("ies") else re.sub(r"(?<=[^s])s$", "", word)


def _canonical(numeral: str) -> str:
    """Return a numeral as `number_format.show` would write it, without letters after it."""
    spaced = re.sub(r"(?<=\d)[ \u00a0\u2009\u202f](?=\d)", ",", numeral.lstrip("+±"))
    return re.sub(r"(?<=\d)[^\W\d_]\w*$|\s", "", spaced).replace("-", number_format.MINUS)


def _specs(value: Any, places: int) -> tuple[str, ...]:
    """Return the formats in which a value could look like a numeral with this many decimal places."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ()
    if isinstance(value, int):
        return ("", ",d")
    fixed = (f".{places}f", f",.{places}f") if places or value.is_integer() or abs(value) >= 10 else ()
    return (*fixed, f".{places}%", f".{places}e")
