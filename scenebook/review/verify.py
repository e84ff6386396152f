"""Whether builds are reproducible: the site is built twice, cold, where nothing that differs may matter, and compared.

The two builds have folders of their own, one with a space in its name, and another hash seed, time zone, locale, umask,
number of jobs and home, with settings of matplotlib that would show. They come one after the other, so clocks differ
too. A scene that differs is named, with the first difference. What is not found: a date that changes once a day, and
anything that is the same on this machine whenever it is asked.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scenebook.cache.versions import ENGINE
from scenebook.core.problems import Problem, Problems
from scenebook.run.workers import HASH_SEED

FACTS = "output/facts.json"
BUILT = {"output", "review", "facts.lock", ".scenebook", ".git", "node_modules", "__pycache__"}
"""What is not copied: nothing that is built is a source, and what is kept must not be found."""

HIDDEN = {"SCENEBOOK_CACHE", "MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}
LOUD = "axes.facecolor: red\nfont.size: 30\nsavefig.dpi: 30\n"
ADVICE = "seed the generator (numpy.random.default_rng(0)), take no time, sort what has no order"
SHOWN = 60
"""So many characters are shown of what differs."""


@dataclass(frozen=True)
class Surroundings:
    """Where and how a build runs."""

    folder: str
    environment: Mapping[str, str]
    umask: int
    jobs: int


FIRST = Surroundings("one", {"PYTHONHASHSEED": "1", HASH_SEED: "1", "TZ": "UTC0", "LC_ALL": "C.UTF-8"}, 0o022, 1)
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
SECOND = Surroundings("the other", {"PYTHONHASHSEED": "2", HASH_SEED: "2", "TZ": "NPT-5:45", **ASCII}, 0o077, 3)


def verify(root: Path) -> int:
    """Build the site twice; return the number of files, which are the same.

    Raises `Problems` with what differs, or with why the site can't be built.
    """
    with TemporaryDirectory(prefix="scenebook-verify-") as temporary:
        folder = Path(temporary)
        first, second = (_built(root, folder, surroundings) for surroundings in (FIRST, SECOND))
        if problems := tuple(differences(first, second)):
            raise Problems(problems)
        return len(_files(first))


def _built(root: Path, folder: Path, surroundings: Surroundings) -> Path:
    """A copy of the sources, built."""
    copy, home = folder / surroundings.folder, folder / f"home of {surroundings.folder}"
    shutil.copytree(root, copy, symlinks=True, ignore=_not_sources, copy_function=shutil.copyfile)
    copy.chmod(0o755)
    for place in (home / ".config" / "matplotlib", home / ".matplotlib"):
        place.mkdir(parents=True)
        (place / "matplotlibrc").write_text(LOUD, encoding="ascii")
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run(
        [sys.executable, "-m", "scenebook", "build", "--root", copy, "--jobs", str(surroundings.jobs)],
        env={**environment, "HOME": str(home), **surroundings.environment},
        cwd=ENGINE.parent,
        umask=surroundings.umask,
        capture_output=True,
        check=False,
    )
    told = done.stderr.decode(errors="replace")
    if done.returncode == 1:
        raise Problems(Problem("", 0, "", line) for line in told.splitlines())
    if done.returncode:
        raise RuntimeError(told)
    return copy


def _not_sources(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in BUILT or (Path(folder) / name / "pyvenv.cfg").exists()}


def differences(first: Path, second: Path) -> Iterator[Problem]:
    """What differs between two roots that were built: each scene once, else each page, else each file."""
    differing = sorted(path for path in {*_files(first), *_files(second)} if _read(first, path) != _read(second, path))
    pages = [_pages(root) for root in (first, second)]
    told = [problem for slug in pages[0] if slug in pages[1] for problem in _in_page(slug, pages, differing)]
    yield from told
    if not told:
        yield from (_problem("", "", path, _in_text(first / path, second / path)) for path in differing)


def _in_page(slug: str, pages: list[dict[str, Any]], differing: list[str]) -> Iterator[Problem]:
    """The scenes of a page that differ: in what they computed, or else in their pictures."""
    ones, others = (page[slug]["scenes"] for page in pages)
    for scene in ones.keys() & others.keys():
        one, other = ones[scene], others[scene]
        where, code = f"{slug}/{scene}", next(iter(one.get("code", ())), "")
        pictures = [path for path in differing if path.startswith((f"output/{where}-", f"output/{where}."))]
        if found := _first(one, other):
            yield _problem(code, where, FACTS, found)
        elif pictures:
            yield _problem(code, where, pictures[0], "is drawn otherwise each time")


def _first(one: Any, other: Any, place: str = "") -> str:
    """The first place where two trees of JSON differ, and what stands there; "" if there is none."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = ((f"{place}.{key}", one.get(key), other.get(key)) for key in (*one, *(other.keys() - one)))
    elif isinstance(one, list) and isinstance(other, list):
        pairs = ((f"{place}[{index}]", *pair) for index, pair in enumerate(zip_longest(one, other)))
    else:
        return "" if one == other else f"{place.lstrip('.')} is {_short(one)}, then {_short(other)}"
    return next(filter(None, (_first(left, right, path) for path, left, right in pairs)), "")


def _in_text(one: Path, other: Path) -> str:
    """The first line in which two files differ."""
    if not one.exists() or not other.exists():
        return "is written by one of the builds only"
    lines = zip_longest(*(path.read_bytes().splitlines() for path in (one, other)), fillvalue=b"")
    number, left, right = next((n, a, b) for n, (a, b) in enumerate(lines, 1) if a != b)
    same = next((place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    start = max(same - SHOWN // 2, 0)
    shown = (_short(line[start:].decode(errors="replace")) for line in (left, right))
    return f"line {number} is {', then '.join(shown)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."


def _problem(file: str, where: str, path: str, found: str) -> Problem:
    return Problem(file, 0, where, f"{path.removeprefix('output/')}: first difference: {found}; {ADVICE}")


def _pages(root: Path) -> dict[str, Any]:
    pages: dict[str, Any] = json.loads((root / FACTS).read_bytes())["pages"]
    return pages


def _files(root: Path) -> list[str]:
    paths = [*(root / "output").rglob("*"), root / "facts.lock"]
    return [path.relative_to(root).as_posix() for path in paths if path.is_file()]


def _read(root: Path, path: str) -> bytes | None:
    return (root / path).read_bytes() if (root / path).exists() else None
