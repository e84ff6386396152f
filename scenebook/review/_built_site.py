"""Read a built site for a review: its facts.json, its pictures and the sizes of its pages.

Sites built by different engines can be compared. What an older engine did not record is left empty or, if it would look
like a change, left out of the comparison. `unrecorded` says so.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from scenebook.core.facts import FACTS_FORMAT
from scenebook.core.problems import Problem, Problems
from scenebook.core.settings import Settings
from scenebook.page import output
from scenebook.review._value_diff import LargeArray
from scenebook.review._word_diff import plain

FACTS = "facts.json"
PARTS = {"code": "scene code", "texts": "texts of the site"}
"""Parts of facts.json that engines before its first format may not have recorded."""


@dataclass(frozen=True)
class BuiltClaim:
    """A claim and its result; `html` is `say` as the page shows it.

    `at` has the values of controls at which it is checked, empty if it is checked at all, None if that is not known.
    """

    say: str
    check: str
    holds: bool
    margin: float | None
    html: str = field(default="", compare=False)
    at: Mapping[str, Any] | None = None

    @property
    def text(self) -> str:
        """The claim in plain text, as the page shows it."""
        return plain(self.html) or self.say


@dataclass(frozen=True)
class BuiltSettings:
    """The settings of a scene with controls, and its scalars at each of them."""

    settings: Settings
    values: Mapping[str, list[Any]]


@dataclass(frozen=True)
class BuiltScene:
    """A scene as built.

    `title` and `texts` (by field) are HTML. `code` lists the files of its code, its own module first. `panels` has the
    SVG file of each panel. `inputs` has the digests of the data files that it read, by path, or is None if unknown.
    `spreads` has low and high of each number that differs between the runs of a scene that repeats its run.
    """

    slug: str
    id: str
    title: str = ""
    failed: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)
    claims: tuple[BuiltClaim, ...] = ()
    picture: str | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    code: tuple[str, ...] = ()
    panels: Mapping[str, str] = field(default_factory=dict)
    settings: BuiltSettings | None = None
    inputs: Mapping[str, str] | None = None
    spreads: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def script(self) -> str:
        """The file that has the scene at every setting of its controls."""
        return f"{self.slug}/{self.id}-settings.js"

    @property
    def name(self) -> str:
        """The full name of the scene, slug/id."""
        return f"{self.slug}/{self.id}"


@dataclass(frozen=True)
class BuiltPage:
    """A page as built.

    `title` and `texts` (by field) are HTML. `weight` is the size of its HTML file in bytes. `shown` lists the values
    that its texts show, each as `slug/scene.name`. `counts` says how many figures, numbers and claims it has.
    """

    slug: str
    title: str
    texts: Mapping[str, str]
    claims: tuple[BuiltClaim, ...]
    quoted: Mapping[str, tuple[str, ...]]
    scenes: tuple[BuiltScene, ...]
    weight: int | None
    shown: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class BuiltSite:
    """A built site: its pages in order, the text of every file of scene code, and the site's own texts.

    `unrecorded` lists the `PARTS` that its engine did not record.
    """

    folder: Path
    pages: tuple[BuiltPage, ...] = ()
    code: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    unrecorded: tuple[str, ...] = ()

    @cached_property
    def shown(self) -> frozenset[str]:
        """The values that any text of the site shows."""
        return frozenset(name for page in self.pages for name in page.shown)

    @cached_property
    def paths(self) -> tuple[str, ...]:
        """The paths of all its files. Files in its folder that no build wrote are not listed."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        paths = {path.relative_to(self.folder).as_posix() for path in found}
        ours = output.listed(self.folder)
        return tuple(sorted(paths & {*ours, output.LIST} if ours else paths))

    def file(self, path: str | None) -> bytes | None:
        """Return the bytes of one of the site's files; None if there is no such file."""
        try:
            return (self.folder / path).read_bytes() if path else None
        except OSError:
            return None


