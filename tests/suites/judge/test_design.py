from __future__ import annotations

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS, make_design


def test_the_core_design_has_the_twenty_questions_of_three_stories_in_four_polarities() -> None:
    design = DESIGNS["core"]
    assert design.sizes == (20, 3, 4, 1, 1, 1)
    assert design.block == 60
    assert design.polarities == ("ppp", "pmm", "mpm", "mmp")


def test_every_condition_of_the_full_design_is_crossed() -> None:
    design = DESIGNS["full"]
    assert design.sizes == (20, 6, 4, 7, 3, 1)
    assert design.overloads[:3] == (("none", "none"), ("d", "story"), ("d", "filler"))


def test_the_hash_is_of_what_is_asked_not_of_names() -> None:
    assert replace(DESIGNS["core"], name="mine").hash == DESIGNS["core"].hash
    hashes = {design.hash for design in DESIGNS.values()}
    assert len(hashes) == len(DESIGNS)
    assert make_design({"leak": 0.2}).hash != DESIGNS["core"].hash


def test_a_design_is_built_from_a_base_and_changed_factors() -> None:
    made = make_design({"design": "abstract", "style": "cot,direct", "strength": 0.7})
    assert made.style == ("cot", "direct")
    assert made.story == DESIGNS["abstract"].story
    assert made.parameters.strength == 0.7
    assert made.name == "abstract*"
    assert make_design({"design": "core"}) == DESIGNS["core"]


def test_a_design_can_be_a_file(tmp_path) -> None:
    path = tmp_path / "short.yaml"
    path.write_text("design: abstract\nstory: [alnum]\ntask: [VI, VIII]\n", encoding="utf-8")
    made = make_design({"design": str(path), "style": "cot"})
    assert (made.name, made.story, made.task, made.style) == (
        "short",
        ("alnum",),
        ("VI", "VIII"),
        ("cot",),
    )
    assert len(list(SUITE.items(made))) == 4 * 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"design": "cores"}, "design must be one of core, .* got 'cores'"),
        ({"design": "no.yaml"}, "no.yaml': no such file"),
        ({"style": "essay"}, "style must be among direct, cot, confidence, got 'essay'"),
        ({"overload": "x"}, "overload must be among none, d, e, de, got 'x'"),
        ({"overload_source": "web"}, "overload_source must be among story, filler, got 'web'"),
        ({"polarity": "mmm"}, "polarity must be among ppp, pmm, mpm, mmp, got 'mmm'"),
        ({"task": "XII"}, "task must be among I, II, .* got 'XII'"),
        ({"story": "ecnomy"}, "story must be one of economy, .* got 'ecnomy'"),
        ({"story": "economy,economy"}, "story must be one or more different levels"),
        ({"colour": "red"}, "a design takes design, name, story, .* got 'colour'"),
        ({"leak": 1.5}, "leak must lie between 0 and 1, got 1.5"),
        ({"leak": "much"}, "leak must be a number, got 'much'"),
    ],
)
def test_errors_say_what_was_expected_and_what_came(settings, message) -> None:
    with pytest.raises(UserError, match=message):
        make_design(settings)


@pytest.mark.parametrize("levels", ["[mine.yaml, weather]", "mine.yaml", "mine.yaml,weather"])
def test_a_designs_file_names_stories_from_where_it_is(tmp_path, levels: str) -> None:
    source = Path(str(files("whybench.suites.judge.stories"))) / "collider" / "weather.yaml"
    text = source.read_text(encoding="utf-8").replace("name: weather", "name: mine")
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    path = tmp_path / "design.yaml"
    path.write_text(f"story: {levels}\n", encoding="utf-8")
    named = [story.name for story in make_design({"design": str(path)}).stories]
    assert named == ["mine", "weather"][: 2 if "weather" in levels else 1]


@pytest.mark.parametrize("text", ["[1, 2", "- a\n- b\n", ""])
def test_a_file_that_is_no_mapping_is_refused(tmp_path, text: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"bad.yaml must be"):
        make_design({"design": str(path)})
