"""Check the claims of a page. A claim is a sentence with an expression over values that the scenes computed.

The language is Python's arithmetic and comparisons, `in`, and/or/not, over `scene.value` and its elements
(`scene.value[0]`). A value of another page stands in braces: `{{ page-slug/scene.value }}`. Arithmetic and comparisons
work elementwise on arrays, and `&`, `|` and `~` combine arrays of truth values. The functions are `abs min max all any
len round close`. Nothing else is allowed. An expression without an answer is an error, never false: a comparison with
NaN is neither true nor false, so the scene has to return a truth value that says what it found.

A claim of a scene with controls is checked at every setting. A value is the one at the setting that is being checked;
values of other scenes are those at their start. Three more functions name other settings. Each takes an expression over
the values of one scene, and can be part of a larger expression:

- `at(s.x, d_k=4, masked=true)` is `s.x` where these controls are at these points: numbers, texts in quotes, or truth
  values. Controls that are not named stay as they are.
- `increasing(s.x, along="d_k")` is true if the number `s.x` rises at every step from one point of the control `d_k` to
  the next, with the other controls as they are. As with every claim, that has to be so at all settings of these.
- `decreasing(s.x, along="d_k")` is the same for numbers that fall.

A claim about a scene that repeats its run is checked for every run, or for a stated share of them. `s.x.low`,
`s.x.high`, `s.x.median` and `s.x.runs` say how a number varies over the runs.

A claim must be able to fail. Each of its parts has to be false for some other results of the scenes at one setting at
least. The parameters of a scene with controls are no results, so `s.d_k > 0` says nothing. The results at different
settings are independent of each other.
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scenebook.claims import _language as language
from scenebook.claims import _moves as moves
from scenebook.claims import _tautologies as tautologies
from scenebook.claims import _trees as trees
from scenebook.claims._everywhere import ClaimEverywhere
from scenebook.claims._operators import ClaimError
from scenebook.claims._table import Table, moved
from scenebook.claims._trees import Values, parts
from scenebook.claims._trends import Trends
from scenebook.core.settings import Settings

if TYPE_CHECKING:
    from scenebook.core.values import Scalar

__all__ = [
    "ClaimError",
    "ClaimResult",
    "Table",
    "check",
    "check_everywhere",
    "chosen",
    "moved_scenes",
    "names",
    "parts",
]

ROUNDING = 1e-9


@dataclass(frozen=True)
class ClaimResult:
    """Whether a claim holds, and why not.

    `margin` is the distance between the two sides of its closest inequality, negative if it fails. `closest` is the
    setting where that is, in words; it is empty if no control matters to the claim. `held` is in how many runs of a
    scene that repeats its run the claim holds, at the setting where they are fewest.
    """

    holds: bool
    margin: float | None = None
    message: str = ""
    closest: str = ""
    held: int = 1


def names(expression: str) -> tuple[tuple[str, str], ...]:
    """Return the values that an expression uses, as (scene, value) in order of appearance.

    Raises `ClaimError` if the expression is not in the language of claims.
    """
    return trees.names(language.parse(expression))


def moved_scenes(expression: str) -> frozenset[str]:
    """Return the scenes of which an expression names other settings, with `at`, `increasing` or `decreasing`.

    Raises `ClaimError` if the expression is not in the language of claims.
    """
    return frozenset(map(moves.scene, moves.found(language.parse(expression))))


def chosen(at: "Mapping[str, Scalar]", scene: str, settings: Settings) -> tuple[int, ...]:
    """Return the settings of a scene that have the values of `at`; raises `ClaimError` if there are none."""
    moved(settings, scene, settings.start, at)
    return settings.agreeing(at)


def check(expression: str, values: Values) -> ClaimResult:
    """Evaluate a claim with the values that `names` found in it, of scenes without controls.

    Raises `ClaimError` if the claim is neither true nor false, or if it could not be false.
    """
    return check_everywhere(expression, Table(lambda scene, name, _: values[scene, name], {}), [0])


def check_everywhere(expression: str, table: Table, numbers: Iterable[int], share: float = 1) -> ClaimResult:
    """Evaluate a claim at the settings with these numbers of the scene that is checked.

    At each setting it has to hold in a `share` of the runs.

    Raises `ClaimError` if the claim is neither true nor false at one of them, or if it could not be false at any.
    """
    tree = language.parse(expression)
    for scene, name in trees.names(tree):
        table.value(scene, name, table.of(scene).start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overflow or a division by zero shows up as inf or NaN
        try:
            return _checked(ClaimEverywhere(tree, Trends(table)), tuple(numbers), share)
        except RecursionError:
            raise ClaimError("is nested too deeply; have the scene compute it") from None


def _checked(claim: ClaimEverywhere, numbers: tuple[int, ...], share: float) -> ClaimResult:
    failures = _failures(claim, numbers)
    held, enough = _held(claim.table, numbers, failures, share)
    if not enough:
        result = ClaimResult(holds=False, message=_message(claim, failures, numbers, share), held=held)
    else:
        numbers = tuple(number for number in numbers if number not in set(failures))
        for part in parts(claim.tree):
            tautologies.refuse(part, (claim.case(part, number) for number in numbers))
        result = ClaimResult(holds=True, held=held)
    least = min((margin for number in numbers for margin in claim.margins(number)), default=None)
    if least is None or (not enough and least.size > 0):  # what fails is not an inequality
        return result
    return replace(result, margin=least.size, closest=claim.where_closest(least))


def _held(table: Table, numbers: Iterable[int], failures: Iterable[int], share: float) -> tuple[int, bool]:
    """Return the least number of runs in which a claim holds at a setting, and whether that is a large enough share."""
    runs = len(table.runs)
    checked, failed = (Counter(number // runs for number in each) for each in (numbers, failures))
    held = {setting: count - failed[setting] for setting, count in checked.items()}
    enough = all(held[setting] >= share * count - ROUNDING for setting, count in checked.items())
    return min(held.values()), enough


def _failures(claim: ClaimEverywhere, numbers: tuple[int, ...]) -> list[int]:
    """Return the settings at which a claim is false; raises `ClaimError` if it has no verdict at one of them."""
    failures, errors = [], {}
    for number in numbers:
        try:
            if not claim.verdict(number):
                failures.append(number)
        except ClaimError as error:
            errors[number] = str(error)
    if errors:
        number, message = next(iter(errors.items()))
        everywhere = len(errors) == len(numbers) and len(set(errors.values())) == 1
        raise ClaimError(message if everywhere else f"at {claim.where(number)} {message}")
    return failures


def _message(claim: ClaimEverywhere, failures: list[int], numbers: tuple[int, ...], share: float) -> str:
    where, values = claim.where(failures[0]), claim.describe(failures[0])
    if not where:
        return f"is false: {values}"
    part = f"all {len(numbers)}" if len(failures) == len(numbers) else f"{len(failures)} of {len(numbers)}"
    kind = "in {} runs" if len(claim.table.runs) > 1 else "at {} settings"
    count = f"; it fails {kind.format(part)}" if len(failures) > 1 or share < 1 else ""
    wanted = f", and it has to hold for {share:.4g} of them" if share < 1 else ""
    return f"is false at {where}: {values}{count}{wanted}"
