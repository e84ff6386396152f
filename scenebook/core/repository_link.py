"""Links from pages to the files that they were made from, in a repository on GitHub.

`site.repository` is `https://github.com/OWNER/NAME`, followed by `/tree/HEAD/FOLDER` where the site is in a folder of
the repository. HEAD is the default branch, whatever its name. Pages link to a repository on another host as a whole,
since where its files are found is not known.
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
    """What is wrong with an address on GitHub that is not that of a repository, or of a folder in one."""
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    if host != "github.com" or _ADDRESS.fullmatch(address):
        return None
    if branch := _BRANCH.fullmatch(address):
        return f"names the branch '{branch[1]}', which may be renamed; write HEAD in its place"
    return f"is not the address of a repository; {FORM}"


def link(address: str, file: str) -> str | None:
    """The address of a file of the site, which is given by its path under the root; None where it is not known."""
    found = _ADDRESS.fullmatch(address)
    return f"{found['top']}/blob/HEAD{found['folder'] or ''}/{quote(file)}" if found else None
