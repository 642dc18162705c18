"""What stands around the code is true, pinned and complete: workflows, forms, pages at the top."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
PAGES = (
    "README",
    "CONTRIBUTING",
    "RELEASING",
    "AGENTS",
    "CODE_OF_CONDUCT",
    "SECURITY",
    "CHANGELOG",
)

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))

PINNED = re.compile(r"uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$")
SAME = re.compile(r"uses: \$/\.github/(?P<path>\S+)$")


def read(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text("utf-8"))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit_with_their_version(path: Path) -> None:
    used = [line.strip("- ") for line in path.read_text("utf-8").splitlines() if "uses:" in line]
    assert used
    for line in used:
        if same := SAME.search(line):
            assert (GITHUB / same["path"]).is_file(), line
        else:
            assert PINNED.search(line), line


def test_an_action_has_one_commit_and_a_commit_one_version() -> None:
    found = re.findall(
        r"uses: ([\w./-]+)@([0-9a-f]{40}) # (\S+)", "".join(p.read_text("utf-8") for p in WORKFLOWS)
    )
    assert len({action for action, _, _ in found}) == len(set(found))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_is_allowed_that_a_job_does_not_ask_for(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        asked = job["permissions"]
        assert asked == ({"id-token": "write"} if name == "publish" else {"contents": "read"})
        assert "uses" in job or job["timeout-minutes"] <= 120


def test_the_gate_runs_on_every_python_that_is_declared() -> None:
    declared = [
        found[1]
        for line in PROJECT["project"]["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", line))
    ]
    job = read(GITHUB / "workflows" / "gate.yml")["jobs"]["gate"]
    assert job["strategy"]["matrix"]["python"] == declared
    assert ".ci/run" in [step.get("run") for step in job["steps"]]
    assert f">={declared[0]}" == PROJECT["project"]["requires-python"]


def test_a_release_is_built_apart_from_who_may_publish() -> None:
    jobs = read(GITHUB / "workflows" / "release.yml")["jobs"]
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("gate", "build")
    assert jobs["publish"]["environment"] == "release"
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    last = jobs["publish"]["steps"][-1]
    assert last["uses"].startswith("pypa/gh-action-pypi-publish@")
    assert last["with"] == {"attestations": True}
    sent, taken = (
        next(
            step["with"]
            for step in jobs[job]["steps"]
            if f"{verb}-artifact" in step.get("uses", "")
        )
        for job, verb in (("build", "upload"), ("publish", "download"))
    )
    assert (sent["name"], sent["path"]) == (taken["name"], taken["path"])


def test_actions_and_packages_are_kept_up_to_date() -> None:
    kinds = [update["package-ecosystem"] for update in read(GITHUB / "dependabot.yml")["updates"]]
    assert kinds == ["github-actions", "pip"]


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_a_form_is_one_that_github_takes(path: Path) -> None:
    form = read(path)
    assert {"name", "description", "body"} <= set(form) <= {"name", "description", "body", "labels"}
    parts = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in parts}) == len(parts)
    assert any(part.get("validations", {}).get("required") for part in parts)
    assert {part["type"] for part in form["body"]} <= {
        "markdown",
        "textarea",
        "input",
        "checkboxes",
    }
    assert all(part["attributes"]["label"] for part in parts)


@pytest.mark.parametrize("name", PAGES)
def test_links_to_files_lead_somewhere(name: str) -> None:
    text = (ROOT / f"{name}.md").read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)[^)]*\)", text):
        assert (ROOT / target).exists(), f"{name}.md: {target}"


def test_what_agents_are_told_to_run_is_there() -> None:
    text = (ROOT / "AGENTS.md").read_text("utf-8")
    assert len(text.splitlines()) <= 60
    for path in re.findall(r"(?:tests|docs|src|\.ci)/[\w./]+\w", text):
        assert (ROOT / path).exists(), path
    packages = {path.name for path in (ROOT / "src" / "whybench").iterdir() if path.is_dir()}
    section = text.partition("## Packages")[2].partition("## ")[0]
    named = set(re.findall(r"`(\w+)/?`", section))
    assert named
    assert named <= packages, named - packages


def test_every_tool_of_the_development_has_a_version_in_the_constraints() -> None:
    pinned = {
        re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower()
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    }
    groups = PROJECT["dependency-groups"]
    needed = {Requirement(one).name for name in ("lint", "test", "docs") for one in groups[name]}
    missing = {re.sub(r"[-_.]+", "-", name).lower() for name in needed} - pinned - {"whybench"}
    assert not missing


def test_workflows_hold_against_zizmor() -> None:
    program = shutil.which("zizmor")
    if program is None:
        pytest.skip("zizmor is not installed; the gate installs it")
    done = subprocess.run(
        [program, "--offline", "--no-progress", "--quiet", str(GITHUB)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
