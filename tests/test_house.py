"""The import rules of the house."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest
from docs.imports import find_cycles, list_modules

import whybench

SOURCE = Path(__file__).parents[1] / "src" / "whybench"

# What a room may import beside itself, the version and the leaves of the house.
LEAVES = {
    "seeds",
    "version",
    "frames",
    "errors",
    "outcomes",
    "prose",
    "numerals",
    "terminal",
    "model_settings",
}

MAY_IMPORT = {
    "scm": set(),
    "datasets": set(),
    "replies": set(),
    "stats": {"scm"},
    "drawing": {"stats", "datasets"},
    "fits": {"scm", "stats"},
    "records": {"datasets", "scm"},
    "suites": {"drawing", "fits", "records", "replies", "stats", "datasets", "scm"},
    "agents": {"suites.contract", "suites.references", "suites.registry"},
    "page": {"results", "suites", "drawing", "fits", "records", "stats", "datasets", "scm"},
    "scaffolds": {"suites"},
    "training": {"suites", "records", "datasets"},
    "study": {"suites", "records", "datasets", "training.canary"},
    "cli": {
        "evaluation",
        "planning",
        "page",
        "results",
        "scaffolds",
        "study",
        "training",
        "suites",
        "drawing",
        "records",
        "stats",
        "datasets",
        "scm",
        "fits",
    },
    "planning": {"suites"},
    "results": {"suites", "drawing", "records", "stats"},
    "evaluation": {"planning", "page", "results", "suites", "records"},
    "seeds": set(),
    "frames": set(),
    "errors": set(),
    "outcomes": set(),
    "model_settings": set(),
    "numerals": {"stats"},
    "terminal": set(),
    "tasks": {"suites"},
    "_registry": {"agents", "suites", "tasks"},
}

INSPECT_ROOMS = ("agents/", "records/", "evaluation/")

MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


@cache
def imports(path: Path) -> frozenset[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            found |= {f"{module}.{alias.name}" for alias in node.names} | {module}
    return frozenset(found)


def ours(name: str) -> str | None:
    return name.removeprefix("whybench.") if name.startswith("whybench.") else None


def test_a_package_imports_only_what_it_may() -> None:
    for module in MODULES:
        package = module.split("/", maxsplit=1)[0].removesuffix(".py")
        if package == "__init__":
            continue  # tests/test_door.py checks that the public API imports nothing by itself
        leaves = set() if package in LEAVES else LEAVES
        allowed = MAY_IMPORT.get(package, set()) | {package, *leaves}
        for name in imports(SOURCE / module):
            target = ours(name)
            assert target is None or any(
                target == entry or target.startswith(f"{entry}.") for entry in allowed
            ), f"{module} may not import {name}"


def test_suites_never_import_each_other() -> None:
    suites = {path.name for path in (SOURCE / "suites").iterdir() if path.is_dir()}
    for module in (name for name in MODULES if name.startswith("suites/")):
        parts = module.split("/")
        siblings = suites - {parts[1] if len(parts) > 2 else None}
        for name in imports(SOURCE / module):
            target = ours(name) or ""
            assert not any(target.startswith(f"suites.{sibling}") for sibling in siblings), (
                f"{module} may not import {name}"
            )


def test_inspect_is_imported_only_where_it_belongs() -> None:
    for module in MODULES:
        if any(name.split(".")[0] == "inspect_ai" for name in imports(SOURCE / module)):
            of_tasks = module.endswith(
                (
                    "/task.py",
                    "tasks.py",
                    "suites/conversations.py",
                    "suites/sandboxes.py",
                    "suites/sources.py",
                )
            )
            assert module.startswith(INSPECT_ROOMS) or of_tasks, module


@pytest.mark.parametrize(
    "command", ["--help", "list", "show judge --count 1", "show judge", "show intervene"]
)
def test_light_commands_do_not_import_heavy_packages(command: str) -> None:
    code = (
        "import sys\n"
        "from whybench.cli import main\n"
        f"sys.argv = ['whybench', *{command.split()!r}]\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code\n"
        "heavy = {'inspect_ai', 'networkx', 'pandas', 'scipy', 'pyarrow', 'pooch', 'openai'}\n"
        "print('heavy:', sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"


def _files(folder: str = ".") -> list[Path]:
    """Return what is written by hand in a folder of the house, and not made of it."""
    root = SOURCE.parents[1]
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [path for name in listed if (path := root / name).is_file()]


@pytest.mark.parametrize("folder", ["src", "tests", "evidence", "docs"])
def test_names_of_measures_hold_no_levels(folder: str) -> None:
    """`accuracy` at 4 entities is a measure with a level, and not a name that must be parsed."""
    # A name, or a hole for one, then the mark and a factor or a hole for a level.
    glued = re.compile(r"[\w}…]@(?:\w+=|\{|…)")
    parsed = re.compile(r"""(?:partition|split|includes|startswith|in)[ (]["']@""")
    frozen = SOURCE.parents[1] / "tests" / "frozen"  # holds what names once were
    for path in _files(folder):
        if path.suffix in {".py", ".js", ".html", ".md", ".yaml"} and frozen not in path.parents:
            text = path.read_text(encoding="utf-8")
            found = [*glued.findall(text), *parsed.findall(text)]
            assert not found or path == Path(__file__), f"{path}: {found}"


def test_no_module_has_a_name_that_says_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "base"}
    assert not [module for module in MODULES if Path(module).stem in empty]


