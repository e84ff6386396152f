"""Builds a site, step by step. Each step is a module, named here in brackets.

storyboard.yaml --[loader]--------> pages and scenes      every problem at once, or frozen models
scenes/*.py     --[scene_runs]----> values and drawings   in parallel processes, from the cache if up to date
values + texts  --[assemble]------> pages                 claims judged, from the cache if up to date
pages           --[site_files]----> HTML, feed and so on  templates rendered, links checked
files           --[output]--------> output/, facts.lock   the first step that writes to the site
"""

import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenebook.build import assemble, last_build, scene_runs, site_files
from scenebook.build.assemble import AssembledPage
from scenebook.build.options import BuildOptions
from scenebook.build.planned_jobs import BuildContext, LazyResults, SceneResult, merge_reads
from scenebook.build.result import BuildResult, OnFinished
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, retry_if_lost
from scenebook.core import commands, digests, facts
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
BATCH_SIZE = 24
"""How many pages we assemble at a time and keep in memory. It is large enough to keep the workers busy."""


@dataclass
class BuiltSite:
    """A site in memory, before anything is written.

    files: by path in the site.
    lock_lines: the lines of facts.lock.
    lock_replacements: lines for values that other pages show, by the lines they replace.
    reads: everything that was read for the site.
    """

    files: dict[str, File] = field(default_factory=dict)
    lock_lines: list[str] = field(default_factory=list)
    lock_replacements: dict[str, str] = field(default_factory=dict)
    reads: Reads = Reads()
    scene_count: int = 0
    problems: list[Problem] = field(default_factory=list)

    def lock(self) -> str:
        """Return the text of facts.lock."""
        lines = sorted(self.lock_replacements.get(line, line) for line in self.lock_lines)
        return "".join(f"{line}\n" for line in (facts.lock_format(), *lines))


def build(options: BuildOptions, cache: Cache, workers: Workers, on_finished: OnFinished) -> BuildResult:
    """Build the site of a root folder, with results from the cache where they are up to date.

    The result does not list the jobs; `on_finished` is called with each of them. If anything is wrong, this raises
    `Problems` with all of it, and output/ and facts.lock stay unchanged.
    """
    templates = functools.cache(lambda: environment(options.templates, cache))
    context = BuildContext(options.root, workers, cache, on_finished, lambda: site_files.prepare(templates()))
    return retry_if_lost(lambda: _build(options, context, templates))


def _build(options: BuildOptions, context: BuildContext, templates: site_files.GetTemplates) -> BuildResult:
    site = build_in_memory(options, context, templates)
    warnings = tuple(sorted(set(site.problems)))
    if options.into:
        output.write(options.into, site.files, options.into.name)
    stop_on(warnings, strict=options.strict)
    if options.into:
        return BuildResult(tuple(site.files), warnings, site.scene_count)
    lock = site.lock()
    if options.locked:
        stop_on(_lock_changes(options.root / LOCK, lock), strict=True)
    last_build.forget(context.cache)
    beside = {} if options.locked else {options.root / LOCK: lock.encode()}
    changed = output.write(options.output, site.files, beside=beside)
    last_build.record(options, context.cache, site.reads, _written(site.files, lock), warnings)
    context.cache.trim()
    return BuildResult(changed, warnings, site.scene_count)


def _written(files: dict[str, File], lock: str) -> dict[str, str]:
    """Return the digests of everything that was written, by path under the root."""
    listing = digests.file(output.listing(files))
    written = {f"output/{path}": file.digest for path, file in {**files, output.LIST: listing}.items()}
    return {**written, LOCK: digests.digest(lock.encode())}


def build_in_memory(options: BuildOptions, context: BuildContext, templates: site_files.GetTemplates) -> BuiltSite:
    """Do everything except write: load, compute, draw, judge claims, render and check links."""
    loaded = loader.load(options.root, options.url, context.cache)
    pages, problems = _pages(loaded, context)
    site = BuiltSite(problems=[*loaded.warnings, *problems])
    for page in pages.values():
        site.files |= page.files
        site.lock_lines += page.info.lock_lines
        site.lock_replacements |= page.info.lock_replacements
        site.scene_count += page.info.scene_count
        site.problems += page.info.warnings
    site.reads = merge_reads([last_build.template_reads(options), _site_reads(loaded, pages.values())])
    page_facts = {slug: page.facts for slug, page in pages.items()}
    code, own_texts = [page.code for page in pages.values()], facts_file.site_texts(loaded.site, loaded.tracks)
    site.files["facts.json"] = facts_file.site_facts(page_facts, code, own_texts)
    rendered, render_problems = site_files.render(options, loaded, pages, templates, context.cache)
    site.files |= rendered
    site.problems += render_problems
    return site


