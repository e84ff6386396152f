"""Labels of drawings, tables and files, which can hold no formulas: these are put into words."""

from contextlib import suppress

from scenebook.core.scanner import Span, scan
from scenebook.formulas import mathml


def label(text: str) -> str:
    """A label of a drawing as plain text with its formulas in words; its values have been put in."""
    parts = (_in_words(span) or (span.raw if span.kind == "value" else span.inner) for span in scan(text))
    return " ".join("".join(parts).split())


def computed_label(text: str) -> str:
    """A text that a scene computed, with its formulas in words and all else as it is."""
    return "".join(_in_words(span) or span.raw for span in scan(text)) if "$" in text else text


def _in_words(span: Span) -> str:
    """A formula in words; nothing for what is none, or cannot be one, which is told where it is drawn."""
    with suppress(ValueError):
        return mathml.words(span.inner) if span.kind in ("formula", "display") else ""
    return ""
