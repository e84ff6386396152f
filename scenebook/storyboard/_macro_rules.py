"""Rules for the macros of a site or a page: their names, their arguments, and what replaces them."""

from __future__ import annotations

from collections.abc import Iterator

from scenebook.core.problems import Problem
from scenebook.core.text import Text
from scenebook.formulas.macros import Macro, fault
from scenebook.storyboard._tree import Map, Seq, part, problem


def macros(node: Map) -> Iterator[Problem]:
    """Yield the problems of the macros of a site or a page."""
    defined = part(node, "macros") if "macros" in node else Map(node.file, node.line, node.where)
    for name, value in defined.items():
        if isinstance(value, Seq) and len(value) != 2:
            yield problem(defined, name, "expected the LaTeX, or a list such as ['\\lVert #1 \\rVert', 1]")
        body, arguments = value if isinstance(value, Seq) and len(value) == 2 else (value, Text("0"))
        readable = isinstance(body, Text) and isinstance(arguments, Text) and arguments.strip().isdecimal()
        if readable and (message := fault(Macro(name, body, int(arguments)))):
            yield problem(defined, name, message)
