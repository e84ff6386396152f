"""Sizes that every drawing shares, in CSS pixels."""

TEXT, SMALL, LINE = 12, 11, 15
"""The usual size of text, the smallest one, and the height of a line of usual text."""
GAP = 6
"""The space between a label and what it labels, and between numbers."""
