"""Makes matplotlib's SVG fit for a page: small, themed, and with ids that no other drawing uses.

It removes the prolog, the metadata, the style sheet (which would apply to the whole page), groups without attributes,
unused ids, font names, and digits that a screen cannot show. It gives ids their own prefix, and text the page's own
font. Colours follow the page, except in groups whose id starts with `DATA`: `colors` maps a colour as matplotlib writes
it to the CSS that replaces it.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from xml.etree import ElementTree

Element = ElementTree.Element

DATA, CELLS, KEPT = "data", "data-cells", "data-kept"
"""A group whose id starts with this shows data: its colours are the same in light and dark. Cells have no seams. What
is kept in a scene's own drawing is in a drawing whose black turns with the page."""

_NAMESPACES = re.compile(r"\{[^}]*\}")
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_ROTATION = re.compile(r"rotate\(-?0 [^)]*\)\s*")
_LEFT_OUT = {"metadata", "style", "title"}
_FONTS = {"font-family", "font-stretch"}
_GEOMETRY = {"d", "x", "y", "x1", "y1", "x2", "y2", "width", "height", "points", "stroke-dasharray", "stroke-width"}
_SIZE = "font-size"


def tidy(raw: str, prefix: str, colors: Mapping[str, str], attributes: Mapping[str, str] | None = None) -> str:
    """Return the drawing as an `<svg>` element on one line, which is also valid as a separate file.

    Every id starts with `prefix`. `attributes` are added to the root.
    """
    source = ElementTree.fromstring(raw)
    ids = {old: f"{prefix}-{number}" for number, old in enumerate(_referenced(source))}
    root = Element("svg", _root(source, attributes or {}))
    root.extend(part for child in source for part in _tidied(child, ids, colors))
    _hoist_font_size(root)
    return ElementTree.tostring(root, encoding="unicode")


def _referenced(root: Element) -> dict[str, None]:
    """Return every id of the drawing that something refers to, in the order of use."""
    own = {element.get("id") for element in root.iter()}
    attributes = [item for element in root.iter() for item in element.attrib.items() if "#" in item[1]]
    names = (name for key, value in attributes for name in _REFERENCE.findall(value) + _target(key, value))
    return dict.fromkeys(name for name in names if name in own)


def _target(key: str, value: str) -> list[str]:
    return [value[1:]] if key.endswith("href") and value.startswith("#") else []


def _root(source: Element, attributes: Mapping[str, str]) -> dict[str, str]:
    box = _rounded(source.attrib["viewBox"])
    width, height = box.split()[2:]
    return {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "panel",
        "viewBox": box,
        "width": width,
        "height": height,
        "font-family": "system-ui, sans-serif",
        "stroke-linejoin": "round",
        **attributes,
    }


def _tidied(element: Element, ids: Mapping[str, str], colors: Mapping[str, str]) -> Iterator[Element]:
    """Yield the element in its new form, or only its children if it has no meaning of its own."""
    tag = _NAMESPACES.sub("", element.tag)
    if tag in _LEFT_OUT:
        return
    is_data = element.get("id", "").startswith(DATA)
    inner = {} if is_data else colors
    attributes = dict(_attributes(tag, element, ids, inner))
    if element.get("id") == CELLS:
        attributes["shape-rendering"] = "crispEdges"
    if element.get("id", "").startswith(KEPT):
        attributes["fill"] = "#000000"  # matplotlib writes no black
    children = [part for child in element for part in _tidied(child, ids, inner)]
    if tag == "g" and not attributes:
        yield from children
    elif children or tag not in {"g", "defs"}:
        yield _element(tag, attributes, element, children)


def _element(tag: str, attributes: dict[str, str], source: Element, children: list[Element]) -> Element:
    new = Element(tag, attributes)
    new.text = source.text if source.text and source.text.strip() else None
    new.extend(children)
    return new


def _attributes(
    tag: str, element: Element, ids: Mapping[str, str], colors: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    for qualified, value in element.attrib.items():
        name = _NAMESPACES.sub("", qualified)
        if name == "id":
            yield from [("id", ids[value])] if value in ids else []
        elif name == "style":
            yield from _style(value, ids, colors)
        elif name == "transform":
            yield from [("transform", _transform(value))] if _transform(value) else []
        elif name not in {"target", "type"}:
            yield name, _value(name, value, ids, colors)


def _style(style: str, ids: Mapping[str, str], colors: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield declarations as attributes, which a page's own style sheet may override."""
    for declaration in style.split(";"):
        name, _, value = declaration.strip().partition(":")
        if name and name not in _FONTS:
            yield name, _value(name, value.strip(), ids, colors)


def _value(name: str, value: str, ids: Mapping[str, str], colors: Mapping[str, str]) -> str:
    if name == "d":
        return _path(value)
    if name == "stroke" and value == "#000000":
        return colors.get("black", value)
    if name == "href":
        return f"#{ids[value[1:]]}" if value[:1] == "#" and value[1:] in ids else value.replace("\n", "")
    if "#" in value:
        return colors.get(value) or _REFERENCE.sub(lambda match: f"url(#{ids.get(match[1], match[1])})", value)
    return _rounded(value) if name in _GEOMETRY or name.endswith("opacity") else value


@lru_cache(maxsize=4096)
def _rounded(text: str) -> str:
    return _NUMBER.sub(lambda match: _shortest(float(match[0]), ".2f"), text)


def _transform(text: str) -> str:
    """Drop rotations by zero. Factors keep six digits, since they multiply sizes."""
    return _NUMBER.sub(lambda match: _shortest(float(match[0]), ".6f"), _ROTATION.sub("", text))


def _shortest(number: float, spec: str) -> str:
    text = format(number, spec).rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _path(data: str) -> str:
    """Return path data with horizontal and vertical steps, and without unnecessary spaces."""
    return "".join(_steps(_COMMAND.findall(_rounded(data))))


def _steps(commands: list[tuple[str, str]]) -> Iterator[str]:
    here: list[str] = ["", ""]
    for command, text in commands:
        numbers = text.split()
        if command == "L" and numbers[1] == here[1]:
            yield f"H{numbers[0]}"
        elif command == "L" and numbers[0] == here[0]:
            yield f"V{numbers[1]}"
        else:
            yield command + " ".join(numbers).replace(" -", "-")
        here = numbers[-2:] or here


def _hoist_font_size(root: Element) -> None:
    """Set the most common size of text once, at the root. The spans and groups of a formula keep their own sizes."""
    texts = [element for element in root.iter("text") if _SIZE in element.attrib]
    sizes = [element.attrib[_SIZE] for element in texts]
    if not sizes:
        return
    usual = max(sorted(set(sizes)), key=sizes.count)
    root.set(_SIZE, usual)
    for element in texts:
        if element.attrib[_SIZE] == usual:
            del element.attrib[_SIZE]
