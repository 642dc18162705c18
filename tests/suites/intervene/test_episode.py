"""Episodes: what is said, what counts, and that they end."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whybench.suites.intervene import SUITE
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.episode import ENDS, InterveneEpisode
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.prompts import render_prompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from whybench.suites.intervene.items import InterveneItem

CHAIN = {
    "graph": "0>1 1>2",
    "moving": "0 1 2",
    "asked": "1>2",
    "names": "circle,square,red star",
    "words": "move,hold,moving,static",
    "interface": "text",
}
"""circle -> square -> red star, all moving: does the square cause the red star?"""


def held(replies: Iterable[str], **changed: str) -> InterveneEpisode:
    episode = InterveneEpisode(parse_case({**CHAIN, **changed}))
    for reply in replies:
        episode.hear(reply, truncated=False)
    return episode


def act(action: str, entity: str) -> str:
    return json.dumps({"entity": entity, "action": action})


def test_an_episode_goes_from_acting_to_an_answer() -> None:
    episode = InterveneEpisode(parse_case(CHAIN))
    said = episode.hear(act("hold", "circle"), truncated=False)
    assert said == (
        "You see: circle: static; square: static; red star: static. "
        'Actions left: 5. Reply with {"next": "continue|answer"}.'
    )
    said = episode.hear('{"next": "continue"}', truncated=False)
    assert said == 'Actions left: 5. Reply with {"entity": "NAME", "action": "move|hold"}.'
    said = episode.hear(act("move", "square"), truncated=False)
    assert said is not None
    assert said.startswith("You see: circle: static; square: moving; red star: moving. ")
    assert episode.hear('{"next": "answer"}', truncated=False) == (
        'Actions left: 4. Reply with {"answer": "yes|no"}.'
    )
    assert episode.hear('{"answer": "yes"}', truncated=False) is None
    assert episode.answer.value == 1.0
    assert dict(episode.answer.parts) == {
        "verdict": "justified",
        "pattern": "",
        "evidence": "yes",
        "steps": 2,
        "reasks": 0,
        "path": "hold 0; move 1",
    }


def test_an_agent_may_skip_what_it_is_asked_in_between() -> None:
    plain = held([act("hold", "circle"), act("move", "square"), '{"answer": "yes"}'])
    assert plain.answer.parts["verdict"] == "justified"
    at_once = held(['{"answer": "no"}'])
    assert at_once.answer.parts["verdict"] == "premature"
    assert at_once.answer.parts["steps"] == 0


@pytest.mark.parametrize(
    ("replies", "end"),
    [
        (["what?", "what?"], "invalid_format"),
        (["what?", act("hold", "circle"), "what?", "what?"], "invalid_format"),
        ([act("push", "circle")] * 2, "invalid_action"),
        ([act("hold", "oval")] * 2, "invalid_action"),
        ([act("hold", "")] * 2, "invalid_action"),
        (['{"entity": "circle"}'] * 2, "invalid_action"),
        (["what?", act("stop", "circle")], "invalid_action"),
        ([act("stop", "circle"), "what?"], "invalid_format"),
        (['{"answer": "perhaps"}'] * 2, "invalid_answer"),
        ([act("stop", "circle"), act("hold", "circle"), '{"answer": "No."}'], "answered"),
        (['{"answer": "perhaps"}', '{"answer": true}'], "answered"),
        ([act("hold", "circle")] * 7, "out_of_steps"),
        ([act("hold", "circle")] * 6 + ['{"next": "continue"}'], "out_of_steps"),
        ([act("hold", "circle")] * 6 + ['{"answer": "no"}'], "answered"),
        (['{"next": "answer"}', '{"next": "answer"}', '{"next": "answer"}'], "invalid_format"),
        (['{"next": "answer"}', '{"next": "continue"}', '{"next": "continue"}'], "invalid_format"),
        (['{"next": "continue"}'] * 2, "invalid_format"),
        ([act("HOLD", "The Red Star"), '{"answer": "No"}'], "answered"),
    ],
)
def test_every_end_has_its_name(replies: list[str], end: str) -> None:
    episode = held(replies)
    assert episode.end == end
    assert episode.answer.reason == ("" if end == "answered" else end)
    assert (episode.answer.value is None) == (end != "answered")


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    episode = InterveneEpisode(parse_case(CHAIN))
    said = episode.hear("the circle, I think", truncated=False)
    assert said is not None
    assert said.startswith("Your reply could not be read. Actions left: 6. Reply ")
    episode.hear(act("hold", "circle"), truncated=False)
    episode.hear("hm", truncated=False)
    episode.hear('{"answer": "yes"}', truncated=False)
    assert episode.answer.value == 1.0
    assert episode.answer.parts["reasks"] == 2


def test_a_reply_that_was_cut_off_says_nothing() -> None:
    episode = InterveneEpisode(parse_case(CHAIN))
    assert episode.hear('{"answer": "yes"}', truncated=True) is None
    assert episode.answer.reason == "cut_off"


def test_nothing_is_heard_after_the_end() -> None:
    episode = held(['{"answer": "yes"}'])
    with pytest.raises(ValueError, match="has ended as answered"):
        episode.hear('{"answer": "yes"}', truncated=False)


def test_before_the_end_the_answer_is_unfinished() -> None:
    assert InterveneEpisode(parse_case(CHAIN)).answer.reason == "unfinished"


def test_with_tools_it_is_never_asked_how_to_go_on() -> None:
    episode = InterveneEpisode(parse_case({**CHAIN, "interface": "tools"}))
    said = episode.hear(act("hold", "circle"), truncated=False)
    assert said is not None
    assert said.endswith("Actions left: 5. Call a tool.")
    episode.hear('{"answer": "yes"}', truncated=False)
    assert episode.answer.parts["verdict"] == "lucky"


TEMPLATES = [
    '{"entity": "NAME", "action": "move|hold"}',
    '{"next": "continue|answer"}',
    '{"answer": "yes|no"}',
]
REPLIES = st.one_of(
    st.sampled_from(
        [
            *TEMPLATES,
            *(
                act(action, name)
                for action in ("move", "hold", "HOLD")
                for name in ("circle", "RED STAR", "oval")
            ),
            '{"next": "continue"}',
            '{"next": "CONTINUE"}',
            '{"next": "answer"}',
            '{"answer": "yes"}',
            '{"Answer": "NO"}',
            '{"answer": {"answer": "yes"}}',
            '{"reply": {"next": "continue"}}',
        ]
    ),
    st.text(),
)


@settings(max_examples=5 * settings.default.max_examples)
@given(st.lists(REPLIES, min_size=1, max_size=8), st.booleans(), st.sampled_from(["text", "tools"]))
def test_every_series_of_replies_ends(replies: list[str], truncated: bool, interface: str) -> None:
    """Whatever is said, over and over, there is an end, and within a bound."""
    episode = InterveneEpisode(parse_case({**CHAIN, "interface": interface}))
    turns = 0
    while not episode.over:
        said = episode.hear(replies[turns % len(replies)], truncated)
        turns += 1
        assert (said is None) == episode.over
        assert turns <= 2 * (2 * episode.case.limit + 2)
    assert episode.end in ENDS
    answer = episode.answer
    assert (answer.outcome == "scored") == (episode.end == "answered")
    assert answer.parts["steps"] <= episode.case.limit


def test_outcomes_add_up() -> None:
    """Over many episodes of a babbling agent every one has exactly one outcome."""
    babble = ["hm", '{"next": "continue"}', act("hold", "circle"), act("hold", "oval")]
    babble += ['{"answer": "yes"}', '{"answer": "so"}', *TEMPLATES]
    ends: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    for first in babble:
        for second in babble:
            for third in babble:
                episode = InterveneEpisode(parse_case(CHAIN))
                for reply in (first, second, third, "hm", "hm"):
                    if not episode.over:
                        episode.hear(reply, truncated=False)
                ends[episode.end] += 1
                outcomes[episode.answer.outcome] += 1
    assert sum(ends.values()) == sum(outcomes.values()) == len(babble) ** 3
    assert outcomes["scored"] == ends["answered"] > 0
    assert set(ends) <= set(ENDS)


@pytest.fixture(scope="module")
def items() -> list[InterveneItem]:
    chosen = {
        "theme": "lamps,shapes,words",
        "style": "direct,fewest-steps,cot,recipe",
        "wording": "plain,formal",
    }
    core = SUITE.make_design({"design": "core", "interface": "text,tools", **chosen})
    advanced = SUITE.make_design(
        {
            "design": "advanced",
            "graphs": 2,
            "entities": "4,9",
            "initial": "rest,some-moving",
            **chosen,
        }
    )
    return [*intervene_items(core), *intervene_items(advanced)]


def test_the_opening_gives_back_rules_observation_and_question(items: list[InterveneItem]) -> None:
    for item in items:
        assert SUITE.parse_prompt(render_prompt(item)) == item.world


def test_reading_finds_a_changed_opening_out(items: list[InterveneItem]) -> None:
    prompt = render_prompt(items[0])
    exchanged = prompt.replace("light", "\0").replace("darken", "light").replace("\0", "darken")
    for wrong in (
        prompt.replace("You see", "There is"),
        prompt.replace("at a time", "at once"),
        "",
    ):
        with pytest.raises(ValueError, match="must hold"):
            SUITE.parse_prompt(wrong)
    with contextlib.suppress(ValueError):
        assert SUITE.parse_prompt(exchanged) != items[0].world


def test_the_case_of_an_item_is_the_items(items: list[InterveneItem]) -> None:
    for item in items:
        case = parse_case(item.factors)
        assert case.world.reaches == item.hidden.reaches
        assert {place for place in range(case.world.n) if case.initial >> place & 1} == item.initial
        assert (case.x, case.y) == item.pair
        assert case.truth == (item.truth == 1)
        assert case.limit == item.limit
