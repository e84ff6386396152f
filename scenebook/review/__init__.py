"""A review compares two built sites as a reader would: numbers, pictures, claims and sentences.

A revision is built with its own engine and packages. Two numbers are the same if they differ by less than a tolerance;
two pictures are the same if nobody could tell them apart. The review is written as a web page, as Markdown and as JSON.
"""
