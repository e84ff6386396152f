"""Compare two built sites: what a change does to the reader, scene by scene, in page order.

Moving or renaming something does not change a number, so values are followed through renamed scenes and pages, in texts
and in claims. What is missing because a scene failed on one side does not count as a change.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher, unified_diff
from itertools import repeat
from typing import Any

from scenebook.core.value_reference import without_scene
from scenebook.review import _claim_diff as claim_diff
from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _published_diff as published_diff
from scenebook.review import _settings_diff as settings_diff
from scenebook.review import _value_diff as value_diff
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import BuiltPage, BuiltScene, BuiltSite
from scenebook.review._differences import (
    ChangedSentence,
    ClaimChange,
    CodeChange,
    Differences,
    Kind,
    PageChange,
    PictureChange,
    Quiet,
    QuotedChange,
    SceneChange,
    ValueChange,
)
from scenebook.review._matching import MatchedPage, Pair, match
from scenebook.review._published_diff import Names
from scenebook.review._reported import reported
from scenebook.review._settings_diff import SettingsChange

SITE = "the site"
"""The place of the texts that belong to no page."""
MIN_BYTES, MIN_PART = 1024, 0.02
"""A page's weight is reported if it changes by more than this many bytes and by more than this part of it."""

IsShown = Callable[[str, str], bool]
"""Whether a text shows a value, given its names before and after."""


@dataclass(frozen=True)
class _Sites:
    """Both sites, their matched pages and what became of the values.

    `names` maps old names of values to new ones, `values` are the changes by scene, `changed` has the names of the
    values that changed, and `claims` are the changes of claims by place.
    """

    old: BuiltSite
    new: BuiltSite
    pages: tuple[MatchedPage, ...]
    names: Mapping[str, str]
    values: Mapping[str, tuple[ValueChange, ...]]
    changed: frozenset[str]
    claims: Mapping[str, tuple[ClaimChange, ...]] = field(default_factory=dict)

    @property
    def scene_pairs(self) -> Iterator[Pair[BuiltScene]]:
        """The scenes of all pages, before and after."""
        return (pair for page in self.pages for pair in page.scenes)

    def name(self, old: str) -> str:
        """Return the new name of an old value."""
        return self.names.get(old, old)


def compare(old: BuiltSite, new: BuiltSite) -> Differences:
    """Return the differences between two built sites."""
    sites = _match(old, new)
    sentences = _each_once([*_sentences_of_pages(sites), *_sentences(old.texts, new.texts, SITE, sites)])
    pages = tuple(page for matched in sites.pages if (page := _page(matched, sites, sentences)).own or page.scenes)
    code, texts = tuple(_shared_code(sites)), tuple(entry for entry in sentences if entry.place == SITE)
    margins = tuple(change for of in sites.claims.values() for change in of if change.kind == "margin")
    known = reported((old, new), pages, texts, code, margins)
    published = published_diff.compare((old, new), _new_names(sites), known)
    changed = {scene.name for page in pages for scene in page.scenes}
    return Differences(
        pages=pages,
        code=code,
        texts=texts,
        words=published.words,
        markup=published.markup,
        files=published.files,
        unchanged=tuple(scene.name for page in new.pages for scene in page.scenes if scene.name not in changed),
        margins=margins,
        quiet=published.quiet + Quiet(values=sum(map(_noisy_values, sites.scene_pairs, repeat(sites)))),
    )


def _new_names(sites: _Sites) -> Names:
    """Return what the comparison of pages has to know about names and values."""
    pages = (matched.page for matched in sites.pages if matched.page.before and matched.page.after)
    pairs = [pair for pair in sites.scene_pairs if pair.before and pair.after]
    return Names(
        pages={page.before.slug: page.after.slug for page in pages if page.before and page.after},
        scenes={pair.before.name: pair.after.name for pair in pairs if pair.before and pair.after},
        value=sites.name,
        changed=sites.changed,
        noisy=frozenset(_name(pair) for pair in pairs if _noisy_values(pair, sites)),
    )


def _noisy_values(pair: Pair[BuiltScene], sites: _Sites) -> int:
    """Return how many values of a scene differ within the tolerances."""
    if not pair.before or not pair.after or _failed_sides(pair):
        return 0
    told = {without_scene(value.name) for value in sites.values[pair.after.name]}
    before, after = pair.before.values, pair.after.values
    same = (name for name in after if name in before and name not in told)
    return sum(not value_diff.identical(before[name], after[name]) for name in same)


