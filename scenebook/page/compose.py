"""A page as its readers see it: the storyboard's texts, the scenes' values and drawings, put together into views.

This is where every text goes through `prose` and every claim through `claims`. Mistakes are gathered in the scope's
list, so that one run tells all of them.
"""

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from scenebook.claims import claims
from scenebook.core import digests, facts, number_format, repository_link
from scenebook.core.problems import Problem
from scenebook.core.scanner import Span, scan, values_in
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.core.text import Text
from scenebook.figure.spec import Axis, Figure, Panel
from scenebook.page.views import (
    AxisView,
    Card,
    ClaimView,
    FigureView,
    Html,
    KeyView,
    Link,
    PageSummary,
    PageView,
    PanelView,
    SceneView,
    SiteView,
    SourceView,
    TrackView,
)
from scenebook.prose import alt_text, prose
from scenebook.run.module_files import Listing
from scenebook.storyboard.model import Claim, Companion, NumberRule, Page, Scene, Site, Track

if TYPE_CHECKING:
    from scenebook.figure.data_table import Table
    from scenebook.figure.drawing import Drawing
    from scenebook.run.scene import Computed

T = TypeVar("T")
_NOTE = re.compile(r"\[\^[^\]]*\]")
_SENTENCE = re.compile(r"[.!?](?=\s|$)")
_JOINING = "(?:an?|and|are|as|at|but|by|for|from|in|is|it|of|on|or|than|that|the|to|was|were|with)"
_AROUND = re.compile(rf"^(?:{_JOINING}\s+)+|(?:[,;:]?\s+{_JOINING})+[,;:]?$|[,;:]$", re.IGNORECASE)
_LEFT_OUT = re.compile(r"<text\b[^>]*/>|<text\b.*?</text>|</?a\b[^>]*>", re.DOTALL)
_BOX = re.compile(r'^<svg\b[^>]* data-box="([^"]*)"')
_SIZE = re.compile(r'viewBox="[^"]*" width="[^"]*" height="[^"]*"')


@dataclass(frozen=True)
class Judged:
    """A claim and what became of it."""

    claim: Claim
    outcome: claims.ClaimResult
    key: str


@dataclass(frozen=True)
class Material:
    """What a page is made of: its storyboard, and what its scenes (by id) computed and drew.

    `held` are margins of claims that held before, by a digest of the expression and of the scenes that it names.
    """

    page: Page
    scope: prose.Scope
    computed: Mapping[str, "Computed"]
    drawings: Mapping[str, "Drawing"]
    held: Mapping[str, float | None] = field(default_factory=dict)

    def key(self, expression: str, scenes: Iterable[str]) -> str:
        """What the outcome of a claim depends on, as a digest."""
        found = sorted({scene for scene in scenes if scene in self.computed})
        return digests.digest(
            "\n".join([expression, *(f"{each} {self.computed[each].digest}" for each in found)]).encode()
        )

    def value(self, scene: str, name: str) -> Any:
        """The value that a claim names; raises `ClaimError` where there is none."""
        result = self.computed.get(scene)
        if result is None:
            hint = did_you_mean_or_list(scene, self.computed)
            raise claims.ClaimError(f"names '{scene}', which is not a scene of this page that computes{hint}")
        if name not in result.facts:
            hint = did_you_mean_or_list(name, result.facts)
            raise claims.ClaimError(f"names '{scene}.{name}', which is no value of '{scene}'{hint}")
        return result.scalars[name] if name in result.scalars else result.values[name]


def scopes(
    pages: Iterable[Page], site: Site, computed: Mapping[str, "Computed"], due: Iterable[str]
) -> dict[str, prose.Scope]:
    """What the texts of each page can name, by slug. Scenes that were due and are not computed have failed."""
    values = {name: _named(result) for name, result in computed.items()}
    missing = set(due) - set(values)
    return {page.slug: _scope(page, values, missing, site.numbers) for page in pages}


def _named(result: "Computed") -> dict[str, Any]:
    return {**result.scalars, **{name: prose.Array(size) for name, size in result.arrays.items()}}


def _scope(
    page: Page, values: Mapping[str, Mapping[str, Any]], missing: Iterable[str], rule: NumberRule
) -> prose.Scope:
    prefix = f"{page.slug}/"
    own = {name.removeprefix(prefix): found for name, found in values.items() if name.startswith(prefix)}
    failed = {name for full in missing for name in (full, full.removeprefix(prefix))}
    scope = prose.Scope(str(page.slug), {**values, **own}, frozenset(failed))
    return replace(scope, numbers=rule, quoted=_entries(page.quoted))


