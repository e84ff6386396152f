"""The cache returns a result only while its inputs are unchanged, does not lose results, and never breaks a build."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from scenebook.build import last_build
from scenebook.build.last_build import LastBuild
from scenebook.cache import store
from scenebook.cache._input_states import TICK, Inputs
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, CacheEntry, LostError
from scenebook.cli import main
from scenebook.core.digests import digest
from scenebook.run.workers import Job, Workers
from tests.run.test_workers import Named

DECLARED = {"params": "{}", "numpy": "2.4.6"}
READS = Reads(
    paths=("scenes/scores.py", "data/w.csv", "data/missing.csv"),
    folders=("data",),
    modules=("scenes", "scenes/scores", "numbers"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, content in {"scenes/scores.py": "T = 1\n", "data/w.csv": "1,2\n", "data/deep/x.csv": "1"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    settle()
    return tmp_path


def settle() -> None:
    """Wait until the files written so far are older than a build that begins now."""
    time.sleep(2 * TICK / 1e9)


def begin(root: Path, limit: int = store.LIMIT) -> Cache:
    """Return the cache of a new build."""
    return Cache(root / ".cache", root, limit)


def keep(
    root: Path, name: str = "page/scene", content: bytes = b"result", declared: dict[str, str] = DECLARED
) -> CacheEntry:
    entry = begin(root).keep("compute", name, declared, READS, {"n": 1}, {"values": content})
    assert entry
    return entry


def find(root: Path, name: str = "page/scene", declared: dict[str, str] = DECLARED) -> bytes | None:
    """Return the bytes that a new build finds."""
    build = begin(root)
    entry = build.find("compute", name, declared)
    return build.read(entry, "values") if entry else None


def why(root: Path, declared: dict[str, str] = DECLARED) -> list[str]:
    return begin(root).why("compute", "page/scene", declared)


def write(root: Path, path: str, content: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(content, encoding="utf-8")


def test_a_result_that_was_kept_is_found(root: Path) -> None:
    keep(root)
    entry = begin(root).find("compute", "page/scene", DECLARED)
    assert entry
    assert entry.data == {"n": 1}
    assert find(root) == b"result"
    assert why(root) == []


@pytest.mark.parametrize(
    ("edit", "reason"),
    [
        (lambda root: write(root, "scenes/scores.py", "T = 2\n"), "scenes/scores.py changed"),
        (lambda root: (root / "scenes/scores.py").unlink(), "scenes/scores.py is gone"),
        (lambda root: write(root, "data/missing.csv", "3"), "data/missing.csv is new"),
        (lambda root: write(root, "data/other.csv"), "the list of files in data changed"),
        (lambda root: (root / "data/deep/x.csv").rename(root / "data/x.csv"), "the list of files in data changed"),
        (lambda root: write(root, "numbers.py"), "an import of numbers found nothing, and could now find numbers.py"),
        (
            lambda root: write(root, "scenes/scores/x.csv"),
            "an import of scenes/scores found scores.py, and could now find scores.py scores/",
        ),
        (
            lambda root: write(root, "scenes/__init__.py", "T = 3"),
            "an import of scenes found scenes/, and could now find scenes/ scenes/__init__.py",
        ),
    ],
)
def test_a_changed_input_is_noticed(root: Path, edit: Callable[[Path], None], reason: str) -> None:
    keep(root)
    edit(root)
    assert find(root) is None
    assert reason in why(root)


def test_an_edit_just_after_the_check_is_noticed_by_the_next_build(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    look = Inputs.changing

    def look_and_edit(inputs: Inputs, reads: Reads) -> bool:
        found = look(inputs, reads)
        write(root, "data/w.csv", "3,4\n")
        return found

    with monkeypatch.context() as during:
        during.setattr(Inputs, "changing", look_and_edit)
        keep(root)
    assert find(root) is None


def test_a_folder_in_place_of_a_file_is_noticed(root: Path) -> None:
    keep(root)
    (root / "data/w.csv").unlink()
    (root / "data/w.csv").mkdir()
    assert why(root) == ["the list of files in data changed", "data/w.csv changed"]


def test_a_link_with_a_new_target_is_noticed(root: Path) -> None:
    write(root, "data/deep/y.csv", "other")
    (root / "data/w.csv").unlink()
    (root / "data/w.csv").symlink_to("deep/x.csv")
    settle()
    keep(root)
    (root / "data/w.csv").unlink()
    (root / "data/w.csv").symlink_to("deep/y.csv")
    assert why(root) == ["data/w.csv changed"]


def test_a_link_that_leads_to_another_folder_of_the_same_files_is_noticed(root: Path) -> None:
    for number in (1, 2):
        write(root, f"data/run{number}/x.csv", "1")
    (root / "data/now").symlink_to("run1")
    settle()
    reads = Reads(paths=("data/now", "data/now/x.csv"), links=("data/now",))
    assert begin(root).keep("compute", "page/scene", DECLARED, reads)
    assert why(root) == []
    (root / "data/now").unlink()
    (root / "data/now").symlink_to("run2")
    assert why(root) == ["the link data/now changed"]
    (root / "data/now").unlink()
    assert "the link data/now is gone" in why(root)


def test_content_counts_and_dates_do_not(root: Path) -> None:
    """A quick edit can leave the date and the size as they were; a checkout changes the date, but not the content."""
    keep(root)
    path = root / "scenes/scores.py"
    before = path.stat()
    path.write_text("T = 2\n", encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert find(root) is None
    path.write_text("T = 1\n", encoding="utf-8")
    os.utime(path, (0, 0))
    assert find(root) == b"result"


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ({**DECLARED, "params": '{"d": 8}'}, 'params changed from {} to {"d": 8}'),
        ({**DECLARED, "seed": "1"}, "seed is new"),
        ({"params": "{}"}, "numpy is gone"),
        ({**DECLARED, "numpy": ""}, "numpy changed from 2.4.6 to nothing"),
    ],
)
def test_a_changed_declaration_is_noticed(root: Path, declared: dict[str, str], reason: str) -> None:
    keep(root)
    assert find(root, declared=declared) is None
    assert why(root, declared) == [reason]


def test_long_declarations_are_compared_by_their_digests(root: Path) -> None:
    keep(root, declared={"spec": "x" * 9999 + "a"})
    assert find(root, declared={"spec": "x" * 9999 + "a"}) == b"result"
    assert find(root, declared={"spec": "x" * 9999 + "b"}) is None
    assert len(next((root / ".cache").rglob("scene.json")).read_bytes()) < 1000


def test_results_of_different_steps_and_scenes_are_kept_apart(root: Path) -> None:
    keep(root)
    assert find(root, "page/other") is None
    assert begin(root).find("draw", "page/scene", DECLARED) is None
    assert begin(root).why("draw", "page/scene", DECLARED) == ["there is no earlier result"]


def test_undoing_an_edit_finds_the_earlier_result(root: Path) -> None:
    for text in ("T = 1\n", "T = 2\n", "T = 3\n"):
        write(root, "scenes/scores.py", text)
        settle()
        keep(root, content=text.encode())
    for text in ("T = 1\n", "T = 3\n", "T = 2\n"):
        write(root, "scenes/scores.py", text)
        assert find(root) == text.encode()


def test_reasons_compare_with_the_result_that_was_used_last(root: Path) -> None:
    for params in ("1", "2"):
        keep(root, declared={"params": params})
    assert why(root, {"params": "3"}) == ["params changed from 2 to 3"]
    assert find(root, declared={"params": "1"})
    assert why(root, {"params": "3"}) == ["params changed from 1 to 3"]


def test_only_the_latest_results_of_a_scene_are_kept(root: Path) -> None:
    for n in [0, *range(store.RESULTS + 3), store.RESULTS + 2]:
        keep(root, declared={"params": str(n)})
    found = [find(root, declared={"params": str(n)}) for n in range(store.RESULTS + 3)]
    assert [n for n, content in enumerate(found) if content] == [*range(3, store.RESULTS + 3)]


# Inputs that are not certain


@pytest.mark.parametrize("reads", [Reads(unseen=("subprocess.Popen",)), Reads(written=("scratch.txt",))])
def test_a_result_with_unknown_inputs_is_not_kept(root: Path, reads: Reads) -> None:
    build = begin(root)
    assert build.keep("compute", "page/scene", DECLARED, reads) is None
    assert begin(root).find("compute", "page/scene", DECLARED) is None


@pytest.mark.parametrize("known", [True, False])
def test_a_result_is_not_kept_if_an_input_was_edited_during_the_build(root: Path, known: bool) -> None:
    """The scene reads the old text and the build hashes the new one, or the other way round."""
    build = begin(root)
    if known:
        build.inputs.states(READS)
    settle()
    write(root, "scenes/scores.py", "T = 2\n")
    assert build.keep("compute", "page/scene", DECLARED, READS) is None
    settle()
    assert begin(root).keep("compute", "page/scene", DECLARED, READS)


def test_a_result_is_not_kept_if_a_link_was_changed_during_the_build(root: Path) -> None:
    (root / "data/missing.csv").symlink_to("w.csv")
    settle()
    build = begin(root)
    build.inputs.states(READS)
    settle()
    (root / "data/missing.csv").unlink()
    (root / "data/missing.csv").symlink_to("deep/x.csv")
    assert build.keep("compute", "page/scene", DECLARED, READS) is None


def test_the_state_of_an_input_is_determined_once_in_a_build(root: Path) -> None:
    inputs = Inputs(root)
    before = inputs.states(READS)
    write(root, "scenes/scores.py", "T = 2\n")
    write(root, "numbers.py")
    assert inputs.states(READS) == before
    assert Inputs(root).states(READS) != before


# Damage


def files(root: Path, pattern: str) -> list[Path]:
    return [path for path in (root / ".cache").rglob(pattern) if path.is_file()]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:40],
        lambda content: content.replace(b"2.4.6", b"2.4.7"),
        lambda content: b"\xff\xfe\x00",
        lambda content: digest(b"{}").encode() + b"\n{}",
        lambda content: digest(b"[{}]").encode() + b"\n[{}]",
        lambda content: digest(b"[1]").encode() + b"\n[1]",
    ],
)
def test_a_damaged_record_is_ignored_and_replaced(root: Path, damage: Callable[[bytes], bytes]) -> None:
    keep(root)
    (path,) = files(root, "scene.json")
    path.write_bytes(damage(path.read_bytes()))
    assert find(root) is None
    assert find(root, declared={**DECLARED, "numpy": "2.4.7"}) is None
    keep(root)
    assert find(root) == b"result"


@pytest.mark.parametrize("content", [None, b"", b"resul"])
def test_a_result_with_missing_or_truncated_bytes_is_made_again(root: Path, content: bytes | None) -> None:
    entry = keep(root)
    (path,) = files(root, entry.blobs["values"][0])
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content)
    assert begin(root).find("compute", "page/scene", DECLARED) is None
    assert why(root) == ["its data is missing from the cache"]
    keep(root)
    assert find(root) == b"result"


def test_damaged_bytes_are_reported_and_replaced(root: Path) -> None:
    entry = keep(root)
    (path,) = files(root, entry.blobs["values"][0])
    path.write_bytes(b"resulT")
    with pytest.raises(LostError, match="is missing or damaged"):
        find(root)
    assert find(root) is None
    keep(root)
    assert find(root) == b"result"


def test_a_cache_that_cannot_be_written_does_not_break_the_build(root: Path) -> None:
    (root / ".cache").write_text("not a folder", encoding="ascii")
    build = begin(root)
    assert build.keep("compute", "page/scene", DECLARED, READS, None, {"values": b"result"}) is None
    assert build.find("compute", "page/scene", DECLARED) is None
    build.trim()


@pytest.mark.parametrize("replaced", [0, 1])
def test_a_build_killed_while_writing_leaves_the_earlier_result_intact(
    root: Path, monkeypatch: pytest.MonkeyPatch, replaced: int
) -> None:
    """The bytes are written first and the record second. The build is killed before the first or the second write."""
    keep(root, content=b"before")
    turns = iter(range(2))
    replace = os.replace

    def killed(*paths: str) -> None:
        if next(turns) == replaced:
            raise KeyboardInterrupt
        replace(*paths)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(os, "replace", killed)
        keep(root, content=b"after")
    assert find(root) == b"before"


def a_folder_in_place_of_the_record(root: Path) -> None:
    write(root, f".cache/{store.FORMAT}/compute/page/scene.json/mine", "mine")


def a_folder_in_place_of_the_bytes(root: Path) -> None:
    write(root, f".cache/{store.FORMAT}/blobs/{digest(b'result')}/mine", "mine")


def a_file_in_place_of_a_folder(root: Path) -> None:
    write(root, f".cache/{store.FORMAT}/compute/page", "mine")


def a_full_disk(root: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (3, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


@pytest.mark.parametrize(
    "fault",
    [a_folder_in_place_of_the_record, a_folder_in_place_of_the_bytes, a_file_in_place_of_a_folder, a_full_disk],
)
def test_a_write_that_fails_leaves_no_files_behind(root: Path, fault: Callable[[Path], None]) -> None:
    before, mine = resource.getrlimit(resource.RLIMIT_FSIZE), list[Path]()
    try:
        for _ in range(2):
            fault(root)
            mine = [path for path in files(root, "*") if path.read_bytes() == b"mine"]
            assert begin(root).keep("compute", "page/scene", DECLARED, READS, None, {"values": b"result"}) is None
            begin(root).trim()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files(root, "*.part") == []
    assert {path.read_bytes() for path in mine} == (set() if fault is a_full_disk else {b"mine"})
    assert find(root) is None


def test_a_write_that_is_interrupted_leaves_no_files_behind(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        keep(root)
    assert files(root, "*") == []


BUILDS = """
    import pathlib, sys
    from scenebook.cache.reads import Reads
    from scenebook.cache.store import Cache
    root, who = pathlib.Path(sys.argv[1]), sys.argv[2]
    for turn in range(60):
        cache = Cache(root / ".cache", root)
        declared = {"params": str(turn % 3)}
        entry = cache.find("compute", "scene", declared)
        if entry:
            assert cache.read(entry, "values") == str(turn % 3).encode() * 9999
        cache.keep("compute", "scene", declared, Reads(), who, {"values": str(turn % 3).encode() * 9999})
        cache.trim()
