"""Which word stood k places back? Two random recurrent networks and an attention head made by hand answer.

Only the readout of a network's state is fitted. Its weights are random and stay as they are.
"""

import numpy as np
from numpy.typing import NDArray

from scenes.attention.functions import Array, Values, positional_encoding
from scenes.attention.rotation import look_back

Words = NDArray[np.int64]

VOCABULARY = 8
LENGTH = 32  # words of a sentence
ASKED = 16  # at this many places at the end of a sentence the question is asked
UNITS = 64  # units of a recurrent network, and entries of an encoding
SHARPNESS = 32  # the factor by which the head multiplies its queries


def compute(
    near: int = 3, middle: int = 6, far: int = 12, fitted: int = 375, tested: int = 625, seed: int = 2017
) -> Values:
    """The share of right answers at each distance, over sentences that were not used to fit a readout."""
    rng = np.random.default_rng(seed)
    sentences = rng.integers(VOCABULARY, size=(fitted + tested, LENGTH))
    asked = sentences[fitted:]
    distances = range(1, ASKED + 1)
    recurrent = rng.standard_normal((UNITS, UNITS)) / np.sqrt(UNITS)
    inputs = rng.standard_normal((VOCABULARY, UNITS))
    embeddings = rng.standard_normal((VOCABULARY, UNITS))

    def by_network(gain: float, input_size: float) -> Array:
        states = recurrent_states(sentences, gain * recurrent, input_size * inputs)
        return np.array([read_from_states(states, sentences, k, fitted) for k in distances])

    def by_head(found: Array) -> Array:
        return np.array([read_by_head(found, asked, k) for k in distances])

    network, other_network = by_network(0.8, 0.28), by_network(1.0, 0.1)
    places = positional_encoding(np.arange(LENGTH), UNITS)
    return {
        "distances": np.array(distances),
        "network": network,
        "other_network": other_network,
        "head": by_head(places),
        "head_with_words": by_head(places + embeddings[asked]),
        "chance": np.full(len(distances), 1 / VOCABULARY),
        "network_near": network[near - 1],
        "network_middle": network[middle - 1],
        "network_far": network[far - 1],
        "other_network_far": other_network[far - 1],
        "guessing": 1 / VOCABULARY,
        "vocabulary": VOCABULARY,
        "length": LENGTH,
        "asked": ASKED,
        "units": UNITS,
    }


def recurrent_states(sentences: Words, recurrent: Array, inputs: Array) -> Array:
    """States after each word, (sentences, length, units), of a network that starts each sentence at zero.

    Its weights lead from unit to unit, (units, units), and from word to unit, (vocabulary, units).
    """
    state = np.zeros((len(sentences), len(recurrent)))
    states = []
    for words in sentences.T:
        state = np.tanh(state @ recurrent + inputs[words])
        states.append(state)
    return np.stack(states, axis=1)


def read_from_states(states: Array, sentences: Words, distance: int, fitted: int, ridge: float = 1e-2) -> float:
    """Fit a linear readout of the word `distance` back to the first sentences; return its share of hits on the rest."""
    states = states[:, -ASKED:]
    states = np.concatenate([states, np.ones((*states.shape[:2], 1))], axis=2)
    wanted = words_back(sentences, distance)
    x, y = states[:fitted].reshape(-1, UNITS + 1), np.eye(VOCABULARY)[wanted[:fitted].ravel()]
    readout = np.linalg.solve(x.T @ x + ridge * np.eye(UNITS + 1), x.T @ y)
    return float(((states[fitted:] @ readout).argmax(axis=-1) == wanted[fitted:]).mean())


def read_by_head(found: Array, sentences: Words, distance: int) -> float:
    """How often the word with the most weight is the one `distance` back. The head finds `found` at its places."""
    weights = look_back(found, distance, SHARPNESS)[..., -ASKED:, :]
    by_word = weights @ np.eye(VOCABULARY)[sentences]
    return float((by_word.argmax(axis=-1) == words_back(sentences, distance)).mean())


def words_back(sentences: Words, distance: int) -> Words:
    """The right answers at the places where the question is asked: (sentences, length) to (sentences, asked)."""
    return sentences[:, LENGTH - ASKED - distance : LENGTH - distance]


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