def _entries(quoted: Mapping[Text, tuple[Text, ...]]) -> tuple[Text, ...]:
    return tuple(entry for entries in quoted.values() for entry in entries)


def of_page(page: Page, results: Mapping[str, T]) -> dict[str, T]:
    """Of results by full name those of one page's scenes, by id."""
    names = {str(scene.id): f"{page.slug}/{scene.id}" for scene in page.scenes}
    return {scene: results[name] for scene, name in names.items() if name in results}


def spec(scene: Scene, scope: prose.Scope) -> Figure:
    """A scene's figure with the values of its titles put in: what is drawn depends on nothing else of the page."""
    figure = scene.figure
    assert figure is not None
    where = f"scenes.{scene.id}.figure"

    def titled(text: Text, part: str) -> Text:
        return prose.substituted(text, f"{where}.{part}", scope)

    def axis(name: str) -> Axis:
        found: Axis = getattr(figure, name)
        return replace(found, title=titled(found.title, f"{name}.title"))

    panels = tuple(
        replace(
            panel,
            title=titled(panel.title, f"panels.{index}.title"),
            lines=tuple(replace(line, label=titled(line.label, f"panels.{index}.lines")) for line in panel.lines),
        )
        for index, panel in enumerate(figure.panels, 1)
    )
    axes = {name: axis(name) for name in ("rows", "columns", "x", "y")}
    return replace(figure, caption=Text(""), alt=Text(""), panels=panels, **axes)  # type: ignore[arg-type]


def judge(material: Material) -> dict[str, tuple[Judged, ...]]:
    """Check every claim of a page; by place: a scene's id, `trap`, or `page`."""
    page = material.page
    places = [(str(scene.id), f"scenes.{scene.id}.claims", scene.claims) for scene in page.scenes]
    places += [("trap", "trap.claims", page.trap.claims if page.trap else ()), ("page", "claims", page.claims)]
    return {place: tuple(_judged_all(found, where, material)) for place, where, found in places}


def _judged_all(found: Iterable[Claim], where: str, material: Material) -> Iterator[Judged]:
    for index, claim in enumerate(found, 1):
        if judged := _judged(claim, f"{where}.{index}", material):
            yield judged


def _judged(claim: Claim, where: str, material: Material) -> Judged | None:
    expression, scope = " ".join(claim.check.split()), material.scope
    try:
        names = claims.names(expression)
        if any(scene in scope.failed for scene, _ in names):
            return None
        key = material.key(expression, (scene for scene, _ in names))
        if key in material.held:
            return Judged(claim, claims.ClaimResult(holds=True, margin=material.held[key]), key)
        outcome = claims.check(expression, {pair: material.value(*pair) for pair in names})
    except claims.ClaimError as error:
        scope.complain(claim.check, 0, where, f"{expression!r} {error}")
        return None
    if not outcome.holds:
        said = prose.plain(claim.say, where, replace(scope, numbers="off", problems=[]))
        scope.complain(claim.check, 0, where, f"the claim {said!r} fails: {expression!r} {outcome.message}")
    return Judged(claim, outcome, key)


def page_view(material: Material, site: Site, judged: Mapping[str, tuple[Judged, ...]]) -> PageView:
    """Everything the page's template shows. Texts are made in the order of reading, in which notes are counted."""
    page, scope, trap = material.page, material.scope, material.page.trap
    view = PageView(
        slug=str(page.slug),
        title=Html(prose.inline(page.title, "title", scope)),
        plain_title=prose.plain(page.title, "title", scope),
        summary=Html(prose.block(page.summary, "summary", scope, "summary")),
        description=_description(page, scope),
        terms=tuple(_chip(term.term, term.at, scope) for term in page.terms),
        paper=page.paper,
        scenes=tuple(
            _scene_view(scene, material, judged[scene.id], sources)
            for scene, sources in zip(page.scenes, _sources(material, site), strict=True)
        ),
        wrong=Html(prose.block(trap.wrong, "trap.wrong", scope, "trap-wrong")) if trap else None,
        right=Html(prose.block(trap.right, "trap.right", scope, "trap-right")) if trap else None,
        trap_claims=_claim_views(judged["trap"], "trap.claims", scope),
        takeaways=tuple(
            Html(prose.block(text, f"takeaways.{index}", scope, f"takeaway-{index}"))
            for index, text in enumerate(page.takeaways, 1)
        ),
        claims=_claim_views(judged["page"], "claims", scope),
        companions=tuple(_companion(companion, scope) for companion in page.companions),
        quoted=tuple(
            (
                Html(prose.inline(source, "quoted", replace(scope, numbers="off"))),
                tuple(dict.fromkeys(map(_quote, entries))),
            )
            for source, entries in page.quoted.items()
        ),
        storyboard=_in_repository(site, page.file, "the storyboard of this page"),
        numbers=_numbers(page, scope),
        tex_title=prose.substituted(page.title, "title", scope),
    )
    if all(problem.warning for problem in scope.problems):
        scope.check_quoted({scene: result.results for scene, result in material.computed.items()})
    return view