"""


def test_two_builds_can_run_at_once(root: Path) -> None:
    command = [sys.executable, "-c", textwrap.dedent(BUILDS), str(root)]
    builds = [subprocess.Popen([*command, who], cwd=Path(__file__).parents[2]) for who in ("one", "two")]
    assert [build.wait(60) for build in builds] == [0, 0]
    assert files(root, "*.part") == []


# Size


def age(root: Path, pattern: str, hours: float) -> None:
    for path in files(root, pattern):
        os.utime(path, (time.time() - hours * 3600,) * 2)


def test_trimming_removes_what_has_been_unused_the_longest(root: Path) -> None:
    entries = {name: keep(root, name, name.encode() * 1000) for name in ("old", "used", "new")}
    for hours, name in enumerate(("new", "old", "used"), start=5):
        age(root, f"{name}.json", hours)
        age(root, entries[name].blobs["values"][0], hours)
    assert find(root, "used")
    begin(root, limit=9_500).trim()
    assert find(root, "old") is None
    assert find(root, "used") == b"used" * 1000
    assert find(root, "new") == b"new" * 1000


def test_trimming_keeps_what_a_running_build_may_need(root: Path) -> None:
    keep(root)
    begin(root, limit=0).trim()
    assert find(root) == b"result"


def test_leftovers_of_killed_builds_are_removed_after_an_hour(root: Path) -> None:
    keep(root)
    (root / ".cache" / store.FORMAT / "blobs" / "abc.1.2.part").write_bytes(b"half")
    begin(root).trim()
    assert len(files(root, "*.part")) == 1
    age(root, "*.part", 2)
    age(root, "trimmed", 2)
    begin(root).trim()
    assert files(root, "*.part") == []
    assert find(root) == b"result"


def test_trimming_is_done_at_most_once_an_hour(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(root)
    begin(root).trim()
    with monkeypatch.context() as patch:
        patch.setattr(os, "walk", None)
        begin(root).trim()
    age(root, "trimmed", 2)
    age(root, "*", 2)
    begin(root, limit=0).trim()
    assert find(root) is None


def earlier(root: Path) -> tuple[Path, Path]:
    """Make the cache one of an earlier format, with two files of the user in it."""
    old = root / ".cache" / store.EARLIER_FORMATS[-1]
    (root / ".cache" / store.FORMAT).rename(old)
    mine = (old / "compute" / "page" / "mine.json", old / "blobs" / "mine")
    for path in mine:
        path.write_text("{}", encoding="ascii")
    return mine


def test_an_earlier_format_is_removed_once_nobody_uses_it(root: Path) -> None:
    keep(root)
    mine = earlier(root)
    begin(root).trim()
    assert len(files(root, "*")) > len(mine)  # an earlier engine may still be building
    age(root, "*", 2)
    age(root, "trimmed", 2)
    begin(root).trim()
    assert sorted(path for path in files(root, "*") if path.name != "trimmed") == sorted(mine)


def test_the_cache_can_be_removed_and_nothing_else_is(root: Path) -> None:
    keep(root)
    mine = earlier(root)
    keep(root)
    own = len(files(root, "*")) - len(mine)
    (root / ".cache" / store.FORMAT / "blobs" / "abc.1.2.part").write_bytes(b"half")
    write(root, ".cache/notes.json", "mine")
    assert store.remove(root / ".cache") == own + 1
    assert sorted(files(root, "*")) == sorted([*mine, root / ".cache/notes.json"])
    assert not (root / ".cache" / store.FORMAT).exists()
    assert store.remove(root / "missing") == 0


def test_the_command_removes_the_cache_and_leaves_the_site(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCENEBOOK_CACHE", raising=False)
    page = "{slug: p, title: P, summary: Words., scenes: [{id: one, title: One, text: Words.}]}"
    write(tmp_path, "storyboard.yaml", f"site: {{title: S, url: 'https://example.org/'}}\npages: [{page}]\n")
    assert main(["build", "--root", str(tmp_path)]) == 0
    built = (tmp_path / "output/p/index.html").read_bytes()
    write(tmp_path, ".scenebook/mine", "mine")
    assert main(["clean", "--cache", "--root", str(tmp_path)]) == 0
    assert re.search(r"removed \d\d+ files of the cache\n$", capsys.readouterr().out)
    assert [path for path in (tmp_path / ".scenebook").rglob("*") if path.is_file()] == [tmp_path / ".scenebook/mine"]
    assert (tmp_path / "output/p/index.html").read_bytes() == built


def test_the_size_of_the_cache_can_be_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sizes = []

    def find(_: object, cache: Cache) -> LastBuild:
        sizes.append(cache.limit)
        return LastBuild(up_to_date=True)

    monkeypatch.setattr(last_build, "find", find)
    for size in ("", "5000"):
        monkeypatch.setenv("SCENEBOOK_CACHE_LIMIT", size)
        assert main(["build", "--root", str(tmp_path)]) == 0
    assert sizes == [store.LIMIT, 5000]


@pytest.mark.parametrize("size", ["1G", "-1", "1.5", "٣"])
def test_a_size_of_the_cache_that_is_not_a_number_is_refused(
    size: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCENEBOOK_CACHE_LIMIT", size)
    assert main(["build"]) == 1
    message = f"SCENEBOOK_CACHE_LIMIT: {size!r} is not a number of bytes; write one such as 500000000\n"
    assert capsys.readouterr().err == message


# The reads of a real scene


def test_an_edit_of_a_module_that_a_scene_imports_is_noticed(root: Path) -> None:
    write(root, "scenes/scores.py", "from scenes.lib import T\ndef compute():\n    return T\n")
    write(root, "scenes/lib.py", "from .const import C as T\n")
    write(root, "scenes/const.py", "C = 1\n")
    settle()
    with Workers(root, 1) as workers:
        workers.submit(Job("scores", Named("scenes.scores:compute")))
        (outcome,) = workers
    assert outcome.value == 1
    assert begin(root).keep("compute", "scores", {}, outcome.reads)
    write(root, "scenes/sibling.py", "")
    assert begin(root).why("compute", "scores", {}) == []
    write(root, "scenes/const.py", "C = 2\n")
    assert begin(root).why("compute", "scores", {}) == ["scenes/const.py changed"]
    write(root, "scenes/const.py", "C = 1\n")
    write(root, "scenes/lib/__init__.py", "T = 3\n")
    assert begin(root).find("compute", "scores", {}) is None


def test_the_cache_imports_no_heavy_library() -> None:
    script = "import sys, scenebook.cache.store; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], cwd=Path(__file__).parents[2], capture_output=True, text=True, check=True
    )
    assert {"numpy", "multiprocessing", "subprocess", "tempfile", "asyncio"}.isdisjoint(loaded.stdout.split())
