"""Runs scenes: each in a process of its own, many at once, within limits, and under observation.

A scene is plain numpy and knows nothing about this engine. The engine records which files a scene reads, so that the
cache knows what its result depends on, and returns a scene's errors as data. The isolation prevents accidents; it is
not a sandbox.
"""
