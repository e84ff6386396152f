"""Converts the Markdown of a storyboard to HTML: no raw HTML, no images, and nothing is dropped without a message.

It reports table cells without a column, notes and links that lead nowhere or that nothing uses, attributes other than
`.class` and `#id`, and addresses whose scheme is neither for the web nor for mail.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from typing import TYPE_CHECKING

from scenebook.prose import _footnotes as footnotes
from scenebook.prose import _links as links
from scenebook.prose._commonmark import difference
from scenebook.prose._left_marks import left_over
from scenebook.prose._links import Link
from scenebook.prose._other_tools import marks_of_other_tools
from scenebook.prose._pieces import filled_plain, first_place
from scenebook.prose._places import Paragraph, Reading, Source, read
from scenebook.prose._tree import ATTRIBUTE_LIST, Tree

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from scenebook.prose._processors import Converter

Report = Callable[[int, str], None]
"""A function that takes an offset in the author's text and says what is wrong there."""

_ATTRIBUTES = {"class", "id", "href", "title", "start", "alt", "src"}
_ALIGNED = re.compile(r"text-align: (?:left|right|center);")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")


@dataclass(frozen=True)
class Settings:
    """The settings of a conversion.

    `prefix` keeps the ids of headings unique in the page. `above` is the number of notes in the page above this text.
    `line_of` returns the line of the file that has an offset. `compared` says whether to compare the text with what
    CommonMark makes of it, if there is no other mistake in it.
    """

    source: Source
    prefix: str
    report: Report
    above: int = 0
    line_of: Callable[[int], int] = lambda offset: 0
    compared: bool = True

    def plain(self, held: str) -> str:
        """Return a text with plain text in place of each placeholder."""
        return unescape(filled_plain(held, self.source.pieces))


@dataclass(frozen=True)
class Converted:
    """A text as HTML, what a reader sees of each block, its links, and its number of notes."""

    html: str
    paragraphs: tuple[Paragraph, ...] = ()
    links: tuple[Link, ...] = ()
    notes: int = 0


def convert(source: str, settings: Settings) -> Converted:
    """Convert Markdown with placeholders to HTML with placeholders."""
    reported: list[int] = []
    differences: list[tuple[int, str]] = []
    finished: list[Converted] = []

    def report(offset: int, message: str) -> None:
        reported.append(offset)
        settings.report(offset, message)

    def compare() -> None:
        differences.extend(difference(settings.source, tree))

    tree = Tree(settings.source.pieces, report, settings.line_of)
    checked = replace(settings, report=report)
    try:
        html = _converter().convert(
            source,
            tree,
            compare if settings.compared else None,
            lambda root: finished.append(_finish(root, tree, checked)),
        )
    except RecursionError:
        _converter.cache_clear()  # this instance stopped halfway
        settings.report(0, "its Markdown is nested too deeply; use fewer levels")
        return Converted("")
    if not reported:
        _report_all(differences, settings)
    return replace(finished[0], html=html) if finished else Converted(html)


def warm() -> None:
    """Import and set up Markdown."""
    _converter()


@cache
def _converter() -> "Converter":
    from scenebook.prose._processors import Converter

    return Converter()


def _finish(root: "Element", tree: Tree, settings: Settings) -> Converted:
    """Check the tree that Markdown built, and adapt it to the page."""
    reading = read(root, settings.source)
    paragraphs = tuple(reading.paragraphs())
    for node in (node for paragraph in paragraphs for node in paragraph.nodes):
        _report_all(left_over(node), settings)
        _report_all(marks_of_other_tools(node), settings)
    _report_all(links.unused(tree.used, tree.definitions, settings.source.pieces), settings)
    found = tuple(_elements(root, reading, settings))
    _scrollable_tables(root)

    def unused(label: str) -> None:
        settings.report(tree.place(tree.notes[label]), f"nothing in this text refers to the note [^{label}]")

    return Converted("", paragraphs, found, footnotes.number(root, settings.above, unused))


def _report_all(mistakes: Iterable[tuple[int, str]], settings: Settings) -> None:
    for place, message in mistakes:
        settings.report(place, message)


def _elements(root: "Element", reading: Reading, settings: Settings) -> Iterator[Link]:
    """Finish each element, and yield the links."""
    taken: set[str] = set()
    for element in root.iter():
        _attributes(element, reading, settings)
        if element.tag in _HEADINGS:
            _heading(element, settings, taken)
        elif element.tag == "a":
            yield from _link(element, reading, settings)
        elif element.tag == "img":
            message = "a text cannot contain an image; have a scene compute a figure"
            settings.report(_address_place(element, element.get("src", ""), reading), message)


def _link(element: "Element", reading: Reading, settings: Settings) -> Iterator[Link]:
    held = element.get("href", "")
    address = settings.plain(held)
    if message := links.check(element, address):
        settings.report(_address_place(element, held, reading), message)
    elif not element.get("class", "").startswith("footnote-"):
        yield Link(address, _address_place(element, held, reading))


def _address_place(element: "Element", address: str, reading: Reading) -> int:
    """Return the offset at which the address of a link or an image was written.

    An address on a line of its own has a mark of that line.
    """
    place = first_place(address, reading.source.pieces)
    return reading.place(element) if place is None else place


def _attributes(element: "Element", reading: Reading, settings: Settings) -> None:
    place = first_place(element.attrib.pop(ATTRIBUTE_LIST, ""), reading.source.pieces)
    for name, value in list(element.attrib.items()):
        if name not in _ATTRIBUTES and not (name == "style" and _ALIGNED.fullmatch(value or "")):
            message = f"the attribute '{name}' is not allowed in a text; only .class and #id are"
            settings.report(reading.place(element) if place is None else place, message)
            del element.attrib[name]


def _scrollable_tables(root: "Element") -> None:
    """Put each table into a box that scrolls on narrow screens and that can be reached with the keyboard."""
    from xml.etree.ElementTree import Element

    for parent in list(root.iter()):
        for index, child in enumerate(parent):
            if child.tag == "table":
                parent[index] = box = Element("div", {"class": "scroll", "tabindex": "0"})
                box.append(child)


def _heading(element: "Element", settings: Settings, taken: set[str]) -> None:
    """Move a heading below the scene's own h2. Its id comes from its words, so a new heading changes no other id."""
    element.tag = f"h{min(6, max(3, int(element.tag[1]) + 1))}"
    if "id" not in element.attrib:
        words = settings.plain("".join(_words(element)))
        element.set("id", _unique(f"{settings.prefix}--{slug(words)}", taken))


def _words(element: "Element") -> Iterator[str]:
    """Yield the words of an element, without the numbers of notes."""
    if element.tag != "sup":
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""


def slug(words: str) -> str:
    """Return an id for a heading: its letters and digits in any script, joined by hyphens, or else its code points."""
    joined = "-".join(re.findall(r"\w+", words.lower()))
    return joined or "-".join(f"u{ord(character):x}" for character in words if not character.isspace())


def _unique(name: str, taken: set[str]) -> str:
    candidates = (name, *(f"{name}-{count}" for count in range(2, len(taken) + 3)))
    chosen = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(chosen)
    return chosen
