import numpy as np


def softmax(scores: np.ndarray) -> np.ndarray:
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def entropy(weights: np.ndarray) -> np.ndarray:
    return -(weights * np.log2(weights)).sum(axis=1)
