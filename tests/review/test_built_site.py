"""A review reads the sites of older engines, and says what it cannot compare."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scenebook import cli
from scenebook.core.problems import Problems
from scenebook.review import _built_site as built_site
from scenebook.review import review

WHOLE = {"format": 1, "code": {"scenes/a.py": "x = 1\n"}, "pages": {}, "texts": {"title": "Small"}}
NOT_COMPARED = "built by an older Scenebook, which did not record scene code and texts of the site; not compared"


def built(folder: Path, facts: Any) -> Path:
    folder.mkdir()
    (folder / built_site.FACTS).write_text(json.dumps(facts), encoding="utf-8")
    return folder


def test_what_an_older_engine_did_not_record_is_no_change_and_is_named(tmp_path: Path) -> None:
    old, new = built(tmp_path / "old", {"pages": {}}), built(tmp_path / "new", WHOLE)
    found = review.review(tmp_path, str(old), str(new))
    assert (found.before.problems, found.after.problems) == ((NOT_COMPARED,), ())
    assert not found.differences
    assert NOT_COMPARED in (tmp_path / "review/index.html").read_text(encoding="utf-8")
    assert NOT_COMPARED in (tmp_path / "review/report.md").read_text(encoding="utf-8")
    turned = review.review(tmp_path, str(new), str(old))
    assert (turned.before.problems, turned.after.problems) == ((), (NOT_COMPARED,))
    assert not turned.differences


def test_sites_that_record_everything_are_compared_without_a_word(tmp_path: Path) -> None:
    old, new = built(tmp_path / "old", {**WHOLE, "texts": {"title": "Large"}}), built(tmp_path / "new", WHOLE)
    found = review.review(tmp_path, str(old), str(new))
    assert (found.before.problems, found.after.problems) == ((), ())
    assert len(found.differences.texts) == 1


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({**WHOLE, "format": 2}, "format: has format 2, and this Scenebook reads up to 1; use the one that wrote it"),
        ({**WHOLE, "format": "2"}, "was not written by a build that this Scenebook can read: TypeError: "),
        ({"pages": {"one": {}}}, "was not written by a build that this Scenebook can read: KeyError: 'scenes'"),
        ([], "was not written by a build that this Scenebook can read: AttributeError: "),
    ],
)
def test_a_site_that_cannot_be_read_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], facts: Any, message: str
) -> None:
    old, new = built(tmp_path / "old", facts), built(tmp_path / "new", WHOLE)
    with pytest.raises(Problems):
        built_site.read(old)
    assert cli.main(["review", str(old), str(new), "--root", str(tmp_path)]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{old / 'facts.json'}: {message}")
