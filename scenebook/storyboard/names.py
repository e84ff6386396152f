"""Checks a name that the author chooses for a new page or scene, by the rules for storyboards."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator

from scenebook.core.suggestions import suggest
from scenebook.core.text import Text
from scenebook.storyboard import _page_rules as page_rules
from scenebook.storyboard._tree import Map, quoted


def slug_faults(name: str, taken: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the slug of a new page."""
    node = Map("", 0, "")
    node["slug"] = Text(name)
    suggestion = "-".join(_words(name))
    yield from (found.message + suggest(_other(suggestion, name)) for found in page_rules.slug(node))
    yield from _general_faults(name, taken)


def scene_id_faults(name: str, taken: Collection[str]) -> Iterator[str]:
    """Yield what is wrong with the id of a new scene, which is the name of its module, too."""
    node = Map("", 0, "")
    node["id"] = Text(name)
    suggestion = "_".join(_words(name)).lstrip("0123456789_")
    yield from (found.message + suggest(_other(suggestion, name)) for found in page_rules.scene_id(node))
    if name.startswith("test_"):
        yield f"{quoted(name)} would be taken for a test; choose a name that does not begin with test_"
    yield from _general_faults(name, taken)


def _general_faults(name: str, taken: Collection[str]) -> Iterator[str]:
    if name == "null":
        yield "'null' means nothing in YAML; choose another name"
    if name in taken:
        yield f"{quoted(name)} is already in use; choose another name"


def _words(name: str) -> list[str]:
    """Return the words of a name in lower case, without accents."""
    return re.findall("[a-z0-9]+", unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode())


def _other(suggestion: str, name: str) -> str | None:
    return suggestion if suggestion != name else None
