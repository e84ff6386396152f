"""Links in a text: where they lead, where they were written, and the definitions that some of them use."""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scenebook.core.web_address import link_fault
from scenebook.prose._pieces import MARK, Piece, first_place, in_definition, without_marks

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


class Definitions(dict[str, tuple[str, str | None]]):
    """The link definitions of a text, in the form that Markdown expects: address and title by name.

    Marks are not part of a name. An address and a title keep the mark of their definition.
    """

    def __setitem__(self, name: str, value: tuple[str, str | None]) -> None:
        address, title = value
        found = MARK.search(name)
        mark = found[0] if found else ""
        super().__setitem__(without_marks(name), (_placed(address, mark), title and _placed(title, mark)))

    def __getitem__(self, name: str) -> tuple[str, str | None]:
        return super().__getitem__(without_marks(name))

    def __contains__(self, name: Any) -> bool:
        return super().__contains__(without_marks(name))


def _placed(text: str, mark: str) -> str:
    """Return a part of a definition with its own mark, or with the mark of the definition if it has none."""
    return in_definition(text if MARK.search(text) else f"{mark}{text}")


def unused(root: "Element", definitions: Definitions, pieces: Sequence[Piece]) -> Iterator[tuple[int, str]]:
    """Yield the offset and the message for each definition that no link in the text uses."""
    used = {element.get("href", element.get("src")) for element in root.iter()}
    for name, (address, _) in definitions.items():
        if address not in used:
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
