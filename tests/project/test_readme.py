"""README and REFERENCE are true: the example builds, and their commands and files exist."""

import re
from pathlib import Path

import pytest

from scenebook import cli

ROOT = Path(__file__).parents[2]
README, REFERENCE = ((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "REFERENCE.md"))
BOTH = README + REFERENCE
SITE = "site: {title: Coins, url: https://example.org/}\npages: [scenes/coin/page.yaml]\n"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_example_builds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scenes" / "coin").mkdir(parents=True)
    (tmp_path / "storyboard.yaml").write_text(SITE, encoding="utf-8")
    (tmp_path / "scenes" / "coin" / "page.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "scenes" / "coin" / "tosses.py").write_text(block("python"), encoding="utf-8")
    assert cli.main(["check", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "facts.lock: not found; run `scenebook build` and commit the file\n"
    assert cli.main(["build", "--strict", "--root", str(tmp_path)]) == 0
    page = (tmp_path / "output" / "coin" / "index.html").read_text(encoding="utf-8")
    assert '<data value="0.005" data-from="coin/tosses.width">0.5%</data>' in page
    assert "coin/tosses.n = 10000\n" in (tmp_path / "facts.lock").read_text(encoding="utf-8")


def test_every_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", BOTH, re.MULTILINE))
    assert named
    assert [target for target in sorted(named) if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_every_command_that_is_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    for command in sorted(set(re.findall(r"build\.py ([a-z]+)", BOTH))):
        with pytest.raises(SystemExit) as caught:
            cli.main([command, "--help"])
        assert caught.value.code == 0
    assert "usage: scenebook" in capsys.readouterr().out


def test_every_file_that_is_linked_exists() -> None:
    """Links to the pages of the first site are checked beside these pages."""
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", BOTH) if not re.match(r"https?://|scenes/", link)]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
