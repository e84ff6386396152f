"""Builds without the cost of a start: the processes in which scenes run outlast a build, as in no command."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from scenebook.build import _jobs as jobs
from scenebook.build import build
from scenebook.build.options import BuildOptions
from scenebook.build.result import FinishedJob
from scenebook.core.problems import Problem, Problems
from tests.support.changing_site import tree


@dataclass(frozen=True)
class Outcome:
    """What a build did: the tree it left, its warnings or what it refused, and which jobs it ran."""

    tree: Mapping[str, bytes]
    warnings: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()
    ran: frozenset[tuple[str, str]] = frozenset()


class Builder:
    """Builds one root, with processes that outlast a build."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.workers = jobs.workers(root, 2)

    def empty(self) -> None:
        """Remove everything below the root, but not the root, in which processes stand."""
        for path in self.root.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def build(self) -> Outcome:
        """What the command does."""
        ran: list[FinishedJob] = []
        refused: tuple[Problem, ...] = ()
        try:
            done = build.build(BuildOptions(self.root), lambda: nullcontext(ran.append), self.workers)
            warnings, refused = done.warnings, ()
        except Problems as error:
            warnings, refused = (), error.problems
        return Outcome(tree(self.root), warnings, refused, frozenset((job.step, job.scene) for job in ran))


@contextmanager
def building(*roots: Path) -> Iterator[tuple[Builder, ...]]:
    """Builders for these roots, which they make."""
    builders = tuple(map(Builder, roots))
    with ExitStack() as stack:
        for builder in builders:
            stack.enter_context(builder.workers)
        yield builders
