r"""Environments such as `align`, as environments that math-core has, with marks for the numbers of their equations.

A row that has a number gets the mark `@@N@@`, where N counts the numbered rows of the formula. The number itself comes
later, because only the page knows how many equations stand above. A mark for the space below a row is a character that
stands for nothing else.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from scenebook.formulas._tokens import NESTED, Reader, Token, is_blank, joined, split
from scenebook.formulas.equation import Equation

Rewrite = Callable[[list[Token]], list[Token]]


class Ends(NamedTuple):
    r"""The `\begin` and the `\end` of an environment."""

    begin: Token
    end: Token


_RENAMED = {
    "split": "aligned",
    "alignedat": "aligned",
    "IEEEeqnarraybox": "aligned",
    "multlined": "gathered",
    "alignat": "align",
    "flalign": "align",
    "eqnarray": "align",
    "IEEEeqnarray": "align",
    "dmath": "equation",
}
_NUMBERED = {"align": "aligned", "gather": "gathered", "multline": "gathered", "equation": "equation*"}
"""Environments with numbers, and what they are inside a line or another environment."""
_WITH_TAGS = {"aligned": "align", "gathered": "gather"}
"""What environments without numbers are if one of their rows has a tag."""
_TRANSPARENT = {"displaymath", "math", "subequations"}
_WITH_ARGUMENT = {"alignat", "alignedat", "IEEEeqnarray", "IEEEeqnarraybox"}
_WITH_RELATION = {"eqnarray", "IEEEeqnarray", "IEEEeqnarraybox"}
"""Environments whose relation has a column of its own. It joins the right side."""
_WITH_COLUMNS = {"array", "darray", "subarray"}
_MATRIX = re.compile(r"([pbBvV]?)(small)?matrix(\*?)")
_FENCES = {"p": ("(", ")"), "b": ("[", "]"), "B": (r"\{", r"\}"), "v": ("|", "|"), "V": (r"\|", r"\|")}
_END_OF_ROW = {r"\\", r"\\*", r"\cr", r"\tabularnewline", r"\newline"}
_TAGS = {r"\tag", r"\tag*", r"\eqno", r"\leqno"}
_UNNUMBERED = {r"\nonumber", r"\notag"}
_UNSEEN = {r"\,", r"\:", r"\;", r"\!", r"\ ", r"\quad", r"\qquad", r"\displaystyle", r"\textstyle", r"\fill"}
_LENGTH = re.compile(r"(-?\d*\.?\d*)(em|ex|pt|bp|pc|mm|cm|in|px|mu|\\[a-z]+)")
_EM = {"em": 1, "ex": 0.45, "pt": 0.1, "bp": 0.1, "pc": 1.2, "mm": 0.28, "cm": 2.8, "in": 7.2, "px": 0.06, "mu": 0.06}
_EM |= {r"\jot": 0.3, r"\baselineskip": 1.2, r"\smallskipamount": 0.3, r"\medskipamount": 0.6}
_FIRST_SPACE, _SPACES, _STEP = 0xFDD0, 32, 0.25
SPACE = re.compile(f"<m[io][^>]*>([{chr(_FIRST_SPACE)}-{chr(_FIRST_SPACE + _SPACES - 1)}])</m[io]>")
"""The mark for space below a row, in MathML: one character for each quarter of an em."""


def depth_of(mark: str) -> str:
    """Return how far a row with a mark reaches below its line."""
    return f"{(ord(mark) - _FIRST_SPACE) * _STEP + 0.25:g}em"


def environment(begin: Token, reader: Reader, equations: list[Equation] | None, rewrite: Rewrite) -> Iterable[Token]:
    r"""Read an environment after its `\begin`, and return what replaces it.

    Equations with numbers are added to `equations`. It is None inside a line and inside another environment, where
    nothing has a number.
    """
    written, inside, end = reader.environment(begin)
    ends = Ends(begin, end)
    name, content = written.removesuffix("*"), Reader(inside)
    if name in _TRANSPARENT:
        return rewrite(inside)
    if matrix := _MATRIX.fullmatch(written):
        return _matrix(ends, matrix, content, rewrite)
    if name in _WITH_COLUMNS:
        _skip_position(content)
        return _array(ends, written, _columns(content.argument(begin)), content, rewrite)
    if written in ("cases*", "dcases*"):
        rows = [([*cells[0], *_in_words(begin, cells[1:])], space) for cells, space in _cells(content)]
        return _wrapped(ends, name, rows, rewrite)
    return _rows_of(ends, written, content, equations, rewrite)


def alone(tokens: list[Token], equations: list[Equation]) -> list[Token] | None:
    """Return the content of an equation that is the whole formula, or None if there is anything else."""
    begins = [index for index, token in enumerate(tokens) if not token.is_blank][:1]
    if not begins or tokens[begins[0]].text != r"\begin":
        return None
    begin, reader = tokens[begins[0]], Reader(tokens[begins[0] + 1 :])
    written, inside, _ = reader.environment(begin)
    name = written.removesuffix("*")
    if reader.peek() or _RENAMED.get(name, name) != "equation":
        return None
    row = _joined_rows(begin, "equation", list(_rows(Reader(inside))))
    *content, _ = _numbered(row, begin, equations, default=name == written)
    equations[:] = [equation._replace(beside=True) for equation in equations]
    return content


def _rows_of(
    ends: Ends, written: str, content: Reader, equations: list[Equation] | None, rewrite: Rewrite
) -> Iterable[Token]:
    """Return an environment that has rows, with numbers if it has any."""
    begin = ends.begin
    name, starred = written.removesuffix("*"), written.endswith("*")
    kind = _RENAMED.get(name, name)
    if kind in _NUMBERED or name in _RENAMED or kind in _WITH_TAGS:
        _skip_position(content)
    if name in _WITH_ARGUMENT:
        content.argument(begin)
    rows = list(_rows(content))
    if name in _WITH_RELATION:
        rows = [(_with_relation(row), space) for row, space in rows]
    if equations is not None and kind in _WITH_TAGS and any(has_number(row) for row, _ in rows):
        kind, starred = _WITH_TAGS[kind], True
    if kind not in _NUMBERED:
        return _wrapped(ends, written if kind == name else kind, rows, rewrite)
    if equations is None:
        return _wrapped(ends, _NUMBERED[kind], [(_without_number(row), space) for row, space in rows], rewrite)
    if kind in ("equation", "multline"):
        rows = [(_joined_rows(begin, kind, rows), 0)]
    numbered = [(_numbered(row, begin, equations, default=not starred), space) for row, space in rows]
    return _wrapped(ends, "multline" if kind == "multline" else f"{kind}*", numbered, rewrite)


Rows = list[tuple[list[Token], float]]


def _wrapped(ends: Ends, name: str, rows: Rows, rewrite: Rewrite, head: str = "") -> Iterator[Token]:
    """Yield an environment with its rows."""
    begin = ends.begin
    yield from begin.becomes(rf"\begin{{{name}}}{head}")
    for number, (row, space) in enumerate(rows, 1):
        yield from rewrite(row)
        if space > 0:
            yield begin._replace(text=chr(_FIRST_SPACE + min(_SPACES - 1, round(space / _STEP))))
        if number < len(rows):
            yield begin._replace(text=r"\\")
    yield from ends.end.becomes(rf"\end{{{name}}}")


# Rows.


def _rows(content: Reader) -> Iterator[tuple[list[Token], float]]:
    r"""Yield the rows of an environment, each with the space below it. A `\\` at the end begins no row."""
    row: list[Token] = []
    depth = count = 0
    for token in content:
        depth += NESTED.get(token.text, 0)
        if depth == 0 and token.text in _END_OF_ROW:
            count += 1
            yield row, space_after(token, content)
            row = []
        else:
            row.append(token)
    if not count or not is_blank(row):
        yield row, 0


def space_after(token: Token, reader: Reader) -> float:
    r"""Read the length after `\\`, if there is one, and return it in em."""
    option = reader.option_at_once()
    if option is None:
        return 0
    length = _LENGTH.fullmatch(joined(option).replace(" ", ""))
    if length is None or length[2] not in _EM:
        raise token.error("after \\\\, [...] is a length such as [2ex]; write \\\\{} before a bracket")
    return float(length[1] or 1) * _EM[length[2]]


def _cells(content: Reader) -> Iterator[tuple[list[list[Token]], float]]:
    yield from ((split(row, "&"), space) for row, space in _rows(content))


def _with_relation(row: list[Token]) -> list[Token]:
    """Return a row `a & = & b` with two columns instead of three."""
    cells = split(row, "&")
    ampersands = [token for token in row if token.text == "&"][:1]
    return [*cells[0], *ampersands, *(token for cell in cells[1:] for token in cell)]


def _in_words(begin: Token, cells: Iterable[list[Token]]) -> Iterator[Token]:
    for cell in cells:
        yield from [*begin.becomes(r"&\text"), *begin.group(cell)]


def _skip_position(content: Reader) -> None:
    """Read over `[t]`, `[c]` or `[b]`: how an environment stands beside what surrounds it."""
    option = content.option() or []
    if joined(option).strip() not in ("", "t", "c", "b"):
        content.put_back([*option[0].becomes("["), *option, *option[0].becomes("]")])


# Numbers.


def has_number(tokens: Iterable[Token]) -> bool:
    r"""Return whether LaTeX has a `\tag` or `\label`."""
    return any(token.text in _TAGS or token.text == r"\label" for token in tokens)


def has_lines(tokens: list[Token]) -> bool:
    r"""Return whether a displayed formula has several lines, which `\\` separates, without an environment."""
    rows = [[token.text for token in row] for row, _ in _rows(Reader(tokens))]
    whole = all(row.count(r"\left") == row.count(r"\right") for row in rows)
    return len(rows) > 1 and whole and len(split(tokens, "&")) == 1


def needs_equation(tokens: Iterable[Token]) -> bool:
    """Return whether a displayed formula has a tag or label outside the environments that could hold one."""
    outermost, depth = "", 0
    tokens = list(tokens)
    for index, token in enumerate(tokens):
        if token.text == r"\begin" and depth == 0:
            outermost = joined(Reader(tokens[index + 1 :]).argument(token)).removesuffix("*")
        depth += {r"\begin": 1, r"\end": -1}.get(token.text, 0)
        kind = _RENAMED.get(outermost, outermost) if depth else ""
        if kind not in _NUMBERED and kind not in _WITH_TAGS and kind not in _TRANSPARENT and has_number([token]):
            return True
    return False


def _joined_rows(begin: Token, kind: str, rows: Rows) -> list[Token]:
    """Return the rows of an environment that has one number. In an equation they are centred below each other."""
    end = begin._replace(text=r"\\")
    tokens = [token for number, (row, _) in enumerate(rows) for token in ([end, *row] if number else row)]
    if kind == "multline" or len(rows) == 1:
        return tokens
    commands = [token for row, _ in rows for token in _only_numbers(row)]
    return [
        *begin.becomes(r"\begin{gathered}"),
        *_read_numbers(tokens)[0],
        *begin.becomes(r"\end{gathered}"),
        *commands,
    ]


def _read_numbers(row: list[Token]) -> tuple[list[Token], list[tuple[Token, list[Token]]]]:
    """Return a row without its commands for numbers, and these commands with their arguments."""
    reader, rest = Reader(row), list[Token]()
    commands = []
    for token in reader:
        if token.text in _TAGS or token.text == r"\label":
            commands.append((token, reader.argument(token)))
        elif token.text in _UNNUMBERED:
            commands.append((token, []))
        else:
            rest.append(token)
    return rest, commands


def _only_numbers(row: list[Token]) -> Iterator[Token]:
    for token, argument in _read_numbers(row)[1]:
        yield from [token] if token.text in _UNNUMBERED else [token, *token.group(argument)]


def _without_number(row: list[Token]) -> list[Token]:
    """Return a row that cannot have a number. A tag or a label in it is a mistake."""
    rest, commands = _read_numbers(row)
    for token, _ in commands:
        if token.text not in _UNNUMBERED:
            raise token.error(f"only a formula that a text displays has a {token.text}; write $$...$$")
    return rest


def _numbered(row: list[Token], begin: Token, equations: list[Equation], *, default: bool) -> list[Token]:
    """Return a row with the mark of its number, if it has one."""
    rest, commands = _read_numbers(row)
    tags = [(token, argument) for token, argument in commands if token.text in _TAGS]
    labels = [(token, argument) for token, argument in commands if token.text == r"\label"]
    for token, _ in (*tags[1:], *labels[1:]):
        raise token.error(f"an equation has one {token.text.rstrip('*')}; remove one of them")
    without = next((token for token, _ in commands if token.text in _UNNUMBERED), None)
    if without and labels and not tags:
        raise without.error(f"{without.text} leaves an equation with a \\label without a number; remove one of them")
    if not tags and not labels and (without or not default):
        return [*rest, begin._replace(text=r"\nonumber ")]
    label = joined(labels[0][1]).strip() if labels else ""
    equations.append(Equation(label, _tag(*tags[0]) if tags else None, labels[0][0] if labels else begin))
    mark = f"@@{len(equations) - 1}@@"
    commands_of_mark = rf"\tag*{{{mark}}}" + (rf"\label{{{mark}}}" if label else "")
    return [*rest, begin._replace(text=commands_of_mark)]


def _tag(command: Token, argument: list[Token]) -> str:
    tag = joined(argument).strip()
    if command.text == r"\tag*":
        return tag
    return tag if command.text != r"\tag" and tag.startswith("(") else f"({tag})"


# Matrices and arrays.


def _matrix(ends: Ends, matrix: re.Match[str], content: Reader, rewrite: Rewrite) -> Iterable[Token]:
    kind, small, starred = matrix.groups()
    align = joined(content.option() or []) if starred else ""
    if not small and not starred:
        return _wrapped(ends, f"{kind}matrix", list(_rows(content)), rewrite)
    rows = list(_rows(content))
    columns = (align.strip() or "c") * max((len(split(row, "&")) for row, _ in rows), default=1)
    table = _wrapped(ends, "subarray" if small else "array", rows, rewrite, f"{{{columns}}}")
    if not kind:
        return table
    left, right = _FENCES[kind]
    return [*ends.begin.becomes(rf"\left{left}"), *table, *ends.end.becomes(rf"\right{right}")]


def _array(ends: Ends, name: str, columns: str, content: Reader, rewrite: Rewrite) -> Iterable[Token]:
    return _wrapped(ends, name.removesuffix("*"), list(_rows(content)), rewrite, f"{{{columns}}}")


def _columns(tokens: list[Token]) -> str:
    """Return the columns of an array in the letters that math-core has: `c`, `l`, `r` and lines."""
    reader, columns = Reader(tokens), ""
    for token in reader:
        if token.text in "lcr|:":
            columns += token.text if token.text != "|" or columns[-1:] != "|" else ""
        elif token.text in ("p", "m", "b", "X"):
            columns += "l"
            if reader.peek() == "{":
                reader.argument(token)
        elif token.text == "*":
            count = joined(reader.argument(token)).strip()
            columns += _columns(reader.argument(token)) * (int(count) if count.isdecimal() else 1)
        elif token.text in ("@", "!", ">", "<"):
            _check_between(token, reader.argument(token))
        elif not token.is_blank:
            raise token.error(f"{token.text} is not a column of an array; write l, c or r")
    return columns


def _check_between(token: Token, between: list[Token]) -> None:
    """Refuse what an array would repeat between its columns, unless it is only space or a style."""
    reader = Reader(between)
    for each in reader:
        if each.text in (r"\hspace", r"\extracolsep") and reader.peek() == "{":
            reader.argument(each)
        elif each.text not in _UNSEEN and not each.is_blank:
            raise token.error(f"an array cannot repeat '{joined(between)}' in every row; write it in the rows")
