"""Rules for a page, its scenes and its figures that the models do not express, such as which names can be file names.

The rules are checked before any scene runs. They read the tree, not the models, and skip nodes with the wrong shape,
which the validation reports. So one mistake never hides another, and all mistakes are reported at once.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from scenebook.core import web_address
from scenebook.core.problems import Problem
from scenebook.core.suggestions import did_you_mean
from scenebook.core.text import Text, ValueName
from scenebook.core.values import named_column
from scenebook.figure.spec import KEYS, Figure, kinds_with, options_of, panel_names, written_name
from scenebook.storyboard import _control_rules as control_rules
from scenebook.storyboard import _repeat_rules as repeat_rules
from scenebook.storyboard._macro_rules import macros
from scenebook.storyboard._model_fields import fields_of, required
from scenebook.storyboard._tree import Map, Seq, maps, number, part, problem, quoted, text

DEVICES = {"con", "prn", "aux", "nul", *(f"{name}{n}" for name in ("com", "lpt") for n in range(10))}
"""Names that Windows reserves for devices."""
SITE_NAMES = {"index", "404", "assets", "static", "facts", "feed", "sitemap", "robots"}
"""Names of the site's own files and folders."""
EVERYWHERE = {"main", "tip"}
IN_PAGES, IN_LISTS = EVERYWHERE | {"contents", "folded", "trap", "takeaways"}, EVERYWHERE | {"more"}
"""The ids that the templates use in pages and in lists of pages. An author's anchors must differ from them."""

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
SLUG_RULE = "a valid slug: words of a-z and 0-9 joined by hyphens, at most 80 characters"
ID = re.compile(r"[a-z][a-z0-9_]*")
ID_RULE = "a valid id: a letter, then letters, digits and _, all in lower case, at most 64 characters"
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
NEEDED = {"pages", "scenes", "panels", "lines", "authors", "colors", "controls"}
"""Lists that need at least one entry."""


# Texts, names and addresses.


def blanks(node: Map | Seq) -> Iterator[Problem]:
    """Yield a problem for each empty text, and for each empty list that needs an entry."""
    entries: Iterable[tuple[Any, Any]] = node.items() if isinstance(node, Map) else enumerate(node)
    for key, value in entries:
        if isinstance(value, Text) and not value.strip() and key not in {"id", "slug"}:
            yield problem(node, key, "is empty; fill it in" + ("" if key in required() else ", or remove the key"))
        elif isinstance(value, Seq) and not value and key in NEEDED:
            yield problem(node, key, f"has no {key}")
        elif isinstance(value, Map | Seq):
            yield from blanks(value)


def _name(node: Map, key: str, pattern: re.Pattern[str], most: int, rule: str) -> Iterator[Problem]:
    name = text(node, key)
    if name is not None and not (pattern.fullmatch(name) and len(name) <= most):
        yield problem(node, key, f"{quoted(name)} is not {rule} ({pattern.pattern.replace('?:', '')})")


def _value(node: Map, key: str) -> Iterator[Problem]:
    """Yield a problem if the text under a key cannot be the name of a scene's value."""
    if (name := text(node, key) or "").strip() and not named_column(name):
        yield from _name(node, key, NAME, 64, NAME_RULE)


def slug(node: Map) -> Iterator[Problem]:
    """Yield a problem if the slug of a page or track is not valid, or is a reserved name."""
    yield from _name(node, "slug", SLUG, 80, SLUG_RULE)
    if (name := text(node, "slug")) in SITE_NAMES | DEVICES:
        yield problem(node, "slug", f"{quoted(name or '')} is reserved by the site or the file system; choose another")


def reserved_anchor(node: Map, key: str, reserved: Collection[str]) -> Iterator[Problem]:
    """Yield a problem if a name that becomes an anchor is one that the templates use."""
    if (name := text(node, key)) in reserved:
        yield problem(node, key, f"{quoted(name or '')} is already an anchor in the page; choose another")


def repeats(
    names: Iterable[tuple[Map | Seq, str | int, str]],
    message: str = "{name} is already used at {place}; choose another",
) -> Iterator[Problem]:
    """Yield a problem for each name that is used again. Names come with their node and key.

    In `message`, {name} stands for the name and {place} for the place where it was first used.
    """
    first: dict[str, Problem] = {}
    for node, key, name in names:
        this_use = problem(node, key, "")
        first_use = first.setdefault(name, this_use)
        if first_use is not this_use:
            place = f"{first_use.file}:{first_use.line}"
            yield problem(node, key, message.format(name=quoted(name), place=place))


def _web_address(node: Map, key: str) -> Iterator[Problem]:
    url = text(node, key)
    if url is not None and url.strip() and (fault := web_address.web_fault(url)):
        yield problem(node, key, f"{quoted(url)} {fault}")


# A page and its scenes.


def page(page: Map) -> Iterator[Problem]:
    """Yield the problems of one page by itself."""
    yield from blanks(page)
    yield from macros(page)
    scenes = maps(page, "scenes")
    ids = {name for scene in scenes if (name := text(scene, "id"))}
    yield from slug(page)
    if "scenes" not in page:
        yield problem(page, "scenes", "the page has no scenes")
    for scene in scenes:
        yield from _scene(scene)
    yield from repeats((scene, "id", scene["id"]) for scene in scenes if text(scene, "id"))
    clash = "the files of this picture would be called {name}, like those at {place}; rename the scene or the value"
    yield from repeats(_files(scenes), clash)
    for claim in (*maps(page, "claims"), *maps(part(page, "trap"), "claims")):
        yield from _within(claim, "in", 0.01, 1, "of the runs")
    for term in maps(page, "terms"):
        if (at := text(term, "at")) and at not in ids:
            yield problem(term, "at", f"the page has no scene with the id {quoted(at)}{did_you_mean(at, ids)}")
    yield from _web_address(part(page, "paper"), "url")
    for companion in maps(page, "companions"):
        yield from _companion(companion)


