"""Prepares LaTeX as authors write it for math-core: macros are expanded, and what math-core lacks is rewritten."""

import re
from functools import lru_cache
from typing import NamedTuple

from scenebook.formulas import macros as author
from scenebook.formulas._environments import alone, has_lines, needs_equation
from scenebook.formulas._rewrites import COMMANDS, UNUSUAL, USUAL, Found, Reference, rewritten
from scenebook.formulas._tokens import Token, joined, token_at, tokens_of
from scenebook.formulas.equation import Equation
from scenebook.formulas.mistake import FormulaError

_COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)?|[#%$]", re.DOTALL)


class Prepared(NamedTuple):
    """LaTeX that math-core can convert, and what it refers to. `tokens` is empty if nothing had to be rewritten."""

    latex: str
    tokens: tuple[Token, ...] = ()
    references: tuple[Reference, ...] = ()
    equations: tuple[Equation, ...] = ()

    def error(self, index: int, message: str) -> FormulaError:
        """Return a mistake at an index of `latex`, at the place where the author wrote it."""
        token = token_at(self.tokens, index)
        return token.error(message) if token else FormulaError(index, message)


def prepare(source: str, *, numbered: bool, macros: author.Macros = author.NONE) -> Prepared:
    """Return LaTeX for math-core. If `numbered`, its equations may have numbers. Raises `FormulaError`."""
    if not _needs_rewriting(source, macros):
        return Prepared(source)
    try:
        return _prepared(author.expand(tokens_of(source), macros), numbered)
    except RecursionError:
        raise FormulaError(0, "its parts are nested too deeply; split it into several formulas") from None


def _prepared(tokens: list[Token], numbered: bool) -> Prepared:
    if numbered and needs_equation(tokens):
        tokens = _within("equation", tokens)
    elif numbered and has_lines(tokens):
        tokens = _within("gathered", tokens)
    found = Found([], [] if numbered else None)
    if found.equations is not None and (content := alone(tokens, found.equations)) is not None:
        made = tuple(rewritten(content, found.inside))
    else:
        made = tuple(rewritten(tokens, found))
    return Prepared(joined(made), made, tuple(found.references), tuple(found.equations or ()))


def _needs_rewriting(source: str, macros: author.Macros) -> bool:
    names = {*_COMMAND.findall(source)}
    starred = {name for name in names if name[-1] == "*"} - {"\\operatorname*"}
    known = names & COMMANDS
    if starred or not known <= USUAL or not names.isdisjoint(author.names(macros)):
        return True
    return bool(known) and UNUSUAL.search(source) is not None


def _within(environment: str, tokens: list[Token]) -> list[Token]:
    """Return a formula inside an environment."""
    begin = tokens[0]._replace(macro="")
    return [*begin.becomes(rf"\begin{{{environment}}}"), *tokens, *begin.becomes(rf"\end{{{environment}}}")]


@lru_cache(maxsize=1024)
def equations(source: str, macros: author.Macros) -> tuple[Equation, ...]:
    """Return the equations of a displayed formula that have a number, or none if the formula has a mistake."""
    try:
        return prepare(source, numbered=True, macros=macros).equations
    except FormulaError:
        return ()
