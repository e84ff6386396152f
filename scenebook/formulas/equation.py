"""An equation that has a number."""

from typing import NamedTuple

from scenebook.formulas._tokens import Token


class Equation(NamedTuple):
    """An equation with a number: its label, the LaTeX of its own tag if it has one, and its place.

    The number of one that is the whole formula stands beside the formula, so that the formula can have several lines.
    """

    label: str
    tag: str | None
    token: Token
    beside: bool = False
