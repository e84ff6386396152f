"""A new site builds, passes its own tests, and has pinned everything that it needs."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scenebook import cli
from scenebook.build import engine_wheel, new_site
from scenebook.core.problems import Problems

ROOT = Path(__file__).parents[2]
STARTER = ROOT / "starters" / "site"
LOCKS = (ROOT / "requirements.txt", ROOT / "requirements-dev.txt")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new") / "a site"
    new_site.write(folder)
    return folder


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def pins(lock: str) -> dict[str, str]:
    """Return the version and the hashes of each package in a lock file. The system that needs it may differ."""
    packages = re.findall(r"^([a-z0-9-]+)(==[^ ]+).*\n((?: +--hash=.*\n)+)", lock, flags=re.MULTILINE)
    return {name: version + hashes.replace("\\", "") for name, version, hashes in packages}


def test_it_builds_without_warnings_and_its_facts_are_those_it_came_with(
    site: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["check", "--root", str(site)]) == 0
    assert capsys.readouterr().err == ""
    page = (site / "output/random-walk/index.html").read_text(encoding="utf-8")
    assert 'data-from="random-walk/distance.after_all">10</data>' in page


def test_its_own_tests_pass(site: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=site, capture_output=True, text=True, check=False)
    assert (done.returncode, "4 passed" in done.stdout) == (0, True), done.stdout


def test_a_coin_that_is_not_fair_breaks_the_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The README of the site says so."""
    new_site.write(tmp_path / "site")
    page = tmp_path / "site/scenes/random_walk/page.yaml"
    page.write_text(page.read_text(encoding="utf-8").replace("heads: 0.5", "heads: 0.6"), encoding="utf-8")
    assert cli.main(["build", "--root", str(tmp_path / "site")]) == 1
    assert capsys.readouterr().err.startswith("scenes/random_walk/page.yaml:58: scenes.distance.claims.1: the claim ")


def test_the_command_says_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "mine"]) == 0
    written = len(files(tmp_path / "mine"))
    expected = f"wrote {written} files into mine; to see the site, run `make serve` in that folder\n"
    assert capsys.readouterr().out == expected
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert cli.main(["new", "."]) == 0
    assert capsys.readouterr().out == f"wrote {written} files into this folder; to see the site, run `make serve`\n"


def test_nothing_is_written_if_a_file_is_in_the_way(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "README.md").write_text("mine", encoding="utf-8")
    (tmp_path / "facts.lock").symlink_to("nowhere")
    (tmp_path / "scenes").write_text("also mine", encoding="utf-8")
    before = files(tmp_path)
    assert cli.main(["new", str(tmp_path)]) == 1
    advice = "so nothing was written; move it away, or choose another name"
    assert capsys.readouterr().err.splitlines() == [
        f"{tmp_path}/README.md: exists already, {advice}",
        f"{tmp_path}/facts.lock: exists already, {advice}",
        f"{tmp_path}/scenes: is not a folder, {advice}",
    ]
    assert files(tmp_path) == before
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_file_is_no_place_for_a_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    assert cli.main(["new", str(tmp_path / "mine")]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'mine'}: is not a folder, so nothing was written; ")
    assert cli.main(["new", str(tmp_path / "mine/site")]) == 1
    assert capsys.readouterr().err.startswith(f"{tmp_path / 'mine'}: is not a folder, so nothing was written; ")


def test_a_full_disk_leaves_no_half_of_a_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_until_full(path: Path, mode: str, real: Any = Path.open) -> Any:
        if path.name == "two.txt":
            raise OSError(28, "No space left on device")
        return real(path, mode)

    monkeypatch.setattr(Path, "open", open_until_full)
    with pytest.raises(Problems, match=r"^a/two.txt: cannot be written: No space left on device$"):
        new_site.add(tmp_path, {"a/one.txt": b"1", "a/two.txt": b"2"})
    assert files(tmp_path) == set()


def test_a_folder_inside_a_site_is_refused(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", str(site / "waves")]) == 1
    advice = "for a page, write `scenebook new page waves`, and for a site choose a folder outside"
    assert capsys.readouterr().err == f"{site / 'waves'}: is inside the site in {site}; {advice}\n"
    assert not (site / "waves").exists()


def test_a_folder_with_a_site_is_refused(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", str(site)]) == 1
    advice = "to add a page, write `scenebook new page NAME` in it"
    assert capsys.readouterr().err == f"{site}: has a site already; {advice}\n"


def test_a_name_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "page"]) == 2
    advice = "write `scenebook new page NAME`, or `scenebook new ./page` for a site in a folder of this name"
    assert capsys.readouterr().err == f"a new page needs a name; {advice}\n"
    assert cli.main(["new", "track", "waves"]) == 2
    assert capsys.readouterr().err.startswith("only a page or a scene takes a second word; write `scenebook new page ")