def _match(old: BuiltSite, new: BuiltSite) -> _Sites:
    pages = match(old, new)
    pairs = [pair for page in pages for pair in page.scenes]
    values = {_name(pair): tuple(_values(pair, _is_shown(pair, old, new))) for pair in pairs}
    names = dict(old_and_new for pair in pairs for old_and_new in _names(pair, values[_name(pair)]))
    changed = frozenset(value.name for changes in values.values() for value in changes if value.kind != "renamed")
    sites = _Sites(old, new, pages, names, values, changed)
    return replace(sites, claims={place: of for page in pages for place, of in _claims_of(page, sites).items()})


def _claims(place: str, sites: _Sites) -> tuple[ClaimChange, ...]:
    """Return the changes of the claims of a page or scene, other than those of nothing but a margin."""
    return tuple(change for change in sites.claims[place] if change.kind != "margin")


def _name(pair: Pair[BuiltScene]) -> str:
    scene = pair.after or pair.before
    assert scene
    return scene.name


def _failed_sides(pair: Pair[BuiltScene]) -> tuple[str, ...]:
    sides = (("before", pair.before), ("after", pair.after))
    return tuple(side for side, scene in sides if scene and scene.failed)


def _is_shown(pair: Pair[BuiltScene], old: BuiltSite, new: BuiltSite) -> IsShown:
    """Return a function that says whether a text shows a value of the scene."""
    old_scene, new_scene = (scene.name if scene else "" for scene in (pair.before, pair.after))
    return lambda before, after: f"{old_scene}.{before}" in old.shown or f"{new_scene}.{after}" in new.shown


def _values(pair: Pair[BuiltScene], is_shown: IsShown) -> Iterator[ValueChange]:
    """Yield the changes of a scene's values; none for a failed scene, whose values are unknown."""
    if _failed_sides(pair):
        return
    before, after = (dict(scene.values) if scene else {} for scene in (pair.before, pair.after))
    renamed = _renamed_values(before, after, is_shown) if pair.before and pair.after else {}
    for name in dict.fromkeys([*after, *before]):
        full_name = f"{_name(pair)}.{name}"
        if name in renamed:
            yield ValueChange(full_name, before[renamed[name]], after[name], was=renamed[name], kind="renamed")
        elif name not in before:
            yield ValueChange(full_name, None, after[name], kind="added")
        elif name not in after:
            if name not in renamed.values():
                yield ValueChange(full_name, before[name], None, kind="removed")
        elif change := value_diff.change(
            before[name], after[name], shown=is_shown(name, name), labels=_others(before, after, name)
        ):
            within = _is_within(pair, name)
            yield ValueChange(full_name, before[name], after[name], change.cells, within=within)


def _is_within(pair: Pair[BuiltScene], name: str) -> bool:
    """Return whether a change lies within low and high of the runs before it, or after it if only these are known."""
    old, new = pair.before, pair.after
    assert old and new
    low_and_high, value = old.spreads.get(name), new.values[name]
    if low_and_high is None:
        low_and_high, value = new.spreads.get(name), old.values[name]
    if low_and_high is None or not isinstance(value, int | float):
        return False
    low, high = low_and_high
    return bool(low <= value <= high)


