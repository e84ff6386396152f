"""Makes the formulas and tables of finished HTML fit the width of a phone and of a sheet of paper.

Most browsers keep a formula on one line. So a long formula becomes several `<math>` elements in a row, and a line can
end between any two of them: after a relation, an operator or a comma, as in print. A part that is still too long
scrolls by itself. The widths of formulas and tables are estimated in em. The style sheet gets them as `--em`, and
shrinks anything that is too wide.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

LONG = 9.0
"""A formula up to this width, in em, fits everywhere: in a heading on a phone, in a note, in a cell."""
SHORT = 3.0
"""The smallest width of a part of a formula, in em, so that no line consists of `x =` alone."""
FOCUSABLE = 14.0
"""A part wider than this, in em, may have to scroll even in running text, so it must be reachable by keyboard."""
MANY = 75.0
"""A table wider than this, in em, would be unreadable if it shrank to a sheet of paper, so its cells wrap there."""

_PART = re.compile(
    r"""
      <(?P<end>/?)a\b
    | (?: (?P<box><span[ ]class="display"[^>]*)> | <span[ ]class="whole">(?P<before>[^<]*) )?
      (?P<math><math\b[^>]*>.*?</math>)
      (?(before)(?P<after>[^<]*)</span>)
    """,
    re.DOTALL | re.VERBOSE,
)
_SCROLLED_TABLE = re.compile(r'(<div class="scroll"[^>]*>\s*<table\b)([^>]*>.*?</table>)', re.DOTALL)
_SCROLLED = re.compile(r'<(?:span class="(display)"|div class="(scroll)"|pre class="(code)") tabindex="0"')
_NAMES = {"display": "Formula", "scroll": "Table", "code": "Code"}
_ROW, _CELL = re.compile(r"<tr>(.*?)</tr>", re.DOTALL), re.compile(r"<t([dh])\b[^>]*>(.*?)</t[dh]>", re.DOTALL)
_UNSEEN, _NO_TEXT = re.compile(r"<annotation\b.*?</annotation>", re.DOTALL), re.compile(r"<[^>]*>")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)\w+;")
_GROUPS, _SCRIPTED = {"mrow", "mstyle"}, {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
_TALL = {"mfrac", "mtable", "mroot", "msqrt", *_SCRIPTED} - {"msub", "msup", "msubsup"}
_FENCES = set("()[]{}|‖∣∥⟨⟩⌈⌉⌊⌋")
_LARGE = set("∑∏∐∫∬∭∮⋃⋂⋁⋀⨁⨂⨀⨄⨆√∂∇∀∃¬∠")


def fitted(page: str) -> str:
    """Return a page whose formulas and tables fit their boxes, and whose scrolling boxes have names."""
    in_link = False

    def fit(match: re.Match[str]) -> str:
        nonlocal in_link
        if match["math"]:
            return _formula(match, in_link) or match[0]
        in_link = not match["end"]
        return match[0]

    return _SCROLLED.sub(_named, _SCROLLED_TABLE.sub(_table, _PART.sub(fit, page)))


def _named(match: re.Match[str]) -> str:
    """Return a scrolling box with a name. The keyboard can reach it, so a screen reader must be able to announce it."""
    return f'{match[0]} role="group" aria-label="{_NAMES[match[match.lastindex or 0]]}"'


# Formulas.


def _formula(match: re.Match[str], in_link: bool) -> str:
    """Return a long formula in parts, or "" for a short one or for markup that is not well formed."""
    from xml.etree.ElementTree import ParseError, fromstring

    try:
        math = fromstring(_ENTITY.sub(lambda entity: html.unescape(entity[0]), match["math"]))
        return _in_parts(math, match, in_link)
    except (ParseError, RecursionError):  # a template wrote it, or it is nested too deeply
        return ""


def _in_parts(math: "Element", match: re.Match[str], in_link: bool) -> str:
    display = match["box"] is not None
    if _width([math], display) <= LONG:
        return ""
    origin = math.attrib.pop("data-from", "")
    parts = _parts(math, display)
    if display:
        longest = max(_width([part], display) for part in parts)
        body = f'{match["box"]} style="--em: {ceil(longest)}">{"".join(map(_written, parts))}'
        return body.replace("<math", f'<math data-from="{html.escape(origin)}"', 1) if origin else body
    shown = [_strip(part, in_link) for part in parts]
    body = _glued(shown, match["before"] or "", match["after"] or "")
    return f'<span data-from="{html.escape(origin)}">{body}</span>' if origin else body


def _parts(math: "Element", display: bool) -> list["Element"]:
    """Return a formula as several elements, the first with its source, or unchanged if no line can end in it."""
    from xml.etree.ElementTree import Element, SubElement

    semantics = math.find("semantics")
    row = math if semantics is None else semantics[0]
    rows = _rows(_spread(row))
    if len(rows) > 1 and _width(rows[-1]) < SHORT:
        rows[-2:] = [rows[-2] + rows[-1]]
    if len(rows) == 1:
        return [math]
    attributes = {name: value for name, value in math.items() if name not in ("display", "aria-label")}
    attributes |= {"displaystyle": "true"} if display else {}
    parts = []
    for place, children in enumerate(rows):
        parts.append(part := Element("math", attributes))
        holder = SubElement(part, "semantics")
        SubElement(holder, "mrow").extend(children)
        if place == 0 and semantics is not None:
            holder.extend(semantics[1:])
    return parts


def _spread(row: Iterable["Element"]) -> Iterator["Element"]:
    """Yield the parts of a row. A group is split into several groups, and a text into words."""
    from xml.etree.ElementTree import Element

    for part in row:
        if part.tag == "mtext":
            yield from _words(part)
        elif part.tag in _GROUPS and _is_open(part):
            for children in _rows(_spread(part)):
                group = Element(part.tag, part.attrib)
                group.extend(children)
                yield group
        else:
            yield part


def _words(text: "Element") -> Iterator["Element"]:
    """Yield a text word by word. One with markup, such as a bold text or a link, stays whole."""
    from xml.etree.ElementTree import Element

    if len(text):
        yield text
    for word in re.findall(r"[ \xa0]*[^ \xa0]+[ \xa0]*|.+", text.text or "", re.DOTALL):
        part = Element(text.tag, text.attrib)
        part.text = word
        yield part


def _is_open(group: "Element") -> bool:
    """Return whether a line may end inside a group. It may not between brackets that are as tall as their content."""
    fences = [part for part in group if _grows(part)]
    if fences and any(part.tag in _TALL for part in group.iter()):
        return False
    for fence in fences:
        fence.set("stretchy", "false")
    return True


def _grows(part: "Element") -> bool:
    return (
        part.tag == "mo"
        and (part.text or "") in _FENCES
        and part.get("stretchy") != "false"
        and "maxsize" not in part.attrib
    )


def _rows(parts: Iterable["Element"]) -> list[list["Element"]]:
    """Split parts of a formula into rows, each of which ends where a line may end."""
    rows: list[list[Element]] = [[]]
    for part in parts:
        if part.tag != "mspace" and _may_end(rows[-1]) and _width(rows[-1]) >= SHORT:
            rows.append([])
        rows[-1].append(part)
    return rows


def _may_end(row: Sequence["Element"]) -> bool:
    """Return whether a line may end after these parts: at a relation, an operator, a comma, a word or a wide space."""
    if not row:
        return False
    last = row[-1]
    if last.tag == "mspace":
        return _width([last]) >= 1 or _may_end(row[:-1])
    if last.tag in _GROUPS:
        return _may_end(list(last))
    while last.tag in _SCRIPTED:
        last = last[0]
    if last.tag == "mtext":
        return (last.text or "").endswith((" ", "\xa0"))
    between = last.get("rspace") != "0" and last.get("form", "infix") == "infix"
    return last.tag == "mo" and between and _separates(last.text or "")


def _separates(sign: str) -> bool:
    if len(sign) != 1 or sign in _FENCES or sign in _LARGE:
        return False
    return sign in ",;:" or unicodedata.category(sign) == "Sm" or "ARROW" in unicodedata.name(sign, "")


def _strip(part: "Element", in_link: bool) -> str:
    """Return a part in running text. A wide one scrolls in a strip, which can be focused unless it is in a link."""
    width = _width([part])
    reached = ' tabindex="0" role="group" aria-label="Formula"' if width > FOCUSABLE and not in_link else ""
    body = _written(part)
    return f'<span class="strip"{reached} style="--em: {ceil(width)}">{body}</span>' if width > LONG else body


def _glued(parts: list[str], before: str, after: str) -> str:
    """Return the parts in a row. Text that touches the formula without a space stays with the first or last part."""
    if before:
        parts[0] = f'<span class="whole">{before}{parts[0]}</span>'
    if after:
        parts[-1] = f'<span class="whole">{parts[-1]}{after}</span>'
    return "".join(parts)


def _written(part: "Element") -> str:
    from xml.etree.ElementTree import tostring

    return tostring(part, encoding="unicode")


# Widths, in em. The estimates are generous, because a font may be wide.


def _width(parts: Iterable["Element"], display: bool = False) -> float:
    return sum(_width_of(part, display or part.get("displaystyle") == "true") for part in parts)


def _width_of(part: "Element", display: bool) -> float:
    if part.tag in _TOKENS:
        return _TOKENS[part.tag](part)
    if part.tag == "mtable":
        return _width_of_table(part, display)
    return _WIDTHS.get(part.tag, _of_row)([_width([child], display) for child in part], display)


def _of_row(children: list[float], display: bool) -> float:
    return sum(children)


def _of_root(children: list[float], display: bool) -> float:
    return sum(children) + 1.2


def _of_fraction(children: list[float], display: bool) -> float:
    return max(children, default=0) * (1 if display else 0.75) + 0.4


def _of_scripts(children: list[float], display: bool) -> float:
    return sum(children[:1]) + 0.75 * max(children[1:], default=0)


def _of_limits(children: list[float], display: bool) -> float:
    return max(sum(children[:1]), 0.75 * max(children[1:], default=0))


def _width_of_table(table: "Element", display: bool) -> float:
    columns = max((len(row) for row in table), default=0)
    widths = [max(_width([row[place]], display) for row in table if place < len(row)) for place in range(columns)]
    return sum(widths) + columns


def _width_of_sign(sign: "Element") -> float:
    text = sign.text or ""
    if all(unicodedata.category(character) == "Cf" for character in text):
        return 0.2
    if text in _FENCES:
        return 0.6
    spaces = sum(_length(sign.get(side, "0.3em")) for side in ("lspace", "rspace"))
    return _width_of_text(text) + (0.2 if text in ".,;:" else spaces + 0.3)


def _width_of_text(text: str) -> float:
    return sum(map(_width_of_character, text))


@cache
def _width_of_character(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    wide = unicodedata.east_asian_width(character) in "WF"
    return 1.1 if wide else 0.9 if character.isupper() or character in "mw" else 0.4 if character in ".,;:|!" else 0.68


def _length(written: str) -> float:
    number = re.match(r"[\d.]+", written)
    return float(number[0]) * (1 if "em" in written else 0.1) if number else 0


_TOKENS: dict[str, Callable[["Element"], float]] = {
    "annotation": lambda part: 0,
    "mo": _width_of_sign,
    "mspace": lambda part: _length(part.get("width", "")),
    **dict.fromkeys(("mi", "mn", "ms", "mtext"), lambda part: _width_of_text("".join(part.itertext()))),
}
_WIDTHS: dict[str, Callable[[list[float], bool], float]] = {
    "mfrac": _of_fraction,
    **dict.fromkeys(("msqrt", "mroot"), _of_root),
    **dict.fromkeys(("msub", "msup", "msubsup", "mmultiscripts"), _of_scripts),
    **dict.fromkeys(("munder", "mover", "munderover"), _of_limits),
}


# Tables.


def _table(match: re.Match[str]) -> str:
    """Return a table in a scrolling box, with the width that it needs if every line ends as early as it can."""
    rows = [[_width_of_cell(*cell) for cell in _CELL.findall(row)] for row in _ROW.findall(match[2])]
    columns = max(map(len, rows), default=0)
    widths = [max(row[place] for row in rows if place < len(row)) + 1 for place in range(columns)]
    width = sum(widths)
    many = f' class="many" style="--em: {ceil(width)}; --cell: {ceil(max(widths))}"' if width > MANY else ""
    few = f' style="--em: {ceil(width)}"'
    return f"{match[1]}{many or few}{match[2]}"


def _width_of_cell(kind: str, cell: str) -> float:
    """Return the width of the longest word in a cell, or of the longest part of a formula. Headings (`h`) are bold."""
    text = _NO_TEXT.sub("", _UNSEEN.sub("", cell).replace("</math>", " "))
    longest = max((_width_of_text(word) for word in re.split(r"[\s-]+", html.unescape(text))), default=0)
    return longest * (1.1 if kind == "h" else 1)
