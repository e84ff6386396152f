"""Templates have limits of time, memory, size and depth, and their mistakes are reported at their lines."""

from __future__ import annotations

import os
import re
import resource
import signal
import threading
from pathlib import Path

import pytest

from scenebook.cache.store import Cache
from scenebook.cache.versions import OWN_TEMPLATES
from scenebook.cli import main
from scenebook.core.problems import Problems
from scenebook.page import _limits as limits
from scenebook.page import templates
from tests.support.changing_site import Site, write

LONG = "\n{% for a in range(10**6) %}{% for b in range(10**6) %}{% endfor %}{% endfor %}"
TOO_LONG = "t.html:2: takes more than 1 s of processor time; check that its loops end"
TOO_LARGE = "needs more than 1 GB of memory"
ENDLESS = "includes or calls itself endlessly, or is nested too deeply"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "SECONDS", 1)


def made(folder: Path, text: str, name: str = "t.html") -> bytes:
    """The bytes that a template of a site renders to."""
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    ready = templates.environment(folder)
    templates.warm(ready)
    return templates.render(ready, name, words="words")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LONG, TOO_LONG),
        (f"{{% set kept %}}{LONG}{{% endset %}}", TOO_LONG),
        ("\n{{ 10**(10**10) }}", TOO_LONG),
        ("\n{% for a in range(10**12) %}{% endfor %}", "t.html:2: range() is limited to 1,000,000 numbers"),
        ("\n{{ 'a' * 10**10 }}", f"t.html:2: {TOO_LARGE}"),
        ("\n{{ ('a' * 10**8)|upper }}{{ 'a' * 10**8 }}", "t.html:2: writes more than 128 MB"),
        ("\n{% include 't.html' %}", f"t.html:2: {ENDLESS}"),
        ("\n{% extends 't.html' %}", f"t.html:2: {ENDLESS}"),
        ("\n{% import 't.html' as t %}", f"t.html:2: {ENDLESS}"),
        ("\n{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", f"t.html:2: {ENDLESS}"),
        ("{% block b %}\n{{ self.b() }}{% endblock %}", f"t.html:2: {ENDLESS}"),
        (f"{{{{ {'(' * 3000}1{')' * 3000} }}}}", f"t.html: {ENDLESS}"),
        (
            f"{'{% if 1 %}{% for a in [1] %}' * 25}{'{% endfor %}{% endif %}' * 25}",
            "t.html: too many statically nested blocks",
        ),
        ("\n\n{{ words.center('x') }}", "t.html:3: 'str' object cannot be interpreted as an integer"),
    ],
)
def test_a_template_that_exceeds_a_limit_is_reported_at_its_line(tmp_path: Path, text: str, message: str) -> None:
    before = resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGVTALRM)
    with pytest.raises(Problems) as raised:
        made(tmp_path / "templates", text)
    assert str(raised.value).startswith(f"templates/{message}")
    assert (resource.getrlimit(resource.RLIMIT_AS), signal.getsignal(signal.SIGVTALRM)) == before
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0, 0)


def test_a_template_that_writes_too_much_is_reported_at_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "SIZE", 1 << 20)
    with pytest.raises(Problems, match=r"^templates/t\.html:2: writes more than 1 MB$"):
        made(tmp_path, "{% for a in range(10**6) %}\n{% for b in range(10**6) %}\nwords{% endfor %}{% endfor %}")


def test_a_mistake_is_reported_with_the_folder_of_its_template(tmp_path: Path) -> None:
    """The names of the folders above the site do not matter."""
    folder = tmp_path / "templates" / "site" / "templates"
    (folder / "shared").mkdir(parents=True)
    (folder / "shared/foot.html").write_text("\n\n{{ 1 // 0 }}", encoding="ascii")
    with pytest.raises(Problems, match=r"^templates/shared/foot\.html:3: integer division or modulo by zero$"):
        made(folder, "{% include 'shared/foot.html' %}")


