"""The options of a build, and the folders that follow from them."""

from pathlib import Path
from typing import NamedTuple

from scenebook.cache.store import LIMIT, Cache


class BuildOptions(NamedTuple):
    """How to build a site.

    root: the site's folder.
    locked: fail if facts.lock would change.
    strict: treat warnings as errors.
    jobs: how many processes run at once.
    url: replaces the site's address.
    updated: the date of the feed, in RFC 3339.
    into: write what can be built into this folder, even if something fails; output/ and facts.lock stay unchanged.
    cache: the folder of the cache, if it is not the default one.
    cache_limit: the largest size of the cache in bytes.
    """

    root: Path
    locked: bool = False
    strict: bool = False
    jobs: int = 2
    url: str | None = None
    updated: str | None = None
    into: Path | None = None
    cache: Path | None = None
    cache_limit: int = LIMIT

    def open_cache(self) -> Cache:
        """Return the cache for one build. It looks at each input file only once, so do not use it for another build."""
        return Cache(self.cache_folder, self.root, self.cache_limit)

    @property
    def cache_folder(self) -> Path:
        """The folder of the cache."""
        return self.cache or self.root / ".scenebook" / "cache"

    @property
    def templates(self) -> Path:
        """The folder of the site's own templates."""
        return self.root / "templates"

    @property
    def output(self) -> Path:
        """The folder that the site is written to."""
        return self.into or self.root / "output"
