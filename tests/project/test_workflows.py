"""Workflows run only on the host that publishes the site, so what can be checked about them is checked here."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from scenebook.review import comment
from tests.project.test_makefile import TARGETS

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())
LOADED = {path.name: yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader) for path in WORKFLOWS}

COMMIT_DATE = 'echo "date=$(git log -1 --format=%cI)" >> "$GITHUB_OUTPUT"'
CACHE = {"path": ".scenebook/cache", "key": "scenebook-${{ github.sha }}", "restore-keys": "scenebook-"}


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, workflow in LOADED.items():
        for job, content in workflow["jobs"].items():
            yield f"{name}: {job}", content


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in jobs():
        for number, step in enumerate(job["steps"], start=1):
            yield f"{name}: step {number}", step


def used(workflow: str, action: str) -> list[dict[str, str]]:
    """Return the inputs of an action, each time that a workflow uses it."""
    found = [step for name, step in steps() if name.startswith(f"{workflow}:")]
    return [step["with"] for step in found if step.get("uses", "").startswith(f"{action}@")]


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *WORKFLOWS], capture_output=True, text=True, check=False)


def test_every_workflow_fits_the_schema() -> None:
    checked = run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    assert checked.returncode == 0, checked.stdout


def test_an_audit_finds_no_security_problem_in_the_workflows() -> None:
    audited = run(Path(sys.executable).with_name("zizmor"), "--offline", "--persona=auditor", "--no-progress")
    assert audited.returncode == 0, audited.stdout


def test_every_step_runs_a_make_target_or_says_something() -> None:
    commands = {name: step["run"] for name, step in steps() if "run" in step}
    assert commands
    for name, command in commands.items():
        if command.startswith('echo "::') or command == COMMIT_DATE:
            assert "${{" not in command, name
            continue
        assert re.fullmatch(r"make( [a-z-]+)+( [A-Z]+=\S+)*", command), name
        assert set(re.findall(r" ([a-z-]+)(?= |$)", command)) <= set(TARGETS), name


def test_every_action_is_pinned_to_a_commit() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    pinned = re.findall(r"uses: [a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", text, flags=re.MULTILINE)
    assert len(pinned) == text.count("uses:")


def test_a_review_starts_from_the_cache_of_the_published_site() -> None:
    """Caches are found by their paths and the beginning of their keys."""
    found = {name: used(name, "actions/cache") for name in LOADED}
    assert {name: caches for name, caches in found.items() if caches} == {"pages.yml": [CACHE], "review.yml": [CACHE]}


def test_the_report_that_the_comment_links_to_is_uploaded_as_it_is() -> None:
    uploads = used("review.yml", "actions/upload-artifact")
    [unarchived] = [upload for upload in uploads if upload.get("archive") == "false"]
    assert Path(unarchived["path"]).name == comment.REPORT
    assert "name" not in unarchived


def test_the_comment_gets_what_the_review_uploads() -> None:
    uploads = used("review.yml", "actions/upload-artifact")
    downloads = used("review-comment.yml", "actions/download-artifact")
    [upload] = [upload for upload in uploads if upload.get("name") == "review-comment"]
    assert upload["path"].split() == ["review/report.md", "review/pictures"]
    assert [(download["name"], download["path"]) for download in downloads] == [("review-comment", "review")] * 2


def test_only_a_release_and_pictures_that_were_asked_for_are_written_to_the_repository() -> None:
    writing = {name: job.get("if", "") for name, job in jobs() if job["permissions"].get("contents") == "write"}
    assert [*writing] == ["release.yml: publish", "review-comment.yml: pictures"]
    assert writing["review-comment.yml: pictures"].startswith("vars.SCENEBOOK_REVIEW_PICTURES == 'true' && ")


def test_the_default_branch_is_published_whatever_its_name() -> None:
    text = (ROOT / ".github/workflows/pages.yml").read_text(encoding="utf-8")
    assert not re.search(r"\b(main|master)\b", text)
    build, deploy = LOADED["pages.yml"]["jobs"]["build"], LOADED["pages.yml"]["jobs"]["deploy"]
    assert build["if"] == "github.ref_name == github.event.repository.default_branch"
    assert deploy["if"] == "needs.build.outputs.pages == 'success'"


@pytest.mark.parametrize(("name", "job"), list(jobs()))
def test_every_job_has_a_time_limit_and_named_rights(name: str, job: dict[str, Any]) -> None:
    assert 0 < int(job["timeout-minutes"]) <= 30, name
    assert job["permissions"], name


def test_the_workflow_runs_what_the_local_script_runs() -> None:
    guarded = (ROOT / ".ci/run").read_text(encoding="utf-8")
    [targets] = re.findall(r"^exec make (.+)$", guarded, flags=re.MULTILINE)
    ci = [step["run"].removeprefix("make ") for step in LOADED["ci.yml"]["jobs"]["test"]["steps"] if "run" in step]
    assert ci == targets.split()
