"""One head of attention on three words, with numbers that can be checked with a pencil."""

import numpy as np

from scenes.attention.functions import Array, Values, softmax

WORDS = ["dog", "chases", "cat"]
FOLLOWED = WORDS.index("chases")
# Picked by hand, not learned. The entries of an embedding: is it a noun, is it a verb, how large is it?
EMBEDDINGS = np.array([[1, 0, 2], [0, 1, 0], [1, 0, 1]])
TO_QUERY = np.array([[0, 2], [1, 0], [0, 0]])  # asks for a noun, asks for a verb: nouns want verbs, verbs want nouns
TO_KEY = np.array([[1, 0], [0, 1], [1, 0]])  # is a noun, the more so the larger it is; is a verb
TO_VALUE = np.array([[0, 0], [0, 1], [1, 0]])  # how large it is; is it a verb


def compute() -> Values:
    """Every step from embeddings to mixtures, for all words at once, and the numbers of the word that is followed."""
    queries, keys, values = EMBEDDINGS @ TO_QUERY, EMBEDDINGS @ TO_KEY, EMBEDDINGS @ TO_VALUE
    scores = queries @ keys.T
    scaled = scores / np.sqrt(keys.shape[1])
    weights = softmax(scaled)
    mixtures = weights @ values
    dog, chases, cat = range(len(WORDS))
    return {
        "words": WORDS,
        "kinds": ["noun", "verb", "size"],
        "asked": ["noun", "verb"],
        "passed_on": ["size", "verb"],
        "embeddings": EMBEDDINGS,
        "queries": queries,
        "keys": keys,
        "values": values,
        "scaled": scaled,
        "weights": weights,
        "mixtures": mixtures,
        "followed": WORDS[FOLLOWED],
        "embedding": written(EMBEDDINGS[FOLLOWED]),
        "query": written(queries[FOLLOWED]),
        "key": written(keys[FOLLOWED]),
        "value": written(values[FOLLOWED]),
        "key_of_dog": written(keys[dog]),
        "key_of_cat": written(keys[cat]),
        "d_k": keys.shape[1],
        "score_dog": scores[FOLLOWED, dog],
        "score_chases": scores[FOLLOWED, chases],
        "score_cat": scores[FOLLOWED, cat],
        "scaled_dog": scaled[FOLLOWED, dog],
        "scaled_cat": scaled[FOLLOWED, cat],
        "weight_dog": weights[FOLLOWED, dog],
        "weight_chases": weights[FOLLOWED, chases],
        "weight_cat": weights[FOLLOWED, cat],
        "size_dog": values[dog, 0],
        "size_cat": values[cat, 0],
        "mixed_size": mixtures[FOLLOWED, 0],
        "mixed_verb": mixtures[FOLLOWED, 1],
        "weight_back": weights[dog, FOLLOWED],
    }


def written(vector: Array) -> str:
    """A vector as the text writes it, such as (1, 0), on one line."""
    entries = ",\N{NO-BREAK SPACE}".join(map(str, vector))
    return f"({entries})"


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
