"""Loads storyboard.yaml and its page files into frozen models, or reports every mistake in all of them at once.

Each file is read into a tree, checked, and turned into a model. The results are cached, so an unchanged file is not
even parsed. The checks across files (links between pages, repeated slugs, paths) run every time.
"""

from __future__ import annotations

import os
import pickle
import posixpath
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from scenebook.cache import versions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, CacheEntry, LostError
from scenebook.core import commands, digests
from scenebook.core.problems import Problem, Problems
from scenebook.core.text import Text
from scenebook.storyboard import _old_keys as old_keys
from scenebook.storyboard import _page_rules as page_rules
from scenebook.storyboard import _site_rules as site_rules
from scenebook.storyboard._paths import PathCheck, path_check, scene_path_problems
from scenebook.storyboard._tree import Map, Seq, problem, quoted
from scenebook.storyboard._validation import unexpected, validated
from scenebook.storyboard._yaml_tree import Typed, read
from scenebook.storyboard.model import Page, Scene, Site, Storyboard, Track

FILE = "storyboard.yaml"
TYPED = Typed(
    mappings=re.compile(r"(?:.*\.)?(?:scenes\.[^.]+\.(?:params|repeat)|claims\.[^.]+\.at)"),
    scalars=re.compile(r"(?:.*\.)?scenes\.[^.]+\.controls\.[^.]+\.(?:from|to|step|values\.[^.]+(?:\.value)?)"),
)
"""What of a storyboard is data for a scene, and not text."""
TREE, MODEL = "tree", "model"


class ListedPage(NamedTuple):
    """A page of a storyboard: its slug, its file, a digest of its whole content, and a function that loads it."""

    slug: str
    file: str
    digest: str
    load: Callable[[], Page]


class Loaded(NamedTuple):
    """A storyboard whose pages are loaded one at a time, so that hundreds of pages need little more memory than ten.

    `digest` is the digest of the site's own settings.
    """

    site: Site
    tracks: tuple[Track, ...]
    pages: tuple[ListedPage, ...]
    warnings: tuple[Problem, ...]
    digest: str

    def scene(self, name: str) -> tuple[str, Page, Scene] | None:
        """Find a scene that computes by its full name (`slug/id`). Return the name, the page and the scene, or None."""
        slug, _, scene_id = name.partition("/")
        pages = (listed.load() for listed in self.pages if listed.slug == slug)
        scenes = ((page, scene) for page in pages for scene in page.scenes if scene.id == scene_id)
        return next(((name, page, scene) for page, scene in scenes if scene.compute is not None), None)

    def pages_with(self, scene_id: str) -> tuple[str, ...]:
        """Return the slugs of the pages that have a scene with this id that computes values."""
        pages = (listed.load() for listed in self.pages)
        return tuple(
            str(page.slug) for page in pages if any(scene.id == scene_id and scene.compute for scene in page.scenes)
        )

    @property
    def book(self) -> Storyboard:
        """The whole storyboard, with all pages loaded."""
        pages = tuple(listed.load() for listed in self.pages)
        return Storyboard(site=self.site, pages=pages, tracks=self.tracks)


class _CheckedTree(NamedTuple):
    """A file, or a page inside storyboard.yaml, after its own checks.

    `tree` contains what the checks across files need, and `model` returns the model.
    """

    tree: Map
    problems: list[Problem]
    digest: str
    model: Callable[[], Any]


