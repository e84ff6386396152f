"""What must hold of a storyboard beyond its shape, told before any scene runs: names, links, figures that can be drawn.

Each rule reads the tree through `text`, `number` and `maps`, which leave out what has another shape than it should:
that is told elsewhere. So one mistake never hides another, and all of them are told at once.
"""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from scenebook.core import repository_link, web_address
from scenebook.core.problems import Problem
from scenebook.core.text import Text, ValueName
from scenebook.figure.spec import KEYS, Figure, kinds_with, options_of, panel_names, written_name
from scenebook.storyboard._model_fields import fields_of, required
from scenebook.storyboard._tree import Map, Seq, problem, shown

DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}
TAKEN = {"index", "404", "assets", "static", "facts", "feed", "sitemap", "robots"}
EVERYWHERE = {"main", "tip"}
IN_PAGES, IN_LISTS = EVERYWHERE | {"contents", "trap", "takeaways"}, EVERYWHERE | {"more"}
"""The ids that the templates give: an anchor of the author's must be another."""

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_RULE = "lower-case words of a-z and 0-9 joined by hyphens, at most 80 characters"
ID = re.compile(r"[a-z][a-z0-9_]*")
ID_RULE = "a Python name of a-z, 0-9 and _ that begins with a letter, at most 64 characters"
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NAME_RULE = "the name of a value: letters, digits and _, at most 64 characters"

AXES: dict[str, dict[str, set[str]]] = {}
"""The options of each axis, and the kinds of panels that use them."""
for _key, _kind in KEYS.items():
    for _side, _uses in _kind.axes.items():
        for _use in _uses:
            AXES.setdefault(_side, {}).setdefault(_use, set()).add(_key)
INSTEAD = {"rows": "y", "columns": "x", "x": "columns", "y": "rows"}
"""What other panels call an axis."""
OUTWARD = {"slug", "paper", "guide", "companions", "page", "track", "scenes", "compute", "inputs"}
"""The keys of a page by which it is bound to others and to files."""
NEEDED = {"pages", "scenes", "panels", "lines", "authors", "colors"}


def check(board: Map, pages: Sequence[Map], *, complete: bool) -> Iterator[Problem]:
    """Every rule of a site that is broken, but for those of each `page` by itself.

    `complete` is false where a page could not be read, so that its slug is not known.
    """
    site = board.get("site")
    tracks = maps(board, "tracks")
    yield from _site(site if isinstance(site, Map) else None)
    for node in (site, board.get("tracks")):
        if isinstance(node, Map | Seq):
            yield from _blanks(node)
    for track in tracks:
        yield from _slug(track)
        yield from _anchor(track, "slug", IN_LISTS)
        yield from _repeats((entry, index, slug) for entry, index, slug in texts(track, "pages"))
    yield from _repeats((node, "slug", slug) for node in (*pages, *tracks) if (slug := text(node, "slug")))
    yield from _links(pages, tracks, complete)


def outline(page: Map) -> Map:
    """What of a page the rest of a site is judged with."""
    found: Map = _outline(page)
    return found


def _outline(node: Any) -> Any:
    if isinstance(node, Seq):
        listed = Seq(node.file, node.line, node.where)
        listed.extend(map(_outline, node))
        listed.lines = node.lines
        return listed
    if not isinstance(node, Map):
        return node
    kept = Map(node.file, node.line, node.where)
    kept.update((key, _outline(value)) for key, value in node.items() if key in OUTWARD)
    kept.lines = {key: line for key, line in node.lines.items() if key in OUTWARD}
    return kept


def meant(word: str, names: Iterable[str]) -> str:
    """The suggestion that goes with a name nobody knows, if one is close."""
    close = difflib.get_close_matches(word.lower(), list(names), 1)
    return f"; did you mean {close[0]}?" if close else ""


# Reading the tree.


def text(node: Map, key: str) -> Text | None:
    """The text under a key, if there is one and it is text."""
    value = node.get(key)
    return value if isinstance(value, Text) else None


