"""The differences between two built sites, as data. Every form of the report shows this content."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _value_diff as value_diff
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import BuiltClaim
from scenebook.review._settings_diff import SettingsChange

Kind = Literal["changed", "added", "removed", "moved", "renamed", "reordered"]
ClaimKind = Literal["added", "removed", "weakened", "fails", "holds", "changed", "margin"]


@dataclass(frozen=True)
class ValueChange:
    """A value that changed, under its new name; `was` is its old name if that differs.

    `before` and `after` are JSON data, None if the value did not exist. `cells` compares two arrays. `within` is true
    if the change is within what another seed gives.
    """

    name: str
    before: Any
    after: Any
    cells: value_diff.ArrayDifference | None = None
    was: str = ""
    kind: Kind = "changed"
    within: bool = False


@dataclass(frozen=True)
class ChangedSentence:
    """A sentence that changed, and where it is: the page or scene, and the field.

    `also` lists other places with the same sentence, in words.
    """

    place: str
    field: str
    sentence: word_diff.Sentence
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class PictureChange:
    """A change of a scene's picture. The message of an unreadable one says why it cannot be compared.

    `sizes` are its width and height before and after, as far as they are known.
    """

    kind: Literal["changed", "added", "removed", "unreadable"]
    before: str | None
    after: str | None
    difference: pixel_diff.Difference | None = None
    message: str = ""
    sizes: tuple[pixel_diff.Size | None, pixel_diff.Size | None] = (None, None)


@dataclass(frozen=True)
class ClaimChange:
    """A claim before and after, None if it did not exist. A `weaker` one lets more pass than before.

    `place` is the page or scene that it belongs to.
    """

    before: BuiltClaim | None
    after: BuiltClaim | None
    weaker: bool = False
    place: str = ""

    @property
    def kind(self) -> ClaimKind:
        """What changed. `fails` and `holds` are new results; `margin` means that only the margin changed."""
        if self.after is None:
            return "removed"
        if not self.after.holds and (self.before is None or self.before.holds):
            return "fails"
        if self.before is None:
            return "added"
        if self.weaker:
            return "weakened"
        if self.after.holds != self.before.holds:
            return "holds"
        before, after = (replace(claim, margin=None) for claim in (self.before, self.after))
        return "margin" if before == after else "changed"


@dataclass(frozen=True)
class CodeChange:
    """A changed file of scene code, as the lines of a unified diff."""

    file: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class WordsChange:
    """A changed sentence of templates and lists, and the paths of all pages that have it."""

    sentence: word_diff.Sentence
    pages: tuple[str, ...]


@dataclass(frozen=True)
class MarkupChange:
    """Changed markup, as the lines of a diff, and the paths of all pages that have it."""

    lines: tuple[str, ...]
    pages: tuple[str, ...]


@dataclass(frozen=True)
class FileChange:
    """A changed file of the site, the paths of the pages that load it, and a diff if it is a text."""

    path: str
    kind: Kind
    pages: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quiet:
    """How many differences do not matter.

    `values`, `files` and `numbers` differ within the tolerances, `renumbered` only count something.
    """

    values: int = 0
    files: int = 0
    numbers: int = 0
    renumbered: int = 0

    def __add__(self, other: "Quiet") -> "Quiet":
        return Quiet(
            self.values + other.values,
            self.files + other.files,
            self.numbers + other.numbers,
            self.renumbered + other.renumbered,
        )

    def __bool__(self) -> bool:
        return self != Quiet()


@dataclass(frozen=True)
class QuotedChange:
    """The numbers quoted from a source that a page no longer has, and its new ones."""

    source: str
    gone: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class SceneChange:
    """The differences of a scene; its `title` is HTML.

    `failed` lists the sides ("before", "after") on which the scene failed and so has no values. `inputs` are the data
    files that it read and that differ, if its values or figure do.
    """

    name: str
    title: str
    kind: Kind
    was: str = ""
    failed: tuple[str, ...] = ()
    values: tuple[ValueChange, ...] = ()
    sentences: tuple[ChangedSentence, ...] = ()
    picture: PictureChange | None = None
    claims: tuple[ClaimChange, ...] = ()
    texts: tuple[ChangedSentence, ...] = ()
    code: tuple[CodeChange, ...] = ()
    settings: SettingsChange | None = None
    inputs: tuple[str, ...] = ()

    @property
    def content(self) -> bool:
        """Whether anything other than its place or name changed."""
        computed = self.failed or self.values or self.picture or self.settings or self.claims
        return bool(computed or self.sentences or self.texts or self.code)

    @property
    def addresses(self) -> tuple[str, str]:
        """Its addresses in the sites before and after, if it exists there."""
        return _address(self.was or self.name), _address(self.name)


def _address(name: str) -> str:
    slug, _, scene = name.partition("/")
    return f"{slug}/index.html#{scene.replace('_', '-')}"


@dataclass(frozen=True)
class PageChange:
    """The differences of a page; its `title` is HTML.

    `weight` is the size of its HTML in bytes before and after, or None if that hardly changed.
    """

    slug: str
    title: str
    kind: Kind | None
    was: str = ""
    texts: tuple[ChangedSentence, ...] = ()
    claims: tuple[ClaimChange, ...] = ()
    quoted: tuple[QuotedChange, ...] = ()
    weight: tuple[int, int] | None = None
    scenes: tuple[SceneChange, ...] = ()

    @property
    def addresses(self) -> tuple[str, str]:
        """Its addresses in the sites before and after, if it exists there."""
        return f"{self.was or self.slug}/index.html", f"{self.slug}/index.html"

    @property
    def own(self) -> bool:
        """Whether the page changed outside its scenes. A change of weight counts only if no scene changed."""
        return bool(self.kind or self.texts or self.claims or self.quoted or (self.weight and not self.scenes))


@dataclass(frozen=True)
class PagePictures:
    """A page before and after, as PNGs of the same `size`; both are empty if they look the same."""

    path: str
    size: tuple[int, int] = (0, 0)
    before: bytes = field(default=b"", repr=False)
    after: bytes = field(default=b"", repr=False)

    @property
    def stem(self) -> str:
        """The path of its pictures in a report, without the side."""
        return f"pages/{self.path.removesuffix('.html').replace('/', '--')}"


@dataclass(frozen=True)
class Pictures:
    """The pictures of the pages that a change of styles, scripts or markup reaches.

    `left` are further pages that it reaches. `problem` says why there is no picture.
    """

    pages: tuple[PagePictures, ...] = ()
    left: tuple[str, ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Side:
    """One of the two sites: its name, the problems of its build, and whether the build failed."""

    name: str
    problems: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class Package:
    """A pinned package whose version changed; None if it was not pinned."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Review:
    """A comparison and the two sides that were compared, with pictures of pages; `link` leads to the full report.

    If one side has no site to read, the sides are not `comparable` and there are no differences.
    """

    before: Side
    after: Side
    differences: "Differences"
    packages: tuple[Package, ...] = ()
    comparable: bool = True
    link: str = ""
    pictures: Pictures = Pictures()