def load(root: Path, url: str | None = None, cache: Cache | None = None) -> Loaded:
    """Load the storyboard of a root. Raises `Problems` with all mistakes in all of its files.

    `url` replaces the address that the storyboard gives for the site. Files that have not changed are not parsed again
    if there is a `cache`.
    """
    root = root.resolve()
    check = path_check(root)
    if not os.path.exists(root / FILE):
        raise Problems([Problem(FILE, 0, "", _no_site(root))])
    board = _read_file(root, FILE, "storyboard", cache)
    problems = [*board.problems]
    if url and (message := site_rules.base_address_fault(url)):
        problems.append(Problem(FILE, 0, "SCENEBOOK_URL", message))
    pages, complete = _read_pages(root, board.tree, problems, cache, check)
    trees = [page.tree for page in pages]
    problems += [*site_rules.check(board.tree, trees, complete=complete), *scene_path_problems(trees, check)]
    if any(not item.warning for item in problems):
        raise Problems(problems)
    book: Storyboard = board.model()
    address = Text((url or book.site.url).rstrip("/") + "/", FILE, book.site.url.line)
    site = replace(book.site, url=address)
    listed = tuple(ListedPage(str(page.tree["slug"]), page.tree.file, page.digest, page.model) for page in pages)
    return Loaded(site, book.tracks, listed, tuple(sorted(set(problems))), digests.fingerprint(site))


def _no_site(root: Path) -> str:
    new = commands.command(root, "new", "DIR")
    return f"not found in {root}; name the site's folder with `--root DIR`, or start a site with `{new}`"


def _read_pages(
    root: Path, board: Map, problems: list[Problem], cache: Cache | None, check: PathCheck
) -> tuple[list[_CheckedTree], bool]:
    """Return the pages of a storyboard, and whether all of their files could be read. Adds to `problems`."""
    entries = board.get("pages", Seq(FILE, board.line, "pages"))
    if not isinstance(entries, Seq):
        return [], False
    if not entries:
        problems.append(problem(board, "pages", "there are no pages; list pages, or the paths of page files"))
    pages, files, complete = list[_CheckedTree](), {os.path.realpath(root / FILE)}, True
    for index, entry in enumerate(entries):
        try:
            if isinstance(entry, Text):
                pages.append(_read_file(root, _page_file(root, entries, index, files, check), "page", cache))
            elif isinstance(entry, Map):
                pages.append(_checked(entry, [], "page", cache))
            else:
                problems.append(problem(entries, index, unexpected("dataclass", entry)))
        except Problems as error:
            problems += error.problems
            complete = False
    problems += (item for page in pages for item in page.problems)
    return pages, complete


def _page_file(root: Path, entries: Seq, index: int, files: set[str], check: PathCheck) -> str:
    """Return the path of a page file and add it to `files`. Raises `Problems` if it cannot be used, or used twice."""
    path = entries[index]
    if message := check(path):
        raise Problems([problem(entries, index, message)])
    real_path = os.path.realpath(f"{root}/{path}")
    if real_path in files:
        message = f"the file {quoted(path)} is already part of the storyboard; list it once"
        raise Problems([problem(entries, index, message)])
    files.add(real_path)
    return posixpath.normpath(str(path))


def _read_file(root: Path, file: str, kind: str, cache: Cache | None) -> _CheckedTree:
    """Return the content of a file, from the cache if the file has not changed."""
    if cache and (entry := cache.find("source", file, versions.made_by(__name__))):
        with suppress(LostError):
            return _cached(entry, cache)
    checked = _checked(*read(root, file, TYPED), kind, cache)
    blobs = {TREE: pickle.dumps((checked.tree, checked.problems)), MODEL: pickle.dumps(checked.model())}
    entry = cache.keep("source", file, versions.made_by(__name__), Reads(paths=(file,)), blobs=blobs) if cache else None
    return _cached(entry, cache) if entry and cache else checked


def _cached(entry: CacheEntry, cache: Cache) -> _CheckedTree:
    tree, problems = pickle.loads(cache.read(entry, TREE))
    model = cache.file(entry, MODEL)
    return _CheckedTree(tree, problems, model.digest, lambda: pickle.loads(model.read()))


def _checked(tree: Map, problems: list[Problem], kind: str, cache: Cache | None) -> _CheckedTree:
    """Check a tree by itself and turn it into a model."""
    is_page = kind == "page"
    renewed = old_keys.renew(tree)
    all_problems = [*problems, *renewed, *(page_rules.page(tree) if is_page else ())]
    model = validated(tree, kind, all_problems, cache)
    kept = site_rules.outline(tree) if is_page else tree
    return _CheckedTree(kept, all_problems, digests.fingerprint(model), lambda: model)
