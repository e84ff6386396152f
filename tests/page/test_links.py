"""Dead links and other faults are found in finished pages."""

import pytest

from scenebook.page.links import check, outline

HEAD = '<!DOCTYPE html><html lang="en"><body><h1>Title</h1>'


def problems(base: str = "/site/", **pages: str) -> list[str]:
    texts = {path.replace("__", "/") + "/index.html": HEAD + text for path, text in pages.items()}
    outlines = {path: outline(text.encode()) for path, text in texts.items()}
    files = {*texts, "a/a.png", "static/site.css"}
    return [problem.message for problem in check(outlines, files, base, lambda path, _: [(path, 1)])]


NOWHERE = "leads nowhere; the site has no page or file at this address"


@pytest.mark.parametrize(
    "link",
    [
        "#here", "", "#top", "#:~:text=word", "index.html", "./", "../a/", "../b/#there", "../b/index.html#there",
        "a.png", "../static/site.css?v=1", "/site/a/", "/site/b/index.html", "mailto:me@example.org",
        "https://example.org/#x", "%61.png", " ../b/ ",
    ],
)  # fmt: skip
def test_a_good_link_is_accepted(link: str) -> None:
    assert problems(a=f'<p id="here"><a href="{link}">x</a>', b='<p id="there">') == []


@pytest.mark.parametrize(
    ("link", "fault"),
    [
        ("#heer", "leads to a missing place; a/index.html has no id 'heer'; did you mean '#here'?"),
        ("#gone", "leads to a missing place; a/index.html has no id 'gone'"),
        ("../b/#gone", "leads to a missing place; b/index.html has no id 'gone'"),
        ("../c/", f"{NOWHERE}"),
        ("A.png", f"{NOWHERE}; did you mean 'a.png'?"),
        ("../stat/site.css", f"{NOWHERE}; did you mean '../static/site.css'?"),
        ("../other/", f"{NOWHERE}; did you mean '../others/index.html'?"),
        ("../../", "leads outside the site, which is at /site/"),
        ("/elsewhere/", "leads outside the site, which is at /site/"),
        ("http://[foo", "is not an address: Invalid IPv6 URL"),
        ("//[foo/x", "is not an address: Invalid IPv6 URL"),
        ("//example.org/", "does not begin with https:// or http:// and a host"),
        ("///example.org/", "does not begin with https:// or http:// and a host"),
        ("https:/example.org/", "does not begin with https:// or http:// and a host"),
        ("http:example.org", "does not begin with https:// or http:// and a host"),
        ("/\\\\example.org", "leads outside the site, which is at /site/"),
        ("javascript:alert(1)", "leads to 'javascript:', which is not allowed"),
        ("data:text/html,x", "leads to 'data:', which is not allowed"),
    ],
)
def test_a_bad_link_is_reported(link: str, fault: str) -> None:
    assert problems(a=f'<a id="here" href="{link}">x</a>', b="", others="") == [f"the link {link!r} {fault}"]


def test_a_missing_asset_is_reported() -> None:
    assert problems(a='<img src="gone.png" alt="">') == [f"the link 'gone.png' {NOWHERE}"]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('<p id="x"></p><p id="x">', "the id 'x' is used twice; give each element of a page its own id"),
        ('<img src="a.png">', "the image 'a.png' has no alt text"),
        ("<h1>Again</h1>", "the page has 2 headings of the first level; it needs one"),
        ("<h3>Deep</h3>", "a heading of level 3 follows one of level 1"),
        (
            '<a href="https://e.org" target="_blank">x</a>',
            "the link 'https://e.org' opens a window without rel=noopener; add it",
        ),
    ],
)
def test_a_fault_of_one_page_is_reported(text: str, fault: str) -> None:
    assert problems(a=text) == [fault]


def test_comments_and_scripts_are_not_checked() -> None:
    assert problems(a="<!-- <a href='gone'> --><SCRIPT>const a = \"<img src='gone'>\"</SCRIPT>") == []


def test_a_missing_script_is_reported() -> None:
    fault = f"the link 'gone.js' {NOWHERE}"
    assert problems(a='<script src="gone.js" defer></script>') == [fault]


def test_each_address_of_a_srcset_is_checked() -> None:
    kept = "<style-guide></style-guide>"
    pictures = f'<img src="a.png" srcset="a.png 1x, data:image/png;base64,AA 2x, gone.png 3.5x" alt="">{kept}'
    assert problems(a=pictures) == [f"the link 'gone.png' {NOWHERE}"]


def test_a_page_without_a_language_is_reported() -> None:
    assert outline(b"<html><h1>x</h1>").faults == ("the page does not say its language; write <html lang=...>",)


def test_the_address_of_a_site_may_have_escapes() -> None:
    assert problems("/my%20site/", a='<a href="/my%20site/b/">x</a>', b="") == []
