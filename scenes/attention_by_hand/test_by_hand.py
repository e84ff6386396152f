"""The steps of the first figure against what a pencil gives."""

import math

from numpy.testing import assert_allclose, assert_array_equal

from scenes.attention_by_hand import by_hand


def test_every_step_is_what_a_pencil_gives() -> None:
    values = by_hand.compute()
    assert_array_equal(values["queries"], [[0, 2], [1, 0], [0, 2]])
    assert_array_equal(values["keys"], [[3, 0], [0, 1], [2, 0]])
    assert_array_equal(values["values"], [[2, 0], [0, 1], [1, 0]])
    dog, chases, cat = math.exp(3 / math.sqrt(2)), 1, math.exp(2 / math.sqrt(2))
    total = dog + chases + cat
    assert_allclose(values["weights"][1], [dog / total, chases / total, cat / total], rtol=1e-12)
    assert_allclose(values["mixtures"][1], [(2 * dog + cat) / total, chases / total], rtol=1e-12)


def test_the_numbers_of_the_text_are_those_of_the_word_that_is_followed() -> None:
    values = by_hand.compute()
    row = values["words"].index(values["followed"])
    for number, word in enumerate(values["words"]):
        assert_allclose(values[f"weight_{word}"], values["weights"][row, number])
        assert_allclose(values[f"score_{word}"], values["scaled"][row, number] * math.sqrt(2))
    assert_allclose([values["mixed_size"], values["mixed_verb"]], values["mixtures"][row])
    assert (values["query"], values["key"]) == ("(1,\N{NO-BREAK SPACE}0)", "(0,\N{NO-BREAK SPACE}1)")
    assert values["weight_back"] == values["weights"][0, row]
