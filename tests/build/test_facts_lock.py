"""facts.lock records each number that a reader sees, and `--locked` reports what would change in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scenebook import cli
from scenebook.review import _wording as wording
from scenebook.review._built_site import read
from scenebook.review._compare import compare
from tests.support.review_site import write

SITE = "site: {title: Small, url: https://example.org/, numbers: off}\npages: [scenes/one.yaml, scenes/two.yaml]\n"
ONE = """\
slug: one
title: One
summary: Words.
scenes:
  - id: a
    compute: a.py
    title: A title
    text: |
      Some text.
    figure:
      panels: [{heatmap: x, title: a panel}]
      rows: {title: a row}
      caption: It is green. And more.
      alt: A green square.
    claims: [{say: It is small., check: a.p < 1}]
takeaways: [Keep it.]
"""
TWO = "slug: two\ntitle: Two\nsummary: Other words.\nscenes:\n  - {id: b, title: B, text: 'Text.'}\n"
FIELDS = {
    "title": ("title: One", "title: One {}"),
    "summary": ("summary: Words.", "summary: Words {}."),
    "description": ("takeaways:", "description: It is {}.\ntakeaways:"),
    "term": ("takeaways:", "terms: [{{term: 'the {}', at: a}}]\ntakeaways:"),
    "heading": ("title: A title", "title: A title {}"),
    "text": ("Some text.", "Some {}."),
    "formula": ("Some ", "Some $x = {}$ "),
    "panel": ("title: a panel", "title: 'a panel {}'"),
    "axis": ("title: a row", "title: 'a row {}'"),
    "caption": ("And more.", "And {}."),
    "alt": ("A green square.", "A green square, {}."),
    "claim": ("say: It is small.", "say: 'It is {}.'"),
    "takeaway": ("[Keep it.]", "['Keep {}.']"),
    "companion": ("takeaways:", "companions: [{{title: 'More {}', page: two}}]\ntakeaways:"),
    "trap": ("takeaways:", "trap: {{wrong: 'It is {}.', right: It is not.}}\ntakeaways:"),
    "source": ("takeaways:", "quoted: {{'a paper {}': ['2017']}}\ntakeaways:"),
}
"""Every kind of text that can show a value: a piece of the page, and its replacement, which shows one."""


def site(root: Path, one: str = ONE, two: str = TWO, **values: Any) -> Path:
    """A site of two pages and one scene, which returns these values."""
    returned = f"{{'x': np.ones((2, 2)), **{values!r}}}"
    code = f"import numpy as np\n\n\ndef compute() -> dict:\n    return {returned}\n"
    write(root, {"storyboard.yaml": SITE, "scenes/one.yaml": one, "scenes/two.yaml": two, "scenes/a.py": code})
    return root


def lock(root: Path) -> list[str]:
    assert cli.main(["build", "--root", str(root)]) == 0
    return (root / "facts.lock").read_text(encoding="utf-8").splitlines()


def test_a_tiny_number_that_a_text_shows_is_recorded(tmp_path: Path) -> None:
    page = ONE
    for field, (before, after) in FIELDS.items():
        assert before in page
        page = page.replace(before, after.format(f"{{{{ a.{field}:.1e }}}}"))
    values: dict[str, Any] = {**dict.fromkeys(FIELDS, 1e-13), "q": 1e-13, "p": 0.5}
    found = lock(site(tmp_path, page, **values))
    assert [line for line in found if ": claim" not in line] == sorted(
        ["format = 2", "one/a.p = 0.5", "one/a.q = 0", *(f"one/a.{field} = 1e-13" for field in FIELDS)]
    )


def test_a_tiny_number_that_another_page_shows_is_recorded(tmp_path: Path) -> None:
    assert "one/a.p = 0" in lock(site(tmp_path, p=1e-13))
    assert "one/a.p = 1e-13" in lock(site(tmp_path, two=TWO.replace("Text.", "Text {{ one/a.p:.1e }}."), p=1e-13))
    assert "one/a.p = 0" in lock(site(tmp_path, p=1e-13))


@pytest.mark.parametrize("place", ["one", "two"])
def test_a_tiny_number_that_changes_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str) -> None:
    page = {"one": ONE.replace("Some text.", "Some {{ a.p:.1e }}."), "two": TWO}
    if place == "two":
        page = {"one": ONE, "two": TWO.replace("Text.", "Text {{ one/a.p:.1e }}.")}
    site(tmp_path / "site", **page, p=1e-13, q=1e-13)
    lock(tmp_path / "site")
    (tmp_path / "site" / "output").rename(tmp_path / "old")
    site(tmp_path / "site", **page, p=9e-13, q=9e-13)
    capsys.readouterr()
    assert cli.main(["check", "--root", str(tmp_path / "site")]) == 1
    assert capsys.readouterr().err == (
        "facts.lock: would change: one/a.p from 1e-13 to 9e-13; run `scenebook build` and commit the file\n"
    )
    lock(tmp_path / "site")
    [scene] = compare(read(tmp_path / "old"), read(tmp_path / "site" / "output")).scenes
    assert [(row.name, row.before, row.after, row.relative) for row in wording.rows(scene)] == [
        ("p", "1×10⁻¹³", "9×10⁻¹³", "+800 %")
    ]


def test_a_tiny_number_that_changes_is_not_taken_for_a_renamed_one(tmp_path: Path) -> None:
    page = ONE.replace("Some text.", "Some {{ a.p:.1e }}.")
    lock(site(tmp_path / "one", page, p=1e-13))
    lock(site(tmp_path / "two", page.replace("a.p:", "a.r:").replace("a.p <", "a.r <"), r=9e-13))
    [scene] = compare(read(tmp_path / "one" / "output"), read(tmp_path / "two" / "output")).scenes
    assert {(value.name, value.kind) for value in scene.values} == {("one/a.r", "added"), ("one/a.p", "removed")}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = b", "a = c"),
        ("a = b", "x = b"),
        ('say "a" = 1', 'say "b" = 1'),
        ("two\nlines = 1", "two\nlines = 2"),
        ('{"k": "v = w"}', '{"k": "v = x"}'),
        ("a\u2028b = c", "a\u2028b = d"),
        ("a b", "a\xa0b"),
        (" = ", " = holds"),
        ("", "nothing"),
    ],
)
def test_a_text_that_changes_is_reported_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, after: str
) -> None:
    lock(site(tmp_path, p=0.5, word=before))
    capsys.readouterr()
    assert cli.main(["build", "--locked", "--root", str(site(tmp_path, p=0.5, word=after))]) == 1
    change = " to ".join(map(facts_json, (before, after)))
    assert capsys.readouterr().err == (
        f"facts.lock: would change: one/a.word from {change}; run `scenebook build` and commit the file\n"
    )


def facts_json(text: str) -> str:
    """Return a text in quotes, with escapes for characters that cannot be seen."""
    escapes = {'"': r"\"", "\n": r"\n", "\u2028": r"\u2028", "\xa0": r"\u00a0"}
    return '"{}"'.format("".join(escapes.get(each, each) for each in text))


def test_a_claim_that_changes_is_reported_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    claim = "check: a.p < 1"
    page = ONE.replace(claim, """check: 'a.word == "a = b"'""")
    lock(site(tmp_path, page, p=0.5, word="a = b"))
    capsys.readouterr()
    site(tmp_path, page.replace("a = b", "a = c"), p=0.5, word="a = c")
    assert cli.main(["build", "--locked", "--root", str(tmp_path)]) == 1
    assert [line.partition("; run")[0] for line in capsys.readouterr().err.splitlines()] == [
        'facts.lock: would change: one/a.word from "a = b" to "a = c"',
        'facts.lock: would change: one/a: claim a.word == "a = b" from holds to nothing',
        'facts.lock: would change: one/a: claim a.word == "a = c" from nothing to holds',
    ]


@pytest.mark.parametrize("edited", [b"one/a.p = 0.5\none/a.p = 0.5\n", b"\xff\n", b""])
def test_a_lock_that_no_build_wrote_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edited: bytes
) -> None:
    lock(site(tmp_path, p=0.5))
    (tmp_path / "facts.lock").write_bytes((tmp_path / "facts.lock").read_bytes() + edited)
    capsys.readouterr()
    code = cli.main(["build", "--locked", "--root", str(tmp_path)])
    assert (code, bool(capsys.readouterr().err)) == ((1, True) if edited else (0, False))
