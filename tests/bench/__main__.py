"""Measure builds against the floor and print seconds, ratios and targets: `python -m tests.bench --pages 1,10`.

The floor is the short script in floor.py. Each repetition makes a new site and builds it without a cache, also with
figures that its scenes draw themselves. Then both the engine and the floor rebuild it after the same edits, each with
new words. They take turns, and a ratio is the median
over the turns, so that other load on the machine affects both.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count, product
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from tests.bench import floor, sample
from tests.bench.sample import PROJECT, Wording

TURNS = 3
OWN = "cold, own drawings"
TARGETS: dict[str, dict[int, float]] = {
    "cold": {1: 1.1, 10: 0.65, 50: 0.55},
    OWN: {10: 0.6},
    "nothing changed": {1: 5, 10: 5, 50: 7, 200: 15},
    "sentence edited": {1: 3, 10: 3, 50: 3, 200: 4},
    "title edited": {},
    "caption edited": {1: 3, 10: 3, 50: 3, 200: 4},
    "code edited": {1: 1.2, 10: 1.2, 50: 1.2, 200: 1.3},
}
EDITS: dict[str, Callable[[Wording, int], Wording]] = {
    "sentence edited": lambda wording, number: replace(wording, sentence=spelled(number)),
    "title edited": lambda wording, number: replace(wording, title=spelled(number)),
    "caption edited": lambda wording, number: replace(wording, caption=spelled(number)),
    "code edited": lambda wording, number: replace(wording, shift=number),
}
MAX_GROWTH = 1.1
BUILD = (str(PROJECT / "build.py"), "build")
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WITH_PEAKS = """
import resource, runpy, sys
sys.path[0] = sys.argv.pop(1)
sys.argv.pop(0)
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    usage = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print("\\npeak", *usage, file=sys.stderr)
"""
PEAK_UNITS = 1e6 if sys.platform == "darwin" else 1e6 / 1024
LOCAL_SETTINGS = ("OPENBLAS", "OMP_", "MKL_", "MPL", "PYTHON", "SCENEBOOK")
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith(LOCAL_SETTINGS)}


class Run(NamedTuple):
    """One run: wall-clock seconds, CPU seconds of all its processes, and its standard error, with its peak memory."""

    wall: float
    cpu: float
    errors: str = ""


@dataclass
class Measurements:
    """The measurements at one number of pages.

    `turns` are pairs of runs (engine, floor) by step; `peaks` are peak memories (parent, largest child) in MB.
    """

    turns: dict[str, list[tuple[Run, Run]]] = field(default_factory=lambda: defaultdict(list))
    peaks: list[tuple[float, float]] = field(default_factory=list)

    def ratio(self, step: str) -> float:
        """Return the median ratio of wall-clock times, engine to floor."""
        return median(ours.wall / theirs.wall for ours, theirs in self.turns[step])

    def cpu(self, step: str) -> float:
        """Return the median ratio of CPU times, which other programs affect less."""
        return median(ours.cpu / theirs.cpu for ours, theirs in self.turns[step])


def main() -> None:
    """Measure at each number of pages and print the results."""
    parser = argparse.ArgumentParser(prog="tests.bench", description="Measure builds against a short script.")
    parser.add_argument("--pages", default="1,10,50,200", help="numbers of pages, separated by commas")
    parser.add_argument("--repeat", type=int, default=3, help="number of sites to measure for each number of pages")
    parser.add_argument("--jobs", type=int, default=2, help="parallel processes of the engine; the floor uses one")
    options = parser.parse_args()
    run(
        ["-c", "import markdown, matplotlib.pyplot, jinja2, pydantic"]
    )  # so that both find these files in the disk cache
    found: dict[int, Measurements] = defaultdict(Measurements)
    for pages in map(int, options.pages.split(",")):
        for repetition in range(options.repeat):
            measure(pages, options.jobs, repetition, found[pages])
            found[pages].turns[OWN].append(own_drawings(pages, options.jobs, repetition))
        print("\n".join(table(pages, found[pages])), flush=True)
    print("\n".join(growth(found)))


def measure(pages: int, jobs: int, repetition: int, into: Measurements) -> None:
    """Make a new site, build it without a cache, then repeatedly edit and rebuild it."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        build, theirs = [*BUILD, "--jobs", str(jobs), "--root", folder], [floor.__file__, folder]
        sample.write_site(Path(folder), pages)
        cold = run_both(["-c", WITH_PEAKS, str(PROJECT), *build], theirs, repetition)
        into.turns["cold"].append(cold)
        peaks = re.findall(r"^peak (\d+) (\d+)$", cold[0].errors, flags=re.MULTILINE)[-1]
        into.peaks.append((int(peaks[0]) / PEAK_UNITS, int(peaks[1]) / PEAK_UNITS))
        for turn in range(TURNS):
            into.turns["nothing changed"].append(run_both(build, ["-c", "pass"], turn))
        wording, numbers = Wording(), count(1)
        for step, turn in product(EDITS, range(TURNS)):
            wording = EDITS[step](wording, next(numbers))
            sample.write_page(Path(folder), 1, wording)
            into.turns[step].append(run_both(build, theirs, turn))


