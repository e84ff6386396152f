"""What the README says about this site is true."""

import re
import shutil
from pathlib import Path

import pytest

from scenebook import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_page_that_the_readme_links_exists() -> None:
    links = re.findall(r"\]\((scenes/[^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def exercise(root: Path, value: str) -> int:
    """Build the site below `root` with this value of KEEN. The README proposes one that is good and one that is not.

    The pages with hundreds of settings are left out, because they would take most of the time.
    """
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "scenes", root / "scenes", dirs_exist_ok=True, ignore=ignored)
    shutil.copy(ROOT / "storyboard.yaml", root)
    for file in (root / "storyboard.yaml", *root.glob("scenes/*/page.yaml")):
        text = re.sub(r", *[\w-]+-hands-on\b", "", file.read_text(encoding="utf-8"))
        file.write_text(re.sub(r"(?m)^.*(_by_hand|-hands-on\b).*\n", "", text), encoding="utf-8")
    scene = root / "scenes" / "attention" / "scaled_dot_product.py"
    assert "`KEEN = 2.5` into `KEEN = 3`" in README and "Change it to `1`" in README
    source = scene.read_text(encoding="utf-8")
    scene.write_text(re.sub(r"(?m)^KEEN = 2\.5\b", f"KEEN = {value}", source), encoding="utf-8")
    return cli.main(["build", "--strict", "--root", str(root)])


def test_the_exercise_changes_the_page_and_a_false_page_is_not_published(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exercise(tmp_path, "3") == 0
    page = tmp_path / "output" / "attention-is-all-you-need" / "index.html"
    good = page.read_text(encoding="utf-8")
    rows = re.findall(r"<tr>\s*<td>(cat|sat|down)</td>\s*<td>an? \w+, (.*?):", good)
    assert {word: re.sub(r"<.*?>", "", number) for word, number in rows} == {"cat": "3", "sat": "3", "down": "3"}
    assert exercise(tmp_path, "1") == 1
    assert "the claim 'Every query’s winner is the word that it wants, without" in capsys.readouterr().err
    assert page.read_text(encoding="utf-8") == good
