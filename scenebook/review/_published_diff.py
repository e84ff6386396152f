"""Compare two built sites file by file, so that no difference that a reader could see is left out.

Facts are compared elsewhere, and what was reported there is not repeated. What is left are the words of templates, the
markup of pages, styles, scripts and any other file. A difference that is within the tolerances, or is nothing but a
number that counts something, is counted.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import SequenceMatcher, unified_diff
from functools import cache
from html import unescape

from scenebook.review import _file_diff as file_diff
from scenebook.review import _page_reader as page_reader
from scenebook.review import _value_diff as value_diff
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import FACTS, BuiltSite
from scenebook.review._differences import FileChange, Kind, MarkupChange, Quiet, WordsChange
from scenebook.review._page_reader import ReadPage
from scenebook.review._reported import Reported, is_number, normal, runs
from scenebook.review._word_diff import Sentence, Token

FEEDS = ("feed.xml", "sitemap.xml")
LISTS = ("files.json", FACTS)
"""What lists the other files or repeats them, so that any difference in them is reported elsewhere."""
MAX_TAGS = 24
"""The most lines of a diff of markup."""

_DIGITS_AFTER_POINT = re.compile(r"[-−+]?\d+(?:\.(\d*))?")
_STYLE = re.compile(r' style="[^"]*"')
_INLINE = re.compile(r'<(?:span|code|small|em|strong|b|i)(?: class="[^"]*")?>')
"""What only marks words, which are compared as words."""
_DRAWING = re.compile(r"(?s)<svg\b.*?</svg>")
Sides = tuple[bytes | None, bytes | None]
"""The content of a file before and after, None where there is none."""


@dataclass(frozen=True)
class Names:
    """The new names of what the old site has: pages by slug, scenes and values by full name.

    `changed` are the values that changed, and `noisy` the scenes with values that differ within the tolerances.
    """

    pages: Mapping[str, str]
    scenes: Mapping[str, str]
    value: Callable[[str], str]
    changed: frozenset[str]
    noisy: frozenset[str]


@dataclass(frozen=True)
class Published:
    """The differences of the published files that were not reported as those of facts."""

    words: tuple[WordsChange, ...] = ()
    markup: tuple[MarkupChange, ...] = ()
    files: tuple[FileChange, ...] = ()
    quiet: Quiet = Quiet()


@dataclass(frozen=True)
class _Page:
    """A page that differs: its words that were not reported, and whether anything of it was."""

    path: str
    sides: tuple[str, str]
    read: tuple[ReadPage, ReadPage]
    words: tuple[Sentence, ...]
    told: bool
    quiet: Quiet


def compare(sites: tuple[BuiltSite, BuiltSite], names: Names, reported: Reported) -> Published:
    """Return what differs between the files of two sites and was not reported."""
    differing = _differing(sites, names)
    pages = [page for path in differing if (page := _page(path, differing[path], sites, names, reported))]
    markup, same = _markup(pages, sites, reported)
    files, alike = _files({path: differing[path] for path in differing if path not in LISTS}, sites, names, reported)
    quiet = sum((page.quiet for page in pages), Quiet(files=same + alike))
    found = Published(_grouped(pages), markup, files, quiet)
    if reported or found.words or found.markup or found.files or quiet:
        return found
    unrecorded = any(site.unrecorded for site in sites)  # then facts.json differs, and the review says why
    return replace(
        found,
        files=tuple(_change(path, sides) for path, sides in differing.items() if not unrecorded or path != FACTS),
    )


def _differing(sites: tuple[BuiltSite, BuiltSite], names: Names) -> dict[str, Sides]:
    """Return both contents of each file that differs, by its path in the new site."""
    old = {_new_path(path, names): path for path in sites[0].paths}
    pairs = {path: (sites[0].file(old.get(path)), sites[1].file(path)) for path in sorted({*old, *sites[1].paths})}
    return {path: pair for path, pair in pairs.items() if pair[0] != pair[1]}


def _new_path(path: str, names: Names) -> str:
    scene = _scene_of(path, names.scenes)
    slug, slash, rest = path.partition("/")
    return f"{names.scenes[scene]}{path[len(scene) :]}" if scene else f"{names.pages.get(slug, slug)}{slash}{rest}"


def _scene_of(path: str, scenes: Iterable[str]) -> str:
    """Return the full name of the scene that a file belongs to; empty if there is none."""
    return max((name for name in scenes if path.startswith((f"{name}.", f"{name}-"))), key=len, default="")


# Pages


def _page(
    path: str, sides: Sides, sites: tuple[BuiltSite, BuiltSite], names: Names, reported: Reported
) -> _Page | None:
    """Compare a page; None if it is not a page, is on one side only, or differs only in the versions of its files."""
    if not path.endswith(".html") or sides[0] is None or sides[1] is None:
        return None
    texts = [page_reader.VERSION.sub("", side.decode(errors="replace")) for side in sides if side is not None]
    if texts[0] == texts[1]:
        return None
    slug = path.removesuffix("/index.html")
    scenes = [_anchors(site, slug, names) for site in sites]
    before, after = (page_reader.read_page(text, known) for text, known in zip(texts, scenes, strict=True))
    changed, quiet = _changed_words(before, after, names)
    moved = frozenset(_moved(changed))
    untold = [sentence for sentence in changed if not reported.tells(sentence, slug, moved)]
    counts = [sentence for sentence in untold if reported.is_count(sentence, slug)]
    rounded = [sentence for sentence in untold if sentence not in counts and _is_rounding(sentence, names)]
    return _Page(
        path,
        (texts[0], texts[1]),
        (before, after),
        tuple(sentence for sentence in untold if sentence not in counts and sentence not in rounded),
        told=_is_told_of(slug, scenes[1], reported) or bool(changed),
        quiet=quiet + Quiet(numbers=len(rounded), renumbered=len(counts)),
    )


def _is_told_of(slug: str, scenes: Mapping[str, str], reported: Reported) -> bool:
    """Whether a difference of a page was reported, or is one of a list of pages that has other entries now."""
    return slug in reported.named or any(scene in reported.named for scene in scenes.values()) or reported.reordered


def _anchors(site: BuiltSite, slug: str, names: Names) -> dict[str, str]:
    """Return the new names of the scenes of a page by the ids of their elements."""
    scenes = (scene for page in site.pages if names.pages.get(page.slug, page.slug) == slug for scene in page.scenes)
    return {scene.id.replace("_", "-"): names.scenes.get(scene.name, scene.name) for scene in scenes}


def _changed_words(before: ReadPage, after: ReadPage, names: Names) -> tuple[list[Sentence], Quiet]:
    """Return the sentences of a page that changed, and count the numbers that do not matter."""
    old = page_reader.sentences([word_diff.renamed(word, names.value) for word in before.words])
    new = page_reader.sentences(after.words)
    before_keys, after_keys = ([tuple(word.key for word in sentence) for sentence in side] for side in (old, new))
    changed: list[Sentence] = []
    quiet = Quiet()
    matcher = SequenceMatcher(None, before_keys, after_keys, max(len(old), len(new)) > word_diff.LONG)
    for kind, start, end, first, last in matcher.get_opcodes():
        words = [word for sentence in old[start:end] for word in sentence]
        others = [word for sentence in new[first:last] for word in sentence]
        if kind == "equal":
            pairs = [(one, other) for one, other in zip(words, others, strict=True) if one.text != other.text]
            quiet += _quiet_numbers(pairs, names)
            words, others = (words, others) if pairs else ([], [])
        changed += word_diff.compare_tokens(words, others, names.changed.__contains__)
    return changed, quiet


def _quiet_numbers(pairs: Iterable[tuple[Token, Token]], names: Names) -> Quiet:
    """Count the numbers of footnotes, and those of values that changed only within the tolerances."""
    notes = values = 0
    for before, after in pairs:
        notes += not after.names
        rounded = before.value != after.value and not names.changed.intersection(after.names)
        values += bool(after.names) and rounded and word_diff.UNKNOWN not in (before.text, after.text)
    return Quiet(numbers=values, renumbered=notes)


def _moved(changed: Iterable[Sentence]) -> set[str]:
    """Return the runs of words that a page had at one place and has at another, where it may have more of them."""
    found: dict[str, set[str]] = {"gone": set(), "new": set()}
    for sentence in changed:
        for side, words in runs(sentence):
            found[side].add(normal(words))
    sides = (("gone", "new"), ("new", "gone"))
    return {text for side, other in sides for text in found[side] if any(text in longer for longer in found[other])}


def _is_rounding(sentence: Sentence, names: Names) -> bool:
    """Whether only the last digits of numbers differ, in a scene whose values differ within the tolerances."""
    found: dict[str, list[Token]] = {"gone": [], "new": []}
    for side, words in runs(sentence):
        found[side] += words
    gone, new = found["gone"], found["new"]
    in_noise = all(word.place in names.noisy and is_number(word) for word in (*gone, *new))
    return in_noise and len(gone) == len(new) and all(map(_rounded, gone, new))


def _rounded(before: Token, after: Token) -> bool:
    """Whether two numbers are within the tolerances, or have as many digits and differ by one in the last digit."""
    texts = before.text.strip("()[],;:"), after.text.strip("()[],;:")
    with suppress(ValueError):
        if value_diff.same(*(float(text.replace("−", "-")) for text in texts)):
            return True
    found = [_DIGITS_AFTER_POINT.fullmatch(text) for text in texts]
    if not found[0] or not found[1]:
        return False
    digits = [len(match[1] or "") for match in found if match]
    first, second = (float(text.replace("−", "-")) for text in texts)
    return digits[0] == digits[1] and abs(first - second) < 1.5 * 10 ** -digits[0]


def _grouped(pages: Iterable[_Page]) -> tuple[WordsChange, ...]:
    """Return each changed sentence once, with all pages that have it."""
    found: dict[tuple[object, ...], tuple[Sentence, list[str]]] = {}
    for page in pages:
        for sentence in page.words:
            key = tuple((piece.kind, piece.token.text) for piece in sentence)
            paths = found.setdefault(key, (sentence, []))[1]
            paths += [page.path] if page.path not in paths else []
    return tuple(WordsChange(sentence, tuple(paths)) for sentence, paths in found.values())


# Markup


def _markup(
    pages: Sequence[_Page], sites: tuple[BuiltSite, BuiltSite], reported: Reported
) -> tuple[tuple[MarkupChange, ...], int]:
    """Return the changes of markup, each with its pages, and the number of pages that differ within the tolerances.

    On a page with other changes, only kinds of tags count that the site did not have before, or has no longer.
    """
    shapes = [{tag.shape for page in pages for tag in page.read[side].tags} for side in (0, 1)]
    found: dict[tuple[str, ...], list[str]] = {}
    same = 0
    for page in pages:
        lines = _new_shapes(page, shapes, reported)
        if not lines and not page.told and not page.quiet:
            lines = _other_markup(page, reported)
            same += not lines and not reported.drawn
        if lines:
            found.setdefault(lines, []).append(page.path)
    return tuple(MarkupChange(lines, tuple(paths)) for lines, paths in found.items()), same


def _new_shapes(page: _Page, shapes: Sequence[set[str]], reported: Reported) -> tuple[str, ...]:
    lines = []
    for mark, side, other in (("-", 0, 1), ("+", 1, 0)):
        unknown = (tag for tag in page.read[side].tags if tag.shape not in shapes[other] | reported.tags)
        new = (tag for tag in unknown if tag.place not in reported.whole)
        drawn = {_STYLE.sub("", shape) for shape in shapes[other]}
        lines += [
            f"{mark} {tag.shape}"
            for tag in dict.fromkeys(new)
            if tag.place not in reported.drawn or _STYLE.sub("", tag.shape) not in drawn
            if tag.place not in reported.computed or not _INLINE.fullmatch(tag.shape)
        ]
    return _clipped(dict.fromkeys(lines))


def _other_markup(page: _Page, reported: Reported) -> tuple[str, ...]:
    """Return how a page differs of which no word does; nothing if only drawings do, as reported or not visibly."""
    old, new = ([tag.text for tag in read.tags] for read in page.read)
    if lines := [line for line in unified_diff(old, new, n=1, lineterm="") if line[:3] not in ("---", "+++")]:
        return _clipped(lines)
    if reported.drawn and len({_DRAWING.sub("", side) for side in page.sides}) == 1:
        return ()
    if file_diff.looks_same(f"{page.path}.svg", *(side.encode() for side in page.sides)):
        return ()
    return file_diff.lines(page.path, *(side.encode() for side in page.sides))


def _clipped(lines: Iterable[str]) -> tuple[str, ...]:
    shown = [line[: file_diff.MAX_LENGTH] for line in lines]
    more = [f"  and {len(shown) - MAX_TAGS} more lines"] if len(shown) > MAX_TAGS else []
    return (*shown[:MAX_TAGS], *more)


# Other files


def _files(
    differing: Mapping[str, Sides], sites: tuple[BuiltSite, BuiltSite], names: Names, reported: Reported
) -> tuple[tuple[FileChange, ...], int]:
    """Return the other files that differ, and the number of those that differ within the tolerances."""
    scenes = {*names.scenes.values(), *(scene.name for page in sites[1].pages for scene in page.scenes)}
    reach = cache(lambda: [_loading(site) for site in sites])
    found: list[FileChange] = []
    alike = 0
    for path, sides in differing.items():
        scene = _scene_of(path, scenes)
        if _is_told(path, scene, sides, reported):
            continue
        before, after = sides
        if scene and before is not None and after is not None and file_diff.looks_same(path, before, after):
            alike += 1
        else:
            loading = reach()[sides[1] is not None]
            found.append(_change(path, sides, tuple(sorted(page for page in loading if _loads(page, path, loading)))))
    return tuple(found), alike


def _is_told(path: str, scene: str, sides: Sides, reported: Reported) -> bool:
    """Whether the difference of a file follows from what was reported, or is that of a page on both sides."""
    before, after = sides
    if path.endswith(".html"):
        return None not in sides or path.removesuffix("/index.html") in reported.named
    if path in FEEDS and before is not None and after is not None:
        return _feed_is_told(before, after, reported)
    if path.endswith("-settings.js"):
        return scene in reported.named
    return scene in reported.whole or scene in reported.drawn


def _feed_is_told(before: bytes, after: bytes, reported: Reported) -> bool:
    """Whether the difference of a feed follows from what was reported."""
    old, new = (page_reader.read_page(unescape(side.decode(errors="replace")), {}) for side in (before, after))
    changed = word_diff.compare_tokens(old.words, new.words, lambda _: True)
    tags = [{tag.shape for tag in side.tags} for side in (old, new)]
    if not reported or (tags[0] ^ tags[1]) - reported.tags:
        return False
    return reported.reordered or all(reported.tells(sentence, "") for sentence in changed)


def _change(path: str, sides: Sides, pages: tuple[str, ...] = ()) -> FileChange:
    kind: Kind = "added" if sides[0] is None else "removed" if sides[1] is None else "changed"
    return FileChange(path, kind, pages, file_diff.lines(path, *sides))


def _loading(site: BuiltSite) -> dict[str, frozenset[str]]:
    """Return the files that each page and style sheet of a site loads."""
    texts = {path: site.file(path) or b"" for path in site.paths if path.endswith((".html", ".css"))}
    return {path: frozenset(page_reader.loads(path, text.decode(errors="replace"))) for path, text in texts.items()}


def _loads(page: str, path: str, loading: Mapping[str, frozenset[str]]) -> bool:
    """Whether a page loads a file, itself or through a style sheet. Some pages have absolute addresses."""
    if not page.endswith(".html"):
        return False
    loaded, waiting = set[str](), [page]
    while waiting:
        for address in loading.get(waiting.pop(), ()):
            known = next((name for name in loading if address.endswith(f"/{name}")), address)
            if known == path or address.endswith(f"/{path}"):
                return True
            if known not in loaded:
                loaded.add(known)
                waiting.append(known)
    return False
