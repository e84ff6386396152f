"""A key that was renamed or removed gives a warning for one release, and a renamed one still works."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenebook.cli import main
from scenebook.core.problems import Problems
from scenebook.storyboard import _old_keys as old_keys
from scenebook.storyboard import loader
from scenebook.storyboard._old_keys import OldKey

BOARD = """\
site: {titel: Small, url: https://example.org/, numbers: off}
pages:
  - page.yaml
  - slug: two
    title: Two
    summary: Words.
    scenes:
      - {id: b, heading: 'B'}
tracks: []
"""
PAGE = """\
slug: one
title: One
summary: Words.
scenes:
  - id: a
    heading: A
  - id: b
    mood: calm
    text: Words.
"""
KEYS = (
    OldKey("site.titel", "0.2.0", new="title"),
    OldKey("scenes.heading", "0.2.0", new="title"),
    OldKey("scenes.mood", "0.2.0", instead="say it in the text"),
)
REFUSED = "the next release refuses"
RENAMED = f"is called 'title' since Scenebook 0.2.0; write 'title'; {REFUSED} the old name"
WARNINGS = [
    f"page.yaml:6: scenes.a.heading: warning: {RENAMED}",
    f"page.yaml:8: scenes.b.mood: warning: has no effect since Scenebook 0.2.0; say it in the text; {REFUSED} it",
    f"storyboard.yaml:1: site.titel: warning: {RENAMED}",
    f"storyboard.yaml:8: pages.two.scenes.b.heading: warning: {RENAMED}",
]


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(old_keys, "OLD_KEYS", KEYS)
    (tmp_path / "storyboard.yaml").write_text(BOARD, encoding="utf-8")
    (tmp_path / "page.yaml").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_an_old_key_is_a_warning_at_its_line_and_its_value_is_that_of_the_new_one(root: Path) -> None:
    loaded = loader.load(root)
    assert [str(warning) for warning in loaded.warnings] == WARNINGS
    one, two = loaded.book.pages
    assert (loaded.site.title, one.scenes[0].title, two.scenes[0].title) == ("Small", "A", "B")
    assert one.scenes[0].title is not None
    assert one.scenes[0].title.line == 6


def test_the_warning_comes_with_every_build(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):
        assert main(["build", "--root", str(root)]) == 0
        assert capsys.readouterr().err.splitlines() == WARNINGS
        (root / "storyboard.yaml").write_text(BOARD + "\n", encoding="utf-8")


def test_a_mistake_below_an_old_key_is_reported_under_the_name_that_was_written(root: Path) -> None:
    (root / "page.yaml").write_text(PAGE.replace("heading: A", "heading: [A]"), encoding="utf-8")
    with pytest.raises(Problems) as caught:
        loader.load(root)
    assert "page.yaml:6: scenes.a.heading: expected text, found a list" in str(caught.value)


def test_an_old_key_beside_the_new_one_is_unknown(root: Path) -> None:
    (root / "page.yaml").write_text(PAGE.replace("heading: A", "heading: A\n    title: A"), encoding="utf-8")
    with pytest.raises(Problems, match=r"page\.yaml:6: scenes\.a\.heading: unknown key"):
        loader.load(root)
