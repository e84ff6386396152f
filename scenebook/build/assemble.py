"""Assembles one page from the results of its scenes, or finds the page in the cache.

A page depends on its own storyboard, on the scenes that it shows, and on the scenes of other pages that its texts
mention. Large parts of a page stay in the cache until they are written; only small parts are kept in memory.
"""

import math
import pickle
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scenebook.build import _compute_jobs as compute_jobs
from scenebook.build import setting_runs
from scenebook.build.planned_jobs import BuildContext, merge_reads, reads_of
from scenebook.cache import store, versions
from scenebook.cache.reads import Reads
from scenebook.core import commands, digests, facts
from scenebook.core.digests import File
from scenebook.core.problems import Problem
from scenebook.page import cards, facts_file, texts
from scenebook.page.judged_claims import Judged, judge
from scenebook.page.material import Material
from scenebook.page.page_view import page_view, settings_files
from scenebook.page.views import PageSummary
from scenebook.run import scene_code
from scenebook.run.generators import line_of_generator

if TYPE_CHECKING:
    from scenebook.run.scene import Computed
    from scenebook.storyboard.loader import ListedPage, Loaded

MOST_BYTES = 300_000
"""The most that a reader has to load to move a control, in compressed bytes."""
STEP = "page"
MADE_IN = "scenebook.build.pages"
"""The module that makes pages, with those that it imports."""
INFO, CARD_DRAWING, VIEW, FACTS, CODE, LINKS = "info", "card_drawing", "view", "facts", "code", "links"
FIGURES = "files/"
"""The parts of a page in the cache. The files of figures are named by this prefix and their path in the site."""


@dataclass(frozen=True)
class PageInfo:
    """What the rest of the site needs to know about a page.

    summary: the page as lists of pages show it. In the cache it lacks its card's drawing, which is stored separately.
    scene_count: how many of its scenes compute.
    lock_lines: its lines of facts.lock.
    lock_replacements: lines of facts.lock for values of other pages that this page shows, by the lines they replace.
    """

    summary: PageSummary
    scene_count: int
    lock_lines: tuple[str, ...]
    lock_replacements: Mapping[str, str]
    warnings: tuple[Problem, ...]


@dataclass(frozen=True)
class AssembledPage:
    """A page that is complete except for the template around it.

    info_digest: changes when anything changes that the rest of the site shows of this page.
    files: the files of its figures, by path in the site.
    view: what the template shows, pickled.
    facts: its part of facts.json.
    code: the texts of its scenes' files, as members of a JSON object.
    links: the links in its texts and where they were written, pickled.
    reads: everything that was read for it.
    """

    info: PageInfo
    info_digest: str
    files: Mapping[str, File]
    view: File
    facts: File
    code: File
    links: File
    reads: Reads


def find(page: "ListedPage", loaded: "Loaded", cache: store.Cache) -> AssembledPage | None:
    """Return the page from the cache, or None if it is not up to date."""
    entry = cache.find(STEP, page.slug, _dependencies(page.slug, loaded))
    if entry is None or any(_scene_digest(name, loaded) != known for name, known in entry.data.items()):
        return None
    parts = {name: cache.file(entry, name) for name in entry.blobs}
    try:
        info = pickle.loads(parts[INFO].read())
    except store.LostError:
        return None
    return _assembled_page(info, parts, reads_of(entry))


def assemble(
    material: Material, loaded: "Loaded", reads: Reads, context: BuildContext
) -> tuple[AssembledPage, list[Problem]]:
    """Return a page made from what its scenes computed and drew, and its problems. It is cached if it has no errors."""
    page, slug = material.page, str(material.page.slug)
    code = {str(scene.compute): scene_code.find(context.root, scene.compute) for scene in page.scenes if scene.compute}
    reads = merge_reads([reads, Reads(paths=(commands.START_FILE,)), *(each.reads for each in code.values())])
    listed = dict(_add_listings(material, code))
    sources = {str(scene.id): code[scene.compute].texts for scene in page.scenes if scene.compute}
    material = replace(material, computed=listed, program=commands.program(context.root), sources=sources)
    claims = _judge_claims(material, context.cache)
    view = page_view(material, loaded.site, claims)
    scripts = settings_files(material, view)
    page_facts = facts_file.page_facts(material, claims, view, code)
    problems = [
        *_too_large(material, scripts),
        *material.scope.problems,
        *(w for drawing in material.drawings.values() for w in drawing.warnings),
        *_from_one_seed(material, code),
    ]
    info = PageInfo(
        summary=cards.summary(view),
        scene_count=len(material.computed),
        lock_lines=tuple(facts_file.lock_lines(slug, page_facts)),
        lock_replacements=facts_file.shown_elsewhere(material.scope, page_facts["shown"]),
        warnings=tuple(sorted(set(problems))),
    )
    parts = {
        INFO: pickle.dumps(info),
        CARD_DRAWING: cards.small_drawing(view).encode(),
        VIEW: pickle.dumps(view),
        FACTS: facts.dumps(page_facts).encode(),
        CODE: facts_file.page_code(code.values()),
        LINKS: pickle.dumps(tuple(sorted(set(material.scope.links)))),
        **{f"{FIGURES}{path}": content for path, content in (figure_files(material) | scripts).items()},
    }
    complete = _all_scenes_succeeded(material) and all(problem.warning for problem in problems)
    files = _store(slug, loaded, reads, material, parts, context.cache) if complete else None
    files = files or {name: digests.file(content) for name, content in parts.items()}
    return _assembled_page(info, files, reads), problems


