"""A build replaces and removes only its own files, and an interrupted write leaves nothing broken."""

import json
import os
import shutil
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.digests import file, of_files
from scenebook.core.problems import Problems
from scenebook.page import output

SITE = {"index.html": b"<a href='a/index.html'>", "a/index.html": b"a", "a/a.png": b"png", "static/site.css": b"css"}


def write(folder: Path, files: dict[str, bytes]) -> tuple[str, ...]:
    return output.write(folder, {path: file(data) for path, data in files.items()})


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder except our list."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.name != output.LIST}


def test_a_build_keeps_the_files_of_the_author(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    write(tmp_path, SITE)
    (tmp_path / "a" / "CNAME").write_text("example.org")
    write(tmp_path, {"index.html": b"new"})
    assert tree(tmp_path) == {"index.html": b"new", "thesis.txt": b"mine", "a/CNAME": b"example.org"}
    output.clean(tmp_path)
    assert tree(tmp_path) == {"thesis.txt": b"mine", "a/CNAME": b"example.org"}


def test_a_page_never_replaces_a_file_of_the_author(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / "a").write_text("a file where a folder is needed")
    with pytest.raises(Problems) as caught:
        write(tmp_path, SITE)
    assert [str(problem) for problem in caught.value.problems] == [
        "output/a: was not written by this build and is in the way; move it away",
        "output/index.html: was not written by this build and is in the way; move it away",
    ]
    assert tree(tmp_path) == {"index.html": b"mine", "a": b"a file where a folder is needed"}


def test_a_write_does_not_follow_a_link_out_of_the_folder(tmp_path: Path) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "output"
    elsewhere.mkdir()
    folder.mkdir()
    (elsewhere / "index.html").write_text("mine")
    (folder / "index.html").symlink_to(elsewhere / "index.html")
    with pytest.raises(Problems, match=r"output/index\.html: was not written by this build"):
        write(folder, {"index.html": b"new"})
    assert (elsewhere / "index.html").read_text() == "mine"


def test_an_output_that_is_a_link_keeps_the_files_behind_it(tmp_path: Path) -> None:
    behind, folder = tmp_path / "behind", tmp_path / "output"
    behind.mkdir()
    (behind / "photo.jpg").write_text("mine")
    folder.symlink_to(behind)
    write(folder, SITE)
    output.clean(folder)
    assert tree(behind) == {"photo.jpg": b"mine"}
    assert folder.is_symlink()


@pytest.mark.parametrize("path", ["../victim", "/etc/victim", "a/../../victim", "", "c:victim", "a\\..\\victim", "\0"])
def test_a_forged_list_removes_no_files_elsewhere(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "output"
    folder.mkdir()
    (tmp_path / "victim").write_text("mine")
    (folder / output.LIST).write_bytes(output.listing([path]))
    output.clean(folder)
    (folder / output.LIST).write_bytes(output.listing([path]))
    write(folder, SITE)
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "[{%s}]", "{%s}", '{%s, "files": 3}', '{%s, "files": [3]}', "{%s\x00"])
def test_a_broken_list_makes_no_file_ours(tmp_path: Path, content: str) -> None:
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / output.LIST).write_text(content.replace("%s", output.MARK.decode()))
    with pytest.raises(Problems, match=r"index\.html: was not written"):
        write(tmp_path, SITE)
    output.clean(tmp_path)
    assert (tmp_path / "index.html").read_text() == "mine"


