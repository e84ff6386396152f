"""Which page and which scene of one build is which of another, though renamed, moved or put in another order.

Equal names are the same thing. Of what is left, a page is the same when its title is, or most of its scenes are; a
scene, when enough of its id, title, text, values and code is.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from scenebook.review._built_site import BuiltPage, BuiltScene, BuiltSite
from scenebook.review._word_diff import plain

T = TypeVar("T")
S = TypeVar("S")

TRAITS = (2, 2, 2, 1, 1)
"""What an equal id, equal values, text, title and module of a scene count, and how much of it is enough."""

ENOUGH = 3


@dataclass(frozen=True)
class Pair(Generic[T]):
    """A thing before and after, None where it was not there; `reordered` among those beside it."""

    before: T | None
    after: T | None
    reordered: bool = False


@dataclass(frozen=True)
class Matched:
    """A page before and after, with its scenes in order; removed ones stand where they were."""

    page: Pair[BuiltPage]
    scenes: tuple[Pair[BuiltScene], ...]


def match(old: BuiltSite, new: BuiltSite) -> tuple[Matched, ...]:
    """Pair the pages of two sites, in the order of the new one, and the scenes of each."""
    old_pages, new_pages = ({page.slug: page for page in site.pages} for site in (old, new))
    pages = _paired(old_pages, new_pages, _page_traits, _page_likeness)
    present = {before: after for after, before in pages.items()}
    old_scenes = {f"{present.get(scene.slug, scene.slug)}/{scene.id}": scene for scene in _scenes(old)}
    new_scenes = {scene.name: scene for scene in _scenes(new)}
    scenes = _paired(old_scenes, new_scenes, _scene_traits, _scene_likeness)

    def inside(keys: Mapping[str, BuiltScene], slug: str | None) -> list[str]:
        return [key for key, scene in keys.items() if scene.slug == slug]

    return tuple(
        Matched(
            Pair(old_pages.get(before or ""), new_pages.get(after or ""), reordered),
            tuple(
                Pair(old_scenes.get(was or ""), new_scenes.get(now or ""), shifted)
                for was, now, shifted in _merged(inside(old_scenes, before), inside(new_scenes, after), scenes)
            ),
        )
        for before, after, reordered in _merged(list(old_pages), list(new_pages), pages)
    )


def _scenes(site: BuiltSite) -> Iterator[BuiltScene]:
    return (scene for page in site.pages for scene in page.scenes)


def _paired(
    old: Mapping[str, T], new: Mapping[str, T], traits: Callable[[T], S], likeness: Callable[[S, S], int]
) -> dict[str, str]:
    """New keys to old ones: equal keys, then of those left the most alike."""
    pairs = {key: key for key in new if key in old}
    gone = [(key, traits(old[key])) for key in old if key not in pairs]
    come = [(key, traits(new[key])) for key in new if key not in pairs]
    scores = sorted(
        (-score, place, other, before, after)
        for place, (after, theirs) in enumerate(come)
        for other, (before, ours) in enumerate(gone)
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
    weighed = zip(TRAITS, before, after, strict=True)
    return sum(weight for weight, one, other in weighed if one and one == other)


def _merged(
    old: Sequence[str], new: Sequence[str], pairs: Mapping[str, str]
) -> list[tuple[str | None, str | None, bool]]:
    """Keys before and after in the new order, removed ones behind what they stood behind, and which left the order."""
    places = [old.index(pairs[key]) if pairs.get(key) in old else None for key in new]
    kept = _rising([place for place in places if place is not None])
    rows: list[tuple[str | None, str | None, bool]] = [
        (pairs.get(key), key, place is not None and place not in kept) for key, place in zip(new, places, strict=True)
    ]
    taken = set(pairs.values())
    for place, key in enumerate(old):
        if key not in taken:
            behind = (at for at, row in enumerate(rows, 1) if place and row[0] == old[place - 1])
            rows.insert(next(behind, len(rows) if place else 0), (key, None, False))
    return rows


def _rising(places: Sequence[int]) -> set[int]:
    """The longest rising run of places: what kept its order, so that the fewest are told as reordered."""
    runs: list[list[int]] = []
    for place in places:
        runs.append([*_longest(run for run in runs if run[-1] < place), place])
    return set(_longest(runs))


def _longest(runs: Iterable[list[int]]) -> list[int]:
    return max(runs, key=len, default=[])
