"""The import rules of the house."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "whybench"

# What a room may import beside itself, the version and the leaves of the house.
LEAVES = {
    "seeds",
    "frames",
    "errors",
    "outcomes",
    "numerals",
    "terminal",
    "model_settings",
}

RUNNING = {f"evaluation.{name}" for name in ("engine", "progress", "spending", "stopping")}
"""What a run needs, whoever began it."""

MAY_IMPORT = {
    "scm": set(),
    "datasets": set(),
    "replies": set(),
    "audits": {"scm", "datasets"},
    "stats": {"scm"},
    "drawing": {"stats", "datasets"},
    "fits": {"scm", "stats"},
    "records": {"datasets", "scm"},
    "sandbox": set(),
    "suites": {"drawing", "fits", "records", "replies", "stats", "sandbox", "datasets", "scm"},
    "agents": {"suites.contract", "suites.references", "suites.registry"},
    "sweep": {*RUNNING, "planning.asks", "suites", "records", "stats", "datasets", "scm"},
    "page": {"results", "suites", "drawing", "fits", "records", "stats", "datasets", "scm"},
    "scaffolds": {"suites"},
    "training": {"suites", "records", "datasets"},
    "study": {"suites", "records", "datasets", "training.canary"},
    "cli": {
        "audits",
        "evaluation",
        "planning",
        "page",
        "results",
        "sandbox",
        "scaffolds",
        "study",
        "sweep",
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
    "_registry": {"agents", "sandbox", "suites", "tasks"},
}

INSPECT_ROOMS = ("agents/", "records/", "sandbox/", "evaluation/", "sweep/")

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
        allowed = MAY_IMPORT[package] | {package, *leaves, "__version__"}
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
            of_tasks = module.endswith(("/task.py", "tasks.py", "suites/conversations.py"))
            assert module.startswith(INSPECT_ROOMS) or of_tasks, module


@pytest.mark.parametrize(
    "command", ["--help", "list", "items judge --count 1", "show judge", "show intervene"]
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
