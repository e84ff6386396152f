"""Settings: numbered combinations of the points of controls."""

from itertools import product

import pytest

from scenebook.core.settings import Settings, describe

SETTINGS = Settings({"d_k": (1, 2, 4), "masked": (False, True), "mask": ("none", "zeroed")}, start=3)


def test_settings_are_numbered_like_nested_loops() -> None:
    expected = list(product((1, 2, 4), (False, True), ("none", "zeroed")))
    assert [tuple(SETTINGS[number].values()) for number in range(len(SETTINGS))] == expected


def test_a_moved_setting_differs_in_the_named_controls_alone() -> None:
    for number in range(len(SETTINGS)):
        moved = SETTINGS.moved(number, {"d_k": 4, "mask": "none"})
        assert SETTINGS[moved] == {**SETTINGS[number], "d_k": 4, "mask": "none"}


def test_settings_along_a_control_are_in_the_order_of_its_points() -> None:
    found = SETTINGS.along(3, "d_k")
    assert [SETTINGS[number] for number in found] == [{**SETTINGS[3], "d_k": each} for each in (1, 2, 4)]


def test_agreeing_settings_have_the_fixed_values() -> None:
    found = SETTINGS.agreeing({"masked": True})
    assert [number for number in range(len(SETTINGS)) if SETTINGS[number]["masked"]] == list(found)


def test_a_scene_without_controls_has_one_setting() -> None:
    assert len(Settings({})) == 1
    assert Settings({})[0] == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d_k": 3}, "d_k = 3 is not one of the points of the control; the nearest is 2"),
        ({"d_k": True}, "d_k = true is not one of the points of the control; they are 1, 2, 4"),
        ({"mask": "nan"}, "mask = nan is not one of the points of the control; they are none, zeroed"),
        ({"dk": 3}, "'dk' is not a control of the scene; its controls are d_k, masked, mask"),
    ],
)
def test_a_value_that_is_not_a_point_is_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(LookupError) as raised:
        SETTINGS.moved(0, changes)  # type: ignore[arg-type]
    assert str(raised.value) == message


def test_a_setting_is_described_as_an_author_writes_it() -> None:
    assert describe({"d_k": 4, "temperature": 0.05, "masked": True}) == "d_k = 4, temperature = 0.05, masked = true"
