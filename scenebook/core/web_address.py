r"""Addresses as authors write them: what is wrong with one, and how to write it instead.

Browsers repair what they are given: `https:/host`, `\\host` and `/a/../b` lead somewhere, but not always to where they
seem to lead. So an address must be written in full.
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
_OTHER = re.compile(r"(?!https?:)[a-z][a-z0-9+-]*:(?!\d)", re.IGNORECASE)
"""The scheme of no web address, but not the host of localhost:8000."""
_CLONED = re.compile(r"(?:ssh://)?git@([\w.-]+)[:/](.+?)(?:\.git)?/?")
"""What `git clone` takes."""


def web_fault(address: str) -> str | None:
    """What is wrong with an address in the web, as the rest of a sentence about it."""
    return _with_cure(address, base=False)


def base_fault(address: str) -> str | None:
    """The same for an address to which paths are added, such as that of a site or a repository."""
    return _with_cure(address, base=True)


def link_fault(address: str) -> str | None:
    """The same for a link in a text, which leads into the web, to a mail address or to a place in the site."""
    bare = "".join(address.split())
    if not bare:
        return "is empty; write an address between the parentheses"
    if re.match(r"https?:|[/\\]{2}", bare, re.IGNORECASE):
        return web_fault(address)
    if bare[0] in "/\\":
        begins = f"begins with {bare[0]}"
        return f"{begins}, so it breaks when the site moves; write the way from this page, such as ../index.html"
    if "\\" in re.split("[?#]", bare)[0]:
        return f"has \\ in it; write {bare.replace(chr(92), '/')}"
    return None


def _with_cure(address: str, base: bool) -> str | None:
    reason = next(_reasons(address, base), None)
    mended = _mended(address, base) if reason else ""
    return f"{reason}; write {mended}" if mended and not any(_reasons(mended, base)) else reason


def _reasons(address: str, base: bool) -> Iterator[str]:
    if unsafe := _UNSAFE.search(address):
        yield "has a space in it" if unsafe[0].isspace() else f"has {unsafe[0]} in it"
    parts = _PARTS.fullmatch(address)
    if not parts:
        yield "does not begin with https:// or http://"
        return
    yield from _reasons_in_host(parts)
    if _BROKEN.search(address):
        yield "has a % without two hexadecimal digits after it"
    if {".", ".."} & set(map(unquote, parts["path"].split("/"))):
        yield "has a . or .. in its path"
    if base:
        yield from _reasons_in_base(parts["path"], parts["rest"])


def _reasons_in_host(parts: re.Match[str]) -> Iterator[str]:
    if not _HOST.fullmatch(parts["host"]) or not _can_be_split(parts[0]):
        yield "has no valid host, such as example.org"
    if parts["user"]:
        yield "has a user name or password in it, which every reader would see"
    if parts["port"] and not (_PORT.match(parts["port"]) and int(parts["port"][1:]) < 65536):
        yield "has a port that is not a number from 1 to 65535"


def _reasons_in_base(path: str, rest: str) -> Iterator[str]:
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


def _mended(address: str, base: bool) -> str:
    """An address as it may have been meant, or nothing where that cannot be known."""
    written = address.strip()
    if cloned := _CLONED.fullmatch(written):
        return f"https://{cloned[1]}/{cloned[2]}"
    scheme, slashes, rest = re.split(r"^(https?:|)([/\\]*)", written, maxsplit=1, flags=re.IGNORECASE)[1:]
    parts = _PARTS.fullmatch(f"{scheme.lower() or 'https:'}//{rest}".replace("\\", "/"))
    is_web = scheme or len(slashes) > 1 or (parts and "." in parts["host"])
    if not parts or not is_web or _OTHER.match(written):
        return ""
    behind = _resolved(parts["path"], base) + ("" if base else parts["rest"])
    port = (parts["port"] or "").removesuffix(":")
    return f"{parts['scheme']}{parts['host']}{port}" + _UNSAFE.sub(_quoted, _BROKEN.sub("%25", behind))


def _resolved(path: str, base: bool) -> str:
    """A path without the segments . and .. and, where paths are added to it, without empty ones."""
    kept = list[str]()
    steps = (re.sub("(?i)%2f|%5c", "/", path) if base else path).split("/")[1:]
    for step in steps:
        if unquote(step) == "..":
            del kept[-1:]
        elif unquote(step) != "." and (step or not base):
            kept.append(step)
    ends = steps and unquote(steps[-1]) in {"", ".", ".."} and kept[-1:] != [""]
    return "".join(f"/{step}" for step in kept) + ("/" if ends else "")


def _quoted(match: re.Match[str]) -> str:
    return quote(match[0])
