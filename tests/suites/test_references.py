"""Names of reference agents, and minds: who answers, and what a whole profile of them shows."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.altered import altered

from whybench.cli import whybench_command
from whybench.evaluation.experiment_files import read_experiment
from whybench.page.conditions import _why_not
from whybench.planning.asks import list_suites_for
from whybench.suites import references
from whybench.suites.calibration import simulate
from whybench.suites.checks import check_design
from whybench.suites.contract import MINDS, UserError
from whybench.suites.references import find_reference
from whybench.suites.registry import get_suite, list_suites, profiled_suites

if TYPE_CHECKING:
    from pathlib import Path

    from whybench.stats import Measure

SUITES = ("judge", "intervene", "compose", "calculate", "analyze")

COMPARED = {
    "judge": "explaining_away",
    "intervene": "justified_accuracy",
    "compose": "compositional_agreement",
    "calculate": "number_skill",
    "analyze": "sound_pairs",
}
"""The measure of each suite by which minds are ranked."""


@cache
def measured(suite: str, mind: str) -> dict[str, Measure]:
    """Measure a mind on the small budget, without Inspect."""
    one = get_suite(suite)
    design = one.make_design(one.budget("small").settings)
    agent, settings = one.minds[mind]
    found = simulate(one, design, list(one.items(design)), one.agent(agent), settings)
    return {measure.name: measure for measure in found if not measure.at}


def test_names_are_stable() -> None:
    """They stand in records that people keep."""
    assert list(MINDS) == ["careful", "associative", "hasty", "guesser"]


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_of_ours_says_who_stands_for_each_mind(name: str) -> None:
    suite = get_suite(name)
    assert list(suite.minds) == list(MINDS)
    for agent, settings in suite.minds.values():
        assert suite.agent(agent).settings(settings).items() >= settings.items()


ranked = pytest.mark.parametrize(
    "suite",
    [
        pytest.param(name, marks=pytest.mark.slow) if name == "intervene" else name
        for name in SUITES
    ],
)


@ranked
def test_careful_is_far_above_associative(suite: str) -> None:
    careful, associative = (measured(suite, mind)[COMPARED[suite]] for mind in list(MINDS)[:2])
    assert careful.estimate > associative.estimate + 0.15
    # In calculate the associative agent is the best attack, and their intervals overlap.
    assert careful.low > (associative.estimate if suite == "calculate" else associative.high)


@ranked
def test_hasty_is_between_careful_and_guesser(suite: str) -> None:
    name = COMPARED[suite]
    careful, hasty, guesser = (
        measured(suite, mind)[name].estimate for mind in ("careful", "hasty", "guesser")
    )
    assert careful > hasty > guesser


@ranked
def test_associative_is_not_a_guesser(suite: str) -> None:
    associative, guesser = (measured(suite, mind) for mind in ("associative", "guesser"))
    if suite == "judge":  # neither explains away; guesses do not go together
        assert associative["markov_violation"].low > guesser["markov_violation"].high
        return
    if (
        suite == "analyze"
    ):  # both are wrong in traps; it takes a strategy to be so as the trap has it
        assert associative["trap_rate"].estimate > guesser["trap_rate"].estimate + 0.2
        return
    # Both lack proofs in intervene, so their answers count there.
    name = "accuracy" if suite == "intervene" else COMPARED[suite]
    assert associative[name].estimate > guesser[name].estimate + 0.05


def test_guesses_alone_make_a_guesser() -> None:
    """A competent analyst that always lapses answers as the guesser does, and by lot."""
    suite = get_suite("analyze")
    lapsing = suite.agent("competent").settings({"lapse": 1.0})
    assert suite.agent("competent").expected(lapsing, suite.designs["core"]) == {"answered": 1.0}
    assert measured("analyze", "guesser")["answered"].estimate == 1


def test_a_name_is_an_agent_of_a_suite_or_a_mind() -> None:
    one = find_reference("reference/judge.noisy-or")
    assert (one.suites, one.is_mind) == (("judge",), False)
    assert one.agent_for("judge", {"noise": 0.3})[1]["noise"] == 0.3
    mind = find_reference("reference/careful")
    assert (set(mind.suites) >= set(SUITES), mind.is_mind) == (True, True)
    agent, settings = mind.agent_for("calculate", {"seed": 7})
    assert (agent.name, settings) == ("slips", {"error": 0.02, "seed": 7})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reference/carefull", "careful, associative, hasty, guesser.*did you mean 'careful'"),
        ("reference/judge", "got reference/judge; installed suites are .*judge"),
        ("reference/", "must be one for all suites"),
        ("reference/judj.random", "there is no suite 'judj'"),
        ("reference/judge.nobody", "no reference agent 'nobody'"),
        ("reference/judge.", "no reference agent ''"),
    ],
)
def test_a_name_of_nobody_is_told_who_there_is(name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        find_reference(name)


def test_a_mind_takes_a_seed_and_nothing_else() -> None:
    mind = find_reference("reference/hasty")
    with pytest.raises(UserError, match=r"'error'; it takes only seed, .* reference/compose.flip"):
        mind.agent_for("compose", {"error": 0.5})


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> str:
    """Have compose say nothing of the guesser."""
    suites = list_suites()
    minds = {name: part for name, part in suites["compose"].minds.items() if name != "guesser"}
    suites["compose"] = altered(suites["compose"], minds=minds)
    monkeypatch.setattr(references, "list_suites", lambda: suites)
    monkeypatch.setattr("whybench.page.conditions.get_suite", suites.__getitem__)
    return "reference/guesser"


def test_a_suite_that_says_nothing_of_a_mind_is_not_asked(silent: str) -> None:
    assert "compose" not in list_suites_for(silent)
    assert list_suites_for(silent, ["judge", "compose"]) == ("judge",)
    with pytest.raises(
        UserError, match=r"must be asked suites that have an agent for it.*got compose"
    ):
        list_suites_for(silent, ["compose"])
    assert (
        find_reference(silent).explain().endswith("; it has none for compose, so that is not asked")
    )
    assert _why_not("compose", silent) == (
        "not run: the suite has no agent of this name",
        "",
    )
    assert _why_not("judge", f"{silent}[seed=2]")[0] == "not run"


def test_check_sees_a_mind_that_is_made_of_nobody() -> None:
    suite = get_suite("judge")
    design = suite.make_design({"story": "economy", "polarity": "ppp", "task": "VI"})
    name = "minds are made of agents"
    wrong = {"careful": ("nobody", {}), "wise": ("random", {}), "hasty": ("random", {"rho": 1})}
    (found,) = (
        one for one in check_design(altered(suite, minds=wrong), design) if one.name == name
    )
    assert found.problems == 3
    assert "nobody" in found.examples[0]
    assert "there is no mind 'wise'" in found.examples[1]
    assert "has no parameter 'rho'" in found.examples[2]


def test_the_list_shows_minds() -> None:
    shown = CliRunner().invoke(whybench_command, ["list"]).output
    words = " ".join(shown.split())
    assert all(f"{name} {' '.join(summary.split())}" in words for name, summary in MINDS.items())
    one = CliRunner().invoke(whybench_command, ["list", "calculate"]).output
    assert "hasty slips[error=0.2]" in " ".join(one.split())
    rows = json.loads(CliRunner().invoke(whybench_command, ["list", "--json"]).output)
    guessers = {row["suite"]: row["minds"].get("guesser") for row in rows}
    assert guessers["compose"] == "coin"


def test_an_experiment_asks_a_mind_every_suite(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text(
        "models: [reference/careful, reference/judge.random]\n"
        "suites: [{suite: judge, limit: 4}, {suite: calculate, limit: 4}]\n"
    )
    asked = [(unit.model, unit.ask.suite) for unit in read_experiment(plan).list_units()]
    assert asked == [
        ("reference/careful", "judge"),
        ("reference/judge.random", "judge"),
        ("reference/careful", "calculate"),
    ]
    plan.write_text("models: [reference/wise]\nsuites: [judge]\n")
    with pytest.raises(UserError, match="must be one for all suites"):
        read_experiment(plan)


@pytest.mark.slow
def test_a_profile_of_two_minds_is_complete_and_has_a_row_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    names = ["reference/careful", "reference/associative"]
    done = CliRunner().invoke(whybench_command, ["profile", *names, "-o", "first", "--json"])
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert {row["agent"] for row in rows} == set(names)
    assert {(row["agent"], row["suite"]) for row in rows} == {
        (name, suite) for name in names for suite in profiled_suites("small")
    }
    assert all(row["no_answer"] == row["error"] == 0 for row in rows)
    for row in rows:
        if row["suite"] in SUITES:
            same = measured(row["suite"], row["agent"].removeprefix("reference/"))[row["measure"]]
            assert row["estimate"] == pytest.approx(same.estimate), row
    page = (tmp_path / "first" / "page.html").read_text(encoding="utf-8")
    assert "not run" not in page
    assert "How 2 agents reason" in page
