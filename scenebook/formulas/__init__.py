"""Converts LaTeX formulas to MathML for the page, and to words for people who listen to the page.

One library parses LaTeX, and the words are generated from its MathML. So a screen reader can say everything that a page
shows, and a command that the library does not know is reported instead of dropped.
"""
