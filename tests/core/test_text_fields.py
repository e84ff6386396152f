"""Declared texts are found and changed wherever they stand in a model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scenebook.core.text import Text
from scenebook.core.text_fields import (
    AsWritten,
    Form,
    Inline,
    Markdown,
    Quoted,
    Source,
    TextField,
    all_texts,
    replaced,
    text_fields,
)


@dataclass(frozen=True)
class Note:
    id: Text
    words: Inline


@dataclass(frozen=True)
class Book:
    slug: Text
    title: Inline
    notes: tuple[Note, ...] = ()
    authors: tuple[AsWritten, ...] = ()
    preface: Note | None = None
    end: Markdown | None = None
    quoted: dict[Source, tuple[Quoted, ...]] = field(default_factory=dict)
    pages: int = 3


BOOK = Book(
    slug=Text("book"),
    title=Text("Title"),
    notes=(Note(Text("one"), Text("First")),),
    authors=(Text("A"), Text("B")),
    preface=Note(Text("two"), Text("Second")),
    quoted={Text("a source"): (Text("8"),), Text("A source"): (Text("9"),)},
)


def test_every_declared_text_is_found_with_its_place() -> None:
    assert [(str(text), form, where, name) for text, form, where, name in text_fields(BOOK, "top")] == [
        ("Title", Form.INLINE, "top.title", "top.title"),
        ("First", Form.INLINE, "top.notes.one.words", "top.notes"),
        ("A", Form.AS_WRITTEN, "top.authors.1", "top.authors"),
        ("B", Form.AS_WRITTEN, "top.authors.2", "top.authors"),
        ("Second", Form.INLINE, "top.preface.words", "top.preface.words"),
        ("a source", Form.SOURCE, "top.quoted.1", "top.quoted"),
        ("8", Form.QUOTED, "top.quoted.1.1", "top.quoted"),
        ("A source", Form.SOURCE, "top.quoted.2", "top.quoted"),
        ("9", Form.QUOTED, "top.quoted.2.1", "top.quoted"),
    ]


def test_a_text_in_a_list_is_marked_as_such() -> None:
    in_list = {str(found.text) for found in text_fields(BOOK) if found.in_list}
    assert in_list == {"First", "A", "B", "a source", "8", "A source", "9"}


def test_only_declared_texts_are_replaced() -> None:
    def upper(found: TextField) -> str:
        return found.text.upper()

    changed = replaced(BOOK, upper)
    assert (changed.slug, changed.title, changed.pages, changed.end) == ("book", "TITLE", 3, None)
    assert changed.notes == (Note(Text("one"), Text("FIRST")),)
    assert changed.preface == Note(Text("two"), Text("SECOND"))


def test_changed_keys_may_be_equal() -> None:
    changed: Any = replaced(BOOK, lambda found: found.text.upper())
    assert changed.quoted == (("A SOURCE", ("8",)), ("A SOURCE", ("9",)))
    assert [str(found.text) for found in text_fields(changed)][-4:] == ["A SOURCE", "8", "A SOURCE", "9"]


def test_all_texts_include_those_that_are_not_declared() -> None:
    listed = [str(text) for text in all_texts(BOOK)]
    assert listed == ["book", "Title", "one", "First", "A", "B", "two", "Second", "a source", "8", "A source", "9"]
