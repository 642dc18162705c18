"""The source's prompts on our worlds: read as text, asked in order, answered in their words."""

from __future__ import annotations

import json

import pytest

from whybench.datasets import DataError, file_state
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE as INTERVENE
from whybench.suites.intervene.replies import ActionReply, Decision, parse_reply
from whybench_papers.feng2025 import SUITE, prompts
from whybench_papers.feng2025.items import Feng2025Case
from whybench_papers.feng2025.prompts import FILE, NAMES, SOURCE, read_templates

CHAIN = {
    "graph": "0>1 1>2",
    "moving": "0 1 2",
    "asked": "1>2",
    "names": "circle,square,star",
    "words": "move,hold,moving,static",
    "interface": "text",
    "style": "direct",
}
"""circle -> square -> star, all moving: does the square cause the star?"""

needs_prompts = pytest.mark.skipif(
    file_state(SOURCE, FILE) == "not fetched",
    reason="set WHYBENCH_DATA_MIRROR to a folder that holds CausalLink/",
)


def chosen(entity: str, action: str) -> str:
    return json.dumps({"shape": entity, "action": action})


@needs_prompts
def test_prompts_are_taken_from_the_file_word_for_word() -> None:
    found = read_templates()
    assert found.keys() == {*NAMES.values()}
    basic, limiting = found["basic"], found["basic_limit_step"]
    assert [name for name in basic if basic[name] != limiting[name]] == ["system"]
    for item in SUITE.items(SUITE.make_design({})):
        opening = SUITE.render(item)
        parts = found[NAMES[item.style]]
        pieces = [parts["system"], *parts["initial"].replace("{{", "{").split("{}")]
        places = [opening.index(piece.replace("}}", "}")) for piece in pieces]
        assert places == sorted(places)
        assert item.theme.ask(*(item.names[v] for v in item.pair)) in opening


def test_cases_of_the_paper_and_of_intervene_are_on_the_same_worlds() -> None:
    own = {
        (item.case, item.style): item
        for item in INTERVENE.items(INTERVENE.make_design({"style": ["direct", "fewest-steps"]}))
    }
    asked = list(SUITE.items(SUITE.make_design({})))
    assert {(item.case, item.style) for item in asked} == own.keys()
    assert len(asked) == 168
    for item in asked:
        other = own[item.case, item.style]
        assert (item.hidden, item.initial, item.names, item.truth) == (
            other.hidden, other.initial, other.names, other.truth,
        )  # fmt: skip
        assert item.id != other.id


@needs_prompts
def test_an_episode_is_held_in_the_sources_order() -> None:
    episode = SUITE.open_episode(CHAIN)
    parts = read_templates()["basic"]
    said = episode.hear(chosen("circle", "hold"), truncated=False)
    question = "Does the square moving make the star move?"
    assert said == "\n".join(
        ("You see: circle: static; square: static; star: static.",
         parts["choice"].format(question))
    )  # fmt: skip
    said = episode.hear('{"next": "continue interaction"}', truncated=False)
    assert said == parts["interaction"].format("['circle', 'square', 'star']", "['move', 'hold']")
    episode.hear(chosen("square", "move"), truncated=False)
    said = episode.hear('{"next": "answer the question"}', truncated=False)
    assert said == parts["answer"].format(question)
    assert episode.hear('{"answer": "yes"}', truncated=False) is None
    assert episode.answer.value == 1
    assert episode.answer.parts["verdict"] == "justified"
    assert episode.answer.parts["steps"] == 2


@needs_prompts
def test_going_on_after_the_last_action_ends_it() -> None:
    episode = SUITE.open_episode(CHAIN)
    for step in range(6):
        if step:
            assert episode.hear('{"next": "continue interaction"}', truncated=False)
        assert episode.hear(chosen("star", "hold"), truncated=False)
    assert not episode.over
    assert episode.hear('{"next": "continue interaction"}', truncated=False) is None
    assert episode.end == "out_of_steps"


@needs_prompts
def test_the_empty_form_says_nothing() -> None:
    for form in ('{"shape":"","action":""}', '{"next":""}', '{"answer":""}'):
        episode = SUITE.open_episode(CHAIN)
        again = episode.hear(form, truncated=False)
        assert again is not None
        assert again.startswith("Your reply could not be read.")
        assert episode.hear(form, truncated=False) is None
        assert episode.end.startswith("invalid_")


def test_words_of_the_paper_are_read_where_it_asks() -> None:
    act, go_on = chosen("Star", "Hold"), '{"next": "Continue interaction."}'
    words = Feng2025Case.synonyms
    assert parse_reply(act, synonyms=words) == ActionReply("star", "hold")
    assert parse_reply(go_on, synonyms=words) == Decision("next", "continue")
    assert parse_reply('{"entity": "star", "action": "hold"}', synonyms=words) == ActionReply(
        "star", "hold"
    )
    assert parse_reply(act) == ActionReply("", "hold")
    assert parse_reply(go_on) == Decision("next", "continue interaction")


@needs_prompts
def test_the_reference_experimenter_finds_out_everything() -> None:
    for item in SUITE.items(SUITE.make_design({})):
        episode = SUITE.open_episode(item.factors)
        while not episode.over:
            episode.hear(SUITE.oracle(episode), truncated=False)
        assert SUITE.is_correct(item, episode.answer)


@pytest.mark.parametrize(
    "changed",
    [
        {"worlds": "limited", "entities": 4, "initial": "all-moving", "graphs": 1},
        {"worlds": "graph", "entities": 4, "initial": "rest", "graphs": 1},
        {"theme": "lamps"},
        {"interface": "tools"},
    ],
)
def test_worlds_themes_and_tools_that_the_paper_does_not_have_are_refused(
    changed: dict[str, object],
) -> None:
    with pytest.raises(UserError, match="choose the suite intervene"):
        SUITE.make_design(changed)


@needs_prompts
def test_the_advanced_set_has_worlds_of_four_to_seven_shapes() -> None:
    items = list(SUITE.items(SUITE.make_design({"design": "advanced", "graphs": 1})))
    assert {item.hidden.n for item in items} == {4, 5, 6, 7}
    assert all(SUITE.render(item) for item in items)


def test_another_file_is_no_prompts(monkeypatch, tmp_path) -> None:
    (tmp_path / FILE).write_text("TEMPLATES = {'basic': {}}\n", encoding="utf-8")
    monkeypatch.setattr(prompts, "data_path", lambda *_: tmp_path / FILE)
    read_templates.cache_clear()
    with pytest.raises(DataError, match="must assign TEMPLATES"):
        read_templates()
    read_templates.cache_clear()
