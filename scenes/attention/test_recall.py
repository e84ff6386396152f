"""A recurrent network agrees with a loop over its units, and its states hold what can be read from them."""

import math
from typing import Any

import numpy as np
from numpy.testing import assert_allclose

from scenes.attention import functions, recall


def _random(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape)


def test_a_recurrent_state_equals_a_loop_over_its_units() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(2, 3))
    recurrent, inputs = _random(5, 5), _random(recall.VOCABULARY, 5)
    states = recall.recurrent_states(sentences, recurrent, inputs)
    state = [0.0] * 5
    for place, word in enumerate(sentences[1]):
        state = [
            math.tanh(sum(recurrent[i, j] * state[i] for i in range(5)) + float(inputs[word, j])) for j in range(5)
        ]
        assert_allclose(states[1, place], state, rtol=1e-12)


def test_a_readout_finds_what_the_states_hold_and_nothing_else() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(80, recall.LENGTH))
    states = 0.01 * _random(80, recall.LENGTH, recall.UNITS)
    states[:, 5:, : recall.VOCABULARY] += np.eye(recall.VOCABULARY)[sentences[:, :-5]]  # the word five back
    assert recall.read_from_states(states, sentences, 5, 60) == 1
    assert recall.read_from_states(states, sentences, 4, 60) < 0.3


def test_a_head_with_positions_reads_the_right_word_and_one_without_reads_the_most_common() -> None:
    sentences = np.random.default_rng(4).integers(recall.VOCABULARY, size=(20, recall.LENGTH))
    places = functions.positional_encoding(np.arange(recall.LENGTH), recall.UNITS)
    assert recall.read_by_head(places, sentences, 7) == 1
    commonest = [np.bincount(sentence, minlength=recall.VOCABULARY).argmax() for sentence in sentences]
    expected = np.mean([recall.words_back(sentences, 7)[i] == word for i, word in enumerate(commonest)])
    assert_allclose(recall.read_by_head(0 * places, sentences, 7), expected)


def test_the_right_answer_is_the_word_that_stood_that_far_back() -> None:
    sentences = np.arange(recall.LENGTH)[None]
    for distance in (1, 16):
        expected = [place - distance for place in range(recall.LENGTH - recall.ASKED, recall.LENGTH)]
        assert recall.words_back(sentences, distance)[0].tolist() == expected


def test_what_the_page_says_holds_for_other_random_numbers_too() -> None:
    values = recall.compute(seed=1)
    assert (values["head"] == 1).all()
    assert values["head_with_words"].max() < 0.2
    assert values["network_near"] > 0.99
    assert values["network_far"] < 0.2 < values["other_network_far"] < 0.5
