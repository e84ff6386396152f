"""Two built sites compared: what a change does to the reader, scene by scene, in page order, only what differs.

Whoever moves or renames something changes no number: values are followed through renamed scenes and pages, in texts and
in claims. What a failed scene left out on one side is no change either.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff

from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _tolerances as tolerances
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import BuiltClaim, BuiltPage, BuiltScene, BuiltSite
from scenebook.review._differences import (
    ClaimChange,
    CodeChange,
    Differences,
    Kind,
    PageChange,
    PictureChange,
    QuotedChange,
    SceneChange,
    Shown,
    ValueChange,
)
from scenebook.review._matching import Matched, Pair, match

WEIGHT = 1024, 0.02
"""A page's weight is told when it changes by more than so many bytes and by more than this part of it."""

ALIKE = 0.6
"""Claims and value names count as reworded when they are alike by more than this ratio."""

IsShown = Callable[[str, str], bool]
_NAME = re.compile(r"(?:[a-z0-9-]+/)?[A-Za-z_]\w*\.[A-Za-z_]\w*")


@dataclass(frozen=True)
class _Both:
    """Both sites, how they match, and what became of the values: `names` from old to new, `values` by scene."""

    old: BuiltSite
    new: BuiltSite
    matched: tuple[Matched, ...]
    names: Mapping[str, str]
    values: Mapping[str, tuple[ValueChange, ...]]
    changed: frozenset[str]

    def name(self, old: str) -> str:
        """The present name of an earlier value."""
        return self.names.get(old, old)


def compare(old: BuiltSite, new: BuiltSite) -> Differences:
    """What differs between two built sites."""
    both = _both(old, new)
    shown = tuple(_shown_in_pages(both))
    pages = [_page(matched, both, shown) for matched in both.matched]
    touched = {scene.name for page in pages for scene in page.scenes}
    return Differences(
        pages=tuple(page for page in pages if page.own or page.scenes),
        code=tuple(_helpers(both)),
        texts=tuple(_shown(old.texts, new.texts, "the site", both)),
        unchanged=tuple(scene.name for page in new.pages for scene in page.scenes if scene.name not in touched),
    )


def _both(old: BuiltSite, new: BuiltSite) -> _Both:
    matched = match(old, new)
    pairs = [pair for found in matched for pair in found.scenes]
    values = {_name(pair): tuple(_values(pair, _is_shown(pair, old, new))) for pair in pairs}
    names = dict(renamed for pair in pairs for renamed in _names(pair, values[_name(pair)]))
    changed = frozenset(value.name for found in values.values() for value in found if value.kind != "renamed")
    return _Both(old, new, matched, names, values, changed)


def _name(pair: Pair[BuiltScene]) -> str:
    scene = pair.after or pair.before
    assert scene
    return scene.name


def _failed(pair: Pair[BuiltScene]) -> tuple[str, ...]:
    sides = (("before", pair.before), ("after", pair.after))
    return tuple(side for side, scene in sides if scene and scene.failed)


def _is_shown(pair: Pair[BuiltScene], old: BuiltSite, new: BuiltSite) -> IsShown:
    """Tells whether a text shows a value: before, by the first name, or after, by the second."""
    was, now = (scene.name if scene else "" for scene in (pair.before, pair.after))
    return lambda before, after: f"{was}.{before}" in old.shown or f"{now}.{after}" in new.shown


def _values(pair: Pair[BuiltScene], shown: IsShown) -> Iterator[ValueChange]:
    """What became of a scene's values; nothing is known of those of a failed scene."""
    if _failed(pair):
        return
    before, after = (dict(scene.values) if scene else {} for scene in (pair.before, pair.after))
    renamed = _renamed_values(before, after, shown) if pair.before and pair.after else {}
    for name in dict.fromkeys([*after, *before]):
        full = f"{_name(pair)}.{name}"
        if name in renamed:
            yield ValueChange(full, before[renamed[name]], after[name], was=renamed[name], kind="renamed")
        elif name not in before:
            yield ValueChange(full, None, after[name], kind="added")
        elif name not in after:
            if name not in renamed.values():
                yield ValueChange(full, before[name], None, kind="removed")
        elif change := tolerances.change(before[name], after[name], shown=shown(name, name)):
            yield ValueChange(full, before[name], after[name], change.cells)


