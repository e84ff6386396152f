"""What must hold of a storyboard beyond its shape, told before any scene runs: names, links, figures that can be drawn.

Each rule reads the tree through `text`, `number` and `maps`, which leave out what has another shape than it should:
that is told elsewhere. So one mistake never hides another, and all of them are told at once.
"""

from __future__ import annotations

import keyword
import math
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, get_args

from scenebook.core import repository_link, web_address
from scenebook.core.problems import Problem
from scenebook.core.suggestions import did_you_mean
from scenebook.core.text import Text
from scenebook.figure.spec import Color, panel_names
from scenebook.storyboard._model_fields import required
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
            yield problem(node, key, f"there is no {kind} with the slug {shown(slug)}{did_you_mean(slug, known[kind])}")


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
            yield problem(term, "at", f"the page has no scene with the id {shown(at)}{did_you_mean(at, ids)}")
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
