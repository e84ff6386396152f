"""Checks alternative texts: each must describe its figure, and must not repeat the text around it."""

import re
from collections.abc import Iterable, Mapping

_FILE = re.compile(r"\s*[\w./ -]+\.(?:png|svg|jpe?g|gif|webp|pdf|csv|npy|py)\s*")
_FILLER = re.compile(
    "a|an|the|this|that|here|is|are|see|shows?|showing|shown|depicts|of|for|with|in|on|above|below|caption|alt|text"
    "|figure|fig|image|picture|graphic|graph|plot|chart|diagram|drawing|illustration|photo|screenshot|visuali[sz]ation"
    "|heatmaps?|bars?|lines?|panels?|scene|untitled|todo|tbd|none|null|description"
)


def fault(alt: str, beside: Mapping[str, str], names: Iterable[str]) -> str | None:
    """Return what is wrong with an alternative text, or None.

    `beside` has the texts around the figure, each under a name for it, such as "caption". `names` are the names of the
    scene and its files. Texts are compared as written, word by word, without `image of` and the like at the start.
    """
    words = _words(alt)
    if _FILE.fullmatch(alt) or any(words == _words(name) for name in names):
        return "is the name of a file or scene; say what the figure shows"
    if not words:
        return "says only that there is a figure; say what it shows"
    for what, text in beside.items():
        if words == _words(text):
            return f"repeats the {what}, which is read out anyway; say what the figure shows"
    return None


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case, from the first one that is not filler."""
    words = re.findall(r"\w+", text.casefold().replace("_", " "))
    first = next((place for place, word in enumerate(words) if not _FILLER.fullmatch(word)), len(words))
    return words[first:]
