"""Pages and scenes are added to a site: they build at once, and the files that list them keep what they say."""

from __future__ import annotations

import subprocess
import sys
from difflib import ndiff
from pathlib import Path

import pytest

from scenebook import cli
from tests.support.changing_site import tree

BOARD = """\
site: {title: Small, url: https://example.org/} # our site
pages:
  - scenes/walk/page.yaml # the first

  # Written in place:
  - slug: in-place
    title: In place
    summary: Words.
    scenes:
      - {id: words, title: Words, text: Words.}

# All pages in order.
tracks: [{title: All, slug: all, pages: [walk, in-place]}]
"""
PAGE = """\
slug: walk
title: A walk
summary: Words.
scenes:
- id: words # The first.
  title: Words
  text: |
    # A heading in the text
    Words.

# To end with.
takeaways: [Words.]
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "scenes/walk").mkdir(parents=True)
    (root / "storyboard.yaml").write_text(BOARD, encoding="utf-8")
    (root / "scenes/walk/page.yaml").write_text(PAGE, encoding="utf-8")
    return root


def new(root: Path, *words: str) -> int:
    return cli.main(["new", *words, "--root", str(root)])


def lines_lost(before: str, after: str) -> list[str]:
    return [line for line in ndiff(before.splitlines(), after.splitlines()) if line[0] in "-?"]


def test_new_pages_and_scenes_build_and_keep_what_was_there(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = (
        "page bell-curve",
        "page 2-norm",
        "page lambda",
        "scene bell-curve/week_2",
        "scene walk/sums",
        "scene in-place/sums",
    )
    assert [new(site, *name.split()) for name in names] == [0] * len(names)
    assert lines_lost(BOARD, (site / "storyboard.yaml").read_text(encoding="utf-8")) == []
    assert lines_lost(PAGE, (site / "scenes/walk/page.yaml").read_text(encoding="utf-8")) == []
    capsys.readouterr()
    assert cli.main(["build", "--strict", "--root", str(site)]) == 0
    assert capsys.readouterr().err == ""
    facts = (site / "facts.lock").read_text(encoding="utf-8")
    assert facts.count(".total = 100\n") == 6
    (site / "pytest.ini").write_text("[pytest]\npythonpath = .\naddopts = --import-mode=importlib\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "scenes"]
    tested = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert (tested.returncode, "6 passed" in tested.stdout) == (0, True), tested.stdout


def test_a_new_page_says_what_was_written(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(site, "page", "bell-curve") == 0
    written = [f"wrote scenes/bell_curve/{name}" for name in ("page.yaml", "example.py", "test_example.py")]
    assert capsys.readouterr().out.splitlines() == [*written, "added to storyboard.yaml"]
    page = (site / "scenes/bell_curve/page.yaml").read_text(encoding="utf-8")
    assert page.startswith("slug: bell-curve\ntitle: Bell curve\n")
    assert "pages:\n  - scenes/walk/page.yaml # the first\n" in (site / "storyboard.yaml").read_text(encoding="utf-8")


def test_a_new_page_names_the_schema_that_the_storyboard_names(site: Path) -> None:
    first = "# yaml-language-server: $schema={}.schema.json\n"
    board = site / "storyboard.yaml"
    board.write_text(first.format("schemas/storyboard") + BOARD, encoding="utf-8")
    assert new(site, "page", "near") == 0
    page = (site / "scenes/near/page.yaml").read_text(encoding="utf-8")
    assert page.startswith(first.format("../../schemas/page") + "slug: near\n")
    board.write_text(first.format("https://example.org/storyboard") + BOARD, encoding="utf-8")
    assert new(site, "page", "far") == 0
    page = (site / "scenes/far/page.yaml").read_text(encoding="utf-8")
    assert page.startswith(first.format("https://example.org/page") + "slug: far\n")


def test_the_first_page_of_a_site_can_be_a_new_one(site: Path) -> None:
    (site / "storyboard.yaml").write_text("site: {title: Small, url: https://example.org/}\npages:\n", encoding="utf-8")
    assert new(site, "page", "waves") == 0
    assert cli.main(["build", "--strict", "--root", str(site)]) == 0


def test_modules_go_where_python_finds_them(site: Path) -> None:
    board = site / "storyboard.yaml"
    board.write_text(BOARD.replace("scenes/walk/page.yaml", "scenes/my-walks/page.yaml"), encoding="utf-8")
    (site / "scenes/walk").rename(site / "scenes/my-walks")
    assert new(site, "scene", "walk/sums") == 0
    assert (site / "scenes/walk/sums.py").exists()
    (site / "scenes/page.yaml").write_text(PAGE, encoding="utf-8")
    board.write_text(BOARD.replace("scenes/walk/page.yaml", "scenes/page.yaml"), encoding="utf-8")
    assert new(site, "scene", "walk/tops") == 0
    test = (site / "scenes/test_tops.py").read_text(encoding="utf-8")
    assert "from scenes.tops import compute" in test


SLUG = "is not a valid slug: words of a-z and 0-9 joined by hyphens, at most 80 characters ([a-z0-9]+(-[a-z0-9]+)*)"
ID = (
    "is not a valid id: a letter, then letters, digits and _, all in lower case, at most 64 characters "
    "([a-z][a-z0-9_]*)"
)
RESERVED = "is reserved by the site or the file system; choose another"
MISTAKES = {
    "page My Waves": f"'My Waves' {SLUG}; did you mean 'my-waves'?",
    "page ***": f"'***' {SLUG}",
    "page static": f"'static' {RESERVED}",
    "page null": "'null' means nothing in YAML; choose another name",
    "page walk": "'walk' is already in use; choose another name",
    "page all": "'all' is already in use; choose another name",
    "scene sums": "'sums' is not PAGE/NAME; write, for example, walk/example",
    "scene wakl/sums": "there is no page 'wakl'; did you mean 'walk'?",
    "scene walk/Große Summen": f"'Große Summen' {ID}; did you mean 'grosse_summen'?",
    "scene walk/lambda": f"'lambda' {RESERVED.replace('the site', 'Python')}",
    "scene walk/main": "'main' is already an anchor in the page; choose another",
    "scene walk/test_sums": "'test_sums' would be taken for a test; choose a name that does not begin with test_",
    "scene walk/words": "'words' is already in use; choose another name",
}


@pytest.mark.parametrize("words", MISTAKES)
def test_a_name_that_cannot_be_used_is_refused(site: Path, capsys: pytest.CaptureFixture[str], words: str) -> None:
    what, _, name = words.partition(" ")
    before = tree(site)
    assert new(site, what, name) == 1
    assert capsys.readouterr().err == f"new {what}: {MISTAKES[words]}\n"
    assert tree(site) == before


def test_no_file_is_replaced(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("sums.py", "test_sums.py"):
        (site / "scenes/walk" / name).write_text("mine", encoding="utf-8")
    before = tree(site)
    assert new(site, "scene", "walk/sums") == 1
    advice = "exists already, so nothing was written; move it away, or choose another name"
    assert capsys.readouterr().err == f"scenes/walk/sums.py: {advice}\nscenes/walk/test_sums.py: {advice}\n"
    assert tree(site) == before


def test_a_list_that_cannot_be_added_to_is_reported(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = site / "scenes/walk/page.yaml"
    page.write_text("{slug: walk, title: A, summary: B, scenes: [{id: a, title: A, text: B}]}\n", encoding="utf-8")
    before = tree(site)
    assert new(site, "scene", "walk/sums") == 1
    advice = "write it with a dash before each scene"
    assert (
        capsys.readouterr().err
        == f"scenes/walk/page.yaml: scenes: is not a list that a scene can be added to; {advice}\n"
    )
    assert tree(site) == before


def test_a_folder_without_a_site_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert new(tmp_path, "page", "waves") == 1
    advice = "run this in a site's folder, or name it with --root"
    assert capsys.readouterr().err == f"storyboard.yaml: not found in {tmp_path}; {advice}\n"


def test_mistakes_in_the_site_come_first(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (site / "scenes/walk/page.yaml").unlink()
    assert new(site, "page", "waves") == 1
    assert capsys.readouterr().err.startswith("storyboard.yaml:3: pages.1: not found; ")
    assert not (site / "scenes/waves").exists()
