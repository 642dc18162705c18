"""Questions for numbers: what is true, what is asked, what is read, and what it is worth."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.records.table import record_table
from whybench.replies.words import REASONS
from whybench.suites.calibration import calibrate, simulate_rows
from whybench.suites.checks import check_design
from whybench.suites.compose import SUITE
from whybench.suites.compose.design import DESIGNS, NumbersDesign
from whybench.suites.compose.generation import compose_items, item_at
from whybench.suites.compose.groups import compose_groups
from whybench.suites.compose.number_items import NumberItem
from whybench.suites.compose.number_prompts import (
    COUNTED,
    parse_number_prompt,
    render_number_reply,
)
from whybench.suites.compose.number_questions import (
    TOLERANCE,
    ChainNumbers,
    Given,
    certify_numbers,
    far_pairs,
    make_numbers,
    part_numbers,
)
from whybench.suites.compose.prompt_parser import ComposePromptError
from whybench.suites.compose.replies import parse_number_reply
from whybench.suites.compose.tables import compositions_table, pairs_table
from whybench.suites.compose.themes import THEME_NAMES
from whybench.suites.compose.truth import population_pns
from whybench.suites.compose.units import make_world
from whybench.suites.contract import Answer, UserError
from whybench.suites.laws import drop_answers, try_lapses
from whybench.suites.pairs import stack_sides

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    Row = dict[str, Any]

NUMBERS = DESIGNS["numbers"]
FEW = replace(NUMBERS, worlds=2)


@pytest.fixture(scope="module")
def items() -> list[NumberItem]:
    return [item for item in compose_items(NUMBERS) if isinstance(item, NumberItem)]


def _answers(name: str, design: NumbersDesign = NUMBERS, **settings: Any) -> list[Row]:
    asked = list(SUITE.items(design))
    return list(simulate_rows(SUITE, design, asked, SUITE.agent(name), settings, name, {}))


def _table(rows: Sequence[Row]) -> pa.Table:
    return record_table(list(rows), SUITE.record_columns)


def _measured(rows: Sequence[Row], **at: str) -> dict[str, float | None]:
    found = SUITE.measures(_table(rows))
    return {measure.name: measure.estimate for measure in found if measure.at == at}


def _with_values(rows: Sequence[Row], make: Any) -> list[Row]:
    return [{**row, "value": make(row)} for row in rows]


def _printed(row: Row) -> list[float]:
    world = make_world(row["kinds"], row["gates"], row["draw"], row["split"])
    place = (row["draw"], row["cause"], row["effect"], row["setting"])
    return [float(number) for number in make_numbers(world, *place).printed]


# What is true


def test_parts_multiply_and_a_missing_one_is_divided_for() -> None:
    parts = (Given(0, 1, Fraction(36)), Given(1, 2, Fraction(50)))
    assert certify_numbers(ChainNumbers(2, parts, (0, 2))).value == 18
    back = (Given(0, 2, Fraction(18)), Given(0, 1, Fraction(36)))
    assert certify_numbers(ChainNumbers(2, back, (1, 2))).value == 50
    three = (Given(0, 3, Fraction("9.9")), Given(2, 3, Fraction(55)), Given(0, 1, Fraction(30)))
    assert certify_numbers(ChainNumbers(3, three, (1, 2))).value == 60


@given(st.lists(st.integers(1, 99), min_size=2, max_size=4), st.integers(0, 3))
def test_both_derivations_give_back_any_part_from_a_whole_that_is_not_rounded(
    parts: list[int], place: int
) -> None:
    place %= len(parts)
    known = tuple(Given(i, i + 1, Fraction(part)) for i, part in enumerate(parts))
    whole = certify_numbers(ChainNumbers(len(parts), known, (0, len(parts))))
    rest = (*known[:place], *known[place + 1 :], Given(0, len(parts), Fraction(whole.value)))
    asked = ChainNumbers(len(parts), rest, (place, place + 1))
    assert certify_numbers(asked).value == parts[place]


def test_numbers_are_those_of_the_world_and_truths_those_of_the_printed_numbers(
    items: list[NumberItem],
) -> None:
    for item in items:
        world, numbers = item.whole, item.question.numbers
        anchors = [node for node in world.anchors if item.cause <= node <= item.effect]
        for cause, effect, number in numbers.given:
            true = population_pns(world, anchors[cause], anchors[effect]).value
            # Each of three parts is off by half a case at most, and so is their whole.
            assert abs(float(number) - 100 * float(true)) < (0.51 if effect - cause == 1 else 1.6)
        first, last = numbers.asked
        asked = population_pns(world, anchors[first], anchors[last]).value
        assert abs(item.truth - 100 * float(asked)) < 1.6


def test_a_part_that_is_asked_is_settled_by_the_digits_of_the_whole() -> None:
    for number, gates in product(range(12), ("or", "and", "mixed")):
        world = make_world("wheel4+wheel4+wheel4", gates, number, "test")
        for cause, effect in far_pairs(world):
            asked = make_numbers(world, number, cause, effect, "reverse")
            place = asked.asked[0]
            part = part_numbers(world, cause, effect)[place]
            assert abs(float(certify_numbers(asked).value) - float(part)) <= 0.05
            assert asked.whole is not None
            assert asked.whole > 1
            assert min(asked.printed) > 0


# What is asked


def test_a_world_gives_two_questions_for_each_pair_of_anchors_that_are_not_next(
    items: list[NumberItem],
) -> None:
    assert len(items) == NUMBERS.size == 288
    assert NUMBERS.block == 36
    for found in Counter((item.whole.text, item.draw) for item in items).values():
        assert found == 6
    asked = Counter((i.question.numbers.direction, i.question.numbers.steps) for i in items)
    assert asked == {(d, s): 48 * n for d in ("forward", "reverse") for s, n in ((2, 2), (3, 1))}


def test_items_stand_where_they_stand_alone(items: list[NumberItem]) -> None:
    for index in (0, 35, 36, 200, 287):
        assert item_at(NUMBERS, index).id == items[index].id


def test_any_part_may_be_missing_and_any_number_come_first(items: list[NumberItem]) -> None:
    three = [i.question.numbers for i in items if i.question.numbers.steps == 3]
    missing = Counter(n.asked for n in three if n.direction == "reverse")
    assert set(missing) == {(0, 1), (1, 2), (2, 3)}
    opening = Counter(n.given[0][:2] for n in three if n.direction == "forward")
    assert set(opening) == {(0, 1), (1, 2), (2, 3)}


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("style", ["direct", "cot"])
def test_a_prompt_gives_back_its_question_and_tells_no_rule(theme: str, style: str) -> None:
    for item in compose_items(replace(FEW, theme=(theme,), style=(style,))):
        assert isinstance(item, NumberItem)
        assert SUITE.parse_prompt(item.prompt) == item.world
        assert parse_number_prompt(item.prompt, item.question.theme) == item.world
        assert "at least" not in item.prompt
        assert item.prompt.count(" of 100 cases.") == len(item.question.numbers.given)


def test_a_prompt_that_says_something_else_is_another_question(items: list[NumberItem]) -> None:
    item = items[0]
    number = f" {int(item.question.numbers.printed[0])} of 100"
    other = item.prompt.replace(number, " 3 of 100")
    assert SUITE.parse_prompt(other) != item.world
    with pytest.raises(ComposePromptError, match="one question"):
        SUITE.parse_prompt(item.prompt.replace("Question:", "Riddle:"))
    with pytest.raises(ComposePromptError, match="form a chain"):
        SUITE.parse_prompt(item.prompt.replace("form a chain", "stand"))
    with pytest.raises(ComposePromptError, match="form of the reply"):
        SUITE.parse_prompt(item.prompt + " Please.")
    with pytest.raises(ComposePromptError, match="a name must be one of"):
        SUITE.parse_prompt(item.prompt.replace(f"follow {item.question.names[0]}?", "follow Bob?"))


def test_other_prompts_are_not_taken_for_questions_about_numbers() -> None:
    first = next(iter(compose_items(DESIGNS["core"])))
    assert SUITE.parse_prompt(first.prompt) == first.world


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"units": 16}, "units must be 1, got 16"),
        ({"split": "train"}, "split must be test, got train"),
        ({"detail": "some"}, "detail must be none"),
        ({"style": "worked-example"}, "style direct or cot"),
        ({"kinds": "party", "gates": "or", "worlds": 1}, "got kinds=party"),
        ({"kinds": "wheel4+wheel4+wheel5"}, "at most 10 nodes"),
    ],
)
def test_what_cannot_be_asked_is_refused(changed: Mapping[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        SUITE.make_design({"design": "numbers", **changed})


def test_the_longest_chain_has_a_word_for_its_length() -> None:
    design = SUITE.make_design({"design": "numbers", "kinds": "+".join(["bridge"] * 9)})
    assert len(COUNTED) == 9
    longest = max(compose_items(replace(design, worlds=1)), key=lambda item: len(item.prompt))
    assert "Ten of the villagers form a chain" in longest.prompt


def test_people_are_not_asked(items: list[NumberItem]) -> None:
    assert SUITE.study is not None
    with pytest.raises(UserError, match="got a question for a number"):
        SUITE.study.lesson(items[0])


def test_a_design_has_a_hash_of_its_own() -> None:
    assert NUMBERS.hash not in {d.hash for name, d in DESIGNS.items() if name != "numbers"}
    assert SUITE.make_design({"design": "numbers", "style": "cot"}).hash != NUMBERS.hash


# What is read


@pytest.mark.parametrize(
    "reply",
    [
        "15.12", "15.12%", "**15.12**", "About 15.12 of 100 cases.", "In 15.12 of 100 cases.",
        "15.12 out of 100", "15.12 cases", "0.36 x 0.42 = 15.12", "$36 \\times 0.42 = 15.12$",
        "The answer is 15.12.", "Answer: 15.12", "## Answer\n15.12", "\\boxed{15.12}",
        "<answer>15.12</answer>", '{"answer": 15.12}', '{"answer": "15.12%"}',
        "<think>3</think>15.12", "36 of 100, then 42 of 100.\nAnswer: 15.12",
    ],
)  # fmt: skip
@pytest.mark.parametrize("style", ["direct", "cot"])
def test_a_number_that_is_said_to_be_the_answer_is_read(reply: str, style: str) -> None:
    assert parse_number_reply(reply, style) == Answer(15.12)


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", "empty"),
        ("yes", "no_answer_found"),
        ("maybe", "no_answer_found"),
        ("I cannot say.", "refusal"),
        ("0.15", "ambiguous_scale"),
        ("1.0", "ambiguous_scale"),
        ("15,12", "ambiguous_number"),
        ("+15", "ambiguous_number"),
        ("-5", "out_of_scale"),
        ("101", "out_of_scale"),
        ("3/20", "other_scale"),
        ("1512 of 10000", "other_scale"),
        ("12 to 15", "range"),
        ("36 and 42", "several_numbers"),
        ("Answer: 15.12. Wait, let me redo this.", "retracted"),
        ("Answer: 15.12, or 16.", "several_numbers"),
        ('{"answer": 1, "final answer": 2}', "several_numbers"),
        ("<think>15.12", "unfinished_thinking"),
    ],
)
@pytest.mark.parametrize("style", ["direct", "cot"])
def test_where_one_would_hesitate_nothing_is_read(reply: str, reason: str, style: str) -> None:
    assert reason in REASONS
    assert parse_number_reply(reply, style) == Answer(None, reason)


def test_work_is_shown_only_where_it_was_asked_for() -> None:
    worked = "36 * 42 / 100\n15.12"
    assert parse_number_reply(worked, "cot").value == 15.12
    assert parse_number_reply(worked, "direct").reason == "several_numbers"
    twice = "Answer: 16\nAnswer: 15.12"
    assert parse_number_reply(twice, "cot").value == 15.12
    assert parse_number_reply(twice, "direct").reason == "several_numbers"
    assert parse_number_reply("15.12\n\nThe steps multiply.", "direct").value == 15.12
    assert parse_number_reply("15.12", truncated=True) == Answer(None, "cut_off")


@given(st.text())
def test_any_reply_is_a_number_of_100_or_has_a_reason(reply: str) -> None:
    for style in ("direct", "cot"):
        answer = parse_number_reply(reply, style)
        assert answer.reason in REASONS if answer.value is None else 0 <= answer.value <= 100


@given(st.floats(0.001, 100), st.sampled_from(["direct", "cot"]))
def test_what_agents_say_is_read_as_they_mean_it(value: float, style: str) -> None:
    value = round(value, 9)
    assert parse_number_reply(render_number_reply(value, style), style).value == value


# What it is worth


def test_the_exact_agent_has_all_and_makes_no_mistake() -> None:
    rows = _answers("exact")
    found = _measured(rows)
    assert found["number_skill"] == pytest.approx(1)
    assert found["number_slope"] == pytest.approx(1)
    assert found["number_accuracy"] == found["answered"] == 1
    assert [found[f"mistake_{x}"] for x in ("least", "mean", "sum", "multiplied")] == [0] * 4
    for direction in ("forward", "reverse"):
        assert _measured(rows, setting=direction)["number_skill"] == pytest.approx(1)


def test_the_best_blind_agent_has_no_skill_and_others_less() -> None:
    rows = _answers("exact")
    agents = {
        "least": lambda row: min(_printed(row)),
        "mean": lambda row: sum(_printed(row)) / len(_printed(row)),
        "first": lambda row: _printed(row)[0],
        "last": lambda row: _printed(row)[-1],
        **{f"always {x}": lambda _, x=x: float(x) for x in range(0, 101, 5)},
    }
    for direction in ("forward", "reverse"):
        truths = sorted(row["truth"] for row in rows if row["setting"] == direction)
        middle = (truths[71] + truths[72]) / 2
        skills = {
            name: _measured(_with_values(rows, make), setting=direction)["number_skill"]
            for name, make in {**agents, "middle": lambda _, m=middle: m}.items()
        }
        assert max(skills.values()) == pytest.approx(0)
        assert skills["middle"] == pytest.approx(0)


def test_mistakes_are_known_by_their_values() -> None:
    rows = _answers("exact")
    least = _measured(_with_values(rows, lambda row: min(_printed(row))))
    assert least["mistake_least"] == 1
    mean = _measured(_with_values(rows, lambda row: sum(_printed(row)) / len(_printed(row))))
    assert mean["mistake_mean"] == 1

    def multiplied(row: Row) -> float:
        share = 1.0
        for number in _printed(row):
            share *= number / 100
        return 100 * share

    assert _measured(_with_values(rows, multiplied))["mistake_multiplied"] == 1
    summed = _with_values(rows, lambda row: min(100.0, sum(_printed(row))))
    assert _measured(summed)["mistake_sum"] == 1


def test_near_is_half_a_case() -> None:
    rows = _answers("exact", FEW)
    near = _measured(_with_values(rows, lambda row: row["truth"] + TOLERANCE - 0.01))
    far = _measured(_with_values(rows, lambda row: row["truth"] + TOLERANCE + 0.01))
    assert (near["number_accuracy"], far["number_accuracy"]) == (1, 0)
    item = next(iter(compose_items(FEW)))
    assert SUITE.is_correct(item, Answer(item.truth + 0.4))
    assert not SUITE.is_correct(item, Answer(item.truth + 0.6))
    assert not SUITE.is_correct(item, Answer(None, "empty"))
    scores = SUITE.sample_scores([{**rows[0], "value": rows[0]["truth"] + 0.4}])
    assert (scores["correct"], scores["factual"], scores["answered"]) == (1, None, 1)


def test_silence_has_the_error_of_the_blind_agent_and_what_is_lost_does_not_count() -> None:
    rows = _answers("exact")
    nothing = _measured(drop_answers(SUITE, rows, "no_answer", lambda *_: True))
    assert nothing["number_skill"] == pytest.approx(0)
    assert nothing["number_accuracy"] == nothing["answered"] == 0
    half = _measured(drop_answers(SUITE, rows, "no_answer", lambda place, _: place % 2 == 1))
    assert half["number_skill"] is not None
    assert 0.3 < half["number_skill"] < 0.7
    assert half["number_accuracy"] == 0.5
    lost = _measured(drop_answers(SUITE, rows, "error", lambda place, _: place % 7 == 3))
    assert lost["number_skill"] == pytest.approx(1)
    assert lost["number_accuracy"] == 1


def test_skill_falls_with_lapses() -> None:
    skills = []
    for error in (0.0, 0.1, 0.3, 0.5):
        found = [_measured(_answers("flip", error=error, seed=s)) for s in range(5)]
        skills.append(sum(one["number_skill"] or 0.0 for one in found) / 5)
    assert skills == sorted(skills, reverse=True)
    assert len(set(skills)) == 4


def test_intervals_are_clustered_by_world() -> None:
    found = {m.name: m for m in SUITE.measures(_table(_answers("coin"))) if not m.at}
    assert found["number_skill"].units == found["number_accuracy"].units == 48
    assert found["number_skill"].method.endswith("by world")


def test_answers_in_numbers_and_with_yes_or_no_are_not_mixed() -> None:
    core = replace(DESIGNS["core"], worlds=1, units=8)
    asked = list(SUITE.items(core))
    words = list(simulate_rows(SUITE, core, asked, SUITE.agent("flip"), {}, "flip", {}))
    numbers = _answers("copy", FEW)
    alone, beside = (SUITE.measures(_table(rows)) for rows in (words, [*words, *numbers]))
    assert beside[: len(alone)] == alone
    assert beside[len(alone) :] == SUITE.measures(_table(numbers))
    assert not compose_groups(_table(numbers))
    assert not list(SUITE.figures(_table(numbers)))
    for table in (compositions_table, pairs_table):
        assert table(_table([*words, *numbers])) == table(_table(words))


def test_two_agents_are_compared_on_questions_that_neither_lost() -> None:
    assert SUITE.comparison is not None
    better, worse = _answers("exact"), _answers("copy")
    lost = drop_answers(SUITE, worse, "error", lambda place, _: place == 0)
    pairs = list(SUITE.comparison.pairs(stack_sides(_table(better), _table(lost))))
    assert [pair.measure for pair in pairs] == ["number_skill", "number_accuracy", "answered"]
    skill = pairs[0]
    assert skill.n == 287
    assert skill.p is not None
    assert skill.p < 0.001


def test_reference_agents_have_the_measures_that_are_expected() -> None:
    found = list(calibrate(SUITE, NUMBERS, seeds=20))
    assert {one.measure for one in found} == {"number_skill", "number_accuracy"}
    assert {one.agent.partition("[")[0] for one in found} == set(SUITE.agents)
    assert all(one.passed for one in found)
    # There is no headline, and so no law about lapses.
    assert not list(try_lapses(SUITE, FEW, 5))


SHOWN = {
    "exact": ("exact", {}),
    "says what is left of 100 in 5% of its answers": ("flip", {"error": 0.05}),
    "in 20%": ("flip", {"error": 0.2}),
    "right in chains of two steps, sees no effect in longer ones": ("local-only", {}),
    "has one gate of each world wrong, and thinks it through": ("wrong-world", {}),
    "the first number that is printed": ("copy", {}),
    "any number, evenly": ("coin", {}),
}


def test_the_page_on_compose_shows_what_agents_have() -> None:
    text = (Path(__file__).parents[3] / "docs" / "compose.md").read_text("utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]
    shown = {row[0]: tuple(row[1:]) for row in rows if len(row) == 3}
    for words, (name, changed) in SHOWN.items():
        agent = SUITE.agent(name)
        assert agent.expected is not None
        expected = agent.expected(agent.settings(changed), NUMBERS)
        values = (expected["number_skill"], expected["number_accuracy"])
        printed = tuple(f"{x:.2f}".replace("0.", ".").replace("-", "−") for x in values)
        assert shown[words] == printed


def test_the_design_is_sound() -> None:
    results = {result.name: result for result in check_design(SUITE, replace(FEW, name="few"))}
    assert all(result.passed for result in results.values())
    assert not results["silence is not achieved"].applies
    assert results["numbers lie where they can be told"].looked_at == 72


def test_other_designs_do_not_ask_for_numbers() -> None:
    few = (replace(design, worlds=1) for name, design in DESIGNS.items() if name != "numbers")
    for design in few:
        assert not isinstance(design, NumbersDesign)
        assert not isinstance(next(iter(compose_items(design))), NumberItem)
