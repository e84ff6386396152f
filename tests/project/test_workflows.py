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

from tests.project.test_makefile import TARGETS

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").iterdir())
LOADED = {path.name: yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader) for path in WORKFLOWS}


def jobs() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, workflow in LOADED.items():
        for job, content in workflow["jobs"].items():
            yield f"{name}: {job}", content


def steps() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, job in jobs():
        for number, step in enumerate(job["steps"], start=1):
            yield f"{name}: step {number}", step


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *WORKFLOWS], capture_output=True, text=True, check=False)


def test_every_workflow_fits_the_schema() -> None:
    checked = run(sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows")
    assert checked.returncode == 0, checked.stdout


def test_an_audit_finds_no_security_problem_in_the_workflows() -> None:
    audited = run(Path(sys.executable).with_name("zizmor"), "--offline", "--persona=auditor", "--no-progress")
    assert audited.returncode == 0, audited.stdout


def test_every_step_runs_a_make_target() -> None:
    commands = {name: step["run"] for name, step in steps() if "run" in step}
    assert commands
    for name, command in commands.items():
        assert re.fullmatch(r"make( [a-z-]+)+( [A-Z]+=\S+)*", command), name
        assert set(re.findall(r" ([a-z-]+)(?= |$)", command)) <= set(TARGETS), name


def test_every_action_is_pinned_to_a_commit() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    pinned = re.findall(r"uses: [a-z/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", text, flags=re.MULTILINE)
    assert len(pinned) == text.count("uses:")


@pytest.mark.parametrize(("name", "job"), list(jobs()))
def test_every_job_has_a_time_limit_and_named_rights(name: str, job: dict[str, Any]) -> None:
    assert 0 < int(job["timeout-minutes"]) <= 30, name
    assert job["permissions"], name


def test_the_workflow_runs_what_the_local_script_runs() -> None:
    guarded = (ROOT / ".ci/run").read_text(encoding="utf-8")
    [targets] = re.findall(r"^exec make (.+)$", guarded, flags=re.MULTILINE)
    ci = [step["run"].removeprefix("make ") for step in LOADED["ci.yml"]["jobs"]["test"]["steps"] if "run" in step]
    assert ci == targets.split()
