import numpy as np


def compute(heads=8, sections=3):
    return {"norm": 1, "entropy": 0.6474, "cells": np.eye(2)}


def draw(figure, values):
    axes = figure.subplots()
    axes.bar([1, 2], [values["norm"], values["entropy"]])
    axes.set_title(f"{values['heads']} heads, in 2017")
