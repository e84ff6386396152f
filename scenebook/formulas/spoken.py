"""Puts formulas into words for places that cannot contain markup: accessible names, window titles, feeds, alt texts.

The words are generated from MathML, so every LaTeX command that can be converted to MathML has words. They preserve the
grouping that a reader sees: a part with more than one symbol gets words for its end ("the fraction a plus b over c, end
fraction"). So formulas that look different also sound different.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from html import unescape
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from scenebook.formulas._symbols import (
    ACCENTS,
    FUNCTIONS,
    LIMITS,
    OPERATORS,
    PAIRS,
    RAISED,
    ROOTS,
    STYLES,
    SYMBOLS,
    WITHIN,
)
from scenebook.formulas.mistake import FormulaError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Node(NamedTuple):
    """A part of a formula. Either it has text or it has parts, depending on its tag.

    Symbols (`mi`, `mn`, `mo`) and ready-made `words` have text. `scripts` has a base, a subscript and a superscript as
    its parts. `fence` has an opening symbol, the content and a closing symbol. An empty `row` stands for nothing. Other
    tags are those of MathML.
    """

    tag: str
    text: str = ""
    parts: tuple["Node", ...] = ()


NOTHING, COMMA = Node("row"), Node("mo", ",")
MERGED = {"...": "…", ":=": "≔"}
"""Symbols that LaTeX writes with several characters."""
FUNCTION_LETTERS = set("fghFGHOpPq")
"""Letters that are read as functions if a parenthesis follows."""
_SYMBOLS = {"mi", "mn", "mo", "words"}
_ROWS = {"math", "mrow", "mstyle", "mpadded", "merror", "mtd", "semantics"}
_INVISIBLE = {"mspace", "mphantom", "annotation", "none"}
_SCRIPTS = {"msub": "_", "munder": "_", "msup": "^", "mover": "^", "msubsup": "_^", "munderover": "_^"}
_GLUE, _NOT = "\u2060", "\u0338"
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)\w+;")
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)")


@lru_cache(256)
def words(mathml: str) -> str:
    """Return a MathML formula in words. Raises `FormulaError` if it is nested too deeply."""
    from xml.etree.ElementTree import fromstring

    try:
        spoken = _say(_node(fromstring(_ENTITY.sub(lambda entity: unescape(entity[0]), mathml))))
    except RecursionError:
        raise FormulaError(0, "its parts are nested too deeply; split it into several formulas") from None
    return re.sub(rf" *{_GLUE} *", "", re.sub(rf" *{_GLUE}(?=[,.;:](?!{_GLUE}))", "", " ".join(spoken.split())))


# From MathML to a tree without invisible parts, in which parts that belong together are grouped.


def _node(element: "Element") -> Node:
    parts = tuple(_node(child) for child in element)
    match element.tag:
        case "mi" | "mn" | "mo" | "mtext" | "ms":
            return _symbol(element)
        case "msub" | "msup" | "msubsup" | "munder" | "mover" | "munderover":
            return _scripted(element.tag, parts)
        case "mfrac" if element.get("linethickness") == "0":
            return Node("stack", parts=parts)
        case "mtable" if element.get("displaystyle") == "true":
            return Node("lines", parts=parts)
        case "msqrt":
            return Node("msqrt", parts=(_row(parts),))
        case "menclose":
            return Node("box" if element.get("notation") == "box" else "strike", parts=(_row(parts),))
    if element.tag in _INVISIBLE:
        return NOTHING
    return _row(parts) if element.tag in _ROWS else Node(element.tag, "", parts)


def _symbol(element: "Element") -> Node:
    text = re.sub("[\ufe00-\ufe0f]", "", "".join(element.itertext()))
    text = " ".join(text.split())
    if element.tag in ("mtext", "ms"):
        glue = _GLUE if text[:1] in set("-,.;:!?’") else ""
        return Node("words", glue + text) if text else NOTHING
    if text == "," and element.get("rspace") == "0":
        return Node("grouping", text)
    return Node("mo" if text in SYMBOLS else element.tag, text) if SYMBOLS.get(text, text).strip() else NOTHING


def _row(parts: Iterable[Node]) -> Node:
    """Return one row. Rows inside it are merged into it, and parentheses and bars are grouped with their content."""
    flat = [item for part in parts for item in (part.parts if part.tag == "row" else (part,))]
    items = _barred(_fenced(list(_merged(flat))), "")
    tables = [item for item in items if item.tag in ("mtable", "lines")]
    if len(items) == 2 and tables and {"{", "}"} & {item.text for item in items}:
        return Node("cases", parts=tuple(tables))
    return items[0] if len(items) == 1 else Node("row", parts=tuple(items))


def _scripted(tag: str, parts: tuple[Node, ...]) -> Node:
    """Return a base with its scripts. Those of a parenthesis go to its closing symbol, however LaTeX groups them."""
    base, scripts = parts[0], dict(zip(_SCRIPTS[tag], parts[1:], strict=True))
    lower, upper = scripts.get("_", NOTHING), scripts.get("^", NOTHING)
    kind = "scripts" if tag.startswith("ms") or base.text in {*OPERATORS, *LIMITS} else "around"
    if lower == upper == NOTHING:
        return base
    if kind == "scripts" and base.tag == "fence" and base.parts[2].tag == "mo":
        opening, inside, closing = base.parts
        return base._replace(parts=(opening, inside, Node(kind, parts=(closing, lower, upper))))
    if base.tag == "row" and base.parts[-1:] == (Node("words", SYMBOLS["|"]),):
        return base._replace(parts=(*base.parts[:-1], Node(kind, parts=(base.parts[-1], lower, upper))))
    if kind == base.tag == "scripts" and lower == base.parts[2] == NOTHING:
        return base._replace(parts=(*base.parts[:2], upper))
    if kind == base.tag == "scripts" and upper == base.parts[1] == NOTHING:
        return base._replace(parts=(base.parts[0], lower, base.parts[2]))
    return Node(kind, parts=(base, lower, upper))


def _base(node: Node) -> Node:
    """Return a node without its scripts."""
    return _base(node.parts[0]) if node.tag in ("scripts", "around") else node


def _merged(items: list[Node]) -> Iterator[Node]:
    """Merge the characters of symbols such as ... and :=, and the digit groups of numbers."""
    while items:
        symbol = next(
            (symbol for symbol in MERGED if "".join(item.text for item in items[: len(symbol)]) == symbol), ""
        )
        grouped = [item.tag for item in items[:3]] == ["mn", "grouping", "mn"] and re.match(r"\d{3}", items[2].text)
        if symbol:
            yield Node("mo", MERGED[symbol])
            items = items[len(symbol) :]
        elif grouped:
            items = [Node("mn", f"{items[0].text},{items[2].text}"), *items[3:]]
        else:
            yield items[0] if items[0].tag != "grouping" else COMMA
            items = items[1:]


def _fenced(items: list[Node]) -> list[Node]:
    """Group each opening parenthesis with its content and the next closing one, which can be of another kind."""
    levels: list[list[Node]] = [[]]
    for item in items:
        if item.tag == "mo" and item.text in set("([{⟨⌊⌈"):
            levels.append([item])
        elif _base(item).tag == "mo" and _base(item).text in set(")]}⟩⌋⌉") and len(levels) > 1:
            opening, *inside = levels.pop()
            levels[-1].append(_fence(opening, inside, item))
        else:
            levels[-1].append(item)
    return [item for level in levels for item in level]


def _fence(opening: Node, inside: list[Node], closing: Node) -> Node:
    items = _barred(inside, opening.text)
    return Node("fence", parts=(opening, items[0] if len(items) == 1 else Node("row", parts=tuple(items)), closing))


def _barred(items: list[Node], parenthesis: str) -> list[Node]:
    """Group each pair of bars with its content; `parenthesis` is the opening symbol around the items, if any."""
    for bar in "|‖":
        items = list(_between_bars(items, bar))
    single_bar = Node("words", WITHIN.get(parenthesis, SYMBOLS["|"]))
    return [single_bar if item.tag == "mo" and item.text in "|∣" else item for item in items]


def _between_bars(items: list[Node], bar: str) -> Iterator[Node]:
    """Group each pair of one kind of bar. If the number of bars is odd, one of them is single, between two parts."""
    bars = [index for index, item in enumerate(items) if _base(item) == Node("mo", bar)]
    start = 0
    while bars:
        opening = bars.pop(0)
        yield from items[start:opening]
        inside = items[opening + 1 : bars[0]] if bars else []
        start = opening + 1
        if items[opening].tag == "mo" and inside and COMMA not in inside and (len(bars) % 2 or not opening):
            start = bars.pop(0) + 1
            yield _fence(items[opening], inside, items[start - 1])
        else:
            yield items[opening]
    yield from items[start:]


# From the tree to words.


def _say(node: Node) -> str:
    return _WORDS.get(node.tag, _all)(node.parts) if node.tag not in _SYMBOLS else _symbol_in_words(node)


def _all(parts: tuple[Node, ...]) -> str:
    return " ".join(filter(None, map(_say, parts)))


def _in_order(parts: tuple[Node, ...]) -> str:
    return " ".join(piece for before, item in pairwise((NOTHING, *parts)) for piece in _after(before, item))


def _after(before: Node, item: Node) -> Iterator[str]:
    """Yield the words for a part of a row: "of" after a function, and no parentheses around a short argument."""
    argument = item.tag == "fence" and item.parts[0].text == "(" and _is_function(before)
    if argument or _is_operator(before):
        yield "of"
    short = argument and item.parts[1] != NOTHING and _is_short(item.parts[1]) and item.parts[2].tag == "mo"
    yield _say(item.parts[1] if short else item)


def _is_function(node: Node) -> bool:
    base = _base(node)
    name = base.text.replace(" ", "")
    return base.tag == "mi" and (name in FUNCTION_LETTERS or (len(name) > 1 and name.isalpha() and name != "mod"))


def _is_operator(node: Node) -> bool:
    """Return whether a node is an operator, such as a sum or a limit, that applies to what follows."""
    base = _base(node)
    return base.text in OPERATORS or (base.text in LIMITS and base is not node)


def _is_short(node: Node) -> bool:
    """Return whether it is clear without further words where a part ends: a symbol, or one with symbols as scripts."""
    parts = node.parts if node.tag == "scripts" and not _is_operator(node) else (node,)
    return all(part.tag in _SYMBOLS or part == NOTHING for part in parts)


def _closed(node: Node) -> str:
    """Return a part in words that make clear where it ends, so that more words can follow."""
    return _say(node) if node.tag in _SYMBOLS or node == NOTHING else f"the quantity {_say(node)}, end quantity"


def _long(start: str, part: Node, end: str) -> str:
    return f"{start} {_say(part)}" if _is_short(part) else f"{start} the quantity {_say(part)}, {end}"


def _pair(start: str, parts: tuple[Node, ...], between: str, end: str) -> str:
    """Return two parts with a word between them. "All" is added if that word is also inside one of the parts."""
    first, second = map(_say, parts)
    if all(map(_is_short, parts)):
        return f"{first} {between} {second}"
    inside = f" {between} " in f"{first} {second}"
    return f"{start} {first}{', all' if inside else ''} {between} {second}, {end}"


def _nth_root(parts: tuple[Node, ...]) -> str:
    part, index = parts
    if index.tag in _SYMBOLS:
        return _long(ROOTS.get(index.text, f"the {_say(index)}th root of"), part, "end root")
    return _long(f"the root with index {_say(index)}, end index of", part, "end root")


def _scripts(parts: tuple[Node, ...]) -> str:
    base, lower, upper = parts
    if base.text in OPERATORS:
        return " ".join((OPERATORS[base.text], *_bounds(lower, upper)))
    if base.text in LIMITS and lower != NOTHING:
        return " ".join((LIMITS[base.text], _say(lower), *_raised(upper)))
    return " ".join((_closed(base), *_lowered(lower), *_raised(upper, power=base != NOTHING)))


def _bounds(lower: Node, upper: Node) -> Iterator[str]:
    if lower != NOTHING:
        yield f"{'over' if upper == NOTHING else 'from'} {_bound(lower)}"
    if upper != NOTHING:
        yield f"to {_bound(upper)}"


def _bound(node: Node) -> str:
    """Return a limit in words, with "end limit" if its own words could be taken for those around it."""
    spoken = _say(node)
    return spoken if _is_short(node) or not {"of", "from", "to", "over"} & {*spoken.split()} else f"{spoken}, end limit"


def _lowered(script: Node) -> Iterator[str]:
    if script != NOTHING:
        yield f"sub {_say(script)}" if script.tag in _SYMBOLS else f"sub {_say(script)}, end sub"


def _raised(script: Node, power: bool = True) -> Iterator[str]:
    """Yield a superscript: as a power if it is clearly one (a number, a small letter, an expression)."""
    first, rest = (script.parts[0], script.parts[1:]) if script.tag == "row" and script.parts else (script, ())
    if rest and first.text in ("′", "″", "‴"):
        yield from (RAISED[first.text], *_raised(_row(rest)))
    elif script.tag in _SYMBOLS:
        small = script.tag == "mi" and len(script.text) == 1 and not script.text.isupper()
        yield (power and RAISED.get(script.text)) or (
            f"{'to the' if power and (small or script.tag == 'mn') else 'superscript'} {_say(script)}"
        )
    elif script.tag == "fence":
        yield f"superscript {_say(script)}"
    elif first.text == "−" and [part.tag for part in rest] in (["mn"], ["mi"]):
        yield f"to the {_say(script)}"
    elif script != NOTHING:
        yield f"to the power {_say(script)}, end power"


def _around(parts: tuple[Node, ...]) -> str:
    """Return a base with the accents or other parts above and below it."""
    base, below, above = parts
    spoken = _closed(base)
    if above != NOTHING:
        spoken += f" {ACCENTS[above.text]}" if above.text in ACCENTS else f" with {_closed(above)} above"
    return spoken if below == NOTHING else f"{spoken} with {ACCENTS.get(below.text) or _closed(below)} below"


def _enclosed(parts: tuple[Node, ...]) -> str:
    opening, inside, closing = parts
    bracket = _base(closing)
    scripts = _say(closing)[len(_say(bracket)) :]
    pair = opening.text + bracket.text
    if inside.tag == "mtable" and pair in ("()", "[]", "||"):
        matrix = f"the {_size(inside.parts)} matrix {_cells(inside.parts)}, end matrix"
        return ("the determinant of " if pair == "||" else "") + matrix + scripts
    if inside.tag == "stack" and pair == "()":
        binomial = _pair("the binomial", inside.parts, "choose", "end binomial")
        return f"the quantity {binomial}, end quantity{scripts}" if scripts else binomial
    if pair in PAIRS:
        start, end = PAIRS[pair]
        spoken = _long(start, inside, end)
        return spoken + (f", {end}" if scripts and not spoken.endswith(end) else "") + scripts
    return f"{_say(opening)} {_say(inside)} {_say(bracket)}{scripts}"


def _size(rows: tuple[Node, ...]) -> str:
    return f"{len(rows)} by {max((len(row.parts) for row in rows), default=0)}"


def _cases(parts: tuple[Node, ...]) -> str:
    [table] = parts
    return f"the cases {_cells(table.parts) if table.tag == 'mtable' else _say(table)}, end cases"


def _cells(rows: tuple[Node, ...]) -> str:
    return "; ".join(", ".join(_say(cell).rstrip(f", {_GLUE}") or "blank" for cell in row.parts) for row in rows)


def _with_prescripts(parts: tuple[Node, ...]) -> str:
    split = next((index for index, part in enumerate(parts) if part.tag == "mprescripts"), len(parts))
    scripts = (_lower_and_upper(parts[split + 1 :]), _lower_and_upper(parts[1:split]))
    before, after = (_scripts((NOTHING, *pair)) for pair in scripts)
    return " ".join(filter(None, (before and f"pre {before.strip()}", _closed(parts[0]), after.strip())))


def _lower_and_upper(scripts: tuple[Node, ...]) -> tuple[Node, Node]:
    """Return the lower and the upper scripts, each as a row, from a sequence in which they alternate."""
    return _row(scripts[::2]), _row(scripts[1::2])


_WORDS: dict[str, Callable[[tuple[Node, ...]], str]] = {
    "row": _in_order,
    "scripts": _scripts,
    "around": _around,
    "fence": _enclosed,
    "mfrac": lambda parts: _pair("the fraction", parts, "over", "end fraction"),
    "stack": lambda parts: f"{_closed(parts[0])} above {_closed(parts[1])}",
    "msqrt": lambda parts: _long(ROOTS["2"], parts[0], "end root"),
    "mroot": _nth_root,
    "mmultiscripts": _with_prescripts,
    "mtable": lambda parts: f"the {_size(parts)} table {_cells(parts)}, end table",
    "lines": lambda rows: "; ".join(map(_say, rows)),
    "cases": _cases,
    "box": lambda parts: _long("boxed", parts[0], "end box"),
    "strike": lambda parts: _long("crossed out", parts[0], "end crossed out"),
}


def _symbol_in_words(node: Node) -> str:
    text = node.text
    if node.tag in ("words", "mn"):
        return text
    if text in ",.;:":
        return _GLUE + text
    if _NOT in text:
        positive = _symbol_in_words(node._replace(text=text.replace(_NOT, "")))
        return f"is not {positive.removeprefix('is ')}" if positive.startswith("is ") else f"not {positive}"
    known = OPERATORS.get(text) or FUNCTIONS.get(text) or SYMBOLS.get(text)
    return known or " ".join(_name(word) if word.isalnum() else " ".join(map(_letter, word)) for word in text.split())


def _name(text: str) -> str:
    """Return a letter, or a name of several letters, with its style."""
    style = " ".join(word.lower() for word in _unicode_name(text[0]).split() if word in STYLES)
    letters = [_letter(letter) for letter in text]
    joined = (" " if any(len(letter) > 1 for letter in letters) else "").join(letters)
    return f"{style} {joined}".strip()


def _letter(character: str) -> str:
    """Return a character in words, without its style. A letter or digit stands for itself."""
    name, plain = _unicode_name(character), unicodedata.normalize("NFKC", character)
    if greek := _GREEK.match(_unicode_name(plain)):
        letter = greek[1].replace("LAMDA", "LAMBDA")
        return letter.capitalize() if plain.isupper() else letter.lower()
    styled = name.startswith("MATHEMATICAL") or STYLES & {*name.split()}
    return plain if plain.isalnum() and (styled or plain == character) else name.lower()


def _unicode_name(character: str) -> str:
    return unicodedata.name(character, character) if len(character) == 1 else character