def _quote(entry: str) -> Html:
    """A quoted number as a list shows it, or the phrase that holds it, without words that only join it to its text."""
    shown = html.escape(_AROUND.sub("", " ".join(entry.split())), quote=False)
    return Html(f"<q>{shown}</q>" if " " in shown and re.search(r"[^\W\d_]", shown) else shown)


def _description(page: Page, scope: prose.Scope) -> str:
    if page.description is not None:
        return prose.plain(page.description, "description", scope)
    return _opening(page.summary, scope)


def _opening(text: Text, scope: prose.Scope) -> str:
    """The first paragraph of a Markdown text as plain text, cut where it is long; its mistakes are told elsewhere."""
    first = Text(_NOTE.sub("", text.strip().split("\n\n")[0]))
    return prose.shortened(prose.words_of(prose.block(first, "", replace(scope, problems=[], notes=[]))), 300)


def _numbers(page: Page, scope: prose.Scope) -> int:
    """How many numbers the texts of a page show, those of formulas, claims and alternative texts included."""
    shown = replace(page, description=None, paper=None)
    return sum(prose.numbers(text, scope) for text in (*texts(shown), *page.quoted))


def _chip(term: Text, at: Text, scope: prose.Scope) -> Link:
    return Link(Html(prose.inline(term, "terms", scope)), f"#{anchor(at)}")


def anchor(scene_id: str) -> str:
    """The anchor of a scene: its id with hyphens."""
    return scene_id.replace("_", "-")


def _companion(companion: Companion, scope: prose.Scope) -> Link:
    title = Html(prose.inline(companion.title, "companions", scope))
    if companion.url:
        return Link(title, str(companion.url), external=True)
    return Link(title, f"../{companion.page or companion.track}/index.html")


def _in_repository(site: Site, file: str, title: str) -> Link | None:
    address = repository_link.link(site.repository, file) if site.repository else None
    return Link(Html(title), address, external=True) if address else None


def _claim_views(judged: Iterable[Judged], where: str, scope: prose.Scope) -> tuple[ClaimView, ...]:
    return tuple(
        ClaimView(
            say=Html(prose.inline(entry.claim.say, f"{where}.{index}.say", scope)),
            check=str(entry.claim.check).strip(),
            margin="" if entry.outcome.margin is None else number_format.show(entry.outcome.margin, ".3g"),
        )
        for index, entry in enumerate(judged, 1)
    )


def _sources(material: Material, site: Site) -> Iterator[tuple[SourceView, ...]]:
    """The code of each scene. What several of them use is listed by the first, and the others lead there."""
    listed: dict[str, Link] = {}
    for scene in material.page.scenes:
        result = material.computed.get(scene.id)
        views = [
            _source_view(scene, *numbered, listed, site) for numbered in enumerate(result.listings if result else (), 1)
        ]
        where = (
            prose.inline(scene.title, "", replace(material.scope, problems=[]))
            if scene.title
            else f"<code>{scene.id}</code>"
        )
        listed = {
            view.title: Link(Html(where), f"#{view.anchor}") for view in views if view.part != "function"
        } | listed
        yield tuple(views)


def _source_view(scene: Scene, number: int, listing: Listing, listed: Mapping[str, Link], site: Site) -> SourceView:
    elsewhere = listed.get(listing.file) if listing.part != "function" else None
    return SourceView(
        part=listing.part,
        title=listing.file,
        anchor=f"{anchor(scene.id)}--source-{number}",
        code=Html("" if elsewhere else listing.code),
        left=listing.left,
        file=_in_repository(site, listing.file, listing.file),
        elsewhere=elsewhere,
    )


def _scene_view(
    scene: Scene, material: Material, judged: tuple[Judged, ...], sources: tuple[SourceView, ...]
) -> SceneView:
    where, scope, result = f"scenes.{scene.id}", material.scope, material.computed.get(scene.id)
    return SceneView(
        id=str(scene.id),
        anchor=anchor(scene.id),
        title=None if scene.title is None else Html(prose.inline(scene.title, f"{where}.title", scope)),
        text=Html(prose.block(scene.text, f"{where}.text", scope, anchor(scene.id))),
        figure=_figure_view(scene, material.drawings.get(scene.id), where, scope) if scene.figure else None,
        claims=_claim_views(judged, f"{where}.claims", scope),
        sources=sources,
        params=tuple((key, str(value)) for key, value in result.params.items()) if result else (),
        values=tuple((key, _full(value)) for key, value in result.scalars.items()) if result else (),
        downloads=tuple(Link(Html(f"NPY of {key}"), f"{scene.id}-{key}.npy") for key in result.npy) if result else (),
        command=f"python build.py run {material.page.slug}/{scene.id}",
    )


