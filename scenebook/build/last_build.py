"""Whether a build has anything to do, found out without importing what builds.

A build that succeeded keeps a record of all it read and all it wrote. While both are as they were, so is the site.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache
from scenebook.core.digests import of_files
from scenebook.core.problems import Problem

STEP, SITE = "build", "site"
TEXTS = (".yaml", ".yml")


class BuildOptions(NamedTuple):
    """How to build: `locked` fails where facts.lock would change, `strict` takes warnings for problems.

    `into` is another folder than output/; into it goes all that can be built, whatever fails, and facts.lock stays.
    `kept` is where results are kept; `url` overrides the site's address; `updated` is the feed's date, in RFC 3339.
    """

    root: Path
    locked: bool = False
    strict: bool = False
    jobs: int = 2
    url: str | None = None
    updated: str | None = None
    into: Path | None = None
    kept: Path | None = None

    def cache(self) -> Cache:
        """What is kept for this root, for one build: it looks at each file once."""
        return Cache(self.keeps, self.root)

    @property
    def keeps(self) -> Path:
        """The folder of what is kept."""
        return self.kept or self.root / ".scenebook" / "cache"

    @property
    def templates(self) -> Path:
        """The site's own templates."""
        return self.root / "templates"

    @property
    def output(self) -> Path:
        """Where the site is written."""
        return self.into or self.root / "output"


class LastBuild(NamedTuple):
    """The last build that succeeded: whether it still holds, its warnings, and else what has changed since."""

    holds: bool
    warnings: tuple[Problem, ...] = ()
    changes: tuple[str, ...] = ()

    @property
    def texts_only(self) -> bool:
        """Whether nothing but storyboards has changed, so that hardly any scene will have to run."""
        return bool(self.changes) and all(change.partition(" ")[0].endswith(TEXTS) for change in self.changes)


def find(options: BuildOptions, kept: Cache) -> LastBuild:
    """Compare the last build with what is there now."""
    found = kept.find(STEP, SITE, declared(options))
    if found is None:
        return LastBuild(holds=False, changes=tuple(kept.why(STEP, SITE, declared(options))))
    written: Mapping[str, str] = found.data["written"]
    if of_files([f"{options.root}/{path}" for path in written]) != list(written.values()):
        return LastBuild(holds=False)
    return LastBuild(holds=True, warnings=tuple(Problem(**warning) for warning in found.data["warnings"]))


def keep(
    options: BuildOptions, kept: Cache, reads: Reads, written: Mapping[str, str], warnings: tuple[Problem, ...]
) -> None:
    """Record a build that succeeded: what it read, and the digests of what it wrote (paths below the root)."""
    data = {"written": dict(written), "warnings": [warning._asdict() for warning in warnings]}
    kept.keep(STEP, SITE, declared(options), reads, data)


def forget(kept: Cache) -> None:
    """Have no record while output/ is written, so that it is looked at again if this ends early."""
    kept.forget(STEP, SITE)


def declared(options: BuildOptions) -> dict[str, str]:
    """What a site depends on besides the files that are read for it."""
    return {
        "address": options.url or "",
        "updated": options.updated or "",
        **versions.made_by(),
        "templates": versions.templates(),
    }


def templates(options: BuildOptions) -> Reads:
    """The site's own templates, as something that was read; links to folders are followed, since templates do so."""
    files, folders, real = list[str](), list[str](), set[str]()
    for folder, inner, names in os.walk(options.templates, followlinks=True):
        if os.path.realpath(folder) in real:
            inner.clear()
        else:
            real.add(os.path.realpath(folder))
            folders.append(os.path.relpath(folder, options.root))
            files += (f"{folders[-1]}/{name}" for name in names)
    missing = [] if folders else [options.templates.name]
    return Reads(paths=tuple(sorted(files)), folders=tuple(sorted([*folders, *missing])))
