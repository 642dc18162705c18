"""Both wordings: the same case, the rules as the world follows them, and clear sentences."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.prose import find_matches
from whybench.suites.checks import check_design
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.play import PATTERN_TEXTS, PLAY, VERDICT_TEXTS
from whybench.suites.intervene.questionnaire import QUESTIONNAIRE
from whybench.suites.intervene.task import OVER, answer, hold, move
from whybench.suites.intervene.world import Action, InterveneWorld, State, list_pairs

if TYPE_CHECKING:
    from whybench.suites.intervene.items import InterveneItem

THEMES = "shapes,lamps,words"


def items(design: str, wording: str, **settings: str) -> list[InterveneItem]:
    chosen = {"design": design, "theme": THEMES, "wording": wording, **settings}
    if design != "core":
        chosen["graphs"] = "2"
    return list(SUITE.items(SUITE.make_design(chosen)))


def matches(text: str) -> list[str]:
    return [match.words for match in find_matches(text)]


def follow_plain_rules(world: InterveneWorld, state: State, action: Action, v: int) -> State:
    """Return the next state by the sentences of the plain rules."""

    def is_driven(entity: int, moving: set[int]) -> bool:
        return any(world.causes(other, entity) for other in moving)

    if action == "move":
        return state | {v} | {entity for entity in range(world.n) if world.causes(v, entity)}
    if v not in state or is_driven(v, {*state}):
        return state
    left = {*state} - {v}
    while stopped := {e for e in left if is_driven(e, {*state}) and not is_driven(e, left)}:
        left -= stopped
    return frozenset(left)


def follow_equations(world: InterveneWorld, state: State, action: Action, v: int) -> State:
    """Return the next state by the equations of the formal rules."""
    parents = [[x for x, y in world.edges if y == entity] for entity in range(world.n)]
    inputs = [e in state and not {*parents[e]} & state for e in range(world.n)]
    inputs[v] = action == "move"
    values: dict[int, bool] = {}

    def solve(entity: int) -> bool:
        if entity not in values:
            values[entity] = max(inputs[entity], *map(solve, parents[entity]), False)
        return values[entity]

    return frozenset(entity for entity in range(world.n) if solve(entity))


@given(st.integers(2, 6), st.data())
def test_rules_in_both_wordings_are_those_of_the_world(n: int, data: st.DataObject) -> None:
    edges = data.draw(st.sets(st.sampled_from([(x, y) for x, y in list_pairs(n) if x < y])))
    world = InterveneWorld(n, tuple(edges))
    state = world.close_state(data.draw(st.frozensets(st.integers(0, n - 1))))
    action: Action = data.draw(st.sampled_from(("move", "hold")))
    v = data.draw(st.integers(0, n - 1))
    after = world.step(state, action, v)
    assert follow_plain_rules(world, state, action, v) == after
    assert follow_equations(world, state, action, v) == after


@pytest.mark.parametrize("design", ["core", "limited", "advanced", "graph"])
def test_wordings_ask_about_the_same_case(design: str) -> None:
    for plain, formal in zip(items(design, "plain"), items(design, "formal"), strict=True):
        assert (plain.case, plain.truth, plain.limit) == (formal.case, formal.truth, formal.limit)
        assert plain.hidden == formal.hidden
        assert plain.names == formal.names
        assert "plain" not in plain.id
        assert "formal" in formal.id
        for item in (plain, formal):
            assert SUITE.parse_prompt(SUITE.render(item)) == item.world


@pytest.mark.parametrize("wording", ["plain", "formal"])
def test_openings_and_dialogues_are_clear(wording: str) -> None:
    styles = "direct,fewest-steps,cot,recipe"
    asked = items("core", wording, style=styles, interface="text,tools") + items("graph", wording)
    for item in islice(asked, 0, None, 5):
        assert not matches(SUITE.render(item))
        episode = InterveneEpisode(parse_case(item.factors))
        said = [episode.hear("hm", truncated=False)]
        while not episode.over:
            said.append(episode.hear(SUITE.oracle(episode), truncated=False))
        assert not matches("\n".join(filter(None, said)))
        if wording == "formal":
            assert not {item.theme.moving, item.theme.still} & {
                *" ".join(filter(None, said)).replace(";", " ").replace(".", " ").split()
            }


def test_texts_for_tools_and_people_are_clear() -> None:
    for tool in (move, hold, answer):
        assert not matches(tool().__doc__ or "")
    for texts in (OVER, VERDICT_TEXTS, PATTERN_TEXTS):
        assert not matches("\n".join(texts.values()))
    for item in items("core", "plain")[::9]:
        lesson, page = QUESTIONNAIRE.lesson(item), QUESTIONNAIRE.page(item)
        quizzes = [text for quiz in lesson.quizzes for text in (quiz.question, *quiz.options)]
        shown = PLAY.show(item, InterveneEpisode(parse_case(item.factors)))
        for text in (lesson.text, page.text, page.question, *quizzes, *shown, *PLAY.help(item)):
            assert not matches(text)


def test_people_are_asked_in_plain_wording() -> None:
    with pytest.raises(UserError, match="people are asked in plain wording, got formal"):
        QUESTIONNAIRE.page(items("core", "formal")[0])
    design = SUITE.make_design({"wording": "plain,formal"})
    assert PLAY.refuse(design) == "people play in plain wording, got plain, formal"


def test_checks_pass_in_formal_wording() -> None:
    results = check_design(
        SUITE, SUITE.make_design({"design": "limited", "graphs": "1", "wording": "formal"})
    )
    assert not [(result.name, result.examples) for result in results if not result.passed]
