"""Scenes cannot disturb each other, the build or the machine. These tests look at files, messages and exit codes."""

from __future__ import annotations

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from scenebook.build import pages, site
from scenebook.build.options import BuildOptions
from scenebook.cli import main
from scenebook.core.problems import Problems
from scenebook.page.output import LIST, listing
from tests.run.test_kill import litter, remaining
from tests.support.builder import Builder, building
from tests.support.changing_site import Site, differences, tree, write

ENGINE = Path(__file__).parents[2]

NOISY = """
import os, random, sys, warnings
import numpy as np
import matplotlib.pyplot as plt

plt.style.use("dark_background")
plt.rcParams["image.cmap"] = "gray"
plt.rcParams["font.size"] = 30
np.random.seed(7)
random.seed(7)
np.set_printoptions(precision=1)
np.seterr(all="raise")
warnings.simplefilter("error")
os.environ["TZ"] = "Asia/Kolkata"
os.chdir("/")
sys.path.insert(0, "/nowhere")
plt.rcParams["figure.max_open_warning"] = 0
for _ in range(60):
    plt.figure()


def compute():
    sys.modules["scenes.helper"] = None
    return {"m": np.eye(3)}


def sketch(figure, values):
    plt.rcParams["lines.linewidth"] = 9
    figure.subplots().plot([1, 2])
"""
PLAIN = """
import os, random, time
import matplotlib.pyplot as plt
import numpy as np
from scenes.helper import T


def compute():
    chance = [random.random(), *np.random.rand(3), T]
    return {"m": np.random.rand(3, 3), "chance": chance, "small": float(np.float64(1e-200) ** 2) + T,
            "state": [repr(np.array([1 / 3])), os.getcwd()[-5:], *time.tzname, os.environ["TZ"]],
            "figures": len(plt.get_fignums())}


def sketch(figure, values):
    figure.subplots().imshow(values["m"])
"""


def page(*scenes: str) -> Site:
    """A page of these scenes, which all return a matrix. The one called `declared` has a heatmap."""
    listed: list[dict[str, Any]] = []
    for name in scenes:
        words = {"caption": "See this. Read it so.", "alt": "Something to hear."}
        panel = {"heatmap": "m", "title": "Beside {{ plain.small:.1f }}"}
        drawn = {"panels": [panel]} if name == "declared" else {"draw": "sketch"}
        listed.append({"id": name, "title": "Title", "compute": f"{name}.py", "figure": {**drawn, **words}})
    texts = {f"scenes/{name}.py": NOISY if name == "noisy" else PLAIN for name in scenes}
    return Site(
        pages=[{"slug": "page", "title": "Page", "summary": "Words.", "scenes": listed}],
        texts={**texts, "scenes/helper.py": "T = 1\n"},
    )


@pytest.fixture(scope="module")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Builder]:
    with building(tmp_path_factory.mktemp("sites") / "a root") as (builder,):
        yield builder


def test_a_scene_finds_nothing_that_another_left(builder: Builder) -> None:
    """The files of plain scenes are the same whether a noisy scene comes first, last or not at all."""
    plain = ("plain", "declared")
    built = []
    for scenes in (plain, ("noisy", *plain), (*plain, "noisy")):
        builder.empty()
        write(builder.root, page(*scenes).files())
        outcome = builder.build()
        assert (outcome.refused, [each for each in outcome.warnings if not each.note]) == ((), [])
        pictures = {
            path: data for path, data in outcome.tree.items() if path.startswith("output/page/") and "." in path
        }
        built.append(
            {path: data for path, data in pictures.items() if not path.endswith(".html") and "noisy" not in path}
        )
        built[-1] |= {
            "lock": b"\n".join(line for line in outcome.tree["facts.lock"].splitlines() if b"noisy" not in line)
        }
    assert sorted(built[0]) == [
        "lock", "output/page/declared-m.csv", "output/page/declared-m.svg", "output/page/declared.png",
        "output/page/plain-sketch.svg", "output/page/plain.png",
    ]  # fmt: skip
    assert built[1] == built[0]
    assert built[2] == built[0]
    assert b"page/plain.figures = 0" in built[0]["lock"].splitlines()