def _full(value: Any) -> str:
    """A value with all its digits."""
    return ", ".join(value) if isinstance(value, tuple) else str(facts.fact(value))


def _figure_view(scene: Scene, drawing: "Drawing | None", where: str, scope: prose.Scope) -> FigureView | None:
    figure = scene.figure
    assert figure is not None
    lead, rest = sentence(figure.caption)
    lead_html = prose.block(lead, f"{where}.figure.caption", scope, f"{anchor(scene.id)}-lead")
    caption = prose.block(rest, f"{where}.figure.caption", scope, f"{anchor(scene.id)}-caption")
    alt = prose.plain(figure.alt, f"{where}.figure.alt", scope)
    _check_alt(scene, figure, lead, scope)
    if drawing is None:
        return None
    return FigureView(
        panels=tuple(_panel_views(scene, drawing, where, scope)),
        lead=Html(lead_html.removeprefix("<p>").removesuffix("</p>")),
        caption=Html(caption),
        alt=alt,
        width=figure.width,
        **{name: _axis_view(getattr(figure, name), f"{where}.figure.{name}.title", scope) for name in _AXES},
        png=f"{scene.id}.png",
        size=_png_size(drawing.png),
        downloads=(Link(Html("PNG"), f"{scene.id}.png"),),
    )


def _check_alt(scene: Scene, figure: Figure, lead: Text, scope: prose.Scope) -> None:
    beside = {"title": scene.title or "", "caption": figure.caption, "first sentence of the caption": lead}
    names = [str(scene.id), *(panel.name for panel in figure.panels)]
    if message := alt_text.fault(figure.alt, beside, names):
        scope.complain(figure.alt, 0, f"scenes.{scene.id}.figure.alt", message)


def _png_size(png: bytes) -> tuple[int, int]:
    """Width and height in pixels, which a PNG tells at its start."""
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


_AXES = ("rows", "columns", "x", "y")


def _kind(panel: Panel) -> str:
    return "heatmap" if panel.heatmap else "bars" if panel.bars else "lines"


def _axis_view(axis: Axis, where: str, scope: prose.Scope) -> AxisView:
    return AxisView(Html(prose.inline(axis.title, where, scope)), prose.plain(axis.title, where, scope), axis.color)


def _panel_views(scene: Scene, drawing: "Drawing", where: str, scope: prose.Scope) -> Iterator[PanelView]:
    figure = scene.figure
    assert figure is not None
    titles = [(_kind(panel), panel.title) for panel in figure.panels] or [("drawn", Text(""))]
    for index, ((kind, title), panel) in enumerate(zip(titles, drawing.panels, strict=True), 1):
        stem = f"{scene.id}-{panel.name}"
        files = [("SVG", f"{stem}.svg"), *([("CSV", f"{stem}.csv")] if panel.csv is not None else [])]
        yield PanelView(
            name=panel.name,
            kind=kind,
            title=Html(prose.inline(title, f"{where}.figure.panels.{index}.title", scope)),
            svg=Html(panel.svg),
            legend=tuple(_legend(panel.legend, f"{where}.figure.panels.{index}", scope)),
            scale=panel.scale,
            table=panel.table if kind == "heatmap" else _labelled(panel.table, scope),
            summary=panel.summary,
            bad=panel.bad,
            bad_look=panel.bad_look,
            downloads=tuple(Link(Html(kind), href) for kind, href in files),
        )


def _labelled(table: "Table | None", scope: prose.Scope) -> "Table | None":
    """A table whose columns have the labels of a legend: formulas in them are shown as there."""
    silent = replace(scope, numbers="off", problems=[])
    return table and replace(table, columns=tuple(Html(prose.inline(Text(name), "", silent)) for name in table.columns))


def _legend(keys: Iterable[Any], where: str, scope: prose.Scope) -> Iterator[KeyView]:
    """The entries of a legend; three or more in a row that look the same are one, with its first and last label."""
    for look, alike in groupby(keys, key=lambda key: (key.css, key.dashed, key.again)):
        labels = [prose.inline(key.label, where, replace(scope, numbers="off")) for key in alike]
        shown = [f"{labels[0]} … {labels[-1]}"] if len(labels) > 2 else labels
        yield from (KeyView(Html(label), *look) for label in shown)


