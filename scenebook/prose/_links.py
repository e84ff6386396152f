"""Links in a text: where they lead, where they were written, and the definitions that some of them use."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scenebook.core.web_address import link_fault
from scenebook.prose._pieces import Piece, first_place

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SCHEMES = {"http", "https", "mailto", ""}
MAIL = "\x02amp\x03"
"""The start of a mail address, which Markdown writes as character references."""


class Link(NamedTuple):
    """A link of a text: its address, and the offset in the text at which it was written."""

    address: str
    place: int


Definitions = dict[str, tuple[str, str | None]]
"""The link definitions of a text: address and title by name. Both keep the mark of their line."""


def unused(names: Collection[str], definitions: Definitions, pieces: Sequence[Piece]) -> Iterator[tuple[int, str]]:
    """Yield the offset and the message for each definition that is not among the names that links use."""
    for name, (address, _) in definitions.items():
        if name not in names:
            message = f"nothing in this text uses the link [{name}], so it is not shown"
            yield first_place(address, pieces) or 0, message


def check(element: "Element", address: str) -> str | None:
    """Return what is wrong with the address of a link, or None. A faulty link loses its address.

    A link to another site is marked as external, and that site gets no access to the page.
    """
    if address.startswith(MAIL):
        return None
    found = _SCHEME.match("".join(address.split()))
    scheme = found[1].lower() if found else ""
    message = None
    if scheme not in _SCHEMES:
        message = f"a link cannot lead to '{scheme}:'; use https:, mailto: or an address in this site"
    elif fault := link_fault(address):
        message = f"the link {address!r} {fault}"
    if message:
        element.attrib.pop("href")  # so that the check of the finished page does not report it again
    elif scheme in ("http", "https"):
        element.set("rel", "external noopener")
    return message
