"""What scenes of this page share."""

import numpy as np

from scenes.attention.functions import Array


def dial(marks: int = 60) -> tuple[Array, Array]:
    """The marks of a clock's dial, from the top and clockwise: how far to the right and how far up each is."""
    angles = 2 * np.pi * np.arange(marks) / marks
    return np.sin(angles), np.cos(angles)
