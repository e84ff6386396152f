"""Turns code into HTML, in the colours of its language."""

import html
import re

_UNCOLOURED = re.compile(r'<span class="(?:n|nn|o|p|w|bp|si)">([^<]*)</span>')
"""Spans that have no colour. Most of a program consists of these."""


def code(source: str, language: str) -> str:
    """Return source text as HTML, with the classes of pygments if pygments knows the language."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language) if language else None
    except ClassNotFound:
        lexer = None
    inner = highlight(source, lexer, HtmlFormatter(nowrap=True)) if lexer else html.escape(source, quote=False)
    inner = _UNCOLOURED.sub(r"\1", inner)
    return f'<pre class="code" tabindex="0"><code>{inner.rstrip()}\n</code></pre>'


def warm_code() -> None:
    """Highlight one line. A lexer compiles its patterns on first use, which takes as long as ten scenes."""
    code("x = 1", "python")
