"""The sums are those that can be added up by hand."""

from scenes.new_page.new_scene import compute


def test_the_first_odd_numbers_add_up_to_squares() -> None:
    assert compute(terms=4)["sums"].tolist() == [1, 4, 9, 16]
