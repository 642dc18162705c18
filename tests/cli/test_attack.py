"""`whybench attack`: its table, its status, and the attacks of a file."""

from __future__ import annotations

import json
import subprocess

import pytest
from tests.command_server import command

ORACLE = """
from whybench.suites.attacks import Attack
from whybench.suites.compose.attacks import read_rules
from whybench.suites.compose.prompt_parser import parse_prompt


def read_all(seen, rng):
    question = parse_prompt(seen.prompt)
    return "yes" if read_rules(question, question.effect, None, follows=True) else "no"


ATTACKS = [Attack("read-all", "reads every rule", reply=read_all)]
"""


def attack(*arguments: str) -> subprocess.CompletedProcess[str]:
    line = [command(), "attack", *arguments]
    return subprocess.run(line, check=False, capture_output=True, text=True)


def test_the_table_has_the_best_attack_first_and_the_zero() -> None:
    found = attack("intervene", "--design", "limited", "--only", "hold-all", "--only", "always-yes")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "intervene  design limited"
    assert lines[2].startswith("hold-all   ")
    assert lines[3].startswith("always-yes ")
    assert lines[-1].startswith("The stored zero of limited is 1.00 (justified_accuracy, ")


def test_an_attack_of_a_file_above_the_zero_ends_with_status_1(tmp_path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(ORACLE)
    found = attack("compose", "--file", str(path), "--only", "read-all", "--limit", "720", "--json")
    assert found.returncode == 1, found.stderr
    (row,) = map(json.loads, found.stdout.splitlines())
    assert (row["attack"], row["estimate"]) == ("read-all", 1.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("intervene", "--only", "magic"), "--only must name an attack (silent, "),
        (("judge",), "judge has no attacks; add some with --file"),
    ],
)
def test_what_cannot_be_done_is_explained(arguments, words) -> None:
    found = attack(*arguments)
    assert found.returncode == 2
    assert words in found.stderr


def test_zeros_are_written_for_each_design_with_the_measure(tmp_path) -> None:
    path = tmp_path / "zeros.yaml"
    found = attack("calculate", "--only", "constant", "--write-zeros", str(path))
    assert found.returncode == 0, found.stderr
    assert "Wrote the zeros of 5 designs" in found.stdout
    text = path.read_text()
    assert text.count("attack: constant") == 5
    assert text.count("value: 0.0") == 5
