"""Builds a site, step by step. Each step is a module, named here in brackets.

storyboard.yaml --[loader]--------> pages and scenes      every problem at once, or frozen models
scenes/*.py     --[scene_runs]----> values and drawings   in parallel processes, from the cache if up to date
values + texts  --[pages]---------> pages                 claims judged, from the cache if up to date
pages           --[site_files]----> HTML, feed and so on  templates rendered, links checked
files           --[output]--------> output/, facts.lock   the first step that writes to the site
"""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scenebook.build import last_build, site_files
from scenebook.build.assemble import AssembledPage
from scenebook.build.options import BuildOptions
from scenebook.build.pages import assemble_pages
from scenebook.build.planned_jobs import BuildContext, merge_reads
from scenebook.build.result import BuildResult, OnFinished
from scenebook.build.template_files import GetTemplates
from scenebook.cache.reads import Reads
from scenebook.cache.store import Cache, retry_if_lost
from scenebook.core import commands, digests, facts
from scenebook.core.digests import File
from scenebook.core.problems import Problem, stop_on
from scenebook.page import facts_file, output
from scenebook.page.templates import environment
from scenebook.run.workers import Workers
from scenebook.storyboard import loader
from scenebook.storyboard.loader import Loaded

LOCK = "facts.lock"


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


def _build(options: BuildOptions, context: BuildContext, templates: GetTemplates) -> BuildResult:
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


def build_in_memory(options: BuildOptions, context: BuildContext, templates: GetTemplates) -> BuiltSite:
    """Do everything except write: load, compute, draw, judge claims, render and check links."""
    loaded = loader.load(options.root, options.url, context.cache)
    pages, problems = assemble_pages(loaded, context)
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
