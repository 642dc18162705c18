"""Are the suites fit to be listed? The field's linter, its register, and the versions we promise.

The linter is that of Inspect Evals, run on the package as a repository with an evaluation of its
own. The register's schema and its resolver of tasks come in the wheel of Inspect Evals, which gets
an environment of its own. The versions are each Python that we name, with the newest packages, and
the lowest that we ask for; the quick tests are run in each.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts
from whybench.suites.registry import TEACHING_ORDER as SUITES

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUSE = Path(__file__).parents[1]
TASKS = "src/whybench/tasks.py"
AGED = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")
"""Old packages call what those below them are about to drop, which is not for us to mend."""

UV = (sys.executable, "-m", "uv")

SOURCE = f"https://github.com/whybench/whybench/blob/{'0' * 40}/{TASKS}"
"""Stands for the address of the tasks, which whoever lists them puts in."""

PYTHONS = ("3.11", "3.12", "3.13")
LOWEST = ("--resolution", "lowest-direct")

QUICK = ("-n", "2", "--dist", "worksteal", "-m", "not slow", "-q", "-p", "no:cacheprovider")
SMALL = ("tests/test_seeds.py", "tests/test_errors.py", "tests/suites/test_task.py")
"""Which quick tests are run at the small size."""

REGISTER = """
import json, sys

import yaml
from inspect_evals.metadata import ExternalEvalMetadata, InternalEvalMetadata
from register_tooling.source_url import parse_source_url
from register_tooling.submission import ExternalEvalSubmission
from register_tooling.task_resolver import resolve_task

asked = json.load(sys.stdin)
InternalEvalMetadata(id="whybench", **yaml.safe_load(asked["package"]))
found = {}
for name, entry in asked["suites"].items():
    try:
        told = InternalEvalMetadata(id=name, **yaml.safe_load(entry["yaml"]))
        submitted = ExternalEvalSubmission(arxiv=str(told.arxiv), source=entry["source"])
        place = parse_source_url(str(submitted.source))
        task = resolve_task(asked["tasks"], line_anchor=place.line_anchor)
        ExternalEvalMetadata(
            id=name,
            full_title=told.title,
            common_title=name,
            description=told.description,
            contributors=told.contributors,
            tasks=[{"name": task.name, "task_path": place.task_path}],
            tags=told.tags,
            arxiv=told.arxiv,
            source={"repository_url": place.repository_url, "repository_commit": place.ref},
        )
        found[name] = [task.name, str(told.arxiv)]
    except ValueError as error:
        found[name] = [str(error).splitlines()[0], ""]
print(json.dumps(found))
"""
"""What the register does with an entry, up to where it asks GitHub, arXiv and a model."""


def linter(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (a package has one size)
    """Yield what the field's linter says of the package."""
    claim = "inspect-evals-lint finds no failure in the package"
    if find_spec("inspect_evals_lint") is None:
        yield Figure(claim, "it is not installed; it is in the dependency group lint", False)
        return
    command = [sys.executable, "-m", "inspect_evals_lint", "--output-format", "json", "whybench"]
    done = subprocess.run(command, cwd=HOUSE, capture_output=True, text=True, check=False)
    told = json.loads(done.stdout)
    results = [one for package in told["packages"] for one in package["diagnostics"]]
    failed = [f"{one['rule']}: {one['message']}" for one in results if one["status"] == "fail"]
    counts = ", ".join(f"{count} {status}" for status, count in told["summary"].items())
    yield Figure(claim, f"{counts} {failed or ''}".strip(), done.returncode == 0 and not failed)


def register(small: bool) -> Iterator[Figure]:  # noqa: ARG001  (the suites are few)
    """Yield whether the register takes each suite: what `eval.yaml` says, and where its task is."""
    package = HOUSE / "src" / "whybench"
    lines = {
        node.name: node.decorator_list[0].lineno
        for node in ast.parse((HOUSE / TASKS).read_text(encoding="utf-8")).body
        if isinstance(node, ast.FunctionDef)
    }
    asked = {
        "package": (package / "eval.yaml").read_text(encoding="utf-8"),
        "tasks": (HOUSE / TASKS).read_text(encoding="utf-8"),
        "suites": {
            name: {
                "yaml": (package / "suites" / name / "eval.yaml").read_text(encoding="utf-8"),
                "source": f"{SOURCE}#L{lines[name]}",
            }
            for name in SUITES
        },
    }
    with tempfile.TemporaryDirectory() as place:
        python = _make_environment(Path(place, "env"), sys.executable)
        pinned = ("--constraint", str(HOUSE / "constraints.txt"))
        _install(python, *pinned, "pydantic", "pyyaml", "typing-extensions")
        _install(python, *pinned, "--no-deps", "inspect-evals")  # its own are many, and not needed
        done = subprocess.run(
            [python, "-c", REGISTER],
            input=json.dumps(asked),
            capture_output=True,
            text=True,
            check=False,
        )
    found: dict[str, list[str]] = json.loads(done.stdout) if done.returncode == 0 else {}
    resolved = [name for name, (task, _) in found.items() if task == name]
    yield Figure(
        f"the register's schema and its resolver take {len(SUITES)} of {len(SUITES)} suites",
        f"{len(resolved)}: {found or done.stderr.strip()[-300:]}",
        resolved == list(SUITES),
    )
    printed = [name for name, (_, paper) in found.items() if "//arxiv.org/" in paper]
    yield Figure(
        "the papers of all suites but one are on arXiv, as the register requires; that of "
        "intervene is in the ACL Anthology alone",
        f"{', '.join(printed)}",
        printed == [name for name in SUITES if name != "intervene"],
    )


