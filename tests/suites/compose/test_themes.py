from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from whybench.seeds import generator
from whybench.suites.compose.themes import EXAMPLE_SIZE, THEME_NAMES, load_theme, sentences
from whybench.suites.compose.themes.sentences import Sentence, join_names, split_names
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path

OWN = {
    "name": "bells",
    "setting": "You hear bells.",
    "many": "bells",
    "unit": ["tug", "tugs"],
    "root_rule": "{name} rings if it gets at least {count}; otherwise {name} is silent.",
    "or_rule": "{name} rings if it gets at least {count} or {parents} rings; otherwise not.",
    "and_rule": "{name} rings if it gets at least {count} and also {parents} rings; otherwise not.",
    "count_line": "{name} gets {count}.",
    "holds": "{name} rings",
    "fails": "{name} is silent",
    "ask": "Does {effect} ring?",
    "ask_true": "Suppose {cause} is struck from outside. Does {effect} ring?",
    "ask_false": "Suppose {cause} is muffled from outside. Does {effect} ring?",
    "details": ["{name} is old.", "{name} is green."],
    "names": ["Big", "Tom", "Pip"],
    "example_names": ["One", "Two", "Three", "Four", "Five"],
}


def written(folder: Path, **changes: object) -> str:
    path = folder / "own.yaml"
    kept = {key: value for key, value in {**OWN, **changes}.items() if value is not None}
    path.write_text(yaml.safe_dump(kept), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", THEME_NAMES)
def test_bundled_themes_name_thirty_nodes_and_their_examples(name: str) -> None:
    bundled = load_theme(name)
    assert bundled.name == name
    names = bundled.draw(30, generator("test"))
    assert len({called.casefold() for called in names}) == 30
    assert len(bundled.example_names) >= EXAMPLE_SIZE
    assert not set(bundled.pool(bundled.capacity)) & set(bundled.example_names)


def test_bundled_themes_have_different_settings_and_say_the_range_of_counts() -> None:
    settings = {load_theme(name).setting for name in THEME_NAMES}
    assert len(settings) == len(THEME_NAMES)
    assert all("between 1 and 10" in setting.lower() for setting in settings)


@pytest.mark.parametrize("name", THEME_NAMES)
def test_interventions_say_what_is_overridden_and_what_stays(name: str) -> None:
    for sentence in (load_theme(name).ask_true, load_theme(name).ask_false):
        assert "This overrides the rule of {cause}." in sentence.text
        assert any(words in sentence.text for words in ("stay as they are", "stay the same"))
        assert "all other" in sentence.text
        assert "still follow their own rules." in sentence.text


def test_rules_are_worded_with_one_parent_and_with_several() -> None:
    feast, vault = load_theme("feast"), load_theme("vault")
    assert feast.rule("or", "Ada", 4, []) == (
        "Ada comes to the feast if Ada drew at least 4 tokens; otherwise Ada stays at home."
    )
    assert feast.rule("or", "Ada", 4, ["Hugo"]) == (
        "Ada comes to the feast if Ada drew at least 4 tokens, or if Hugo comes, or both; "
        "otherwise Ada stays at home."
    )
    locks = ["the iron lock", "the brass lock", "the steel lock"]
    assert vault.rule("or", "the amber lock", 10, locks) == (
        "The amber lock opens if it has at least 10 pins lifted, or if at least one of the iron "
        "lock, the brass lock and the steel lock opens, or both; otherwise the amber lock stays "
        "shut."
    )
    assert vault.rule("and", "the amber lock", 2, locks[:2]) == (
        "The amber lock opens if it has at least 2 pins lifted and each of the iron lock and "
        "the brass lock opens; otherwise the amber lock stays shut."
    )


def test_counts_and_questions_are_worded() -> None:
    glims = load_theme("glims")
    assert [glims.count_text(count) for count in (1, 2, 10)] == ["1 wim", "2 wims", "10 wims"]
    assert glims.question("wug", None) == "Does wug glim?"
    assert glims.question("wug", ("dax", True)).startswith("Suppose that dax is quavved")
    assert "which makes dax dull" in glims.question("wug", ("dax", False))


def test_details_are_different_sentences_about_the_nodes() -> None:
    feast = load_theme("feast")
    details = feast.draw_details(("Ada", "Hugo"), 20, generator("test"))
    assert len(set(details)) == 20
    assert {detail.split()[0] for detail in details} == {"Ada", "Hugo"}
    with pytest.raises(UserError, match="has 20 details for 2 nodes, got 21"):
        feast.draw_details(("Ada", "Hugo"), 21, generator("test"))


def test_more_nodes_than_names_get_a_word_in_front() -> None:
    vault = load_theme("vault")
    assert set(vault.pool(12)) == set(vault.names)
    assert "upper brass lock" in vault.pool(13)
    with pytest.raises(UserError, match=r"can name 84 locks, got 85;"):
        vault.pool(85)


def test_a_theme_of_ones_own_works_by_its_path(tmp_path: Path) -> None:
    own = load_theme(written(tmp_path))
    assert own.rule("and", "Tom", 3, ["Big", "Pip"]) == (
        "Tom rings if it gets at least 3 tugs and also each of Big and Pip rings; otherwise not."
    )
    assert (own.article, own.more, own.glue) == ("", (), " ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"holds": None}, "must have the key 'holds'; it has"),
        ({"colour": "red"}, "must have the keys name, setting, .* got 'colour'"),
        ({"many": 3}, "many must be some text"),
        ({"setting": " "}, "setting must be some text"),
        ({"names": "Big"}, "names must be a list, got 'Big'"),
        ({"names": []}, "names must be a list"),
        ({"names": ["Big"]}, r"names must be 2 or more, got \['Big'\]"),
        ({"names": ["Big-Ben", "Big Ben"]}, "names must differ in more than spaces and hyphens"),
        ({"names": ["Big", 7]}, "names must be some text .*got 7"),
        ({"names": ["Big", "big"]}, "names must differ in more than case, got 'big' twice"),
        ({"names": ["Big", "one"]}, "names must differ in more than case"),
        ({"names": ["Big", "Tom and Pip"]}, "names must not contain ' and '"),
        ({"names": ["Big", "T. Pip"]}, "names must not contain '.'"),
        ({"more": ["x", "X"]}, "names must differ in more than case"),
        ({"example_names": ["One", "Two"]}, "example_names must be 5 or more"),
        ({"unit": ["tug"]}, "unit must be a singular and a plural"),
        ({"ask": "Does it ring?"}, "ask must have the places {effect} and no others"),
        ({"holds": "{name} rings {x}"}, "holds must have the places {name} and no others"),
        ({"holds": "{name.x} rings"}, "holds must have the places {name}: a place must be a word"),
        ({"holds": "{name rings"}, "holds must have the places {name}: "),
        ({"and_rule": OWN["or_rule"]}, "or_rule must be told apart from and_rule"),
        ({"ask_false": OWN["ask_true"]}, "ask_true must be told apart from ask_false"),
        ({"details": [OWN["root_rule"].replace("{count}", "4 tugs")]}, "details must be told"),
        ({"name": "feast"}, "name must differ from the bundled themes"),
    ],
)
def test_a_flawed_theme_is_refused_with_the_key_and_the_value(
    tmp_path: Path, changes: dict, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        load_theme(written(tmp_path, **changes))


def test_what_is_no_theme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"theme must be one of feast, vault, petition, glims, or"):
        load_theme("bells")
    with pytest.raises(UserError, match="no such file"):
        load_theme(str(tmp_path / "none.yaml"))


@given(st.lists(st.sampled_from(load_theme("vault").names), min_size=1, unique=True))
def test_lists_of_names_are_read_back(names: list[str]) -> None:
    assert split_names(join_names(names)) == names


@given(st.sampled_from(load_theme("glims").names), st.integers(1, 10))
def test_a_sentence_reads_what_it_says_and_nothing_else(name: str, count: int) -> None:
    sentence = Sentence("{name} is here; {name} has {count}.")
    found = sentence.parse(sentence.render(name=name, count=f"{count} wims"))
    assert found == {"name": name.capitalize(), "count": f"{count} wims"}
    assert sentence.parse(f"{name} is here; another has {count} wims.") is None


def test_examples_in_the_docstring_are_true() -> None:
    tried = doctest.testmod(sentences)
    assert (tried.failed, tried.attempted) == (0, 4)
