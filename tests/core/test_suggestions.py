"""Suggestions for names that do not exist: one rule for what is close, and one wording."""

import pytest

from scenebook.core.suggestions import closest, did_you_mean, did_you_mean_or_list


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("oen", "one"),  # two letters change places
        ("on", "one"),  # one is missing
        ("onne", "one"),  # one is too many
        ("ONE", "one"),  # only the case differs
        ("licence", "license"),
        ("entropy", "entropy_raw"),
        ("script", None),  # all its letters are in "description", but nobody means that
        ("line", None),
        ("width", None),
        ("", None),
    ],
)
def test_only_a_close_name_is_suggested(name: str, suggestion: str | None) -> None:
    assert closest(name, {"one", "license", "entropy_raw", "description"}) == suggestion


def test_the_suggestion_is_spelled_as_the_known_name_is() -> None:
    assert closest("qk", ["QK", "V"]) == "QK"


def test_the_order_of_the_names_does_not_change_the_suggestion() -> None:
    names = ["cat", "bat", "hat", "rat"]
    assert closest("at", names) == closest("at", names[::-1]) == closest("at", set(names))


def test_a_message_ends_with_the_suggestion() -> None:
    assert did_you_mean("oen", ["one", "two"]) == "; did you mean 'one'?"
    assert did_you_mean("x", ["one", "two"]) == ""


def test_a_message_lists_the_names_if_none_is_close() -> None:
    assert did_you_mean_or_list("oen", ["two", "one"]) == "; did you mean 'one'?"
    assert did_you_mean_or_list("x", ["two", "one"]) == "; there are: one, two"
    assert did_you_mean_or_list("x", []) == ""
    assert did_you_mean_or_list("x", [f"name{n:02}" for n in range(20)]).endswith("name10, name11")
