"""Check the claims of a page. A claim is a sentence with an expression over values that the scenes computed.

The language is Python's arithmetic and comparisons, `in`, and/or/not, over `scene.value` and its elements
(`scene.value[0]`). Arithmetic and comparisons work elementwise on arrays, and `&`, `|` and `~` combine arrays of truth
values. The functions are `abs min max all any len round close`. Nothing else is allowed. An expression without an
answer is an error, never false: a comparison with NaN is neither true nor false, so the scene has to return a truth
value that says what it found.
"""

import warnings
from dataclasses import dataclass

from scenebook.claims import _evaluation as evaluation
from scenebook.claims import _language as language
from scenebook.claims import _tautologies as tautologies
from scenebook.claims._language import Values
from scenebook.claims._operators import ClaimError

__all__ = ["ClaimError", "ClaimResult", "check", "names"]


@dataclass(frozen=True)
class ClaimResult:
    """Whether a claim holds, and why not. `margin` is the distance between the two sides of its closest inequality."""

    holds: bool
    margin: float | None = None
    message: str = ""


def names(expression: str) -> tuple[tuple[str, str], ...]:
    """Return the values that an expression uses, as (scene, value) in order of appearance.

    Raises `ClaimError` if the expression is not in the language of claims.
    """
    return language.names(language.parse(expression))


def check(expression: str, values: Values) -> ClaimResult:
    """Evaluate a claim with the values that `names` found in it.

    Raises `ClaimError` if the claim is neither true nor false, or if it could not be false.
    """
    tree = language.parse(expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an overflow or a division by zero shows up as inf or NaN
        holds = evaluation.verdict(tree, values)
        parts = tuple(language.parts(tree))
        for part in parts if holds else ():
            tautologies.refuse(part, values)
        margins = [margin for part in parts if (margin := evaluation.margin(part, values)) is not None]
    message = "" if holds else f"is false: {evaluation.describe_all(values)}"
    return ClaimResult(holds, min(margins, default=None), message)
