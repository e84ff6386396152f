"""Names of the columns of tables."""

import pytest

from scenebook.core.value_reference import ValueReference, parse
from scenebook.core.values import columns_of, file_name, in_double_quotes, named_column, with_tables


@pytest.mark.parametrize("name", ['df["a b"]', "df['a b']", 'df ["a b"]'])
def test_a_column_is_named_in_either_quotes(name: str) -> None:
    assert named_column(name) == ("df", "a b")
    assert in_double_quotes(name) == 'df["a b"]'
    assert parse(f"s.{name}[0]:.2f") == ValueReference("s", 'df["a b"]', (), ".2f", "", ("0",))


@pytest.mark.parametrize("name", ["df", "df[a]", "df[0]", 'df["a]', "df[\"a']", 'df["a"]["b"]', 'df["a{b"]', 'df[""]'])
def test_anything_else_is_not_a_column(name: str) -> None:
    assert named_column(name) is None
    assert in_double_quotes(name) == name


def test_a_column_can_have_a_colon_and_an_at_sign() -> None:
    assert parse('s.df["a: b @ c"][1] @ n=2 :.1f') == ValueReference(
        "s", 'df["a: b @ c"]', (("n", "2"),), ".1f", "", ("1",)
    )


def test_the_columns_of_a_table_are_listed() -> None:
    names = ['df["a"]', "x", 'df["b"]', 'df2["c"]']
    assert columns_of("df", names) == '\'df\' is a table; name one of its columns: df["a"], df["b"]'
    assert columns_of("x", names) == ""
    many = [f'df["{number}"]' for number in range(9)]
    assert columns_of("df", many).endswith('df["7"], ...')


def test_a_drawing_gets_each_table_as_its_columns() -> None:
    assert with_tables({'df["a"]': ("x",), "y": 1, 'df["b c"]': ("z",)}) == {
        "df": {"a": ("x",), "b c": ("z",)},
        "y": 1,
    }


def test_the_name_of_a_file_is_plain() -> None:
    assert file_name('df["price (€)"]') == "df-price"
    assert file_name("größe") == "größe"