def _renamed_values(before: Mapping[str, object], after: Mapping[str, object], shown: IsShown) -> dict[str, str]:
    """New names to old ones: those with the same value, the most alike first."""

    def same(old: str, new: str) -> bool:
        return tolerances.change(before[old], after[new], shown=shown(old, new)) is None

    found: dict[str, str] = {}
    pairs = [(new, old) for new in after if new not in before for old in before if old not in after]
    for new, old in sorted(pairs, key=lambda names: -SequenceMatcher(None, *names).ratio()):
        if new not in found and old not in found.values() and same(old, new):
            found[new] = old
    return found


def _names(pair: Pair[BuiltScene], values: Iterable[ValueChange]) -> Iterator[tuple[str, str]]:
    if pair.before and pair.after:
        was = {value.was: value.name for value in values if value.was}
        for name in pair.before.values:
            yield f"{pair.before.name}.{name}", was.get(name, f"{pair.after.name}.{name}")


def _shown_in_pages(both: _Both) -> Iterator[Shown]:
    """Every sentence of the site that changed."""
    for matched in both.matched:
        before, after = (page.texts if page else {} for page in (matched.page.before, matched.page.after))
        yield from _shown(before, after, _slug(matched), both)
        for pair in matched.scenes:
            before, after = _scene_texts(pair)
            yield from _shown(before, after, _name(pair), both)


def _slug(matched: Matched) -> str:
    page = matched.page.after or matched.page.before
    assert page
    return page.slug


def _scene_texts(pair: Pair[BuiltScene]) -> tuple[dict[str, str], ...]:
    """The texts of a scene before and after; of a failed one there are but some, and only these count."""
    texts = [dict(scene.texts) if scene else {} for scene in (pair.before, pair.after)]
    shared = texts[0].keys() & texts[1].keys() if _failed(pair) else texts[0].keys() | texts[1].keys()
    return tuple({field: text for field, text in found.items() if field in shared} for found in texts)


def _shown(before: Mapping[str, str], after: Mapping[str, str], place: str, both: _Both) -> Iterator[Shown]:
    for field in dict.fromkeys([*after, *before]):
        first, second = before.get(field, ""), after.get(field, "")
        if first != second:
            for sentence in word_diff.compare(first, second, both.name, both.changed.__contains__):
                yield Shown(place, field, sentence)


def _page(matched: Matched, both: _Both, shown: tuple[Shown, ...]) -> PageChange:
    before, after = matched.page.before, matched.page.after
    page = after or before
    assert page
    scenes = tuple(scene for pair in matched.scenes if (scene := _scene(pair, matched, both, shown)))
    kind: Kind | None = "added" if not before else "removed" if not after else None
    if before and after:
        kind = "renamed" if before.slug != after.slug else "reordered" if matched.page.reordered else None
    return PageChange(
        slug=page.slug,
        title=page.title,
        kind=kind,
        was=before.slug if before and before.slug != page.slug else "",
        texts=tuple(entry for entry in shown if entry.place == page.slug and word_diff.reworded(entry.sentence)),
        claims=tuple(_claims(before, after, matched, both)),
        quoted=tuple(_quoted(before.quoted if before else {}, after.quoted if after else {})),
        weight=_weight(before, after),
        scenes=scenes,
    )


def _scene(pair: Pair[BuiltScene], matched: Matched, both: _Both, shown: tuple[Shown, ...]) -> SceneChange | None:
    """What differs of a scene; None where nothing does."""
    scene, failed = pair.after or pair.before, _failed(pair)
    assert scene
    names = {value.name for value in both.values[scene.name]}
    change = SceneChange(
        name=scene.name,
        title=scene.title,
        kind=_kind(pair, matched),
        was=pair.before.name if pair.before and pair.before.name != scene.name else "",
        failed=failed,
        values=both.values[scene.name],
        sentences=tuple(entry for entry in shown if names.intersection(word_diff.shows(entry.sentence))),
        picture=None if failed else _picture(pair, both),
        claims=() if failed else tuple(_claims(pair.before, pair.after, matched, both)),
        texts=tuple(entry for entry in shown if entry.place == scene.name and word_diff.reworded(entry.sentence)),
        code=tuple(_own_code(pair, both)),
    )
    return change if change.content or change.kind != "changed" else None


def _kind(pair: Pair[BuiltScene], matched: Matched) -> Kind:
    if not pair.before or not pair.after:
        return "removed" if pair.before else "added"
    if matched.page.before is None or pair.before.slug != matched.page.before.slug:
        return "moved"
    return "renamed" if pair.before.id != pair.after.id else "reordered" if pair.reordered else "changed"


