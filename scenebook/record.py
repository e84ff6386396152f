"""What a site computed, for machines and reviews: `facts.json`, and `facts.lock` with one line a number or claim."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scenebook import facts
from scenebook.compose import Judged, Material
from scenebook.model import Scene


def page_facts(material: Material, judged: Mapping[str, tuple[Judged, ...]]) -> dict[str, Any]:
    """A page in facts.json: parameters, values, claims and figure files of every scene."""
    page = material.page
    return {
        "title": str(page.title),
        "scenes": {str(scene.id): _scene(scene, material, judged[scene.id]) for scene in page.scenes},
        "claims": [*_claims(judged["trap"]), *_claims(judged["page"])],
        "quoted": {str(source): list(map(str, numbers)) for source, numbers in page.quoted.items()},
    }


def _scene(scene: Scene, material: Material, judged: Iterable[Judged]) -> dict[str, Any]:
    found: dict[str, Any] = {"claims": _claims(judged)}
    name = f"{material.page.slug}/{scene.id}"
    if result := material.computed.get(scene.id):
        large = {value: {**result.facts[value], "npy": f"{name}-{value}.npy"} for value in result.npy}
        found |= {"params": result.params, "values": {**result.facts, **large}}
    if drawing := material.drawings.get(scene.id):
        panels = {panel.name: _panel(f"{name}-{panel.name}", panel) for panel in drawing.panels}
        found["figure"] = {"png": f"{name}.png", "panels": panels}
    return found


def _panel(stem: str, panel: Any) -> dict[str, Any]:
    return {"svg": f"{stem}.svg", **({"csv": f"{stem}.csv"} if panel.csv is not None else {})}


def _claims(judged: Iterable[Judged]) -> list[dict[str, Any]]:
    return [
        {
            "say": " ".join(entry.claim.say.split()),
            "check": " ".join(entry.claim.check.split()),
            "holds": entry.outcome.holds,
            "margin": entry.outcome.margin,
        }
        for entry in judged
    ]


def lock_lines(pages: Mapping[str, Any]) -> Iterator[str]:
    """The lines of facts.lock: every scalar and every claim of the site."""
    for slug, page in pages.items():
        yield from _claim_lines(slug, page["claims"])
        for scene, found in page["scenes"].items():
            yield from _claim_lines(f"{slug}/{scene}", found["claims"])
            values = found.get("values", {}).items()
            yield from filter(None, (facts.lock_line(f"{slug}/{scene}.{name}", value) for name, value in values))


def _claim_lines(place: str, claims: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for claim in claims:
        yield f"{place}: claim {claim['check']} = {'holds' if claim['holds'] else 'fails'}"
