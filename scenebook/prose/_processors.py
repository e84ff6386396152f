"""What the markdown package runs: our processors for blocks, for the text in them, and for lists of attributes.

Imported when the first text is converted, because the package takes long to import.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any
from xml.etree.ElementTree import Element, ElementTree

from markdown import Markdown
from markdown.blockparser import BlockParser
from markdown.extensions.attr_list import AttrListExtension, AttrListTreeprocessor
from markdown.extensions.footnotes import FootnoteExtension
from markdown.treeprocessors import Treeprocessor

from scenebook.prose._inline import Context
from scenebook.prose._pieces import MARK, without_marks
from scenebook.prose._tree import ATTRIBUTE_LIST, Tree, unwrap_tight

_ATTRIBUTE = r"(?:[.#][\w-]+|[A-Za-z][\w:-]*(?:=(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s}]+))?)"
_ATTRIBUTES = rf"\{{:?[ ]*((?:\x10\d+\x11)?{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*)[ ]*\}}"


class Converter:
    """A `Markdown` that reads texts as CommonMark does, with notes and lists of attributes."""

    def __init__(self) -> None:
        # Extensions are given as objects: to find one by its name, Markdown would search all installed packages.
        self.notes = FootnoteExtension(BACKLINK_TITLE="Back to the text", PLACE_MARKER="\0")  # they are at the end
        self.markdown = Markdown(extensions=[self.notes, AttrListExtension()], output_format="html")
        for preprocessor in ("normalize_whitespace", "html_block"):
            self.markdown.preprocessors.deregister(preprocessor)
        self.blocks = self.notes.parser = self.markdown.parser = _Blocks(self.markdown)
        self.inline, self.finish = _Inline(self.markdown), _Finish(self.markdown)
        self.markdown.treeprocessors.deregister("inline")
        self.markdown.treeprocessors.register(self.inline, "scenebook_inline", 20)
        self.markdown.treeprocessors.register(_Attributes(self.markdown), "attr_list", 8)
        self.markdown.treeprocessors.register(self.finish, "scenebook", -1)
        self.blocks.notes = self.notes

    def convert(
        self, source: str, tree: Tree, compare: Callable[[], None] | None, finish: Callable[[Element], None]
    ) -> str:
        """Return the HTML of a text.

        `compare` is called when the tree is complete, and `finish` with the root of what the package made of it.
        """
        self.markdown.reset()
        self.blocks.tree = self.inline.tree = tree
        self.inline.compare, self.finish.finish = compare, finish
        return self.markdown.convert(source)


class _Blocks(BlockParser):
    tree: Tree
    notes: FootnoteExtension

    def parseDocument(self, lines: Iterable[str]) -> Any:  # noqa: N802, the name is the package's
        root = Element("div")
        self.tree.build(root, list(lines))
        for label in self.tree.notes:
            self.notes.setFootnote(label, label)
        return ElementTree(root)

    def parseChunk(self, parent: Element, text: str) -> None:  # noqa: N802
        self.tree.note(parent, text)


class _Inline(Treeprocessor):
    tree: Tree
    compare: Callable[[], None] | None

    def run(self, root: Element) -> None:
        self.tree.read_texts(Context(self.tree.pieces, self.tree.link, self._note, self._mail))
        if self.compare:
            self.compare()
        unwrap_tight(root)

    def _note(self, label: str) -> Element | None:
        found: Element | None = self._made_by("footnote", label)
        return found

    def _mail(self, address: str) -> Element:
        link: Element = self._made_by("automail", address)
        return link

    def _made_by(self, name: str, text: str) -> Any:
        """Return what one of the package's own patterns makes of a text."""
        bare = without_marks(text)
        pattern: Any = self.md.inlinePatterns[name]
        return pattern.handleMatch(re.fullmatch("(.*)", bare), bare)[0]


class _Attributes(AttrListTreeprocessor):
    """Other braces are text: `{` begins a list of attributes only if everything up to `}` is one."""

    HEADER_RE = re.compile(rf"[ ]+{_ATTRIBUTES}[ ]*\Z")  # type: ignore[misc]
    BLOCK_RE = re.compile(rf"\n[ ]*{_ATTRIBUTES}[ ]*\Z")  # type: ignore[misc]
    INLINE_RE = re.compile(rf"^{_ATTRIBUTES}")  # type: ignore[misc]

    def assign_attrs(self, elem: Element, attrs_string: str, *, strict: bool = False) -> str:
        if mark := MARK.search(attrs_string):
            elem.set(ATTRIBUTE_LIST, mark[0])
        rest: str = super().assign_attrs(elem, without_marks(attrs_string), strict=strict)
        return rest


class _Finish(Treeprocessor):
    finish: Callable[[Element], None]

    def run(self, root: Element) -> None:
        self.finish(root)
