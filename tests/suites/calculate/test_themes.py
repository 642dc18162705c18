"""Themes of calculate: users' own are taken if their prompts can be parsed, and refused if not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from evidence.printed_worlds import answer_prompt

from whybench.errors import UserError
from whybench.scaffolds import make_scaffold
from whybench.suites.calculate import SUITE
from whybench.suites.calculate.prompt_parser import parse_stated_prompt

if TYPE_CHECKING:
    from pathlib import Path

FEW = {
    "design": "core",
    "query": "observe,do,counterfactual",
    "variant": "trap,missing",
    "variables": "4",
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "theatre.yaml"
    (text,) = make_scaffold("theme", "theatre", "calculate").texts.values()
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "told", [{"format": "text,table"}, {"format": "program", "mechanism": "gates,thresholds"}]
)
def test_a_theme_of_ones_own(own: Path, told: dict[str, str]) -> None:
    items = list(SUITE.items(SUITE.make_design({**FEW, **told, "theme": str(own)})))
    for item in items:
        assert item.prompt.startswith("A theatre is kept by 4 people: the ")
        assert item.factors["theme"] == "theatre"
        assert parse_stated_prompt(item.prompt) == item.question
        assert answer_prompt(item.prompt) == pytest.approx(item.truth)


def test_its_worlds_are_those_of_other_themes(own: Path) -> None:
    one, other = (
        list(SUITE.items(SUITE.make_design({**FEW, "theme": theme})))
        for theme in (str(own), "glims")
    )
    assert [item.truth for item in one] == [item.truth for item in other]
    assert [item.case for item in one] == [item.case for item in other]


def test_words_count_and_paths_do_not(own: Path) -> None:
    design = SUITE.make_design({"design": "core", "theme": str(own)})
    elsewhere = own.with_name("moved.yaml")
    elsewhere.write_text(own.read_text(encoding="utf-8"), encoding="utf-8")
    assert SUITE.make_design({"design": "core", "theme": str(elsewhere)}).hash == design.hash
    other = own.with_name("other.yaml")
    other.write_text(own.read_text(encoding="utf-8").replace("usher", "guard"), encoding="utf-8")
    assert SUITE.make_design({"design": "core", "theme": str(other)}).hash != design.hash


def test_a_design_may_be_a_file_with_a_theme_beside_it(own: Path) -> None:
    path = own.with_name("mine.yaml")
    path.write_text("design: core\ntheme: [theatre.yaml, glims]\n", encoding="utf-8")
    design = SUITE.make_design({"design": str(path)})
    assert [theme.name for theme in design.themes] == ["theatre", "glims"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"setting": "A theatre"}, "setting must have the place {count} once"),
        ({"setting": "A theatre: {count} people"}, "setting must not contain ':'"),
        ({"states": ["on", False]}, "states must be some text"),
        ({"states": ["on", "on"]}, "states must differ"),
        ({"states": ["wide open", "shut"]}, "states must be two single words"),
        ({"names": ["actor", "usher"]}, "names must be 12 or more"),
        ({"names": ["coin"]}, "names must be words of small letters"),
        ({"names": ["salt and pepper"]}, "names must be words of small letters"),
        ({"names": ["Actor"]}, "names must be words of small letters"),
        ({"name": "glims"}, "name must differ from the bundled themes"),
        ({"colour": "red"}, "must have the keys name, setting, states, names"),
    ],
)
def test_what_cannot_be_a_theme_is_refused(
    own: Path, changed: dict[str, object], message: str
) -> None:
    words = yaml.safe_load(own.read_text(encoding="utf-8")) | changed
    own.write_text(yaml.safe_dump(words), encoding="utf-8")
    with pytest.raises(UserError) as refused:
        SUITE.make_design({"design": "core", "theme": str(own)})
    assert str(own) in str(refused.value)
    assert message in str(refused.value)
