"""A page as its template shows it: the finished texts, and what was computed, drawn and checked for them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from scenebook.core import number_format
from scenebook.page import texts
from scenebook.page._figure_view import figure_view
from scenebook.page._repeat_view import repeat_view
from scenebook.page._settings_view import full_value, scene_settings_file, settings_view
from scenebook.page._source_view import in_repository, source_views
from scenebook.page.judged_claims import Judged
from scenebook.page.material import Material
from scenebook.page.views import ClaimView, Html, Link, PageView, SceneView, SourceView, anchor
from scenebook.prose import prose
from scenebook.storyboard.model import Scene, Site

if TYPE_CHECKING:
    from scenebook.run.scene import Computed


def page_view(material: Material, site: Site, judged: Mapping[str, tuple[Judged, ...]]) -> PageView:
    """Return everything that the page's template shows. Mistakes in texts are reported to the scope of the page."""
    page, scope = material.page, material.scope
    finished = texts.finished(material.shown, scope)
    sources = source_views(material, site, finished)
    view = PageView(
        slug=str(page.slug),
        texts=finished,
        plain_title=prose.plain(page.title, "title", scope),
        tex_title=prose.substituted(page.title, "title", scope),
        description=finished.description or texts.opening(page.summary, scope),
        scenes=tuple(
            _scene_view(scene, material, judged[scene.id], *around)
            for scene, around in zip(page.scenes, zip(finished.scenes, sources, strict=True), strict=True)
        ),
        trap_claims=_claim_views(judged["trap"], finished.trap.claims if finished.trap else ()),
        claims=_claim_views(judged["page"], finished.claims),
        storyboard=in_repository(site, page.file, "the storyboard of this page"),
        numbers=texts.numbers_on_page(page, scope),
    )
    _check_sources(material)
    _check_quoted(material)
    return view


def _check_sources(material: Material) -> None:
    """Check the texts that scenes return or draw for numbers that the scenes' sources spell out."""
    for scene, sources in material.sources.items():
        scope, where = replace(material.scope, scene=scene), f"scenes.{scene}"
        result, drawing = material.computed.get(scene), material.drawings.get(scene)
        returned = {name: result.texts(name) for name in result.results} if result else {}
        for name, texts_of_value in returned.items():
            scope.check_source(f"the value '{name}'", texts_of_value, sources, f"{where}.compute")
        known = {text for name in result.scalars for text in result.texts(name)} if result else set()
        drawn = [text for text in drawing.texts if text not in known] if drawing else []
        scope.check_source("the drawing", drawn, sources, f"{where}.figure.draw")


def _check_quoted(material: Material) -> None:
    """Check the quoted numbers, unless a text has a mistake, because it may hide a number that is quoted."""
    scope = material.scope
    if all(problem.warning for problem in scope.problems):
        scope.check_quoted({scene: result.results for scene, result in material.computed.items()})


def _claim_views(judged: Iterable[Judged], claims: tuple[Any, ...]) -> tuple[ClaimView, ...]:
    """Return the claims that were judged. `claims` are those of the same list with their texts finished."""
    return tuple(
        ClaimView(
            say=claims[entry.index].say,
            check=str(entry.claim.check).strip(),
            margin=_margin(entry),
            where=entry.where,
        )
        for entry in judged
    )


def _margin(entry: Judged) -> str:
    """Return how far a claim is from failing, and at which setting that is."""
    if entry.outcome.margin is None:
        return ""
    at = f" at {entry.outcome.closest}" if entry.outcome.closest else ""
    return f"{number_format.show(entry.outcome.margin, '.3g')}{at}"


def _scene_view(
    scene: Scene, material: Material, judged: tuple[Judged, ...], finished: Any, sources: tuple[SourceView, ...]
) -> SceneView:
    result, drawing = material.computed.get(scene.id), material.drawings.get(scene.id)
    return SceneView(
        id=str(scene.id),
        anchor=anchor(scene.id),
        texts=finished,
        figure=figure_view(scene, finished.figure, drawing, material.scope) if scene.figure else None,
        claims=_claim_views(judged, finished.claims),
        sources=sources,
        params=tuple((key, str(value)) for key, value in result.params.items()) if result else (),
        values=tuple((key, full_value(value)) for key, value in result.scalars.items()) if result else (),
        downloads=tuple(_downloads(scene, result)) if result else (),
        command=f"{material.program} run {material.page.slug}/{scene.id}",
        settings=settings_view(scene, finished, material),
        repeat=repeat_view(result.repeats, scene.figure) if result and result.repeats else None,
    )


def _downloads(scene: Scene, result: "Computed") -> Iterator[Link]:
    for name, file in result.npy_files.items():
        yield Link(Html(f"NPY of {escape(name, quote=False)}"), f"{scene.id}-{file}")


def settings_files(material: Material, view: PageView) -> dict[str, bytes]:
    """Return the files that hold all settings of the page's scenes, by path in the site."""
    return {
        f"{material.page.slug}/{shown.settings.script}": scene_settings_file(scene, shown, material)
        for scene, shown in zip(material.shown.scenes, view.scenes, strict=True)
        if shown.settings
    }
