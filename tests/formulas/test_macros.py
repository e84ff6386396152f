"""An author's macros are expanded within limits, and faults in their definitions are named."""

from __future__ import annotations

import pytest

from scenebook.formulas._tokens import joined, tokens_of
from scenebook.formulas.macros import Macro, expand, expanded, fault
from scenebook.formulas.mistake import FormulaError


@pytest.mark.parametrize(
    ("macro", "message"),
    [
        (Macro("E", r"\mathbb{E}"), None),
        (Macro("norm", r"\lVert #1 \rVert_{#2}", 2), None),
        (Macro("sharp", r"\#"), None),
        (Macro(r"\E", "x"), "the name of a macro is letters, without a backslash; '\\\\E' is not"),
        (Macro("a", "x", 10), r"\a has 10 arguments; a macro has at most 9"),
        (Macro("a", "{x"), r"the braces of \a do not match"),
        (Macro("a", "}x{"), r"the braces of \a do not match"),
        (Macro("a", "5%"), r"\a has a % that LaTeX takes for a comment; write \%"),
        (Macro("a", "#1"), r"\a uses #1, but has 0 arguments; write ['...', 1]"),
        (Macro("a", "#2", 1), r"\a uses #2, but has 1 argument; write ['...', 2]"),
        (Macro("a", "#x"), r"\a has a # that no number follows; write \# for the sign"),
    ],
)
def test_a_fault_of_a_definition_is_named(macro: Macro, message: str | None) -> None:
    assert fault(macro) == message


@pytest.mark.parametrize(
    ("macros", "source", "message"),
    [
        ((Macro("a", r"x \a"),), r"1 + \a", r"4: the macro \\a uses itself: \\a → \\a"),
        (
            (Macro("a", r"\b"), Macro("b", r"\c"), Macro("c", r"\a")),
            r"\b",
            r"0: the macro \\b uses itself: \\b → \\c → \\a → \\b",
        ),
        (
            (Macro("a", "#1", 1),),
            r"x \a",
            r"^2: \\a has too few arguments; write one in braces: \\a\{...\}",
        ),
        (
            (*(Macro(chr(97 + n), rf"\{chr(98 + n)}" * 4) for n in range(20)), Macro("u", "x")),
            r"\a",
            "more than 20,000 signs",
        ),
    ],
)
def test_an_expansion_has_limits(macros: tuple[Macro, ...], source: str, message: str) -> None:
    with pytest.raises(FormulaError, match=message):
        expand(tokens_of(source), macros)
    assert expanded(source, macros) == source


def test_an_expansion_is_at_the_place_of_its_use() -> None:
    tokens = expand(tokens_of(r"y \both z{w}"), (Macro("both", r"#1\in#2", 2),))
    assert joined(tokens) == r"y z\in w"
    assert [(token.text, token.at, token.macro) for token in tokens[2:]] == [
        ("z", 8, ""),
        (r"\in", 2, "both"),
        ("w", 10, ""),
    ]
