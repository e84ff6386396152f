"""The "did you mean ...?" of every message about a name that does not exist."""

from collections.abc import Iterable
from difflib import get_close_matches

SAME_LETTERS = 0.75
"""The share of letters, as `difflib` counts it, that close names have in common, in the same order."""
LISTED = 12
"""The most names that a message lists."""


def closest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that `name` is most likely a misspelling of, or None. Case makes no difference.

    Close names share three quarters of their letters, or have the same letters in another order. The second rule is for
    short names: two swapped letters are two thirds of a name such as 'one'.
    """
    folded, by_folded_name = name.casefold(), {candidate.casefold(): candidate for candidate in sorted(known)}
    matches = get_close_matches(folded, by_folded_name, n=1, cutoff=SAME_LETTERS)
    anagrams = [other for other in by_folded_name if folded and sorted(other) == sorted(folded)]
    return next((by_folded_name[match] for match in [*matches, *anagrams]), None)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message, `; did you mean 'x'?`, or an empty text if no known name is close."""
    return suggest(closest(name, known))


def suggest(suggestion: str | None) -> str:
    """Return the same end of a message for a suggestion that was found in another way."""
    return f"; did you mean '{suggestion}'?" if suggestion else ""


def did_you_mean_or_list(name: str, known: Iterable[str]) -> str:
    """Return the end of a message that suggests a close name, or lists the first known names if none is close."""
    names = sorted(known)
    return did_you_mean(name, names) or (f"; there are: {', '.join(names[:LISTED])}" if names else "")