def lowest_versions(small: bool) -> Iterator[Figure]:
    """Yield whether the quick tests pass with the lowest versions of what we depend on."""
    yield _try_versions(PYTHONS[0], LOWEST, small)


def newest_versions(small: bool) -> Iterator[Figure]:
    """Yield whether the quick tests pass with each Python, and the newest packages."""
    for wanted in PYTHONS[:1] if small else PYTHONS:
        yield _try_versions(wanted, (), small)


def _try_versions(wanted: str, resolution: tuple[str, ...], small: bool) -> Figure:
    packages = "the lowest versions that we ask for" if resolution else "the newest versions"
    claim = f"Python {wanted} and {packages}: the quick tests pass"
    python = _find_python(wanted)
    if python is None:
        return Figure(claim, f"there is no Python {wanted} on this machine", False)
    with tempfile.TemporaryDirectory() as place:
        return Figure(claim, *_try_tests(Path(place), python, resolution, small))


def _try_tests(
    place: Path, python: str, resolution: tuple[str, ...], small: bool
) -> tuple[str, bool]:
    """Run the quick tests in a new environment; return what was found, and whether all passed."""
    try:
        made = _make_environment(place / "env", python)
        _install(made, *resolution, "--editable", f"{HOUSE}[all]")
        # What tests need is the newest that goes with what is installed already.
        with (HOUSE / "pyproject.toml").open("rb") as file:
            groups = tomllib.load(file)["dependency-groups"]
        names = [*groups["test"], *groups["docs"], "ruff"]
        _install(made, *(name for name in names if not name.startswith("whybench")))
    except subprocess.CalledProcessError as error:
        return f"cannot be installed: {error.stderr.strip()[-300:]}", False
    ask = "import importlib.metadata as m, platform as p; print(p.python_version(), *("
    ask += "f'{n} {m.version(n)}' for n in ('inspect-ai', 'numpy', 'pyarrow', 'scipy')), sep=', ')"
    which = subprocess.run([made, "-c", ask], capture_output=True, text=True, check=True)
    # Tests call commands by name, which must be those of this environment.
    path = os.pathsep.join([str(Path(made).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [made, "-m", "pytest", *QUICK, *(SMALL if small else ()), *(AGED if resolution else ())],
        cwd=HOUSE,
        env={**_environment(), "INSPECT_DISPLAY": "plain", "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.strip().splitlines() or [done.stderr.strip()[-300:]]
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    summed = next((line for line in reversed(lines) if " passed" in line), lines[-1])
    told = " | ".join([which.stdout.strip(), summed.strip("= "), *failed[:40]])
    return told, done.returncode == 0


def _find_python(version: str) -> str | None:
    """Return a Python of a version: one that runs, on the path or of pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = [shutil.which(f"python{version}"), *map(str, root.glob(f"{version}.*/bin/python"))]
    for python in filter(None, found):
        done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.startswith(f"Python {version}."):
            return python
    return None


def _environment() -> dict[str, str]:
    """Return the environment of this process, without what would lead to packages of its own."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def _make_environment(home: Path, python: str) -> str:
    """Make an empty environment, and return its Python."""
    command = [*UV, "venv", "--quiet", "--python", python, str(home)]
    subprocess.run(command, capture_output=True, text=True, check=True)
    return str(home / "bin" / "python")


def _install(python: str, *what: str) -> None:
    """Install into an environment.

    Raises:
        subprocess.CalledProcessError: It cannot be.
    """
    command = [*UV, "pip", "install", "--quiet", "--python", python, *what]
    subprocess.run(
        command, cwd=HOUSE, env=_environment(), capture_output=True, text=True, check=True
    )


PARTS: Parts = {
    "linter": linter,
    "register": register,
    "lowest versions": lowest_versions,
    "newest versions": newest_versions,
}
