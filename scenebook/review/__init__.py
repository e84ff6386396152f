"""A review compares two built sites as a reader would: numbers, pictures, claims and sentences.

A revision is built with the engine and packages of its own time. Two numbers are the same within a stated tolerance,
two pictures when no one could tell them apart. The result is a page, Markdown and JSON.
"""
