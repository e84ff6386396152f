"""The words that all forms of a report share: the headline, rows for values, phrases for claims and pictures."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scenebook.core import number_format
from scenebook.core.value_reference import without_scene
from scenebook.review import _alignment as alignment
from scenebook.review import _value_diff as value_diff
from scenebook.review._differences import (
    ChangedSentence,
    ClaimChange,
    Differences,
    FileChange,
    MarkupChange,
    PictureChange,
    Pictures,
    Quiet,
    Review,
    SceneChange,
    ValueChange,
    WordsChange,
)
from scenebook.review._settings_diff import SettingPicture, SettingsChange, SettingValue

LOOKS_THE_SAME = "It looks the same, in a window of 900 by 2,400 pixels with light colours."
WITHIN = "within what another seed gives"
CLIP = 200
"""The longest text that is not cut off, in characters."""
CLAIM = {
    "added": "new",
    "removed": "removed",
    "weakened": "lets more pass",
    "fails": "now fails",
    "holds": "holds again",
    "changed": "changed",
    "margin": "margin",
}


@dataclass(frozen=True)
class Row:
    """A row of the table of values, as text; `note` has further details."""

    name: str
    before: str
    after: str
    change: str = ""
    relative: str = ""
    note: str = ""
    grid: tuple[tuple[float, ...], ...] = ()


def headline(review: Review) -> str:
    """Return the report in one line, such as "2 scenes changed, 5 values, 1 claim now fails; 14 scenes unchanged"."""
    differences = review.differences
    parts = [*_failures(review), *_scenes(differences), *_values_and_claims(differences), *_pages_and_code(differences)]
    if not review.comparable:
        return f"{', '.join(parts)}; nothing can be compared"
    unchanged = f"{_count(len(differences.unchanged), 'scene')} unchanged"
    return f"{', '.join(parts) or 'no changes'}; {unchanged}"


def _failures(review: Review) -> Iterator[str]:
    for side in (review.before, review.after):
        if side.failed:
            yield f"the build of {side.name} fails"


def _scenes(differences: Differences) -> Iterator[str]:
    scenes = differences.scenes
    failed = sum("after" in scene.failed for scene in scenes)
    changed = sum(scene.content and not scene.failed and scene.kind not in ("added", "removed") for scene in scenes)
    counts = {"fails" if failed == 1 else "fail": failed, "changed": changed}
    counts |= {
        kind: sum(scene.kind == kind for scene in scenes)
        for kind in ("added", "removed", "moved", "renamed", "reordered")
    }
    positive = [(kind, count) for kind, count in counts.items() if count]
    for index, (kind, count) in enumerate(positive):
        yield f"{count} {kind}" if index else f"{_count(count, 'scene')} {kind}"


def _values_and_claims(differences: Differences) -> Iterator[str]:
    scenes = [scene for scene in differences.scenes if scene.kind not in ("added", "removed")]
    if values := sum(len(scene.values) for scene in scenes):
        yield _count(values, "value")
    if settings := sum(scene.settings is not None for scene in scenes):
        yield f"settings of {_count(settings, 'scene')}"
    if pictures := sum(scene.picture is not None for scene in scenes):
        yield _count(pictures, "figure")
    kinds = [claim.kind for claim in differences.claims]
    if failing := kinds.count("fails"):
        yield f"{_count(failing, 'claim')} now {'fails' if failing == 1 else 'fail'}"
    for kind in ("removed", "weakened"):
        if count := kinds.count(kind):
            yield f"{_count(count, 'claim')} {kind}"
    if others := sum(kind in ("holds", "changed") for kind in kinds):
        yield f"{_count(others, 'claim')} changed"


def _pages_and_code(differences: Differences) -> Iterator[str]:
    for kind in ("added", "removed", "renamed", "reordered"):
        if count := sum(page.kind == kind for page in differences.pages):
            yield f"{_count(count, 'page')} {kind}"
    if count := sum(page.own and not page.kind for page in differences.pages):
        yield f"{_count(count, 'page')} changed outside {'its' if count == 1 else 'their'} scenes"
    if differences.code:
        yield _count(len(differences.code), "shared file")
    if differences.texts:
        yield "the site's own texts"
    yield from _published(differences)


def _published(differences: Differences) -> Iterator[str]:
    if words := _paths(differences.words):
        yield f"other words of {_count(len(words), 'page')}"
    if markup := _paths(differences.markup):
        yield f"the markup of {_count(len(markup), 'page')}"
    if differences.files:
        yield _count(len(differences.files), "other file")


def _paths(changes: Iterable[WordsChange | MarkupChange]) -> set[str]:
    return {path for change in changes for path in change.pages}


def quiet(found: Quiet) -> str:
    """Say how many differences do not matter; empty if there are none."""
    within = {"value": found.values, "shown number": found.numbers, "file": found.files}
    parts = [_count(count, noun) for noun, count in within.items() if count]
    texts = [f"within the tolerances: {', '.join(parts)}"] if parts else []
    texts += [f"renumbered: {_count(found.renumbered, 'place')}"] if found.renumbered else []
    return "; ".join(texts)


def only_margins(differences: Differences) -> str:
    """Count the claims of which nothing but the margin changed."""
    return f"only the margin of {_count(len(differences.margins), 'claim')} changed"


def pages(paths: Sequence[str], limit: int = 6) -> str:
    """Name the pages of a change, as readers address them."""
    names = [path.removesuffix("index.html").removesuffix("/") or "the index" for path in paths]
    more = [f"{len(names) - limit} more"] if len(names) > limit else []
    *first, last = [*names[:limit], *more] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def looks(pictures: Pictures) -> str:
    """Say which pages look different after a change of styles, scripts or markup; empty if none was reached."""
    different = [page.path for page in pictures.pages if page.before]
    same = [page.path for page in pictures.pages if not page.before]
    parts = [f"{pages(different)} {_verb(different, 'looks', 'look')} different"] if different else []
    parts += [f"{pages(same)} {_verb(same, 'looks', 'look')} the same"] if same else []
    parts += [pictures.problem] if pictures.problem else []
    parts += [f"not shown: {pages(pictures.left)}"] if pictures.left else []
    return "; ".join(parts)


def _verb(subjects: Sequence[str], one: str, several: str) -> str:
    return one if len(subjects) == 1 else several


def reach(change: FileChange) -> str:
    """Say which pages load a file; empty if none does."""
    if not change.pages:
        return ""
    return f"loaded by {_count(len(change.pages), 'page')}: {pages(change.pages)}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def rows(scene: SceneChange) -> tuple[Row, ...]:
    """Return a row for each value that changed."""
    return tuple(_row(value) for value in scene.values)


def _row(value: ValueChange) -> Row:
    name = without_scene(value.name)
    if value.kind != "changed":
        note = f"was called {value.was}" if value.was else value.kind
        before, after = (None if value.kind == gone else fact for gone, fact in _sides(value))
        return Row(name, short(before), short(after), note=note)
    if value.cells:
        return _cells_row(name, value.cells)
    if value_diff.is_array(value.before) or value_diff.is_array(value.after):
        return Row(name, short(value.before), short(value.after))
    first, second = (clip(text) for text in value_diff.pair(value.before, value.after))
    change, relative = (measure(value.before, value.after) for measure in (value_diff.difference, value_diff.relative))
    return Row(name, first, second, change, relative, note=WITHIN if value.within else "")


def also(entry: ChangedSentence) -> str:
    """Name the other places of a sentence."""
    more = [f"{len(entry.also) - 2} more places"] if len(entry.also) > 2 else []
    return f"also in {', '.join([*entry.also[:2], *more])}"


def cause(scene: SceneChange) -> str:
    """Name the data files that made a scene change; empty if there are none."""
    more = [f"{len(scene.inputs) - 5} more files"] if len(scene.inputs) > 5 else []
    return f"Data that changed: {', '.join([*scene.inputs[:5], *more])}" if scene.inputs else ""


def settings_rows(change: SettingsChange) -> tuple[Row, ...]:
    """Return a row for each value that changed at some setting, with what it is where it changed most."""
    return tuple(_setting_row(value, change.common) for value in change.values)


def _setting_row(value: SettingValue, common: int) -> Row:
    row = _row(ValueChange(value.name, value.before, value.after))
    return replace(row, note=f"{_at_settings(value.changed, common)}, most at {value.where}")


def _at_settings(changed: int, common: int) -> str:
    return f"changed at {changed:,} of {common:,} settings"


def setting_picture(picture: SettingPicture, common: int) -> str:
    """Describe the change of a panel at the settings of its scene in a phrase."""
    return f"{_at_settings(picture.changed, common)}; shown at {picture.where}"


def points(change: SettingsChange) -> str:
    """Return the points and controls that were added and removed; empty if there are none."""
    parts = [f"added: {', '.join(change.added)}" if change.added else ""]
    parts += [f"removed: {', '.join(change.removed)}" if change.removed else ""]
    return clip("; ".join(filter(None, parts)))


def _sides(value: ValueChange) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("added", value.before), ("removed", value.after)


def _cells_row(name: str, cells: value_diff.ArrayDifference) -> Row:
    if cells.reshaped:
        return Row(name, _shape(cells.shape_before), _shape(cells.shape_after), note="shape changed")
    moved = _aligned(cells)
    if moved and not cells.differ:
        note = f"{moved}; the other cells are the same"
        return Row(name, _shape(cells.shape_before), _shape(cells.shape_after), note=note)
    first, second = (clip(text) for text in value_diff.pair(cells.before, cells.after))
    change, relative = (measure(cells.before, cells.after) for measure in (value_diff.difference, value_diff.relative))
    others = f"{cells.total:,} {'other ' if moved else ''}cells"
    differ = (
        f"{moved}{'; ' if moved else ''}{cells.differ:,} of {others} {'differs' if cells.differ == 1 else 'differ'}"
    )
    note = f"{differ}, most at [{', '.join(map(str, cells.at))}]{', in sign only' if cells.signs_only else ''}"
    return Row(name, first, second, change, relative, note, cells.grid)


def _aligned(cells: value_diff.ArrayDifference) -> str:
    """Say which rows or columns were added and removed; empty if none were."""
    parts = (alignment.in_words(cells.added, "added"), alignment.in_words(cells.removed, "removed"))
    return "; ".join(filter(None, parts))


def short(fact: Any) -> str:
    """Return a fact as a short text; empty for None."""
    if value_diff.is_array(fact):
        return _shape(value_diff.shape(fact))
    return clip(fact if isinstance(fact, str) else "" if fact is None else number_format.show(fact))


def _shape(shape: Iterable[int]) -> str:
    return f"{' × '.join(map(str, shape))} cells"


def clip(text: str, length: int = CLIP) -> str:
    """Return a text on one line, cut off if it is long."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def by_importance(claims: Iterable[ClaimChange]) -> list[ClaimChange]:
    """Sort claims: those that now fail come first, those with only a new margin last."""
    order = ["fails", "removed", "weakened", "holds", "changed", "added", "margin"]
    return sorted(claims, key=lambda change: order.index(change.kind))


def margins(change: ClaimChange) -> tuple[str, str]:
    """Return the margin of a claim before and after, each empty if it is unknown; both empty if they are equal."""
    before, after = (claim.margin if claim else None for claim in (change.before, change.after))
    if before is not None and after is not None:
        return ("", "") if value_diff.same(before, after) else value_diff.pair(before, after)
    return tuple("" if margin is None else number_format.show(margin, ".4g") for margin in (before, after))  # type: ignore[return-value]


def picture(change: PictureChange) -> str:
    """Describe the change of a figure in a phrase."""
    difference = change.difference
    if change.kind != "changed" or difference is None:
        return {"added": "new figure", "removed": "figure removed"}.get(change.kind, change.message)
    parts = []
    if difference.size_before != difference.size_after:
        sizes = (f"{width}×{height}" for width, height in (difference.size_before, difference.size_after))
        parts.append(f"size {' → '.join(sizes)} pixels")
    if difference.box:
        left, top, right, bottom = difference.box
        place = f"columns {left} to {right - 1} and rows {top} to {bottom - 1}"
        parts.append(f"{difference.differ:,} of {difference.shared:,} pixels differ, within {place}")
    return "; ".join(parts)
