"""The bench measures what it claims to: valid pages of the stated size, and edits that change what their names say."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scenebook.core.scanner import scan
from scenebook.storyboard import loader
from scenebook.storyboard.model import Scene
from tests.bench import __main__ as bench
from tests.bench import floor, sample
from tests.bench.__main__ import Run

PROJECT = Path(__file__).parents[2]
BUILDERS = {
    "output": [str(PROJECT / "build.py"), "build", "--strict", "--jobs", "2", "--root"],
    "floor-output": [floor.__file__],
}
DRAWN = {"p001/pair.png", "p001/pair.svg", "p001/pair-raw.svg", "p001/pair-scaled.svg", "p001/pair-raw.csv"}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    sample.write_site(tmp_path, 2)
    return tmp_path


def test_a_sample_is_a_valid_storyboard(site: Path) -> None:
    loaded = loader.load(site)
    assert (loaded.warnings, [page.slug for page in loaded.pages]) == ((), ["p001", "p002"])


def test_a_sample_page_has_the_size_that_the_bench_names(site: Path) -> None:
    for page in loader.load(site).book.pages:
        texts = [page.summary, *(scene.text for scene in page.scenes)]
        spans = [span for text in texts for span in scan(text)]
        words = sum(len(re.findall(r"\w+", span.inner)) for span in spans if span.kind == "text")
        assert 600 <= words < 640
        assert sum(span.kind in ("formula", "display") for span in spans) == 5
        assert [len(scene.figure.panels) for scene in page.scenes if scene.figure] == [2, 1, 1]


def test_two_sample_pages_show_different_numbers(site: Path) -> None:
    for first, second in zip(*(page.scenes for page in loader.load(site).book.pages), strict=True):
        name = {"pair": "raw", "budget": "lengths", "grid": "alike"}[first.id]
        one, other = (computed(site, scene)[name] for scene in (first, second))
        assert one.shape == other.shape == {"pair": (4, 4), "budget": (2, 4), "grid": (16, 16)}[first.id]
        assert (one != other).any()


def computed(site: Path, scene: Scene) -> Any:
    return runpy.run_path(str(site / f"scenes/{scene.compute}"))["compute"](**scene.params)


@pytest.mark.parametrize("output", BUILDERS)
def test_each_edit_changes_the_files_that_it_should(site: Path, output: str) -> None:
    made = build(site, output)
    assert {"p001/index.html", "p001/pair.png", "p002/index.html"} <= made.keys()
    assert build(site, output) == made
    wording, changes = sample.Wording(), {}
    for number, (step, edit) in enumerate(bench.EDITS.items(), 1):
        wording = edit(wording, number)
        sample.write_page(site, 1, wording)
        before, made = made, build(site, output)
        assert before.keys() == made.keys()
        changes[step] = {path for path in made if made[path] != before[path] and path.startswith("p00")}
    drawn = DRAWN & made.keys()
    assert changes["sentence edited"] == changes["caption edited"] == {"p001/index.html"}
    assert "p001/pair.png" in changes["title edited"] <= {*drawn, "p001/index.html"}
    assert {*drawn, "p001/index.html"} <= changes["code edited"] <= {*drawn, "p001/index.html", "p001/pair-scaled.csv"}


def build(site: Path, output: str) -> dict[str, bytes]:
    subprocess.run([sys.executable, *BUILDERS[output], str(site)], env=bench.ENVIRONMENT, check=True)
    return {
        path.relative_to(site / output).as_posix(): path.read_bytes()
        for path in (site / output).rglob("*")
        if path.is_file()
    }


def test_a_failed_run_stops_the_bench() -> None:
    with pytest.raises(SystemExit, match="no such file"):
        bench.run(["-c", "raise SystemExit('no such file')"])


OURS = [(2.0, 1.0), (9.0, 3.0), (8.0, 3.0)]
THEIRS = [(1.0, 1.0), (3.0, 2.0), (2.0, 2.0)]


def test_a_missed_target_is_marked() -> None:
    measured = bench.Measurements(peaks=[(60.0, 90.0), (70.0, 80.0)])
    for step in bench.TARGETS:
        measured.turns[step] = [(Run(*ours), Run(*theirs)) for ours, theirs in zip(OURS, THEIRS, strict=True)]
    lines = {re.split(r" {2,}", line)[0]: line for line in bench.table(1, measured)}
    assert re.split(r" {2,}", lines["cold"]) == ["cold", "8.000", "2.000 floor", "3.00", "1.50", "<= 1.1 MISSED"]
    assert lines["sentence edited"].endswith("3.00    1.50  <= 3 ok")
    assert lines["peak memory"].endswith("parent 70 MB, largest child 90 MB")


def test_growth_is_marked() -> None:
    found = {pages: bench.Measurements(peaks=[(peak, 1.0)]) for pages, peak in {1: 50.0, 50: 50.0, 200: 100.0}.items()}
    for pages, seconds in {1: 1.0, 50: 20.0, 200: 90.0}.items():
        found[pages].turns["cold"] = [(Run(seconds, 1.0), Run(float(pages), 1.0))]
    _, cold, memory = bench.growth(found)
    assert cold.split()[-4:] == ["1.12", "<=", "1.1", "MISSED"]
    assert memory.split()[-4:] == ["2.00", "<=", "1.1", "MISSED"]
    assert bench.growth({pages: found[pages] for pages in (1, 50)}) == []


def test_a_number_is_spelled_in_words() -> None:
    assert bench.spelled(207) == "two zero seven"
