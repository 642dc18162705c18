"""Items of calculate: prompts that give back their world, truths, variants, designs."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.errors import UserError
from whybench.prose import find_matches
from whybench.seeds import generator
from whybench.suites.calculate import SUITE, formal
from whybench.suites.calculate.design import DESIGNS, FORMS, MECHANISMS, VARIANTS
from whybench.suites.calculate.drawing import draw_graph, draw_question, draw_rules, leave_out
from whybench.suites.calculate.generation import MARGIN, ItemCell, draw_item
from whybench.suites.calculate.items import CalculateItem, is_right
from whybench.suites.calculate.mistakes import MAIN
from whybench.suites.calculate.programs import parse_program, render_program
from whybench.suites.calculate.prompt_parser import parse_stated_prompt
from whybench.suites.calculate.prompts import (
    FORMATS,
    STYLES,
    StatedQuestion,
    render_prompt,
)
from whybench.suites.calculate.quantities import (
    NOT_COMPUTABLE,
    QUERIES,
    Quantity,
    certify_quantities,
)
from whybench.suites.calculate.themes import (
    THEME_NAMES,
    load_stated_theme,
    name_quantities,
    name_world,
)
from whybench.suites.calculate.world import StatedRule, StatedWorld
from whybench.suites.contract import WORDINGS


@cache
def core() -> list[CalculateItem]:
    return list(SUITE.items(DESIGNS["core"]))


def test_a_prompt_as_it_is_read() -> None:
    item = core()[0]
    assert item.prompt == (
        "A workshop has 3 devices: the lamp, the fan and the heater. In every case, each of them "
        "is on or off.\n\n"
        "- The lamp is on with probability 20%.\n"
        "- The fan is on with probability 17% if the lamp is off; 54% if the lamp is on.\n"
        "- The heater is on with probability 55% if the lamp is off and the fan is off; 17% if the "
        "lamp is off and the fan is on; 86% if the lamp is on and the fan is off; 68% if the lamp "
        "is on and the fan is on.\n\n"
        "Each rule names every direct cause. There are no other influences, and all chance events "
        "are independent of one another.\n"
        "The probabilities above are all that is known. The mechanism that decides each individual "
        "case is unknown.\n\n"
        "Question: What is the probability that the lamp is off in a case in which the heater is "
        "on?\n\n"
        'Work it out. Then end with a line such as "Answer: 12.3%", with one decimal place. If '
        'this information does not determine the answer, end with the line "Answer: cannot be '
        'determined".'
    )
    # P(lamp off, heater on) = .80 x (.83 x .55 + .17 x .17), and so on.
    off = 0.80 * (0.83 * 0.55 + 0.17 * 0.17)
    on = 0.20 * (0.46 * 0.86 + 0.54 * 0.68)
    assert item.truth == pytest.approx(100 * off / (off + on))


def ask_formally(**changed: Any) -> list[CalculateItem]:
    return list(SUITE.items(SUITE.make_design({"wording": "formal", **changed})))


def test_formal_world_of_gates_is_equations() -> None:
    rules = {
        "the pump": StatedRule("table", (), (30,)),
        "the ticket office": StatedRule("or", ("the pump",), (60, 10), (0,)),
        "the fan": StatedRule("and", ("the pump",), (None, 5), (1,)),
        "the horn": StatedRule("threshold", ("the pump", "the fan"), (40, -15, 20)),
    }
    text = formal.render_world(StatedWorld(("on", "off"), tuple(rules.items())))
    assert text.split("\n") == [
        "Structural causal model over binary variables (1 = on, 0 = off): pump, ticket_office, fan,"
        " horn.",
        "",
        "pump := Bernoulli(0.30)",
        "ticket_office := (¬pump ∧ Bernoulli(0.60)) ∨ Bernoulli(0.10)",
        "fan := ¬((pump ∧ Bernoulli(?)) ∨ Bernoulli(0.05))",
        "horn := 1[Uniform{1, …, 100} ≤ 20 + 40 · pump − 15 · fan]",
        "",
        "There are no unobserved common causes. All Bernoulli and Uniform terms are mutually"
        " independent. ? is an unknown constant.",
    ]


def test_formal_world_of_tables_is_conditional_probabilities() -> None:
    rules = {
        "the pump": StatedRule("table", (), (30,)),
        "the fan": StatedRule("table", ("the pump",), (5, None)),
    }
    text = formal.render_world(StatedWorld(("on", "off"), tuple(rules.items())))
    assert text.split("\n")[2:] == [
        "P(pump = 1) = 0.30",
        "P(fan = 1 | pump = 0) = 0.05",
        "P(fan = 1 | pump = 1) = ?",
        "",
        "There are no unobserved common causes. The parents of each variable are the variables on"
        " which it is conditioned. The functional form of each structural equation is unknown. ? is"
        " an unknown constant.",
    ]


@pytest.mark.parametrize(
    ("query", "clause"),
    [
        ("observe", "P(b = 1 | a = 1)"),
        ("do", "P(b = 1 | do(a = 1))"),
        ("ate", "P(b = 1 | do(a = 1)) − P(b = 1 | do(a = 0)), in percentage points"),
        ("pn", "the probability of necessity, P(b_{a = 0} = 0 | a = 1, b = 1)"),
        ("pns", "the probability of necessity and sufficiency, P(b_{a = 1} = 1, b_{a = 0} = 0)"),
    ],
)
def test_formal_question_is_in_symbols(query: Any, clause: str) -> None:
    assert formal.render_clause(Quantity(query, "the a", "the b")) == f"What is {clause}"


def test_wordings_ask_the_same_of_the_same_worlds() -> None:
    for plain, symbols in zip(core(), ask_formally(design="core"), strict=True):
        assert symbols.id == f"{plain.id.rpartition('-')[0]}-formal-{symbols.id.rpartition('-')[2]}"
        assert (symbols.case, symbols.truth, symbols.question) == (
            plain.case, plain.truth, plain.question)  # fmt: skip
        assert {k: v for k, v in symbols.factors.items() if k != "wording"} == {
            k: v for k, v in plain.factors.items() if k != "wording"
        }


def test_prompts_break_no_rule_of_prose() -> None:
    items = [
        *core(),
        *ask_formally(design="core"),
        *ask_formally(design="greater", worlds=1, wording="plain,formal", style="direct"),
        *ask_formally(wording="plain", mechanism="gates,thresholds", format="program"),
    ]
    found = {match for item in items for match in find_matches(item.prompt)}
    assert not found


def test_question_and_reply_have_one_unit_and_name_only_what_occurs() -> None:
    for item in core():
        asks_difference = "percentage points" in item.prompt.split("Question: ")[1].split("?")[0]
        assert ("Answer: -12.3 percentage points" in item.prompt) == asks_difference
        assert ("random number" in item.prompt) == (item.cell.mechanism == "thresholds")
        assert ("coin" in item.prompt) == (item.cell.mechanism == "gates")
        assert ("forced" in item.prompt) == (item.cell.query != "observe")


def test_truths_follow_from_the_prompt_alone() -> None:
    for item in core():
        told = parse_stated_prompt(item.prompt)
        assert told == item.question
        again = certify_quantities(told.world, told.asked)
        assert float(again.value) == item.truth  # type: ignore[arg-type]


@given(
    seed=st.integers(0, 10**9),
    size=st.integers(2, 12),
    mechanism=st.sampled_from(MECHANISMS),
    query=st.sampled_from(QUERIES),
    variant=st.sampled_from(VARIANTS),
    two=st.booleans(),
    layout=st.sampled_from(FORMATS),
    wording=st.sampled_from(WORDINGS),
    style=st.sampled_from(STYLES),
    theme=st.sampled_from(THEME_NAMES),
)
@settings(max_examples=200, deadline=None)
def test_any_world_is_given_back_by_its_prompt(
    seed: int,
    size: int,
    mechanism: Any,
    query: Any,
    variant: Any,
    two: bool,
    layout: str,
    wording: str,
    style: str,
    theme: str,
) -> None:
    rng = generator("test", "prompts", seed)
    world = draw_rules(rng, draw_graph(rng, size, 3), mechanism)
    asked = draw_question(rng, world.graph, query, variant, two)
    told = leave_out(rng, world, asked, variant) if asked else None
    if not asked or not told:
        return
    words = load_stated_theme(theme)
    names = dict(zip((name for name, _ in told.rules), words.names, strict=False))
    question = StatedQuestion(name_world(told, names, words), name_quantities(asked, names))
    if layout == "program" and mechanism == "tables":
        return
    prompt = render_prompt(question, layout, wording, style)
    assert parse_stated_prompt(prompt) == question


def test_every_cell_of_the_core_design_occurs_once() -> None:
    cells = {(i.cell.query, i.cell.mechanism, i.cell.variant) for i in core()}
    assert len(cells) == len(core()) == len(QUERIES) * len(MECHANISMS) * len(VARIANTS)
    assert {item.theme for item in core()} == set(THEME_NAMES)
    assert {item.format for item in core()} == {"text", "table"}
    assert len({item.id for item in core()}) == len(core())


@pytest.mark.parametrize("name", ["core", "standard", "hard", "greater"])
def test_nothing_that_goes_round_tells_the_cell(name: str) -> None:
    design = DESIGNS[name]
    turns = [(levels, design.take_turns(levels, n)) for levels, n in design.cells_in_order()]
    for factor in ("query", "mechanism", "variant"):
        for part in range(3):
            counts = Counter((levels[factor], turn[part]) for levels, turn in turns)
            expected = design.size / len({a for a, _ in counts}) / len({b for _, b in counts})
            assert min(counts.values()) >= expected / 2
            assert max(counts.values()) <= expected * (1 if name == "standard" else 3 / 2)


def test_the_styles_ask_about_the_same_worlds() -> None:
    design = SUITE.make_design({"design": "core", "style": "cot,direct"})
    turns: dict[tuple[str, ...], set[object]] = {}
    for levels, number in design.cells_in_order():
        key = levels["query"], levels["mechanism"], levels["variant"]
        turns.setdefault(key, set()).add(design.take_turns(levels, number))
    assert all(len(found) == 1 for found in turns.values())


def test_what_cannot_be_computed_and_why() -> None:
    for item in core():
        none = item.truth == NOT_COMPUTABLE
        assert none == (item.gap in {"noise", "number"})
        assert (item.gap == "idle") == (item.cell.variant == "idle" and not none)
        if item.cell.variant == "missing":
            assert none
    share = sum(item.truth == NOT_COMPUTABLE for item in core()) / len(core())
    assert 0.2 < share < 0.45


def test_mistakes_mislead_but_in_controls() -> None:
    for item in core():
        if item.truth == NOT_COMPUTABLE:
            continue
        away = abs(item.mistakes[MAIN[item.cell.query]] - item.truth)
        assert away < 1e-9 if item.cell.variant == "control" else away > MARGIN


@pytest.mark.parametrize("name", ["trivial", pytest.param("greater", marks=pytest.mark.slow)])
def test_other_designs_are_asked_in_words_that_give_back_their_world(name: str) -> None:
    design = SUITE.make_design({"design": name, "worlds": 1})
    items = list(SUITE.items(design))
    assert all(parse_stated_prompt(item.prompt) == item.question for item in items)
    assert {item.cell.form for item in items} <= set(FORMS)
    if name == "greater":
        assert {item.truth for item in items} == {1.0, 2.0, NOT_COMPUTABLE}


def test_two_effects_on_the_treated_may_be_on_different_variables() -> None:
    cells = [
        ItemCell("ett", mechanism, variant, "greater", 4, 2, 0)
        for mechanism in MECHANISMS
        for variant in ("trap", "control", "missing")
    ]
    drawn = [draw_item(cell) for cell in cells]  # type: ignore[arg-type]
    assert all(len({(q.cause, q.effect) for q in each.asked}) == 2 for each in drawn)
    assert any(each.asked[0].effect != each.asked[1].effect for each in drawn)
    for cell, each in zip(cells, drawn, strict=True):
        assert (each.certificate.value == NOT_COMPUTABLE) == (cell.variant == "missing")


def test_a_program_tells_coins_and_draws() -> None:
    rules = {
        "the pump": StatedRule("table", (), (30,)),
        "the ticket office": StatedRule("or", ("the pump",), (60, 10), (0,)),
        "the fan": StatedRule("and", ("the pump",), (None, 5), (1,)),
        "the horn": StatedRule("threshold", ("the pump", "the fan"), (40, -15, 20)),
    }
    world = StatedWorld(("on", "off"), tuple(rules.items()))
    lines = list(render_program(world))[2:]
    assert lines == [
        "pump = coin(30)",
        "ticket_office = (not pump and coin(60)) or coin(10)",
        "fan = not ((pump and coin(?)) or coin(5))",
        "horn = draw(1, 100) <= 20 + 40 * pump - 15 * fan",
    ]
    assert parse_program("\n".join(lines)) == list(rules.items())


def test_the_same_world_in_other_words_has_the_same_case() -> None:
    one, other = (
        next(iter(SUITE.items(SUITE.make_design({"design": "core", "theme": theme}))))
        for theme in ("workshop", "glims")
    )
    assert one.case == other.case
    assert one.id != other.id
    assert one.truth == other.truth


@pytest.mark.parametrize(
    "changed",
    [
        {"variables": "1"},
        {"theme": "kitchen"},
        {"format": "song"},
        {"format": "program"},
        {"wording": "verse"},
        {"indegree": 4},
        {"worlds": 0},
        {"query": "nde", "form": "greater"},
        {"theme": "glims,glims"},
        {"query": "guess"},
        {"split": "both"},
    ],
)
def test_designs_that_there_are_not(changed: dict[str, object]) -> None:
    with pytest.raises(UserError):
        SUITE.make_design({"design": "core", **changed})


def test_themes_have_names_enough_that_can_be_parsed() -> None:
    states = {load_stated_theme(name).states for name in THEME_NAMES}
    assert len(states) == len(THEME_NAMES)
    for name in THEME_NAMES:
        names = load_stated_theme(name).names
        assert len(set(names)) == 12
        assert all(each.startswith("the ") and " and " not in each for each in names)


def test_what_is_right() -> None:
    assert is_right(12.5, 12.0, "number")
    assert not is_right(12.51, 12.0, "number")
    assert not is_right(None, 12.0, "number")
    assert not is_right(NOT_COMPUTABLE, 12.0, "number")
    assert is_right(NOT_COMPUTABLE, NOT_COMPUTABLE, "greater")
    assert not is_right(1.0, 2.0, "greater")
