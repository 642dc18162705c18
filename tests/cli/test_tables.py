"""What commands print at a terminal: tables that fit, examples that work."""

from __future__ import annotations

import re
import shlex
import sys
from importlib.util import find_spec

import click
import pytest
from evidence.terminal import run_at_terminal
from evidence.terminals import REASONS, REQUESTS, find_cut_numbers, list_commands

from whybench.cli import COMMANDS, EXAMPLES, whybench_command
from whybench.cli.tables import print_measures
from whybench.numerals import interval_text
from whybench.results.comparison_words import difference_text
from whybench.results.measures import Measures
from whybench.stats import Difference, Estimate, Measure
from whybench.terminal import choose_widths, fold, print_rows

ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

KNOWN = {"suite": "calculate", "agent": "reference/calculate.slips", "design": "core"}

SCRIPT = """
from whybench.terminal import print_rows
row = {
    "measure": "a_measure_with_a_long_name style=cot overload=none",
    "A": "0.35",
    "B": "0.81",
    "A - B": "+0.46 [+0.20, +0.51]",
    "p": "9.1e-07",
    "n": "1234",
    "verdict": "no significant difference",
    "flags": "no_spread few_units other_stimuli",
}
print_rows([row, {**row, "verdict": "higher"}], "calculate", "design core")
"""


def make_measure(name: str = "skill_score", no_answer: int = 0, **labels: str) -> Measure:
    numbers = 0.3512, 0.2049, 0.5149, 12, 12, 40, no_answer, 0
    return Measure(name, *numbers, "by hand", labels={**KNOWN, **labels})


def test_numbers_stand_with_their_intervals() -> None:
    assert interval_text(0.3512, 0.2049, 0.5149) == "0.35 [0.20, 0.51]"
    assert interval_text(0.3512, None, None) == "0.35"
    side = Estimate(0.5, None, None, 12, 12, "by hand")
    found = Difference("skill_score", {}, side, side, 0.3512, -0.2049, 0.5149, None, 12, 12)
    assert difference_text(found) == "+0.35 [-0.20, +0.51]"
    without = Difference("skill_score", {}, side, side, None, None, None, None, 0, 0)
    assert difference_text(without) == "–"


def test_each_suite_has_a_table_with_what_all_rows_share_above(
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = make_measure("explaining_away", suite="judge", style="cot", overload="none")
    print_measures(
        Measures([make_measure(), make_measure("accuracy", style="cot", no_answer=3), other])
    )
    assert capsys.readouterr().out.splitlines() == [
        "calculate  agent reference/calculate.slips, design core, scored 40",
        "measure      where               estimate   n  no answer",
        "skill_score             0.35 [0.20, 0.51]  12",
        "accuracy     style=cot  0.35 [0.20, 0.51]  12          3",
        "",
        "judge  agent reference/calculate.slips, design core, style cot",
        "measure                   estimate   n  scored",
        "explaining_away  0.35 [0.20, 0.51]  12      40",
    ]


def test_agents_have_a_column_where_there_are_several(capsys: pytest.CaptureFixture[str]) -> None:
    print_measures(Measures([make_measure(), make_measure(agent="reference/calculate.exact")]))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "calculate  design core, scored 40"
    assert [line.split()[0] for line in lines[2:]] == [
        "reference/calculate.slips",
        "reference/calculate.exact",
    ]


def test_no_rows_print_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([], "calculate")
    assert not capsys.readouterr().out


@pytest.mark.parametrize("columns", [80, 100, 120])
def test_tables_fold_between_words_and_not_inside_numbers(columns: int) -> None:
    status, shown = run_at_terminal([sys.executable, "-c", SCRIPT], columns, ".")
    lines = ANSI.sub("", shown).splitlines()
    assert status == 0, shown
    assert max(map(len, lines)) <= columns
    for cell in ("0.35", "0.81", "+0.46 [+0.20, +0.51]", "9.1e-07", "1234"):
        assert sum(cell in line for line in lines) == 2, (cell, shown)
    assert "\x1b[36mhigher" in shown


def test_no_color_is_kept() -> None:
    _, shown = run_at_terminal([sys.executable, "-c", SCRIPT], 80, ".", {"NO_COLOR": "1"})
    assert "higher" in shown
    assert "\x1b[36m" not in shown


def test_every_command_is_tried_at_terminals_or_says_why_not() -> None:
    stated = [*REQUESTS, *REASONS]
    if find_spec("whybench_papers") is None:  # which adds commands
        stated = [name for name in stated if not name.startswith("papers ")]
    assert sorted(list_commands()) == sorted(stated)


def test_a_number_that_a_terminal_breaks_is_found() -> None:
    line = "x" * 77 + " 0.125 and more"
    assert find_cut_numbers(line, 80) == [line]
    assert find_cut_numbers("x" * 74 + " 0.125 and more", 80) == []


def test_words_are_folded_between_their_parts_and_names_of_columns_first() -> None:
    names, columns = ["measure", "longest reply"], [["balanced_accuracy_factual"], ["1,024"]]
    assert choose_widths(names, columns, [False, True], 34) == [25, 7]
    assert choose_widths(names, columns, [False, True], 25) == [16, 7]
    assert fold(columns[0][0], 16) == "balanced_\naccuracy_factual"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_command_can_be_typed(name: str) -> None:
    program, command, *rest = shlex.split(EXAMPLES[name])
    assert (program, command) == ("whybench", name)
    context = click.Context(whybench_command, info_name="whybench")
    known = whybench_command.get_command(context, name)
    while isinstance(known, click.Group):
        context = click.Context(known, context, info_name=known.name)
        chosen, *rest = rest
        known = known.get_command(context, chosen)
    assert known is not None
    known.make_context(known.name, rest, context)  # a wrong option or argument is an error


def test_what_is_shown_does_not_depend_on_the_callers_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("COLUMNS", "NO_COLOR", "INSPECT_DISPLAY")
    for name in names:
        monkeypatch.setenv(name, "plain")
    script = f"import os; print([name for name in {names} if name in os.environ])"
    assert run_at_terminal([sys.executable, "-c", script], 80, ".") == (0, "[]\n")