def test_tests_read_no_clock_except_the_deadline_of_waiting() -> None:
    """Claims about time depend on the machine and its load: they live in `evidence`."""
    clock = re.compile(
        r"\b(?:perf_counter|process_time|monotonic|thread_time)(?:_ns)?\(|\btimeit\b"
        r"|\btime\.time(?:_ns)?\("
    )
    tests = SOURCE.parents[1] / "tests"
    reading = [
        path
        for path in _files("tests")
        if path.suffix == ".py" and clock.search(path.read_text(encoding="utf-8"))
    ]
    assert reading == [tests / "waiting.py"]


def test_the_project_names_no_package_index_and_no_machine() -> None:
    hosts = ("pypi" + ".org", "pythonhosted" + ".org", "registry.npmjs" + ".org")
    for path in _files():
        if path.suffix in {
            ".py",
            ".md",
            ".toml",
            ".txt",
            ".yaml",
            ".yml",
            ".cff",
            "",
        }:
            text = path.read_text(encoding="utf-8")
            assert not [host for host in hosts if host in text], path


def test_packages_of_the_workspace_have_one_version() -> None:
    root = SOURCE.parents[1]
    stated = {
        path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))["project"]["version"]
        for path in root.glob("packages/*/pyproject.toml")
    }
    assert stated
    assert set(stated.values()) == {whybench.__version__}
    core = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    required = [text for texts in core["optional-dependencies"].values() for text in texts]
    assert {f"{name}=={version}" for name, version in stated.items()} <= set(required)


def test_modules_of_the_workspace_do_not_import_each_other_in_cycles() -> None:
    """Imports within functions and for types count."""
    assert {"whybench", "whybench_papers", "inspect_bubblewrap"} <= set(list_modules())
    assert find_cycles() == []


def test_extras_require_the_other_packages() -> None:
    root = SOURCE.parents[1]
    core = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = core["optional-dependencies"]
    version = whybench.__version__
    assert f"inspect-bubblewrap=={version}" in extras["analyze"]
    assert f"whybench-papers=={version}" in extras["all"]
    (packages,) = [text for text in extras["all"] if text.startswith("whybench[")]
    assert "analyze" in re.findall(r"\w+", packages)


def test_the_sandbox_and_the_core_do_not_import_each_other() -> None:
    sandbox = SOURCE.parents[1] / "packages" / "inspect-bubblewrap" / "src"
    for path in sandbox.rglob("*.py"):
        assert not [name for name in imports(path) if name.split(".")[0] == "whybench"], path
    for path in SOURCE.rglob("*.py"):
        assert not [name for name in imports(path) if name.startswith("inspect_bubblewrap")], path


def test_core_and_its_tests_do_not_import_papers() -> None:
    root = SOURCE.parents[1]
    folders = (SOURCE, *(path for path in (root / "tests").iterdir() if path.name != "evidence"))
    for folder in folders:
        for path in folder.rglob("*.py") if folder.is_dir() else [folder]:
            if path.suffix == ".py":
                found = [name for name in imports(path) if name.startswith("whybench_papers")]
                assert not found, path


def test_papers_do_not_import_each_other() -> None:
    source = SOURCE.parents[1] / "packages" / "whybench-papers" / "src" / "whybench_papers"
    papers = {path.stem for path in source.iterdir() if re.fullmatch(r"[a-z]+\d{4}", path.stem)}
    assert papers
    for paper in papers:
        place = source / paper
        for path in place.rglob("*.py") if place.is_dir() else [source / f"{paper}.py"]:
            others = {f"whybench_papers.{other}" for other in papers - {paper}}
            assert not [n for n in imports(path) if any(n.startswith(o) for o in others)], path
