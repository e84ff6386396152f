"""The claims of a page, evaluated against the values of its scenes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from scenebook.claims import claims
from scenebook.page.material import Material
from scenebook.prose import prose
from scenebook.storyboard.model import Claim


@dataclass(frozen=True)
class Judged:
    """A claim and its outcome. `index` is its place in its list, counted from 0, and `key` is as in `Material.held`."""

    claim: Claim
    index: int
    outcome: claims.ClaimResult
    key: str


def judge(material: Material) -> dict[str, tuple[Judged, ...]]:
    """Check every claim of a page. Return the results by place: the id of a scene, `trap`, or `page`.

    Claims that fail or cannot be evaluated are reported to the scope of the page. A claim about a scene that failed is
    left out, because its values are unknown.
    """
    page = material.page
    places = [(str(scene.id), f"scenes.{scene.id}.claims", scene.claims) for scene in page.scenes]
    places += [("trap", "trap.claims", page.trap.claims if page.trap else ()), ("page", "claims", page.claims)]
    return {place: tuple(_judged_all(listed, where, material)) for place, where, listed in places}


def _judged_all(listed: Iterable[Claim], where: str, material: Material) -> Iterator[Judged]:
    for index, claim in enumerate(listed):
        if judged := _judged(claim, index, f"{where}.{index + 1}", material):
            yield judged


def _judged(claim: Claim, index: int, where: str, material: Material) -> Judged | None:
    expression, scope = " ".join(claim.check.split()), material.scope
    try:
        names = claims.names(expression)
        if any(scene in scope.failed for scene, _ in names):
            return None
        key = material.key(expression, (scene for scene, _ in names))
        if key in material.held:
            return Judged(claim, index, claims.ClaimResult(holds=True, margin=material.held[key]), key)
        outcome = claims.check(expression, {pair: material.value(*pair) for pair in names})
    except claims.ClaimError as error:
        scope.complain(claim.check, 0, where, f"{expression!r} {error}")
        return None
    if not outcome.holds:
        words = prose.plain(claim.say, where, replace(scope, numbers="off", problems=[]))
        scope.complain(claim.check, 0, where, f"the claim {words!r} fails: {expression!r} {outcome.message}")
    return Judged(claim, index, outcome, key)
