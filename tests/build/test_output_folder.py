"""Built files never go among the sources, whatever folder a command names."""

from __future__ import annotations

from pathlib import Path

import pytest

from scenebook import cli
from scenebook.build import output_folder
from scenebook.cache import versions
from tests.support.review_site import FILES, write

ADVICE = "choose a folder outside the site, or a new one in it such as 'public'"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The small site in `home/site`, with a few more sources. Commands run in this folder."""
    home, root = tmp_path / "home", tmp_path / "home" / "site"
    write(root, {**FILES, "templates/own.html": "", "texts/more.yaml": "", "data/x.csv": "1\n", "lib/help.py": ""})
    (tmp_path / "link").symlink_to(root / "scenes")
    (root / "loop").symlink_to(root / "loop")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(root)
    return root


def state(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        (".", "is the site's folder"),
        ("", "is the site's folder"),
        ("scenes/..", "is the site's folder"),
        ("..", "contains the site's folder"),
        ("../..", "contains the site's folder"),
        ("/", "contains the site's folder"),
        ("~", "contains the site's folder"),
        ("scenes", "is the site's scenes/"),
        ("scenes/one", "is in the site's scenes/"),
        ("scenes/new/folder", "is in the site's scenes/"),
        ("../../link", "is the site's scenes/"),
        ("../../link/new", "is in the site's scenes/"),
        ("templates", "is the site's templates/"),
        ("templates/static", "is in the site's templates/"),
        ("tests", "is the site's tests/"),
        ("scenebook/built", "is in the site's scenebook/"),
        (".git", "is the site's .git/"),
        (".scenebook/cache/new", "is in the site's .scenebook/"),
        ("texts", "is among the sources in texts/"),
        ("texts/public", "is among the sources in texts/"),
        ("lib", "is among the sources in lib/"),
        ("storyboard.yaml", "is not a folder"),
        ("loop", "is not a folder"),
        (str(versions.ENGINE / "new"), "is in Scenebook's code"),
        (str(versions.OWN_TEMPLATES.parent), "contains Scenebook's code"),
    ],
)
@pytest.mark.parametrize("command", [("build", "--into"), ("run", "curve", "--out")])
def test_nothing_is_written_among_the_sources(
    root: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...], folder: str, found: str
) -> None:
    before, given = state(root.parent.parent), Path(folder).expanduser()
    assert cli.main([*command, str(given)]) == 1
    assert capsys.readouterr().err == f"{command[-1]}: {str(given)!r} {found}; {ADVICE}\n"
    assert state(root.parent.parent) == before


def test_a_site_is_not_written_among_other_files(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", "--into", "data"]) == 1
    assert capsys.readouterr().err == f"--into: 'data' contains files that Scenebook did not write; {ADVICE}\n"
    assert not (root / ".scenebook").exists()


def test_home_is_left_alone(root: Path, tmp_path: Path) -> None:
    elsewhere, cache = tmp_path / "elsewhere", tmp_path / "cache"
    assert output_folder.objection(root.parent, elsewhere, cache, whole_site=True) == "is your home folder"
    assert output_folder.objection(tmp_path, elsewhere / "x", cache, whole_site=True) == "contains the site's folder"
    assert output_folder.objection(root.parent / "new", elsewhere, cache, whole_site=True) is None


def test_a_cache_elsewhere_is_left_alone(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCENEBOOK_CACHE", str(tmp_path / "kept"))
    assert cli.main(["build", "--into", str(tmp_path / "kept" / "x")]) == 1
    assert cli.main(["build", "--into", str(tmp_path)]) == 1
    assert not (tmp_path / "kept").exists()


def test_a_site_can_be_built_into_a_folder_of_its_own(root: Path, tmp_path: Path) -> None:
    (root / "hidden").mkdir()
    (root / "hidden" / ".gitkeep").touch()
    for folder in ("public", "public", "new/deep", "hidden", str(tmp_path / "outside"), "../beside"):
        assert cli.main(["build", "--into", folder]) == 0
        assert (Path(folder) / "one" / "index.html").is_file()
    assert not (root / "output").exists()
    assert not (root / "facts.lock").exists()


def test_the_files_of_a_scene_can_be_written_twice(root: Path) -> None:
    for _ in range(2):
        assert cli.main(["run", "curve", "--out", "pictures"]) == 0
    assert (root / "pictures" / "curve.png").is_file()
