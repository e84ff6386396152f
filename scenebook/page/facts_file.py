"""What a site computed, for machines and reviews: `facts.json`, and `facts.lock`, which has a line for each result."""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import Any

from scenebook.core import digests, facts
from scenebook.core.digests import File
from scenebook.core.text_fields import Form, TextField, text_fields
from scenebook.page import texts
from scenebook.page._repeat_view import spreads
from scenebook.page.judged_claims import Judged
from scenebook.page.material import Material
from scenebook.page.site_view import site_scope, track_place
from scenebook.page.views import CaptionView, ClaimView, PageView
from scenebook.prose import prose
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats
from scenebook.run.scene_code import Code
from scenebook.storyboard.model import Page, Scene, Site, Track

_FOLLOWING = re.compile(r' data-follow="[^"]*"(?: style="--room: \d+")?')
"""What only the page's script needs of a value. Its keys change when a value is added anywhere in the scene."""
APART = {"claims", "trap.claims", "quoted"}
"""Texts of a page that `facts.json` lists elsewhere: claims with their outcome, and quoted numbers by source."""


def site_facts(pages: Mapping[str, File], code: Iterable[File], site_texts: Mapping[str, str]) -> File:
    """Return facts.json: its format, all scene code, the facts of the pages in order, and the site's texts."""

    def parts() -> Iterator[bytes]:
        yield b'{"format": %d,\n"code": {' % facts.FACTS_FORMAT
        yield from _members(_each_once(code))
        yield b'},\n"pages": {'
        yield from _members(f'"{slug}": '.encode() + found.read().strip() for slug, found in pages.items())
        yield b'},\n"texts": ' + json.dumps(site_texts, ensure_ascii=False).encode() + b"}\n"

    return digests.in_parts(parts)


def _members(members: Iterable[bytes]) -> Iterator[bytes]:
    for place, member in enumerate(members):
        yield (b",\n" if place else b"\n") + member


def _each_once(code: Iterable[File]) -> Iterator[bytes]:
    """Yield the files of all scenes, each once even if pages share it. Their names have neither quotes nor colons."""
    known = set[bytes]()
    for page in code:
        for line in page.read().splitlines():
            name = line.partition(b":")[0]
            if name not in known:
                known.add(name)
                yield line


def page_code(code: Iterable[Code]) -> bytes:
    """Return the text of every file of a page's scenes, as members of a JSON object, each on its own line."""
    files = {file: text for each in code for file, text in each.texts.items()}
    return "".join(f'"{file}": {json.dumps(text, ensure_ascii=False)}\n' for file, text in files.items()).encode()


def page_facts(
    material: Material, judged: Mapping[str, tuple[Judged, ...]], view: PageView, code: Mapping[str, Code]
) -> dict[str, Any]:
    """Return a page for facts.json: its texts, and what each of its scenes is made from, computes and claims.

    `code` is the code of each `compute`.
    """
    page, scope = material.page, material.scope
    around, finished_around = (replace(each, scenes=()) for each in (material.shown, view.texts))
    return {
        "title": str(page.title),
        "texts": _texts(around, finished_around, scope),
        "scenes": {
            str(scene.id): {
                **_scene(scene, material),
                "claims": _claims(judged[scene.id], seen.claims),
                "texts": _texts(scene, seen.texts, scope),
                "code": list(code[scene.compute].texts) if scene.compute else [],
            }
            for scene, seen in zip(material.shown.scenes, view.scenes, strict=True)
        },
        "claims": [*_claims(judged["trap"], view.trap_claims), *_claims(judged["page"], view.claims)],
        "shown": list(texts.values_on_page(page)),
        "counts": view.counts,
        "quoted": _quoted(page),
    }


def _quoted(page: Page) -> dict[str, list[str]]:
    """Return the numbers that a page and its scenes quote, by source."""
    found: dict[str, list[str]] = {}
    for quoted in (page.quoted, *(scene.quoted for scene in page.scenes)):
        for source, numbers in quoted.items():
            found.setdefault(str(source), []).extend(map(str, numbers))
    return found


def site_texts(site: Site, tracks: Iterable[Track]) -> dict[str, str]:
    """Return the texts of a site and its tracks, as HTML, by field. No mistakes are reported."""
    scope = texts.silent(site_scope(site, []))
    found = _texts(site, texts.finished(site, scope), scope, apart=())
    for track in tracks:
        own = _texts(track, texts.finished(track, texts.silent(scope)), scope)
        found |= {f"{track_place(track)}.{name}": text for name, text in own.items()}
    return found


def _texts(written: Any, finished: Any, scope: prose.Scope, apart: Collection[str] = APART) -> dict[str, str]:
    """Return the texts of a model as HTML, by field. The texts of a list are joined."""
    found: dict[str, str] = {}
    for field, made in zip(text_fields(written), text_fields(finished), strict=True):
        if field.text and field.name not in apart:
            found[field.name] = found.get(field.name, "") + _as_html(field, made.text, scope)
    return found


