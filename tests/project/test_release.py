"""A release is refused until version, changelog and tag agree; its notes are what the changelog says about it."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from scenebook import cli

ROOT = Path(__file__).parents[2]
SPEC = importlib.util.spec_from_file_location("release", ROOT / ".github/release.py")
assert SPEC
assert SPEC.loader
release = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(release)

CHANGELOG = """\
# Changelog

## [1.2.0] - 2030-01-31
New things.

### Added
- One [link](https://example.org/).

## [1.1.0] - 2029-01-31
### Fixed
- Two.
"""


def faults(
    version: str = "1.2.0", changelog: str = CHANGELOG, tag: str | None = None, old: dict[str, str] | None = None
) -> list[str]:
    return list(release.not_ready(version, changelog, tag, old or {}))


def test_a_release_is_ready_if_version_changelog_and_tag_agree() -> None:
    assert faults() == []
    assert faults(tag="v1.2.0", old={"scenes.heading": "1.2.0"}) == []


@pytest.mark.parametrize(
    ("first", "found"),
    [("## [Unreleased]\n", "begins with [Unreleased]"), ("## [1.3.0] - 2031-01-31\n", "begins with [1.3.0]")],
)
def test_a_changelog_that_begins_with_anything_else_is_refused(first: str, found: str) -> None:
    [fault] = faults(changelog=CHANGELOG.replace("## [1.2", f"{first}\n## [1.2", 1))
    assert fault == f"CHANGELOG.md: {found}; begin it with '## [1.2.0] - YEAR-MONTH-DAY', or change the version"


def test_a_changelog_without_a_release_is_refused() -> None:
    [fault] = faults(changelog="# Changelog\n")
    assert fault.startswith("CHANGELOG.md: lists no release; ")


def test_a_tag_with_another_version_is_refused() -> None:
    assert faults(tag="v1.2.1") == [
        "scenebook/__init__.py: the version is 1.2.0, but the tag is v1.2.1; the tag has to be v1.2.0"
    ]


def test_a_key_that_has_had_its_warning_for_a_release_is_refused() -> None:
    assert faults(old={"scenes.heading": "1.1.0"}) == [
        "scenebook/storyboard/_old_keys.py: scenes.heading has had its warning since 1.1.0; remove it"
    ]


def test_the_notes_are_those_of_the_first_release() -> None:
    assert release.notes(CHANGELOG) == "New things.\n\n### Added\n- One [link](https://example.org/).\n"
    assert release.notes(CHANGELOG[: CHANGELOG.index("## [1.1")]) == release.notes(CHANGELOG)


def test_the_hook_for_pre_commit_runs_a_command_without_the_names_of_files() -> None:
    [hook] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    program, command = hook["entry"].split()
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert program in scripts
    assert command in cli.COMMANDS
    assert (hook["language"], hook["pass_filenames"], hook["always_run"]) == ("python", False, True)
    assert f"hook `{hook['id']}`" in (ROOT / "REFERENCE.md").read_text(encoding="utf-8").replace("\n", " ")


def test_our_changelog_keeps_to_the_convention() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^(##+) (.+)$", text, re.MULTILINE)
    releases = [title for level, title in headings if level == "##"]
    kinds = {title for level, title in headings if level == "###"}
    assert releases
    for title in releases:
        assert re.fullmatch(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}", title), title
    assert kinds
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
