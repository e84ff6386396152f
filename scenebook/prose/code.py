"""Turns code into HTML, in the colours of its language."""

import html
import re
from typing import Any

from scenebook.core.suggestions import did_you_mean

_UNCOLOURED = re.compile(r'<span class="(?:n|nn|o|p|w|bp|si)">([^<]*)</span>')
"""Spans that have no colour. Most of a program consists of these."""


_PLAIN = (
    "",
    "text",
    "txt",
    "plain",
    "plaintext",
    "none",
    "output",
    "csv",
    "tsv",
    "log",
    "env",
    "dotenv",
    "ascii",
    "tree",
)
"""Languages whose code is shown without colours."""
_ALSO = {"cmd": "batch", "jsonc": "json", "ipython": "python", "ipython3": "python"}
"""Languages that others call by another name than pygments."""


def code(source: str, language: str) -> str:
    """Return source text as HTML, with the classes of pygments if pygments knows the language."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    lexer = _lexer(language)
    inner = highlight(source, lexer, HtmlFormatter(nowrap=True)) if lexer else html.escape(source, quote=False)
    inner = _UNCOLOURED.sub(r"\1", inner)
    if source and not inner.endswith("\n"):
        inner += "\n"
    return f'<pre class="code" tabindex="0"><code>{inner}</code></pre>'


def unknown_language(language: str) -> str | None:
    """Return what is wrong with the language of a fence, or None."""
    if language in _PLAIN or _lexer(language):
        return None
    from pygments.lexers import get_all_lexers

    names = [name for lexer in get_all_lexers(plugins=False) for name in lexer[1]]
    advice = did_you_mean(language, names) or ";"
    return f"there is no language '{language}'{advice} write text, or no language, for code without colours"


def _lexer(language: str) -> Any:
    """Return what reads a language, or None."""
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    if language in _PLAIN:
        return None
    try:
        return get_lexer_by_name(_ALSO.get(language.lower(), language), stripnl=False)
    except ClassNotFound:
        return None


def warm_code() -> None:
    """Highlight one line. A lexer compiles its patterns on first use, which takes as long as ten scenes."""
    code("x = 1", "python")
