"""One page, assembled from its scenes' results, or found as it was assembled before.

A page depends on its own storyboard, on the scenes it shows and on those of other pages that its texts mention.
Everything that is large stays in the cache, and is read when it has to be written; what stays in memory is small.
"""

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scenebook.build import _jobs as jobs
from scenebook.build import scene_runs
from scenebook.cache import store, versions
from scenebook.cache.reads import Reads
from scenebook.core import digests, facts
from scenebook.core.digests import File
from scenebook.core.problems import Problem
from scenebook.page import compose, facts_file
from scenebook.page.views import PageSummary
from scenebook.run import module_files
from scenebook.storyboard.loader import Listed, Loaded

if TYPE_CHECKING:
    from scenebook.run.scene import Computed

HEAD, SMALL, VIEW, FACTS, CODE, LINKS = "head", "small", "view", "facts", "code", "links"
FIGURES = "files/"


@dataclass(frozen=True)
class Head:
    """What the rest of the site says of a page: its entry in lists, its lines of facts.lock, its warnings.

    `scenes` is the number of those that compute. What is kept of an entry lacks the drawing, which is kept beside it.
    `elsewhere` are lines of facts.lock for other pages' values that this one shows, by the lines that they replace.
    """

    entry: PageSummary
    scenes: int
    lock: tuple[str, ...]
    elsewhere: Mapping[str, str]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True)
class Assembled:
    """A page but for its frame: `files` by path in the site, `view` pickled for the template, `facts` as JSON,
    `code` as members of a JSON object, `links` pickled with the places in which they were written.

    `told` is another where the rest of the site has anything else to say of the page.
    """

    head: Head
    told: str
    files: Mapping[str, File]
    view: File
    facts: File
    code: File
    links: File
    reads: Reads


def find(item: Listed, loaded: Loaded, kept: store.Cache) -> Assembled | None:
    """The page as it was assembled before from the same."""
    entry = kept.find("page", item.slug, _declared(item.slug, loaded))
    if entry is None or any(_computing(name, loaded) != known for name, known in entry.data.items()):
        return None
    blobs = {name: kept.file(entry, name) for name in entry.blobs}
    try:
        head = pickle.loads(blobs[HEAD].read())
    except store.LostError:
        return None
    return _assembled(head, blobs, scene_runs.reads(entry))


def assemble(
    material: compose.Material, loaded: Loaded, reads: Reads, shop: scene_runs.BuildContext
) -> tuple[Assembled, list[Problem]]:
    """A page from what its scenes computed and drew, and what is wrong with it. It is kept if nothing is."""
    item, kept = material.page, shop.kept
    code = {str(scene.compute): module_files.code(shop.root, scene.compute) for scene in item.scenes if scene.compute}
    reads = scene_runs.together([reads, *(each.reads for each in code.values())])
    material = replace(material, computed=dict(_listing_all(material, code)))
    judged = _judged(material, kept)
    view = compose.page_view(material, loaded.site, judged)
    told = facts_file.page_facts(material, judged, view, code)
    problems = [*material.scope.problems, *(p for drawing in material.drawings.values() for p in drawing.warnings)]
    lock = tuple(facts_file.lock_lines(str(item.slug), told))
    elsewhere = facts_file.shown_elsewhere(material.scope, told["shown"])
    head = Head(compose.entry(item, view), len(material.computed), lock, elsewhere, tuple(sorted(set(problems))))
    parts = {HEAD: pickle.dumps(head), SMALL: compose.small(view).encode()}
    parts[LINKS] = pickle.dumps(tuple(sorted(set(material.scope.links))))
    parts |= {VIEW: pickle.dumps(view), FACTS: facts.dumps(told).encode()}
    parts[CODE] = facts_file.page_code(code.values())
    parts |= {f"{FIGURES}{path}": data for path, data in figure_files(material).items()}
    if all(problem.warning for problem in problems) and _complete(material):
        mentioned = {name: _computing(name, loaded) for name in compose.mentions(item)}
        if entry := kept.keep("page", str(item.slug), _declared(str(item.slug), loaded), reads, mentioned, parts):
            return _assembled(head, {name: kept.file(entry, name) for name in parts}, reads), problems
    return _assembled(head, {name: digests.file(data) for name, data in parts.items()}, reads), problems


def _listing_all(material: compose.Material, code: Mapping[str, module_files.Code]) -> Iterator[tuple[str, "Computed"]]:
    """What the scenes computed, with listings of the helpers that were not needed for it, but for a drawing, say."""
    for scene in material.page.scenes:
        if result := material.computed.get(scene.id):
            listed = {listing.file for listing in result.listings}
            others = {file: text for file, text in code[str(scene.compute)].texts.items() if file not in listed}
            more = jobs.highlighted(module_files.listings(others, None))
            yield str(scene.id), replace(result, listings=(*result.listings, *more))


def _judged(material: compose.Material, kept: store.Cache) -> dict[str, tuple[compose.Judged, ...]]:
    """The claims of a page; one that held over the same values is not evaluated again."""
    known = kept.find("claims", str(material.page.slug), versions.made_by())
    before = known.data if known else {}
    judged = compose.judge(replace(material, held=before))
    held = {each.key: each.outcome.margin for found in judged.values() for each in found if each.outcome.holds}
    if not held.items() <= before.items():
        kept.keep("claims", str(material.page.slug), versions.made_by(), Reads(), {**held})
    return judged


def figure_files(material: compose.Material) -> dict[str, bytes]:
    """The files of a page's figures and large arrays, by path in the site."""
    files: dict[str, bytes] = {}
    for scene, result in material.computed.items():
        files |= {f"{material.page.slug}/{scene}-{name}.npy": data for name, data in result.npy.items()}
    for scene, drawing in material.drawings.items():
        stem = f"{material.page.slug}/{scene}"
        files[f"{stem}.png"] = drawing.png
        files |= {f"{stem}-{panel.name}.svg": panel.svg.encode() for panel in drawing.panels}
        files |= {f"{stem}-{panel.name}.csv": panel.csv for panel in drawing.panels if panel.csv is not None}
    return files


def _assembled(head: Head, parts: Mapping[str, File], reads: Reads) -> Assembled:
    figures = {name.removeprefix(FIGURES): part for name, part in parts.items() if name.startswith(FIGURES)}
    card = head.entry.card and head.entry.card._replace(drawing=parts[SMALL])
    whole = replace(head, entry=head.entry._replace(card=card))
    told = parts[HEAD].digest + parts[SMALL].digest
    return Assembled(whole, told, figures, parts[VIEW], parts[FACTS], parts[CODE], parts[LINKS], reads)


def _complete(material: compose.Material) -> bool:
    """Whether every scene computed and drew."""
    drawn = all(scene.id in material.drawings for scene in material.page.scenes if scene.figure)
    return drawn and not material.scope.failed


def _declared(slug: str, loaded: Loaded) -> dict[str, str]:
    return {
        "storyboard": next(item.digest for item in loaded.pages if item.slug == slug),
        "site": loaded.digest,
        **versions.made_by(),
    }


def _computing(name: str, loaded: Loaded) -> str:
    found = loaded.scene(name)
    return digests.digest(repr(scene_runs.computing(found[2])).encode()) if found else ""
