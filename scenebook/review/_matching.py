"""Match the pages and scenes of two builds, even if they were renamed, moved or reordered.

Things with the same name match. Among the others, two pages match if they have the same title or share most of their
scenes. Two scenes match if enough of their id, title, text, values and code is the same.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scenebook.review._built_site import BuiltPage, BuiltScene, BuiltSite
from scenebook.review._word_diff import plain

T = TypeVar("T")
S = TypeVar("S")

TRAIT_WEIGHTS = (2, 2, 2, 1, 1)
"""How much the id, values, text, title and module of a scene count if they are equal."""

ENOUGH = 3
"""The total weight from which two scenes match."""


@dataclass(frozen=True)
class Pair(Generic[T]):
    """A page or scene before and after, None if it did not exist; `reordered` if it changed places with others."""

    before: T | None
    after: T | None
    reordered: bool = False


@dataclass(frozen=True)
class MatchedPage:
    """A page before and after, with its scenes in order. Removed scenes keep their old place."""

    page: Pair[BuiltPage]
    scenes: tuple[Pair[BuiltScene], ...]


def match(old: BuiltSite, new: BuiltSite) -> tuple[MatchedPage, ...]:
    """Pair the pages of two sites, in the order of the new site, and pair the scenes of each page."""
    old_pages, new_pages = ({page.slug: page for page in site.pages} for site in (old, new))
    pages = _paired(old_pages, new_pages, _page_traits, _page_likeness)
    present = {before: after for after, before in pages.items()}
    old_scenes = {f"{present.get(scene.slug, scene.slug)}/{scene.id}": scene for scene in _scenes(old)}
    new_scenes = {scene.name: scene for scene in _scenes(new)}
    scenes = _paired(old_scenes, new_scenes, _scene_traits, _scene_likeness)

    def keys_on_page(scenes: Mapping[str, BuiltScene], slug: str | None) -> list[str]:
        return [key for key, scene in scenes.items() if scene.slug == slug]

    return tuple(
        MatchedPage(
            Pair(old_pages.get(before or ""), new_pages.get(after or ""), reordered),
            tuple(
                Pair(old_scenes.get(was or ""), new_scenes.get(now or ""), shifted)
                for was, now, shifted in _merged(
                    keys_on_page(old_scenes, before), keys_on_page(new_scenes, after), scenes
                )
            ),
        )
        for before, after, reordered in _merged(list(old_pages), list(new_pages), pages)
    )


def _scenes(site: BuiltSite) -> Iterator[BuiltScene]:
    return (scene for page in site.pages for scene in page.scenes)


def _paired(
    old: Mapping[str, T], new: Mapping[str, T], traits: Callable[[T], S], likeness: Callable[[S, S], int]
) -> dict[str, str]:
    """Map new keys to old ones: first equal keys, then the most similar of the others."""
    pairs = {key: key for key in new if key in old}
    removed = [(key, traits(old[key])) for key in old if key not in pairs]
    added = [(key, traits(new[key])) for key in new if key not in pairs]
    scores = sorted(
        (-score, place, other, before, after)
        for place, (after, theirs) in enumerate(added)
        for other, (before, ours) in enumerate(removed)
        if (score := likeness(ours, theirs)) >= ENOUGH
    )
    taken: set[str] = set()
    for *_, before, after in scores:
        if after not in pairs and before not in taken:
            pairs[after] = before
            taken.add(before)
    return pairs


def _page_traits(page: BuiltPage) -> tuple[str, set[str]]:
    return page.title, {scene.id for scene in page.scenes}


def _page_likeness(before: tuple[str, set[str]], after: tuple[str, set[str]]) -> int:
    shared, most = len(before[1] & after[1]), max(len(before[1]), len(after[1]))
    return ENOUGH * (before[0] == after[0] or 2 * shared > most)


def _scene_traits(scene: BuiltScene) -> tuple[object, ...]:
    text = plain(scene.texts.get("text", ""))
    return scene.id, repr(scene.values) if scene.values else "", text, scene.title, scene.code[:1]


def _scene_likeness(before: tuple[object, ...], after: tuple[object, ...]) -> int:
    weighed = zip(TRAIT_WEIGHTS, before, after, strict=True)
    return sum(weight for weight, one, other in weighed if one and one == other)


def _merged(
    old: Sequence[str], new: Sequence[str], pairs: Mapping[str, str]
) -> list[tuple[str | None, str | None, bool]]:
    """Return rows of old key, new key and whether it was reordered, in the new order.

    A removed key follows the key that it followed before.
    """
    places = [old.index(pairs[key]) if pairs.get(key) in old else None for key in new]
    kept = _longest_increasing([place for place in places if place is not None])
    rows: list[tuple[str | None, str | None, bool]] = [
        (pairs.get(key), key, place is not None and place not in kept) for key, place in zip(new, places, strict=True)
    ]
    taken = set(pairs.values())
    for place, key in enumerate(old):
        if key not in taken:
            behind = (at for at, row in enumerate(rows, 1) if place and row[0] == old[place - 1])
            rows.insert(next(behind, len(rows) if place else 0), (key, None, False))
    return rows


def _longest_increasing(places: Sequence[int]) -> set[int]:
    """Return the longest increasing subsequence. Its members kept their order, so as few as possible are reordered."""
    runs: list[list[int]] = []
    for place in places:
        runs.append([*_longest(run for run in runs if run[-1] < place), place])
    return set(_longest(runs))


def _longest(runs: Iterable[list[int]]) -> list[int]:
    return max(runs, key=len, default=[])
