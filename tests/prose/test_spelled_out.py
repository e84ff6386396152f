"""A number that a scene's source spells out in a text is told from one that it computes or reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.prose._stand_ins import HOLE
from scenebook.prose.spelled_out import spelled_out


def spelled(text: str, source: str) -> list[str]:
    """What a source spells out of a text, with a tilde for each digit that it does not."""
    return [each.spelled.replace(HOLE, "~") for each in dict.fromkeys(spelled_out([text], {"a.py": source}))]


@pytest.mark.parametrize(
    ("source", "text", "found"),
    [
        ("a.title('42 % of the time')", "42 % of the time", ["42 % of the time"]),
        ("a.title('42 % of\\nthe time')", "42 % of the time", ["42 % of the time"]),
        ("T = 'at 42'\na.title(T.upper() + str(n))", "AT 42 30", ["AT 42 ~~"]),
        ("a.title(f'{n} of 64 cells')", "25 of 64 cells", ["~~ of 64 cells"]),
        ("a.title(f'{n:.2f} of {m} at 64')", "0.25 of 64 at 64", ["~.~~ of ~~ at 64"]),
        ("a.title('{} of 64 {}'.format(n, m))", "25 of 64 cells", ["~~ of 64 cells"]),
        ("a.title('{{x}} {:.2f} of 64'.format(n))", "{x} 0.25 of 64", ["{x} ~.~~ of 64"]),
        ("a.title('%d %% of 64' % n)", "25 % of 64", ["~~ % of 64"]),
        ("a.title(str(n) + ' of 64')", "25 of 64", ["~~ of 64"]),
        ("a.text(1, 2, '17.5')", "17.5", ["17.5"]),
        ("a.text(1, 2, f'{f(\"at 64\")}!')", "at 64!", ["at 64!"]),
        ("x = 'at 64'\ny = 'at 64'", "at 64", ["at 64", "at 64"]),
    ],
)
def test_what_the_source_spells_out_is_found(source: str, text: str, found: list[str]) -> None:
    assert spelled(text, source) == found


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("'''42 % of the time'''\ndef f():\n    '''42 % of the time'''", "42 % of the time"),
        ("# 42 % of the time", "42 % of the time"),
        ("a.title(f'{42 * n} % of the time')", "42 % of the time"),
        ("a.title(f'{n:42} cells')", "42 cells"),
        ("a.title('at 4')", "at 42"),
        ("a.title('at 4')", "at 4.2"),
        ("a.title('2 cells')", "42 cells"),
        ("a.title('2 cells')", "4.2 cells"),
        ("a.title('of 64 cells')", "of 65 cells"),
        ("a.text(1, 2, '17.5')", "at 17.5"),
        ("D = {'17': 3}", "17"),
        ("a.title('25')", "x = 250"),
        ("not python (", "25"),
    ],
)
def test_what_the_source_computes_or_reads_is_not_found(source: str, text: str) -> None:
    assert spelled(text, source) == []


WORDS = st.text(alphabet="abc %{}.,:$\\'\"\n", max_size=12)


@given(WORDS, st.integers(0, 10**4), WORDS, st.floats(0, 100))
def test_a_literal_number_is_always_found_and_a_formatted_one_never(
    before: str, typed: int, after: str, value: float
) -> None:
    literal = f"q{before} {typed} {after}q"
    source = f"a.title({literal!r} + f'{{value:.3f}} z')"
    shown = f"{literal}{value:.3f} z"
    [found] = spelled(shown, source)
    assert found == literal + f"{value:.3f} z".translate({ord(digit): "~" for digit in "0123456789"})


@given(WORDS, WORDS, st.integers(0, 10**4))
def test_a_format_is_never_taken_for_a_number(before: str, after: str, value: int) -> None:
    template = f"q{before} %d {after}q".replace("%d", "\0").replace("%", "%%").replace("\0", "%d")
    assert spelled(template % value, f"a.title({template!r} % value)") == []
