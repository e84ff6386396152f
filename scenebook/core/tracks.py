"""Tracks: what changes in a page from one setting of a scene's controls to the next."""

from __future__ import annotations

from typing import NamedTuple

TEXT, CONTENT = "", "*"
"""The attributes of tracks that set the text of a node, and everything in it."""
ITSELF = -1
"""The node of a track that changes the element of its region."""


class Track(NamedTuple):
    """An attribute that differs between settings.

    `node` is `ITSELF`, or the position of a descendant in the order of the document, counted from 0. `values` has what
    the attribute is at each setting, or None where the node has no such attribute.
    """

    node: int
    attribute: str
    values: tuple[str | None, ...]
