"""The promise of the cache: after any edit, a build from the cache equals a clean build, byte for byte.

Each example begins with a small site that has an input of every kind, and takes a few steps: edits, mistakes and their
correction, reverts, damage to files that builds wrote. After each step the site is built from the cache, and in another
folder without one. Both builds must write the same files or report the same problems, and no job may run needlessly.
SCENEBOOK_EXAMPLES sets how many examples there are.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from scenebook.build import assemble, pages
from scenebook.cache._input_states import TICK
from scenebook.page import output
from scenebook.page.material import Material
from tests.support.builder import Builder, Outcome, building
from tests.support.changing_site import BROKEN, EDITS, Edit, Site, Spares, differences, tree, write

EXAMPLES = int(os.environ.get("SCENEBOOK_EXAMPLES", "15"))


@pytest.fixture(scope="module")
def author(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Author]:
    folder = tmp_path_factory.mktemp("sites")
    with building(folder / "cached", folder / "clean elsewhere") as (cached, clean):
        yield Author(cached, clean)


class Author:
    """Edits a site and builds it from a cache. The results of clean builds of the same sources are remembered."""

    def __init__(self, cached: Builder, clean: Builder) -> None:
        self.cached, self.clean = cached, clean
        self.known: dict[frozenset[tuple[str, bytes]], Outcome] = {}
        self.start(dated=False)

    def start(self, dated: bool) -> None:
        """Start over. If `dated`, all sources always have the same date."""
        self.cached.empty()
        self.sources, self.dated, self.damaged = Site(), dated, False
        self.good: list[Site] = []
        self.on_disk: dict[str, bytes] = {}
        self.build()

    def build(self, spared: Spares = "nothing") -> None:
        """Build, and assert that the result equals a clean build, and that no job ran needlessly."""
        known = [site.files() for site in self.good]
        was_good = self.on_disk in known or self.sources.files() in known
        self.save()
        before = tree(self.cached.root)
        built, expected = self.cached.build(), self.expected()
        assert built.refused == expected.refused
        assert built.warnings == expected.warnings
        assert differences(built.tree, before if built.refused else expected.tree) == []
        if was_good and not self.damaged:
            assert self.needless(built, spared) == set()
        if not built.refused:
            self.good = [*self.good[-4:], self.sources.copy()]

    def save(self) -> None:
        """Write the sources, and wait until they count as older than the build. It keeps no result of younger files."""
        self.on_disk = self.sources.files()
        write(self.cached.root, self.on_disk)
        for path in self.on_disk if self.dated else ():
            os.utime(self.cached.root / path, (1_000_000_000, 1_000_000_000))
        time.sleep(2 * TICK / 1e9)

    def expected(self) -> Outcome:
        files = self.sources.files()
        key = frozenset(files.items())
        if key not in self.known:
            self.clean.empty()
            write(self.clean.root, files)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(pages, "BATCH_SIZE", 1)  # the size of a batch must make no difference
                self.known[key] = self.clean.build()
        return self.known[key]

    def needless(self, built: Outcome, spared: Spares) -> set[tuple[str, str]]:
        """The jobs that ran and should not have. A drawing that warns is made again when its lines move."""
        restless = {("compute", name) for name in self.sources.unkept()}
        warned = {("draw", name) for name in self.sources.warned()}
        spared_steps = {"everything": {"compute", "draw"}, "compute": {"compute"}, "nothing": set[str]()}[spared]
        return {job for job in built.ran if job[0] in spared_steps} - restless - warned


# What an author and others do between two builds. Each step ends with a build, and checks it.

Step = Callable[[Author], None]


@dataclass(frozen=True)
class Edits:
    """Edit the sources, and build."""

    edits: tuple[tuple[Edit, int], ...]

    def __call__(self, author: Author) -> None:
        for edit, number in self.edits:
            edit.change(author.sources, number)
        spares = {edit.spares for edit, _ in self.edits}
        author.build("everything" if spares == {"everything"} else "nothing" if "nothing" in spares else "compute")


@dataclass(frozen=True)
class Break:
    """Make a mistake, build, correct it, and build again."""

    edit: Edit
    number: int

    def __call__(self, author: Author) -> None:
        kept = author.sources.copy()
        self.edit.change(author.sources, self.number)
        author.build()
        author.sources = kept
        author.build("everything")


@dataclass(frozen=True)
class Revert:
    """Go back to an earlier state. The cache still holds all of its results."""

    number: int

    def __call__(self, author: Author) -> None:
        author.sources = author.good[self.number % len(author.good)].copy()
        author.build("everything")


@dataclass(frozen=True)
class Damage:
    """Do something to a file that a build wrote, and build."""

    place: tuple[str, str]
    number: int
    harm: Literal["remove", "cut", "garble", "append"]

    def __call__(self, author: Author) -> None:
        folder, pattern = self.place
        files = sorted(path for path in (author.cached.root / folder).rglob(pattern) if path.is_file())
        if pattern == "*":  # without its entry in the list, a damaged file would count as the author's
            files = [path for path in files if path.name != output.LIST]
        author.damaged |= folder == ".scenebook"
        for path in files[self.number :: 8]:
            content = path.read_bytes()
            if self.harm == "remove":
                path.unlink()
            elif self.harm == "append":
                path.write_bytes(content + b"x")
            elif self.harm == "cut":
                path.write_bytes(content[: len(content) // 2])
            elif content:
                path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        author.build("everything")


@dataclass(frozen=True)
class Touch:
    """Change the dates of all sources."""

    date: int

    def __call__(self, author: Author) -> None:
        for path in author.on_disk:
            os.utime(author.cached.root / path, (self.date, self.date))
        author.build("everything")


numbers = st.integers(0, 7)
edits = st.tuples(st.sampled_from(EDITS), numbers)
harms = st.sampled_from(["remove", "cut", "garble", "append"])
places = st.sampled_from([("output", "*"), ("output", "files.json"), ("", "facts.lock"), (".scenebook", "*")])
steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(Edits, st.lists(edits, min_size=1, max_size=3).map(tuple)),
    st.builds(Edits, st.lists(edits, min_size=1, max_size=3).map(tuple)),
    st.builds(Break, st.sampled_from(BROKEN), numbers),
    st.builds(Revert, numbers),
    st.builds(Damage, places, numbers, harms),
    st.builds(Touch, st.sampled_from([1_000_000_000, 2_000_000_000])),
)


@settings(
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # it would take minutes to shrink a failure
    suppress_health_check=[HealthCheck.too_slow],
)
@given(steps=st.lists(steps, min_size=1, max_size=5), dated=st.booleans())
def test_a_build_from_the_cache_equals_a_clean_build(author: Author, steps: list[Step], dated: bool) -> None:
    author.start(dated)
    for step in steps:
        step(author)


@pytest.mark.parametrize("number", range(EXAMPLES // 3))
def test_an_edit_during_a_build_is_seen_by_the_next_build(author: Author, number: int) -> None:
    """Two versions of the sources take turns while a build runs, either the first build or a later one. That build may
    mix the versions or fail. The builds after it must each equal a clean build of one version.
    """
    chance = random.Random(number)
    author.start(dated=False)
    versions = [author.sources, author.sources.copy()]
    for _ in range(3):
        chance.choice(EDITS).change(versions[1], chance.randrange(8))
    if number % 2:
        author.cached.empty()
        author.save()
    with flickering(author.cached.root, [version.files() for version in versions]):
        author.cached.build()
    for version in chance.sample(versions, 2):
        author.sources = version
        author.build()


@contextmanager
def flickering(root: Path, versions: Sequence[Mapping[str, bytes]]) -> Iterator[None]:
    """Keep writing the versions of the sources, one after the other."""
    ended = threading.Event()

    def edit() -> None:
        for files in cycle(versions):
            write(root, files)
            if ended.wait(0.005):
                return

    editing = threading.Thread(target=edit)
    editing.start()
    try:
        yield
    finally:
        ended.set()
        editing.join()


def test_only_the_page_that_changed_is_assembled_again(author: Author, monkeypatch: pytest.MonkeyPatch) -> None:
    """This holds even for the build right after the first, which found nothing in the cache."""
    made: list[str] = []
    assembled = assemble.assemble

    def spy(material: Material, *rest: Any) -> Any:
        made.append(str(material.page.slug))
        return assembled(material, *rest)

    author.start(dated=False)
    monkeypatch.setattr(assemble, "assemble", spy)
    author.sources.texts["templates/robots.txt"] = "User-agent: *\n"
    author.save()
    author.cached.build()
    assert made == []
    author.sources.pages[1]["summary"] = "Other words."
    author.save()
    author.cached.build()
    assert made == ["second"]
