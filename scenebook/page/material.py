"""What a page is made of: the storyboard's texts, and the values and drawings of its scenes."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, TypeVar

from scenebook.claims import claims
from scenebook.core import digests, facts, spread
from scenebook.core.settings import Settings
from scenebook.core.spread import without_stat
from scenebook.core.suggestions import did_you_mean_or_list
from scenebook.core.text import Text
from scenebook.core.values import columns_of
from scenebook.figure.spec import Figure
from scenebook.page import texts
from scenebook.page.views import anchor
from scenebook.prose import prose
from scenebook.prose.following import Following
from scenebook.run.everywhere import Everywhere
from scenebook.run.repeats import Repeats
from scenebook.storyboard.model import Page, Scene, Site

if TYPE_CHECKING:
    from scenebook.core.values import Values
    from scenebook.figure.drawing import Drawing
    from scenebook.run.scene import Computed

T = TypeVar("T")
RUN = "run number"
"""What differs between the runs of scenes that do not repeat theirs with the same seeds. No parameter has this name."""


@dataclass(frozen=True)
class Material:
    """A page of the storyboard, and what its scenes (by id) computed and drew.

    `held` has the margins of claims that held in an earlier build, each with the setting that is closest to failing,
    and in how many runs.
    The keys are digests of the expression and of the values that it names. `program` starts Scenebook in the site's
    folder. `inputs` has the digests of the data files that each scene read, by path, and `sources` the texts of its
    code. `elsewhere` has the scenes of other pages that the page mentions, by full name (`slug/id`).
    """

    page: Page
    scope: prose.Scope
    computed: Mapping[str, "Computed"]
    drawings: Mapping[str, "Drawing"]
    held: Mapping[str, tuple[float | None, str, int]] = field(default_factory=dict)
    program: str = "scenebook"
    inputs: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    sources: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    elsewhere: Mapping[str, "Computed"] = field(default_factory=dict)

    @property
    def shown(self) -> Page:
        """The page as far as it can be shown. A figure without a drawing keeps its caption and its alternative text."""
        return replace(self.page, scenes=tuple(map(self._shown, self.page.scenes)))

    def _shown(self, scene: Scene) -> Scene:
        if scene.figure is None or scene.id in self.drawings:
            return scene
        figure = scene.figure
        return replace(scene, figure=Figure(figure.caption, figure.alt, width=figure.width))

    def key(self, expression: str, scenes: Iterable[str]) -> str:
        """Return a digest of everything that decides whether a claim holds."""
        known = self._known
        values = [f"{scene} {_digest(known[scene])}" for scene in sorted(known.keys() & set(scenes))]
        return digests.digest("\n".join([expression, *values]).encode())

    def table(self, place: str, names: Iterable[tuple[str, str]]) -> claims.Table:
        """Return the values that a claim can name. `place` is the id of the scene whose claims are checked, if any.

        `names` are the values that the claim names.
        """
        known = self._known
        settings = {scene: found for scene, result in known.items() if (found := _settings(result))}
        repeats = {scene: result.repeats for scene, result in known.items() if result.repeats}
        every_run = {scene: repeats[scene] for scene, name in names if scene in repeats and not without_stat(name)[1]}
        controls = {scene: result.everywhere for scene, result in known.items() if result.everywhere}
        return claims.Table(
            cache(self.value),
            settings,
            place if place in settings else None,
            frozenset(
                {(scene, name) for scene in controls for name in known[scene].params}
                | {(scene, found.param) for scene, found in repeats.items()}
            ),
            {scene: found.param for scene, found in repeats.items()},
            _runs(every_run.values(), controls[place].settings.points if place in controls else ()),
        )

    def value(self, scene: str, name: str, number: int) -> Any:
        """Return the value that a claim names, at the setting with a number. Raises `ClaimError` if there is none."""
        result, (name, stat) = self._known.get(scene), without_stat(name)
        if result is None:
            raise claims.ClaimError(self._unknown(scene, name))
        if name not in result.facts:
            if table := columns_of(name, result.facts):
                raise claims.ClaimError(f"cannot be checked: {table}")
            hint = did_you_mean_or_list(name, result.facts)
            raise claims.ClaimError(f"names '{scene}.{name}', which is not a value of '{scene}'{hint}")
        if stat:
            return _stat(result, scene, name, stat, number)
        every = result.repeats or result.everywhere
        if every is None:
            return result.scalars[name] if name in result.scalars else result.values[name]
        scalars = every.scalars[number]
        return scalars[name] if name in scalars else every.values(number)[name]

    @cached_property
    def _known(self) -> Mapping[str, "Computed"]:
        return {**self.elsewhere, **self.computed}

    def _unknown(self, scene: str, name: str) -> str:
        """What is wrong with a scene that a claim names."""
        slug, _, bare = scene.rpartition("/")
        if slug == self.page.slug and bare in self.computed:
            return f"names '{scene}', which is on this page; write {bare}.{name}"
        places = [place for place in self.scope.pages_with(bare) if place != slug and (slug or place != self.page.slug)]
        if places:
            return f"cannot be checked: {prose.moved(bare, name, places, self.page.slug, braces=True)}"
        if slug:
            return f"names '{scene}', which is not a scene that computes values"
        hint = did_you_mean_or_list(scene, self.computed)
        return f"names '{scene}', which is not a scene of this page that computes values{hint}"


def _settings(result: "Computed") -> Settings | None:
    """The settings of a scene that runs more than once."""
    if result.repeats:
        return result.repeats.settings
    return result.everywhere.settings if result.everywhere else None


def _runs(repeats: Iterable[Repeats], controls: Collection[str]) -> Settings:
    """The runs of several scenes together: with the seeds that they share, or else numbered."""
    distinct = {(each.param, each.seeds) for each in repeats}
    if not distinct:
        return Settings({})
    param, seeds = next(iter(distinct))
    if len(distinct) == 1 and (param not in controls):
        return Settings({param: seeds})
    return Settings({RUN: tuple(range(1, max(len(seeds) for _, seeds in distinct) + 1))})


def _stat(result: "Computed", scene: str, name: str, stat: str, number: int) -> Any:
    """A number that says how a value varies over the runs at a setting."""
    repeats = result.repeats
    if repeats is None:
        raise claims.ClaimError(f"names '{scene}.{name}.{stat}', but '{scene}' does not repeat its run")
    if name not in result.scalars:
        raise claims.ClaimError(f"names '{scene}.{name}.{stat}', which is only for single numbers")
    try:
        return spread.stat(repeats.runs(name, number // len(repeats.seeds)), stat, f"{scene}.{name}")
    except LookupError as error:
        raise claims.ClaimError(f"cannot be evaluated: {error}") from None


def _digest(result: "Computed") -> str:
    several = result.repeats or result.everywhere
    return several.digest if several else result.digest


def text_scopes(
    pages: Iterable[Page],
    site: Site,
    computed: Mapping[str, "Computed"],
    due: Iterable[str],
    pages_with: Callable[[str], tuple[str, ...]] = lambda _: (),
) -> dict[str, prose.Scope]:
    """What the texts of each page can name, by slug. A scene that was `due` and is not in `computed` has failed.

    `pages_with` finds the pages that have a scene with an id.
    """
    found = dict(computed)
    values = {name: _values(result) for name, result in found.items()}
    everywhere = {name: result.everywhere for name, result in found.items() if result.everywhere}
    repeats = {name: result.repeats for name, result in found.items() if result.repeats}
    missing = set(due) - set(values)
    scopes = {page.slug: _scope(page, site, values, everywhere, missing) for page in pages}
    return {
        page.slug: replace(scopes[page.slug], pages_with=pages_with, repeats={**repeats, **of_page(page, repeats)})
        for page in pages
    }


def _values(result: "Computed") -> dict[str, Any]:
    values = cache(lambda: result.values)
    load = partial(_array, result, values)
    return {
        name: prose.Array(result.arrays[name], partial(load, name)) if name in result.arrays else result.scalars[name]
        for name in result.facts
    }


def _array(result: "Computed", values: Callable[[], "Values"], name: str, number: int | None) -> Any:
    """Return an array for `prose.Array`. Without controls, a small one is among the facts, so numpy is not needed."""
    if result.everywhere is None or number is None:
        return result.facts[name] if isinstance(result.facts[name], list) else values()[name]
    value: Any = result.everywhere.values(number)[name]
    return facts.fact(value) if value.size <= facts.LISTED else value


def _scope(
    page: Page,
    site: Site,
    values: Mapping[str, Mapping[str, Any]],
    everywhere: Mapping[str, Everywhere],
    missing: Iterable[str],
) -> prose.Scope:
    prefix = f"{page.slug}/"
    own = {name.removeprefix(prefix): found for name, found in values.items() if name.startswith(prefix)}
    failed = {name for full in missing for name in (full, full.removeprefix(prefix))}
    scope = prose.Scope(str(page.slug), {**values, **own}, frozenset(failed), macros=texts.macros_of(site, page))
    language = site.language.partition("-")[0].lower()
    quoted = {"": quoted_numbers(page.quoted), **{str(each.id): quoted_numbers(each.quoted) for each in page.scenes}}
    called = {str(each.id): {str(c.param): str(c.label) for c in each.controls} for each in page.scenes}
    scope = replace(scope, numbers=site.numbers, language=language, quoted=quoted, called=called)
    return texts.with_labels(page, replace(scope, **_controlled(page, everywhere)))


def _controlled(page: Page, everywhere: Mapping[str, Everywhere]) -> dict[str, Any]:
    """What a scope has of scenes with controls."""
    own = of_page(page, everywhere)
    followable = {scene: Following(scene, anchor(scene), found) for scene, found in own.items()}
    return {"everywhere": {**everywhere, **own}, "followable": followable}


def quoted_numbers(quoted: Mapping[Text, tuple[Text, ...]]) -> tuple[Text, ...]:
    """Return the quoted numbers of all sources."""
    return tuple(entry for entries in quoted.values() for entry in entries)


def of_page(page: Page, results: Mapping[str, T]) -> dict[str, T]:
    """Return the results of one page's scenes by id, taken from results by full name (`slug/id`)."""
    names = {str(scene.id): f"{page.slug}/{scene.id}" for scene in page.scenes}
    return {scene: results[name] for scene, name in names.items() if name in results}
