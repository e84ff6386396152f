"""A build that is killed at any moment leaves a sound site, and the next build completes it.

SCENEBOOK_KILLS sets how many builds are killed.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from scenebook.build import build
from scenebook.build.options import BuildOptions
from scenebook.cache._input_states import TICK
from scenebook.page import links as check
from scenebook.page import output
from tests.support.changing_site import DEEP, Site, differences, tree, write

ENGINE = Path(__file__).parents[2]
KILLS = int(os.environ.get("SCENEBOOK_KILLS", "10"))
LONGEST = 120


def start(root: Path) -> subprocess.Popen[str]:
    # The test run may ignore interrupts, and a build would inherit that.
    defaults = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL)"
    code = f"{defaults}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    command = [sys.executable, "-c", code, "-m", "scenebook", "build", "--root", str(root), "--jobs", "2"]
    return subprocess.Popen(command, cwd=ENGINE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def run(root: Path) -> None:
    with start(root) as started:
        _, errors = started.communicate(timeout=LONGEST)
    assert started.returncode == 0, errors


def processes(root: Path) -> list[str]:
    """The command lines of the pools and workers that build a root."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if str(root).encode() in command and b"-c" in command:
                found.append(f"{folder.name} {command}")
    return found


def remaining(root: Path, seconds: float = LONGEST) -> list[str]:
    """The processes of a root that have not ended after some seconds."""
    deadline = time.monotonic() + seconds
    while (found := processes(root)) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def broken(root: Path) -> list[str]:
    """The broken links of every page that can be reached from the index."""
    folder = root / "output"
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    outlines = {path: check.outline((folder / path).read_bytes()) for path in files if path.endswith(".html")}
    waiting, seen, faults = ["index.html"] if "index.html" in outlines else [], set[str](), list[str]()
    while waiting:
        path = waiting.pop()
        seen.add(path)
        faults += map(str, check.check({path: outlines[path]}, files, "/tiny/", lambda path, link: [(path, 0)]))
        links = {os.path.normpath(f"{path}/../{link}").partition("#")[0] for link in outlines[path].links}
        waiting += sorted((links & outlines.keys()) - seen)
    return faults


def litter(root: Path) -> list[str]:
    """Temporary files that a write left behind."""
    return [str(path) for path in root.rglob(f"*{output.PART}*") if ".scenebook" not in path.parts]


def numbered(number: int) -> Site:
    """A site whose pages, figures and values depend on a number."""
    site = Site()
    site.texts["scenes/deep.py"] = DEEP.format(number)
    if number % 2:
        page = {"slug": f"page-{number}", "title": "More", "summary": "Words.", "scenes": site.pages[0]["scenes"]}
        site.pages.insert(number % 3, page)
    return site


class Root:
    """A root that is built from its cache, and the results of clean builds to compare it with."""

    def __init__(self, folder: Path) -> None:
        self.path, self.clean = folder / "root", dict[int, dict[str, bytes]]()
        for number in range(2):
            self.edit(number)
            self.build()
            write(folder / f"clean {number}", numbered(number).files())
            run(folder / f"clean {number}")
            self.clean[number] = tree(folder / f"clean {number}")
            assert tree(self.path) == self.clean[number]

    def edit(self, number: int) -> None:
        write(self.path, numbered(number).files())
        time.sleep(2 * TICK / 1e9)

    def build(self) -> None:
        build.build(BuildOptions(self.path))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Root:
    return Root(tmp_path_factory.mktemp("killed"))


KILLED = """
import os, signal, sys
from pathlib import Path

from scenebook.build import build
from scenebook.build.options import BuildOptions

root, moment, seen = sys.argv[1], int(sys.argv[2]), 0


def hook(event, arguments):
    global seen
    writes = event in {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod"}
    if (writes or (event == "open" and arguments[2] & 3)) and str(arguments[0]).startswith(root):
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(hook)
build.build(BuildOptions(Path(root)))
print(seen)
"""


def killed_at(root: Path, moment: int) -> subprocess.CompletedProcess[str]:
    """Run a build that is killed before its nth change to the disk. If it is not, it prints their number."""
    command = [sys.executable, "-c", KILLED, str(root), str(moment)]
    return subprocess.run(command, cwd=ENGINE, capture_output=True, text=True, check=False, timeout=LONGEST)


def test_a_build_that_is_killed_while_writing_leaves_a_sound_site(root: Root) -> None:
    """Switch between two sites, kill the build at one of its writes, then build again or take the edit back.

    The number of writes to the cache depends on earlier builds, so a build may end before the last of the kills.
    """
    counts, ends = [], []
    for number in (0, 1):
        root.edit(number)
        counts.append(int(killed_at(root.path, 0).stdout))
    moments = [(number, moment) for number in (0, 1) for moment in range(1, counts[number] + 1)]
    for step, (number, moment) in enumerate(moments[:: max(1, len(moments) // KILLS)]):
        root.edit(1 - number)
        root.build()
        root.edit(number)
        ends.append(killed_at(root.path, moment).returncode)
        assert broken(root.path) == []
        last = (number, 1 - number)[step % 2]
        root.edit(last)
        root.build()
        assert differences(tree(root.path), root.clean[last]) == []
        assert litter(root.path) == []
    assert set(ends) <= {-signal.SIGKILL, 0}
    assert ends.count(-signal.SIGKILL) > len(ends) // 2


def test_a_build_that_is_ended_by_a_signal_leaves_no_processes_and_a_sound_site(root: Root) -> None:
    """The signal comes at a random moment while scenes run."""
    chance, step = random.Random(KILLS), 0
    for step in range(max(3, KILLS // 5)):
        root.edit(0)
        write(root.path, {**numbered(0).files(), "scenes/deep.py": f"U = {step}.0\n".encode()})
        with start(root.path) as started:
            with suppress(subprocess.TimeoutExpired):
                started.wait(chance.uniform(0, 4))
            started.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            started.communicate(timeout=LONGEST)
        assert remaining(root.path) == []
        assert broken(root.path) == []
        number = step % 2
        root.edit(number)
        root.build()
        assert differences(tree(root.path), root.clean[number]) == []
        assert litter(root.path) == []


def test_two_builds_at_once_do_not_disturb_each_other(root: Root) -> None:
    for number, remade in ((0, True), (1, False)):
        root.edit(number)
        if remade:
            shutil.rmtree(root.path / ".scenebook")
            shutil.rmtree(root.path / "output")
        builds = [start(root.path) for _ in range(2)]
        ends = [(started.communicate(timeout=LONGEST)[1], started.returncode) for started in builds]
        assert ends == [(ends[0][0], 0)] * 2
        assert differences(tree(root.path), root.clean[number]) == []
        assert litter(root.path) == []
