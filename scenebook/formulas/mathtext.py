r"""LaTeX for matplotlib, which draws formulas in labels: what it lacks is rewritten in what it has.

Most of what matplotlib lacks are other names. A symbol that it does not know becomes the character that MathML has for
it, so a label can have every symbol that a text can have.
"""

import html
import re
from collections.abc import Callable, Iterable, Iterator

from scenebook.formulas import mathml
from scenebook.formulas._rewrites import Found, rewritten
from scenebook.formulas._tokens import Reader, Token, joined, tokens_of
from scenebook.formulas.mistake import FormulaError

IsKnown = Callable[[str], bool]
_NAMES = {
    "ge": r"\geq",
    "le": r"\leq",
    "ne": r"\neq",
    "gets": r"\leftarrow",
    "land": r"\wedge",
    "lor": r"\vee",
    "lnot": r"\neg",
    "iff": r"\Longleftrightarrow",
    "implies": r"\Longrightarrow",
    "lVert": r"\Vert",
    "rVert": r"\Vert",
    "lvert": r"\vert",
    "rvert": r"\vert",
    "|": r"\Vert",
    "cdots": "⋯",
    "dots": r"\ldots",
    "displaystyle": "",
    "textstyle": "",
    "limits": "",
    "nolimits": "",
    "operatorname*": r"\operatorname",
    "bm": r"\boldsymbol",
    "bold": r"\boldsymbol",
    "Bbb": r"\mathbb",
    "pmod": r"\ \operatorname{mod}\ ",
    "tfrac": r"\frac",
    "cfrac": r"\dfrac",
    "tbinom": r"\binom",
    "dbinom": r"\binom",
    "stackrel": r"\overset",
    "textrm": r"\text",
    "textup": r"\text",
    "overrightarrow": r"\vec",
    "thinspace": r"\,",
    "enspace": r"\;",
    "bmod": r"\ \operatorname{mod}\ ",
    **{f"{size}{side}": "" for size in ("big", "Big", "bigg", "Bigg") for side in ("", "l", "r", "m")},
    "mathrel": "",
    "mathbin": "",
    "mathord": "",
    "mathop": "",
    "mathopen": "",
    "mathclose": "",
    "mathpunct": "",
    "mathinner": "",
}
_FONTS = {"textbf": "mathbf", "textit": "mathit", "textsf": "mathsf", "texttt": "mathtt"}
"""Styles of text, and the same for letters of a formula."""
_ACCENTS = ("vec", "hat", "bar", "tilde", "dot", "ddot", "check", "breve", "acute", "grave", "mathring", "widehat")
_STYLES = ("rm", "bf", "it", "bb", "cal", "scr", "frak", "sf", "tt", "normal", "default")
_ARGUMENTS = dict.fromkeys((*_ACCENTS, "widetilde", "dddot", "ddddot", *(f"math{style}" for style in _STYLES)), 1)
_ARGUMENTS |= dict.fromkeys(("sqrt", "boldsymbol", "operatorname", "overline", "underline", "text"), 1)
_ARGUMENTS |= dict.fromkeys(("frac", "dfrac", "binom", "overset", "underset"), 2)
"""Commands with arguments that matplotlib has, and how many they have. It needs braces around each."""
_AFTER = {"\\left", "\\right", "\\middle"}
_TAG = re.compile(r"<annotation\b.*?</annotation>|<[^>]*>", re.DOTALL)


def for_matplotlib(latex: str, is_known: IsKnown) -> str:
    r"""Return a formula for matplotlib. `is_known` says whether it has a command, such as `\alpha`.

    Raises `FormulaError` if a drawing cannot show the formula.
    """
    try:
        return joined(_drawable(rewritten(tokens_of(latex), Found([], None)), is_known))
    except RecursionError:
        raise FormulaError(0, "its parts are nested too deeply") from None


def _drawable(tokens: Iterable[Token], is_known: IsKnown) -> Iterator[Token]:
    reader = Reader(list(tokens))
    for token in reader:
        name = token.text[1:] if token.text[0] == "\\" else ""
        if token.text == "\\begin":
            yield from _lines(token, reader, is_known)
        elif name in _NAMES:
            reader.put_back(token.becomes(_NAMES[name]))
        elif name in _FONTS:
            letters = (each.becomes("\\ ")[0] if each.is_blank else each for each in reader.argument(token))
            yield from (*token.becomes(rf"\{_FONTS[name]}"), *token.group(letters))
        elif name in _ARGUMENTS:
            yield token
            yield from _option(token, reader, is_known)
            for _ in range(_ARGUMENTS[name]):
                argument = reader.argument(token)
                inside = argument if name == "text" else _drawable(argument, is_known)
                yield from token.group(inside)
        elif name.isalpha() and token.text not in _AFTER and not is_known(token.text):
            yield from token.becomes(_characters(token.text))
        else:
            yield token


def _lines(begin: Token, reader: Reader, is_known: IsKnown) -> Iterator[Token]:
    r"""Yield lines below each other, as `\substack` writes them. Other environments cannot be drawn."""
    name, inside, _ = reader.environment(begin)
    if name != "subarray":
        raise begin.error(f"a drawing cannot show \\begin{{{name}}}; show this formula in the caption")
    content = Reader(inside)
    content.argument(begin)
    lines = _drawable(list(content), is_known)
    yield from (*begin.becomes(r"\substack"), *begin.group(lines))


def _option(token: Token, reader: Reader, is_known: IsKnown) -> Iterator[Token]:
    """Yield the index of a root."""
    if token.text == "\\sqrt" and (index := reader.option()) is not None:
        yield from (token._replace(text="["), *_drawable(index, is_known), token._replace(text="]"))


def _characters(command: str) -> str:
    """Return the characters that MathML has for a command, or the command itself if it needs arguments."""
    try:
        body = mathml.convert(command)
    except ValueError:
        return command
    shown = html.unescape(_TAG.sub("", body)).replace("\u2061", "").strip()
    return rf"\operatorname{{{shown.replace(' ', chr(92) + ' ')}}}" if len(shown) > 1 and shown.isascii() else shown
