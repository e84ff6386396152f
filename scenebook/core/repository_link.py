"""Links from pages to their source files in a GitHub repository.

`site.repository` is `https://github.com/OWNER/NAME`, followed by `/tree/HEAD/FOLDER` if the site is in a folder of the
repository. HEAD is the default branch, whatever its name. If the repository is on another host, pages link to the
repository but not to its files, because the addresses of the files are not known.
"""

import re
from urllib.parse import quote, urlsplit

FORM = "write https://github.com/OWNER/NAME, followed by /tree/HEAD/FOLDER if the site is in a folder of the repository"
_ADDRESS = re.compile(
    r"""
      (?P<top> https?:// (?i:(?:www\.)?github\.com) /[\w.-]+ /[\w.-]+? ) (?:\.git)?
      (?: /tree/HEAD (?P<folder> (?:/ (?!\.{1,2}(?:/|$)) [^/?\#]+ )* ) )? /?
    """,
    re.VERBOSE,
)
_BRANCH = re.compile(r".*?//[^/]+/[^/]+/[^/]+/tree/(?!HEAD(?:/|$))([^/]+).*")


def fault(address: str) -> str | None:
    """Return what is wrong with an address on GitHub, or None if it leads to a repository or to a folder of one.

    An address on any other host has no fault.
    """
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    if host != "github.com" or _ADDRESS.fullmatch(address):
        return None
    if branch := _BRANCH.fullmatch(address):
        return f"names the branch '{branch[1]}', which may be renamed; write HEAD instead"
    return f"is not the address of a repository; {FORM}"


def link(address: str, file: str) -> str | None:
    """Return the address of a file, given its path under the site's root, or None if the address is not known."""
    match = _ADDRESS.fullmatch(address)
    return f"{match['top']}/blob/HEAD{match['folder'] or ''}/{quote(file)}" if match else None
