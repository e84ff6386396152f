"""An address that a browser would have to repair is refused, with a suggestion where there is a good one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scenebook.core.web_address import base_fault, link_fault, web_fault

SCHEME = "does not begin with https:// or http://"
HOST = "has no valid host, such as example.org"
PORT = "has a port that is not a number from 1 to 65535"
USER = "has a user name or password in it, which every reader would see"
DOTS = "has a . or .. in its path"


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org",
        "http://example.org/repo/",
        "https://Example.ORG:8080/a%20b/",
        "http://localhost:8000/",
        "http://127.0.0.1/",
        "https://[::1]:80/x",
        "https://пример.рф/注意/",
        "https://example.org/a.b/..c/...",
        "https://example.org/repo//",
    ],
)
def test_a_good_address_has_no_fault(address: str) -> None:
    assert (web_fault(address), base_fault(address), link_fault(address)) == (None, None, None)


@pytest.mark.parametrize(
    ("address", "reason", "cure"),
    [
        ("example.org", SCHEME, "https://example.org"),
        ("//example.org/x", SCHEME, "https://example.org/x"),
        ("http:example.org", SCHEME, "http://example.org"),
        ("https:/example.org/x", SCHEME, "https://example.org/x"),
        ("HTTPS://example.org/x", SCHEME, "https://example.org/x"),
        ("git@github.com:a/b.git", SCHEME, "https://github.com/a/b"),
        ("/repo/", SCHEME, None),
        ("javascript:alert(1)", SCHEME, None),
        ("mailto:me@example.org", SCHEME, None),
        ("https:\\\\example.org\\x", "has \\ in it", "https://example.org/x"),
        (" https://example.org/", "has a space in it", "https://example.org/"),
        ("https://example.org/a b/", "has a space in it", "https://example.org/a%20b/"),
        ('https://example.org/"x"', 'has " in it', "https://example.org/%22x%22"),
        ("https://", HOST, None),
        ("https:///x", HOST, "https://x"),
        ("https://[::1", HOST, None),
        ("https://[1:2]/", HOST, None),
        ("https://a..b/", HOST, None),
        ("https://exa%6dple.org/", HOST, None),
        ("https://exa\u2100mple.org/", HOST, None),
        ("https://me:pass@example.org/x", USER, "https://example.org/x"),
        ("https://example.org:/", PORT, "https://example.org/"),
        ("https://example.org:port/", PORT, None),
        ("https://example.org:0/", PORT, None),
        ("https://example.org:65536/", PORT, None),
        ("https://example.org/50%/", "has a % without two hexadecimal digits after it", "https://example.org/50%25/"),
        ("https://example.org/repo/../x/", DOTS, "https://example.org/x/"),
        ("https://example.org/../../x", DOTS, "https://example.org/x"),
        ("https://example.org/a/.", DOTS, "https://example.org/a/"),
        ("https://example.org/a/%2e%2E/x/", DOTS, "https://example.org/x/"),
    ],
)
def test_an_address_that_a_browser_would_repair_is_refused(address: str, reason: str, cure: str | None) -> None:
    message = reason + (f"; write {cure}" if cure else "")
    assert (web_fault(address), base_fault(address)) == (message, message)


@pytest.mark.parametrize(
    ("address", "reason", "cure"),
    [
        ("https://example.org//repo//", "has // in its path", "https://example.org/repo/"),
        ("https://example.org/a%2Fb/", "has %2F in its path", "https://example.org/a/b/"),
        ("https://example.org/a%5cb", "has %5c in its path", "https://example.org/a/b"),
        (
            "https://example.org/x?a#b",
            "has a ? or a #, which the address of a site or repository cannot have",
            "https://example.org/x",
        ),
    ],
)
def test_a_base_address_must_be_one_that_paths_can_be_added_to(address: str, reason: str, cure: str) -> None:
    assert base_fault(address) == f"{reason}; write {cure}"
    assert web_fault(address) is None


@pytest.mark.parametrize("address", ["#a", "?q", "a.html", "../b/#c", "mailto:me@example.org", "#:~:text=a\\b"])
def test_a_link_can_be_relative_or_a_mail_address(address: str) -> None:
    assert link_fault(address) is None


@given(st.text(alphabet="htps:/\\.%2e@#?[]ab ö", max_size=30))
def test_a_suggested_address_has_no_fault(address: str) -> None:
    for fault in (web_fault, base_fault):
        if "; write " in (message := fault(address) or ""):
            assert fault(message.partition("; write ")[2]) is None
