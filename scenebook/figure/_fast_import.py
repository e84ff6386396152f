"""Imports matplotlib's artists without the signatures and docstrings that it would write for each of them.

These take a third of the import, and only people who read them in a notebook need them. Import this module before
anything else of matplotlib.
"""

from matplotlib.artist import Artist

if hasattr(Artist, "_update_set_signature_and_docstring"):
    Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)
