"""A terminal shows what a message quotes, and does not act on it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scenebook import progress
from scenebook.build.result import FinishedJob
from scenebook.core.problems import Problem, printable
from tests.support.changing_site import Site, write

ENGINE = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain − é 日本 \N{WAVING HAND SIGN} no\N{NO-BREAK SPACE}break", None),
        ("می\N{ZERO WIDTH NON-JOINER}خواهم \N{WOMAN}\N{ZERO WIDTH JOINER}\N{PERSONAL COMPUTER}", None),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\x1b[31mred\x07\x7f\x9b", r"\x1b[31mred\x07\x7f\x9b"),
        ("\x00", r"\x00"),
        ("a\u202eb\u2066c\u200f", r"a\u202eb\u2066c\u200f"),
        ("two\u2028lines\u2029\x85\x0b\x0c", r"two\u2028lines\u2029\x85\x0b\x0c"),
        ("\ud800\udce9", r"\ud800\udce9"),
        ("\ufeff\u200b\u00ad\U000e0041", r"\ufeff\u200b\xad\U000e0041"),
    ],
)
def test_characters_that_act_on_a_terminal_are_escaped(text: str, expected: str | None) -> None:
    assert printable(text) == (text if expected is None else expected)


def test_a_problem_is_one_line_whatever_it_quotes() -> None:
    problem = Problem("a\nb.yaml", 3, "scenes.\x1b[2J", "a\r\nwarning: b.yaml:1: c\u202e", warning=True)
    assert str(problem) == r"a\nb.yaml:3: scenes.\x1b[2J: warning: a\r\nwarning: b.yaml:1: c\u202e"


def test_what_a_scene_prints_keeps_its_lines_and_cannot_act_on_the_terminal() -> None:
    output = "1 %\r 2 %\r\n\x1b[31mred\x1b[0m\n\tt\u2028t\n"
    ran = FinishedJob("page/one", "compute", 0.5, output, failed=False, because="a\x1b.csv changed", batch=1)
    assert progress.line(ran, verbose=True).split("\n") == [
        r"compute page/one 0.50 s (a\x1b.csv changed)",
        "    | 1 %",
        "    |  2 %",
        r"    | \x1b[31mred\x1b[0m",
        "    | \tt\\u2028t",
    ]


NASTY = "a\\nb\\x1b[31m\\r c\\u202e\\ud800"
SCENE = f'''
import sys


def compute():
    print("{NASTY}".encode("utf-8", "replace").decode())
    sys.stderr.buffer.write(b"\\x1b\\xff\\n")
    raise ValueError("{NASTY}")
'''


def nasty_site() -> Site:
    """A site whose file names and texts hold characters that a terminal would act on."""
    scene = {"id": "one", "title": "One", "compute": "one.py", "text": "Words.", "no\x1bkey": "\x1b"}
    page = {"slug": "page", "title": "Page", "summary": "Words and {{ one.\x1bx }}.", "scenes": [scene]}
    return Site(pages=[page], texts={"scenes/one.py": SCENE})


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_no_command_lets_a_site_act_on_the_terminal(tmp_path: Path, encoding: str) -> None:
    root = tmp_path / "ro\x1bot"
    site = nasty_site()
    write(root, site.files())
    printed = run(root, encoding, "build") + run(root, encoding, "--fl\x1bag")
    del site.pages[0]["scenes"][0]["no\x1bkey"]
    site.pages[0]["summary"] = "Words."
    site.texts["templates/static/\x1bname.css"] = ""
    (root / "templates").mkdir()
    write(root, site.files())
    printed += run(root, encoding, "build") + run(root, encoding, "run", "one") + run(root, encoding, "run", "\x1b")
    site.texts["scenes/one.py"] = "def compute():\n    return {'text': 'a\\x1b', open('data/\\x1bone').read(): 1}\n"
    site.texts["data/\x1bone"] = "\x1b"
    write(root, site.files())
    printed += (
        run(root, encoding, "build") + run(root, encoding, "why", "one") + run(root, encoding, "review", "HE\x1bAD")
    )
    assert printed.count(r"\x1b") > 10
    assert r"scenes/one.py:8: page/one: ValueError: a\nb\x1b[31m\r c\u202e\ud800" + "\n" in printed
    assert [line for line in printed.split("\n") if not line.replace("\ufffd", "").isprintable()] == []


def run(root: Path, encoding: str, command: str, *arguments: str) -> str:
    """Run a command, and return all that it prints."""
    started = [sys.executable, "-X", f"utf8={encoding == 'utf-8':d}", "-m", "scenebook", command, *arguments]
    environment = {"PYTHONIOENCODING": encoding, "LC_ALL": "C.UTF-8" if encoding == "utf-8" else "C"}
    done = subprocess.run(
        [*started, "--root", str(root)], cwd=ENGINE, env=environment, capture_output=True, check=False, timeout=100
    )
    return (done.stdout + done.stderr).decode(encoding)
