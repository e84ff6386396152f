"""The times of the passes add up."""

from scenes.three_pass_method import reading_time


def test_reading_times_add_up() -> None:
    values = reading_time.compute()
    totals = [values[f"total_{reader}"] for reader in ("one", "two", "experienced", "beginner")]
    assert totals == [10, 70, 130, 370]
