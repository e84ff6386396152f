r"""LaTeX as tokens that know where they were written, so that mistakes in rewritten formulas have their places.

A token is a command (`\frac`), a control symbol (`\,`) or a single character. Blanks are tokens too, because they count
inside `\text`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from scenebook.formulas.mistake import FormulaError

STARRED = "operatorname|tag|hspace|vspace"
"""Commands that have a form with a star. After any other command, a star is a star."""
_TOKEN = re.compile(rf"\\(?:{STARRED})\*|\\[A-Za-z]+|\\\\\*?|\\.?|.", re.DOTALL)
_BRACES, _ENVIRONMENTS = {"{": 1, "}": -1}, {"\\begin": 1, "\\end": -1}
NESTED = {**_BRACES, **_ENVIRONMENTS}
"""How much deeper a token is nested than the one before it."""


class Token(NamedTuple):
    """A piece of LaTeX, and the index in the author's formula at which it was written.

    The tokens of a macro's expansion are at the place where the macro was used, and have its name.
    """

    text: str
    at: int
    macro: str = ""

    @property
    def is_blank(self) -> bool:
        """Whether the token is white space."""
        return self.text.isspace()

    def error(self, message: str) -> FormulaError:
        """Return the mistake that this token is."""
        return FormulaError(self.at, f"in the macro \\{self.macro}: {message}" if self.macro else message)

    def becomes(self, latex: str) -> list["Token"]:
        """Return LaTeX that replaces this token, at its place."""
        return [self._replace(text=text) for text in _TOKEN.findall(latex)]

    def group(self, tokens: Iterable["Token"]) -> list["Token"]:
        """Return tokens in braces, which are at the place of this token."""
        return [self._replace(text="{"), *tokens, self._replace(text="}")]


def tokens_of(latex: str) -> list[Token]:
    """Split LaTeX into tokens."""
    return [Token(found[0], found.start()) for found in _TOKEN.finditer(latex)]


def joined(tokens: Iterable[Token]) -> str:
    """Return tokens as LaTeX. Blanks keep a command apart from a letter or star that was not part of it."""
    return "".join(_written(tokens))


def _written(tokens: Iterable[Token]) -> Iterator[str]:
    before = ""
    for token in tokens:
        apart = before[:1] == "\\" and before[-1].isalpha() and (token.text[0].isalpha() or token.text == "*")
        yield f" {token.text}" if apart else token.text
        before = token.text


def token_at(tokens: Sequence[Token], index: int) -> Token | None:
    """Return the token at an index of `joined(tokens)`, or the last one, or None if there are no tokens."""
    ends = accumulate(map(len, _written(tokens)))
    return next((token for token, end in zip(tokens, ends, strict=True) if end > index), tokens[-1] if tokens else None)


class Reader:
    """Reads tokens one after the other. What replaces a token can be put back, and is then read next."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._rest = list(reversed(tokens))
        self.before = ""
        """The last token, other than blanks, before the one that is being read."""

    def __iter__(self) -> Iterator[Token]:
        while self._rest:
            token = self._rest.pop()
            yield token
            if not token.is_blank:
                self.before = token.text

    def put_back(self, tokens: Sequence[Token]) -> None:
        """Put tokens in front of those that are still to be read."""
        self._rest.extend(reversed(tokens))

    def peek(self) -> str:
        """Return the next token that is not blank, or "" at the end."""
        return next((token.text for token in reversed(self._rest) if not token.is_blank), "")

    def skip_blanks(self) -> None:
        """Read over white space."""
        while self._rest and self._rest[-1].is_blank:
            self._rest.pop()

    def argument(self, command: Token) -> list[Token]:
        """Read an argument: the content of the next group, or the next token."""
        self.skip_blanks()
        if not self._rest or self._rest[-1].text in ("}", "&", "\\\\", "\\end", "\\right"):
            raise command.error(f"{command.text} has too few arguments; write one in braces: {command.text}{{...}}")
        first = self._rest.pop()
        return self._until("}", first) if first.text == "{" else [first]

    def option(self) -> list[Token] | None:
        """Read an argument in square brackets, or return None if there is none."""
        if self.peek() != "[":
            return None
        self.skip_blanks()
        return self._until("]", self._rest.pop())

    def option_at_once(self) -> list[Token] | None:
        """Read an argument in square brackets that follows without a blank, or return None."""
        return self._until("]", self._rest.pop()) if self._rest and self._rest[-1].text == "[" else None

    def _until(self, end: str, opening: Token) -> list[Token]:
        depth, inside = 0, list[Token]()
        while self._rest:
            token = self._rest.pop()
            if token.text == end and depth == 0:
                return inside
            depth += _BRACES.get(token.text, 0)
            inside.append(token)
        raise opening.error(f"this {opening.text} is not closed; add a {end}")

    def environment(self, begin: Token) -> tuple[str, list[Token], Token]:
        r"""Read the rest of an environment after its `\begin`: its name, its content and its `\end`."""
        name = joined(self.argument(begin)).strip()
        depth, inside = 0, list[Token]()
        while self._rest:
            token = self._rest.pop()
            if token.text == "\\end" and depth == 0:
                if (found := joined(self.argument(token)).strip()) != name:
                    raise token.error(f"\\begin{{{name}}} is closed by \\end{{{found}}}")
                return name, inside, token
            depth += _ENVIRONMENTS.get(token.text, 0)
            inside.append(token)
        raise begin.error(f"\\begin{{{name}}} is not closed; add \\end{{{name}}}")


def is_blank(tokens: Iterable[Token]) -> bool:
    """Return whether tokens are only white space."""
    return all(token.is_blank for token in tokens)


def split(tokens: Sequence[Token], separator: str) -> list[list[Token]]:
    """Split tokens at each separator that is in no group and no environment. The separators are left out."""
    parts: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += NESTED.get(token.text, 0)
        if depth == 0 and token.text == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts
