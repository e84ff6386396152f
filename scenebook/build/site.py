"""The build: the steps in order, each of them a module.

storyboard.yaml --storyboard--> pages and scenes      every problem at once, or frozen models
scenes/*.py     --produce-----> values, drawings      in processes of their own, many at once
values + text   --page--------> views, claims judged
views           --assemble----> pages                 found again where nothing they depend on has changed
all of it       --page--------> files                 index, feed and what else the templates make
files           --check, output> output/, facts.lock  only now is the disk touched
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from scenebook.build import assemble, last_build, scene_runs, site_files
from scenebook.build.assemble import Assembled
from scenebook.build.last_build import BuildOptions
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, LostError
from scenebook.core import digests, facts
from scenebook.core.digests import File
from scenebook.core.problems import Problem, stop_on
from scenebook.page import facts_file, output, texts
from scenebook.page.material import Material, of_page, text_scopes
from scenebook.page.templates import environment
from scenebook.run.scene import Computed
from scenebook.run.workers import Workers
from scenebook.storyboard import loader
from scenebook.storyboard.loader import Loaded
from scenebook.storyboard.model import Page

LOCK = "facts.lock"
TOGETHER = 24
"""So many pages are made at a time, and in memory; enough to keep the processes busy."""


@dataclass
class Gathered:
    """A build so far: the files of the site, the lines of facts.lock, what was read, and everything that is wrong.

    `elsewhere` are the lines for values that other pages show, by the lines that they replace.
    """

    files: dict[str, File] = field(default_factory=dict)
    lock: list[str] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)
    reads: Reads = Reads()
    scenes: int = 0
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class BuildResult:
    """A build that succeeded: the paths in output/ that changed, the warnings, and how many scenes the site has."""

    changed: tuple[str, ...]
    warnings: tuple[Problem, ...]
    scenes: int


def build(options: BuildOptions, kept: Cache, workers: Workers, tell: scene_runs.Tell) -> BuildResult:
    """Build the site of a root folder, as far as what is `kept` does not do.

    Raises `Problems` with all that is wrong, and then output/ and facts.lock are as they were.
    """
    templates = cache(lambda: environment(options.templates, kept))
    shop = scene_runs.BuildContext(options.root, workers, kept, tell, meanwhile=lambda: site_files.warm(templates()))
    while True:
        with suppress(LostError):  # what was lost is found no more, so it is made again
            return _build(options, shop, templates)


def _build(options: BuildOptions, shop: scene_runs.BuildContext, templates: site_files.Templates) -> BuildResult:
    gathered = gather(options, shop, templates)
    warnings = tuple(sorted(set(gathered.problems)))
    if options.into:
        output.write(options.into, gathered.files, options.into.name)
    stop_on(warnings, strict=options.strict)
    if options.into:
        return BuildResult(tuple(gathered.files), warnings, gathered.scenes)
    lock = "".join(f"{line}\n" for line in sorted(gathered.elsewhere.get(line, line) for line in gathered.lock))
    if options.locked:
        stop_on(_lock_changes(options.root / LOCK, lock), strict=True)
    last_build.forget(shop.kept)
    beside = {} if options.locked else {options.root / LOCK: lock.encode()}
    changed = output.write(options.output, gathered.files, beside=beside)
    last_build.keep(options, shop.kept, gathered.reads, _written(gathered.files, lock), warnings)
    shop.kept.trim()
    return BuildResult(changed, warnings, gathered.scenes)


def _written(files: dict[str, File], lock: str) -> dict[str, str]:
    """The digests of all that was written, by path."""
    listing = digests.file(output.listing(files))
    written = {f"output/{path}": item.digest for path, item in {**files, output.LIST: listing}.items()}
    return {**written, LOCK: digests.digest(lock.encode())}


def gather(options: BuildOptions, shop: scene_runs.BuildContext, templates: site_files.Templates) -> Gathered:
    """Everything up to the disk: load, compute, draw, judge, render, check."""
    loaded = loader.load(options.root, options.url, shop.kept)
    pages, problems = _pages(loaded, shop)
    gathered = Gathered(problems=[*loaded.warnings, *problems])
    for item in pages.values():
        gathered.files |= item.files
        gathered.lock += item.head.lock
        gathered.elsewhere |= item.head.elsewhere
        gathered.scenes += item.head.scenes
        gathered.problems += item.head.warnings
    gathered.reads = scene_runs.together([last_build.templates(options), _reads(loaded, pages.values())])
    told = {slug: item.facts for slug, item in pages.items()}
    code, own = [item.code for item in pages.values()], facts_file.site_texts(loaded.site, loaded.tracks)
    gathered.files["facts.json"] = facts_file.site_facts(told, code, own)
    made, wrong = site_files.files(options, loaded, pages, templates, shop.kept)
    gathered.files |= made
    gathered.problems += wrong
    return gathered


def _pages(loaded: Loaded, shop: scene_runs.BuildContext) -> tuple[dict[str, Assembled], list[Problem]]:
    """Every page: as it was assembled before, or assembled now from its scenes."""
    pages = {item.slug: assemble.find(item, loaded, shop.kept) for item in loaded.pages}
    stale = [item for item in loaded.pages if pages[item.slug] is None]
    problems: list[Problem] = []
    tried: dict[str, scene_runs.Result[Computed] | None] = {}
    for start in range(0, len(stale), TOGETHER):
        made, wrong = _made([item.load() for item in stale[start : start + TOGETHER]], loaded, tried, shop)
        pages |= made
        problems += wrong
    return {slug: item for slug, item in pages.items() if item}, problems


def _made(
    items: list[Page],
    loaded: Loaded,
    tried: dict[str, scene_runs.Result[Computed] | None],
    shop: scene_runs.BuildContext,
) -> tuple[dict[str, Assembled], list[Problem]]:
    """Pages from their scenes.

    Scenes that were `tried` before are not run again: those that could not be kept, and None for one that failed.
    """
    own = list(scene_runs.scenes(items))
    mentioned = {name for item in items for name in texts.mentions(item)} - {name for name, _, _ in own}
    needed = {each[0]: each for each in (*own, *filter(None, map(loaded.scene, sorted(mentioned))))}
    new, problems = scene_runs.compute([each for name, each in needed.items() if name not in tried], shop)
    results = dict.fromkeys(needed) | tried | new
    computed = {name: made for name in needed if (made := results[name])}
    tried |= {name: results[name] for name in needed if name not in computed or not computed[name].kept}
    values = scene_runs.Results(computed)
    scopes = text_scopes(items, loaded.site, values, needed)
    drawn, undrawn = scene_runs.draw(own, computed, scopes, shop)
    problems += undrawn
    drawings = scene_runs.Results(drawn)
    pages: dict[str, Assembled] = {}
    for item in items:
        material = Material(item, scopes[item.slug], of_page(item, values), of_page(item, drawings))
        reads = scene_runs.together(_reads_of(item, computed, drawn))
        pages[str(item.slug)], wrong = assemble.assemble(material, loaded, reads, shop)
        problems += wrong
    return pages, problems


def _reads_of(item: Page, *results: Mapping[str, scene_runs.Result[Any]]) -> Iterator[Reads]:
    """What was read for a page: for its own scenes, and for those of other pages that it mentions."""
    names = {f"{item.slug}/{scene.id}" for scene in item.scenes} | set(texts.mentions(item))
    for made in results:
        yield from (made[name].reads for name in sorted(names & made.keys()))


def _reads(loaded: Loaded, pages: Iterable[Assembled]) -> Reads:
    files = {loader.FILE, *(item.file for item in loaded.pages)}
    return scene_runs.together([Reads(paths=tuple(sorted(files))), *(item.reads for item in pages)])


def _lock_changes(file: Path, lock: str) -> Iterator[Problem]:
    if not file.exists():
        yield Problem(LOCK, 0, "", "not found; run `make build` and commit the file")
        return
    text = file.read_text(encoding="utf-8", errors="replace")
    old, new = (dict(map(facts.lock_entry, each.removesuffix("\n").split("\n"))) for each in (text, lock))
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    for name in changed:
        what = f"{old.get(name, 'nothing')} to {new.get(name, 'nothing')}"
        yield Problem(LOCK, 0, "", f"would change: {name} from {what}; run `make build` and commit the file")
    if text != lock and not changed:
        yield Problem(LOCK, 0, "", "is not as a build writes it; run `make build` and commit the file")
