"""What depth costs: the minutes of each pass, added up for readers who stop early and readers who go on."""

from typing import Any

import numpy as np


def compute(
    first: int = 10, second: int = 60, third_experienced: int = 60, third_beginner: int = 300
) -> dict[str, Any]:
    """Minutes by reader and pass, from the upper ends of the times that Keshav gives."""
    minutes = np.array(
        [
            [first, 0, 0],
            [first, second, 0],
            [first, second, third_experienced],
            [first, second, third_beginner],
        ]
    )
    totals = minutes.sum(axis=1)
    return {
        "minutes": minutes,
        "readers": ["one pass", "two passes", "three, experienced", "three, beginner"],
        "passes": ["first pass", "second pass", "third pass"],
        "total_one": totals[0],
        "total_two": totals[1],
        "total_experienced": totals[2],
        "total_beginner": totals[3],
    }


if __name__ == "__main__":
    for name, value in compute().items():
        print(name, value, sep=" = ")
