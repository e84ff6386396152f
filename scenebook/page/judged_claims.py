"""The claims of a page, evaluated against the values of its scenes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from scenebook.claims import claims
from scenebook.core.settings import describe
from scenebook.page.material import Material
from scenebook.prose import prose
from scenebook.storyboard.model import Claim


@dataclass(frozen=True)
class Judged:
    """A claim and its outcome. `index` is its place in its list, counted from 0, `key` is as in `Material.held`.

    `where` says at which settings of the controls it holds, or that it fails.
    """

    claim: Claim
    index: int
    outcome: claims.ClaimResult
    key: str
    where: str = "holds"


def judge(material: Material) -> dict[str, tuple[Judged, ...]]:
    """Check every claim of a page. Return the results by place: the id of a scene, `trap`, or `page`.

    The claims of a scene are checked at every setting of its controls, other claims at the start of each scene. Claims
    that fail or cannot be evaluated are reported to the scope of the page. A claim about a scene that failed is left
    out, because its values are unknown.
    """
    page = material.page
    places = [(str(scene.id), f"scenes.{scene.id}.claims", scene.claims) for scene in page.scenes]
    places += [("trap", "trap.claims", page.trap.claims if page.trap else ()), ("page", "claims", page.claims)]
    return {place: tuple(_judged_all(listed, place, where, material)) for place, where, listed in places}


def _judged_all(listed: Iterable[Claim], place: str, where: str, material: Material) -> Iterator[Judged]:
    for index, claim in enumerate(listed):
        if judged := _judged(claim, index, place, f"{where}.{index + 1}", material):
            yield judged


def _judged(claim: Claim, index: int, place: str, where: str, material: Material) -> Judged | None:
    expression, scope = " ".join(claim.check.split()), material.scope
    try:
        names = claims.names(expression)
        if any(scene in scope.failed for scene, _ in names):
            return None
        table = material.table(place, names)
        numbers = _settings(claim, table)
        key = material.key(f"{place} {claim.at} {claim.in_} {expression}", (place, *(scene for scene, _ in names)))
        if key in material.held:
            margin, closest, held = material.held[key]
            known = claims.ClaimResult(holds=True, margin=margin, closest=closest, held=held)
            return Judged(claim, index, known, key, _where(claim, table, held))
        outcome = claims.check_everywhere(expression, table, numbers, claim.in_ or 1)
    except claims.ClaimError as error:
        scope.complain(claim.check, 0, where, f"{expression!r} {error}")
        return None
    if not outcome.holds:
        words = prose.plain(claim.say, where, replace(scope, numbers="off", problems=[]))
        scope.complain(claim.check, 0, where, f"the claim {words!r} fails: {expression!r} {outcome.message}")
    return Judged(claim, index, outcome, key, _where(claim, table, outcome.held) if outcome.holds else "fails")


def _settings(claim: Claim, table: claims.Table) -> tuple[int, ...]:
    """Return the settings at which a claim is checked; raises `ClaimError` if it asks for some that do not exist."""
    if claim.at and table.scene is None:
        raise claims.ClaimError("has `at`, which is for the claims of a scene with controls")
    if claim.in_ is not None and len(table.runs) == 1:
        raise claims.ClaimError("has `in`, which is for claims about the runs of a scene with `repeat`")
    return claims.chosen(claim.at, table.scene or "", table.checked)


def _where(claim: Claim, table: claims.Table, held: int) -> str:
    """Say where a claim holds."""
    runs = len(table.runs)
    settings = len({number // runs for number in _settings(claim, table)})
    at = ""
    if len(table.checked) > runs:
        at = " at the one setting" if settings == 1 else f" at all {settings:,} settings"
    with_points = f" with {describe(claim.at)}" if claim.at else ""
    if runs == 1:
        return f"holds{at}{with_points}"
    kind = "seeds" if "seed" in table.runs.points else "runs"
    return f"held{at}{with_points}{',' if at or with_points else ''} for {held} of {runs} {kind}"
