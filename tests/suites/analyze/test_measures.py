"""Measures of analyze: by hand, and for agents whose values are known."""

from __future__ import annotations

import json

import pytest

from whybench.records.table import record_table
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.design import make_design
from whybench.suites.analyze.measures import analyze_measures
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import Agent

COLUMNS = SUITE.record_columns
ROW = {
    "agent": "a",
    "design": "mine",
    "design_hash": "0",
    "epoch": 1,
    "outcome": "scored",
    "reason": "",
    "challenge": "simpson",
    "family": "confounding",
    "hint": 3,
    "label": "neutral",
    "protocol": "direct",
    "split": "test",
    "draw": 0,
    "fell_for": False,
    "false_alarm": False,
    "conclusion": "{}",
}


def trap(score: float, **more):
    return {**ROW, "twin": "trap", "variant": "trap", "value": score, **more}


def control(score: float, variant: str = "null", **more):
    return {**ROW, "twin": "control", "variant": variant, "value": score, **more}


def silence(row, reason: str = "no_object"):
    parts = dict.fromkeys(("fell_for", "false_alarm", "conclusion"))
    return {**row, "value": None, "outcome": "no_answer", "reason": reason, **parts}


def measured(*rows):
    found = analyze_measures(record_table(rows, COLUMNS))
    names = [(*measure.labels.values(), measure.key) for measure in found]
    assert len({*names}) == len(names), "names must be unique within a group"
    return {measure.title: measure for measure in found}


def estimates(found, *names):
    return tuple(found[name].estimate for name in names)


def test_the_twin_score_is_the_mean_of_the_lesser_of_two() -> None:
    found = measured(
        trap(1.0), control(0.4),
        trap(0.2, draw=1), control(1.0, draw=1),
        trap(0.8, draw=2), control(0.8, draw=2),
    )  # fmt: skip
    assert found["paired_score"].estimate == pytest.approx((0.4 + 0.2 + 0.8) / 3)
    assert (found["paired_score"].n, found["paired_score"].units) == (3, 3)
    assert estimates(found, "score", "score_trap", "score_control") == pytest.approx(
        (4.2 / 6, 2.0 / 3, 2.2 / 3)
    )
    assert found["paired_score"].method == "mean of lesser of two; Wilson, clustered by draw"


def test_a_pair_is_sound_if_every_field_of_both_reports_passes_and_none_claims_a_missing_trap() -> (
    None
):
    found = measured(
        trap(1.0), control(1.0),
        trap(1.0, draw=1), control(0.9, draw=1),
        trap(0.2, draw=2), control(1.0, draw=2),
        # The report is sound, and the diagnosis claims a trap that isn't there.
        trap(1.0, draw=3), control(1.0, draw=3, false_alarm=True),
        trap(1.0, draw=4), silence(control(0.0, draw=4)),
    )  # fmt: skip
    assert (found["sound_pairs"].estimate, found["sound_pairs"].n) == (pytest.approx(1 / 5), 5)
    assert found["sound_pairs"].method == "share of pairs; Wilson, clustered by draw"
    assert "no_answer_as_0" in found["sound_pairs"].flags
    assert estimates(measured(trap(1.0)), "sound_pairs") == (None,)


def test_a_trap_is_paired_with_every_control_of_its_question_and_no_other() -> None:
    found = measured(
        trap(0.5), control(0.3), control(1.0, "randomised"),
        control(0.0, draw=1), control(0.0, hint=5), control(0.0, label="damning"),
        control(0.0, epoch=2), trap(0.9, challenge="selection"),
    )  # fmt: skip
    assert found["paired_score"].estimate == pytest.approx((0.3 + 0.5) / 2)
    assert found["paired_score"].n == 2


def test_without_pairs_there_is_no_twin_score() -> None:
    found = measured(trap(1.0), trap(0.5, draw=1))
    assert found["paired_score"].estimate is None
    assert "undefined" in found["paired_score"].flags
    assert found["score_control"].estimate is None
    assert found["score"].estimate == 0.75


def test_reliability_counts_every_challenge_the_same() -> None:
    found = measured(
        trap(1.0), trap(0.0, draw=1), trap(0.8, draw=2),
        trap(0.2, challenge="selection"),
    )  # fmt: skip
    assert found["reliability"].estimate == pytest.approx((0.6 + 0.2) / 2)
    assert found["score"].estimate == pytest.approx(0.5)


