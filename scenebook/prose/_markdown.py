"""Markdown to HTML, as texts of a storyboard use it: no raw HTML, no images, nothing that is lost in silence.

What Markdown drops or leaves lying about is told to the author: cells beyond the table's columns, notes and links that
lead nowhere or that nothing leads to, attributes other than `.class` and `#id`, addresses of other schemes than the
web's and mail's.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from scenebook.core.web_address import link_fault

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from markdown import Extension, Markdown

Complain = Callable[[str, str], None]
"""Tells the words that are wrong, as they stand in the source, and what is wrong with them."""

_ATTRIBUTES = {"class", "id", "href", "title", "start", "alt", "src"}
_ALIGNED = re.compile(r"text-align: (?:left|right|center);")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEMES = {"http", "https", "mailto", ""}
_MAIL = "\x02amp\x03"  # with which a mail address begins, for Markdown writes it in character references
_NO_NOTE = re.compile(r"\[\^[^\]\s]+\]")
_NO_LINK = re.compile(r"\[[^\[\]]+\]\[[^\[\]]*\]")
_NO_AUTOLINK = re.compile(r"<(?:https?:|//|www\.)[^<>\s]*>", re.IGNORECASE)
_OPEN_FENCE = re.compile(r"^ *(?:`{3,}|~{3,}).*", re.MULTILINE)


@dataclass(frozen=True)
class Converted:
    """A text as HTML, the texts between its marks as they are read, and how many notes it has."""

    html: str
    nodes: tuple[str, ...]
    notes: int = 0


def convert(source: str, prefix: str, plain: Callable[[str], str], complain: Complain, notes: int = 0) -> Converted:
    """Markdown to HTML.

    `prefix` keeps the ids of headings unique in the page; `plain` puts plain text in the places of what stands for
    formulas and values, for ids and addresses; `notes` is the number of notes in the page above this text.
    """
    markdown = _markdown()
    markdown.reset()
    finish, cells = markdown.treeprocessors["scenebook"], markdown.parser.blockprocessors["table"]
    finish.complain = cells.complain = complain  # type: ignore[attr-defined]
    finish.prefix, finish.plain, finish.above = prefix, plain, notes  # type: ignore[attr-defined]
    try:
        html = markdown.convert(source)
    except RecursionError:
        _markdown.cache_clear()  # it was left in the midst of it
        complain("", "its marks are nested too deeply; write it more plainly")
        return Converted("", ())
    return Converted(html, finish.nodes, finish.notes)  # type: ignore[attr-defined]


def warm() -> None:
    """Import and set up Markdown."""
    _markdown()


@cache
def _markdown() -> "Markdown":
    """Markdown without raw HTML, entities and indented code, and with our own last look at the tree."""
    from markdown import Markdown
    from markdown.extensions.tables import TableProcessor
    from markdown.treeprocessors import Treeprocessor

    class Table(TableProcessor):
        complain: Complain

        def _build_row(self, row: str, parent: "Element", align: Any) -> None:
            if len(cells := self._split_row(row)) > len(align):  # type: ignore[attr-defined]
                self.complain(
                    cells[len(align)].strip(), f"this row of a table has {len(cells)} cells, {len(align)} fit"
                )
            super()._build_row(row, parent, align)  # type: ignore[misc]

    class Finish(Treeprocessor):
        complain: Complain
        prefix: str
        plain: Callable[[str], str]
        above: int
        nodes: tuple[str, ...]
        notes: int

        def run(self, root: "Element") -> None:
            _links_in_use(root, self.md.references, self.complain)
            self.nodes = tuple(filter(None, _nodes(root)))
            for node in self.nodes:
                _left_over(node, self.complain)
            _finish(root, self.prefix, self.plain, self.complain)
            self.notes = _number_notes(root, self.above, self.complain)

    markdown = Markdown(extensions=_extensions(), output_format="html")
    markdown.preprocessors.deregister("html_block")
    markdown.parser.blockprocessors.deregister("code")
    for pattern in ("backtick", "html", "entity"):
        markdown.inlinePatterns.deregister(pattern)
    table = Table(markdown.parser, {"use_align_attribute": False})
    markdown.parser.blockprocessors.register(table, "table", 75)
    markdown.treeprocessors.register(Finish(markdown), "scenebook", -1)
    return markdown


def _extensions() -> list["Extension"]:
    """As objects: to find one by its name, Markdown reads of all that is installed what it provides."""
    from markdown.extensions.attr_list import AttrListExtension
    from markdown.extensions.def_list import DefListExtension
    from markdown.extensions.footnotes import FootnoteExtension
    from markdown.extensions.sane_lists import SaneListExtension
    from markdown.extensions.tables import TableExtension

    notes = FootnoteExtension(BACKLINK_TITLE="Back to the text", PLACE_MARKER="\0")  # it has no place but the end
    return [TableExtension(), notes, DefListExtension(), AttrListExtension(), SaneListExtension()]


def _finish(root: "Element", prefix: str, plain: Callable[[str], str], complain: Complain) -> None:
    taken: set[str] = set()
    for element in root.iter():
        _attributes(element, complain)
        if element.tag in _HEADINGS:
            _heading(element, prefix, plain, taken)
        elif element.tag == "a":
            _link(element, plain(element.get("href", "")), complain)
        elif element.tag == "img":
            complain(element.get("src", ""), "an image cannot be written in text; a scene computes its figure")
    _scrollable_tables(root)


def _nodes(element: "Element") -> Iterator[str]:
    """The texts between the marks, and titles; but not marks of footnotes and addresses, which Markdown wrote."""
    address, begins = element.get("href", ""), element.get("start", "")
    if element.tag != "sup" and not (address and (address == element.text or address.startswith(_MAIL))):
        yield from (element.get("title", ""), begins if len(begins) > 2 else "", element.text or "")
        for child in element:
            yield from _nodes(child)
            yield child.tail or ""


def _left_over(node: str, complain: Complain) -> None:
    """What Markdown could make nothing of and shows as it is written."""
    for found in _NO_NOTE.findall(node):
        complain(found, f"there is no note {found}; write it in a paragraph of its own: {found}: ...")
    for found in _NO_LINK.findall(node):
        complain(found, f"{found} names no link; write [words](address), or [name]: address in a paragraph of its own")
    for found in _NO_AUTOLINK.findall(node):
        complain(found, f"{found} is no link; write <https://...>")
    for found in _OPEN_FENCE.findall(node):
        complain(found, "this fence is not closed; end it with a line of the same marks, or escape them")


def _links_in_use(root: "Element", references: Mapping[str, tuple[str, str | None]], complain: Complain) -> None:
    used = {element.get("href", element.get("src")) for element in root.iter()}
    for name, (address, _) in references.items():
        if address not in used:
            complain(address, f"nothing in this text uses the link [{name}], so it is not shown")


def _attributes(element: "Element", complain: Complain) -> None:
    for name, value in list(element.attrib.items()):
        if name not in _ATTRIBUTES and not (name == "style" and _ALIGNED.fullmatch(value or "")):
            complain(name, f"the attribute '{name}' is not allowed in text; .class and #id are")
            del element.attrib[name]


def _number_notes(root: "Element", above: int, complain: Complain) -> int:
    """Number the notes as a reader meets them, counted on from those `above` in the page; how many there are.

    Notes that nothing refers to are reported.
    """
    box = next((child for child in root if child.get("class") == "footnote"), None)
    listed = None if box is None else box.find("ol")
    if listed is None:
        return 0
    notes = {note.get("id", ""): note for note in listed}
    references = _references([child for child in root if child is not box], notes)
    for mark in (f"[^{name.removeprefix('fn:')}]" for name in notes if name not in references):
        complain(f"{mark}:", f"nothing in this text refers to the note {mark}")
    listed[:] = [notes[name] for name in references]
    if above:
        listed.set("start", str(above + 1))
    for number, (name, marks) in enumerate(references.items(), above + 1):
        _tie(number, notes[name], marks)
    return len(references)


def _references(parts: list["Element"], notes: Mapping[str, "Element"]) -> dict[str, list["Element"]]:
    """The marks that refer to each note, in the order of reading; a note is read after the text."""
    found: dict[str, list[Element]] = {}
    for part in parts:
        for mark in part.iter("sup"):
            name = mark[0].get("href", "").removeprefix("#")
            if name not in found:
                parts.append(notes[name])
            found.setdefault(name, []).append(mark)
    return found


def _tie(number: int, note: "Element", marks: list["Element"]) -> None:
    """Lead from the marks to the note and back, and tell the style sheet where the note belongs.

    It stands beside its first mark and below the note above, which the style sheet knows by names.
    """
    place = f"--note-{number}"
    note.set("id", f"fn:{number}")
    note.set("style", f"--note: {place}n; --ref: {place}; --above: --note-{number - 1}n")
    marks[0].set("style", f"--ref: {place}")
    back = [link for link in note.iter("a") if link.get("class") == "footnote-backref"]
    for link in back[len(marks) :]:
        note[-1].remove(link)  # its mark was lost, such as in the words of an image
    for count, (mark, link) in enumerate(zip(marks, back, strict=False), 1):
        name = f"fnref:{number}" if count == 1 else f"fnref:{number}:{count}"
        mark.set("id", name)
        mark[0].set("href", f"#fn:{number}")
        mark[0].text = str(number)
        link.set("href", f"#{name}")


def _scrollable_tables(root: "Element") -> None:
    """A table too wide for a phone scrolls in a box of its own, which the keyboard reaches."""
    from xml.etree.ElementTree import Element

    for parent in list(root.iter()):
        for place, child in enumerate(parent):
            if child.tag == "table":
                parent[place] = box = Element("div", {"class": "scroll", "tabindex": "0"})
                box.append(child)


def _heading(element: "Element", prefix: str, plain: Callable[[str], str], taken: set[str]) -> None:
    """Headings in a text stand under the scene's own h2; their ids come from their words, not from their place."""
    element.tag = f"h{min(6, max(3, int(element.tag[1]) + 1))}"
    if "id" not in element.attrib:
        element.set("id", _unique(f"{prefix}--{slug(plain(''.join(_words(element))))}", taken))


def _words(element: "Element") -> Iterator[str]:
    """What is read of an element, without the numbers of notes."""
    if element.tag != "sup":
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""


def slug(words: str) -> str:
    """An id from a heading: its letters and digits of any script, joined by hyphens; without any, its code points."""
    joined = "-".join(re.findall(r"\w+", words.lower()))
    return joined or "-".join(f"u{ord(character):x}" for character in words if not character.isspace())


def _unique(name: str, taken: set[str]) -> str:
    candidates = (name, *(f"{name}-{count}" for count in range(2, len(taken) + 3)))
    chosen = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(chosen)
    return chosen


def _link(element: "Element", address: str, complain: Complain) -> None:
    if address.startswith(_MAIL):
        return
    found = _SCHEME.match("".join(address.split()))
    scheme = found[1].lower() if found else ""
    if scheme not in _SCHEMES:
        complain(address, f"a link cannot lead to '{scheme}:'; use https:, mailto: or an address in this site")
    elif fault := link_fault(address):
        complain(address or "]()", f"the link {address!r} {fault}")
    else:
        if scheme in ("http", "https"):
            element.set("rel", "external noopener")
        return
    element.attrib.pop("href")  # so that the check of the finished page does not tell it again
