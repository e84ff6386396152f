"""Check that builds are reproducible: build the site twice without a cache, in different environments, and compare.

The two builds run in different folders, one with a space in its name, and with different hash seeds, time zones,
locales, umasks, numbers of jobs and home folders. The home folders contain conspicuous matplotlib settings, which a
build must ignore. The builds run one after the other, so the time differs too. Each scene that differs is reported with
its first difference. This does not find a date that changes once a day, or anything that is fixed on one machine.
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

from scenebook.cache.versions import ENGINE, INSTALLED
from scenebook.core.problems import Problem, Problems
from scenebook.run.workers import HASH_SEED

FACTS = "output/facts.json"
NOT_COPIED = {"output", "review", "facts.lock", ".scenebook", ".git", "node_modules", "__pycache__"}
"""Files and folders that are not sources, and caches, which the builds must not find."""

HIDDEN_VARIABLES = {"SCENEBOOK_CACHE", "MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"}
CONSPICUOUS_SETTINGS = "axes.facecolor: red\nfont.size: 30\nsavefig.dpi: 30\n"
ADVICE = "seed the generator (numpy.random.default_rng(0)), do not read the clock, sort sets"
MAX_SHOWN = 60
"""The most characters of a difference that a message shows."""

_SAFE_PATH = ("-P",) if INSTALLED else ()
"""Python finds an installed engine by itself. What is installed beside it must not come before Python's own modules."""


@dataclass(frozen=True)
class Environment:
    """The folder, variables, umask and number of jobs of a build."""

    folder: str
    variables: Mapping[str, str]
    umask: int
    jobs: int


FIRST = Environment("one", {"PYTHONHASHSEED": "1", HASH_SEED: "1", "TZ": "UTC0", "LC_ALL": "C.UTF-8"}, 0o022, 1)
ASCII = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
SECOND = Environment("the other", {"PYTHONHASHSEED": "2", HASH_SEED: "2", "TZ": "NPT-5:45", **ASCII}, 0o077, 3)


def verify(root: Path) -> int:
    """Build the site twice and return the number of files, if all are the same.

    Raises `Problems` with the differences, or with the reasons why the site cannot be built.
    """
    with TemporaryDirectory(prefix="scenebook-verify-") as temporary:
        folder = Path(temporary)
        first, second = (_build(root, folder, environment) for environment in (FIRST, SECOND))
        if problems := tuple(differences(first, second)):
            raise Problems(problems)
        return len(_files(first))


def _build(root: Path, folder: Path, environment: Environment) -> Path:
    """Copy the sources, build them and return the copy."""
    copy, home = folder / environment.folder, folder / f"home of {environment.folder}"
    shutil.copytree(root, copy, symlinks=True, ignore=_not_sources, copy_function=shutil.copyfile)
    copy.chmod(0o755)
    for place in (home / ".config" / "matplotlib", home / ".matplotlib"):
        place.mkdir(parents=True)
        (place / "matplotlibrc").write_text(CONSPICUOUS_SETTINGS, encoding="ascii")
    variables = {name: value for name, value in os.environ.items() if name not in HIDDEN_VARIABLES}
    done = subprocess.run(
        [sys.executable, *_SAFE_PATH, "-m", "scenebook", "build", "--root", copy, "--jobs", str(environment.jobs)],
        env={**variables, "HOME": str(home), **environment.variables},
        cwd=ENGINE.parent,
        umask=environment.umask,
        capture_output=True,
        check=False,
    )
    errors = done.stderr.decode(errors="replace")
    if done.returncode == 1:
        raise Problems(Problem("", 0, "", line) for line in errors.splitlines())
    if done.returncode:
        raise RuntimeError(errors)
    return copy


def _not_sources(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name in NOT_COPIED or (Path(folder) / name / "pyvenv.cfg").exists()}


def differences(first: Path, second: Path) -> Iterator[Problem]:
    """Yield the differences between two built copies: one for each scene, or if no scene differs, one for each file."""
    differing = sorted(path for path in {*_files(first), *_files(second)} if _read(first, path) != _read(second, path))
    pages = [_pages(root) for root in (first, second)]
    in_scenes = [
        problem for slug in pages[0] if slug in pages[1] for problem in _scene_differences(slug, pages, differing)
    ]
    yield from in_scenes
    if not in_scenes:
        yield from (_problem("", "", path, _text_difference(first / path, second / path)) for path in differing)


def _scene_differences(slug: str, pages: list[dict[str, Any]], differing: list[str]) -> Iterator[Problem]:
    """Yield a problem for each scene of a page whose facts, or otherwise whose pictures, differ."""
    ones, others = (page[slug]["scenes"] for page in pages)
    for scene in ones.keys() & others.keys():
        one, other = ones[scene], others[scene]
        where, code = f"{slug}/{scene}", next(iter(one.get("code", ())), "")
        pictures = [path for path in differing if path.startswith((f"output/{where}-", f"output/{where}."))]
        if found := _first_difference(one, other):
            yield _problem(code, where, FACTS, found)
        elif pictures:
            yield _problem(code, where, pictures[0], "the drawing is different each time")


def _first_difference(one: Any, other: Any, place: str = "") -> str:
    """Return the first difference between two JSON values, with its place; "" if they are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        pairs = ((f"{place}.{key}", one.get(key), other.get(key)) for key in (*one, *(other.keys() - one)))
    elif isinstance(one, list) and isinstance(other, list):
        pairs = ((f"{place}[{index}]", *pair) for index, pair in enumerate(zip_longest(one, other)))
    else:
        return "" if one == other else f"{place.lstrip('.')} is {_short(one)}, then {_short(other)}"
    return next(filter(None, (_first_difference(left, right, path) for path, left, right in pairs)), "")


def _text_difference(one: Path, other: Path) -> str:
    """Return the first difference between two text files."""
    if not one.exists() or not other.exists():
        return "only one of the builds wrote the file"
    lines = zip_longest(*(path.read_bytes().splitlines() for path in (one, other)), fillvalue=b"")
    number, left, right = next((n, a, b) for n, (a, b) in enumerate(lines, 1) if a != b)
    same = next((place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), 0)
    start = max(same - MAX_SHOWN // 2, 0)
    shown = (_short(line[start:].decode(errors="replace")) for line in (left, right))
    return f"line {number} is {', then '.join(shown)}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]} ..."


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
