"""What others need to cite a page: its BibTeX entry, and its description in the vocabulary of schema.org."""

import re
from typing import Any

from scenebook.core.scanner import scan
from scenebook.page.views import PageView, SiteView

_TEX_NAMES = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def bibtex(page: PageView, site: SiteView) -> str:
    """Return the BibTeX entry of a page. Formulas in its title stay LaTeX."""
    title = "".join(
        f"${span.inner}$" if span.kind in ("formula", "display") else _in_tex(span.inner)
        for span in scan(page.tex_title or page.plain_title)
    )
    texts = {"author": site.texts.author, "howpublished": site.plain_title}
    fields = {"title": f"{{{title}}}"}
    fields |= {name: f"{{{_in_tex(text)}}}" for name, text in texts.items() if text} | {"url": _address(page, site)}
    return f"@misc{{{page.slug},\n" + "".join(f"  {name} = {{{text}}},\n" for name, text in fields.items()) + "}"


def _address(page: PageView, site: SiteView) -> str:
    return f"{site.url}{page.slug}/"


def _in_tex(text: str) -> str:
    """Return a text with TeX's special characters escaped."""
    bare = re.sub("[\u2066-\u2069]", "", text)  # direction marks, which TeX cannot typeset
    return re.sub(r"[\\~^#$%&_{}]", lambda match: _TEX_NAMES.get(match[0], f"\\{match[0]}"), bare)


def linked_data(page: PageView, site: SiteView) -> dict[str, Any]:
    """Describe a page in the vocabulary of schema.org: as a learning resource that cites its paper."""
    address, texts = _address(page, site), page.texts
    found = {
        "@context": "https://schema.org",
        "@type": "LearningResource",
        "name": page.plain_title,
        "description": page.description,
        "url": address,
        "inLanguage": site.language,
        "isAccessibleForFree": True,
        "learningResourceType": "explanation",
        "image": f"{address}{page.card.png}" if page.card else None,
        "author": {"@type": "Organization", "name": site.texts.author} if site.texts.author else None,
        "license": site.texts.license,
        "citation": _cited(texts.paper) if texts.paper else None,
    }
    return {name: value for name, value in found.items() if value}


def _cited(paper: Any) -> dict[str, Any]:
    return {
        "@type": "ScholarlyArticle",
        "name": paper.title,
        "author": [{"@type": "Person", "name": author} for author in paper.authors],
        "datePublished": str(paper.year),
        "url": paper.url,
    }
