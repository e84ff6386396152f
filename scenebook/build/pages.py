"""Assembles the pages of a site, a batch at a time, from what their scenes compute and draw.

Everything that decides what a page shows is in this module and in those that it imports, so these are the code that a
page in the cache depends on.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from scenebook.build import assemble, data_files, scene_runs
from scenebook.build.assemble import AssembledPage
from scenebook.build.planned_jobs import BuildContext, LazyResults, SceneResult, merge_reads
from scenebook.cache.reads import Reads
from scenebook.core.problems import Problem
from scenebook.page import texts
from scenebook.page.material import Material, of_page, text_scopes
from scenebook.run.scene import Computed
from scenebook.storyboard.model import Page

if TYPE_CHECKING:
    from scenebook.storyboard.loader import Loaded

BATCH_SIZE = 24
"""How many pages we assemble at a time and keep in memory. It is large enough to keep the workers busy."""


def assemble_pages(loaded: "Loaded", context: BuildContext) -> tuple[dict[str, AssembledPage], list[Problem]]:
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
    loaded: "Loaded",
    known: dict[str, SceneResult[Computed] | None],
    context: BuildContext,
) -> tuple[dict[str, AssembledPage], list[Problem]]:
    """Assemble pages from the results of their scenes.

    `known` is updated: it has the results of earlier batches that are not in the cache, and None for each scene that
    failed. So no scene runs twice in a build.
    """
    own = list(scene_runs.scenes(pages))
    mentions = {page.slug: texts.mentions(page) for page in pages}
    mentioned = {name for names in mentions.values() for name in names} - {name for name, _, _ in own}
    needed = {scene[0]: scene for scene in (*own, *filter(None, map(loaded.scene, sorted(mentioned))))}
    new, problems = scene_runs.compute([scene for name, scene in needed.items() if name not in known], context)
    results = dict.fromkeys(needed) | known | new
    computed = {name: result for name in needed if (result := results[name])}
    known |= {name: results[name] for name in needed if name not in computed or not computed[name].cached}
    values = LazyResults(computed)
    scopes = text_scopes(pages, loaded.site, values, needed, cache(loaded.pages_with))
    drawn, draw_problems = scene_runs.draw(own, computed, scopes, context)
    problems += draw_problems
    drawings = LazyResults(drawn)
    assembled: dict[str, AssembledPage] = {}
    for page in pages:
        inputs = data_files.digests_of(context.root, page, computed, drawn)
        elsewhere = {name: values[name] for name in mentions[page.slug] if name in values}
        material = Material(page, scopes[page.slug], of_page(page, values), of_page(page, drawings))
        material = replace(material, inputs=inputs, elsewhere=elsewhere)
        reads = merge_reads(_page_reads(page, mentions[page.slug], computed, drawn))
        assembled[str(page.slug)], page_problems = assemble.assemble(material, loaded, reads, context)
        problems += page_problems
    return assembled, problems


def _page_reads(page: Page, mentions: Iterable[str], *results: Mapping[str, SceneResult[Any]]) -> Iterator[Reads]:
    """Yield what was read for the scenes of a page, and for the scenes of other pages that it mentions."""
    names = {f"{page.slug}/{scene.id}" for scene in page.scenes}.union(mentions)
    for by_name in results:
        yield from (by_name[name].reads for name in sorted(names & by_name.keys()))
