"""What differs between two built sites, as data: the report's content, whatever form it is shown in."""

from dataclasses import dataclass
from typing import Any, Literal

from scenebook.review import _pixel_diff as pixel_diff
from scenebook.review import _tolerances as tolerances
from scenebook.review import _word_diff as word_diff
from scenebook.review._built_site import BuiltClaim

Kind = Literal["changed", "added", "removed", "moved", "renamed", "reordered"]


@dataclass(frozen=True)
class ValueChange:
    """A value by its present name (`was`: its old one): what it was and is, as JSON data, None where it was not."""

    name: str
    before: Any
    after: Any
    cells: tolerances.Cells | None = None
    was: str = ""
    kind: Kind = "changed"


@dataclass(frozen=True)
class Shown:
    """A sentence that changed, and where it stands: page or scene, and field."""

    place: str
    field: str
    sentence: word_diff.Sentence


@dataclass(frozen=True)
class PictureChange:
    """A scene's picture; `message` tells why one cannot be compared."""

    kind: Literal["changed", "added", "removed", "unreadable"]
    before: str | None
    after: str | None
    difference: pixel_diff.Difference | None = None
    message: str = ""


@dataclass(frozen=True)
class ClaimChange:
    """A claim before and after."""

    before: BuiltClaim | None
    after: BuiltClaim | None

    @property
    def kind(self) -> Literal["added", "removed", "fails", "holds", "changed", "margin"]:
        """`fails` and `holds`: now, and before it was the other; `margin`: nothing but its distance from tipping."""
        if self.after is None:
            return "removed"
        if not self.after.holds and (self.before is None or self.before.holds):
            return "fails"
        if self.before is None:
            return "added"
        if self.after.holds != self.before.holds:
            return "holds"
        return "margin" if (self.before.say, self.before.check) == (self.after.say, self.after.check) else "changed"


@dataclass(frozen=True)
class CodeChange:
    """A file of scene code as the lines of a unified diff."""

    file: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class QuotedChange:
    """Numbers that a page repeats from a source: those no longer quoted, and the new ones."""

    source: str
    gone: tuple[str, ...]
    new: tuple[str, ...]


@dataclass(frozen=True)
class SceneChange:
    """What differs of a scene, whose `title` is HTML. `failed` names the sides on which it failed and has no values."""

    name: str
    title: str
    kind: Kind
    was: str = ""
    failed: tuple[str, ...] = ()
    values: tuple[ValueChange, ...] = ()
    sentences: tuple[Shown, ...] = ()
    picture: PictureChange | None = None
    claims: tuple[ClaimChange, ...] = ()
    texts: tuple[Shown, ...] = ()
    code: tuple[CodeChange, ...] = ()

    @property
    def content(self) -> bool:
        """Whether more than its place or name changed."""
        return bool(
            self.failed or self.values or self.sentences or self.picture or self.claims or self.texts or self.code
        )

    @property
    def addresses(self) -> tuple[str, str]:
        """Where it stands in the sites before and after, if it does."""
        return _address(self.was or self.name), _address(self.name)


def _address(name: str) -> str:
    slug, _, scene = name.partition("/")
    return f"{slug}/index.html#{scene.replace('_', '-')}"


@dataclass(frozen=True)
class PageChange:
    """What differs of a page, whose `title` is HTML; `weight` is its size in bytes before and after, where told."""

    slug: str
    title: str
    kind: Kind | None
    was: str = ""
    texts: tuple[Shown, ...] = ()
    claims: tuple[ClaimChange, ...] = ()
    quoted: tuple[QuotedChange, ...] = ()
    weight: tuple[int, int] | None = None
    scenes: tuple[SceneChange, ...] = ()

    @property
    def addresses(self) -> tuple[str, str]:
        """Where it stands in the sites before and after, if it does."""
        return f"{self.was or self.slug}/index.html", f"{self.slug}/index.html"

    @property
    def own(self) -> bool:
        """Whether more than its scenes changed, and its weight by them."""
        return bool(self.kind or self.texts or self.claims or self.quoted or (self.weight and not self.scenes))


@dataclass(frozen=True)
class Side:
    """One of the two sites: its name, and what its build complained about, `failed` if it was more than warnings."""

    name: str
    problems: tuple[str, ...] = ()
    failed: bool = False


@dataclass(frozen=True)
class Package:
    """A pinned package whose version changed; None where it was not pinned."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class Review:
    """A comparison and what was compared; `link` leads to the full report. Not `comparable` are versions of which one
    could not even be read, and then nothing differs.
    """

    before: Side
    after: Side
    differences: "Differences"
    packages: tuple[Package, ...] = ()
    comparable: bool = True
    link: str = ""


@dataclass(frozen=True)
class Differences:
    """All that differs between two sites. `code` are helpers; `unchanged` are the names of the scenes as they were."""

    pages: tuple[PageChange, ...] = ()
    code: tuple[CodeChange, ...] = ()
    texts: tuple[Shown, ...] = ()
    unchanged: tuple[str, ...] = ()

    @property
    def scenes(self) -> tuple[SceneChange, ...]:
        """The scenes that differ, in page order."""
        return tuple(scene for page in self.pages for scene in page.scenes)

    @property
    def claims(self) -> tuple[ClaimChange, ...]:
        """The claims that differ, in page order."""
        found = [[*(claim for scene in page.scenes for claim in scene.claims), *page.claims] for page in self.pages]
        return tuple(claim for claims in found for claim in claims)

    def __bool__(self) -> bool:
        return bool(self.pages or self.code or self.texts)
