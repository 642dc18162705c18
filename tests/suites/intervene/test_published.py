"""The source's prompts on our worlds: read as text, asked in order, answered in their words."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from whybench.datasets import DataError, file_state
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE, published
from whybench.suites.intervene.episode import InterveneEpisode, parse_case
from whybench.suites.intervene.play import PLAY
from whybench.suites.intervene.published import FILE, NAMES, SOURCE, read_templates
from whybench.suites.intervene.replies import ActionReply, Decision, parse_reply

CHAIN = {
    "graph": "0>1 1>2",
    "moving": "0 1 2",
    "asked": "1>2",
    "names": "circle,square,star",
    "words": "move,hold,moving,static",
    "interface": "text",
    "style": "direct",
    "stimuli": "published",
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
    for item in SUITE.items(SUITE.make_design({"design": "published"})):
        opening = SUITE.render(item)
        prompts = found[NAMES[item.style]]
        pieces = [prompts["system"], *prompts["initial"].replace("{{", "{").split("{}")]
        places = [opening.index(piece.replace("}}", "}")) for piece in pieces]
        assert places == sorted(places)
        assert item.theme.ask(*(item.names[v] for v in item.pair)) in opening


@needs_prompts
def test_own_and_published_words_pair_on_the_same_worlds() -> None:
    asked = defaultdict(dict)
    for item in SUITE.items(SUITE.make_design({"design": "bridge"})):
        asked[item.pairing_key, item.style][item.stimuli] = item
    assert len(asked) == 168
    for both in asked.values():
        own, other = both["own"], both["published"]
        assert (own.hidden, own.initial, own.names, own.truth) == (
            other.hidden, other.initial, other.names, other.truth,
        )  # fmt: skip
        assert own.id != other.id
        assert "published" in other.id


def test_ids_in_own_words_are_what_they_were() -> None:
    alone = [item.id for item in SUITE.items(SUITE.make_design({"design": "core"}))]
    bridge = SUITE.make_design({"design": "bridge", "style": "direct", "stimuli": "own"})
    assert [item.id for item in SUITE.items(bridge)] == alone
    assert bridge.hash == SUITE.make_design({"design": "core"}).hash


@needs_prompts
def test_an_episode_is_held_in_the_sources_order() -> None:
    episode = InterveneEpisode(parse_case(CHAIN))
    prompts = read_templates()["basic"]
    said = episode.hear(chosen("circle", "hold"), truncated=False)
    question = "Does the square moving make the star move?"
    assert said == "\n".join(
        ("You see: circle: static; square: static; star: static.",
         prompts["choice"].format(question))
    )  # fmt: skip
    said = episode.hear('{"next": "continue interaction"}', truncated=False)
    assert said == prompts["interaction"].format("['circle', 'square', 'star']", "['move', 'hold']")
    episode.hear(chosen("square", "move"), truncated=False)
    said = episode.hear('{"next": "answer the question"}', truncated=False)
    assert said == prompts["answer"].format(question)
    assert episode.hear('{"answer": "yes"}', truncated=False) is None
    assert episode.answer.value == 1
    assert episode.answer.parts["verdict"] == "justified"
    assert episode.answer.parts["steps"] == 2


@needs_prompts
def test_going_on_after_the_last_action_ends_it() -> None:
    episode = InterveneEpisode(parse_case(CHAIN))
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
        episode = InterveneEpisode(parse_case(CHAIN))
        again = episode.hear(form, truncated=False)
        assert again is not None
        assert again.startswith("Your reply could not be read.")
        assert episode.hear(form, truncated=False) is None
        assert episode.end.startswith("invalid_")


def test_words_of_the_source_are_understood_where_it_asks() -> None:
    act, go_on = chosen("Star", "Hold"), '{"next": "Continue interaction."}'
    assert parse_reply(act, published=True) == ActionReply("star", "hold")
    assert parse_reply(go_on, published=True) == Decision("next", "continue")
    assert parse_reply('{"entity": "star", "action": "hold"}', published=True) == ActionReply(
        "star", "hold"
    )
    assert parse_reply(act) == ActionReply("", "hold")
    assert parse_reply(go_on) == Decision("next", "continue interaction")


@needs_prompts
@pytest.mark.parametrize("settings", [{"design": "bridge"}, {"design": "published"}])
def test_the_reference_experimenter_finds_out_everything(settings: dict[str, str]) -> None:
    for item in SUITE.items(SUITE.make_design(settings)):
        episode = SUITE.open_episode(item.factors)
        while not episode.over:
            episode.hear(SUITE.oracle(episode), truncated=False)
        assert SUITE.is_correct(item, episode.answer)


@pytest.mark.parametrize(
    "changed",
    [{"design": "limited"}, {"design": "graph"}, {"theme": "lamps"}, {"interface": "tools"}],
)
def test_what_the_source_does_not_speak_of_is_refused(changed: dict[str, str]) -> None:
    with pytest.raises(UserError, match="published prompts are about shapes"):
        SUITE.make_design({**changed, "stimuli": "published"})


@needs_prompts
def test_worlds_of_four_to_seven_shapes_can_be_asked_in_them() -> None:
    design = SUITE.make_design(
        {"design": "source-advanced", "stimuli": "own,published", "graphs": 1}
    )
    items = list(SUITE.items(design))
    assert {item.hidden.n for item in items} == {4, 5, 6, 7}
    assert len({item.pairing_key for item in items}) == len(items) / 2


def test_people_are_asked_in_our_words() -> None:
    design = SUITE.make_design({"design": "bridge"})
    assert "our own words" in PLAY.refuse(design)


def test_another_file_is_no_prompts(monkeypatch, tmp_path) -> None:
    (tmp_path / FILE).write_text("TEMPLATES = {'basic': {}}\n", encoding="utf-8")
    monkeypatch.setattr(published, "data_path", lambda *_: tmp_path / FILE)
    read_templates.cache_clear()
    with pytest.raises(DataError, match="must assign TEMPLATES"):
        read_templates()
    read_templates.cache_clear()