def test_what_is_left_out_is_not_shown_as_none(tmp_path: Path) -> None:
    message = r"^templates/t\.html:2: shows something that is left out; put \{% if \.\.\. %\} around it$"
    with pytest.raises(Problems, match=message):
        made(tmp_path, "{% set left_out = {}.get('a') %}\n{{ left_out }}")
    assert made(tmp_path, "{% set left_out = {}.get('a') %}{{ left_out or words }}{{ 0 }}") == b"words0\n"


def test_a_template_within_its_limits_is_rendered(tmp_path: Path) -> None:
    assert made(tmp_path, "{% for a in range(1000) %}{{ words }}{% endfor %}") == b"words" * 1000 + b"\n"
    assert made(tmp_path, "{{ range(10**6)|length }} {{ ('a' * 10**7)|length }} {{ range(5, 1, -2)|list }}") == (
        b"1000000 10000000 [5, 3]\n"
    )


def test_a_template_that_takes_too_long_is_rendered_for_only_one_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site = Site(texts={}, pages=[{"slug": slug, "title": "A", "summary": "Words.", "scenes": []} for slug in "abc"])
    for each in site.pages:
        each["scenes"] = [{"id": "one", "title": "One", "text": "Words."}]
    site.texts["templates/page.html"] = LONG
    write(tmp_path, site.files())
    assert main(["build", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"templates/page.html:2: {TOO_LONG.partition(': ')[2]}\n"
    assert not (tmp_path / "output").exists()


def test_code_that_catches_the_timeout_is_interrupted_again() -> None:
    caught = 0
    with pytest.raises(limits.TooLongError), limits.limited(0.05):
        while True:
            try:
                while True:
                    pass
            except limits.TooLongError:
                caught += 1
                if caught == 2:
                    raise
    assert caught == 2


def test_code_in_another_thread_has_no_limits() -> None:
    done: list[int] = []

    def work() -> None:
        with limits.limited(0.001):
            done.append(sum(range(10**6)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [499999500000]


def test_our_own_scripts_lose_comments_and_indentation_alone() -> None:
    source = OWN_TEMPLATES / "static/page.js"
    written, lines = templates.asset(source).decode(), source.read_text(encoding="utf-8").splitlines()
    assert written.splitlines() == [line.strip() for line in lines if line.strip() and line.strip()[:2] != "//"]


def test_a_script_of_a_site_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "own.js").write_text("// A comment.\n  a = `\n  b`;\n", encoding="utf-8")
    assert templates.asset(tmp_path / "own.js") == b"// A comment.\n  a = `\n  b`;\n"


def test_a_template_can_use_the_engines_template_of_the_same_name(tmp_path: Path) -> None:
    own = (OWN_TEMPLATES / "mark.svg").read_bytes().strip()
    assert made(tmp_path, "<b>{% include 'scenebook/mark.svg' %}</b>", "mark.svg") == b"<b>" + own + b"</b>\n"
    with pytest.raises(Problems, match=r"^templates/t\.html:1: there is no template 'none\.html'$"):
        made(tmp_path, "{% extends 'scenebook/none.html' %}")


def test_a_folder_may_have_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    """In an ASCII locale that is each name with other letters."""
    folder = tmp_path / os.fsdecode(b"\xff")
    write(folder, {"templates/t.html": b"words"})
    ready = templates.environment(folder / "templates", Cache(tmp_path / "cache", folder))
    assert templates.render(ready, "t.html") == b"words\n"


def test_the_stable_blocks_are_those_of_the_templates(tmp_path: Path) -> None:
    contributing = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+\.html)` \| (`.*`) \|", contributing, re.MULTILINE)
    listed = {(template, block) for template, blocks in rows for block in re.findall(r"`(\w+)`", blocks)}
    ready = templates.environment(tmp_path)
    blocks = {name: set(ready.get_template(name).blocks) for name in ("base.html", "page.html")}
    assert listed == {("base.html", block) for block in blocks["base.html"]} | {
        ("page.html", block) for block in blocks["page.html"] - blocks["base.html"]
    }
