"""The suite as the rest of the package meets it: checks, agents, calibration, commands, tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tests.altered import altered

from whybench.cli import whybench_command
from whybench.records.table import record_table
from whybench.suites.analyze import SUITE, items
from whybench.suites.analyze.challenges import CHALLENGES, CORE
from whybench.suites.analyze.checks import BOUNDS, self_tests
from whybench.suites.analyze.design import DESIGNS, make_design
from whybench.suites.analyze.fields import REASONS
from whybench.suites.analyze.grading import Verdict
from whybench.suites.analyze.replies import render_reply
from whybench.suites.analyze.tables import fields_table, read_marks, write_marks
from whybench.suites.calibration import calibrate, simulate_rows
from whybench.suites.checks import check_design
from whybench.suites.contract import SelfTest, UserError
from whybench.suites.registry import get_suite
from whybench.suites.replies import parse_replies

SMALL = {"challenge": "simpson,population", "seeds": 2}
COLUMNS = SUITE.record_columns


def problems(design, checked=SUITE) -> list[str]:
    return [
        f"{result.name}: {result.examples}"
        for result in check_design(checked, design)
        if not result.passed
    ]


def said(*words: str, status: int = 0) -> str:
    done = CliRunner().invoke(whybench_command, words)
    assert done.exit_code == status, done.output
    return done.output


def heard(factors, *replies: str):
    return parse_replies(SUITE, factors, [(text, False) for text in replies])


def records_of(agent: str, **settings):
    design = make_design({**SMALL, **settings})
    items = list(SUITE.items(design))
    rows = simulate_rows(SUITE, design, items, SUITE.agent(agent), {}, agent, {})
    return record_table(list(rows), COLUMNS)


def test_the_suite_is_installed() -> None:
    assert get_suite("analyze") is SUITE


def test_checks_pass_on_every_challenge() -> None:
    assert not problems(make_design({"variant": "trap,controls", "seeds": 1}))


@pytest.mark.slow
def test_checks_pass_on_all_levels_and_protocols() -> None:
    levels = {"hint": "1,2,3,4,5", "label": "neutral,flattering,damning", "split": "train"}
    assert not problems(make_design({**SMALL, **levels}))
    for protocol in ("code", "code-debug", "agentic"):
        assert not problems(make_design({**SMALL, "seeds": 1, "protocol": protocol}))


def test_an_agent_that_should_be_silent_and_speaks_is_found() -> None:
    loud = replace(SUITE.agents["competent"], answers=False)
    agents = {"competent": loud, "null": replace(SUITE.agents["null"], answers=True)}
    design = make_design({**SMALL, "seeds": 1})
    (line,) = problems(design, altered(SUITE, agents=agents, minds={}, scale=None))
    assert "reference agents are readable" in line
    assert "is read as scored" in line
    assert "is read as no_answer (no_object)" in line


def test_every_known_value_is_recovered() -> None:
    design = make_design({**SMALL, "seeds": 5, "label": "neutral,damning"})
    rows = list(calibrate(SUITE, design, seeds=40))
    assert [row for row in rows if not row.passed] == []
    known = {(row.agent, row.measure): row.expected for row in rows}
    for name in ("sound_pairs", "paired_score"):
        assert known["gold", name] == 1
        assert known["gold[silence=0.25]", name] == 0.75**2
    assert known["naive", "sound_pairs"] == known["null", "sound_pairs"] == 0
    assert known["competent", "sound_pairs"] > 0.9
    assert known["null", "paired_score"] == known["schema-breaker", "score"] == 0
    assert known["naive", "trap_rate"] == 1
    assert known["naive", "paired_score"] < 0.35
    # To adjust where nothing asks for it does little harm to a report, and much to what it says.
    assert known["naive", "paired_score"] < known["always-trap", "paired_score"] < 1
    assert known["always-trap", "paired_diagnosis"] < 0.35
    assert known["always-trap", "false_alarm"] == 0.5  # in simpson; population has no words for it
    assert known["competent", "label_flips"] == 0


def test_an_agent_without_twins_has_no_known_twin_score() -> None:
    rows = list(calibrate(SUITE, make_design({**SMALL, "variant": "control"}), seeds=4))
    assert rows
    assert all(row.passed for row in rows)
    assert "paired_score" not in {row.measure for row in rows}
    # With four draws, intervals claim nothing of an agent that leaves it to chance.
    assert "gold[silence=0.25]" not in {row.agent for row in rows}


def test_self_tests_show_what_challenges_do_and_what_does_not_hold(monkeypatch) -> None:
    design = make_design({"challenge": "simpson,population"})
    found = list(self_tests(design, 3))
    variants = [
        f"{name} {variant}"
        for name in ("simpson", "population")
        for variant in CHALLENGES[name].variants
    ]
    assert [test.subject for test in found] == variants
    assert all(test.passed for test in found)
    assert found[0].figures["trap"] == 3
    assert found[1].figures["trap"] == 0
    assert found[0].figures["naive fell"] == 1.0
    monkeypatch.setattr("whybench.suites.analyze.checks.BOUNDS", replace(BOUNDS, twin=-1.0))
    missed = {test.subject: test.misses for test in self_tests(design, 3) if not test.passed}
    assert list(missed) == ["simpson trap", "population trap"]
    assert "always-trap diagnoses twins with" in missed["simpson trap"][0]


def test_validate_prints_self_tests_and_fails_with_them(monkeypatch) -> None:
    words = ("validate", "analyze", "-T", "challenge=simpson", "-T", "seeds=1", "--seeds", "2")
    printed = said(*words).splitlines()
    verdicts = [line.split()[-1] for line in printed if line.startswith("self-test: simpson ")]
    assert verdicts == ["ok"] * 5
    miss = SelfTest("simpson trap", {"trap": 1, "share": 0.5}, ("it does not hold",))
    changed = altered(SUITE, self_tests=lambda _design, _seeds: [miss])
    design = make_design({**SMALL, "seeds": 1})
    monkeypatch.setattr("whybench.cli.validate.choose_design", lambda *_: (changed, design))
    failed = CliRunner().invoke(whybench_command, [*words, "--json"])
    assert failed.exit_code == 1
    assert json.loads(failed.output.splitlines()[-1]) == {
        "design": design.name,
        "subject": "simpson trap",
        "figures": {"trap": 1, "share": 0.5},
        "misses": ["it does not hold"],
        "passed": False,
    }


def test_reading_grades_and_keeps_what_it_graded() -> None:
    trap = next(iter(SUITE.items(make_design(SMALL))))
    challenge = CHALLENGES["simpson"]
    answers = challenge.answer("naive", trap.instance)
    report, diagnosis = (
        render_reply(answers, form, trap.names) for form in (challenge.report, challenge.diagnosis)
    )
    read = heard(trap.factors, report)
    assert (read.value, read.parts["fell_for"], read.parts["asked"]) == (0.0, True, 4)
    read = heard(trap.factors, report, diagnosis)
    assert (read.value, read.parts["diagnosis"], read.parts["asked"]) == (0.0, 0.0, 6)
    partly = {
        "estimate": trap.instance.number("estimate").value,
        "recommendation": "sideways",
    }
    read = heard(trap.factors, json.dumps(partly))
    assert read.value == pytest.approx(1 / 3)
    verdicts = {verdict.field: verdict for verdict in read_marks(str(read.parts["marks"]))}
    assert verdicts["estimate"] == Verdict("estimate", True, off=0.0)
    assert verdicts["recommendation"] == Verdict("recommendation", False, "not_an_option")
    assert verdicts["interval"].reason == "missing"
    assert heard(trap.factors, "no").reason == "no_object"
    gold = SUITE.oracle(SUITE.open_episode(trap.factors))
    assert parse_replies(SUITE, trap.factors, [(gold, True)]).reason == "cut_off"


def test_marks_are_short_and_give_back_verdicts() -> None:
    verdicts = (
        Verdict("te", False, off=7.123456, fell_for=True),
        Verdict("flag", False, false_alarm=True),
        Verdict("ci", True),
        Verdict("nde", False, "not_a_number"),
    )
    marks = write_marks(verdicts)
    expected = (replace(verdicts[0], off=7.123), *verdicts[1:])
    assert tuple(read_marks(marks)) == expected
    longest = max(
        len(write_marks(
            Verdict(entry.name, False, max(REASONS, key=len), 12345.678, True, True)
            for entry in challenge.fields
        ))
        for challenge in CHALLENGES.values()
    )  # fmt: skip
    assert longest < 1024  # what a summary of a log keeps of a value


def test_the_table_of_fields_has_a_row_for_each() -> None:
    fields = fields_table(records_of("naive")).to_pylist()
    assert len(fields) == 2 * 2 * (6 + 7)
    effects = [row for row in fields if row["field"] == "estimate" and row["variant"] == "trap"]
    assert len(effects) == 2 * 2
    assert all(row["fell_for"] and row["off"] > 2.5 and not row["passed"] for row in effects)
    assert fields_table(records_of("null")).num_rows == 0


def test_commands_list_show_and_plan() -> None:
    listed = said("list", "analyze")
    assert all(name in listed for name in (*DESIGNS, *SUITE.agents))
    few = ("-T", "challenge=simpson", "-T", "seeds=1")
    shown = said("show", "analyze", "1", *few)
    assert re.search(r"adjustment_set   \['\w+'\]", shown)
    assert "naively by crude difference" in shown
    assert len(said("show", "analyze", *few, "--format", "ids").split()) == 2
    planned = said("run", "analyze", "--model", "x", "--plan", *few)
    assert "2 items x 1 epoch = about 14 calls to x" in planned
    assert "prompts contain all rows" not in planned
    direct = said("run", "analyze", "--model", "x", "--plan", *few, "-T", "protocol=direct")
    assert "2 items x 1 epoch = about 4 calls to x" in direct
    assert "prompts contain all rows" in direct
    code = said("run", "analyze", "--model", "x", "--plan", *few, "-T", "protocol=code")
    assert "2 items x 1 epoch = about 6 calls to x" in code
    assert "prompts contain all rows" not in code


def test_a_small_profile_has_one_challenge_of_each_family() -> None:
    design = SUITE.make_design(dict(SUITE.budget("small").settings))
    families = [CHALLENGES[name].family for name in design.challenge]
    every = {CHALLENGES[name].family for name in CORE}
    assert sorted(families) == sorted(every)
    twins = Counter((item.factors["family"], item.factors["twin"]) for item in SUITE.items(design))
    assert twins == {(family, twin): 3 for family in families for twin in ("control", "trap")}


def test_grading_makes_no_data_set_again(monkeypatch) -> None:
    item = next(iter(SUITE.items(SUITE.make_design({"design": "core", "challenge": "simpson"}))))
    factors, gold = item.factors, SUITE.oracle(SUITE.open_episode(item.factors))

    def made_again(*_: object) -> None:
        raise AssertionError("the rows must not be made again")

    monkeypatch.setattr(items, "shown_instance", made_again)
    assert heard(factors, gold, "{}").value == 1
    with pytest.raises(UserError, match="must have the digest 0123 of the item"):
        heard({**factors, "data": "0123"}, gold)
    with pytest.raises(AssertionError, match="made again"):
        items.instance_from_factors(factors)
