"""What a site computed, for machines and reviews: `facts.json`, and `facts.lock` with one line a number or claim."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scenebook.core import digests, facts
from scenebook.core.digests import File
from scenebook.page.compose import Judged, Material, shown
from scenebook.page.views import ClaimView, PageView, SceneView
from scenebook.prose import prose
from scenebook.run.scene_code import Code
from scenebook.storyboard.model import Scene


def site_facts(pages: Mapping[str, File], code: Iterable[File]) -> File:
    """facts.json: the facts of the pages in order, as JSON, and the text of every file of their scenes, once."""

    def parts() -> Iterator[bytes]:
        yield b'{"code": {'
        yield from _members(_each_once(code))
        yield b'},\n"pages": {'
        yield from _members(f'"{slug}": '.encode() + found.read().strip() for slug, found in pages.items())
        yield b"}}\n"

    return digests.in_parts(parts)


def _members(members: Iterable[bytes]) -> Iterator[bytes]:
    for place, member in enumerate(members):
        yield (b",\n" if place else b"\n") + member


def _each_once(code: Iterable[File]) -> Iterator[bytes]:
    """The files of all scenes. Pages share some; their names hold neither quotes nor colons."""
    told = set[bytes]()
    for page in code:
        for line in page.read().splitlines():
            name = line.partition(b":")[0]
            if name not in told:
                told.add(name)
                yield line


def page_code(code: Iterable[Code]) -> bytes:
    """The text of every file of a page's scenes, as a member of a JSON object on a line of its own."""
    texts = {file: text for each in code for file, text in each.texts.items()}
    return "".join(f'"{file}": {json.dumps(text, ensure_ascii=False)}\n' for file, text in texts.items()).encode()


def page_facts(
    material: Material, judged: Mapping[str, tuple[Judged, ...]], view: PageView, code: Mapping[str, Code]
) -> dict[str, Any]:
    """A page in facts.json: its texts, and the parameters, values, claims, figure files and code of every scene.

    `code` is that of each `compute`.
    """
    page = material.page
    return {
        "title": str(page.title),
        "texts": dict(_page_texts(view)),
        "scenes": {
            str(scene.id): {
                **_scene(scene, material),
                "claims": _claims(judged[scene.id], seen.claims),
                "texts": dict(_scene_texts(scene, seen, material.scope)),
                "code": list(code[scene.compute].texts) if scene.compute else [],
            }
            for scene, seen in zip(page.scenes, view.scenes, strict=True)
        },
        "claims": [*_claims(judged["trap"], view.trap_claims), *_claims(judged["page"], view.claims)],
        "shown": list(shown(page)),
        "quoted": {str(source): list(map(str, numbers)) for source, numbers in page.quoted.items()},
    }


def _scene(scene: Scene, material: Material) -> dict[str, Any]:
    found: dict[str, Any] = {}
    name = f"{material.page.slug}/{scene.id}"
    if result := material.computed.get(scene.id):
        large = {value: {**result.facts[value], "npy": f"{name}-{value}.npy"} for value in result.npy}
        found |= {"params": result.params, "values": {**result.facts, **large}}
    elif scene.compute:
        found["failed"] = True
    if drawing := material.drawings.get(scene.id):
        panels = {panel.name: _panel(f"{name}-{panel.name}", panel) for panel in drawing.panels}
        found["figure"] = {"png": f"{name}.png", "panels": panels}
    return found


def _page_texts(view: PageView) -> Iterator[tuple[str, str]]:
    """The texts of a page that stand in no scene, as HTML, by field."""
    yield from {"title": view.title, "summary": view.summary}.items()
    for field, links in (("terms", view.terms), ("companions", view.companions)):
        if links:
            yield field, "".join(f'<p><a href="{link.href}">{link.title}</a></p>' for link in links)
    yield from ((field, text) for field, text in (("trap", view.wrong), ("answer", view.right)) if text)
    if view.takeaways:
        yield "takeaways", "".join(view.takeaways)


def _scene_texts(scene: Scene, view: SceneView, scope: prose.Scope) -> Iterator[tuple[str, str]]:
    """The texts of a scene, as HTML, by field."""
    yield from ((field, text) for field, text in (("title", view.title), ("text", view.text)) if text)
    if (seen := view.figure) and scene.figure:
        yield "caption", f"{seen.lead} {seen.caption}"
        yield "alt text", prose.inline(scene.figure.alt, "", replace(scope, problems=[]))
        titles = [
            *(panel.title for panel in seen.panels),
            *(axis.title for axis in (seen.rows, seen.columns, seen.x, seen.y)),
        ]
        if any(titles):
            yield "figure titles", "".join(f"<p>{title}</p>" for title in titles if title)


def _panel(stem: str, panel: Any) -> dict[str, Any]:
    return {"svg": f"{stem}.svg", **({"csv": f"{stem}.csv"} if panel.csv is not None else {})}


def _claims(judged: Iterable[Judged], views: Iterable[ClaimView]) -> list[dict[str, Any]]:
    return [
        {
            "say": " ".join(entry.claim.say.split()),
            "check": " ".join(entry.claim.check.split()),
            "holds": entry.outcome.holds,
            "margin": entry.outcome.margin,
            "html": view.say,
        }
        for entry, view in zip(judged, views, strict=True)
    ]


def lock_lines(slug: str, page: Mapping[str, Any]) -> Iterator[str]:
    """The lines of facts.lock for a page: every scalar and every claim."""
    yield from _claim_lines(slug, page["claims"])
    for scene, found in page["scenes"].items():
        yield from _claim_lines(f"{slug}/{scene}", found["claims"])
        named = ((f"{slug}/{scene}.{name}", value) for name, value in found.get("values", {}).items())
        yield from filter(None, (facts.lock_line(name, fact, shown=name in page["shown"]) for name, fact in named))


def shown_elsewhere(scope: prose.Scope, names: Iterable[str]) -> dict[str, str]:
    """Lines of facts.lock for values of other pages that a page shows, by what stands there if no page does."""
    lines = dict[str, str]()
    for full in (full for full in names if not full.startswith(f"{scope.slug}/")):
        scene, _, name = full.rpartition(".")
        fact = facts.fact(scope.values.get(scene, {}).get(name, ""))
        unseen, seen = facts.lock_line(full, fact), facts.lock_line(full, fact, shown=True)
        if unseen and seen and unseen != seen:
            lines[unseen] = seen
    return lines


def _claim_lines(place: str, claims: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for claim in claims:
        yield f"{place}: claim {claim['check']} = {'holds' if claim['holds'] else 'fails'}"
