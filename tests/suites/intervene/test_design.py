from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from whybench.suites.contract import UserError
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.design import DESIGNS

if TYPE_CHECKING:
    from pathlib import Path


def test_named_designs_have_the_sizes_of_the_specification() -> None:
    assert {name: design.size for name, design in DESIGNS.items()} == {
        "core": 84,
        "limited": 320,
        "advanced": 1280,
        "source-advanced": 1200,
        "graph": 160,
        "links": 240,
    }
    assert {name: design.block for name, design in DESIGNS.items()} == {
        "core": 84,
        "limited": 16,
        "advanced": 32,
        "source-advanced": 1200,
        "graph": 4,
        "links": 3,
    }


def test_summaries_say_how_many_and_what_is_not_balanced() -> None:
    assert (
        DESIGNS["core"].summary == "84 items: 84 cases of the core set; shapes; direct; text; plain"
    )
    assert DESIGNS["advanced"].summary.startswith("1280 items: 4 questions of 80 worlds with 4, 5")
    assert "not balanced" in DESIGNS["source-advanced"].summary
    assert "not balanced" not in DESIGNS["advanced"].summary


def test_settings_change_a_named_design() -> None:
    design = SUITE.make_design(
        {
            "design": "advanced",
            "entities": "8,12",
            "density": [0.3, 0.5],
            "graphs": "6",
            "split": "train",
        }
    )
    assert design.name == "advanced*"
    assert (design.entities, design.density, design.graphs) == ((8, 12), (0.3, 0.5), 6)
    assert design.block == 8 * 2 * 2
    assert design.size == 3 * design.block


def test_the_hash_follows_what_decides_the_items() -> None:
    core = DESIGNS["core"]
    assert SUITE.make_design({"design": "core", "name": "other"}).hash == core.hash
    hashes = {
        SUITE.make_design({"design": "core", **changed}).hash
        for changed in ({}, {"theme": "lamps"}, {"style": "recipe"}, {"wording": "formal"})
    }
    assert len(hashes) == 4


def test_a_design_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    path.write_text("design: advanced\nentities: [9]\ntheme: [words]\n", encoding="utf-8")
    design = SUITE.make_design({"design": str(path)})
    assert (design.name, design.entities, design.theme) == ("large", (9,), ("words",))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"design": "huge"}, "design must be one of core, limited, advanced, source-advanced"),
        ({"design": "none.yaml"}, "no such file"),
        ({"size": 3}, "a design takes design, name, worlds, .* got 'size'"),
        ({"entities": 5}, r"entities is fixed for core worlds, got \(5,\)"),
        ({"split": "train"}, "split must be test for core worlds, got 'train'"),
        ({"wording": "poetic"}, "wording must be among plain, formal, got 'poetic'"),
        ({"style": "loud"}, "style must be among direct, .* got 'loud'"),
        ({"theme": "lamps,lamps"}, "theme must be one or more different levels"),
        ({"design": "advanced", "entities": 3}, "entities must be 4 or more, got 3"),
        ({"design": "advanced", "entities": "few"}, "entities must be a whole number, got 'few'"),
        ({"design": "advanced", "entities": 999}, "can name 208 shapes, got 999"),
        ({"design": "advanced", "density": "thick"}, "density must be a number, got 'thick'"),
        ({"design": "advanced", "density": 1}, "density must leave from 3 .* got 1.0"),
        ({"design": "advanced", "density": 0.1}, "density must leave from 3 .* got 0.1"),
        (
            {"design": "advanced", "graphs": 7},
            "graphs must be .* even for advanced worlds .* got 7",
        ),
        ({"design": "advanced", "initial": "asleep"}, "initial must be among all-moving"),
        ({"design": "source-advanced", "initial": "rest"}, "initial must be all-moving for source"),
        ({"design": "graph", "entities": 6}, r"4 to 5 entities .* got .* entities \[6\]"),
        ({"design": "graph", "density": 0.5}, "graph worlds have any density"),
        ({"design": "graph", "interface": "tools"}, r"asked for in text, .* interface \['tools'\]"),
        ({"design": "graph", "style": "recipe"}, r"no style recipe, .* style \['recipe'\]"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(settings: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design(settings)
