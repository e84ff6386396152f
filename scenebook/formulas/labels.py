"""Labels in drawings, tables and files. These cannot contain formulas, so formulas are written in words."""

from contextlib import suppress

from scenebook.core.scanner import Span, scan
from scenebook.formulas import mathml


def label(text: str) -> str:
    """Return a label of a drawing as plain text with its formulas in words. Its values must already be filled in."""
    parts = (_in_words(span) or (span.raw if span.kind == "value" else span.inner) for span in scan(text))
    return " ".join("".join(parts).split())


def computed_label(text: str) -> str:
    """Return a text that a scene computed with its formulas in words and everything else unchanged."""
    return "".join(_in_words(span) or span.raw for span in scan(text)) if "$" in text else text


def _in_words(span: Span) -> str:
    """Return a formula in words, or "" if the span is not a formula or not valid LaTeX.

    Invalid LaTeX is reported where the label is drawn.
    """
    with suppress(ValueError):
        return mathml.words(span.inner) if span.kind in ("formula", "display") else ""
    return ""
