from __future__ import annotations

import pytest

from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE as JUDGE
from whybench_papers.dettki2025 import SUITE
from whybench_papers.dettki2025.design import DESIGNS


def test_published_prompts_are_taken_verbatim(mirror) -> None:
    items = list(SUITE.items(DESIGNS["core"]))
    assert len(items) == 240
    first = next(
        i
        for i in items
        if i.question.task == "VI"
        and i.question.cause == "C1"
        and i.story.name == "economy"
        and i.polarity == "ppp"
    )
    assert "known to have high retirement savings and small trade deficits" in SUITE.render(first)
    assert "how likely it is that low interest rates is present" in SUITE.render(first)


@pytest.mark.parametrize("name", DESIGNS)
def test_published_prompts_ask_what_their_item_says(mirror, name: str) -> None:
    for item in SUITE.items(DESIGNS[name]):
        if item.story.content == "abstract":
            continue
        prompt = SUITE.render(item).lower()
        asked = item.story.state(item.question.target, item.polarity, 1)
        assert f"how likely it is that {asked} is present" in prompt
        known = prompt.split("on their own as well.")[1].split("your task")[0]
        for node, value in item.question.given:
            assert item.story.state(node, item.polarity, value) in known


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"style": "confidence"}, "style must be among direct, cot, got 'confidence'"),
        ({"graph": "chain"}, "about the collider with independence=unstated, got graph=chain"),
        ({"independence": "stated"}, "got graph=collider, independence=stated; .* judge"),
    ],
)
def test_design_without_published_prompts_is_refused(settings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design(settings)


def test_condition_without_published_prompts_is_refused(mirror) -> None:
    with pytest.raises(UserError, match="published designs core, .* got story=.*, overload=de"):
        list(SUITE.items(SUITE.make_design({"overload": "de"})))


def test_items_have_the_cases_and_truths_of_judge(mirror) -> None:
    for name, design in DESIGNS.items():
        if name != "thesis":
            own = {item.case: item.truth for item in JUDGE.items(JUDGE.designs[name])}
            assert {item.case: item.truth for item in SUITE.items(design)} == own


def test_thesis_is_four_contents_in_two_styles(mirror) -> None:
    styles = {"style": "direct,cot"}
    thesis = SUITE.designs["thesis"]
    four = ("core", "abstract", "overload-e", "abstract-overload-d")
    apart = [SUITE.make_design({"design": name, **styles}) for name in four]
    ids = [item.id for item in SUITE.items(thesis)]
    assert sorted(ids) == sorted(item.id for one in apart for item in SUITE.items(one))
    assert (len(ids), thesis.size, thesis.block) == (2400, 2400, 300)
    assert thesis.summary.startswith("2400 items: union of 480 about economy, ")
    assert {story.content for story in thesis.stories} == {"story", "abstract"}


def test_a_picture_has_no_names_that_the_prompt_has_not(mirror) -> None:
    told = next(iter(SUITE.items(DESIGNS["core"])))
    assert told.story.state("C1", told.polarity, 1) in "\n".join(SUITE.draw(told))
    abstract = next(iter(SUITE.items(DESIGNS["abstract"])))
    lines = list(SUITE.draw(abstract))
    assert [line.split(maxsplit=1)[1].split() for line in lines] == [
        ["C1", "->", "E", "absent"],
        ["C2", "->", "E", "absent"],
        ["E", "unknown", "<-", "asked"],
    ]
