"""What is not linked is independent: left to the reader, or stated."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from whybench.records.table import record_table
from whybench.seeds import generator
from whybench.stats import Measure
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS, make_design
from whybench.suites.judge.differences import condition_changes
from whybench.suites.judge.figures.looks import condition_name
from whybench.suites.judge.human_correlation import human_correlations
from whybench.suites.judge.measures import contrast_measures
from whybench.suites.judge.prompt_parser import JudgePromptError, parse_prompt
from whybench.suites.judge.published import human_means, people_records
from whybench.suites.judge.questionnaire import QUESTIONNAIRE
from whybench.suites.judge.questions import GRAPHS

BOTH = ["unstated", "stated"]
SENTENCES = {
    "collider": "Among weather systems in general, one cause tells nothing about the other: those "
    "with high ozone levels have low air pressure just as often as those with normal ozone levels.",
    "fork": "Among weather systems that are alike in ozone levels, one effect tells nothing about "
    "the other: those with low air pressure have high humidity just as often as those with normal "
    "air pressure.",
    "chain": "Among weather systems that are alike in air pressure, the first cause tells nothing "
    "about the last effect: those with high ozone levels have high humidity just as often as those "
    "with normal ozone levels.",
}


def asked(**settings: object) -> list:
    return list(SUITE.items(make_design(settings)))


def answers(who: str, **settings: object) -> pa.Table:
    """Return the records of a reference agent."""
    design = make_design(settings)
    rows = simulate_rows(
        SUITE, design, list(SUITE.items(design)), SUITE.agent(who), {}, f"reference/judge.{who}", {}
    )
    return record_table(rows, SUITE.record_columns)


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_sentence_is_the_one_that_the_graph_implies(graph: str) -> None:
    (item, *_) = asked(graph=graph, story="weather", polarity="ppp", independence="stated")
    assert SENTENCES[graph] in SUITE.render(item).split("\n")


@pytest.mark.parametrize("design", ["stories", "fork-stories", "chain-stories", "abstract"])
def test_one_line_is_added_and_nothing_else_changes(design: str) -> None:
    plain = {item.case: item for item in asked(design=design)}
    stated = asked(design=design, independence="stated")
    assert {item.case for item in stated} == set(plain)
    for item in stated:
        before = plain[item.case]
        lines = SUITE.render(item).split("\n")
        (added,) = [line for line in lines if " just as often as " in line]
        lines.remove(added)
        assert lines == SUITE.render(before).split("\n")
        assert item.truth == before.truth
        assert item.id != before.id
        assert "-independence-stated-" in item.id


def test_what_was_asked_before_is_asked_as_before() -> None:
    made = make_design({"independence": "unstated", "name": "core"})
    assert made.hash == DESIGNS["core"].hash
    assert [item.id for item in SUITE.items(made)] == [item.id for item in asked()]
    both = {item.id for item in asked(independence=BOTH)}
    assert both == {item.id for item in (*asked(), *asked(independence="stated"))}
    assert make_design({"independence": "stated"}).hash != DESIGNS["core"].hash


@pytest.mark.parametrize("graph", GRAPHS)
@pytest.mark.parametrize(
    "settings",
    [
        {"style": "direct,cot,confidence", "overload": "de", "overload_source": "story,filler"},
        {"design": "abstract"},
    ],
    ids=["overload", "abstract"],
)
def test_a_prompt_gives_back_what_it_states(graph: str, settings: dict[str, object]) -> None:
    items = asked(graph=graph, independence=BOTH, **settings)
    for item in items:
        world = parse_prompt(SUITE.render(item))
        assert world == item.world
        assert bool(world.independent) == (item.independence == "stated")
    assert {item.independence for item in items} == set(BOTH)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda text: text.replace("those with normal ozone", "those with few ozone"), "states"),
        (lambda text: text.replace("have low air pressure just", "have wind just"), "states that"),
        (lambda text: text.replace("\nAmong", f"\n{SENTENCES['collider']}\nAmong"), "once, got 2"),
    ],
)
def test_a_damaged_sentence_gives_no_world(damage, message: str) -> None:
    (item, *_) = asked(story="weather", polarity="ppp", independence="stated")
    with pytest.raises(JudgePromptError, match=message):
        parse_prompt(damage(SUITE.render(item)))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"independence": "said"}, "independence must be among unstated, stated, got 'said'"),
    ],
)
def test_errors_say_what_was_expected(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_design(settings)


def test_the_summary_says_what_is_stated() -> None:
    assert make_design({"independence": "stated"}).summary.endswith("; independence stated")
    assert "independence" not in DESIGNS["core"].summary


def test_measures_keep_the_two_apart() -> None:
    table = answers("noisy-or", independence=BOTH)
    found = [m for m in contrast_measures(table) if m.name == "markov_violation"]
    assert {m.labels["independence"]: m.scored for m in found} == dict.fromkeys(BOTH, 240)


def test_people_were_not_told(mirror: Path) -> None:
    assert set(people_records("collider")["independence"].to_pylist()) == {"unstated"}
    design = make_design({"independence": BOTH})
    agent = SUITE.agent("human-rw17")
    plain, stated = (asked(independence=level)[0] for level in BOTH)
    assert agent.reply(plain, {}, generator())
    with pytest.raises(UserError, match="independence unstated.*got .* independence=stated"):
        agent.reply(stated, {}, generator())
    assert agent.expected({}, design) == {}
    assert agent.expected({}, DESIGNS["core"]) == {"human_correlation": 1.0}


def test_only_prompts_that_do_not_state_it_are_aligned_with_people(mirror: Path) -> None:
    table = answers("noisy-or", independence=BOTH)
    found = human_correlations(table, human_means("collider"), resamples=20)
    assert {measure.labels["independence"] for measure in found} == {"unstated"}
    stated = table.filter(pc.equal(table["independence"], "stated"))
    assert human_correlations(stated, human_means("collider"), resamples=20) == []


def test_people_of_a_study_read_the_sentence() -> None:
    plain, stated = (asked(story="weather", independence=level)[0] for level in BOTH)
    assert QUESTIONNAIRE.group_key(plain) != QUESTIONNAIRE.group_key(stated)
    assert SENTENCES["collider"] in QUESTIONNAIRE.lesson(stated).text
    assert SENTENCES["collider"] not in QUESTIONNAIRE.lesson(plain).text


def test_the_change_from_unstated_to_stated_is_compared() -> None:
    labels = {"graph": "collider", "content": "story", "overload": "none"}
    labels |= {"style": "direct"}
    (change,) = condition_changes(
        [
            Measure(
                "markov_violation", value, None, None, 48, 12, 240, 0, 0, "", (), {**labels, **own}
            )
            for agent, values in {"a": (0.3, 0.1), "b": (0.2, 0.1)}.items()
            for level, value in zip(BOTH, values, strict=True)
            for own in [{"agent": agent, "independence": level}]
        ]
    )
    assert change.labels["manipulation"] == "independence"
    assert change.difference == pytest.approx(-0.15)


def test_a_figure_says_what_is_stated() -> None:
    labels = {"graph": "collider", "content": "story", "overload": "none"}
    assert condition_name({**labels, "independence": "unstated"}) == "story"
    assert condition_name({**labels, "independence": "stated"}) == "story,\nindependence stated"


def test_the_page_on_judge_has_the_sentences() -> None:
    page = (Path(__file__).parents[3] / "docs" / "judge.md").read_text("utf-8")
    for graph, sentence in SENTENCES.items():
        assert f"| {graph} | {sentence} |" in page
