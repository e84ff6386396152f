"""matplotlib's artists, imported without the signatures and docstrings that it would write for each of them.

These are a third of its import, and only those who read them in a notebook need them. Imported before anything else of
matplotlib's.
"""

from matplotlib.artist import Artist

if hasattr(Artist, "_update_set_signature_and_docstring"):
    Artist._update_set_signature_and_docstring = classmethod(lambda cls: None)
