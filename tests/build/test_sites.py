"""Tiny sites with mistakes: each folder of `sites/` holds one, and `expected.txt` is the exact standard error.

A site without problems is built, and its `expected.txt` is empty or holds warnings. Sites are copied, so that no build
writes among the tests.
"""

import shutil
from pathlib import Path

import pytest

from scenebook.cli import main
from scenebook.core.problems import Problems
from scenebook.page import templates
from scenebook.storyboard import _page_rules as page_rules

SITES = sorted(path for path in (Path(__file__).parents[1] / "sites").iterdir() if path.is_dir())


@pytest.mark.parametrize("site", SITES, ids=lambda path: path.name)
def test_every_mistake_is_reported_word_for_word(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / site.name
    shutil.copytree(site, root)
    expected = (root / "expected.txt").read_text(encoding="utf-8")
    problems = [line for line in expected.splitlines() if ": warning: " not in line and ": note: " not in line]
    code = main(["build", "--root", str(root)])
    assert capsys.readouterr().err == expected
    assert code == (1 if problems else 0)
    assert (root / "output").exists() == (not problems)


def test_no_page_can_have_the_name_of_a_folder_that_the_engine_makes(tmp_path: Path) -> None:
    root = tmp_path / "root"
    shutil.copytree(next(site for site in SITES if site.name == "a_page_on_two_tracks"), root)
    assert main(["build", "--root", str(root)]) == 0
    folders = {path.name for path in (root / "output").iterdir() if path.is_dir()} - {"a", "one", "two"}
    assert "static" in folders
    assert folders <= page_rules.SITE_NAMES


def test_a_template_that_cannot_be_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = templates.environment(tmp_path)

    def denied(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ready.loader, "get_source", denied)
    templates.warm(ready)
    with pytest.raises(Problems, match=r"^templates/page.html: cannot be read: Permission denied$"):
        templates.render(ready, "page.html")
