"""Scenes run here: each in a process of its own, many at once, within limits, and observed.

A scene is plain numpy that knows nothing of this engine. What it reads is seen, so that the cache knows what its result
depends on; what goes wrong in it comes back as data. This isolates against accidents. It is not a sandbox.
"""
