"""A formula in words, for names that can hold no markup: accessible names, titles of windows and feeds, alt texts.

The words are made from MathML, so every command that becomes MathML has some. They keep the grouping that the eye sees:
a part that is longer than one symbol is closed aloud ("the fraction a plus b over c, end fraction"), so formulas that
look different also sound different.
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

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


class Node(NamedTuple):
    """A part of a formula: a symbol (`mi`, `mn`, `mo`) with its text, words that are `said` as they are, or `parts`.

    Of `scripts` the first part is the base, then come the lower and the upper one. A `fence` has what opens it, what is
    in it, and what closes it. An empty `row` is nothing.
    """

    tag: str
    text: str = ""
    parts: tuple["Node", ...] = ()


NOTHING, COMMA = Node("row"), Node("mo", ",")
MERGED = {"...": "…", ":=": "≔"}
"""Symbols that LaTeX writes with several characters."""
CALLED = set("fghFGHOpPq")
"""Letters that name a function where a parenthesis follows."""
_SYMBOLS = {"mi", "mn", "mo", "said"}
_ROWS = {"math", "mrow", "mstyle", "mpadded", "merror", "mtd", "semantics"}
_UNSEEN = {"mspace", "mphantom", "annotation", "none"}
_SCRIPTS = {"msub": "_", "munder": "_", "msup": "^", "mover": "^", "msubsup": "_^", "munderover": "_^"}
_GLUE, _NOT = "\u2060", "\u0338"
_ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)\w+;")
_GREEK = re.compile(r"GREEK (?:SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)")


@lru_cache(256)
def words(mathml: str) -> str:
    """What one says for a formula in MathML; raises `ValueError` where it is nested too deeply."""
    from xml.etree.ElementTree import fromstring

    try:
        said = _say(_node(fromstring(_ENTITY.sub(lambda entity: unescape(entity[0]), mathml))))
    except RecursionError:
        raise ValueError("its parts are nested too deeply") from None
    return re.sub(rf" *{_GLUE} *", "", re.sub(rf" *{_GLUE}(?=[,.;:](?!{_GLUE}))", "", " ".join(said.split())))


# The tree, without what cannot be seen, and with what belongs together.


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
    return NOTHING if element.tag in _UNSEEN else _row(parts) if element.tag in _ROWS else Node(element.tag, "", parts)


def _symbol(element: "Element") -> Node:
    text = re.sub("[\ufe00-\ufe0f]", "", "".join(element.itertext()))
    text = " ".join(text.split())
    if element.tag in ("mtext", "ms"):
        glue = _GLUE if text[:1] in set("-,.;:!?’") else ""
        return Node("said", glue + text) if text else NOTHING
    if text == "," and element.get("rspace") == "0":
        return Node("grouping", text)
    return Node("mo" if text in SYMBOLS else element.tag, text) if SYMBOLS.get(text, text).strip() else NOTHING


def _row(parts: Iterable[Node]) -> Node:
    """Rows in a row are one; what parentheses and bars enclose in it is one part."""
    flat = [item for part in parts for item in (part.parts if part.tag == "row" else (part,))]
    items = _barred(_fenced(list(_merged(flat))), "")
    tables = [item for item in items if item.tag in ("mtable", "lines")]
    if len(items) == 2 and tables and {"{", "}"} & {item.text for item in items}:
        return Node("cases", parts=tuple(tables))
    return items[0] if len(items) == 1 else Node("row", parts=tuple(items))


def _scripted(tag: str, parts: tuple[Node, ...]) -> Node:
    """A base with scripts. Those of a parenthesis belong to its end, wherever LaTeX has its braces."""
    base, scripts = parts[0], dict(zip(_SCRIPTS[tag], parts[1:], strict=True))
    lower, upper = scripts.get("_", NOTHING), scripts.get("^", NOTHING)
    kind = "scripts" if tag.startswith("ms") or base.text in {*OPERATORS, *LIMITS} else "around"
    if lower == upper == NOTHING:
        return base
    if kind == "scripts" and base.tag == "fence" and base.parts[2].tag == "mo":
        opening, inside, closing = base.parts
        return base._replace(parts=(opening, inside, Node(kind, parts=(closing, lower, upper))))
    if base.tag == "row" and base.parts[-1:] == (Node("said", SYMBOLS["|"]),):
        return base._replace(parts=(*base.parts[:-1], Node(kind, parts=(base.parts[-1], lower, upper))))
    if kind == base.tag == "scripts" and lower == base.parts[2] == NOTHING:
        return base._replace(parts=(*base.parts[:2], upper))
    if kind == base.tag == "scripts" and upper == base.parts[1] == NOTHING:
        return base._replace(parts=(base.parts[0], lower, base.parts[2]))
    return Node(kind, parts=(base, lower, upper))


def _root(node: Node) -> Node:
    """What carries the scripts."""
    return _root(node.parts[0]) if node.tag in ("scripts", "around") else node


def _merged(items: list[Node]) -> Iterator[Node]:
    """Dots that are one symbol, and numbers whose digits are grouped."""
    while items:
        mark = next((mark for mark in MERGED if "".join(item.text for item in items[: len(mark)]) == mark), "")
        grouped = [item.tag for item in items[:3]] == ["mn", "grouping", "mn"] and re.match(r"\d{3}", items[2].text)
        if mark:
            yield Node("mo", MERGED[mark])
            items = items[len(mark) :]
        elif grouped:
            items = [Node("mn", f"{items[0].text},{items[2].text}"), *items[3:]]
        else:
            yield items[0] if items[0].tag != "grouping" else COMMA
            items = items[1:]


def _fenced(items: list[Node]) -> list[Node]:
    """Each opening parenthesis with all up to its closing one, of whatever kind, as one part."""
    levels: list[list[Node]] = [[]]
    for item in items:
        if item.tag == "mo" and item.text in set("([{⟨⌊⌈"):
            levels.append([item])
        elif _root(item).tag == "mo" and _root(item).text in set(")]}⟩⌋⌉") and len(levels) > 1:
            opening, *inside = levels.pop()
            levels[-1].append(_fence(opening, inside, item))
        else:
            levels[-1].append(item)
    return [item for level in levels for item in level]


def _fence(opening: Node, inside: list[Node], closing: Node) -> Node:
    items = _barred(inside, opening.text)
    return Node("fence", parts=(opening, items[0] if len(items) == 1 else Node("row", parts=tuple(items)), closing))


def _barred(items: list[Node], within: str) -> list[Node]:
    """Two bars and what they enclose as one part; `within` opens the parenthesis around."""
    for bar in "|‖":
        items = list(_between_bars(items, bar))
    alone = WITHIN.get(within, SYMBOLS["|"])
    return [Node("said", alone) if item.tag == "mo" and item.text in "|∣" else item for item in items]


def _between_bars(items: list[Node], bar: str) -> Iterator[Node]:
    """Of an odd number of bars one stands alone, between two things."""
    places = [place for place, item in enumerate(items) if _root(item) == Node("mo", bar)]
    start = 0
    while places:
        opening = places.pop(0)
        yield from items[start:opening]
        inside = items[opening + 1 : places[0]] if places else []
        start = opening + 1
        if items[opening].tag == "mo" and inside and COMMA not in inside and (len(places) % 2 or not opening):
            start = places.pop(0) + 1
            yield _fence(items[opening], inside, items[start - 1])
        else:
            yield items[opening]
    yield from items[start:]


# What the parts are called.


def _say(node: Node) -> str:
    return _SAID.get(node.tag, _all)(node.parts) if node.tag not in _SYMBOLS else _symbol_in_words(node)


def _all(parts: tuple[Node, ...]) -> str:
    return " ".join(filter(None, map(_say, parts)))


def _in_order(parts: tuple[Node, ...]) -> str:
    return " ".join(piece for before, item in pairwise((NOTHING, *parts)) for piece in _after(before, item))


def _after(before: Node, item: Node) -> Iterator[str]:
    """A part of a row. A function is taken "of" what follows, and a short argument needs no parentheses."""
    argument = item.tag == "fence" and item.parts[0].text == "(" and _is_function(before)
    if argument or _takes(before):
        yield "of"
    short = argument and item.parts[1] != NOTHING and _is_short(item.parts[1]) and item.parts[2].tag == "mo"
    yield _say(item.parts[1] if short else item)


def _is_function(node: Node) -> bool:
    root = _root(node)
    name = root.text.replace(" ", "")
    return root.tag == "mi" and (name in CALLED or (len(name) > 1 and name.isalpha() and name != "mod"))


def _takes(node: Node) -> bool:
    root = _root(node)
    return root.text in OPERATORS or (root.text in LIMITS and root is not node)


def _is_short(node: Node) -> bool:
    """Whether it is plain where it ends: a symbol, or one with symbols as scripts."""
    parts = node.parts if node.tag == "scripts" and not _takes(node) else (node,)
    return all(part.tag in _SYMBOLS or part == NOTHING for part in parts)


def _closed(node: Node) -> str:
    """A part that something is about to be added to."""
    return _say(node) if node.tag in _SYMBOLS or node == NOTHING else f"the quantity {_say(node)}, end quantity"


def _long(start: str, part: Node, end: str) -> str:
    return f"{start} {_say(part)}" if _is_short(part) else f"{start} the quantity {_say(part)}, {end}"


def _pair(start: str, parts: tuple[Node, ...], between: str, end: str) -> str:
    """Two parts that something stands between; where it does so inside of them too, this one is for all of it."""
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
    """A limit, closed where it might be heard to go on."""
    said = _say(node)
    return said if _is_short(node) or not {"of", "from", "to", "over"} & {*said.split()} else f"{said}, end limit"


def _lowered(script: Node) -> Iterator[str]:
    if script != NOTHING:
        yield f"sub {_say(script)}" if script.tag in _SYMBOLS else f"sub {_say(script)}, end sub"


def _raised(script: Node, power: bool = True) -> Iterator[str]:
    """A superscript: a power where it is clearly one, such as a number or a small letter, or something longer."""
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
    """What stands above and below: accents, and anything else."""
    base, below, above = parts
    said = _closed(base)
    if above != NOTHING:
        said += f" {ACCENTS[above.text]}" if above.text in ACCENTS else f" with {_closed(above)} above"
    return said if below == NOTHING else f"{said} with {ACCENTS.get(below.text) or _closed(below)} below"


def _enclosed(parts: tuple[Node, ...]) -> str:
    opening, inside, closing = parts
    bracket = _root(closing)
    scripts = _say(closing)[len(_say(bracket)) :]
    pair = opening.text + bracket.text
    if inside.tag == "mtable" and pair in ("()", "[]", "||"):
        matrix = f"the {_size(inside.parts)} matrix {_cells(inside.parts)}, end matrix"
        return ("the determinant of " if pair == "||" else "") + matrix + scripts
    if inside.tag == "stack" and pair == "()":
        chosen = _pair("the binomial", inside.parts, "choose", "end binomial")
        return f"the quantity {chosen}, end quantity{scripts}" if scripts else chosen
    if pair in PAIRS:
        start, end = PAIRS[pair]
        said = _long(start, inside, end)
        return said + (f", {end}" if scripts and not said.endswith(end) else "") + scripts
    return f"{_say(opening)} {_say(inside)} {_say(bracket)}{scripts}"


def _size(rows: tuple[Node, ...]) -> str:
    return f"{len(rows)} by {max((len(row.parts) for row in rows), default=0)}"


def _cases(parts: tuple[Node, ...]) -> str:
    [table] = parts
    return f"the cases {_cells(table.parts) if table.tag == 'mtable' else _say(table)}, end cases"


def _cells(rows: tuple[Node, ...]) -> str:
    return "; ".join(", ".join(_say(cell).rstrip(f", {_GLUE}") or "blank" for cell in row.parts) for row in rows)


def _with_prescripts(parts: tuple[Node, ...]) -> str:
    place = next((place for place, part in enumerate(parts) if part.tag == "mprescripts"), len(parts))
    before, after = (_scripts((NOTHING, *scripts)) for scripts in (_two(parts[place + 1 :]), _two(parts[1:place])))
    return " ".join(filter(None, (before and f"pre {before.strip()}", _closed(parts[0]), after.strip())))


def _two(scripts: tuple[Node, ...]) -> tuple[Node, Node]:
    """Lower and upper scripts that stand in turn, all lower and all upper ones together."""
    return _row(scripts[::2]), _row(scripts[1::2])


_SAID: dict[str, Callable[[tuple[Node, ...]], str]] = {
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
    if node.tag in ("said", "mn"):
        return text
    if text in ",.;:":
        return _GLUE + text
    if _NOT in text:
        said = _symbol_in_words(node._replace(text=text.replace(_NOT, "")))
        return f"is not {said.removeprefix('is ')}" if said.startswith("is ") else f"not {said}"
    known = OPERATORS.get(text) or FUNCTIONS.get(text) or SYMBOLS.get(text)
    return known or " ".join(_name(word) if word.isalnum() else " ".join(map(_letter, word)) for word in text.split())


def _name(text: str) -> str:
    """A letter, or a name of several, with their style."""
    style = " ".join(word.lower() for word in _called(text[0]).split() if word in STYLES)
    letters = [_letter(letter) for letter in text]
    joined = (" " if any(len(letter) > 1 for letter in letters) else "").join(letters)
    return f"{style} {joined}".strip()


def _letter(character: str) -> str:
    """What a character is called, without its style: itself, where that is a letter or digit."""
    called, plain = _called(character), unicodedata.normalize("NFKC", character)
    if greek := _GREEK.match(_called(plain)):
        letter = greek[1].replace("LAMDA", "LAMBDA")
        return letter.capitalize() if plain.isupper() else letter.lower()
    styled = called.startswith("MATHEMATICAL") or STYLES & {*called.split()}
    return plain if plain.isalnum() and (styled or plain == character) else called.lower()


def _called(character: str) -> str:
    return unicodedata.name(character, character) if len(character) == 1 else character
