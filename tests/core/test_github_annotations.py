"""Annotations follow GitHub's form: `::error file=...,line=...,title=...::message`."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenebook.cli import main
from scenebook.core.github_annotations import annotation
from scenebook.core.problems import Problem

SITE = """\
site: {title: Small, url: https://example.org/, numbers: off}
pages:
  - slug: one
    title: One
    summary: A cut #1 title.
    scenes: [{id: a, titel: A}]
"""


def test_a_problem_has_its_place_and_its_message(tmp_path: Path) -> None:
    problem = Problem("page.yaml", 3, "scenes.a", "is wrong")
    assert annotation(problem, tmp_path) == (
        "::error file=page.yaml,line=3,title=scenes.a::page.yaml:3: scenes.a: is wrong"
    )


def test_what_a_problem_does_not_know_is_left_out(tmp_path: Path) -> None:
    assert annotation(Problem("", 0, "", "is wrong"), tmp_path) == "::error::is wrong"
    warning = Problem("facts.lock", 0, "", "is old", warning=True)
    assert annotation(warning, tmp_path) == "::warning file=facts.lock::facts.lock: warning: is old"


def test_characters_with_a_meaning_are_escaped(tmp_path: Path) -> None:
    problem = Problem("a,b:c%.yaml", 1, "d,e:f", "100 % :: g, h\r\n::error::i\x1b")
    assert annotation(problem, tmp_path) == (
        "::error file=a%2Cb%3Ac%25.yaml,line=1,title=d%2Ce%3Af::"
        r"a,b:c%25.yaml:1: d,e:f: 100 %25 :: g, h\r\n::error::i\x1b"
    )


@pytest.mark.parametrize(
    ("top", "path"), [(".", "page.yaml"), ("..", "site/page.yaml"), ("../..", "docs/site/page.yaml")]
)
def test_paths_begin_at_the_top_of_the_repository(tmp_path: Path, top: str, path: str) -> None:
    root = tmp_path / "docs" / "site"
    root.mkdir(parents=True)
    (root / top / ".git").mkdir()
    assert annotation(Problem("page.yaml", 0, "", "is wrong"), root).startswith(f"::error file={path}::")


def test_a_path_outside_the_repository_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "site" / ".git").mkdir(parents=True)
    outside = str(tmp_path / "old" / "facts.json")
    assert annotation(Problem(outside, 0, "", "x"), tmp_path / "site").startswith(f"::error file={outside}::")


@pytest.mark.parametrize("command", ["build", "check"])
def test_a_build_prints_mistakes_and_warnings_as_annotations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    root = tmp_path / "site"
    root.mkdir()
    (tmp_path / ".git").mkdir()
    (root / "storyboard.yaml").write_text(SITE, encoding="utf-8")
    assert main([command, "--format", "github", "--root", str(root)]) == 1
    printed = capsys.readouterr()
    assert printed.err == ""
    assert [line.partition(": ")[0] for line in printed.out.splitlines()] == [
        "::warning file=site/storyboard.yaml,line=5,title=pages.one.summary::storyboard.yaml:5",
        "::error file=site/storyboard.yaml,line=6,title=pages.one.scenes.a.titel::storyboard.yaml:6",
    ]


def test_the_warnings_of_a_site_that_builds_are_annotations_each_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "storyboard.yaml").write_text(SITE.replace("titel", "title"), encoding="utf-8")
    for _ in range(2):
        assert main(["build", "--format", "github", "--root", str(tmp_path)]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        warning, _ = printed.out.splitlines()
        assert warning.startswith("::warning file=storyboard.yaml,line=5,title=pages.one.summary::")
