"""What the README shows is what there is: its example builds, its commands and files exist."""

import re
import shutil
from pathlib import Path

import pytest

from scenebook import cli

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SITE = "site: {title: Coins, url: https://example.org/}\npages: [scenes/coin/page.yaml]\n"


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", README, re.DOTALL)
    assert found
    return found[1]


def test_the_example_does_not_build(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "scenes" / "coin").mkdir(parents=True)
    (tmp_path / "storyboard.yaml").write_text(SITE, encoding="utf-8")
    (tmp_path / "scenes" / "coin" / "page.yaml").write_text(block("yaml"), encoding="utf-8")
    (tmp_path / "scenes" / "coin" / "tosses.py").write_text(block("python"), encoding="utf-8")
    assert cli.main(["check", "--root", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "facts.lock: not found; run `make build` and commit the file\n"
    assert cli.main(["build", "--strict", "--root", str(tmp_path)]) == 0
    page = (tmp_path / "output" / "coin" / "index.html").read_text(encoding="utf-8")
    assert '<data value="0.005" data-from="coin/tosses.width">0.5%</data>' in page
    assert "coin/tosses.n = 10000\n" in (tmp_path / "facts.lock").read_text(encoding="utf-8")


def test_a_target_that_is_named_is_not_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z]+)", README, re.MULTILINE))
    assert named
    assert [target for target in sorted(named) if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []


def test_a_command_that_is_named_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    for command in sorted(set(re.findall(r"build\.py ([a-z]+)", README))):
        with pytest.raises(SystemExit) as caught:
            cli.main([command, "--help"])
        assert caught.value.code == 0
    assert "usage: scenebook" in capsys.readouterr().out


def test_a_file_that_is_linked_is_not_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def exercise(root: Path, value: str) -> int:
    """Build our site below `root` with the change that the README proposes, or a worse one."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "scenes", root / "scenes", dirs_exist_ok=True, ignore=ignored)
    shutil.copy(ROOT / "storyboard.yaml", root)
    scene = root / "scenes" / "attention" / "scaled_dot_product.py"
    assert "`KEEN = 2.5` into `KEEN = 3`" in README and "Make it a `1`" in README
    source = scene.read_text(encoding="utf-8")
    scene.write_text(re.sub(r"(?m)^KEEN = 2\.5\b", f"KEEN = {value}", source), encoding="utf-8")
    return cli.main(["build", "--strict", "--root", str(root)])


def test_the_exercise_publishes_what_is_false(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert exercise(tmp_path, "3") == 0
    page = tmp_path / "output" / "attention-is-all-you-need" / "index.html"
    good = page.read_text(encoding="utf-8")
    rows = re.findall(r"<tr>\s*<td>(cat|sat|down)</td>\s*<td>an? \w+, (.*?):", good)
    assert {word: re.sub(r"<.*?>", "", number) for word, number in rows} == {"cat": "3", "sat": "3", "down": "3"}
    assert "about half" not in good
    assert exercise(tmp_path, "1") == 1
    assert "the claim 'Every query’s winner is the word that it wants, without" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == good
