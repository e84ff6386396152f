r"""What LaTeX has and math-core lacks, as LaTeX that math-core has.

`_REPLACED` is a table of commands and what replaces them. Commands that need more than that have a function each, in
`_REWRITERS`. Whatever a page cannot show is refused here instead of dropped: a comment, or a definition.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from scenebook.formulas._environments import environment, space_after
from scenebook.formulas._tokens import Reader, Token, joined
from scenebook.formulas.equation import Equation
from scenebook.formulas.macros import Macro, replacement
from scenebook.formulas.mistake import FormulaError

_SAME = {
    "cr": r"\\",
    "dotsc": r"\ldots",
    "dotso": r"\ldots",
    "dotsb": r"\cdots",
    "dotsm": r"\cdots",
    "dotsi": r"\cdots",
    "mbox": r"\text",
    "hbox": r"\text",
    "textnormal": r"\text",
    "textup": r"\text",
    "textmd": r"\text",
    "textsl": r"\textit",
    "widetilde": r"\tilde",
    "pmb": r"\boldsymbol",
    "mathds": r"\mathbb",
    "mathbbm": r"\mathbb",
    "mathbbmss": r"\mathbb",
    "mathnormal": r"\mathit",
    "mathup": r"\mathrm",
    "hspace*": r"\hspace",
    "slash": "/",
    "lefteqn": "",
    "mathstrut": "",
    "strut": "",
    "noindent": "",
    "displaybreak": "",
    "allowbreak": "",
    "nobreak": "",
    "break": "",
    "hfill": r"\quad",
    "hfil": r"\quad",
    "hfilneg": "",
    "boldmath": "",
    "unboldmath": "",
    "displaylimits": "",
    "toprule": r"\hline",
    "midrule": r"\hline",
    "bottomrule": r"\hline",
    "ensuremath": "",
    "vcenter": "",
    "mathclap": "",
    "mathllap": "",
    "mathrlap": "",
    "centering": "",
    "eqno": r"\tag",
    "leqno": r"\tag",
    "degree": r"{}^\circ",
    "newline": r"\\",
    "tabularnewline": r"\\",
}
"""Commands without arguments, or whose arguments stay as they are."""
_WITH_ARGUMENTS = {
    "nicefrac": (2, r"{}^{#1}\!/_{#2}"),
    "sfrac": (2, r"{}^{#1}\!/_{#2}"),
    "cancelto": (2, r"\overset{#1}{\cancel{#2}}"),
    "substack": (1, r"\begin{subarray}{c}#1\end{subarray}"),
    "smash": (1, "{#1}"),
    "colorbox": (2, r"\boxed{\text{#2}}"),
    "fcolorbox": (3, r"\boxed{\text{#3}}"),
    "fbox": (1, r"\boxed{\text{#1}}"),
    "framebox": (1, r"\boxed{\text{#1}}"),
    "bbox": (1, r"\boxed{#1}"),
    "textsuperscript": (1, r"{}^{\text{#1}}"),
    "textsubscript": (1, r"{}_{\text{#1}}"),
    "vspace": (1, ""),
    "vspace*": (1, ""),
    "cline": (1, ""),
    "cmidrule": (1, ""),
    "require": (1, ""),
    "href": (2, "{#2}"),
    "url": (1, r"\texttt{#1}"),
    "multicolumn": (3, "{#3}"),
    "multirow": (3, "{#3}"),
    "scalebox": (2, "{#2}"),
    "resizebox": (3, "{#3}"),
    "intertext": (1, r"\text{#1}\\"),
    "shortintertext": (1, r"\text{#1}\\"),
    "overunderset": (3, r"\overset{#1}{\underset{#2}{#3}}"),
    "class": (2, "{#2}"),
    "style": (2, "{#2}"),
    "cssId": (2, "{#2}"),
}
"""Commands whose arguments are rearranged. A box has a frame instead of a colour, which would not suit every scheme."""
_REPLACED = {
    **{f"\\{name}": Macro(name, body) for name, body in _SAME.items()},
    **{f"\\{name}": Macro(name, body, count) for name, (count, body) in _WITH_ARGUMENTS.items()},
}
_WITH_OPTION = {"\\smash", "\\colorbox", "\\fcolorbox", "\\framebox", "\\bbox", "\\cmidrule", "\\scalebox"}
"""Commands with an optional argument that changes nothing that a page shows."""
_SIZES = ("tiny", "scriptsize", "footnotesize", "small", "normalsize", "large", "Large", "LARGE", "huge", "Huge")
_TEXT = {f"\\{name}" for name in ("text", "textrm", "textbf", "textit", "textsf", "texttt", "textsc", "emph")}
_BIG = {f"\\{size}{side}" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")}
_FENCES = {"\\left", "\\right", "\\middle"} | _BIG
_DELIMITERS = {"<": r"\langle", ">": r"\rangle", r"\<": r"\langle", r"\>": r"\rangle"}
_DEFINITIONS = {
    f"\\{name}"
    for name in ("newcommand", "renewcommand", "providecommand", "def", "gdef", "edef", "let", "DeclareMathOperator")
}
_IN_WORDS = {"#": r"\#", "_": r"\_", "^": r"\textasciicircum{}"}
_IN_TEXT = {"\\ref", "\\eqref", "\\textcolor"}
"""Commands that math-core has only outside a text."""


class Reference(NamedTuple):
    """A reference to an equation: its label, whether its number is in parentheses, and where it was written."""

    label: str
    in_parentheses: bool
    token: Token


class Found(NamedTuple):
    """The references and the equations of a formula. Inside a line and in environments, no equation has a number."""

    references: list[Reference]
    equations: list[Equation] | None

    @property
    def inside(self) -> "Found":
        """The same for a part of the formula."""
        return self._replace(equations=None)


def rewritten(tokens: list[Token], found: Found) -> list[Token]:
    """Return tokens without the commands and environments that math-core lacks. What they refer to goes to `found`."""
    reader = Reader(tokens)
    return [made for token in reader for made in _rewritten(token, reader, found)]


def _rewritten(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    if macro := _REPLACED.get(token.text):
        if token.text in _WITH_OPTION:
            reader.option()
        reader.put_back(replacement(token, macro, reader))
        return ()
    if rewrite := _REWRITERS.get(token.text):
        return rewrite(token, reader, found)
    return (token,)


_Rewrite = Callable[[Token, Reader, Found], Iterable[Token]]


def _comment(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    raise _comment_error(token)


def _comment_error(token: Token) -> FormulaError:
    return token.error("% begins a comment in LaTeX; write \\% for the sign")


def _hash(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    return token.becomes(r"\#")


def _definition(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    raise token.error(f"{token.text} cannot define a command in a formula; add it to macros of the page or the site")


def _control_space(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    return token.becomes("\\ ")


def _dollar(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    raise token.error("a $ inside a formula stands only in \\text{...}; write \\$ for the sign")


def _fence(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    r"""Write `\left<` as `\left\langle`. A large delimiter that is a dot is left out."""
    delimiter = reader.peek()
    if delimiter in _DELIMITERS:
        at = reader.argument(token)[0]
        return [token, *at.becomes(_DELIMITERS[delimiter])]
    if delimiter == "." and token.text in _BIG:
        reader.argument(token)
        return ()
    return (token,)


def _text(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    r"""Split a text into words and the formulas inside it: `\text{if $x$}` becomes `\text{if }{x}`."""
    inside = reader.argument(token)
    parts = [part for part in _text_parts(inside) if part[1]]
    for is_formula, part in parts:
        if is_formula:
            yield from token.group(rewritten(part, found.inside))
        else:
            yield from [token, *token.group(_words(part))]
    if not parts:
        yield from token.becomes(f"{token.text}{{}}")


def _text_parts(inside: list[Token]) -> Iterator[tuple[bool, list[Token]]]:
    r"""Yield the words and the formulas of a text; formulas are in dollars, or in `\(...\)`, or are references."""
    reader, words = Reader(inside), list[Token]()
    for token in reader:
        if token.text in ("$", "\\("):
            yield False, words
            words = []
            yield True, _until(token, "$" if token.text == "$" else "\\)", reader)
        elif token.text in _IN_TEXT:
            yield False, words
            words = []
            arguments = [reader.argument(token) for _ in range(2 if token.text == "\\textcolor" else 1)]
            yield True, [token, *(each for argument in arguments for each in token.group(argument))]
        else:
            words.append(token)
    yield False, words


def _until(opening: Token, end: str, reader: Reader) -> list[Token]:
    inside: list[Token] = []
    depth = 0
    for token in reader:
        if token.text == end and depth == 0:
            return inside
        depth += {"{": 1, "}": -1}.get(token.text, 0)
        inside.append(token)
    raise opening.error(f"this {opening.text} is not closed; add {end}")


def _words(words: list[Token]) -> Iterator[Token]:
    r"""Yield the words of a text. An empty group keeps the blank after `\%`, which math-core would drop."""
    for token, after in zip(words, [*words[1:], Token("", 0)], strict=True):
        if token.text == "%":
            raise _comment_error(token)
        yield from token.becomes(_IN_WORDS.get(token.text, token.text))
        if after.is_blank and len(token.text) == 2 and token.text[0] == "\\":
            yield from token.becomes("{}")


def _size(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Leave out a size of text, which a formula does not have."""
    return ()