def read(folder: Path) -> BuiltSite:
    """Read a built site; raises `Problems` if the folder does not contain one, or one of a newer format."""
    try:
        facts = json.loads((folder / FACTS).read_bytes())
        if (found := facts.get("format", 0)) > FACTS_FORMAT:
            message = f"has format {found}, and this Scenebook reads up to {FACTS_FORMAT}; use the one that wrote it"
            raise Problems([Problem(str(folder / FACTS), 0, "format", message)])
        pages = tuple(_page(slug, page, folder) for slug, page in facts["pages"].items())
        unrecorded = tuple(part for part in PARTS if part not in facts)
        return BuiltSite(folder, pages, facts.get("code", {}), facts.get("texts", {}), unrecorded)
    except (OSError, ValueError) as error:
        raise Problems([Problem(str(folder / FACTS), 0, "", f"cannot be read: {error}")]) from None
    except (AttributeError, KeyError, TypeError) as error:
        message = f"was not written by a build that this Scenebook can read: {type(error).__name__}: {error}"
        raise Problems([Problem(str(folder / FACTS), 0, "", message)]) from None


def comparable(site: BuiltSite, other: BuiltSite) -> BuiltSite:
    """Return a site without what the other one did not record."""
    code, texts = ({} if part in other.unrecorded else getattr(site, part) for part in PARTS)
    return replace(site, code=code, texts=texts)


def unrecorded(site: BuiltSite) -> tuple[str, ...]:
    """Return a line that says what cannot be compared; none if the site records everything."""
    parts = " and ".join(PARTS[part] for part in site.unrecorded)
    return (f"built by an older Scenebook, which did not record {parts}; not compared",) if parts else ()


def _page(slug: str, facts: Mapping[str, Any], folder: Path) -> BuiltPage:
    html = folder / slug / "index.html"
    return BuiltPage(
        slug=slug,
        title=facts.get("texts", {}).get("title", "") or escape(facts.get("title", slug)),
        texts=facts.get("texts", {}),
        claims=_claims(facts),
        quoted={source: tuple(numbers) for source, numbers in facts.get("quoted", {}).items()},
        scenes=tuple(_scene(slug, name, scene, folder) for name, scene in facts["scenes"].items()),
        weight=html.stat().st_size if html.is_file() else None,
        shown=tuple(facts.get("shown", ())),
        counts=facts.get("counts", {}),
    )


def _scene(slug: str, name: str, facts: Mapping[str, Any], folder: Path) -> BuiltScene:
    texts = facts.get("texts", {})
    values = {**facts.get("params", {}), **facts.get("values", {})}
    return BuiltScene(
        slug=slug,
        id=name,
        title=texts.get("title", ""),
        failed=facts.get("failed", False),
        values={name: _value(fact, folder) for name, fact in values.items()},
        claims=_claims(facts),
        picture=facts.get("figure", {}).get("png"),
        texts=texts,
        code=tuple(facts.get("code", ())),
        panels={name: panel["svg"] for name, panel in facts.get("figure", {}).get("panels", {}).items()},
        settings=_settings(facts["settings"]) if "settings" in facts else None,
        inputs=facts.get("inputs"),
        spreads=_spreads(facts.get("repeat", {"values": {}})),
    )


def _spreads(facts: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    return {name: (over["low"], over["high"]) for name, over in facts["values"].items()}


def _settings(facts: Mapping[str, Any]) -> BuiltSettings:
    points = {param: tuple(values) for param, values in facts["controls"].items()}
    return BuiltSettings(Settings(points, facts["start"]), facts["values"])


def _value(fact: Any, folder: Path) -> Any:
    """Return a value to compare: a large array with its file, and a mapping or similar parameter as JSON text."""
    if isinstance(fact, dict):
        return LargeArray(fact, folder / fact["npy"]) if "npy" in fact else json.dumps(fact, sort_keys=True)
    return fact


def _claims(facts: Mapping[str, Any]) -> tuple[BuiltClaim, ...]:
    return tuple(
        BuiltClaim(
            claim["say"], claim["check"], claim["holds"], claim.get("margin"), claim.get("html", ""), claim.get("at")
        )
        for claim in facts.get("claims", ())
    )
