"""Reads what stands inside a block of Markdown, as CommonMark does: emphasis, links, line breaks and escapes.

A text becomes a flat list of nodes, one after the other: text, finished elements, and runs of `*` or `_`. At the end of
a link or of the text, runs are paired, and what is between a pair becomes an element.
"""

import html
import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement

from scenebook.prose._link_syntax import PUNCTUATION, name_of, target
from scenebook.prose._pieces import PLACEHOLDER, Piece, hold, in_definition, without_marks

_TOKEN = re.compile(
    rf"""
      \\(?P<escape>[{PUNCTUATION}])
    | (?P<hard>\\\n|[ ]{{2,}}\n)
    | (?P<soft>[ ]?\n)
    | \[\^(?P<note>[^\]\s]+)\]
    | (?P<open>!?\[)
    | (?P<close>\])
    | (?P<run>\*+|_+)
    | <(?P<address>[A-Za-z][A-Za-z0-9+.-]{{1,31}}://[^<>\s]*)>
    | <(?P<mail>[a-zA-Z0-9.!\#$%'*+/=?^_{{|}}~-]+@[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*)>
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_WORD = "x"


@dataclass(frozen=True)
class Context:
    """What a text can refer to.

    `link` returns the address and title of a link by its name, or None. `note` returns the element that refers to a
    note, or None. `mail` returns the link to a mail address.
    """

    pieces: list[Piece]
    link: Callable[[str], tuple[str, str | None] | None]
    note: Callable[[str], Element | None]
    mail: Callable[[str], Element]


@dataclass
class _Run:
    """A run of `*` or `_`. `left` is how many are not part of a pair; they are text between what ends and begins."""

    char: str
    count: int
    left: int
    opens: bool
    closes: bool
    place: int
    ends: int = 0
    begins: list[str] = field(default_factory=list)


_Node = str | Element | _Run


@dataclass
class _Bracket:
    """A bracket that may open a link: the index of its node, of the text behind it, and of the first run behind it."""

    node: int
    text: int
    run: int
    is_image: bool
    active: bool = True


@dataclass
class _Reading:
    """What is read of a text so far."""

    text: str
    context: Context
    nodes: list[_Node] = field(default_factory=list)
    runs: list[_Run] = field(default_factory=list)
    brackets: list[_Bracket] = field(default_factory=list)

    def take(self, found: re.Match[str]) -> int:
        """Read a token, and return the index behind it."""
        match found.lastgroup:
            case "run":
                self.runs.append(_run(self.text, found, len(self.runs), self.context.pieces))
                self.nodes.append(self.runs[-1])
            case "open":
                self.brackets.append(_Bracket(len(self.nodes), found.end(), len(self.runs), len(found[0]) == 2))
                self.nodes.append(found[0])
            case "close":
                return self._close(found.start())
            case _:
                self.nodes.append(_simple(found, self.context))
        return found.end()

    def _close(self, index: int) -> int:
        """End the words of a link, if the bracket at an index does that."""
        bracket = self.brackets.pop() if self.brackets else None
        link = _link(self.text, index, bracket, self.context) if bracket and bracket.active else None
        if not bracket or not link:
            self.nodes.append("]")
            return index + 1
        self.nodes[bracket.node :] = [_linked(link, bracket, self.nodes, self.runs)]
        if not bracket.is_image:
            _deactivate(self.brackets)
        return link.end


def fill(element: Element, text: str, context: Context) -> None:
    """Put a text into an element."""
    reading, done = _Reading(text, context), 0
    while found := _TOKEN.search(text, done):
        reading.nodes.append(text[done : found.start()])
        done = reading.take(found)
    reading.nodes.append(text[done:])
    _pair(reading.runs)
    _build(element, reading.nodes)


def _simple(found: re.Match[str], context: Context) -> str | Element:
    """Return an escaped character, a line break, an address or a reference to a note."""
    match found.lastgroup:
        case "escape":
            char = found["escape"]
            return in_definition(hold(Piece(html.escape(char, quote=False), char), context.pieces))
        case "hard":
            return Element("br")
        case "note":
            return context.note(found["note"]) or found[0]
        case "address":
            link = Element("a", {"href": found["address"]})
            link.text = found["address"]
            return link
        case "mail":
            return context.mail(found["mail"])
    return "\n"


# Links


@dataclass(frozen=True)
class _Link:
    address: str
    title: str | None
    end: int


def _link(text: str, close: int, bracket: _Bracket, context: Context) -> _Link | None:
    """Return the link whose words end at an index, if what follows them makes it one."""
    to = target(text, close + 2) if text.startswith("(", close + 1) else None
    if to and not any(context.pieces[int(held[1])].kind == "code" for held in PLACEHOLDER.finditer(to.address)):
        return _Link(to.address, to.title, to.end)
    named = _LABEL.match(text, close + 1)
    end = named.end() if named else close + 1
    label = named[1] if named and named[1] else None
    if label is None:
        words = _LABEL.fullmatch(text, bracket.text - 1, close + 1)
        label = words[1] if words else ""
    name = name_of(PLACEHOLDER.sub(lambda held: context.pieces[int(held[1])].source, without_marks(label)))
    found = context.link(name) if name else None
    return _Link(*found, end) if found else None


def _linked(link: _Link, bracket: _Bracket, nodes: list[_Node], runs: list[_Run]) -> Element:
    """Return a link with its words, which are the nodes behind its bracket."""
    _pair(runs[bracket.run :])
    del runs[bracket.run :]
    element = Element("a", {"href": link.address})
    _build(element, nodes[bracket.node + 1 :])
    if bracket.is_image:
        element = Element("img", {"src": link.address, "alt": _words(element)})
    if link.title is not None:
        element.set("title", link.title)
    return element


def _words(element: Element) -> str:
    """Return the words of an element, with those of the images in it."""
    parts = [element.get("alt", ""), element.text or ""]
    for child in element:
        parts += [_words(child), child.tail or ""]
    return "".join(parts)


def _deactivate(brackets: Sequence[_Bracket]) -> None:
    """A link cannot contain another: none of the brackets before it opens one."""
    for bracket in reversed(brackets):
        if not bracket.is_image:
            if not bracket.active:
                break
            bracket.active = False


# Emphasis


def _run(text: str, found: re.Match[str], place: int, pieces: Sequence[Piece]) -> _Run:
    char, count = found["run"][0], len(found["run"])
    before, after = _before(text, found.start(), pieces), _after(text, found.end(), pieces)
    left = not after.isspace() and (not _is_punctuation(after) or before.isspace() or _is_punctuation(before))
    right = not before.isspace() and (not _is_punctuation(before) or after.isspace() or _is_punctuation(after))
    opens, closes = left, right
    if char == "_":
        opens = left and (not right or _is_punctuation(before))
        closes = right and (not left or _is_punctuation(after))
    return _Run(char, count, count, opens, closes, place)


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _before(text: str, index: int, pieces: Sequence[Piece]) -> str:
    """Return the character before an index, as the author wrote it. A formula or a value counts as a letter."""
    while index and text[index - 1] in "\x0f\x11\x13":
        begin = index - 8
        shown = _shown(text[begin:index], pieces)
        if shown:
            return shown[-1]
        index = begin
    return text[index - 1] if index else " "


def _after(text: str, index: int, pieces: Sequence[Piece]) -> str:
    while index < len(text) and text[index] in "\x0e\x10\x12":
        shown = _shown(text[index : index + 8], pieces)
        if shown:
            return shown[0]
        index += 8
    return text[index] if index < len(text) else " "


def _shown(placeholder: str, pieces: Sequence[Piece]) -> str:
    piece = pieces[int(placeholder[1:-1])]
    if piece.kind in ("text", "mark"):
        return piece.source
    return "`" if piece.kind == "code" else _WORD


def _pair(runs: Sequence[_Run]) -> None:
    """Find the pairs among runs, as CommonMark's rules say."""
    open_runs: list[_Run] = []
    bottoms: dict[tuple[str, bool, int], int] = {}
    for run in runs:
        while run.closes and run.left:
            key = (run.char, run.opens, run.count % 3)
            index = _opener(run, open_runs, bottoms.get(key, 0))
            if index is None:
                bottoms[key] = run.place
                break
            opener = open_runs[index]
            del open_runs[index + 1 :]
            used = 2 if opener.left > 1 and run.left > 1 else 1
            opener.left, run.left, run.ends = opener.left - used, run.left - used, run.ends + 1
            opener.begins.append("strong" if used == 2 else "em")
            if not opener.left:
                open_runs.pop()
        if run.opens and run.left:
            open_runs.append(run)


def _opener(run: _Run, open_runs: Sequence[_Run], bottom: int) -> int | None:
    for index in range(len(open_runs) - 1, -1, -1):
        opener = open_runs[index]
        if opener.place < bottom:
            return None
        odd = (opener.closes or run.opens) and (opener.count + run.count) % 3 == 0
        if opener.char == run.char and not (odd and (opener.count % 3 or run.count % 3)):
            return index
    return None


def _build(element: Element, nodes: Sequence[_Node]) -> None:
    """Put nodes into an element, with an element for each pair of runs."""
    within = [element]
    for node in nodes:
        if isinstance(node, str):
            _add_text(within[-1], node)
        elif isinstance(node, Element):
            within[-1].append(node)
        else:
            del within[len(within) - node.ends :]
            _add_text(within[-1], node.char * node.left)
            for tag in reversed(node.begins):
                within.append(SubElement(within[-1], tag))


def _add_text(element: Element, text: str) -> None:
    if not text:
        return
    if len(element):
        element[-1].tail = (element[-1].tail or "") + text
    else:
        element.text = (element.text or "") + text
