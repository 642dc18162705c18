"""The source's illustrations: ice cream and drowning, and a drink under two brands."""

from __future__ import annotations

import json

import numpy as np
import pytest

from whybench.records.table import record_table
from whybench.suites.analyze.analysts import report_fields
from whybench.suites.analyze.grading import grade_values
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import Agent, UserError
from whybench_papers.du2025 import SUITE
from whybench_papers.du2025.agents import analyst_answer
from whybench_papers.du2025.data_sets import read_rows
from whybench_papers.du2025.design import DESIGNS, make_design
from whybench_papers.du2025.illustrations import ILLUSTRATIONS, illustrated_instance
from whybench_papers.du2025.items import du2025_items


@pytest.fixture
def source(mirror):
    if not (mirror / "CausalPitfalls").is_dir():
        pytest.skip("the mirror must hold CausalPitfalls/")
    return mirror / "CausalPitfalls"


def measured(design, reply):
    """Return the measures of an agent that replies so to each conversation."""
    agent = Agent("told", "as told", reply=lambda asked, _settings, _rng: json.dumps(reply(asked)))
    rows = simulate_rows(SUITE, design, list(SUITE.items(design)), agent, {}, "told", {})
    records = record_table(list(rows), SUITE.record_columns)
    return {measure.title: measure.estimate for measure in SUITE.measures(records)}


def test_the_designs_ask_each_file_once() -> None:
    ice_cream, branding = DESIGNS["ice-cream"], DESIGNS["branding"]
    assert (ice_cream.size, branding.size) == (2, 4)
    assert ice_cream.summary == (
        "2 items: the paper's illustrations ice_cream, pure_noise; neutral; direct"
    )
    asked = [file for entry in ILLUSTRATIONS.values() for by in entry.files for file in by.values()]
    assert len(set(asked)) == 6


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"challenge": "simpson"}, "challenge must be observational with illustrations"),
        ({"hint": 3}, "hint must be 5 with illustrations"),
        ({"label": "damning"}, "label must be among neutral, got 'damning'"),
        ({"sets": 2}, "sets must be 1 at most with these data, got 2"),
        ({"rubrics": "printed"}, "rubrics must be none with illustrations"),
    ],
)
def test_what_illustrations_do_not_have_is_refused(changed, message) -> None:
    with pytest.raises(UserError, match=message):
        make_design({"design": "ice-cream", **changed})


def test_brands_are_names_of_the_same_rows_and_praise_does_not_follow_the_truth(source) -> None:
    branding = ILLUSTRATIONS["branding"]
    for number, files in enumerate(branding.files, start=1):
        instance = illustrated_instance("branding", number)
        for label, file in files.items():
            read = read_rows(f"ablations/{file}.csv")
            assert list(read) == list(branding.name_columns(instance.rows, label).values())
            for one, other in zip(read.values(), instance.rows.values(), strict=True):
                assert np.array_equal(one, other)
    good, bad = (illustrated_instance("branding", number) for number in (1, 2))
    assert good.number("effect").value == pytest.approx(8, abs=0.2)
    assert bad.number("effect").value == pytest.approx(-8, abs=0.2)
    assert [x.truths["recommendation"].value for x in (good, bad)] == ["increase", "decrease"]


def test_heat_is_behind_ice_cream_and_drowning_and_behind_nothing_in_noise(source) -> None:
    trap = illustrated_instance("ice_cream", 1)
    effect = trap.number("effect")
    assert abs(effect.value) < 2 * effect.se
    assert effect.apart(100)
    assert trap.truths["has_effect"].value is False
    control = illustrated_instance("pure_noise", 1)
    assert control.truths["has_effect"].value is False
    assert not control.number("effect").naive


@pytest.mark.parametrize("variant", ILLUSTRATIONS)
def test_who_adjusts_passes_and_who_does_not_falls_where_there_is_a_trap(source, variant) -> None:
    for number in range(1, len(ILLUSTRATIONS[variant].files) + 1):
        instance = illustrated_instance(variant, number)
        competent, naive = (
            grade_values(report_fields(instance), instance, analyst_answer(name, instance))
            for name in ("competent", "naive")
        )
        assert (competent.score, competent.fell_for) == (1.0, False)
        trap = ILLUSTRATIONS[variant].twin == "trap"
        assert naive.fell_for == trap
        assert naive.score <= 0.2 if trap else naive.score == 1.0


def test_who_goes_by_the_brand_is_pulled_all_the_way(source) -> None:
    by_brand, by_rows = (
        {"flattering": "increase", "damning": "decrease"},
        {1: "increase", 2: "decrease"},
    )

    def advise(said):
        return {"recommendation": said, "effect": 1, "interval": [0, 2]}

    found = measured(DESIGNS["branding"], lambda asked: advise(by_brand[asked.label]))
    assert (found["label_flips"], found["label_pull"]) == (1.0, 1.0)
    found = measured(DESIGNS["branding"], lambda asked: advise(by_rows[asked.instance.keys[0]]))
    assert (found["label_flips"], found["label_pull"]) == (0.0, 0.0)


def test_ice_cream_and_noise_are_twins(source) -> None:
    claim = {"has_effect": True, "effect": 0.35, "interval": [0.3, 0.4]}
    found = measured(DESIGNS["ice-cream"], lambda _: claim)
    assert (found["paired_score"], found["trap_rate"]) == (0.0, 1.0)


def test_prompts_tell_names_of_the_label_and_nothing_of_what_to_adjust_for(source) -> None:
    for item in du2025_items(DESIGNS["branding"]):
        brands = {"flattering": "HealthPlus", "damning": "UltraSugar"}
        other = brands.keys() - {item.label}
        assert brands[item.label] in item.prompt
        assert brands[other.pop()] not in item.prompt
    for item in (
        *du2025_items(DESIGNS["branding"]),
        *du2025_items(DESIGNS["ice-cream"]),
    ):
        head = item.prompt.split("You cannot run code")[0].lower()
        assert not [word for word in ("adjust", "confound", "heat") if word in head]