def test_a_scene_run_by_itself_makes_the_same_files_as_among_others(builder: Builder, tmp_path: Path) -> None:
    builder.empty()
    write(builder.root, page("noisy", "plain", "declared").files())
    outcome = builder.build()
    shutil.rmtree(builder.root / ".scenebook")
    for scene in ("plain", "declared"):
        assert main(["run", scene, "--root", str(builder.root), "--out", str(tmp_path / scene)]) == 0
        for path in (tmp_path / scene).iterdir():
            assert path.read_bytes() == outcome.tree[f"output/page/{path.name}"]
    assert len([*tmp_path.rglob("*.*")]) == 5


BOUND = "[ctypes.CDLL(None).prctl(24, n, 0, 0, 0) for n in (1, 2)]"  # so that permissions apply to root, too
SMALL = "resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))"  # no file may be larger than this


def command(root: Path, name: str = "build", first: str = BOUND) -> list[str]:
    """A command line that runs `first`, and that can be interrupted even if the test run ignores interrupts."""
    prepared = f"import ctypes, os, resource, signal, sys; {first}; signal.signal(signal.SIGINT, signal.SIG_DFL)"
    code = f"{prepared}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    return [sys.executable, "-c", code, "-m", "scenebook", name, "--root", str(root)]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(arguments, cwd=ENGINE, capture_output=True, text=True, check=False, timeout=100)


def one(code: str, **scene: object) -> Site:
    """A page of one scene."""
    scenes = [{"id": "one", "title": "One", "compute": "one.py", "text": "It is {{ one.x }}.", **scene}]
    text = f"import os, signal, subprocess, sys, time\n\n\ndef compute():\n    {code}\n"
    return Site(
        pages=[{"slug": "page", "title": "Page", "summary": "Words.", "scenes": scenes}], texts={"scenes/one.py": text}
    )


def test_long_output_of_a_scene_is_cut_and_shown_only_on_request(
    builder: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    builder.empty()
    write(builder.root, one("print('x' * 50_000_000)\n    return {'x': 1}").files())
    assert main(["build", "--root", str(builder.root), "--verbose"]) == 0
    printed = capsys.readouterr().out
    assert 10_000 < len(printed) < 70_000
    assert "left out]" in printed
    assert not any(b"xxxx" in content for content in tree(builder.root).values())
    shutil.rmtree(builder.root / ".scenebook")
    shutil.rmtree(builder.root / "output")
    assert main(["build", "--root", str(builder.root)]) == 0
    assert len(capsys.readouterr().out) < 300


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("while True: pass", "scenes/one.py:5: page/one: timed out after 2 s; make it faster, or give"),
        ("subprocess.run(['sleep', '98764.5'])", "page/one: timed out after 2 s"),
        (
            "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\n    while True: pass",
            "page/one: timed out after 2 s",
        ),
        (
            "return {'x': input()}",
            "scenes/one.py:5: page/one: EOFError: EOF when reading a line; a scene cannot ask for",
        ),
        (
            "return open('data/w.csv')",
            "No such file or directory: 'data/w.csv'; paths are relative to the root, the folder of",
        ),
    ],
)
def test_a_scene_that_hangs_or_asks_for_input_is_stopped_with_advice(builder: Builder, code: str, message: str) -> None:
    builder.empty()
    endlessly = f"98764.{os.getpid()}"  # other runs of this test have other numbers
    write(builder.root, one(code.replace("98764.5", endlessly), timeout=2).files())
    start = time.monotonic()
    built = builder.build()
    assert time.monotonic() - start < 60  # the time limit is 2 s; the rest is for a busy machine
    (problem,) = built.refused
    assert message in str(problem)
    assert f"sleep\x00{endlessly}" not in "".join(_command_lines())
    assert built.tree == {}


def _command_lines() -> Iterator[str]:
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield path.read_text(errors="replace")
        except OSError:
            continue


def test_a_scene_cannot_ask_for_input_even_if_the_build_has_a_terminal(tmp_path: Path) -> None:
    write(tmp_path / "root", one("return {'x': input()}").files())
    ours, theirs = os.openpty()
    with subprocess.Popen(command(tmp_path / "root"), cwd=ENGINE, stdin=theirs, stderr=subprocess.PIPE) as build:
        _, errors = build.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert build.returncode == 1
    assert b"a scene cannot ask for input" in errors


def test_an_interrupted_build_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    root, begun = tmp_path / "root", tmp_path / "begun"
    write(root, one(f"open({str(begun)!r}, 'w').close()\n    time.sleep(1000)").files())
    with subprocess.Popen(command(root), cwd=ENGINE, stderr=subprocess.PIPE, text=True) as build:
        while not begun.exists():
            time.sleep(0.02)
        build.send_signal(signal.SIGINT)
        _, errors = build.communicate(timeout=60)
    assert (build.returncode, errors) == (130, "interrupted\n")
    assert remaining(root) == []
    assert tree(root) == {}


