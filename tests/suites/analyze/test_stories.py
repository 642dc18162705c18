"""What is wrong with a story is said; a setting fills its places, and a variant changes little."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
import yaml

from whybench.suites.analyze import stories
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.stories import parse_story, read_story, tell_story
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
    assert "\n" not in story["estimand"] + story["method"]
    without = raw()
    without.pop("variants", None)
    assert parse_story(yaml.safe_dump(without), "mine.yaml")["variants"] == {}


def test_a_variant_changes_what_it_says_and_nothing_else() -> None:
    settings = CHALLENGES["simpson"].read_settings()
    for setting in settings.values():
        trap = tell_story(read_story("simpson"), setting, "trap")
        after = tell_story(read_story("simpson"), setting, "post_treatment")
        assert after.design != trap.design
        assert after.roles != trap.roles
        for said in ("setting", "question", "estimand", "method", "warning", "answer"):
            assert getattr(after, said) == getattr(trap, said)


def test_a_setting_may_say_a_text_of_the_story_in_its_own_words() -> None:
    from dataclasses import replace

    setting = next(iter(CHALLENGES["simpson"].read_settings().values()))
    own = {**setting.texts, "warning": "Look twice.", "answer": {"ci": "its interval"}}
    told = tell_story(read_story("simpson"), replace(setting, texts=own), "trap")
    assert told.warning == "Look twice."
    assert told.answer == {**read_story("simpson")["answer"], "ci": "its interval"}


def test_a_key_that_is_missing_or_unknown_is_said() -> None:
    missing = raw()
    del missing["warning"]
    assert refused(missing).startswith("mine.yaml must have the keys")
    assert "'moral'" in refused({**raw(), "moral": "none"})


def test_a_variant_cannot_tell_itself_by_the_estimand() -> None:
    changed = raw()
    changed["variants"] = {"randomised": {"estimand": "Whatever a lot gave."}}
    assert "randomised may change roles, got ['estimand']" in refused(changed)
