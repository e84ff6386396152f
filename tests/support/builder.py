"""Builds that start no new processes: those in which scenes run serve one build after another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment

from scenebook.build import _jobs as jobs
from scenebook.build import build
from scenebook.build.options import BuildOptions
from scenebook.build.result import FinishedJob
from scenebook.core.problems import Problem, Problems
from tests.support.changing_site import tree


@dataclass(frozen=True)
class Outcome:
    """What a build did: the files that it left, its warnings or its problems, and the jobs that it ran."""

    tree: Mapping[str, bytes]
    warnings: tuple[Problem, ...] = ()
    refused: tuple[Problem, ...] = ()
    ran: frozenset[tuple[str, str]] = frozenset()


class Builder:
    """Builds one root again and again with the same worker processes."""

    def __init__(self, root: Path) -> None:
        root.mkdir()
        self.root = root
        self.workers = jobs.workers(root, 2)

    def empty(self) -> None:
        """Remove everything below the root, but not the root itself: it is the working directory of the workers."""
        for path in self.root.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def build(self) -> Outcome:
        """Build as the command does."""
        ran: list[FinishedJob] = []
        refused: tuple[Problem, ...] = ()
        try:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(Environment, "compile", compile_once)
                done = build.build(BuildOptions(self.root), lambda: nullcontext(ran.append), self.workers)
            warnings, refused = done.warnings, ()
        except Problems as error:
            warnings, refused = (), error.problems
        return Outcome(tree(self.root), warnings, refused, frozenset((job.step, job.scene) for job in ran))


COMPILE = Environment.compile
compiled: dict[tuple[str, str, str], Any] = {}


def compile_once(templates: Environment, text: str, name: str, file: str) -> Any:
    """Compile the text of a template, but not again; a clean build would spend most of its time here."""
    place = text, name, file
    if place not in compiled:
        compiled[place] = COMPILE(templates, text, name, file)
    return compiled[place]


@contextmanager
def building(*roots: Path) -> Iterator[tuple[Builder, ...]]:
    """Make these roots, and a builder for each."""
    builders = tuple(map(Builder, roots))
    with ExitStack() as stack:
        for builder in builders:
            stack.enter_context(builder.workers)
        yield builders