def test_silence_is_worth_nothing_and_an_error_is_left_out() -> None:
    rows = [
        trap(1.0), silence(control(0.0), "cut_off"), trap(1.0, draw=1), control(1.0, draw=1),
        {**trap(0.0, draw=2), "value": None, "outcome": "error"}, control(1.0, draw=2),
    ]  # fmt: skip
    found = measured(*rows)
    assert found["paired_score"].estimate == pytest.approx(1 / 2)
    assert "no_answer_as_0" in found["paired_score"].flags
    assert found["score"].estimate == pytest.approx(4 / 5)
    assert found["score_answered"].estimate == 1.0
    assert "no_answer_as_0" not in found["score_answered"].flags
    assert estimates(found, "answered", "mode_cut_off", "mode_empty") == (0.8, 0.2, 0.0)
    assert (found["score"].scored, found["score"].no_answer, found["score"].error) == (4, 1, 1)


def test_falls_are_of_answered_traps_and_alarms_of_controls_with_a_diagnosis() -> None:
    found = measured(
        trap(0.2, fell_for=True, diagnosis=0.0), trap(1.0, draw=1), silence(trap(0.0, draw=2)),
        control(0.4, false_alarm=True, diagnosis=0.3),
        control(0.2, draw=1, fell_for=True, diagnosis=1.0), control(1.0, draw=2, diagnosis=0.0),
        control(1.0, draw=3), silence(control(0.0, draw=4)),
    )  # fmt: skip
    assert (found["trap_rate"].estimate, found["trap_rate"].n) == (0.5, 2)
    assert (found["false_alarm"].estimate, found["false_alarm"].n) == (pytest.approx(1 / 3), 3)


def test_diagnoses_have_a_mean_and_twins_of_their_own() -> None:
    found = measured(
        trap(1.0, diagnosis=0.5), control(0.4, diagnosis=1.0),
        trap(0.2, draw=1, diagnosis=1.0), control(1.0, draw=1, diagnosis=0.0),
        # Nothing was asked of the one, so that the other has no twin.
        trap(0.8, draw=2), control(0.8, draw=2, diagnosis=1.0),
    )  # fmt: skip
    assert (found["diagnosis"].estimate, found["diagnosis"].n) == (pytest.approx(3.5 / 5), 5)
    assert (found["paired_diagnosis"].estimate, found["paired_diagnosis"].n) == (0.25, 2)
    assert found["paired_score"].estimate == pytest.approx((0.4 + 0.2 + 0.8) / 3)
    assert not {"diagnosis", "paired_diagnosis"} & {*measured(trap(1.0), control(1.0))}


def test_flips_are_contradictions_between_labels_on_the_same_rows() -> None:
    def said(label: str, direction: str, draw: int = 0, **more):
        conclusion = json.dumps({"direction": direction, **more})
        return trap(1.0, label=label, draw=draw, conclusion=conclusion)

    found = measured(
        said("neutral", "none"), said("flattering", "increases"), said("damning", "none"),
        said("neutral", "none", 1), said("flattering", "none", 1, reversal="true"),
        said("damning", "none", 2),
        silence(trap(0.0, label="damning", draw=1)),
    )  # fmt: skip
    # Draw 0: neutral/flattering and damning/flattering flip; draw 1: one pair, and no flip.
    assert found["label_flips"].estimate == pytest.approx(2 / 4)
    assert (found["label_flips"].n, found["label_flips"].units) == (4, 2)
    assert found["label_flips (labels damning/flattering)"].estimate == 1.0
    assert found["label_flips (labels flattering/neutral)"].estimate == 0.5
    assert found["label_flips (labels damning/neutral)"].estimate == 0.0
    assert "label_flips" not in measured(trap(1.0))


def test_a_label_pulls_where_recommendations_go_its_way() -> None:
    def said(label: str, advice: str, draw: int = 0, **more):
        return trap(
            1.0, label=label, draw=draw, conclusion=json.dumps({"recommendation": advice}), **more
        )

    found = measured(
        # Two of three pairs go the way of the label, one is even; then one of one goes against it.
        said("damning", "decrease"), said("neutral", "increase"), said("flattering", "increase"),
        said("damning", "increase", 1), said("flattering", "not_identifiable", 1),
        # Whether this outcome is good depends on the setting.
        said("damning", "decrease", challenge="necessity_sufficiency"),
        said("flattering", "increase", challenge="necessity_sufficiency"),
    )  # fmt: skip
    assert found["label_pull"].estimate == pytest.approx((2 - 1) / 4)
    assert (found["label_pull"].n, found["label_pull"].units) == (4, 2)
    assert -1 <= found["label_pull"].low < found["label_pull"].high <= 1
    claims = (trap(1.0, label=label, conclusion="{}") for label in ("neutral", "damning"))
    assert "label_pull" not in measured(*claims)