def _picture(pair: Pair[BuiltScene], both: _Both) -> PictureChange | None:
    paths = [scene.picture if scene else None for scene in (pair.before, pair.after)]
    before, after = both.old.file(paths[0]), both.new.file(paths[1])
    if before == after:
        return None
    if before is None or after is None:
        return PictureChange("removed" if after is None else "added", paths[0], paths[1])
    try:
        difference = pixel_diff.compare(before, after)
    except ValueError as error:
        return PictureChange("unreadable", paths[0], paths[1], message=str(error))
    return PictureChange("changed", paths[0], paths[1], difference) if difference else None


def _claims(
    before: BuiltPage | BuiltScene | None, after: BuiltPage | BuiltScene | None, matched: Matched, both: _Both
) -> Iterator[ClaimChange]:
    """Claims added, removed and changed. Beside a failed scene the claims that name it were not judged."""
    old, new = (list(part.claims) if part else [] for part in (before, after))
    old = [_translated(claim, before, after, both) for claim in old]
    pairs = _paired(old, new)
    unknown = {side for pair in matched.scenes for side in _failed(pair)}
    if "before" not in unknown:
        yield from (ClaimChange(None, claim) for claim in new if claim not in [now for _, now in pairs])
    if "after" not in unknown:
        yield from (ClaimChange(claim, None) for claim in old if claim not in [was for was, _ in pairs])
    yield from (ClaimChange(was, now) for was, now in pairs if not _alike(was, now))


def _alike(before: BuiltClaim, after: BuiltClaim) -> bool:
    return replace(before, margin=None) == replace(after, margin=None) and tolerances.same(before.margin, after.margin)


def _paired(old: list[BuiltClaim], new: list[BuiltClaim]) -> list[tuple[BuiltClaim, BuiltClaim]]:
    """The same claim before and after: by its expression, by its words, and last by likeness."""
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
    return SequenceMatcher(None, before.check, after.check).ratio() > ALIKE


def _translated(
    claim: BuiltClaim, before: BuiltPage | BuiltScene | None, after: BuiltPage | BuiltScene | None, both: _Both
) -> BuiltClaim:
    """An earlier claim in the present names of the values."""
    if not before or not after:
        return claim

    def present(match: re.Match[str]) -> str:
        full = match[0] if "/" in match[0] else f"{before.slug}/{match[0]}"
        name = both.names.get(full)
        return match[0] if name is None else name if "/" in match[0] else name.removeprefix(f"{after.slug}/")

    return replace(claim, say=_NAME.sub(present, claim.say), check=_NAME.sub(present, claim.check))


def _own_code(pair: Pair[BuiltScene], both: _Both) -> Iterator[CodeChange]:
    """The diff of the module in which the scene is computed; a file that only moved has none."""
    old, new = (scene.code[0] if scene and scene.code else "" for scene in (pair.before, pair.after))
    if pair.before and pair.after:
        yield from _diff(old, both.old.code.get(old, ""), new, both.new.code.get(new, ""))


def _helpers(both: _Both) -> Iterator[CodeChange]:
    """The diffs of the files that are no scene's own module."""
    pages = (*both.old.pages, *both.new.pages)
    own = {file for page in pages for scene in page.scenes for file in scene.code[:1]}
    for file in sorted({*both.old.code, *both.new.code} - own):
        yield from _diff(file, both.old.code.get(file, ""), file, both.new.code.get(file, ""))


def _diff(old_file: str, old: str, new_file: str, new: str) -> Iterator[CodeChange]:
    if old != new:
        lines = list(unified_diff(old.splitlines(), new.splitlines(), old_file, new_file, n=2, lineterm=""))
        yield CodeChange(new_file or old_file, tuple(lines[2:] if old_file == new_file else lines))


def _quoted(before: Mapping[str, tuple[str, ...]], after: Mapping[str, tuple[str, ...]]) -> Iterator[QuotedChange]:
    for source in dict.fromkeys([*after, *before]):
        old, new = before.get(source, ()), after.get(source, ())
        gone, come = (tuple(entry for entry in one if entry not in other) for one, other in ((old, new), (new, old)))
        if gone or come:
            yield QuotedChange(source, gone, come)


def _weight(before: BuiltPage | None, after: BuiltPage | None) -> tuple[int, int] | None:
    """How heavy a page was and is, if it gained or lost something else than scenes."""
    if not before or not after or before.weight is None or after.weight is None:
        return None
    if len(before.scenes) != len(after.scenes):
        return None
    change, (least, part) = abs(after.weight - before.weight), WEIGHT
    return (before.weight, after.weight) if change > least and change > part * before.weight else None