def number(node: Map, key: str) -> float | None:
    """The number under a key, if it is one."""
    try:
        return float(text(node, key) or "")
    except ValueError:
        return None


def maps(node: Map, key: str) -> list[Map]:
    """The mappings in the list under a key."""
    value = node.get(key)
    return [entry for entry in value if isinstance(entry, Map)] if isinstance(value, Seq) else []


def part(node: Map, key: str) -> Map:
    """The mapping under a key, or an empty one."""
    value = node.get(key)
    return value if isinstance(value, Map) else Map(node.file, node.line, node.where)


def texts(node: Map, key: str) -> Iterator[tuple[Seq, int, Text]]:
    """The texts in the list under a key, each with its list and index."""
    if isinstance(listed := node.get(key), Seq):
        yield from ((listed, index, entry) for index, entry in enumerate(listed) if isinstance(entry, Text))


# What holds of any text, name and address.


def _blanks(node: Map | Seq) -> Iterator[Problem]:
    """Texts in which nothing is written, and lists that need an entry."""
    entries: Iterable[tuple[Any, Any]] = node.items() if isinstance(node, Map) else enumerate(node)
    for key, value in entries:
        if isinstance(value, Text) and not value.strip() and key not in {"id", "slug"}:
            yield problem(node, key, "is empty; write it" + ("" if key in required() else ", or leave the key out"))
        elif isinstance(value, Seq) and not value and key in NEEDED:
            yield problem(node, key, f"has no {key}")
        elif isinstance(value, Map | Seq):
            yield from _blanks(value)


def _name(node: Map, key: str, pattern: re.Pattern[str], most: int, rule: str) -> Iterator[Problem]:
    name = text(node, key)
    if name is not None and not (pattern.fullmatch(name) and len(name) <= most):
        yield problem(node, key, f"{shown(name)} is not {rule} ({pattern.pattern.replace('?:', '')})")


def _value(node: Map, key: str) -> Iterator[Problem]:
    """The name of a value of the scene."""
    if (text(node, key) or "").strip():
        yield from _name(node, key, NAME, 64, NAME_RULE)


def _slug(node: Map) -> Iterator[Problem]:
    yield from _name(node, "slug", SLUG, 80, SLUG_RULE)
    if (slug := text(node, "slug")) in TAKEN | DEVICES:
        yield problem(node, "slug", f"{shown(slug or '')} is a name the site or the file system needs; choose another")


def _anchor(node: Map, key: str, taken: Collection[str]) -> Iterator[Problem]:
    """A name that becomes an anchor, in a page where some are taken."""
    if (name := text(node, key)) in taken:
        yield problem(node, key, f"{shown(name or '')} is the anchor of something else in the page; choose another")


def _repeats(
    places: Iterable[tuple[Map | Seq, str | int, str]], told: str = "{} is used already, at"
) -> Iterator[Problem]:
    """Names that stand at several places; `told` begins the sentence that ends with the first of them."""
    first: dict[str, Problem] = {}
    for node, key, name in places:
        here = problem(node, key, "")
        there = first.setdefault(name, here)
        if there is not here:
            yield problem(node, key, f"{told.format(shown(name))} {there.file}:{there.line}")


def _web(node: Map, key: str) -> Iterator[Problem]:
    url = text(node, key)
    if url is not None and url.strip() and (fault := web_address.web_fault(url)):
        yield problem(node, key, f"{shown(url)} {fault}")


# The site, its tracks, and what they name.


def not_a_base(url: str) -> str | None:
    """Why no paths can be added to an address, such as that at which a site is published."""
    fault = web_address.base_fault(url)
    return fault and f"{shown(url)} {fault}"


def _site(site: Map | None) -> Iterator[Problem]:
    if site is None:
        return
    for key in ("url", "repository"):
        url = text(site, key)
        if url is not None and url.strip() and (message := not_a_base(url)):
            yield problem(site, key, message)
        elif key == "repository" and url and (fault := repository_link.fault(url)):
            yield problem(site, key, f"{shown(url)} {fault}")
    language = text(site, "language")
    if language and not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", language):
        yield problem(site, "language", f"{shown(language)} is not a language tag such as en or pt-BR")


