"""Converts LaTeX to MathML Core that includes each formula in words and its source.

The library does the conversion. This module adds the colours of the roles, makes the MathML valid, and adds the words
for screen readers and the source for people who copy a formula.
"""

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.formulas import spoken
from scenebook.formulas._environments import SPACE, depth_of
from scenebook.formulas._rewrites import Reference
from scenebook.formulas._tokens import Token
from scenebook.formulas.equation import Equation
from scenebook.formulas.latex import Prepared, prepare
from scenebook.formulas.macros import Macros
from scenebook.formulas.mistake import FormulaError

_TABLE = re.compile(r'<mtable((?: (?!scriptlevel)[^ >]*)*)( scriptlevel="\d")?([^>]*)>')
"""A table. Its `scriptlevel` moves to an `mstyle` around it, because it is not allowed on a table."""
_LABEL = re.compile(r'aria-label="([^"]*)"')
_NAMED = "(?:angle|floor|ceil|vert|Vert|brace|brack|group)(?![A-Za-z])"
_OPENING = re.compile(rf"(?<!\\left)(?:(?<!\\)[(\[]|\\\{{|\\l{_NAMED})")
_CLOSING = re.compile(rf"(?<!\\right)(?:(?<!\\)[)\]]|\\\}}|\\r{_NAMED})")
UNCLOSED = 16
"""For each bracket that is left open, math-core takes twice as long."""
_MARK = re.compile(r"<mtext>@@(\d+)@@</mtext>")
_ANCHOR = re.compile(r'id="@@(\d+)@@"')
_REFERENCE = re.compile(r"<mtext>@@r(\d+)@@</mtext>")
_ALONE = re.compile(r"\s*(\\(eq)?ref)\s*\{([^{}]*)\}\s*")
_SAID = re.compile(r"(?:(\d+): )?(.*?)\.?", re.DOTALL)
_ROLES = {"query": "RubineRed", "key": "Dandelion", "value": "Plum"}
r"""The colours that the library gives to `\query{Q}`, `\key{K}` and `\value{V}`; each is then replaced by a class."""


class Label(NamedTuple):
    """What an author calls an equation, and its number or tag as a page shows it, without parentheses."""

    name: str
    shown: str


class Setting(NamedTuple):
    """What a formula needs from its page: the author's macros, the number of its first equation, and the labels.

    In a text that other places repeat, such as a title, no equation has a number, and references are not links.
    """

    macros: Macros = ()
    first: int = 1
    labels: tuple[Label, ...] = ()
    repeated: bool = False


ALONE = Setting()


def convert(source: str, display: bool = False, setting: Setting = ALONE) -> str:
    """Return LaTeX as MathML Core, with the words as its `aria-label` and the source as an annotation.

    Raises `FormulaError` if the LaTeX is not valid.
    """
    if len(_OPENING.findall(source)) - len(_CLOSING.findall(source)) > UNCLOSED:
        raise FormulaError(0, f"more than {UNCLOSED} brackets are not closed")
    prepared = prepare(source, numbered=display and not setting.repeated, macros=setting.macros)
    mathml = _finished(_converted(prepared, display), prepared, setting)
    label = html.escape(spoken.words(mathml))
    head, body, tail = mathml.partition(">")[0], mathml[mathml.index(">") + 1 : -len("</math>")], "</math>"
    annotation = f'<annotation encoding="application/x-tex">{html.escape(source, quote=False)}</annotation>'
    return f'{head} aria-label="{label}"><semantics><mrow>{body}</mrow>{annotation}</semantics>{tail}'


def _converted(prepared: Prepared, display: bool) -> str:
    """Return the library's MathML, or raise what it says at the place where the author wrote it."""
    import math_core

    try:
        return str(_converter().convert_with_local_state(prepared.latex, displaystyle=display))
    except math_core.LatexError as error:
        found = _SAID.fullmatch(str(error))
        index, message = (found[1], found[2]) if found else ("0", str(error))
        raise prepared.error(int(index or 0), message) from None


