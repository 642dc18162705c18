"""The picture of causes: what it says, and whether it can be read in a narrow window."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from evidence.browser import opened

from whybench.study.diagram import render_diagram
from whybench.study.export import _page_file, write_study
from whybench.study.plan import StudyPlan, make_plan
from whybench.study.saved import reopen_study
from whybench.suites.judge.stories import MORE_STORIES, STORY_NAMES
from whybench.suites.questionnaire import CausalPicture

if TYPE_CHECKING:
    from pathlib import Path

GRAPHS = ("collider", "fork", "chain")


def plan_of(graph: str) -> StudyPlan:
    stories = ",".join((*STORY_NAMES, *MORE_STORIES[graph]))
    given = {"design": "core", "story": stories, "graph": graph}
    return make_plan("judge", given)


def pictures(graph: str) -> list[tuple[str, CausalPicture]]:
    """Return the text and the picture of every lesson of a graph, each once."""
    plan = plan_of(graph)
    lessons = {plan.questionnaire.lesson(entry[0]) for entry in plan.lists}
    return [(lesson.text, lesson.picture) for lesson in lessons if lesson.picture]


def words_in_boxes(drawn: str) -> list[str]:
    boxes = drawn.split("<rect")[1:]
    lines = [" ".join(re.findall("<text[^>]*>(.*?)</text>", box)) for box in boxes]
    # A line may end with the hyphen of a word.
    return [unescape(line).replace("- ", "-") for line in lines]


@pytest.mark.parametrize("graph", GRAPHS)
def test_the_picture_says_what_the_text_says_and_no_more(graph) -> None:
    found = pictures(graph)
    assert len(found) >= len(STORY_NAMES) + len(MORE_STORIES[graph])
    for text, picture in found:
        drawn = render_diagram(picture)
        said = unescape(re.findall('aria-label="(.*?)"', drawn)[0])
        rules = [
            line[2:] for line in text.split("What causes what:")[1].splitlines() if "- " in line
        ]
        sentences = [f"{link}." for link in said.removesuffix(".").split(". ")]
        assert len(sentences) == len(rules)
        assert all(rule.startswith(told) for rule, told in zip(rules, sentences, strict=True))
        assert drawn.count('class="head"') == len(rules)
        assert {*words_in_boxes(drawn)} == {thing for link in picture.links for thing in link}
        # Beside the words in boxes there is only what an arrow means.
        rest = re.sub("<text.*?</text>", "", drawn)
        assert re.sub("<[^>]*>", "", rest) == "An arrow means “can cause”."


def test_effects_stand_below_their_causes() -> None:
    links = (("a", "b"), ("b", "c"), ("a", "c"), ("d", "c"))
    drawn = render_diagram(CausalPicture(links, "makes"))
    tops = [float(top) for top in re.findall(r'<rect x="[\d.]+" y="([\d.]+)"', drawn)]
    top = dict(zip(words_in_boxes(drawn), tops, strict=True))
    assert all(top[cause] < top[effect] for cause, effect in links)
    assert top["a"] == top["d"]


def test_words_of_a_story_cannot_become_markup() -> None:
    drawn = render_diagram(CausalPicture((('a "quoted" <b>', "c & d"),), "<i>"))
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert {*words_in_boxes(drawn)} == {'a "quoted" <b>', "c & d"}


def test_pictures_may_be_left_out_and_then_the_study_is_another(engine, tmp_path) -> None:
    settings = {"design": "core"}
    drawn = make_plan("judge", settings, 4, 1)
    plain = make_plan("judge", settings, 4, 1, pictures=False)
    assert drawn.id != plain.id
    for plan, name in ((drawn, "drawn"), (plain, "plain")):
        write_study(plan, tmp_path / name)
        text = (tmp_path / name / "study.js").read_text(encoding="utf-8")
        assert ("<svg" in text) == plan.pictures
        assert reopen_study(tmp_path / name) == plan


def test_a_suite_without_pictures_is_the_same_study_either_way() -> None:
    asked = {"design": "core", "worlds": 1, "units": 1}
    found = [make_plan("compose", asked, 4, 1, pictures=drawn) for drawn in (True, False)]
    assert found[0] == found[1]
    assert found[0].id == found[1].id


INSIDE = """() => [...document.querySelectorAll('.causes')].map(figure => {
    const boxes = [...figure.querySelectorAll('rect')].map(one => one.getBoundingClientRect());
    const texts = [...figure.querySelectorAll('text')].map(one => one.getBoundingClientRect());
    const lines = [...figure.querySelectorAll('path')].map(one => one.getBoundingClientRect());
    const room = figure.getBoundingClientRect();
    const within = (small, large) => small.left >= large.left && small.right <= large.right &&
        small.top >= large.top - 0.5 && small.bottom <= large.bottom + 0.5;
    const size = parseFloat(getComputedStyle(figure.querySelector('text')).fontSize);
    const scale = figure.querySelector('svg').getScreenCTM().a;
    return {
        inside: texts.every(text => boxes.filter(box => within(text, box)).length === 1),
        whole: [...boxes, ...lines].every(one => within(one, room)),
        letters: size * scale,
    };
})"""


@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("width", [1280, 390, 320])
def test_all_words_stand_in_their_boxes_in_every_width(width, browser, tmp_path: Path) -> None:
    """Every picture there is, in the style of the study, as wide as on the page of an item."""
    drawn = [render_diagram(picture) for graph in GRAPHS for _, picture in pictures(graph)]
    page = tmp_path / "all.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Pictures</title>'
        f'<style>{_page_file("style.css")}</style><body><div class="page">'
        '<details class="lesson" open><summary>Text</summary>'
        f"<div>{''.join(drawn)}</div></details></div>",
        encoding="utf-8",
    )
    with opened(browser, page.as_uri(), width=width) as found:
        measured = found.page.evaluate(INSIDE)
        assert found.overflow() == 0
    assert len(measured) == len(drawn) > 60
    assert all(one["inside"] and one["whole"] for one in measured)
    assert min(one["letters"] for one in measured) >= (14 if width >= 390 else 11)
