"""What changes in a drawing from one setting to the next, as tracks: attributes and texts of the elements of its SVG.

Nodes are counted as a page counts them in the element around the drawing: node 0 is the `<svg>` itself. If elements
differ in kind or number, the whole drawing is one track.
"""

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from scenebook.core.tracks import CONTENT, ITSELF, TEXT, Track

Element = ElementTree.Element
_Changes = dict[tuple[int, str], dict[int, str | None]]

_SVG = "http://www.w3.org/2000/svg"


def tracks(drawings: Sequence[str], start: int = 0) -> tuple[Track, ...]:
    """What differs between the drawings (SVG) of one panel at all settings, where a page shows that of `start`."""
    first = list(ElementTree.fromstring(drawings[start]).iter())
    shape = _shape(first)
    changes: _Changes = {}
    for number, drawing in enumerate(drawings):
        if drawing == drawings[start]:
            continue
        nodes = list(ElementTree.fromstring(drawing).iter())
        if _shape(nodes) != shape:
            return (Track(ITSELF, CONTENT, tuple(drawings)),)
        for place, attribute, value in _differences(first, nodes):
            changes.setdefault((place, attribute), {})[number] = value
    return tuple(_track(first, *key, changes[key], len(drawings)) for key in sorted(changes))


def applied(drawing: str, tracks: Sequence[Track], number: int) -> str:
    """The drawing at a setting, from that at the start: the same SVG but for the order of attributes."""
    root = ElementTree.fromstring(drawing)
    nodes = list(root.iter())
    for node, attribute, values in tracks:
        value = values[number]
        if attribute == CONTENT:
            return value or ""
        _set(nodes[node], attribute, value)
    for each in nodes:
        each.tag = each.tag.removeprefix(f"{{{_SVG}}}")
    root.attrib = {"xmlns": _SVG, **root.attrib}
    return ElementTree.tostring(root, encoding="unicode")


def _set(node: Element, attribute: str, value: str | None) -> None:
    if attribute == TEXT:
        node.text = value
    elif value is None:
        node.attrib.pop(attribute, None)
    else:
        node.set(attribute, value)


def _shape(nodes: Sequence[Element]) -> list[tuple[str, int, str]]:
    """What tracks cannot change: the kind of each element, how many it holds, and the texts beside these."""
    return [(node.tag, len(node), (node.text or "" if len(node) else "") + (node.tail or "")) for node in nodes]


def _differences(first: Sequence[Element], nodes: Sequence[Element]) -> Iterator[tuple[int, str, str | None]]:
    """Node, attribute and value of all that is not as in the first drawing."""
    for place, (old, new) in enumerate(zip(first, nodes, strict=True)):
        if old.text != new.text:
            yield place, TEXT, new.text or ""
        if old.attrib != new.attrib:
            for name in old.attrib.keys() | new.attrib.keys():
                if old.get(name) != new.get(name):
                    yield place, name, new.get(name)


def _track(first: Sequence[Element], node: int, attribute: str, changes: dict[int, str | None], count: int) -> Track:
    usual = first[node].text or "" if attribute == TEXT else first[node].get(attribute)
    return Track(node, attribute, tuple(changes.get(number, usual) for number in range(count)))
