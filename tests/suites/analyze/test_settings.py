"""Settings: what is wrong with one is said, and ours fit their challenges and keep apart."""

from __future__ import annotations

from importlib.resources import files
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from whybench.suites.analyze import settings
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.prompts import render_description
from whybench.suites.analyze.settings import LABELS, parse_setting
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path

NAMES = list(CHALLENGES)
LEAST = 8


def raw() -> dict[str, Any]:
    folder = files(settings.__name__).joinpath("simpson")
    text = min(folder.iterdir(), key=lambda entry: entry.name).read_text(encoding="utf-8")
    read: dict[str, Any] = yaml.safe_load(text)
    return read


def refused(changed: dict[str, Any]) -> str:
    with pytest.raises(UserError) as error:
        parse_setting(yaml.safe_dump(changed), "mine.yaml")
    return str(error.value)


def test_what_is_wrong_with_a_setting_is_said() -> None:
    less = raw()
    del less["words"]
    assert refused(less).startswith("mine.yaml must have the keys")
    assert "split must be train or test, got 'dev'" in refused({**raw(), "split": "dev"})
    assert "words must have ['unit', 'units']" in refused({**raw(), "words": {"thing": "it"}})
    same = raw()
    same["columns"]["decoy"]["names"] = same["columns"]["outcome"]["names"]
    assert "names of columns must differ" in refused(same)
    loud = raw()
    loud["columns"]["decoy"]["names"] = ["Loud Name"]
    assert "small letters" in refused(loud)
    telling = raw()
    telling["variants"]["randomised"]["question"] = "Was it random?"
    assert "randomised may change ['design', 'roles', 'setting']" in refused(telling)
    extra = raw()
    extra["labels"]["lurid"] = {"words": {}}
    assert "labels must be flattering, damning, got" in refused(extra)


@pytest.mark.parametrize("name", NAMES)
def test_there_are_as_many_settings_on_either_side(name: str) -> None:
    ours = CHALLENGES[name].read_settings().values()
    sides = [[setting for setting in ours if setting.split == split] for split in ("train", "test")]
    assert len(ours) >= LEAST
    assert len(sides[0]) == len(sides[1])


@pytest.mark.parametrize("name", NAMES)
def test_no_two_settings_of_a_challenge_share_a_name_or_a_thing(name: str) -> None:
    ours = CHALLENGES[name].read_settings().values()
    for one, other in combinations(ours, 2):
        names = [
            {word for words in setting.columns.values() for word in words.all_names()}
            for setting in (one, other)
        ]
        assert not names[0] & names[1], (one.name, other.name)
        if "thing" in one.words["neutral"]:
            assert one.words["neutral"]["thing"] != other.words["neutral"]["thing"]


@pytest.mark.parametrize("name", NAMES)
def test_settings_fit_their_challenge(name: str) -> None:
    challenge = CHALLENGES[name]
    for setting in challenge.read_settings().values():
        assert {*setting.columns} - {*setting.decoys} == {*challenge.shown}, setting.name
        assert {*setting.variants} <= {*challenge.variants}
        for role in challenge.opposite:
            assert setting.column(role, opposite=True).names
        for role, words in setting.columns.items():
            assert {*words.by_variant} <= {*challenge.variants}, (setting.name, role)
            if words.opposite:
                assert words.by_variant.keys() == words.opposite.by_variant.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_told_to_the_end(name: str) -> None:
    challenge = CHALLENGES[name]
    for setting in challenge.read_settings().values():
        for twin in challenge.generate_twins(
            "settings", split=setting.split, setting=setting
        ).values():
            for labels in LABELS:
                for hint in (1, 5):
                    assert "{" not in render_description(twin, labels, hint).split("\n{")[0]


def test_a_setting_of_ones_own_is_told(tmp_path: Path) -> None:
    own = raw()
    own["columns"]["outcome"]["names"] = ["danced_again"]
    path = tmp_path / "dancers.yaml"
    path.write_text(yaml.safe_dump(own), encoding="utf-8")
    from whybench.suites.analyze import SUITE

    design = SUITE.make_design({"design": "core", "challenge": "simpson", "setting": str(path)})
    item = next(iter(SUITE.items(design)))
    assert "danced_again" in item.prompt
    assert item.factors["setting"] == str(path)
    plain = SUITE.make_design({"design": "core", "challenge": "simpson"})
    assert design.hash != plain.hash
    with pytest.raises(UserError, match="challenge must be selection, got simpson"):
        SUITE.make_design({"design": "core", "challenge": "selection", "setting": str(path)})
    with pytest.raises(UserError, match="no such file"):
        SUITE.make_design({"design": "core", "challenge": "simpson", "setting": "none.yaml"})
