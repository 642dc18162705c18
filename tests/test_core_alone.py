"""The core works where only it is installed, and not the other packages of the workspace."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HIDE = """
import sys
from importlib import metadata

hidden = {"whybench-papers": "whybench_papers", "inspect-bubblewrap": "inspect_bubblewrap"}
sys.modules.update(dict.fromkeys(hidden.values()))
find = metadata.distributions
metadata.distributions = lambda **where: (
    found for found in find(**where) if found.metadata["Name"] not in hidden
)
"""
"""Makes both packages missing: imports of them fail, and their entry points are not found."""

USE = """
import whybench as wb
from click.testing import CliRunner
from whybench.cli import whybench_command

suites = ["judge", "intervene", "compose", "trace", "derive", "calculate", "analyze"]
assert list(wb.list_suites()) == suites, wb.list_suites()
for words in (["list"], *(["show", suite, "--count", "1"] for suite in suites), ["doctor"]):
    done = CliRunner().invoke(whybench_command, words)
    assert done.exit_code == 0, (words, done.output, done.exception)
    assert words != ["list"] or all(suite in done.stdout for suite in suites)
assert CliRunner().invoke(whybench_command, ["papers", "--help"]).exit_code == 2
for suite, factors in (("judge", {}), ("analyze", {"protocol": "direct"})):
    answers = wb.run(suite, model="reference/careful", limit=2, **factors)
    assert answers.measures(), suite
print("worked")
"""


def test_core_works_without_the_other_packages(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HIDE + USE],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["worked"], done.stderr


def test_hiding_makes_the_other_packages_missing() -> None:
    code = (
        "from importlib.util import find_spec\n"
        "from whybench.suites.registry import suite_names\n"
        "print(find_spec('whybench_papers'), find_spec('inspect_bubblewrap'), len(suite_names()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", HIDE + code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["None", "None", "7"]