def _finished(mathml: str, prepared: Prepared, setting: Setting) -> str:
    """Return valid MathML with the roles' classes, the numbers of equations, and links to them."""
    for style, role in _role_styles().items():
        mathml = mathml.replace(style, f'class="{role}"')
    mathml = _TABLE.sub(r"<mstyle\2><mtable\1\3>", mathml).replace("</mtable>", "</mtable></mstyle>")
    mathml = mathml.replace(' style="width: 100%"', ' class="numbered"')
    mathml = mathml.replace("padding-top: 0;padding-bottom: 0;", "padding-top: .1em;padding-bottom: .1em;")
    if not prepared.tokens:
        return mathml
    tags = list(shown_tags(prepared.equations, setting.first))
    mathml = _MARK.sub(lambda mark: f"<mtext>{html.escape(tags[int(mark[1])])}</mtext>", mathml)
    mathml = _ANCHOR.sub(lambda mark: f'id="{anchor(prepared.equations[int(mark[1])].label)}"', mathml)
    mathml = _REFERENCE.sub(lambda mark: _linked(prepared.references[int(mark[1])], setting), mathml)
    return SPACE.sub(lambda mark: f'<mspace depth="{depth_of(mark[1])}"></mspace>', mathml)


def shown_tags(equations: Iterable[Equation], first: int) -> Iterator[str]:
    """Yield the number of each equation as a page shows it, or its own tag. `first` is the number of the first one."""
    numbers = count(first)
    for equation in equations:
        yield f"({next(numbers)})" if equation.tag is None else _plain(equation.tag)


def number_beside(equations: Sequence[Equation], first: int) -> str:
    """Return the number that stands beside a formula, as HTML, or "" if there is none."""
    if not equations or not equations[0].beside:
        return ""
    (shown,) = shown_tags(equations, first)
    label = equations[0].label
    place = f' id="{anchor(label)}"' if label else ""
    return f' <span class="number"{place}>{html.escape(shown)}</span>'


def _plain(tag: str) -> str:
    """Return a tag without markup, because math-core takes only a few characters in one."""
    if tag.isascii() and not set(tag) & set("$\\{}^_"):
        return tag
    mathml = _converted(prepare(rf"\text{{{tag}}}", numbered=False), display=False)
    return html.unescape(re.sub("<[^>]*>", "", mathml))


def anchor(label: str) -> str:
    """Return the id of an equation with this label."""
    return "eq:" + re.sub(r"[^\w.-]+", "-", label.removeprefix("eq:"))


def _linked(reference: Reference, setting: Setting) -> str:
    return f"<mtext>{reference_link(reference, setting)}</mtext>"


def alone(source: str) -> Reference | None:
    """Return the reference to an equation that a formula consists of, or None if it is anything else."""
    found = _ALONE.fullmatch(source)
    return Reference(found[3].strip(), found[2] is not None, Token(found[1], found.start(1))) if found else None


def reference_link(reference: Reference, setting: Setting) -> str:
    """Return a reference as HTML. Raises `FormulaError` if no equation has its label."""
    known = {label.name: label.shown for label in setting.labels}
    if reference.label not in known:
        message = f"no equation has the \\label{{{reference.label}}}{did_you_mean_or_list(reference.label, known)}"
        raise reference.token.error(message)
    shown = known[reference.label]
    words = html.escape(f"({shown})" if reference.in_parentheses else shown)
    return words if setting.repeated else f'<a href="#{anchor(reference.label)}">{words}</a>'


@cache
def _converter() -> Any:
    import math_core

    macros = {role: rf"\textcolor{{{color}}}{{#1}}" for role, color in _ROLES.items()}
    return math_core.LatexToMathML(fancy_error=False, macros=macros)


@cache
def _role_styles() -> dict[str, str]:
    """Return the role for each style attribute that the library writes for the colour of a role."""
    examples = {_converter().convert_with_local_state(rf"\{role}{{x}}", displaystyle=False): role for role in _ROLES}
    return {re.findall('style="[^"]*"', mathml)[0]: role for mathml, role in examples.items()}


def words(source: str) -> str:
    """Return a LaTeX formula in words. Raises `FormulaError` if the LaTeX is not valid, as `convert` does."""
    return html.unescape(_LABEL.findall(convert(source))[0])
