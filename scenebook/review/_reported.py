"""What the comparison of facts has reported, so that the comparison of finished pages does not repeat it.

A page repeats what its facts say: a title stands in the contents, in the head and on other pages, a value in tables and
drawings. A difference of a page is told already if it follows from what was reported.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby

from scenebook.core.value_reference import without_scene
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import BuiltSite
from scenebook.review._differences import ChangedSentence, ClaimChange, CodeChange, PageChange, SceneChange
from scenebook.review._page_reader import CODE, read_page
from scenebook.review._word_diff import Piece, Sentence, Token

SIDES = ("gone", "new")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"[^\w?]*(?:[-−+]?\d[-−+\d.,×⁰¹²³⁴⁵⁶⁷⁸⁹⁻eE%]*|NaN|[-−]?inf|true|false|\?)[^\w]*")
_MARGIN = ("holds", "fails", "margin")
"""What a page says of a claim."""
_PLACES = ("added", "removed", "moved", "renamed", "reordered")


@dataclass(frozen=True)
class Reported:
    """What was reported, by side (`gone` and `new`).

    `runs` are the words that changed. `code` is the text of changed files, without spaces. `computed` has the scenes
    with changed results, each with the words among these, and `whole` the scenes of which everything is reported,
    such as a new one. `counts` has the words with which a page says how many figures it has. `titles` are those in
    lists of pages and scenes that have other entries now, or another order (`reordered`). `addresses` are parts of
    the addresses of what changed. `claims_of` are the pages whose own claims changed, `drawn` the scenes whose
    results or figures did, and `named` all pages and scenes with a difference. `tags` are those of texts.
    """

    runs: Mapping[str, frozenset[str]]
    code: Mapping[str, str]
    computed: Mapping[str, frozenset[str]]
    whole: frozenset[str]
    counts: Mapping[str, Mapping[str, frozenset[str]]]
    titles: frozenset[str]
    addresses: frozenset[str]
    reordered: bool
    claims_of: frozenset[str]
    drawn: frozenset[str]
    named: frozenset[str]
    tags: frozenset[str]
    anything: bool

    def __bool__(self) -> bool:
        return self.anything

    def tells(self, sentence: Sentence, page: str, moved: frozenset[str] = frozenset()) -> bool:
        """Whether a changed sentence of a page was reported. `moved` are its words that it has elsewhere."""
        texts = [_side(sentence, side) for side in SIDES]
        if any(_contains(text, title) for text in texts for title in self.titles):
            return True
        return all(self._tells_run(side, run, page, moved) for side, run in runs(sentence))

    def _tells_run(self, side: str, run: tuple[Token, ...], page: str, moved: frozenset[str]) -> bool:
        if run[0].place in self.whole or (self.reordered and any(normal(run) in other for other in moved)):
            return True
        links, words = [token for token in run if _is_link(token)], [token for token in run if not _is_link(token)]
        if not all(any(name in link.text for name in self.addresses) for link in links):
            return normal(run) in self.runs[side]
        return not words or self._tells_words(side, words, page, moved)

    def _tells_words(self, side: str, words: list[Token], page: str, moved: frozenset[str]) -> bool:
        text, place = normal(words), words[0].place
        if text in self.runs[side] or (self.reordered and any(text in other for other in moved)):
            return True
        if all(word.key.startswith(CODE) for word in words) and squeezed(words) in self.code[side]:
            return True
        known = self.computed.get(place, frozenset())
        computed = place in self.computed or (not place and page in self.claims_of)
        return computed and all(is_number(word) or normal([word]) in known for word in words)

    def is_count(self, sentence: Sentence, page: str) -> bool:
        """Whether only numbers changed that a page tells of itself, such as how many figures it has."""
        known = self.counts.get(page, {})
        same = {normal([piece.token]) for piece in sentence if piece.kind == "same"}
        return all(
            all(normal([word]) in known.get(side, frozenset()) | same for word in run)
            or (self.reordered and all(map(is_number, run)))
            for side, run in runs(sentence)
        )


def runs(sentence: Sentence) -> Iterator[tuple[str, tuple[Token, ...]]]:
    """Yield the runs of removed and of added words, without the changed numbers of values, which are reported."""
    for kind, pieces in groupby(sentence, key=lambda piece: piece.kind):
        if kind in SIDES:
            yield kind, tuple(piece.token for piece in pieces)


def _contains(text: str, part: str) -> bool:
    return f" {part} " in f" {text} "


def _is_link(word: Token) -> bool:
    return word.quiet or "/" in word.text


def is_number(word: Token) -> bool:
    """Whether a word is a number, a truth value or what stands for an unknown number."""
    return _NUMBER.fullmatch(word.text) is not None


def normal(words: Iterable[Token]) -> str:
    """Return words as text without punctuation, if there is anything else."""
    text = " ".join(word.text for word in words)
    return " ".join(_WORD.findall(text)) or text


def squeezed(words: Iterable[Token]) -> str:
    """Return words without any space."""
    return "".join("".join(word.text.split()) for word in words)


def _side(sentence: Sentence, side: str) -> str:
    tokens = (_token(piece, side) for piece in sentence)
    return normal(token for token in tokens if token and not token.quiet)


def _token(piece: Piece, side: str) -> Token | None:
    if piece.kind == "value":
        return piece.before if side == "gone" else piece.token
    return piece.token if piece.kind in ("same", side) else None


def reported(
    sites: tuple[BuiltSite, BuiltSite],
    pages: tuple[PageChange, ...],
    texts: Iterable[ChangedSentence],
    code: Iterable[CodeChange],
    margins: Iterable[ClaimChange] = (),
) -> Reported:
    """Return what is reported by the differences of facts."""
    scenes = [scene for page in pages for scene in page.scenes]
    told = [*_sentences(pages, texts), *_claim_sentences(pages)]
    changed = {change.file for scene in scenes for change in scene.code} | {change.file for change in code}
    closer = {change.place for change in margins}
    kinds = {*(page.kind for page in pages), *(scene.kind for scene in scenes)}
    return Reported(
        runs={side: frozenset(_all_runs(told, side)) | _quoted(pages, side) for side in SIDES},
        code={side: _code(site, changed) for side, site in zip(SIDES, sites, strict=True)},
        computed={place: frozenset(_MARGIN) for place in closer}
        | {scene.name: frozenset((*_words(scene), *_MARGIN)) for scene in scenes if _computed(scene)},
        whole=frozenset(scene.name for scene in scenes if scene.kind in _PLACES or scene.failed),
        counts=_counts(sites),
        titles=frozenset(filter(None, _titles(sites, pages))),
        addresses=frozenset(_addresses(pages)),
        reordered=not kinds.isdisjoint(_PLACES),
        claims_of=frozenset(page.slug for page in pages if page.claims) | closer,
        drawn=frozenset(scene.name for scene in scenes if scene.values or scene.picture or scene.settings),
        named=frozenset((*(page.slug for page in pages), *(scene.name for scene in scenes))),
        tags=frozenset(_tags(sites)),
        anything=bool(pages or changed or told or closer),
    )


def _sentences(pages: Iterable[PageChange], texts: Iterable[ChangedSentence]) -> Iterator[Sentence]:
    for page in pages:
        yield from (entry.sentence for entry in page.texts)
        for scene in page.scenes:
            yield from (entry.sentence for entry in (*scene.sentences, *scene.texts))
    yield from (entry.sentence for entry in texts)


def _claim_sentences(pages: Iterable[PageChange]) -> Iterator[Sentence]:
    for page in pages:
        for change in (*page.claims, *(claim for scene in page.scenes for claim in scene.claims)):
            yield from _claim(change)


def _claim(change: ClaimChange) -> Iterator[Sentence]:
    says = (claim.html or escape(claim.say) if claim else "" for claim in (change.before, change.after))
    checks = (f"<code>{escape(claim.check)}</code>" if claim else "" for claim in (change.before, change.after))
    for before, after in (says, checks):
        yield from word_diff.compare(before, after, lambda name: name, lambda _: True)


def _all_runs(told: Iterable[Sentence], side: str) -> Iterator[str]:
    for sentence in told:
        for kind, tokens in word_diff.runs(sentence):
            if kind == side:
                yield normal(tokens)
                yield normal(token for token in tokens if not token.quiet)


def _quoted(pages: Iterable[PageChange], side: str) -> frozenset[str]:
    found = [change for page in pages for change in page.quoted]
    texts = [text for change in found for text in (*(change.gone if side == "gone" else change.new), change.source)]
    return frozenset(normal(word_diff.tokens(escape(text))) for text in texts)


def _code(site: BuiltSite, changed: Iterable[str]) -> str:
    return "\n".join("".join(site.code.get(file, "").split()) for file in sorted(changed))


def _computed(scene: SceneChange) -> bool:
    return bool(scene.values or scene.picture or scene.settings or scene.claims or scene.code)


def _words(scene: SceneChange) -> Iterator[str]:
    """Yield the words among the changed values of a scene: their names, texts and lists of texts."""
    for value in scene.values:
        names = {without_scene(value.name): scene.name, value.was: scene.was or scene.name}
        in_claims = [f"{of.partition('/')[2]}.{name}" for name, of in names.items() if name]
        yield from _each_word([*names, *in_claims, value.before, value.after])
    if scene.settings:
        yield from _each_word([*scene.settings.added, *scene.settings.removed])


def _each_word(found: object) -> Iterator[str]:
    if isinstance(found, list):
        for item in found:
            yield from _each_word(item)
    elif isinstance(found, str):
        yield from (normal([token]) for token in word_diff.tokens(escape(found)))


def _counts(sites: tuple[BuiltSite, BuiltSite]) -> dict[str, dict[str, frozenset[str]]]:
    found: dict[str, dict[str, frozenset[str]]] = {}
    for side, site in zip(SIDES, sites, strict=True):
        for page in site.pages:
            words = (word for noun, count in page.counts.items() for word in (str(count), noun, noun.removesuffix("s")))
            found.setdefault(page.slug, {})[side] = frozenset(words)
    return found


def _titles(sites: Iterable[BuiltSite], changed: Iterable[PageChange]) -> Iterator[str]:
    kinds = {page.kind for page in changed} - {None}
    for page in (page for site in sites for page in site.pages if kinds):
        yield from (_plain(page.title), _plain(page.texts.get("summary", "")))
    for change in changed:
        yield normal(word_diff.tokens(change.was))
        yield from (_plain(scene.title) for scene in change.scenes if scene.kind in _PLACES)


def _plain(markup: str) -> str:
    return normal(token for token in word_diff.tokens(markup) if not token.quiet)


def _tags(sites: Iterable[BuiltSite]) -> Iterator[str]:
    """Yield the shapes of all tags in texts, which are not markup of templates."""
    for page in (page for site in sites for page in site.pages):
        for texts in (page.texts, *(scene.texts for scene in page.scenes)):
            yield from (tag.shape for text in texts.values() for tag in read_page(text, {}).tags)


def _addresses(pages: Iterable[PageChange]) -> Iterator[str]:
    """Yield what the addresses of everything that changed contain."""
    for page in pages:
        yield from (f"{slug}/" for slug in (page.slug, page.was) if slug and page.kind)
        for scene in page.scenes:
            yield from (name.partition("/")[2] for name in (scene.name, scene.was) if name)
