"""What is wrong with a story is said; what is story in a variant changes that variant alone."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml

from whybench.suites.analyze import stories
from whybench.suites.analyze.stories import parse_story, read_story
from whybench.suites.contract import UserError


def raw() -> dict[str, Any]:
    text = files(stories.__name__).joinpath("simpson.yaml").read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def refused(changed: dict[str, Any]) -> str:
    with pytest.raises(UserError) as error:
        parse_story(yaml.safe_dump(changed), "mine.yaml")
    return str(error.value)


def test_a_story_is_read_as_it_is_written() -> None:
    story = parse_story(yaml.safe_dump(raw()), "mine.yaml")
    assert story == read_story("simpson")
    assert "\n" not in story.setting + story.method
    without = raw()
    del without["variants"]
    assert parse_story(yaml.safe_dump(without), "mine.yaml").variants == {}


def test_a_variant_changes_what_it_says_and_nothing_else() -> None:
    story = read_story("simpson")
    assert story.for_variant("trap") == story
    after = story.for_variant("post_treatment")
    assert after.design != story.design
    assert after.meanings["stratum"] != story.meanings["stratum"]
    assert after.meanings["outcome"] == story.meanings["outcome"]
    assert (after.question, after.method, after.warning) == (
        story.question,
        story.method,
        story.warning,
    )


def test_a_key_that_is_missing_or_unknown_is_said() -> None:
    missing = raw()
    del missing["warning"]
    assert refused(missing).startswith("mine.yaml must have the keys")
    assert "'moral'" in refused({**raw(), "moral": "none"})


def test_a_variant_cannot_tell_itself_by_the_question() -> None:
    changed = raw()
    changed["variants"]["randomised"]["question"] = "Was it random?"
    assert "randomised may change ['design', 'meanings', 'roles', 'setting']" in refused(changed)


def test_labels_are_three_and_name_columns_apart() -> None:
    fewer = raw()
    del fewer["labels"]["damning"]
    assert "labels must be neutral, flattering, damning, got" in refused(fewer)
    same = raw()
    same["labels"]["neutral"]["columns"]["decoy"] = "recovered"
    assert "columns of neutral must differ" in refused(same)
