"""How fast the engine is, measured against a short script that does the same work: `python -m tests.bench`."""