def sentence(text: Text) -> tuple[Text, Text]:
    """A text split behind its first sentence; the point of a formula, a value or a code span ends none."""
    for span in scan(text):
        if span.kind == "text" and (match := _SENTENCE.search(span.inner)):
            end = span.start + match.end()
            return text.part(0, end), text.part(end, len(text))
    return text, Text("")


def entry(page: Page, view: PageView) -> PageSummary:
    """A page as lists show it."""
    card = view.card and Card(view.card.png, view.card.size, view.card.alt)
    return PageSummary(str(page.slug), view.title, view.plain_title, view.description, card)


def small(view: PageView) -> str:
    """The drawing of a page for lists: the first one, without texts that nobody could read there, and without links."""
    return _cropped(_LEFT_OUT.sub("", view.card.panels[0].svg)) if view.card else ""


def _cropped(svg: str) -> str:
    """A drawing without the margins of its labels, where it tells the box of its cells; a pixel is for their frame."""
    if not (found := _BOX.search(svg)):
        return svg
    x, y, width, height = map(float, found[1].split())
    left, top, wide, high = (f"{length:g}" for length in (x - 1, y - 1, width + 2, height + 2))
    return _SIZE.sub(f'viewBox="{left} {top} {wide} {high}" width="{wide}" height="{high}"', svg, count=1)


def site_view(
    site: Site,
    tracks: Iterable[Track],
    entries: tuple[PageSummary, ...],
    assets: Mapping[str, str],
    problems: list[Problem],
) -> SiteView:
    """What every template may say of the site. Its own texts can name values as `slug/scene.name` on no page."""
    found = {entry.slug: entry for entry in entries}
    scope = prose.Scope("", {}, problems=problems, numbers=site.numbers, quoted=_entries(site.quoted))
    view = SiteView(
        title=Html(prose.inline(site.title, "site.title", scope)),
        plain_title=prose.plain(site.title, "site.title", scope),
        description=Html(prose.block(site.description, "site.description", scope, "site")),
        plain_description=_opening(site.description, scope),
        numbers=site.numbers,
        url=str(site.url),
        language=str(site.language),
        author=site.author,
        license=site.license,
        repository=site.repository,
        entries=entries,
        tracks=tuple(_track_view(track, found, scope) for track in tracks),
        assets=assets,
    )
    scope.check_quoted({})
    return view


def _track_view(track: Track, entries: Mapping[str, PageSummary], scope: prose.Scope) -> TrackView:
    return TrackView(
        slug=str(track.slug),
        title=Html(prose.inline(track.title, "tracks.title", scope)),
        plain_title=prose.plain(track.title, "tracks.title", scope),
        description=_opening(track.summary, scope),
        summary=Html(prose.block(track.summary, "tracks.summary", replace(scope, notes=[]), str(track.slug))),
        entries=tuple(entries[slug] for slug in track.pages if slug in entries),
    )


def texts(item: Any) -> Iterator[Text]:
    """Every text of a page, or of a part of it, in the order of its fields."""
    if isinstance(item, Text):
        yield item
    elif is_dataclass(item):
        for each in fields(item):
            yield from texts(getattr(item, each.name))
    elif isinstance(item, tuple | dict):
        for part in item:
            yield from texts(part)


def _within(span: Span) -> tuple[Span, ...]:
    return values_in(span) if span.kind in ("formula", "display") else ()


def mentions(page: Page) -> tuple[str, ...]:
    """The scenes of other pages whose values the texts name, as `slug/id`."""
    elsewhere = named(text for text in texts(page) if "/" in text)
    return tuple(sorted(name for name in elsewhere if "/" in name and not name.startswith(f"{page.slug}/")))


def shown(page: Page) -> tuple[str, ...]:
    """The values that the texts show, each as `slug/id.name`."""
    written = _values_in(texts(page))
    return tuple(sorted({name if "/" in name else f"{page.slug}/{name}" for name in written}))


def named(found: Iterable[Text]) -> set[str]:
    """The scenes whose values texts name, as they are written: `id` or `slug/id`."""
    return {name.partition(".")[0] for name in _values_in(found)}


def _values_in(found: Iterable[Text]) -> set[str]:
    """The values that texts name, as they are written, without their formats."""
    spans = (span for text in found if "{{" in text for span in scan(text))
    values = (value for span in spans for value in ((span,) if span.kind == "value" else _within(span)))
    return {value.inner.partition(":")[0].strip() for value in values}