def _fraktur(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Write the letter I as a sign of its own, because math-core takes its Fraktur form for an H."""
    letters = [each.becomes(r"\Im")[0] if each.text == "I" else each for each in reader.argument(token)]
    return [token, *token.group(rewritten(letters, found.inside))]


def _limits(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Leave out limits after a group, such as a brace below or above, which has them anyway."""
    return () if reader.before == "}" else (token,)


def _operator(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    r"""Write `\mathop{X}\limits_a^b` as parts below and above, and `\operatorname{x}\limits` as `\operatorname*{x}`."""
    name = reader.argument(token)
    if reader.peek() != "\\limits" and token.text != "\\mathop*":
        return [token, *token.group(rewritten(name, found.inside))]
    if reader.peek() == "\\limits":
        reader.argument(token)
    if token.text == "\\operatorname":
        return [*token.becomes(r"\operatorname*"), *token.group(rewritten(name, found.inside))]
    base = token.group(name)
    while (script := reader.peek()) in ("_", "^"):
        reader.argument(token)
        command = r"\underset" if script == "_" else r"\overset"
        base = token.group([*token.becomes(command), *token.group(reader.argument(token)), *base])
    return rewritten(base, found.inside)


def _line(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Write two lines above each other as one."""
    return () if reader.peek() == "\\hline" else (token,)


def _row_end(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Read over the space after the end of a line that is not in a table."""
    space_after(token, reader)
    return token.becomes(r"\\")


def _unnumbered(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    """Leave out that an equation has no number, where it has none anyway."""
    return ()


def _number(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    raise token.error(f"only a formula that a text displays has a {token.text}; write $$...$$")


def _environment(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    return environment(token, reader, found.equations, lambda tokens: rewritten(tokens, found.inside))


def _root(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    r"""Write `\root 3 \of x` as `\sqrt[3]{x}`."""
    index = _until(token, "\\of", reader)
    radicand = reader.argument(token)
    reader.put_back([*token.becomes(r"\sqrt["), *index, *token.becomes("]"), *token.group(radicand)])
    return ()


def _buildrel(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    r"""Write `\buildrel a \over =` as `\overset{a}{=}`."""
    above = _until(token, "\\over", reader)
    below = reader.argument(token)
    reader.put_back([*token.becomes(r"\overset"), *token.group(above), *token.group(below)])
    return ()


def _verb(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    mark = next(iter(reader), token)
    inside = _until(token, mark.text, reader)
    return [*token.becomes(r"\texttt"), *token.group(inside)]


def _reference(token: Token, reader: Reader, found: Found) -> Iterable[Token]:
    label = joined(reader.argument(token)).strip()
    found.references.append(Reference(label, token.text == "\\eqref", token))
    return token.becomes(rf"\text{{@@r{len(found.references) - 1}@@}}")


_REWRITERS: dict[str, _Rewrite] = {
    "%": _comment,
    "#": _hash,
    "$": _dollar,
    "\\\n": _control_space,
    "\\\t": _control_space,
    "\\begin": _environment,
    "\\\\": _row_end,
    "\\\\*": _row_end,
    "\\nonumber": _unnumbered,
    "\\notag": _unnumbered,
    "\\tag": _number,
    "\\tag*": _number,
    "\\label": _number,
    "\\hline": _line,
    "\\mathfrak": _fraktur,
    "\\limits": _limits,
    "\\nolimits": _limits,
    "\\mathop": _operator,
    "\\operatorname": _operator,
    "\\root": _root,
    "\\buildrel": _buildrel,
    "\\verb": _verb,
    "\\ref": _reference,
    "\\eqref": _reference,
    **dict.fromkeys((f"\\{size}" for size in _SIZES), _size),
    **dict.fromkeys(_FENCES, _fence),
    **dict.fromkeys(_TEXT, _text),
    **dict.fromkeys(_DEFINITIONS, _definition),
}
COMMANDS = frozenset(_REPLACED) | frozenset(_REWRITERS)
"""The commands and characters that this module rewrites."""
USUAL = frozenset({*_FENCES, *_TEXT, "\\operatorname"})
"""Those that stay as they are unless `UNUSUAL` finds something in the formula. They are in every second formula."""
UNUSUAL = re.compile(
    r"\\(?:left|right|middle)\s*\\?[<>]|\\[bB]igg?[lrm]?\s*(?:\\?[<>]|\.)|\\operatorname\s*\{[^{}]*\}\s*\\limits"
    r"|\\(?:text[a-z]*|emph)\s*(?:[^{\s]|\{[^{}]*[\\$%#_^{])"
)
