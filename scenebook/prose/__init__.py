"""Texts become HTML: Markdown, formulas, values and code, with every typed number and leftover mark reported.

Formulas, values and code are made into HTML before Markdown runs, which sees only placeholders. So Markdown cannot
damage them, and every mistake is reported at the line on which the author made it.
"""