def own_drawings(pages: int, jobs: int, turn: int) -> tuple[Run, Run]:
    """Make a site whose scenes draw their own figures, and build it without a cache."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        sample.write_site(Path(folder), pages, own=True)
        return run_both([*BUILD, "--jobs", str(jobs), "--root", folder], [floor.__file__, folder], turn)


def run_both(ours: list[str], theirs: list[str], turn: int) -> tuple[Run, Run]:
    """Run both, in alternating order."""
    if turn % 2:
        second, first = run(theirs), run(ours)
    else:
        first, second = run(ours), run(theirs)
    return first, second


def run(arguments: list[str]) -> Run:
    """Run Python; a failed run ends the measurement."""
    command, start, before = [sys.executable, *arguments], perf_counter(), cpu_of_children()
    done = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, stdin=subprocess.DEVNULL, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(arguments)}\n{done.stdout}{done.stderr}")
    return Run(perf_counter() - start, cpu_of_children() - before, done.stderr)


def cpu_of_children() -> float:
    """Return the CPU seconds used by all finished child processes."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def spelled(number: int) -> str:
    """Return the digits of a number in words, because numbers in figures are not allowed in texts."""
    return " ".join(DIGITS[int(digit)] for digit in str(number))


def table(pages: int, measured: Measurements) -> list[str]:
    """Return the lines of the report for one number of pages."""
    lines = [f"\nP = {pages:<20} ours  against               ratio  by cpu  target"]
    for step, targets in TARGETS.items():
        ours, theirs = (median(run.wall for run in side) for side in zip(*measured.turns[step], strict=True))
        name = {"cold": "floor", OWN: "floor", "nothing changed": "python -c pass"}.get(step, "floor_inc")
        ratio, cpu = measured.ratio(step), measured.cpu(step)
        figures = f"{ours:8.3f} {theirs:8.3f} {name:<14} {ratio:7.2f} {cpu:7.2f}"
        lines.append(f"{step:<18} {figures}  {verdict(ratio, targets.get(pages))}".rstrip())
    parent, child = (max(peaks) for peaks in zip(*measured.peaks, strict=True))
    return [*lines, f"peak memory        parent {parent:.0f} MB, largest child {child:.0f} MB"]


def verdict(found: float, target: float | None) -> str:
    """Return whether a target is met; empty if there is none."""
    return "" if target is None else f"<= {target:g} {'ok' if found <= target else 'MISSED'}"


def growth(found: dict[int, Measurements]) -> list[str]:
    """Return lines about what should not grow from 50 to 200 pages: the ratio to the floor, and the parent's memory."""
    if not {50, 200} <= found.keys():
        return []
    few, many = found[50], found[200]
    seconds, memory = many.ratio("cold") / few.ratio("cold"), max(many.peaks)[0] / max(few.peaks)[0]
    grown = {"cold, ratio to floor": seconds, "memory of parent": memory}
    return ["\nP = 200, as a multiple of P = 50"] + [
        f"{name:<42} {by:7.2f}  {verdict(by, MAX_GROWTH)}" for name, by in grown.items()
    ]


if __name__ == "__main__":
    main()