def _links(pages: Sequence[Map], tracks: Sequence[Map], complete: bool) -> Iterator[Problem]:
    """Pages and tracks that are named and do not exist."""
    known = {kind: {text(node, "slug") or "" for node in nodes} for kind, nodes in (("page", pages), ("track", tracks))}
    for node, key, slug, kind in _named(pages, tracks):
        if slug not in known[kind] and (complete or kind == "track"):
            yield problem(node, key, f"there is no {kind} with the slug {shown(slug)}{meant(slug, known[kind])}")


def _named(pages: Sequence[Map], tracks: Sequence[Map]) -> Iterator[tuple[Map | Seq, str | int, Text, str]]:
    """Each place that names a page or a track by its slug."""
    for track in tracks:
        yield from ((*entry, "page") for entry in texts(track, "pages"))
    for page in pages:
        companions = [(companion, kind, kind) for companion in maps(page, "companions") for kind in ("page", "track")]
        for node, key, kind in [(part(page, "paper"), "guide", "page"), *companions]:
            if slug := text(node, key):
                yield node, key, slug, kind


# A page and its scenes.


def page(page: Map) -> Iterator[Problem]:
    """Every rule of one page that is broken."""
    yield from _blanks(page)
    scenes = maps(page, "scenes")
    ids = {name for scene in scenes if (name := text(scene, "id"))}
    yield from _slug(page)
    if "scenes" not in page:
        yield problem(page, "scenes", "the page has no scenes")
    for scene in scenes:
        yield from _scene(scene)
    yield from _repeats((scene, "id", scene["id"]) for scene in scenes if text(scene, "id"))
    yield from _repeats(_files(scenes), "the files of this picture would be called {}, like those at")
    for term in maps(page, "terms"):
        if (at := text(term, "at")) and at not in ids:
            yield problem(term, "at", f"the page has no scene with the id {shown(at)}{meant(at, ids)}")
    yield from _web(part(page, "paper"), "url")
    for companion in maps(page, "companions"):
        yield from _companion(companion)


def _companion(companion: Map) -> Iterator[Problem]:
    yield from _web(companion, "url")
    if sum(kind in companion for kind in ("page", "track", "url")) != 1:
        yield problem(companion, None, "needs exactly one of page, track and url")


def _files(scenes: Iterable[Map]) -> Iterator[tuple[Map, str, str]]:
    """The files of the pictures, as file systems that ignore case (and links with hyphens) tell them apart."""
    for scene in scenes:
        named = [(panel, value) for panel in maps(part(scene, "figure"), "panels") if (value := written_name(panel))]
        names = panel_names([value for _, value in named])
        for (panel, _), name in zip(named, names, strict=True):
            if text(scene, "id"):
                key = next(key for key in KEYS if key in panel)
                yield panel, key, f"{scene['id']}-{name}".lower().replace("_", "-")


def _scene(scene: Map) -> Iterator[Problem]:
    yield from _name(scene, "id", ID, 64, ID_RULE)
    if (name := text(scene, "id")) and (keyword.iskeyword(name) or name in DEVICES):
        yield problem(scene, "id", f"{shown(name)} means something else to Python or the file system; choose another")
    yield from _anchor(scene, "id", IN_PAGES)
    if "compute" not in scene:
        for key in ("figure", "params", "inputs"):
            if key in scene:
                yield problem(scene, key, "needs a module: add `compute: folder/module.py` to the scene")
    yield from _within(scene, "timeout", 0.001, 86_400, "seconds")
    for key in part(scene, "params"):
        if not key.isidentifier() or keyword.iskeyword(key):
            yield problem(part(scene, "params"), key, "is not a name that a parameter of `compute` can have")
    if figure := part(scene, "figure"):
        yield from _figure(figure)


