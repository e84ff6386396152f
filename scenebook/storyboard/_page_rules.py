"""Rules for a page, its scenes and its figures that the models do not express, such as names that can be used as files.

The rules are checked before any scene runs. They read the tree, not the models, and skip nodes with the wrong shape,
which the validation reports. So one mistake never hides another, and all mistakes are reported at once.
"""

from __future__ import annotations

import keyword
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator
from typing import Any, get_args

from scenebook.core import web_address
from scenebook.core.problems import Problem
from scenebook.core.suggestions import did_you_mean
from scenebook.core.text import Text
from scenebook.figure.spec import Color, panel_names
from scenebook.storyboard._model_fields import required
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

KINDS = ("heatmap", "bars", "lines")
OPTIONS = {
    "rows": {"heatmap", "bars"},
    "columns": {"heatmap", "bars"},
    "x": {"lines", "bars"},
    "y": {"lines"},
    "colormap": {"heatmap"},
    "vmin": {"heatmap"},
    "vmax": {"heatmap"},
    "cells": {"heatmap"},
    "colors": {"bars"},
}
AXES = {
    "rows": {"title": {"heatmap", "bars"}, "labels": {"heatmap", "bars"}},
    "columns": {"title": {"heatmap"}, "labels": {"heatmap", "bars"}},
    "x": {"title": {"lines", "bars"}, "values": {"lines"}, "scale": {"lines", "bars"}},
    "y": {"title": {"lines"}, "scale": {"lines"}},
}
"""The options of each axis, and the kinds of panels that have them."""
ROLES = ("query", "key", "value")
"""The colours that the title of an axis can have."""
NEEDED = {"pages", "scenes", "panels", "lines", "authors", "colors"}
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
    if (text(node, key) or "").strip():
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
        named = [(panel, value) for panel in maps(part(scene, "figure"), "panels") if (value := _panel_name(panel))]
        names = panel_names([value for _, value in named])
        for (panel, _), name in zip(named, names, strict=True):
            if text(scene, "id"):
                key = next(kind for kind in KINDS if kind in panel)
                yield panel, key, f"{scene['id']}-{name}".lower().replace("_", "-")


def _panel_name(panel: Map) -> Text | None:
    first = maps(panel, "lines")[:1]
    return text(panel, "heatmap") or text(panel, "bars") or (text(first[0], "value") if first else None)


def _scene(scene: Map) -> Iterator[Problem]:
    yield from _name(scene, "id", ID, 64, ID_RULE)
    if (name := text(scene, "id")) and (keyword.iskeyword(name) or name in DEVICES):
        yield problem(scene, "id", f"{quoted(name)} is reserved by Python or the file system; choose another")
    yield from reserved_anchor(scene, "id", IN_PAGES)
    if "compute" not in scene:
        for key in ("figure", "params", "inputs"):
            if key in scene:
                yield problem(scene, key, "needs a module: add `compute: folder/module.py` to the scene")
    yield from _within(scene, "timeout", 0.001, 86_400, "seconds")
    for key in part(scene, "params"):
        if not key.isidentifier() or keyword.iskeyword(key):
            yield problem(
                part(scene, "params"), key, "cannot be the name of a parameter of `compute`; use a Python name"
            )
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
    for panel in panels:
        yield from _panel(panel)
    kinds = {kind for panel in panels for kind in KINDS if kind in panel}
    yield from _options(figure, kinds)
    for axis in AXES:
        if isinstance(figure.get(axis), Map):
            yield from _axis(part(figure, axis), axis, kinds)
    yield from _limits(figure)
    yield from _within(figure, "width", 80, 2000, "CSS pixels")
    yield from _within(figure, "height", 20, 4000, "CSS pixels")


def _panel(panel: Map) -> Iterator[Problem]:
    if sum(kind in panel for kind in KINDS) != 1:
        yield problem(panel, None, "needs exactly one of heatmap, bars and lines")
    yield from _value(panel, "heatmap")
    yield from _value(panel, "bars")
    for line in maps(panel, "lines"):
        yield from _value(line, "value")


def _options(figure: Map, kinds: set[str]) -> Iterator[Problem]:
    """Options that would change nothing, since no panel is of a kind that has them."""
    for option, fits in OPTIONS.items():
        if option in figure and not kinds & fits and (kinds or "draw" in figure):
            yield problem(figure, option, _unfit(fits, kinds))
    if "lines" in kinds and "values" not in part(figure, "x"):
        yield problem(figure, "x", "lines need x.values, the name of the value that holds their positions")


def _unfit(fits: set[str], kinds: set[str]) -> str:
    """What is wrong with an option for some kinds of panels in a figure that has others."""
    drawn = f"has {' and '.join(sorted(kinds))} panels" if kinds else "is drawn by a function"
    return f"is for {' and '.join(sorted(fits))} panels, and this figure {drawn}; leave it out"


def _axis(node: Map, axis: str, kinds: set[str]) -> Iterator[Problem]:
    """Options of an axis that would change nothing."""
    yield from _value(node, "labels")
    yield from _value(node, "values")
    if not node:
        yield problem(node, None, "says nothing; give it a title, or leave it out")
    for option in ("title", "labels", "values", "scale"):
        having = [name for name, options in AXES.items() if option in options]
        if option not in node:
            continue
        if axis not in having:
            yield problem(node, option, f"is an option of {' and '.join(having)}; leave it out")
        elif kinds & OPTIONS[axis] and not kinds & AXES[axis][option]:
            yield problem(node, option, _unfit(AXES[axis][option], kinds))
    if (chosen := text(node, "color")) is not None:
        yield from _axis_color(node, chosen)


def _axis_color(node: Map, chosen: Text) -> Iterator[Problem]:
    if "title" not in node:
        yield problem(node, "color", "is the colour of the title, and there is none; add a title, or leave it out")
    if chosen in get_args(Color) and chosen not in ROLES:
        wanted = f"{', '.join(ROLES[:-1])} or {ROLES[-1]}"
        yield problem(node, "color", f"{chosen} is a colour for lines and bars; the title of an axis takes {wanted}")


def _limits(figure: Map) -> Iterator[Problem]:
    low, high = number(figure, "vmin"), number(figure, "vmax")
    for key, limit in (("vmin", low), ("vmax", high)):
        if limit is not None and not math.isfinite(limit):
            yield problem(figure, key, "must be a finite number")
    if low is None or high is None or not math.isfinite(low + high):
        return
    if low >= high or math.isclose(low, high, rel_tol=8 * sys.float_info.epsilon):
        yield problem(figure, "vmax", f"must be greater than vmin, which is {low:g}")
    elif text(figure, "colormap") == "blue_white_green" and low != -high:
        yield problem(figure, "vmin", f"must be {-high:g}: blue_white_green is symmetric about 0, and vmax is {high:g}")