def _companion(companion: Map) -> Iterator[Problem]:
    yield from _web_address(companion, "url")
    if sum(kind in companion for kind in ("page", "track", "url")) != 1:
        yield problem(companion, None, "needs exactly one of page, track and url")


def _files(scenes: Iterable[Map]) -> Iterator[tuple[Map, str, str]]:
    """Yield the name of each picture's files, as it appears in links and on a file system that ignores case.

    Each name comes with its panel and the key of the panel's kind.
    """
    for scene in scenes:
        named = [(panel, value) for panel in maps(part(scene, "figure"), "panels") if (value := written_name(panel))]
        names = panel_names([value for _, value in named])
        for (panel, _), name in zip(named, names, strict=True):
            if text(scene, "id"):
                key = next(key for key in KEYS if key in panel)
                yield panel, key, f"{scene['id']}-{name}".lower().replace("_", "-")


def scene_id(scene: Map) -> Iterator[Problem]:
    """Yield a problem if the id of a scene is not valid, or is a reserved name."""
    yield from _name(scene, "id", ID, 64, ID_RULE)
    if (name := text(scene, "id")) and (keyword.iskeyword(name) or name in DEVICES):
        yield problem(scene, "id", f"{quoted(name)} is reserved by Python or the file system; choose another")
    yield from reserved_anchor(scene, "id", IN_PAGES)


def _scene(scene: Map) -> Iterator[Problem]:
    yield from scene_id(scene)
    if "compute" not in scene:
        for key in ("figure", "params", "controls", "repeat", "inputs"):
            if key in scene:
                yield problem(scene, key, "needs a module: add `compute: folder/module.py` to the scene")
    yield from _within(scene, "timeout", 0.001, 86_400, "seconds")
    for key in part(scene, "params"):
        if not key.isidentifier() or keyword.iskeyword(key):
            yield problem(
                part(scene, "params"), key, "cannot be the name of a parameter of `compute`; use a Python name"
            )
    for claim in maps(scene, "claims"):
        yield from _within(claim, "in", 0.01, 1, "of the runs")
    yield from control_rules.check(scene)
    yield from repeat_rules.check(scene)
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
        yield problem(figure, None, "needs either panels or draw (a function of the scene's module), but not both")
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
            yield problem(panel, option, f"is for {_listed(fits, 'and')} panels, but this is a {kinds[0]} panel")
    for axis in AXES:
        if isinstance(panel.get(axis), Map) and kinds[0] in kinds_with(axis):
            yield from _axis(part(panel, axis), axis, set(kinds))


def _options(figure: Map, kinds: set[str]) -> Iterator[Problem]:
    """Yield a problem for each option that would change nothing, because no panel is of a kind that has it."""
    for option in figure:
        fits = set(kinds_with(option))
        if fits and not kinds & fits and (kinds or "draw" in figure):
            other = INSTEAD.get(option) if "title" in part(figure, option) else None
            instead = other if other and kinds & set(kinds_with(other)) else None
            yield problem(figure, option, _unfit(fits, kinds, instead))
        elif option in AXES and isinstance(figure[option], Map):
            yield from _axis(part(figure, option), option, kinds)


def _options_of_kind(panel: Map, figure: Map) -> Iterator[Problem]:
    """Yield what a panel's kind finds wrong with its options, each reported where it is written."""
    for key, kind in KEYS.items():
        if key in panel:
            known = set(options_of(key))
            options = {name: value for name, value in (*figure.items(), *panel.items()) if name in known}
            for option, message in kind.complaints(options):
                yield problem(panel if option in panel else figure, option, message)


def _unfit(fits: Collection[str], kinds: set[str], instead: str | None = None) -> str:
    """Return what is wrong with an option that is for other kinds of panels than those in the figure."""
    drawn = f"has {_listed(sorted(kinds), 'and')} panels" if kinds else "is drawn by a function"
    cure = f"use {instead}" if instead else "leave it out"
    return f"is for {_listed(sorted(fits), 'and')} panels, but this figure {drawn}; {cure}"


def _listed(names: Iterable[str], word: str) -> str:
    *first, last = names
    return f"{', '.join(first)} {word} {last}" if first else last


def _axis(node: Map, axis: str, kinds: set[str]) -> Iterator[Problem]:
    """Yield a problem for each option of an axis that would change nothing."""
    if not node:
        yield problem(node, None, "is empty; give it a title, or leave it out")
    for option in ("title", "labels", "values", "scale"):
        having = [name for name, uses in AXES.items() if option in uses]
        if option not in node:
            continue
        if axis not in having:
            yield problem(node, option, f"is an option of {_listed(having, 'and')}; leave it out")
        elif kinds & set(kinds_with(axis)) and not kinds & AXES[axis][option]:
            yield problem(node, option, _unfit(AXES[axis][option], kinds))
    if "color" in node and "title" not in node:
        yield problem(
            node, "color", "is the colour of the title, but there is no title; add one, or leave out the colour"
        )