def _others(before: Mapping[str, Any], after: Mapping[str, Any], name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the other values of a scene before and after, which may label those of an array."""
    sides = ({other: value for other, value in side.items() if other != name} for side in (before, after))
    return next(sides), next(sides)


def _renamed_values(before: Mapping[str, object], after: Mapping[str, object], is_shown: IsShown) -> dict[str, str]:
    """Map new names to old ones with the same value, the most similar names first."""

    def same(old: str, new: str) -> bool:
        return value_diff.change(before[old], after[new], shown=is_shown(old, new)) is None

    renamed: dict[str, str] = {}
    pairs = [(new, old) for new in after if new not in before for old in before if old not in after]
    for new, old in sorted(pairs, key=lambda names: -SequenceMatcher(None, *names).ratio()):
        if new not in renamed and old not in renamed.values() and same(old, new):
            renamed[new] = old
    return renamed


def _names(pair: Pair[BuiltScene], values: Iterable[ValueChange]) -> Iterator[tuple[str, str]]:
    """Yield the old and the new name of each value."""
    if pair.before and pair.after:
        renamed = {value.was: value.name for value in values if value.was}
        for name in pair.before.values:
            yield f"{pair.before.name}.{name}", renamed.get(name, f"{pair.after.name}.{name}")


def _sentences_of_pages(sites: _Sites) -> Iterator[ChangedSentence]:
    """Yield every sentence of the pages that changed."""
    for matched in sites.pages:
        before, after = (page.texts if page else {} for page in (matched.page.before, matched.page.after))
        yield from _sentences(before, after, _slug(matched), sites)
        for pair in matched.scenes:
            before, after = _scene_texts(pair)
            yield from _sentences(before, after, _name(pair), sites)


def _each_once(found: Iterable[ChangedSentence]) -> tuple[ChangedSentence, ...]:
    """Return each sentence once, at its first place, with all other places that have it."""
    places: dict[tuple[tuple[str, str], ...], list[ChangedSentence]] = {}
    for entry in found:
        runs = tuple((kind, word_diff.joined(tokens)) for kind, tokens in word_diff.runs(entry.sentence))
        places.setdefault(runs, []).append(entry)
    return tuple(
        replace(first, also=tuple(dict.fromkeys(_where(entry) for entry in others if _where(entry) != _where(first))))
        for first, *others in places.values()
    )


def _where(entry: ChangedSentence) -> str:
    return f"{entry.field} of {entry.place}"


def _slug(matched: MatchedPage) -> str:
    page = matched.page.after or matched.page.before
    assert page
    return page.slug


def _scene_texts(pair: Pair[BuiltScene]) -> tuple[dict[str, str], ...]:
    """Return the texts of a scene before and after. If it failed, only texts on both sides are compared."""
    texts = [dict(scene.texts) if scene else {} for scene in (pair.before, pair.after)]
    shared = texts[0].keys() & texts[1].keys() if _failed_sides(pair) else texts[0].keys() | texts[1].keys()
    return tuple({field: text for field, text in side.items() if field in shared} for side in texts)


def _sentences(
    before: Mapping[str, str], after: Mapping[str, str], place: str, sites: _Sites
) -> Iterator[ChangedSentence]:
    for name in dict.fromkeys([*after, *before]):
        old, new = before.get(name, ""), after.get(name, "")
        if old != new:
            for sentence in word_diff.compare(old, new, sites.name, sites.changed.__contains__):
                yield ChangedSentence(place, name, sentence)


def _page(matched: MatchedPage, sites: _Sites, sentences: tuple[ChangedSentence, ...]) -> PageChange:
    before, after = matched.page.before, matched.page.after
    page = after or before
    assert page
    scenes = tuple(scene for pair in matched.scenes if (scene := _scene(pair, matched, sites, sentences)))
    kind: Kind | None = "added" if not before else "removed" if not after else None
    if before and after:
        kind = "renamed" if before.slug != after.slug else "reordered" if matched.page.reordered else None
    return PageChange(
        slug=page.slug,
        title=page.title,
        kind=kind,
        was=before.slug if before and before.slug != page.slug else "",
        texts=tuple(entry for entry in sentences if entry.place == page.slug and word_diff.reworded(entry.sentence)),
        claims=_claims(page.slug, sites),
        quoted=tuple(_quoted(before.quoted if before else {}, after.quoted if after else {})),
        weight=_weight(before, after),
        scenes=scenes,
    )


def _scene(
    pair: Pair[BuiltScene], matched: MatchedPage, sites: _Sites, sentences: tuple[ChangedSentence, ...]
) -> SceneChange | None:
    """Return the differences of a scene; None if there are none."""
    scene, failed = pair.after or pair.before, _failed_sides(pair)
    assert scene
    change = SceneChange(
        name=scene.name,
        title=scene.title,
        kind=_kind(pair, matched),
        was=pair.before.name if pair.before and pair.before.name != scene.name else "",
        failed=failed,
        values=sites.values[scene.name],
        sentences=tuple(entry for entry in sentences if _shows_values_of(scene.name, entry, sites)),
        picture=None if failed else _picture(pair, sites),
        claims=() if failed else _claims(scene.name, sites),
        texts=tuple(entry for entry in sentences if entry.place == scene.name and word_diff.reworded(entry.sentence)),
        code=tuple(_own_code(pair, sites)),
        settings=None if failed else _settings(pair, sites),
    )
    if change.values or change.picture or change.settings:
        change = replace(change, inputs=tuple(_changed_inputs(pair)))
    return change if change.content or change.kind != "changed" else None


def _shows_values_of(scene: str, entry: ChangedSentence, sites: _Sites) -> bool:
    """Whether a sentence belongs to a scene: only numbers changed in it, and the first of them is one of the scene.

    If it shows values of the scene whose text it is, it belongs there.
    """
    if word_diff.reworded(entry.sentence):
        return False
    scenes = [name.partition(".")[0] for name in word_diff.changed_values(entry.sentence) if name in sites.changed]
    return bool(scenes) and scene == (entry.place if entry.place in scenes else scenes[0])


def _changed_inputs(pair: Pair[BuiltScene]) -> Iterator[str]:
    """Yield the data files of a scene that differ, if both sides recorded what they read."""
    before, after = (scene.inputs if scene else None for scene in (pair.before, pair.after))
    if before is not None and after is not None:
        yield from (path for path in sorted({*before, *after}) if before.get(path) != after.get(path))


def _kind(pair: Pair[BuiltScene], matched: MatchedPage) -> Kind:
    if not pair.before or not pair.after:
        return "removed" if pair.before else "added"
    if matched.page.before is None or pair.before.slug != matched.page.before.slug:
        return "moved"
    return "renamed" if pair.before.id != pair.after.id else "reordered" if pair.reordered else "changed"


def _picture(pair: Pair[BuiltScene], sites: _Sites) -> PictureChange | None:
    paths = [scene.picture if scene else None for scene in (pair.before, pair.after)]
    before, after = sites.old.file(paths[0]), sites.new.file(paths[1])
    if before == after:
        return None
    sizes = pixel_diff.size(before or b""), pixel_diff.size(after or b"")
    if before is None or after is None:
        return PictureChange("removed" if after is None else "added", paths[0], paths[1], sizes=sizes)
    try:
        difference = pixel_diff.compare(before, after)
    except ValueError as error:
        return PictureChange("unreadable", paths[0], paths[1], message=str(error), sizes=sizes)
    return PictureChange("changed", paths[0], paths[1], difference, sizes=sizes) if difference else None


def _settings(pair: Pair[BuiltScene], sites: _Sites) -> SettingsChange | None:
    """Return how a scene differs at the settings of its controls; None if it is on one side only."""
    if not pair.before or not pair.after:
        return None
    same = settings_diff.same_value(_is_shown(pair, sites.old, sites.new))
    return settings_diff.compare(pair.before, pair.after, (sites.old, sites.new), same)


def _claims_of(matched: MatchedPage, sites: _Sites) -> Mapping[str, tuple[ClaimChange, ...]]:
    """Return the changes of the claims of a page and its scenes, by place."""
    pairs: tuple[Pair[BuiltPage] | Pair[BuiltScene], ...] = (*matched.scenes, matched.page)
    failed = {side for pair in matched.scenes for side in _failed_sides(pair)}
    parts = ((pair.before, pair.after) for pair in pairs)
    return claim_diff.compare(parts, sites.names, failed, claim_diff.values_of(matched.page.after))


def _own_code(pair: Pair[BuiltScene], sites: _Sites) -> Iterator[CodeChange]:
    """Yield the diff of the scene's own module; none if the file only moved."""
    old, new = (scene.code[0] if scene and scene.code else "" for scene in (pair.before, pair.after))
    if pair.before and pair.after:
        yield from _diff(old, sites.old.code.get(old, ""), new, sites.new.code.get(new, ""))


def _shared_code(sites: _Sites) -> Iterator[CodeChange]:
    """Yield the diffs of all files that are not a scene's own module."""
    pages = (*sites.old.pages, *sites.new.pages)
    own = {file for page in pages for scene in page.scenes for file in scene.code[:1]}
    for file in sorted({*sites.old.code, *sites.new.code} - own):
        yield from _diff(file, sites.old.code.get(file, ""), file, sites.new.code.get(file, ""))


def _diff(old_file: str, old: str, new_file: str, new: str) -> Iterator[CodeChange]:
    if old != new:
        lines = list(unified_diff(old.splitlines(), new.splitlines(), old_file, new_file, n=2, lineterm=""))
        yield CodeChange(new_file or old_file, tuple(lines[2:] if old_file == new_file else lines))


def _quoted(before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]]) -> Iterator[QuotedChange]:
    for source in dict.fromkeys([*after, *before]):
        old, new = before.get(source, ()), after.get(source, ())
        gone = tuple(number for number in old if number not in new)
        added = tuple(number for number in new if number not in old)
        if gone or added:
            yield QuotedChange(source, gone, added)


def _weight(before: BuiltPage | None, after: BuiltPage | None) -> tuple[int, int] | None:
    """Return the weight of a page before and after; None if it hardly changed or scenes were added or removed."""
    if not before or not after or before.weight is None or after.weight is None:
        return None
    if len(before.scenes) != len(after.scenes):
        return None
    change = abs(after.weight - before.weight)
    return (before.weight, after.weight) if change > max(MIN_BYTES, MIN_PART * before.weight) else None
