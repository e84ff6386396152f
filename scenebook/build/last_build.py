"""Finds out whether a build has anything to do, without importing the rest of the engine.

A successful build records everything that it read and wrote. The site is up to date as long as both are unchanged.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple

from scenebook.build.options import BuildOptions
from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core.digests import of_files
from scenebook.core.problems import Problem

STEP, SITE = "build", "site"
TEXT_SUFFIXES = (".yaml", ".yml")


class LastBuild(NamedTuple):
    """Whether the site is still up to date since the last successful build; its warnings, or what has changed since."""

    up_to_date: bool
    warnings: tuple[Problem, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def only_texts_changed(self) -> bool:
        """Whether only storyboards have changed, so that probably no scene has to run."""
        return bool(self.changes) and all(change.partition(" ")[0].endswith(TEXT_SUFFIXES) for change in self.changes)


def find(options: BuildOptions, cache: Cache) -> LastBuild:
    """Compare the record of the last build with the current files."""
    entry = cache.find(STEP, SITE, dependencies(options))
    if entry is None:
        return LastBuild(up_to_date=False, changes=tuple(cache.why(STEP, SITE, dependencies(options))))
    written: Mapping[str, str] = entry.data["written"]
    if of_files([f"{options.root}/{path}" for path in written]) != list(written.values()):
        return LastBuild(up_to_date=False)
    return LastBuild(up_to_date=True, warnings=tuple(Problem(**warning) for warning in entry.data["warnings"]))


def record(
    options: BuildOptions, cache: Cache, reads: Reads, written: Mapping[str, str], warnings: tuple[Problem, ...]
) -> None:
    """Record a successful build: what it read, and the digests of what it wrote, by path under the root."""
    data = {"written": dict(written), "warnings": [warning._asdict() for warning in warnings]}
    reads = reads._replace(packages=tuple(sorted({*reads.packages, *versions.needed()})))
    cache.keep(STEP, SITE, dependencies(options), reads, data)


def forget(cache: Cache) -> None:
    """Delete the record before output/ is written, so that the next build notices if this one does not finish."""
    cache.forget(STEP, SITE)


def dependencies(options: BuildOptions) -> dict[str, str]:
    """Return what a site depends on besides the files that the build reads."""
    return {
        "address": options.url or "",
        "updated": options.updated or "",
        "Scenebook": versions.engine(),
        **versions.environment(),
        "templates": versions.templates(),
    }


def template_reads(options: BuildOptions) -> Reads:
    """Return the files and folders of the site's own templates, as inputs. Linked folders are followed."""
    files, folders, real = list[str](), list[str](), set[str]()
    for folder, subfolders, names in os.walk(options.templates, followlinks=True):
        if os.path.realpath(folder) in real:
            subfolders.clear()
        else:
            real.add(os.path.realpath(folder))
            folders.append(os.path.relpath(folder, options.root))
            files += (f"{folders[-1]}/{name}" for name in names)
    missing = [] if folders else [options.templates.name]
    return Reads(paths=tuple(sorted(files)), folders=tuple(sorted([*folders, *missing])))