def test_no_name_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A shell gives an empty name for a variable that is not set."""
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", ""]) == 2
    assert capsys.readouterr().err.startswith("a new site needs a folder; write `scenebook new DIR`")
    assert files(tmp_path) == set()


def test_a_site_in_a_folder_called_page_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["new", "./page"]) == 0
    assert (tmp_path / "page/storyboard.yaml").exists()


def test_the_engine_is_pinned_with_the_hash_of_its_wheel(site: Path) -> None:
    [wheel] = (site / "vendor").iterdir()
    hashed = hashlib.sha256(wheel.read_bytes()).hexdigest()
    lock = (site / "requirements.txt").read_text(encoding="utf-8")
    assert f"\n./vendor/{wheel.name} \\\n    --hash=sha256:{hashed}\nsimpleeval==" in lock
    assert (site / "requirements.in").read_text(encoding="utf-8").splitlines()[-1] == f"./vendor/{wheel.name}"
    assert hashed == engine_wheel.pack().sha256


def test_an_engine_from_a_release_is_pinned_by_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    address, sha256 = "https://example.org/scenebook-9.9.9-py3-none-any.whl", "0" * 64

    class Installed:
        def read_text(self, name: str) -> str:
            assert name == "direct_url.json"
            return f'{{"url": "{address}", "archive_info": {{"hashes": {{"sha256": "{sha256}"}}}}}}'

    monkeypatch.setattr(new_site, "distribution", lambda _: Installed())
    written = new_site.contents()
    assert [path for path in written if path.startswith("vendor/")] == []
    assert f"\nscenebook @ {address} \\\n    --hash=sha256:{sha256}\n" in written["requirements.txt"].decode()
    assert written["requirements.in"].decode().endswith(f"scenebook @ {address}\n")


def test_all_other_packages_are_pinned_as_for_the_engine() -> None:
    ours = {name: pin for lock in reversed(LOCKS) for name, pin in pins(lock.read_text(encoding="utf-8")).items()}
    theirs = pins((STARTER / "requirements.txt").read_text(encoding="utf-8"))
    assert {name: ours[name] for name in theirs} == theirs
    assert pins(LOCKS[0].read_text(encoding="utf-8")).keys() | {"pytest"} <= theirs.keys()
    assert all("--hash=sha256:" in pin for pin in theirs.values())


def test_the_schemas_are_where_the_files_name_them(site: Path) -> None:
    for name in ("storyboard.yaml", "scenes/random_walk/page.yaml"):
        first = (site / name).read_text(encoding="utf-8").partition("\n")[0]
        assert (site / name).parent.joinpath(first.removeprefix("# yaml-language-server: $schema=")).is_file()
    (site / "schemas/page.schema.json").write_text("{}", encoding="utf-8")
    assert cli.main(["schema", "--into", str(site / "schemas")]) == 0
    assert (site / "schemas/page.schema.json").read_bytes() == (ROOT / "scenebook/page.schema.json").read_bytes()


MAKEFILE = (STARTER / "Makefile").read_text(encoding="utf-8")
TARGETS = re.findall(r"^([a-z-]+):.*## ", MAKEFILE, flags=re.MULTILINE)


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make from another folder, without the variables of the make that runs the tests."""
    command = ["make", "--no-print-directory", "-C", str(folder), *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True, check=False)


def test_every_command_sets_up_what_it_needs(site: Path) -> None:
    assert {"build", "test", "serve", "check", "review"} <= set(TARGETS)
    assert [line.split()[0] for line in make(site).stdout.splitlines()] == TARGETS
    for target in TARGETS:
        planned = make(site, "--dry-run", target)
        assert (planned.returncode, planned.stderr) == (0, "")
        assert ("-m venv" in planned.stdout, "--require-hashes" in planned.stdout) == (target != "help",) * 2


def test_every_command_that_the_makefile_and_the_readme_name_exists() -> None:
    readme = (STARTER / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"(?:SCENEBOOK\)|bin/scenebook) ([a-z]+)", MAKEFILE + readme)) <= cli.COMMANDS.keys()
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", readme, re.MULTILINE)) <= set(TARGETS)


def test_packages_are_pinned_with_the_tool_that_pins_those_of_the_engine() -> None:
    [version] = re.findall(r"^UV := (.+)$", MAKEFILE, re.MULTILINE)
    assert f"\nuv=={version} " in LOCKS[1].read_text(encoding="utf-8")


WORKFLOWS = sorted((STARTER / ".github" / "workflows").iterdir())


@pytest.mark.parametrize("name", ["pages.yml", "review.yml", "review-comment.yml"])
def test_workflows_are_those_of_the_first_site(name: str) -> None:
    """These are checked in `tests/project/test_workflows.py`."""
    ours, theirs = (folder / ".github" / "workflows" / name for folder in (ROOT, STARTER))
    assert theirs.read_text(encoding="utf-8") == ours.read_text(encoding="utf-8"), f"run: cp {ours} {theirs}"


def test_workflows_run_commands_of_the_makefile() -> None:
    for workflow in WORKFLOWS:
        run = re.findall(r"make ([a-z-]+)", workflow.read_text(encoding="utf-8"))
        assert set(run) <= set(TARGETS), workflow.name


def test_workflows_fit_the_schema_and_an_audit_finds_nothing() -> None:
    checks = (
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"],
        [Path(sys.executable).with_name("zizmor"), "--offline", "--persona=auditor", "--no-progress"],
    )
    for check in checks:
        done = subprocess.run([*check, *WORKFLOWS], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_workflows_use_the_actions_of_the_first_site() -> None:
    """So they are pinned to commits, and to the same ones."""
    ours, theirs = (
        {line for path in folder.iterdir() for line in re.findall(r"uses: .*", path.read_text(encoding="utf-8"))}
        for folder in (ROOT / ".github" / "workflows", STARTER / ".github" / "workflows")
    )
    assert theirs <= ours