@pytest.mark.parametrize(("pull", "flips"), [(1, 1.0), (-1, 1.0), (0, 0.0)])
def test_the_pull_of_an_agent_that_goes_by_the_label(pull: int, flips: float) -> None:
    """It raises what is praised and lowers what is blamed, does the opposite, or does not look."""
    advice = {"flattering": pull, "damning": -pull}

    def follow(asked, _settings, _rng) -> str:
        side = {1: "increase", -1: "decrease", 0: "no_clear_effect"}[advice[asked.label]]
        return json.dumps({"recommendation": side, "estimate": 0.1 * advice[asked.label]})

    design = make_design(
        {"challenge": "simpson", "label": "flattering,damning", "protocol": "direct", "seeds": 3}
    )
    agent = Agent(name="follower", summary="follows the label", reply=follow)
    rows = simulate_rows(SUITE, design, list(SUITE.items(design)), agent, {}, "follower", {})
    found = {measure.title: measure for measure in SUITE.measures(record_table([*rows], COLUMNS))}
    assert found["label_pull"].estimate == pull
    assert found["label_flips"].estimate == flips
    assert found["label_pull"].low <= pull <= found["label_pull"].high


def test_failed_programs_are_counted_one_by_one() -> None:
    found = measured(
        trap(1.0, runs=3, failed_runs=1), trap(1.0, runs=1, failed_runs=0, draw=1),
        trap(0.0, runs=0, failed_runs=0, draw=2),
        silence(trap(0.0, runs=2, failed_runs=2, draw=3, hint=5)),
    )  # fmt: skip
    assert found["failed_programs"].estimate == pytest.approx(3 / 6)
    assert (found["failed_programs"].n, found["failed_programs"].units) == (6, 3)
    assert found["failed_programs (hint 3)"].estimate == pytest.approx(1 / 4)
    assert found["failed_programs (hint 5)"].estimate == 1.0
    assert "failed_programs" not in measured(trap(1.0), control(1.0))
    assert "failed_programs" not in measured(trap(1.0, runs=0, failed_runs=0))


def test_levels_are_measured_where_there_are_several() -> None:
    found = measured(
        trap(1.0, hint=1), control(0.6, hint=1), trap(0.4, hint=5), control(0.8, hint=5),
        trap(0.2, hint=1, challenge="outcome", family="counterfactual"),
        control(0.6, hint=1, challenge="outcome", family="counterfactual"),
    )  # fmt: skip
    assert estimates(
        found, "paired_score (hint 1)", "paired_score (hint 5)", "score (challenge outcome)",
        "score_trap (family confounding)", "score_control (challenge simpson)",
    ) == pytest.approx((0.4, 0.4, 0.4, 0.7, 0.7))  # fmt: skip
    # Least squares through means 0.6 at hint 1 (four answers) and 0.6 at hint 5 (two).
    assert found["score_per_hint"].estimate == pytest.approx(0.0, abs=1e-12)
    assert not [name for name in found if "label" in found[name].at]


def test_conditions_and_agents_are_kept_apart() -> None:
    rows = [trap(1.0), trap(0.0, agent="b"), trap(0.5, protocol="code")]
    found = analyze_measures(record_table(rows, COLUMNS))
    scores = {
        (measure.labels["agent"], measure.labels["protocol"]): measure.estimate
        for measure in found
        if measure.title == "score"
    }
    assert scores == {("a", "direct"): 1.0, ("b", "direct"): 0.0, ("a", "code"): 0.5}


def test_intervals_follow_draws_and_not_answers() -> None:
    twice = [trap(score, draw=draw, hint=hint)
             for draw, score in enumerate((0.0, 0.3, 0.6, 1.0)) for hint in (1, 5)]  # fmt: skip
    once = [row for row in twice if row["hint"] == 1]
    one, two = measured(*once)["score"], measured(*twice)["score"]
    assert (one.n, two.n, one.units, two.units) == (4, 8, 4, 4)
    assert (two.low, two.high) == pytest.approx((one.low, one.high))


def test_no_records_no_measures() -> None:
    assert analyze_measures(record_table([], COLUMNS)) == []
