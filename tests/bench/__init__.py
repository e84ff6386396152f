"""Measure how fast the engine is, compared with a short script that does the same work: `python -m tests.bench`."""
