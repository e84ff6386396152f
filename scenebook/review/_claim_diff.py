"""Compare the claims of a page or scene. A claim that moved to another part of its page is the same claim."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from scenebook.review import _claim_strength as claim_strength
from scenebook.review import _value_diff as value_diff
from scenebook.review._built_site import BuiltClaim, BuiltPage, BuiltScene
from scenebook.review._differences import ClaimChange

SIMILAR = 0.6
"""Two claims count as the same claim, changed, if their expressions have a higher similarity than this."""

Part = BuiltPage | BuiltScene
Parts = tuple[Part | None, Part | None]
"""A page or a scene before and after; None if it did not exist."""
_NAME = re.compile(r"(?:[a-z0-9-]+/)?[A-Za-z_]\w*\.[A-Za-z_]\w*")


def compare(
    parts: Iterable[Parts], names: Mapping[str, str], failed: Iterable[str], values: claim_strength.Values
) -> dict[str, tuple[ClaimChange, ...]]:
    """Return the changes of the claims of a page and its scenes, by place.

    `names` maps old names of values to new ones. `failed` are the sides on which a scene of the page failed. Claims
    that use it have no result there, so none is reported as added or removed because of that.
    """
    found = {_place(pair): list(_changes(pair, names, failed, values)) for pair in parts}
    moved = _moved(change for changes in found.values() for change in changes)
    return {place: tuple(change for change in changes if not _take(moved, change)) for place, changes in found.items()}


def _place(parts: Parts) -> str:
    part = parts[1] or parts[0]
    return part.name if isinstance(part, BuiltScene) else part.slug if part else ""


def _moved(changes: Iterable[ClaimChange]) -> Counter[tuple[bool, str, str]]:
    """Count the claims that are gone from one part and new in another, once for each side."""
    listed = Counter(_key(change) for change in changes if not (change.before and change.after))
    pairs = {key[1:]: min(listed[False, *key[1:]], listed[True, *key[1:]]) for key in listed}
    return Counter({(side, *key): count for key, count in pairs.items() for side in (False, True)})


def _key(change: ClaimChange) -> tuple[bool, str, str]:
    claim = change.after or change.before
    assert claim
    return change.after is None, claim.say, claim.check


def _take(moved: Counter[tuple[bool, str, str]], change: ClaimChange) -> bool:
    """Return whether a change is one half of a move, and count it."""
    if (change.before and change.after) or moved[_key(change)] <= 0:
        return False
    moved[_key(change)] -= 1
    return True


def _changes(
    parts: Parts, names: Mapping[str, str], failed: Iterable[str], values: claim_strength.Values
) -> Iterator[ClaimChange]:
    before, after = parts
    old, new = (list(part.claims) if part else [] for part in parts)
    old = [_with_new_names(claim, before, after, names) for claim in old]
    pairs, place = _paired(old, new), _place(parts)
    if "before" not in failed:
        yield from (ClaimChange(None, claim, place=place) for claim in _without(new, (now for _, now in pairs)))
    if "after" not in failed:
        yield from (ClaimChange(claim, None, place=place) for claim in _without(old, (was for was, _ in pairs)))
    for was, now in pairs:
        if not _equal(was, now):
            weaker = was.check != now.check or was.at != now.at
            yield ClaimChange(was, now, weaker and claim_strength.is_weaker(was, now, values), place)


def _without(claims: Iterable[BuiltClaim], taken: Iterable[BuiltClaim]) -> list[BuiltClaim]:
    ids = set(map(id, taken))
    return [claim for claim in claims if id(claim) not in ids]


def _equal(before: BuiltClaim, after: BuiltClaim) -> bool:
    if before.at is None or after.at is None:
        before, after = replace(before, at=None), replace(after, at=None)
    return replace(before, margin=None) == replace(after, margin=None) and value_diff.same(before.margin, after.margin)


def _paired(old: list[BuiltClaim], new: list[BuiltClaim]) -> list[tuple[BuiltClaim, BuiltClaim]]:
    """Pair claims before and after: by equal expressions, then by equal words, then by similar expressions."""
    pairs: list[tuple[BuiltClaim, BuiltClaim]] = []
    for same in (_same_check, _same_words, _similar):
        for now in new:
            if all(now is not taken for _, taken in pairs):
                left = (was for was in old if all(was is not taken for taken, _ in pairs))
                pairs += [(was, now) for was in left if same(was, now)][:1]
    return pairs


def _same_check(before: BuiltClaim, after: BuiltClaim) -> bool:
    return before.check == after.check


def _same_words(before: BuiltClaim, after: BuiltClaim) -> bool:
    return before.say == after.say


def _similar(before: BuiltClaim, after: BuiltClaim) -> bool:
    return SequenceMatcher(None, before.check, after.check).ratio() > SIMILAR


def _with_new_names(claim: BuiltClaim, before: Part | None, after: Part | None, names: Mapping[str, str]) -> BuiltClaim:
    """Return an old claim with the new names of its values."""
    if not before or not after:
        return claim

    def new_name(match: re.Match[str]) -> str:
        full_name = match[0] if "/" in match[0] else f"{before.slug}/{match[0]}"
        name = names.get(full_name)
        return match[0] if name is None else name if "/" in match[0] else name.removeprefix(f"{after.slug}/")

    return replace(claim, say=_NAME.sub(new_name, claim.say), check=_NAME.sub(new_name, claim.check))


def values_of(page: BuiltPage | None) -> dict[tuple[str, str], Any]:
    """Return the scalars and short arrays of a page as claims name them."""
    import numpy as np

    found = {(scene.id, name): value for scene in (page.scenes if page else ()) for name, value in scene.values.items()}
    return {name: np.array(value) if isinstance(value, list) else value for name, value in found.items()}
