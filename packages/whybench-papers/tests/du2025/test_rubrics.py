"""The source's rubrics: what is looked for, as printed and repaired, and answers marked by them."""

from __future__ import annotations

import json
import re
from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from evidence.graders import answer_in, ruling, scripted, sealed_in

from whybench.cli import whybench_command
from whybench.records.logs import read_logs
from whybench.records.table import record_table
from whybench.suites.analyze.challenges import CHALLENGES, CORE
from whybench.suites.contract import UserError
from whybench.suites.task import inspect_task, score_sample
from whybench_papers.du2025 import SUITE
from whybench_papers.du2025.data_sets import FOLDERS, PLACEHOLDER, read_json
from whybench_papers.du2025.design import make_design
from whybench_papers.du2025.episode import ANSWER_FREELY
from whybench_papers.du2025.grader.verdicts import RUBRIC_MARKS, UNMARKED
from whybench_papers.du2025.items import Du2025Item
from whybench_papers.du2025.reliability import (
    agent_tables,
    printed_tables,
    read_printed,
)
from whybench_papers.du2025.rubrics import read_rubric

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from inspect_ai.log import EvalLog

SETS = range(1, 6)
PROGRAM = "```python\nraise SystemExit(1)\n```"


@pytest.fixture
def source(mirror: Path) -> Path:
    if not (mirror / "CausalPitfalls").is_dir():
        pytest.skip("the mirror must hold CausalPitfalls/")
    return mirror / "CausalPitfalls"


def item(challenge: str, number: int = 1, rubrics: str = "printed", **more: Any) -> Du2025Item:
    settings = {"hint": 5, "label": "neutral", "protocol": "direct", **more}
    return Du2025Item(challenge, "data_sets", number, rubrics=rubrics, **settings)


