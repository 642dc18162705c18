from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from whybench.seeds import generator
from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.generation import item_at
from whybench.suites.intervene.themes import THEME_NAMES, load_theme

if TYPE_CHECKING:
    from pathlib import Path

OWN = {
    "name": "bells",
    "one": "bell",
    "many": "bells",
    "setting": "You hear a few bells.",
    "move": "ring",
    "hold": "mute",
    "moving": "ringing",
    "still": "silent",
    "question": "Does {cause} ringing make {effect} ring?",
    "names": ["Ada", "Bo", "Cy", "Di", "Em"],
}


def written(folder: Path, **changes: object) -> str:
    path = folder / "own.yaml"
    kept = {key: value for key, value in {**OWN, **changes}.items() if value is not None}
    path.write_text(yaml.safe_dump(kept), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", THEME_NAMES)
def test_bundled_themes_name_many_entities(name: str) -> None:
    bundled = load_theme(name)
    assert bundled.name == name
    assert bundled.capacity >= 100
    assert set(bundled.pool(7)) == set(bundled.names)
    names = bundled.draw(50, generator("test"))
    assert len({called.casefold() for called in names}) == 50


def test_questions_and_names_are_worded_with_the_article() -> None:
    assert load_theme("shapes").ask("star", "ring") == "Does the star moving make the ring move?"
    assert load_theme("words").ask("wug", "dax") == "Does wug fimming make dax fim?"


def test_more_entities_than_names_get_a_word_in_front() -> None:
    shapes = load_theme("shapes")
    assert "red circle" in shapes.pool(len(shapes.names) + 1)
    assert "blue circle" not in shapes.pool(len(shapes.names) + 1)
    with pytest.raises(UserError, match=r"can name 208 shapes, got 209"):
        shapes.pool(209)


def test_a_theme_of_ones_own_works_by_its_path(tmp_path: Path) -> None:
    design = SUITE.make_design({"design": "advanced", "theme": written(tmp_path), "entities": 5})
    item = item_at(design, 3)
    assert item.factors["theme"] == "bells"
    assert sorted(item.names) == sorted(OWN["names"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"move": None}, "must have the key 'move'; it has"),
        ({"colour": "red"}, "must have the keys name, setting, .* got 'colour'"),
        ({"move": 3}, "move must be some text .*got 3"),
        ({"hold": " "}, "hold must be some text .*got ' '"),
        ({"hold": "RING"}, "move and hold must be different words, got 'ring' twice"),
        ({"still": "Ringing"}, "moving and still must be different words"),
        ({"names": []}, "names must be a list, got"),
        ({"names": ["Ada"]}, "names must be 2 or more"),
        ({"names": ["Ada", 7]}, "names must be some text .*got 7"),
        ({"names": ["Ada", "ada"]}, "names must differ in more than case, got 'ada' twice"),
        ({"names": ["Ada", "Bo, Cy"]}, "names must not contain ',', got 'Bo, Cy'"),
        ({"more": ["x", "X"]}, "names must differ in more than case"),
        ({"question": "Does {cause} ring?"}, "question must hold {cause} and {effect} once each"),
        ({"name": "lamps"}, "name must differ from the bundled themes"),
    ],
)
def test_a_flawed_theme_is_refused_with_the_key_and_the_value(
    tmp_path: Path, changes: dict, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        load_theme(written(tmp_path, **changes))


def test_what_is_no_theme_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"theme must be one of shapes, lamps, words, or the path"):
        load_theme("bells")
    with pytest.raises(UserError, match="no such file"):
        load_theme(str(tmp_path / "none.yaml"))
    for text, message in (("a: [", "must be YAML"), ("- a", "must be a mapping")):
        path = tmp_path / f"{len(text)}.yaml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(UserError, match=message):
            load_theme(str(path))
