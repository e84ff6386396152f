"""The code of a page's scenes as the page lists it: each file once, under the first scene that uses it."""

from collections.abc import Iterator, Mapping
from typing import Any

from scenebook.core import repository_link
from scenebook.page.material import Material
from scenebook.page.views import Html, Link, SourceView, anchor
from scenebook.run.scene_code import Listing
from scenebook.storyboard.model import Scene, Site


def source_views(material: Material, site: Site, texts: Any) -> Iterator[tuple[SourceView, ...]]:
    """Yield the listings of each scene. Files that an earlier scene lists become links. `texts` is the page's texts."""
    listed: dict[str, Link] = {}
    for scene, finished in zip(material.page.scenes, texts.scenes, strict=True):
        result = material.computed.get(scene.id)
        listings = enumerate(result.listings if result else (), 1)
        views = tuple(_source_view(scene, number, listing, listed, site) for number, listing in listings)
        title = Html(finished.title or f"<code>{scene.id}</code>")
        listed = {view.title: Link(title, f"#{view.anchor}") for view in views if view.part != "function"} | listed
        yield views


def _source_view(scene: Scene, number: int, listing: Listing, listed: Mapping[str, Link], site: Site) -> SourceView:
    elsewhere = listed.get(listing.file) if listing.part != "function" else None
    return SourceView(
        part=listing.part,
        title=listing.file,
        anchor=f"{anchor(scene.id)}--source-{number}",
        code=Html("" if elsewhere else listing.code),
        left=listing.left,
        file=in_repository(site, listing.file, listing.file),
        elsewhere=elsewhere,
    )


def in_repository(site: Site, file: str, title: str) -> Link | None:
    """Return a link to a file of the site in its repository, or None if the address of the file is not known."""
    address = repository_link.link(site.repository, file) if site.repository else None
    return Link(Html(title), address, external=True) if address else None