def _from_one_seed(material: Material, code: Mapping[str, scene_code.Code]) -> Iterator[Problem]:
    """Yield a note for each scene that seeds a generator and does not repeat its run with other seeds."""
    for scene in material.page.scenes:
        if scene.compute and not scene.repeat and scene.id in material.computed:
            module, place = f"scenes/{scene.compute}", scene.compute
            if line := line_of_generator(code[place].texts.get(module, "")):
                message = f"{module}:{line} seeds a generator; say what other seeds give, with `repeat: {{seed: 20}}`"
                yield Problem(place.file, place.line, f"scenes.{scene.id}.compute", message, warning=True, note=True)


def _too_large(material: Material, scripts: Mapping[str, bytes]) -> Iterator[Problem]:
    """Yield a problem for each file of settings that is too large for readers to load."""
    for scene in material.page.scenes:
        script = scripts.get(f"{material.page.slug}/{scene.id}-settings.js", b"")
        size = len(zlib.compress(script))
        if size > MOST_BYTES:
            over = f"{math.ceil((size - MOST_BYTES) / 1000)} kB more than the {MOST_BYTES // 1000} that are allowed"
            message = f"all settings take {size // 1000} kB to load, {over}; use fewer points, or draw less"
            place = scene.controls[0].param
            yield Problem(place.file, place.line, f"scenes.{scene.id}.controls", message)


def figure_files(material: Material) -> dict[str, bytes]:
    """Return the files of a page's figures and large arrays, by path in the site."""
    files: dict[str, bytes] = {}
    for scene, result in material.computed.items():
        files |= {f"{material.page.slug}/{scene}-{file}": result.npy[name] for name, file in result.npy_files.items()}
    for scene, drawing in material.drawings.items():
        stem = f"{material.page.slug}/{scene}"
        files[f"{stem}.png"] = drawing.png
        files |= {f"{stem}-{panel.name}.svg": panel.svg.encode() for panel in drawing.panels}
        files |= {f"{stem}-{panel.name}.csv": panel.csv for panel in drawing.panels if panel.csv is not None}
    return files


def _add_listings(material: Material, code: Mapping[str, scene_code.Code]) -> Iterator[tuple[str, "Computed"]]:
    """Yield the computed scenes, and list the helpers that `compute` did not import, such as those of a drawing."""
    for scene in material.page.scenes:
        if result := material.computed.get(scene.id):
            listed = {listing.file for listing in result.listings}
            others = {file: text for file, text in code[str(scene.compute)].texts.items() if file not in listed}
            more = compute_jobs.highlight(scene_code.listings(others, None))
            yield str(scene.id), replace(result, listings=(*result.listings, *more))


def _judge_claims(material: Material, cache: store.Cache) -> dict[str, tuple[Judged, ...]]:
    """Return the claims of a page, evaluated. A claim that held for the same values is not evaluated again."""
    slug, dependencies = str(material.page.slug), versions.made_by("scenebook.page.judged_claims")
    entry = cache.find("claims", slug, dependencies)
    known = entry.data if entry else {}
    claims = judge(replace(material, held=known))
    outcomes = {each.key: each.outcome for judged in claims.values() for each in judged if each.outcome.holds}
    held = {key: [outcome.margin, outcome.closest, outcome.held] for key, outcome in outcomes.items()}
    if any(known.get(key) != value for key, value in held.items()):
        cache.keep("claims", slug, dependencies, Reads(), {**held})
    return claims


def _store(
    slug: str,
    loaded: "Loaded",
    reads: Reads,
    material: Material,
    parts: Mapping[str, bytes],
    cache: store.Cache,
) -> dict[str, File] | None:
    """Put a page in the cache. Return its parts as files, or None if the cache cannot keep it."""
    mentioned = {name: _scene_digest(name, loaded) for name in texts.mentions(material.page)}
    entry = cache.keep(STEP, slug, _dependencies(slug, loaded), reads, mentioned, parts)
    return {name: cache.file(entry, name) for name in parts} if entry else None


def _assembled_page(info: PageInfo, parts: Mapping[str, File], reads: Reads) -> AssembledPage:
    figures = {name.removeprefix(FIGURES): part for name, part in parts.items() if name.startswith(FIGURES)}
    card = info.summary.card and info.summary.card._replace(drawing=parts[CARD_DRAWING])
    complete_info = replace(info, summary=info.summary._replace(card=card))
    info_digest = parts[INFO].digest + parts[CARD_DRAWING].digest
    return AssembledPage(
        complete_info, info_digest, figures, parts[VIEW], parts[FACTS], parts[CODE], parts[LINKS], reads
    )


def _all_scenes_succeeded(material: Material) -> bool:
    all_drawn = all(scene.id in material.drawings for scene in material.page.scenes if scene.figure)
    return all_drawn and not material.scope.failed


def _dependencies(slug: str, loaded: "Loaded") -> dict[str, str]:
    """Return what a page depends on besides the files that were read for it and the scenes that it mentions."""
    return {
        "storyboard": next(page.digest for page in loaded.pages if page.slug == slug),
        "site": loaded.digest,
        **versions.made_by(MADE_IN),
    }


def _scene_digest(name: str, loaded: "Loaded") -> str:
    """Return a digest of what the values of a scene depend on, or "" if there is no such scene."""
    found = loaded.scene(name)
    return digests.digest(repr(setting_runs.compute_dependencies(found[2])).encode()) if found else ""
