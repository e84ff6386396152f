"""Tries every address outside the site. An error, or no answer, is reported as a warning.

This runs only on request, because the result depends on other servers. Each address is tried once, within a time limit.
"""

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urldefrag, urlsplit
from urllib.request import Request, urlopen

from scenebook.core.problems import Problem
from scenebook.page.links import outline

AT_ONCE, SECONDS, MOST = 8, 10, 500
AGENT = "Mozilla/5.0 (compatible; Scenebook link check)"
UNCERTAIN = {HTTPStatus.FORBIDDEN, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.TOO_MANY_REQUESTS}
"""Answers that some servers give to everything except browsers."""


def check(output: Path, own: str, seconds: float = SECONDS) -> tuple[Problem, ...]:
    """Try every address in the pages of `output` that is outside the site at `own`. Return the faults as warnings."""
    pages = _pages(output, own)
    tried = sorted(pages)[:MOST]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        faults = threads.map(lambda address: fault(address, seconds), tried)
    found = [
        Problem(f"output/{page}", 0, address, f"{message}; correct or remove the link", warning=True)
        for address, message in zip(tried, faults, strict=True)
        if message
        for page in pages[address]
    ]
    if len(pages) > MOST:
        found.append(Problem("output", 0, "", f"{len(pages) - MOST} outside links were not tried", warning=True))
    return tuple(sorted(found))


def fault(address: str, seconds: float = SECONDS) -> str:
    """Return what is wrong with an address, or "" if it answers."""
    try:
        return _answer(address, "HEAD", seconds) and _answer(address, "GET", seconds)
    except (OSError, HTTPException, ValueError) as error:
        return f"does not answer ({getattr(error, 'reason', error)})"


def _answer(address: str, method: str, seconds: float) -> str:
    request = Request(address, headers={"User-Agent": AGENT}, method=method)
    try:
        with urlopen(request, timeout=seconds):
            return ""
    except HTTPError as error:
        error.close()
        return "" if error.code in UNCERTAIN and method == "GET" else f"answers {error.code} {error.reason}"


def _pages(output: Path, own: str) -> dict[str, list[str]]:
    """Return outside addresses, each with the pages that link to it."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(output.rglob("*.html")):
        for address in _outside(outline(path.read_bytes()).links, own):
            found[address].append(path.relative_to(output).as_posix())
    return found


def _outside(links: Iterable[str], own: str) -> set[str]:
    web = (urldefrag(link).url for link in links if urlsplit(link).scheme in ("http", "https"))
    return {link for link in web if not link.startswith(own)}