def _within(node: Map, key: str, least: float, most: float, unit: str) -> Iterator[Problem]:
    value = number(node, key)
    if value is not None and not least <= value <= most:
        yield problem(node, key, f"must be between {least:g} and {most:g} {unit}")


# Figures.


def _figure(figure: Map) -> Iterator[Problem]:
    panels = maps(figure, "panels")
    if ("panels" in figure) == ("draw" in figure):
        yield problem(figure, None, "needs panels, or draw for a function of the scene's module, and not both")
    yield from _name(figure, "draw", NAME, 64, "the name of a function of the scene's module")
    for node, key in fields_of(Figure, figure, ValueName):
        yield from _value(node, key)
    for panel in panels:
        yield from _panel(panel)
    kinds = {key for panel in panels for key in KEYS if key in panel}
    yield from _options(figure, kinds)
    yield from dict.fromkeys(found for panel in panels for found in _options_of_kind(panel, figure))
    yield from _within(figure, "width", 80, 2000, "CSS pixels")
    yield from _within(figure, "height", 20, 4000, "CSS pixels")


def _panel(panel: Map) -> Iterator[Problem]:
    kinds = [key for key in KEYS if key in panel]
    if len(kinds) != 1:
        yield problem(panel, None, f"needs exactly one of {_listed(KEYS, 'and')}")
        return
    for option in panel:
        fits = kinds_with(option)
        if fits and kinds[0] not in fits:
            yield problem(panel, option, f"is for {_listed(fits, 'and')} panels, and this is a {kinds[0]} panel")
    for axis in AXES:
        if isinstance(panel.get(axis), Map) and kinds[0] in kinds_with(axis):
            yield from _axis(part(panel, axis), axis, set(kinds))


def _options(figure: Map, kinds: set[str]) -> Iterator[Problem]:
    """Options that would change nothing, because no panel is of a kind that has them."""
    for option in figure:
        fits = set(kinds_with(option))
        if fits and not kinds & fits and (kinds or "draw" in figure):
            other = INSTEAD.get(option) if "title" in part(figure, option) else None
            instead = other if other and kinds & set(kinds_with(other)) else None
            yield problem(figure, option, _unfit(fits, kinds, instead))
        elif option in AXES and isinstance(figure[option], Map):
            yield from _axis(part(figure, option), option, kinds)


def _options_of_kind(panel: Map, figure: Map) -> Iterator[Problem]:
    """What a panel's kind finds wrong with its options, each reported where it is written."""
    for key, kind in KEYS.items():
        if key in panel:
            known = set(options_of(key))
            options = {name: value for name, value in (*figure.items(), *panel.items()) if name in known}
            for option, message in kind.complaints(options):
                yield problem(panel if option in panel else figure, option, message)


def _unfit(fits: Collection[str], kinds: set[str], instead: str | None = None) -> str:
    """What is wrong with an option for some kinds of panels in a figure that has others."""
    drawn = f"has {_listed(sorted(kinds), 'and')} panels" if kinds else "is drawn by a function"
    cure = f"use {instead}" if instead else "leave it out"
    return f"is for {_listed(sorted(fits), 'and')} panels, and this figure {drawn}; {cure}"


def _listed(names: Iterable[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _axis(node: Map, axis: str, kinds: set[str]) -> Iterator[Problem]:
    """Options of an axis that would change nothing."""
    if not node:
        yield problem(node, None, "says nothing; give it a title, or leave it out")
    for option in ("title", "labels", "values", "scale"):
        having = [name for name, uses in AXES.items() if option in uses]
        if option not in node:
            continue
        if axis not in having:
            yield problem(node, option, f"is an option of {_listed(having, 'and')}; leave it out")
        elif kinds & set(kinds_with(axis)) and not kinds & AXES[axis][option]:
            yield problem(node, option, _unfit(AXES[axis][option], kinds))
    if "color" in node and "title" not in node:
        yield problem(node, "color", "is the colour of the title, and there is none; add a title, or leave it out")