@dataclass(frozen=True)
class Differences:
    """All differences between two sites.

    `code` lists the changed files shared by scenes, `texts` the changed texts of the site itself, `words`, `markup` and
    `files` what else differs in the published files, and `unchanged` the names of the unchanged scenes. `margins` are
    claims of which nothing but the margin differs.
    """

    pages: tuple[PageChange, ...] = ()
    code: tuple[CodeChange, ...] = ()
    texts: tuple[ChangedSentence, ...] = ()
    words: tuple[WordsChange, ...] = ()
    markup: tuple[MarkupChange, ...] = ()
    files: tuple[FileChange, ...] = ()
    unchanged: tuple[str, ...] = ()
    margins: tuple[ClaimChange, ...] = ()
    quiet: Quiet = Quiet()

    @property
    def scenes(self) -> tuple[SceneChange, ...]:
        """The scenes that changed, in page order."""
        return tuple(scene for page in self.pages for scene in page.scenes)

    @property
    def claims(self) -> tuple[ClaimChange, ...]:
        """The claims that changed, in page order."""
        by_page = ([*(claim for scene in page.scenes for claim in scene.claims), *page.claims] for page in self.pages)
        return tuple(claim for claims in by_page for claim in claims)

    def __bool__(self) -> bool:
        return bool(self.pages or self.code or self.texts or self.words or self.markup or self.files)