def _pages(loaded: Loaded, context: BuildContext) -> tuple[dict[str, AssembledPage], list[Problem]]:
    """Return every page, from the cache or assembled from its scenes."""
    pages = {page.slug: assemble.find(page, loaded, context.cache) for page in loaded.pages}
    stale = [page for page in loaded.pages if pages[page.slug] is None]
    problems: list[Problem] = []
    known: dict[str, SceneResult[Computed] | None] = {}
    for start in range(0, len(stale), BATCH_SIZE):
        batch = [page.load() for page in stale[start : start + BATCH_SIZE]]
        assembled, batch_problems = _assemble_batch(batch, loaded, known, context)
        pages |= assembled
        problems += batch_problems
    return {slug: page for slug, page in pages.items() if page}, problems


def _assemble_batch(
    pages: list[Page],
    loaded: Loaded,
    known: dict[str, SceneResult[Computed] | None],
    context: BuildContext,
) -> tuple[dict[str, AssembledPage], list[Problem]]:
    """Assemble pages from the results of their scenes.

    `known` is updated: it has the results of earlier batches that are not in the cache, and None for each scene that
    failed. So no scene runs twice in a build.
    """
    own = list(scene_runs.scenes(pages))
    mentioned = {name for page in pages for name in texts.mentions(page)} - {name for name, _, _ in own}
    needed = {scene[0]: scene for scene in (*own, *filter(None, map(loaded.scene, sorted(mentioned))))}
    new, problems = scene_runs.compute([scene for name, scene in needed.items() if name not in known], context)
    results = dict.fromkeys(needed) | known | new
    computed = {name: result for name in needed if (result := results[name])}
    known |= {name: results[name] for name in needed if name not in computed or not computed[name].cached}
    values = LazyResults(computed)
    scopes = text_scopes(pages, loaded.site, values, needed)
    drawn, draw_problems = scene_runs.draw(own, computed, scopes, context)
    problems += draw_problems
    drawings = LazyResults(drawn)
    assembled: dict[str, AssembledPage] = {}
    for page in pages:
        material = Material(page, scopes[page.slug], of_page(page, values), of_page(page, drawings))
        reads = merge_reads(_page_reads(page, computed, drawn))
        assembled[str(page.slug)], page_problems = assemble.assemble(material, loaded, reads, context)
        problems += page_problems
    return assembled, problems


def _page_reads(page: Page, *results: Mapping[str, SceneResult[Any]]) -> Iterator[Reads]:
    """Yield what was read for the scenes of a page, and for the scenes of other pages that it mentions."""
    names = {f"{page.slug}/{scene.id}" for scene in page.scenes} | set(texts.mentions(page))
    for by_name in results:
        yield from (by_name[name].reads for name in sorted(names & by_name.keys()))


def _site_reads(loaded: Loaded, pages: Iterable[AssembledPage]) -> Reads:
    files = {loader.FILE, *(page.file for page in loaded.pages)}
    return merge_reads([Reads(paths=tuple(sorted(files))), *(page.reads for page in pages)])


def _lock_changes(file: Path, lock: str) -> Iterator[Problem]:
    """Yield a problem for each value of facts.lock that would change."""
    advice = f"run `{commands.command(file.parent, 'build')}` and commit the file"
    if not file.exists():
        yield Problem(LOCK, 0, "", f"not found; {advice}")
        return
    text = file.read_text(encoding="utf-8", errors="replace")
    old, new = (dict(map(facts.lock_entry, each.removesuffix("\n").split("\n"))) for each in (text, lock))
    changed = [name for name in {**old, **new} if old.get(name) != new.get(name)]
    for name in changed:
        change = f"{name} from {old.get(name, 'nothing')} to {new.get(name, 'nothing')}"
        yield Problem(LOCK, 0, "", f"would change: {change}; {advice}")
    if text != lock and not changed:
        yield Problem(LOCK, 0, "", f"the values are right, but the format is not; {advice}")