def _as_html(field: TextField, made: Any, scope: prose.Scope) -> str:
    """Return a text as a review compares it: values are marked even where the page shows plain words."""
    shown = f"{made.lead} {made.rest}" if isinstance(made, CaptionView) else str(made)
    if field.form in (Form.WORDS, Form.METADATA):
        shown = str(prose.inline(field.text, "", texts.silent(scope)))
    if field.form in (Form.AS_WRITTEN, Form.TARGET):
        shown = escape(shown, quote=False)
    shown = _FOLLOWING.sub("", shown)
    return f"<p>{shown}</p>" if field.in_list and field.form is not Form.MARKDOWN else shown


def _scene(scene: Scene, material: Material) -> dict[str, Any]:
    found: dict[str, Any] = {}
    name = f"{material.page.slug}/{scene.id}"
    if result := material.computed.get(scene.id):
        large = {value: {**result.facts[value], "npy": f"{name}-{file}"} for value, file in result.npy_files.items()}
        found |= {"params": result.params, "values": {**result.facts, **large}}
        if result.everywhere:
            found["settings"] = _settings(result.everywhere)
        if result.repeats:
            found["repeat"] = _repeat(result.repeats)
    elif scene.compute:
        found["failed"] = True
    if scene.id in material.inputs:
        found["inputs"] = dict(material.inputs[scene.id])
    if drawing := material.drawings.get(scene.id):
        panels = {panel.name: _panel(f"{name}-{panel.name}", panel) for panel in drawing.panels}
        found["figure"] = {"png": f"{name}.png", "panels": panels}
    return found


def _settings(every: Everywhere) -> dict[str, Any]:
    """The points of each control, the number of the setting at the start, and each scalar at every setting."""
    names = dict.fromkeys(name for scalars in every.scalars for name in scalars)
    return {
        "controls": {param: list(points) for param, points in every.settings.points.items()},
        "start": every.settings.start,
        "values": {
            name: [facts.fact(scalars[name]) for scalars in every.scalars]
            for name in names
            if all(name in scalars for scalars in every.scalars)
        },
    }


def _repeat(repeats: Repeats) -> dict[str, Any]:
    """The parameter that differs between the runs, its values, and how numbers vary at the start of the controls."""
    over = {
        name: {"low": facts.fact(each.low), "median": facts.fact(each.median), "high": facts.fact(each.high)}
        for name, each in spreads(repeats).items()
    }
    return {"param": repeats.param, "seeds": list(repeats.seeds), "values": over}


def _panel(stem: str, panel: Any) -> dict[str, Any]:
    return {"svg": f"{stem}.svg", **({"csv": f"{stem}.csv"} if panel.csv is not None else {})}


def _claims(judged: Iterable[Judged], views: Iterable[ClaimView]) -> list[dict[str, Any]]:
    return [
        {
            "say": " ".join(entry.claim.say.split()),
            "check": " ".join(entry.claim.check.split()),
            "holds": entry.outcome.holds,
            "margin": entry.outcome.margin,
            "at": dict(entry.claim.at),
            "html": view.say,
        }
        for entry, view in zip(judged, views, strict=True)
    ]


def lock_lines(slug: str, page: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of facts.lock for a page: one for each scalar and each claim."""
    yield from _claim_lines(slug, page["claims"])
    for scene, found in page["scenes"].items():
        yield from _claim_lines(f"{slug}/{scene}", found["claims"])
        for name, value in found.get("values", {}).items():
            full = f"{slug}/{scene}.{name}"
            parts = _over_settings(full, found["settings"], name) if "settings" in found else {full: value}
            over = found.get("repeat", {}).get("values", {}).get(name, {})
            parts |= {f"{full}.{end}": over[end] for end in ("low", "high") if over}
            yield from filter(None, (facts.lock_line(*part, shown=full in page["shown"]) for part in parts.items()))


def _over_settings(full: str, settings: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return what facts.lock says of a value of a scene with controls, by full name."""
    if name not in settings["values"]:
        return {}
    found = facts.over_settings(settings["values"][name], settings["start"])
    return {f"{full}.{end}": value for end, value in found.items()}


def shown_elsewhere(scope: prose.Scope, names: Iterable[str]) -> dict[str, str]:
    """Return lines of facts.lock for values of other pages that a page shows, by the lines that they replace."""
    lines = dict[str, str]()
    for full in (full for full in names if not full.startswith(f"{scope.slug}/")):
        scene, _, name = full.partition(".")
        fact = facts.fact(scope.values.get(scene, {}).get(name, ""))
        line = f"{full}.start" if scene in scope.everywhere else full
        unseen, seen = facts.lock_line(line, fact), facts.lock_line(line, fact, shown=True)
        if unseen and seen and unseen != seen:
            lines[unseen] = seen
    return lines


def _claim_lines(place: str, claims: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for claim in claims:
        yield f"{place}: claim {claim['check']} = {'holds' if claim['holds'] else 'fails'}"
