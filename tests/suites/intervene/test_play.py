"""What a person sees and types."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.play import PLAY

if TYPE_CHECKING:
    from whybench.suites.intervene.items import InterveneItem


@pytest.fixture
def item() -> InterveneItem:
    """A mediation in which all move, asked from the first to the last."""
    found = [
        item
        for item in intervene_items(SUITE.make_design({"design": "core"}))
        if item.structure == "mediation" and len(item.initial) == 3 and item.relation == "cause"
    ]
    return found[0]


def test_what_is_typed_becomes_a_reply(item: InterveneItem) -> None:
    episode = InterveneEpisode(parse_case(item.factors))
    name = item.names[0]
    wanted = {"entity": name, "action": "hold"}
    assert json.loads(PLAY.read(episode, f"hold {name}")) == wanted
    assert json.loads(PLAY.read(episode, f"  H the {name.upper()[:4]} ")) == wanted
    assert json.loads(PLAY.read(episode, "y")) == {"answer": "yes"}
    assert json.loads(PLAY.read(episode, "NO")) == {"answer": "no"}


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "Type `move NAME`"),
        ("jump", "not clear"),
        ("hold", "Hold which one?"),
        ("hold xyz", "Hold which one?"),
        ("push it", "not clear"),
    ],
)
def test_what_is_not_clear_is_said_to_be(item: InterveneItem, typed: str, says: str) -> None:
    with pytest.raises(UserError, match=says):
        PLAY.read(InterveneEpisode(parse_case(item.factors)), typed)


def test_the_screen_shows_states_and_what_changed(item: InterveneItem) -> None:
    episode = InterveneEpisode(parse_case(item.factors))
    first = list(PLAY.show(item, episode))
    assert first[0] == item.theme.setting
    assert sum("●" in line for line in first) == 3
    cause = item.names[item.pair[0]]
    episode.hear(PLAY.read(episode, f"hold {cause}"), truncated=False)
    then = list(PLAY.show(item, episode))
    changed = (episode.case.initial ^ episode.state).bit_count()
    assert sum("<- changed" in line for line in then) == changed
    assert "5 actions left" in then[-1]


def test_the_debrief_says_what_the_answer_was_worth(item: InterveneItem) -> None:
    guessed = InterveneEpisode(parse_case(item.factors))
    guessed.hear('{"answer": "yes"}', truncated=False)
    lines = list(PLAY.debrief(guessed))
    assert lines[0].startswith("Right, but")
    assert "at first  open" in "\n".join(lines)
    cause, effect = (item.names[entity] for entity in item.pair)
    assert any(line.startswith(f"{cause} causes {effect}.") for line in lines)
    wrong = InterveneEpisode(parse_case(item.factors))
    wrong.hear('{"answer": "no"}', truncated=False)
    assert next(iter(PLAY.debrief(wrong))).startswith("Wrong.")


def test_when_no_action_is_left_only_an_answer_is_taken(item: InterveneItem) -> None:
    episode = InterveneEpisode(parse_case(item.factors))
    while episode.left:
        episode.hear(PLAY.read(episode, f"move {item.names[0]}"), truncated=False)
    assert list(PLAY.show(item, episode))[-1] == "No actions are left. Type yes or no."
    with pytest.raises(UserError, match="No actions are left"):
        PLAY.read(episode, f"move {item.names[0]}")
