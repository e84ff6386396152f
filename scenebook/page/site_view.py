"""What every template can show of the site: its own texts, its tracks, and an entry for each page."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from scenebook.core.problems import Problem
from scenebook.page import texts
from scenebook.page.material import quoted_numbers
from scenebook.page.views import PageSummary, SiteView, TrackView
from scenebook.prose import prose
from scenebook.storyboard.model import Site, Track


def site_view(
    site: Site,
    tracks: Iterable[Track],
    entries: tuple[PageSummary, ...],
    assets: Mapping[str, str],
    problems: list[Problem],
    links: list[prose.WrittenLink],
) -> SiteView:
    """Return the view of the site. Mistakes in its texts are added to `problems`, and the links in them to `links`.

    These texts do not belong to a page, so they cannot refer to values of scenes by `id` alone.
    """
    known = {entry.slug: entry for entry in entries}
    scope = replace(site_scope(site, problems), links=links)
    view = SiteView(
        texts=texts.finished(site, scope, "site"),
        plain_title=prose.plain(site.title, "site.title", scope),
        plain_description=texts.opening(site.description, scope),
        numbers=site.numbers,
        url=str(site.url),
        language=str(site.language),
        entries=entries,
        tracks=tuple(_track_view(track, known, scope) for track in tracks),
        assets=assets,
    )
    scope.check_quoted({})
    return view


def site_scope(site: Site, problems: list[Problem]) -> prose.Scope:
    """Return what the texts of the site and its tracks can refer to."""
    quoted, macros = {"": quoted_numbers(site.quoted)}, texts.macros_of(site)
    return prose.Scope("", {}, problems=problems, numbers=site.numbers, quoted=quoted, macros=macros)


def _track_view(track: Track, entries: Mapping[str, PageSummary], scope: prose.Scope) -> TrackView:
    where = track_place(track)
    return TrackView(
        slug=str(track.slug),
        texts=texts.finished(track, replace(scope, notes=[], equations=[]), where),
        plain_title=prose.plain(track.title, f"{where}.title", scope),
        description=texts.opening(track.summary, scope),
        entries=tuple(entries[slug] for slug in track.pages if slug in entries),
    )


def track_place(track: Track) -> str:
    """Return the name of a track in messages and facts."""
    return f"tracks.{track.slug}"
