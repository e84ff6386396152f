"""An entry is added to a list in a YAML file, and every other character stays as it is."""

from __future__ import annotations

import pytest

from scenebook.storyboard.list_entry import added, is_missing

DASHES = "pages:\n  - a.yaml # first\n"
FORMS = {
    "dashes": (DASHES, DASHES + "  - new.yaml\n"),
    "no line end": ("pages:\n  - a.yaml", "pages:\n  - a.yaml\n  - new.yaml\n"),
    "dashes that are not indented": ("pages:\n- a.yaml\ntracks: []\n", "pages:\n- a.yaml\n- new.yaml\ntracks: []\n"),
    "more indented": ("pages:\n      - a.yaml\n", "pages:\n      - a.yaml\n      - new.yaml\n"),
    "a comment on what follows": (
        DASHES + "\n# The tracks.\ntracks: []\n",
        DASHES + "  - new.yaml\n\n# The tracks.\ntracks: []\n",
    ),
    "a comment in the last entry": (
        "pages:\n  - a:\n      b: c\n      # More to come.\n",
        "pages:\n  - a:\n      b: c\n      # More to come.\n  - new.yaml\n",
    ),
    "a block of text at the end": (
        "pages:\n  - a: |\n      words\n      # still words\n\n# The end.\n",
        "pages:\n  - a: |\n      words\n      # still words\n  - new.yaml\n\n# The end.\n",
    ),
    "line ends of Windows": ("pages:\r\n  - a.yaml\r\n", "pages:\r\n  - a.yaml\r\n  - new.yaml\r\n"),
    "brackets": ("pages: [a.yaml, b.yaml] # two\n", "pages: [a.yaml, b.yaml, new.yaml] # two\n"),
    "brackets on many lines": ("pages: [\n  a.yaml,\n]\n", "pages: [\n  a.yaml, new.yaml,\n]\n"),
    "empty brackets": ("pages: []\n", "pages: [new.yaml]\n"),
    "no value": ("pages: # none\nsite: {}\n", "pages: # none\n  - new.yaml\nsite: {}\n"),
    "the end of the document": (DASHES + "...\n", DASHES + "  - new.yaml\n...\n"),
    "a mark of the byte order": ("\ufeff" + DASHES, "\ufeff" + DASHES + "  - new.yaml\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_an_entry_is_the_only_change(form: str) -> None:
    before, after = FORMS[form]
    assert added(before, ("pages",), "new.yaml") == after


def test_an_entry_of_many_lines_follows_an_empty_line() -> None:
    text = "pages:\n  - slug: a\n    scenes:\n      - id: b\n\n  - c.yaml\n"
    new = "\n      - id: new\n        text: |\n          Words.\n"
    expected = text.replace("      - id: b\n", f"      - id: b\n{new}")
    assert added(text, ("pages", 0, "scenes"), "id: new\ntext: |\n  Words.\n") == expected


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("site: {}\n", "new.yaml"),
        ("pages: none\n", "new.yaml"),
        ("pages: {a: b}\n", "new.yaml"),
        ("pages: [{id: a}]\n", "id: new\ntext: Words.\n"),
        ("all: &all\n  - a.yaml\npages: *all\n", "new.yaml"),
        ("pages: [a.yaml\n", "new.yaml"),
    ],
    ids=["no list", "a text", "a mapping", "lines into brackets", "an alias", "not YAML"],
)
def test_a_list_of_another_form_is_left_alone(text: str, entry: str) -> None:
    assert added(text, ("pages",), entry) is None


def test_a_list_is_missing_if_it_has_no_entries() -> None:
    empty = ("pages:\n", "pages: []\n", "site:\n")
    assert [is_missing(text, ("pages",)) for text in (*empty, "pages: [a]\n")] == [True, True, True, False]