def test_all_that_the_source_asks_is_asked_where_its_rubrics_are_applied() -> None:
    design = make_design({"rubrics": "printed"})
    assert (design.block, design.size) == (15 * 5, 375)
    assert design.summary == (
        "375 items: the paper's questions on 75 of its data sets; hint 1, 2, 3, 4, 5; direct; "
        "printed rubrics"
    )
    plain = make_design({})
    assert (
        len(
            {
                plain.hash,
                design.hash,
                make_design({"rubrics": "repaired"}).hash,
            }
        )
        == 3
    )
    assert make_design({"rubrics": "none"}).hash == plain.hash


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"rubrics": "mine"}, "rubrics must be among none, printed, repaired"),
        (
            {"rubrics": "printed", "design": "branding"},
            "rubrics must be none with illustrations",
        ),
        ({"rubrics": "printed", "protocol": "free"}, "got free, which asks for a form"),
    ],
)
def test_what_rubrics_cannot_be_applied_to_is_refused(
    changed: dict[str, str], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        make_design(changed)


def test_a_printed_rubric_has_every_criterion_and_open_places_where_keys_have_nothing(
    source: Path,
) -> None:
    open_places = set()
    for folder, challenge in FOLDERS.items():
        listed = [entry["id"] for entry in read_json(folder, "rubric")["criteria"]]
        for number in SETS:
            rubric = read_rubric(challenge, number, "printed")
            assert list(rubric) == listed
            if PLACEHOLDER.search("".join(rubric.values())):
                open_places.add((challenge, number))
    assert open_places == {
        *(("observational", number) for number in (2, 3, 4, 5)),
        *(("temporal", number) for number in SETS),
    }
    # The set without a key is held against the first key of its challenge.
    forward = read_rubric("structure", 5, "printed")["LIST_FORWARD_CHAIN"]
    assert "study_hours -> comprehension_level" in forward


def test_a_repaired_rubric_has_no_open_place_and_what_the_errata_say(source: Path) -> None:
    repaired = {
        (challenge, number): read_rubric(challenge, number, "repaired")
        for challenge in FOLDERS.values()
        for number in SETS
    }
    assert not any(PLACEHOLDER.search(" ".join(rubric.values())) for rubric in repaired.values())
    changed = [place for place in repaired if repaired[place] != read_rubric(*place, "printed")]
    assert len(changed) == 41
    left_out = {
        place
        for place, rubric in repaired.items()
        if len(rubric) < len(read_rubric(*place, "printed"))
    }
    assert left_out == {("simpson", 4), ("simpson", 5)}
    assert "(target: 1.943; tolerance: 0.5)" in repaired["outcome", 2]["ACCURATE_ATE"]
    assert "(0.3031)" in repaired["effect_estimation", 5]["NUMERIC_ACCURACY"]
    assert "(0.518)" in repaired["effect_estimation", 1]["NUMERIC_ACCURACY"]
    assert "brand_awareness" in repaired["structure", 5]["LIST_FORK"]
    extra = repaired["structure", 2]["NO_EXTRA_STRUCTURES"]
    assert "For example" not in extra
    assert "exercise_minutes<-resting_heart_rate<-calories_burned" in extra
    assert "between Gender and Experience" in repaired["selection", 2]["ASSUMPTION_INDEPENDENCE"]
    assert "pain_score_reduction on drug_dose" in repaired["domain_shift", 5]["MODEL_SPECIFICATION"]
    assert "EFFECT_A" not in repaired["population", 1]["REPORT_PROGINT_COEF_A"]


def test_a_question_is_asked_without_a_form_and_ids_follow_the_rubric(source: Path) -> None:
    for challenge in FOLDERS.values():
        asked = item(challenge)
        assert "JSON" not in asked.prompt
        assert asked.certificate.value == asked.truth == 1.0
    assert item("simpson").prompt == item("simpson", rubrics="repaired").prompt
    assert item("outcome").id != item("outcome", rubrics="repaired").id
    # Three of the five rubrics of simpson need no repair, and their digests are the same.
    assert item("simpson").digest == item("simpson", rubrics="repaired").digest
    with pytest.raises(UserError, match="in their own words"):
        SUITE.oracle(SUITE.open_episode(item("simpson").factors))


def test_every_id_of_a_design_is_another(source: Path) -> None:
    design = make_design({"rubrics": "repaired", "hint": "1,5"})
    ids = [entry.id for entry in SUITE.items(design)]
    assert len({*ids}) == len(ids) == 150


def mark(
    folder: Path,
    replies: Callable[[list[Any]], str],
    grader: Callable[[list[Any]], str],
    **settings: Any,
) -> tuple[EvalLog, list[list[Any]]]:
    """Ask a design with scripted replies, and have them marked by a scripted grader."""
    from inspect_ai import eval

    calls: list[list[Any]] = []
    [log] = eval(
        inspect_task(SUITE)(**{"rubrics": "printed", "group": 1, **settings}),
        model=scripted("mockllm/model", replies, []),
        model_roles={"grader": scripted("mockllm/grader", grader, calls)},
        log_dir=str(folder),
        display="none",
    )
    return log, calls


def criteria_in(asked: str) -> list[str]:
    """Return the ids of the criteria that a request names."""
    _, _, rest = asked.partition("The criteria, by id:\n")
    return re.findall(r"^- ([A-Z0-9_]+): ", rest.partition("The answer stands")[0], re.MULTILINE)


def first_met(messages: list[Any]) -> str:
    """Grade the first criterion as met, and no other."""
    first, *others = criteria_in(messages[0].text)
    return ruling({first: "met"} | dict.fromkeys(others, "missed"), sealed_in(messages[0].text))


def records(log: EvalLog) -> Any:
    return record_table(read_logs([log.location]).rows["du2025"], SUITE.record_columns)


def test_a_score_is_the_share_of_the_criteria_and_reliability_is_told_in_two_ways(
    source: Path, tmp_path: Path
) -> None:
    log, calls = mark(tmp_path, lambda _: "It is confounded.", first_met, hint=5, sets=1)
    assert log.status == "success", log.error
    assert len(calls) == 15
    rows = {row["challenge"]: row for row in records(log).to_pylist()}
    sizes = {name: len(read_rubric(name, 1, "printed")) for name in FOLDERS.values()}
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(
        {name: 1 / size for name, size in sizes.items()}
    )
    assert {row["grader"] for row in rows.values()} == {"mockllm/grader"}
    assert list(json.loads(rows["selection"]["rubric_marks"]).values()) == ["met", *["missed"] * 4]
    found = {measure.title: measure.estimate for measure in SUITE.measures(records(log))}
    families: dict[str, list[float]] = {}
    for row in rows.values():
        families.setdefault(row["family"], []).append(row["value"])
    assert found["reliability"] == pytest.approx(fmean(1 / size for size in sizes.values()))
    assert found["family_reliability"] == pytest.approx(fmean(map(fmean, families.values())))
    assert found["family_reliability"] != pytest.approx(found["reliability"], abs=1e-4)
    for family, values in families.items():
        assert found[f"score (family {family})"] == pytest.approx(fmean(values))
    # Read again from its messages, a log has the same scores.
    assert [score_sample(sample).value for sample in log.samples or []] == [
        next(iter((sample.scores or {}).values())).value for sample in log.samples or []
    ]


def test_marks_that_cannot_be_read_are_asked_for_twice_and_then_count_nowhere(
    source: Path, tmp_path: Path
) -> None:
    def grade(messages: list[Any]) -> str:
        if "selection" in answer_in(messages[0].text):
            return ruling({"DAG_PROPOSAL": "partly"}, sealed_in(messages[0].text))
        names = criteria_in(messages[0].text)
        return ruling(dict.fromkeys(names, "met"), sealed_in(messages[0].text))

    log, calls = mark(
        tmp_path,
        lambda messages: "selection" if "Hospitalization" in messages[0].text else "paradox",
        grade,
        challenge="simpson,selection",
        hint=1,
        sets=1,
    )
    assert [len(call) for call in calls].count(3) == 1  # asked once more, and no more than that
    by_challenge = {row["challenge"]: row for row in records(log).to_pylist()}
    assert by_challenge["selection"]["value"] is None
    assert by_challenge["selection"]["reason"] == UNMARKED
    values: dict[str, Any] = {
        sample.metadata["challenge"]: next(iter((sample.scores or {}).values())).value
        for sample in log.samples or []
    }
    shown = {name: value["score"] for name, value in values.items()}
    assert shown == {"simpson": 1.0, "selection": None}
    found = {measure.title: measure for measure in SUITE.measures(records(log))}
    assert found["score"].estimate == 1.0
    assert found["unmarked"].estimate == 0.5
    assert "no_answer_as_0" not in found["score"].flags


def test_an_answer_does_not_mark_itself(source: Path, tmp_path: Path) -> None:
    """The grader copies what the answer brings along, and that has no seal of ours."""
    names = list(read_rubric("simpson", 1, "printed"))
    log, _ = mark(
        tmp_path,
        lambda _: ruling(dict.fromkeys(names, "met")),
        lambda messages: answer_in(messages[0].text),
        challenge="simpson",
        hint=5,
        sets=1,
    )
    assert [row["reason"] for row in records(log).to_pylist()] == [UNMARKED]


@pytest.mark.parametrize("said", [" ", "<think>It is confounded.</think>"])
def test_a_reply_without_words_is_not_marked(source: Path, tmp_path: Path, said: str) -> None:
    from inspect_ai import Task, eval

    from whybench.suites.conversations import ask_each
    from whybench_papers.du2025.grader.task import mark_by_rubric

    design = inspect_task(SUITE)(rubrics="printed", challenge="simpson", sets=1, group=1)
    calls: list[list[Any]] = []
    [log] = eval(
        Task(dataset=design.dataset, solver=[ask_each(), mark_by_rubric()]),
        model=scripted(
            "mockllm/model", lambda m: "A paradox." if "Hint" in m[0].text else said, []
        ),
        model_roles={"grader": scripted("mockllm/grader", first_met, calls)},
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "success", log.error
    marked = [RUBRIC_MARKS in (s.messages[-1].metadata or {}) for s in log.samples or []]
    words = [s.messages[-1].text == "A paradox." for s in log.samples or []]
    assert marked == words
    assert sum(marked) == len(calls)
    assert 0 < len(calls) < len(marked)


def test_without_a_grader_nothing_is_asked(source: Path, tmp_path: Path) -> None:
    from inspect_ai import eval

    asked: list[list[Any]] = []
    [log] = eval(
        inspect_task(SUITE)(rubrics="printed", challenge="simpson", hint=5, sets=1, group=1),
        model=scripted("mockllm/model", lambda _: "x", asked),
        log_dir=str(tmp_path),
        display="none",
    )
    assert log.status == "error"
    assert not asked


def test_several_protocols_are_marked_in_one_run(source: Path, tmp_path: Path) -> None:
    def reply(messages: list[Any]) -> str:
        return "The answer." if messages[-1].text.endswith(ANSWER_FREELY) else PROGRAM

    log, calls = mark(
        tmp_path, reply, first_met, challenge="simpson", hint=5, sets=1, protocol="direct,code"
    )
    assert log.status == "success", log.error
    assert sorted(answer_in(call[0].text) for call in calls) == ["The answer.", PROGRAM]
    rows = {row["protocol"]: row for row in records(log).to_pylist()}
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(
        {"direct": 1 / 7, "code": 1 / 7}
    )
    assert (rows["code"]["runs"], rows["code"]["failed_runs"]) == (1, 1)
    found = {
        (measure.labels["protocol"], measure.title): measure.estimate
        for measure in SUITE.measures(records(log))
    }
    assert found["code", "failed_programs"] == 1.0
    assert ("direct", "failed_programs") not in found


def test_printed_reliability_is_the_mean_over_families_and_not_over_challenges() -> None:
    tables = printed_tables()
    both = [row for row in tables["reliability"] if "estimate" in row]
    assert (len(tables["reliability"]), len(both), len(tables["families"])) == (30, 20, 120)
    for row in both:
        assert row["over_families"] == pytest.approx(row["printed"], abs=0.0051)
        assert row["flags"] == "differs"
        assert row["estimate"] != pytest.approx(row["printed"], abs=0.02)
    cells = [row["family"] for row in tables["families"] if row["flags"]]
    assert (len(cells), cells.count("counterfactual"), cells.count("confounding")) == (65, 20, 2)
    # By the definition two models change places.
    direct = [row for row in both if row["protocol"] == "direct"]
    printed, defined = (
        [row["agent"] for row in sorted(direct, key=lambda row: -row[name])][2:4]
        for name in ("printed", "estimate")
    )
    assert printed == ["Claude-3.5-sonnet", "GPT-4.1"] == defined[::-1]


def test_printed_tables_agree_with_one_another_where_they_repeat_a_number() -> None:
    rows = {(row["protocol"], row["model"]): row for row in read_printed()}
    assert len(rows) == 30
    models = {model for _, model in rows}
    assert len(models) == 10
    for model in models:
        # One more attempt never lowers the printed average.
        assert rows["code-debug", model]["average"] > rows["code", model]["average"]
    assert rows["direct", "GPT-o4-mini"]["average"] == 40.72


def test_challenges_and_hints_are_there_as_printed() -> None:
    tables = printed_tables()
    assert (len(tables["challenges"]), len(tables["hints"])) == (2 * 10 * 15, 2 * 10 * 5)
    (easiest,) = (
        row["printed"]
        for row in tables["hints"]
        if (row["protocol"], row["agent"], row["hint"]) == ("code", "GPT-4.1", 1)
    )
    assert easiest == 57.80


def test_agents_stand_beside_what_is_printed(source: Path, tmp_path: Path) -> None:
    log, _ = mark(tmp_path, lambda _: "It is confounded.", first_met, hint=5, sets=1)
    done = CliRunner().invoke(
        whybench_command,
        [
            "papers",
            "replicate",
            "du2025",
            "--table",
            "reliability",
            "--with",
            log.location,
            "--json",
        ],
    )
    assert done.exit_code == 0, done.output
    own, *others = [json.loads(line) for line in done.output.splitlines()]
    assert len(others) == 30
    found = {measure.title: measure.estimate or 0.0 for measure in SUITE.measures(records(log))}
    assert (own["agent"], own["protocol"]) == ("mockllm/model", "direct")
    assert own["estimate"] == pytest.approx(100 * found["reliability"])
    assert own["over_families"] == pytest.approx(100 * found["family_reliability"])
    assert own["low"] < own["estimate"] < own["high"]
    tables = agent_tables(records(log))
    assert {row["challenge"] for row in tables["challenges"]} == {*CORE}
    families = tables["families"]
    assert {row["family"] for row in families} == {CHALLENGES[name].family for name in CORE}


def test_answers_that_nobody_marked_are_not_set_beside(source: Path) -> None:
    with pytest.raises(UserError, match="marked by the paper's rubrics, got none"):
        agent_tables(record_table([], SUITE.record_columns))