def test_our_list_is_recognized_by_its_mark(tmp_path: Path) -> None:
    """So the next build repairs a list that was cut short."""
    write(tmp_path, SITE)
    whole = (tmp_path / output.LIST).read_bytes()
    (tmp_path / output.LIST).write_bytes(whole[: len(whole) // 2])
    write(tmp_path, SITE)
    assert (tmp_path / output.LIST).read_bytes() == whole


OLDER = json.dumps({"files": ["app.js"]}, indent=1)


@pytest.mark.parametrize("content", ['{"files": ["app.js"]}', OLDER, "precious", ""])
def test_a_list_of_the_author_is_not_taken_for_ours(tmp_path: Path, content: str) -> None:
    mine = {"app.js": "mine", output.LIST: content}
    for name, text in mine.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(Problems) as caught:
        write(tmp_path, SITE)
    assert str(caught.value) == (
        "output/files.json: was not written by this build and is in the way; "
        "move it away, or all of output/ if an older Scenebook wrote it"
    )
    output.clean(tmp_path)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == mine


def in_the_way(folder: Path, place: str, behind: Path) -> None:
    """Assert that writing and cleaning leave an obstacle and everything behind it alone."""
    before = tree(behind)
    with pytest.raises(Problems, match=rf"^output/{place}: was not written by this build and is in the way; [^\n]*$"):
        write(folder, SITE)
    output.clean(folder)
    assert os.path.lexists(folder / place)
    assert tree(behind) == before


@pytest.mark.parametrize("known", [True, False])
def test_a_link_in_place_of_a_folder_is_not_followed(tmp_path: Path, known: bool) -> None:
    folder, behind = tmp_path / "output", tmp_path / "documents"
    write(behind, {"index.html": b"mine"})
    write(folder, SITE if known else {})
    if known:
        shutil.rmtree(folder / "a")
    (folder / "a").symlink_to(behind)
    in_the_way(folder, "a", behind)


@pytest.mark.parametrize("path", ["index.html", "a/a.png", output.LIST])
@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
def test_what_is_not_a_regular_file_is_never_ours(tmp_path: Path, path: str, kind: str) -> None:
    folder, behind = tmp_path / "output", tmp_path / "documents"
    write(folder, SITE)
    write(behind, {"mine": b"mine"})
    place = folder / path
    place.unlink()
    if kind == "folder":
        place.mkdir()
        (place / "mine").touch()
    elif kind == "link":
        place.symlink_to(behind / "mine")
    else:
        os.mkfifo(place)
    in_the_way(folder, path, behind)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert of_files([str(tmp_path / "pipe"), os.devnull]) == ["", ""]


def test_a_list_that_names_folders_and_links_removes_none_of_them(tmp_path: Path) -> None:
    """Files behind a link stay, too. The next list no longer has these names."""
    folder, behind = tmp_path / "output", tmp_path / "documents"
    write(behind, {"mine": b"mine"})
    write(folder, SITE)
    (folder / "notes").mkdir()
    (folder / "notes" / "mine").touch()
    (folder / "link").symlink_to(behind)
    (folder / output.LIST).write_bytes(output.listing([*SITE, "notes", "link/mine", "link"]))
    assert write(folder, SITE) == ()
    assert (folder / output.LIST).read_bytes() == output.listing(SITE)
    (folder / output.LIST).write_bytes(output.listing([*SITE, "notes", "link/mine", "link"]))
    assert output.clean(folder) == tuple(sorted(SITE))
    assert tree(folder) == {"notes/mine": b""}
    assert tree(behind) == {"mine": b"mine"}
    assert (folder / "link").is_symlink()


def test_a_file_of_the_author_is_not_taken_for_a_temporary_file(tmp_path: Path) -> None:
    folder, lock = tmp_path / "output", tmp_path / "facts.lock"
    mine = [
        folder / ".parts" / "1",
        folder / "files.json.part",
        folder / output.PARTS / "mine",
        tmp_path / "facts.lock.part",
    ]
    left = [folder / output.PARTS / f"7{output.PART}", folder / f"{output.LIST}{output.PART}"]
    for path in (*mine, *left):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    for content in (b"one", b"two"):
        output.write(folder, {"index.html": file(content)}, beside={lock: content})
    assert [path.read_text() for path in mine] == ["mine"] * len(mine)
    assert [path for path in left if path.exists()] == []


def test_clean_removes_what_a_killed_write_left(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    (tmp_path / output.PARTS).mkdir()
    (tmp_path / output.PARTS / f"0{output.PART}").touch()
    output.clean(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_a_link_stays_a_link(tmp_path: Path) -> None:
    kept, link = tmp_path / "kept.lock", tmp_path / "facts.lock"
    link.symlink_to(kept.name)
    for content in (b"one", b"two"):
        output.write(tmp_path / "output", {}, beside={link: content})
        assert kept.read_bytes() == content
        assert link.is_symlink()


def test_a_lock_that_is_not_a_file_stops_a_write_before_it_begins(tmp_path: Path) -> None:
    for make in (Path.mkdir, os.mkfifo):
        lock = tmp_path / make.__name__
        make(lock)
        with pytest.raises(Problems, match=rf"^{lock.name}: is not a file; move it away$"):
            output.write(tmp_path / "output", {"index.html": file(b"new")}, beside={lock: b"new"})
    assert not (tmp_path / "output").exists()


@pytest.mark.parametrize("place", ["output", "output/a", "output/files.json", "facts.lock"])
def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds for every file whose rename fails."""
    renamed, failed = os.replace, list[str]()

    def replace(part: str, path: str) -> None:
        if str(path).startswith(str(tmp_path / place)):
            failed.append(str(path))
            raise OSError(28, "No space left on device", str(part), None, str(path))
        renamed(part, path)

    monkeypatch.setattr(os, "replace", replace)
    for _ in range(2):
        with pytest.raises(Problems, match="cannot be written: No space left on device"):
            output.write(tmp_path / "output", {"a/a.png": file(b"png")}, beside={tmp_path / "facts.lock": b"new"})
    assert failed
    assert [path for path in tmp_path.rglob("*") if output.PART in path.name] == []


@pytest.mark.parametrize("place", ["folder", "file/below", "locked/file"])
def test_a_single_file_that_cannot_be_written_is_reported_and_leaves_nothing(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / f"file{output.PART}").mkdir()
    before = set(tmp_path.rglob("*"))
    with pytest.raises(Problems, match=rf"^{tmp_path / place}: cannot be written: (Is a|Not a) directory$"):
        output.replace(tmp_path / place, b"new")
    assert set(tmp_path.rglob("*")) == before


def test_a_broken_link_is_not_taken_for_an_output(tmp_path: Path) -> None:
    (tmp_path / "output").symlink_to("nowhere")
    with pytest.raises(Problems, match=r"^output: is not a folder; move it away$"):
        write(tmp_path / "output", SITE)


def test_an_unchanged_file_is_not_written_again(tmp_path: Path) -> None:
    assert set(write(tmp_path, SITE)) == set(SITE)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert write(tmp_path, SITE) == ()
    assert write(tmp_path, {**SITE, "a/a.png": b"other"}) == ("a/a.png",)
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    touched = {path.name for path, when in after.items() if before[path] != when}
    assert touched <= {"a.png", output.LIST}


def test_all_users_can_read_what_was_written(tmp_path: Path) -> None:
    old = os.umask(0o077)
    try:
        write(tmp_path / "output", SITE)
    finally:
        os.umask(old)
    files = [path for path in (tmp_path / "output").rglob("*") if path.is_file()]
    folders = [path for path in (tmp_path / "output").rglob("*") if path.is_dir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o644}
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o755}


def test_a_list_of_endless_folders_does_not_exhaust_the_stack(tmp_path: Path) -> None:
    write(tmp_path, SITE)
    (tmp_path / output.LIST).write_bytes(output.listing([*SITE, "a/" * 2000 + "a"]))
    assert SITE.keys() <= set(output.clean(tmp_path))
    assert tree(tmp_path) == {}


@pytest.mark.parametrize("folder", [".", "output", "new/output"])
def test_a_relative_folder_is_written_and_cleaned(folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert set(write(Path(folder), SITE)) == SITE.keys()
    assert tree(Path(folder)) == SITE
    output.replace(Path("a.txt"), b"a")
    assert Path("a.txt").read_bytes() == b"a"
    assert set(output.clean(Path(folder))) == SITE.keys()


def test_an_interrupted_write_leaves_no_page_without_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write is interrupted after each of its renames. No asset is missing, and the next write completes the site."""
    new = {"index.html": b"<img src='b.png'>", "b.png": b"png"}
    renamed = os.replace
    for allowed in range(4):
        folder = tmp_path / str(allowed)
        write(folder, SITE)
        left = allowed

        def replace(path: str, target: str) -> None:
            nonlocal left
            if left == 0:
                raise KeyboardInterrupt
            left -= 1
            renamed(path, target)

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            write(folder, new)
        monkeypatch.setattr(os, "replace", renamed)
        found = tree(folder)
        assert b"b.png" not in found["index.html"] or "b.png" in found
        assert b"a/index.html" not in found["index.html"] or "a/index.html" in found
        write(folder, new)
        assert tree(folder) == new


paths = st.sampled_from(["a", "b/a", "b/b", "c/d/a", "c/d/b", "c/e"])
sites = st.dictionaries(paths, st.binary(max_size=3), max_size=5)


@given(st.lists(sites, max_size=4))
def test_a_new_site_replaces_the_old_one_completely(
    tmp_path_factory: pytest.TempPathFactory, sequence: list[dict[str, bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("output")
    for site in sequence:
        write(folder, site)
        assert tree(folder) == site
