"""A scene. It is right 43 % of the time."""

from pathlib import Path

import numpy as np

from scenes.helper import title


def compute(n=100, size=2):
    labels = Path("scenes/labels.csv").read_text(encoding="utf-8").splitlines()
    share = 0.35
    return {
        "share": share,
        "note": "On 5 May we measured 99 %",
        "labels": [*labels, "more than 80 days"],
        "computed": f"{share:.0%} of {n} tosses",
        "quoted": "a BLEU of 41.8",
        "code": title(share),
        "cells": np.eye(size),
    }


def draw(figure, values):
    axes = figure.subplots()
    axes.plot([1, 2, 30], [0.1, 20, 30], label=f"{25} or {values['size'] * 20} items")
    axes.legend(title="about 600 items")
    axes.set_title("42 % of the time")
    axes.set_xlabel(f"{values['share']:.1%} of the time, {values['n']} tosses, 2 heads, in 2017")
    axes.set_ylabel("n = 100 tosses, see Section 3.2")
    axes.set_xticks([1, 30], ["day 1", "day 30"])
    axes.text(1, 20, "17.5")
    axes.annotate(str(23 + 2) + " of 64 cells", (1, 10))
    axes.text(2, 10, values["note"])
    axes.text(2, 15, "{:.2f} of\n77".format(values["share"]))
    axes.text(2, 17, "Half of\nthe 70 people".upper())
    if values["size"] > 2:
        axes.text(2, 19, "more than 90 cells")
    figure.suptitle(values["labels"][0])
