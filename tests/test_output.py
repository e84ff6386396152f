"""Only what was written is ever replaced or removed, and a write that ends early leaves nothing broken."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook import output
from scenebook.content import file
from scenebook.errors import Problems

SITE = {"index.html": b"<a href='a/index.html'>", "a/index.html": b"a", "a/a.png": b"png", "static/site.css": b"css"}


def write(folder: Path, files: dict[str, bytes]) -> tuple[str, ...]:
    return output.write(folder, {path: file(data) for path, data in files.items()})


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, but for the list of what is ours."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.name != output.LIST}


def test_a_build_loses_the_authors_files(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    write(tmp_path, SITE)
    (tmp_path / "a" / "CNAME").write_text("example.org")
    write(tmp_path, {"index.html": b"new"})
    assert tree(tmp_path) == {"index.html": b"new", "thesis.txt": b"mine", "a/CNAME": b"example.org"}
    output.clean(tmp_path)
    assert tree(tmp_path) == {"thesis.txt": b"mine", "a/CNAME": b"example.org"}


def test_a_page_takes_the_place_of_the_authors_file(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / "a").write_text("a file where a folder is needed")
    with pytest.raises(Problems) as caught:
        write(tmp_path, SITE)
    assert [str(problem) for problem in caught.value.problems] == [
        "output/a: is a file where the site needs a folder; move it away",
        "output/index.html: was not written by this build and is in the way; move it away",
    ]
    assert tree(tmp_path) == {"index.html": b"mine", "a": b"a file where a folder is needed"}


def test_a_link_leads_a_write_out_of_the_folder(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "output"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "index.html").write_text("mine")
    (folder / "index.html").symlink_to(elsewhere / "index.html")
    with pytest.raises(Problems, match=r"output/index\.html: was not written by this build"):
        write(folder, {"index.html": b"new"})
    assert (elsewhere / "index.html").read_text() == "mine"


def test_an_output_that_is_a_link_loses_files_behind_it(tmp_path: Path) -> None:
    behind, folder = tmp_path / "behind", tmp_path / "output"
    behind.mkdir()
    (behind / "photo.jpg").write_text("mine")
    folder.symlink_to(behind)
    write(folder, SITE)
    output.clean(folder)
    assert tree(behind) == {"photo.jpg": b"mine"}
    assert folder.is_symlink()


@pytest.mark.parametrize("path", ["../victim", "/etc/victim", "a/../../victim", "", "c:victim", "a\\..\\victim"])
def test_a_forged_list_removes_files_elsewhere(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "output"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / output.LIST).write_text(json.dumps({"files": [path]}))
    output.clean(folder)
    write(folder, SITE)
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"files": 3}', '{"files": [3]}', "\x00"])
def test_a_broken_list_is_believed(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / output.LIST).write_text(content)
    with pytest.raises(Problems, match=r"index\.html: was not written"):
        write(tmp_path, SITE)


def test_an_unchanged_file_is_written_again(tmp_path: Path) -> None:
    assert set(write(tmp_path, SITE)) == set(SITE)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert write(tmp_path, SITE) == ()
    assert write(tmp_path, {**SITE, "a/a.png": b"other"}) == ("a/a.png",)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    touched = {path.name for path, when in after.items() if before[path] != when}
    assert touched <= {"a.png", output.LIST}


def test_readers_may_not_read_what_was_written(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write(tmp_path / "output", SITE)
    finally:
        os.umask(old)
    files = [path for path in (tmp_path / "output").rglob("*") if path.is_file()]
    folders = [path for path in (tmp_path / "output").rglob("*") if path.is_dir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o644}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o755}


def test_a_write_that_ends_early_leaves_a_page_without_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """End after each number of renames in turn: pages find their assets, and the next write completes the site."""
    new = {"index.html": b"<img src='b.png'>", "b.png": b"png"}
    renamed = Path.replace
    for allowed in range(4):
        folder = tmp_path / str(allowed)
        write(folder, SITE)
        left = allowed

        def replace(path: Path, target: Path) -> Path:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            return renamed(path, target)

        monkeypatch.setattr(Path, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            write(folder, new)
        monkeypatch.setattr(Path, "replace", renamed)
        found = tree(folder)
        assert b"b.png" not in found["index.html"] or "b.png" in found
        assert b"a/index.html" not in found["index.html"] or "a/index.html" in found
        write(folder, new)
        assert tree(folder) == new


paths = st.sampled_from(["a", "b/a", "b/b", "c/d/a", "c/d/b", "c/e"])
sites = st.dictionaries(paths, st.binary(max_size=3), max_size=5)


@given(st.lists(sites, max_size=4))
def test_an_old_site_shines_through_a_new_one(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[dict[str, bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("output")
    for site in sequence:
        write(folder, site)
        assert tree(folder) == site
