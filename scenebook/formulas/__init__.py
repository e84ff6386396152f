"""Formulas: LaTeX to MathML for the page, and to words for people who hear the page.

One library parses LaTeX, and both forms come from its result. So whatever a page shows, a screen reader can say, and a
command that the library does not know is reported instead of dropped.
"""
