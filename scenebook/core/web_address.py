r"""Checks of web addresses that authors write: what is wrong with an address, and how to write it instead.

Browsers repair faulty addresses: `https:/host`, `\\host` and `/a/../b` lead somewhere, but not always where the author
expects. So addresses must be complete and correct.
"""

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote, urlsplit

_PARTS = re.compile(
    r"(?P<scheme>https?://)(?P<user>[^/?#]*@)?(?P<host>\[[^]/?#]*\]|[^/?#:]*)(?P<port>:[^/?#]*)?"
    r"(?P<path>[^?#]*)(?P<rest>.*)",
    re.DOTALL,
)
_HOST = re.compile(r"\[[0-9A-Fa-f:.]+\]|[\w-]{1,63}(\.[\w-]{1,63})*\.?")
_PORT = re.compile(r":(?=[0-9]{1,5}$)0*[1-9]")
_UNSAFE = re.compile(r"[\s\\<>\"{}|^`]")
_BROKEN = re.compile(r"%(?![0-9A-Fa-f]{2})")
_OTHER_SCHEME = re.compile(r"(?!https?:)[a-z][a-z0-9+-]*:(?!\d)", re.IGNORECASE)
"""Any scheme except http and https. The digit check leaves out `localhost:8000`."""
_SSH = re.compile(r"(?:ssh://)?git@([\w.-]+)[:/](.+?)(?:\.git)?/?")
"""An SSH address as `git clone` accepts it."""


def web_fault(address: str) -> str | None:
    """Return what is wrong with a web address, as the end of a sentence that begins with it, or None if nothing is."""
    return _with_suggestion(address, base=False)


def base_fault(address: str) -> str | None:
    """Return the same for an address that the build appends paths to, such as that of a site or a repository."""
    return _with_suggestion(address, base=True)


def link_fault(address: str) -> str | None:
    """Return the same for a link in a text, which can lead to a web address, a mail address or a place in the site."""
    bare = "".join(address.split())
    if not bare:
        return "is empty; write an address between the parentheses"
    if re.match(r"https?:|[/\\]{2}", bare, re.IGNORECASE):
        return web_fault(address)
    if bare[0] in "/\\":
        start = f"begins with {bare[0]}"
        return f"{start}, so it breaks when the site moves; write the path from this page, such as ../index.html"
    if "\\" in re.split("[?#]", bare)[0]:
        return f"has \\ in it; write {bare.replace(chr(92), '/')}"
    return None


def _with_suggestion(address: str, base: bool) -> str | None:
    fault = next(_faults(address, base), None)
    repaired = _repaired(address, base) if fault else ""
    return f"{fault}; write {repaired}" if repaired and not any(_faults(repaired, base)) else fault


def _faults(address: str, base: bool) -> Iterator[str]:
    if unsafe := _UNSAFE.search(address):
        yield "has a space in it" if unsafe[0].isspace() else f"has {unsafe[0]} in it"
    parts = _PARTS.fullmatch(address)
    if not parts:
        yield "does not begin with https:// or http://"
        return
    yield from _host_faults(parts)
    if _BROKEN.search(address):
        yield "has a % without two hexadecimal digits after it"
    if {".", ".."} & set(map(unquote, parts["path"].split("/"))):
        yield "has a . or .. in its path"
    if base:
        yield from _base_faults(parts["path"], parts["rest"])


def _host_faults(parts: re.Match[str]) -> Iterator[str]:
    if not _HOST.fullmatch(parts["host"]) or not _can_be_split(parts[0]):
        yield "has no valid host, such as example.org"
    if parts["user"]:
        yield "has a user name or password in it, which every reader would see"
    if parts["port"] and not (_PORT.match(parts["port"]) and int(parts["port"][1:]) < 65536):
        yield "has a port that is not a number from 1 to 65535"


def _base_faults(path: str, rest: str) -> Iterator[str]:
    if "//" in path.rstrip("/"):
        yield "has // in its path"
    if encoded := re.search("%2f|%5c", path, re.IGNORECASE):
        yield f"has {encoded[0]} in its path"
    if rest:
        yield "has a ? or a #, which the address of a site or repository cannot have"


def _can_be_split(address: str) -> bool:
    try:
        urlsplit(address)
    except ValueError:
        return False
    return True


def _repaired(address: str, base: bool) -> str:
    """Return the address that the author may have meant, or "" if there is no good guess."""
    written = address.strip()
    if ssh := _SSH.fullmatch(written):
        return f"https://{ssh[1]}/{ssh[2]}"
    scheme, slashes, rest = re.split(r"^(https?:|)([/\\]*)", written, maxsplit=1, flags=re.IGNORECASE)[1:]
    parts = _PARTS.fullmatch(f"{scheme.lower() or 'https:'}//{rest}".replace("\\", "/"))
    is_web = scheme or len(slashes) > 1 or (parts and "." in parts["host"])
    if not parts or not is_web or _OTHER_SCHEME.match(written):
        return ""
    after_host = _resolved(parts["path"], base) + ("" if base else parts["rest"])
    port = (parts["port"] or "").removesuffix(":")
    return f"{parts['scheme']}{parts['host']}{port}" + _UNSAFE.sub(_quoted, _BROKEN.sub("%25", after_host))


def _resolved(path: str, base: bool) -> str:
    """Return a path without the segments . and .. and, for a base address, without empty segments."""
    kept = list[str]()
    segments = (re.sub("(?i)%2f|%5c", "/", path) if base else path).split("/")[1:]
    for segment in segments:
        if unquote(segment) == "..":
            del kept[-1:]
        elif unquote(segment) != "." and (segment or not base):
            kept.append(segment)
    is_folder = segments and unquote(segments[-1]) in {"", ".", ".."} and kept[-1:] != [""]
    return "".join(f"/{segment}" for segment in kept) + ("/" if is_folder else "")


def _quoted(match: re.Match[str]) -> str:
    return quote(match[0])