@pytest.mark.parametrize("where", ["root", "/"])
def test_a_build_can_be_started_from_any_folder(tmp_path: Path, where: str) -> None:
    """Paths are relative to the root, and a build leaves only documented files there."""
    root = tmp_path / "root"
    code = "import numpy as np; return {'x': float(np.loadtxt('data/w.csv', delimiter=',').sum())}"
    site = one(code)
    site.texts |= {
        "data/w.csv": "1,2\n",
        "scenes/helper.py": "",
        "scenes/one.py": site.texts["scenes/one.py"] + "import scenes.helper\n",
    }
    write(root, site.files())
    environment = {**os.environ, "PYTHONPATH": str(ENGINE)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = command(root) if where == "/" else [sys.executable, str(ENGINE / "build.py"), "build", "--root", "."]
    done = subprocess.run(
        start, cwd=root if where == "root" else "/", env=environment, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert (root / "facts.lock").read_text() == "format = 2\npage/one.x = 3\n"
    left = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    assert {path for path in left - site.files().keys() if not path.startswith(("output/", ".scenebook/"))} == {
        "facts.lock"
    }


def test_no_file_reveals_when_where_or_with_which_versions_it_was_made(builder: Builder) -> None:
    builder.empty()
    write(builder.root, Site().files())
    built = builder.build()
    assert (built.refused, len(built.tree) > 10) == ((), True)
    for path, content in built.tree.items():
        for word in (b"dc:date", b"Matplotlib v", b"tEXt", str(builder.root).encode(), str(ENGINE).encode()):
            assert word not in content, (path, word)


# Failed builds


def test_a_full_disk_damages_neither_the_site_nor_the_cache(builder: Builder) -> None:
    """An existing site stays as it was. An empty root stays empty, so there is nothing to deploy."""
    builder.empty()
    site = Site()
    write(builder.root, site.files())
    full = command(builder.root, first=SMALL)
    done = run(*full)
    assert (done.returncode, tree(builder.root)) == (1, {})
    before = builder.build().tree
    site.pages[0]["summary"] = "Other words."
    site.texts["scenes/deep.py"] = "U = 7.5\n"
    write(builder.root, site.files())
    done = run(*full)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(": cannot be written: File too large")
    assert differences(tree(builder.root), before) == []
    assert litter(builder.root) == []
    built = builder.build()
    builder.empty()
    write(builder.root, site.files())
    assert differences(built.tree, builder.build().tree) == []


def test_a_failing_scene_holds_back_every_change(builder: Builder) -> None:
    builder.empty()
    edited = Site()
    edited.texts["scenes/deep.py"] = "U = 1 / 0\n"
    write(builder.root, edited.files())
    assert builder.build().tree == {}
    write(builder.root, Site().files())
    before = builder.build().tree
    edited.pages[0]["scenes"][1]["figure"]["caption"] = "Another caption."
    write(builder.root, edited.files())
    built = builder.build()
    assert {problem.message.partition(" (")[0] for problem in built.refused} == {"ZeroDivisionError: division by zero"}
    assert built.tree == before


MENTIONING = """
site: {title: Tiny, url: "https://example.org/tiny/"}
pages:
  - slug: one
    title: One
    summary: Words.
    scenes:
      - {id: bad, title: Bad, compute: bad.py, text: Words.}
  - {slug: two, title: Two, summary: "{{ one/bad.x }}", scenes: [{id: a, title: A, text: Words.}]}
  - {slug: three, title: Three, summary: "{{ one/bad.y }}", scenes: [{id: a, title: A, text: Words.}]}
"""


@pytest.mark.parametrize("batch_size", [1, 3])
def test_a_failing_scene_runs_once_even_if_many_pages_mention_it(
    builder: Builder, monkeypatch: pytest.MonkeyPatch, batch_size: int
) -> None:
    builder.empty()
    write(
        builder.root, {"storyboard.yaml": MENTIONING.encode(), "scenes/bad.py": b"def compute():\n    return 1 / 0\n"}
    )
    monkeypatch.setattr(pages, "BATCH_SIZE", batch_size)
    ran: list[str] = []
    options = BuildOptions(builder.root)
    with pytest.raises(Problems) as raised:
        site.build(options, options.open_cache(), builder.workers, lambda job: ran.append(job.scene))
    assert ran == ["one/bad"]
    assert list(map(str, raised.value.problems)) == ["scenes/bad.py:2: one/bad: ZeroDivisionError: division by zero"]


CHANCE = """
import os, subprocess


def compute():
    subprocess.run(["true"])
    return {"x": int.from_bytes(os.urandom(6), "big")}
"""


def test_two_pages_show_the_same_result_of_a_scene_that_cannot_be_cached(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder.empty()
    board = MENTIONING.replace("one/bad.y", "one/bad.x")
    write(builder.root, {"storyboard.yaml": board.encode(), "scenes/bad.py": CHANCE.encode()})
    monkeypatch.setattr(pages, "BATCH_SIZE", 1)
    built = builder.build().tree
    texts = [built[f"output/{slug}/index.html"].decode() for slug in ("two", "three")]
    shown = [re.findall(r'<data value="(\d+)" data-from="one/bad.x">', text) for text in texts]
    assert shown[0] == shown[1] != []


# Permissions


@pytest.fixture
def built(builder: Builder, tmp_path: Path) -> Iterator[Path]:
    """A root with a built site. Its permissions are restored at the end."""
    builder.empty()
    write(builder.root, permitted().files())
    assert builder.build().refused == ()
    shutil.copytree(builder.root, tmp_path / "root")
    yield tmp_path / "root"
    _permit(tmp_path / "root", write=True)


def permitted(words: str = "Words.", number: int = 1) -> Site:
    site = page("plain")
    site.pages[0]["summary"] = words
    site.texts |= {"templates/robots.txt": "User-agent: *\n", "templates/static/own.css": "p { color: red }\n"}
    site.texts["scenes/helper.py"] = f"T = {number}\n"
    return site


def _permit(*folders: Path, write: bool) -> None:
    for folder in folders:
        for path in (folder, *folder.rglob("*")):
            path.chmod((0o755 if path.is_dir() else 0o644) & (0o777 if write else 0o555))


def test_read_only_sources_can_be_built_and_stay_read_only(built: Path) -> None:
    shutil.rmtree(built / ".scenebook")
    shutil.rmtree(built / "output")
    sources = built / "templates", built / "scenes"
    _permit(*sources, write=False)
    for words in ("1 of 1 scenes ran", "nothing has changed"):
        done = run(*command(built))
        assert (done.returncode, done.stderr) == (0, "")
        assert words in done.stdout
    assert {path.stat().st_mode & 0o222 for folder in sources for path in (folder, *folder.rglob("*"))} == {0}
    assert (built / "output/static/own.css").stat().st_mode & 0o777 == 0o644
    assert run(*command(built, "clean")).returncode == 0
    assert [*(built / "output").rglob("*")] == []


@pytest.mark.parametrize(
    ("locked", "edited", "message"),
    [
        ("output", permitted("Others."), "output: permission denied; make the folder writable"),
        ("output/page", permitted("Others."), "output/page: permission denied; make the folder writable"),
        ("", permitted(number=2), "facts.lock: permission denied; make the folder and its files writable"),
    ],
    ids=["output", "page", "root"],
)
def test_a_read_only_folder_stops_the_build_before_it_writes(
    built: Path, locked: str, edited: Site, message: str
) -> None:
    before = tree(built)
    write(built, edited.files())
    folder = built / locked
    folder.chmod(0o555)
    try:
        done = run(*command(built))
    finally:
        folder.chmod(0o755)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith(message)
    assert tree(built) == before
    assert litter(built) == []
    assert run(*command(built)).returncode == 0
    assert tree(built) != before


@pytest.mark.parametrize("damaged", [False, True])
def test_a_site_can_be_built_with_a_read_only_cache(built: Path, damaged: bool) -> None:
    write(built, permitted("Others.").files())
    for blob in (built / ".scenebook").rglob("blobs/*") if damaged else ():
        blob.write_bytes(b"?" + blob.read_bytes()[1:])
    _permit(built / ".scenebook", write=False)
    done = run(*command(built))
    assert (done.returncode, done.stderr) == (0, "")
    assert b"Others." in (built / "output/page/index.html").read_bytes()


# Inputs


def test_a_template_behind_a_link_is_an_input(builder: Builder) -> None:
    builder.empty()
    write(builder.root, Site().files())
    for place, text in {"shared/foot.html": "old foot", "pictures/deep/a.txt": "old picture"}.items():
        (builder.root / place).parent.mkdir(parents=True)
        (builder.root / place).write_text(text, encoding="ascii")
    (builder.root / "templates/static").mkdir(parents=True, exist_ok=True)
    (builder.root / "templates/shared").symlink_to("../shared")
    (builder.root / "templates/again").symlink_to("../templates")
    (builder.root / "templates/static/pictures").symlink_to("../../pictures/deep")
    (builder.root / "templates/ending.html").write_text('{% include "shared/foot.html" %}', encoding="ascii")
    page = (ENGINE / "templates/page.html").read_text(encoding="utf-8")
    wider = page.replace("{% block main %}", '{% block main %}{% include "shared/foot.html" %}')
    (builder.root / "templates/page.html").write_text(wider, encoding="utf-8")
    time.sleep(0.05)
    assert b"old foot" in builder.build().tree["output/first/index.html"]
    (builder.root / "shared/foot.html").write_text("new foot", encoding="ascii")
    assert b"new foot" in builder.build().tree["output/first/index.html"]


DATABASE = """
import sqlite3


def compute():
    data = sqlite3.connect({0})
    {1}
    return {{"x": data.execute("select sum(x) from numbers").fetchone()[0]}}
"""


@pytest.mark.parametrize(
    ("database", "then"),
    [
        ("'data/q.db'", "pass"),
        ("'file:data/q.db?mode=ro', uri=True", "pass"),
        ("''", "data.execute(\"attach 'data/q.db' as other\")"),
    ],
)
def test_a_scene_runs_again_when_its_database_changes(builder: Builder, database: str, then: str) -> None:
    def built(value: int | None = None) -> tuple[bytes, set[str]]:
        if value is not None:
            with closing(sqlite3.connect(builder.root / "data/q.db")) as data, data:
                data.execute("create table if not exists numbers(x)")
                data.execute("insert into numbers values (?)", [value])
            time.sleep(0.05)
        outcome = builder.build()
        assert outcome.refused == ()
        return outcome.tree["facts.lock"], {scene for _, scene in outcome.ran}

    builder.empty()
    site = one("")
    site.texts = {"scenes/one.py": DATABASE.format(database, then), "data/unused": ""}
    write(builder.root, site.files())
    assert built(3) == (b"format = 2\npage/one.x = 3\n", {"page/one"})
    assert built() == (b"format = 2\npage/one.x = 3\n", set())
    assert built(4) == (b"format = 2\npage/one.x = 7\n", {"page/one"})
    assert built() == (b"format = 2\npage/one.x = 7\n", set())


def test_a_missing_root_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["build", "--root", str(tmp_path / "nowhere")]) == 1
    assert capsys.readouterr().err.startswith("storyboard.yaml: not found")
    assert not (tmp_path / "nowhere").exists()


def test_a_file_name_that_is_not_utf8_is_reported_if_the_file_is_used(builder: Builder) -> None:
    builder.empty()
    write(builder.root, Site().files())
    (builder.root / "templates").mkdir(exist_ok=True)
    for folder in ("data/parts", "templates"):
        (builder.root / folder / os.fsdecode(b"caf\xe9.html~")).write_text("1", encoding="ascii")
    time.sleep(0.05)
    assert builder.build().refused == ()
    (builder.root / "templates/static").mkdir()
    (builder.root / "templates/static" / os.fsdecode(b"caf\xe9.txt")).touch()
    message = "templates/static/caf\\udce9.txt: the file's name is not UTF-8; rename the file"
    assert list(map(str, builder.build().refused)) == [message]
    (builder.root / "templates/static" / os.fsdecode(b"caf\xe9.txt")).unlink()
    assert builder.build().ran == set()


def test_why_also_explains_the_drawing(builder: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    def why(scene: str) -> str:
        assert main(["why", scene, "--root", str(builder.root)]) == 0
        return capsys.readouterr().out

    builder.empty()
    write(builder.root, Site().files())
    assert why("drawn").startswith("first/drawn will run: the cache has no result for it")
    time.sleep(0.05)
    builder.build()
    lines = why("drawn").splitlines()
    assert lines[0] == "first/drawn is up to date. It last ran because the cache had no result."
    assert {"scenes/drawn.py", "scenes/paint.py"} <= set(lines[2:])
    before = (builder.root / "scenes/paint.py").read_bytes()
    (builder.root / "scenes/paint.py").write_text("WIDTH = 7\n", encoding="ascii")
    assert why("drawn") == "first/drawn will be drawn: scenes/paint.py changed\n"
    time.sleep(0.05)
    builder.build()
    (builder.root / "scenes/paint.py").write_bytes(before)  # after the edit is undone, the older result is found
    assert why("drawn").splitlines() == lines


def test_run_always_shows_what_the_scene_prints(builder: Builder, capfd: pytest.CaptureFixture[str]) -> None:
    """Both of its functions run again. For a scene that only a title mentions, the cached values are enough."""
    builder.empty()
    site = page("plain", "declared")
    site.texts["scenes/plain.py"] = PLAIN.replace("def compute():", "def compute():\n    print('so far')").replace(
        "values):", "values):\n    print('and on')"
    )
    write(builder.root, site.files())
    for scene, steps in (("plain", 2), ("plain", 2), ("declared", 2)):
        assert main(["run", scene, "--root", str(builder.root)]) == 0
        printed = capfd.readouterr().out
        assert [printed.count(words) for words in ("so far", "and on")] == [int(scene == "plain")] * 2
        assert sum(line.startswith(("compute page/", "draw    page/")) for line in printed.splitlines()) == steps


def test_each_value_that_would_change_in_facts_lock_is_reported_once(
    builder: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    builder.empty()
    write(builder.root, one("return {'x': 1.0, 'old': 2.0}").files())
    builder.build()
    write(builder.root, one("return {'x': 1.5, 'new': 3.0}").files())
    assert main(["build", "--locked", "--root", str(builder.root)]) == 1
    assert [line.partition("; ")[0] for line in capsys.readouterr().err.splitlines()] == [
        "facts.lock: would change: page/one.new from nothing to 3",
        "facts.lock: would change: page/one.old from 2 to nothing",
        "facts.lock: would change: page/one.x from 1 to 1.5",
    ]


def test_a_misspelled_name_is_refused_with_a_suggestion(builder: Builder, capsys: pytest.CaptureFixture[str]) -> None:
    builder.empty()
    write(builder.root, one("return {'x': 1.0}", compute="oen.py").files())
    assert main(["build", "--root", str(builder.root)]) == 1
    assert capsys.readouterr().err.endswith(
        "not found; looked for 'scenes/oen.py' in the root; did you mean 'one.py'?\n"
    )
    write(builder.root, one("return {'x': 1.0}", compute="scenes/one.py").files())
    assert main(["build", "--root", str(builder.root)]) == 1
    hint = "paths of modules are relative to scenes/, so leave out scenes/"
    assert capsys.readouterr().err.endswith(f"in the root; {hint}\n")
    write(builder.root, one("return {'x': 1.0}").files())
    assert main(["run", "onne", "--root", str(builder.root)]) == 1
    assert capsys.readouterr().err == "onne: is not the name of a scene that computes values; did you mean 'one'?\n"


def test_a_name_of_several_scenes_is_refused_with_their_full_names(
    builder: Builder, capsys: pytest.CaptureFixture[str]
) -> None:
    builder.empty()
    site = one("return {'x': 1.0}")
    site.pages.append({**site.pages[0], "slug": "other"})
    write(builder.root, site.files())
    assert main(["run", "one", "--root", str(builder.root)]) == 1
    names = "page/one, other/one"
    assert capsys.readouterr().err == f"one: is the name of several scenes; use one of these names instead: {names}\n"


# Output


def test_output_that_is_closed_early_is_not_reported_as_a_bug(builder: Builder) -> None:
    """Programs such as `head` close it early. It makes no difference whether our output is buffered."""
    builder.empty()
    write(builder.root, Site().files())
    builder.build()
    for unbuffered in ("", "1"):
        reading, writing = os.pipe()
        os.close(reading)
        command = [sys.executable, "-m", "scenebook", "why", "scores", "--root", str(builder.root)]
        environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
        done = subprocess.run(
            command, cwd=ENGINE, env=environment, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
        os.close(writing)
        assert (done.stderr, done.returncode) == ("", 141)


def test_a_folder_without_permissions_is_reported_before_any_page_is_replaced(built: Path) -> None:
    folder = built / "output/old"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep/gone.css").touch()
    listed = [path.relative_to(built / "output").as_posix() for path in (built / "output").rglob("*") if path.is_file()]
    (built / "output" / LIST).write_bytes(listing(set(listed) - {LIST}))
    before = tree(built)
    write(built, permitted("Others.").files())
    folder.chmod(0)
    try:
        done = run(*command(built))
    finally:
        folder.chmod(0o755)
    assert done.returncode == 1
    assert "permission denied" in done.stderr
    assert tree(built) == before
