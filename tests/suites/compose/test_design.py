from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from whybench.suites.compose import SUITE
from whybench.suites.compose.blocks import Block
from whybench.suites.compose.design import DESIGNS, count_questions
from whybench.suites.compose.planning import advise, list_worlds, plan_worlds
from whybench.suites.compose.units import make_world, parse_shape, parse_world, round_size
from whybench.suites.compose.world import draw_world
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path


def test_named_designs_have_the_sizes_that_follow_from_their_factors() -> None:
    # Questions about a unit: k(k + 2), so 8, 15 and 35 for two, three and five blocks.
    assert {name: design.size for name, design in DESIGNS.items()} == {
        "core": 3 * 8 * 16 * 15,
        "verdicts": 3 * 128 * 15,
        "shapes": 128 * (8 + 8 + 15 + 15),
        "long": 8 * 64 * 35,
        "party": 512 * 15,
        "full": 3 * 4 * 2 * 3 * 10 * 16 * 8,
        "numbers": 2 * 3 * 8 * 6,
    }
    assert {name: design.block for name, design in DESIGNS.items()} == {
        "core": 45,
        "verdicts": 45,
        "shapes": 46,
        "long": 35,
        "party": 15,
        "full": 576,
        "numbers": 36,
    }


@pytest.mark.parametrize("name", ["verdicts", "party"])
def test_designs_for_verdicts_have_the_units_that_an_agent_without_errors_needs(name: str) -> None:
    design = DESIGNS[name]
    for found in plan_worlds(design, 1):
        assert found.needs["exact"] <= design.units


@pytest.mark.parametrize("name", [name for name in DESIGNS if name != "numbers"])
def test_named_designs_have_whole_rounds(name: str) -> None:
    design = DESIGNS[name]
    # Whole pairs of rounds: weights are then those of the population, both roots alike.
    assert all(design.units % (2 * round_size(world)) == 0 for _, world in list_worlds(design))


def test_shapes_are_written_as_blocks_in_a_row() -> None:
    assert parse_shape("cycle3+bridge+wheel5") == (
        Block("cycle", 3),
        Block("bridge", 2),
        Block("wheel", 5),
    )
    assert parse_shape("party") == parse_shape("wheel4+bridge+ladder4")


def test_any_graph_with_a_cutpoint_is_written_as_its_edges() -> None:
    # The source's party of eight, and a diamond before a bridge.
    assert parse_shape("XA.XB.XC.AB.AC.BC.CD.DE.DF.EF.EY.FY") == parse_shape("party")
    blocks = parse_shape("XA.XB.AY.BY+bridge")
    assert list(map(str, blocks)) == ["graph AB.AC.BD.CD", "bridge 2"]
    assert parse_shape("XA.XB.AC.BC.CY") == parse_shape("QR.QP.RS.PS.ST") == blocks
    world = make_world("XA.XB.AY.BY+bridge", "mixed", 3, "test")
    assert parse_world(world.text) == world


def test_blocks_make_questions() -> None:
    assert [count_questions(kinds) for kinds in ("bridge+bridge", "party")] == [8, 15]


@pytest.mark.parametrize(
    ("kinds", "message"),
    [
        ("cycle3", "blocks must number two or more"),
        ("cycle2+cycle3", "size of a cycle must be 3 or more, got 2"),
        ("wheel3+bridge", "size of a wheel must be 4 or more, got 3"),
        ("square4+bridge+bridge", "kinds must be blocks such as cycle3.bridge.wheel4"),
        ("XA.XB+bridge", "a graph must have one node without effects, got A and B"),
        ("XA.BA.AY", "a graph must have one node without causes, got X and B"),
        ("XA.AB.BA.BY", "a graph must have no cycle, got the edges X → A, A → B, B → A, B → Y"),
        ("XA.XA.AY", "every edge must be given once, got X → A, X → A, A → Y"),
        ("XA.XB.AY.BY", "blocks must number two or more"),
        ("X-A.AY", "edges such as XA.XB.AY.BY"),
        ("bridge3+bridge+bridge", "kinds must be blocks such as cycle3.bridge.wheel4"),
        ("cycle30+bridge", "a block must have at most 17 nodes"),
    ],
)
def test_shapes_that_are_none_are_refused(kinds: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design({"kinds": kinds})


def test_the_party_is_the_sources_and_for_testing_only() -> None:
    ((_, world),) = list_worlds(DESIGNS["party"])
    assert world.text == ("wheel 4, bridge 2, ladder 4; or or or or or or or or; 7 7 7 7 7 7 7 7")
    # X, A, B, C, D, E, F, Y: nobody but E and F makes Y come; C answers to X, A and B.
    assert (world.parents[7], world.parents[6], world.parents[3]) == ((5, 6), (4, 5), (0, 1, 2))
    both = SUITE.make_design({"design": "party", "gates": "or,and"})
    assert [world.gates[1:] for _, world in list_worlds(both)] == [("or",) * 7, ("and",) * 7]
    for changed in ({"split": "train"}, {"worlds": 2}, {"gates": "mixed"}):
        with pytest.raises(UserError, match="party is one world"):
            SUITE.make_design({"design": "party", **changed})


@pytest.mark.parametrize("gates", ["or", "and", "mixed"])
def test_a_world_can_be_made_again_from_its_text(gates) -> None:
    for number in range(20):
        world = draw_world(parse_shape("cycle3+bridge+wheel4"), gates, number)
        assert parse_world(world.text) == world


def test_worlds_of_a_series_are_of_their_split() -> None:
    train, test = (
        {make_world("cycle3+cycle3", "mixed", number, split).text for number in range(40)}
        for split in ("train", "test")
    )
    assert min(len(train), len(test)) > 20
    assert not train & test


def test_settings_change_a_named_design() -> None:
    design = SUITE.make_design(
        {
            "design": "core",
            "kinds": ["bridge+bridge"],
            "gates": "or,mixed",
            "units": "8",
            "worlds": 3,
        }
    )
    assert design.name == "core*"
    assert (design.kinds, design.gates) == (("bridge+bridge",), ("or", "mixed"))
    assert design.size == 3 * 8 * 2 * 8
    assert "3 worlds of each of bridge+bridge with gates or, mixed; 8 units" in design.summary


def test_the_hash_follows_what_decides_the_items() -> None:
    assert SUITE.make_design({"design": "core", "name": "other"}).hash == DESIGNS["core"].hash
    changes = ({}, {"theme": "vault"}, {"style": "cot"}, {"units": 8}, {"split": "train"})
    assert len({SUITE.make_design(changed).hash for changed in changes}) == 5


def test_a_design_may_be_a_file_with_a_theme_beside_it(tmp_path: Path) -> None:
    own = (tmp_path / "own.yaml").resolve()
    bundled = _bundled("vault").replace("name: vault", "name: safe")
    own.write_text(bundled, encoding="utf-8")
    path = tmp_path / "mine.yaml"
    path.write_text("design: core\nunits: 4\ntheme: [own.yaml, glims]\n", encoding="utf-8")
    design = SUITE.make_design({"design": str(path)})
    assert (design.name, design.units) == ("mine", 4)
    assert [theme.name for theme in design.themes] == ["safe", "glims"]


def _bundled(name: str) -> str:
    from importlib.resources import files

    source = files("whybench.suites.compose.themes").joinpath(f"{name}.yaml")
    return source.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"design": "none"}, "design must be one of core, verdicts, shapes"),
        ({"colour": "red"}, "a design takes design, name, kinds"),
        ({"gates": "xor"}, "gates must be among or, and, mixed, got 'xor'"),
        ({"gates": ["or", "or"]}, "gates must be one or more different levels"),
        ({"detail": "much"}, "detail must be among none, some"),
        ({"style": "terse"}, "style must be among direct, cot, worked-example"),
        ({"split": "dev"}, "split must be among train, test"),
        ({"units": "many"}, "units must be a whole number, got 'many'"),
        ({"units": 0}, "units must be 1 or more, got 0"),
        ({"worlds": -1}, "worlds must be 1 or more, got -1"),
        ({"theme": "party"}, "theme must be one of feast"),
        ({"kinds": "+".join(["bridge"] * 96)}, "a segment must have at most 19 nodes"),
    ],
)
def test_what_a_design_cannot_be_is_said(settings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.make_design(settings)


def test_advice_names_the_units_that_verdicts_take() -> None:
    first, second, *_ = advise(DESIGNS["verdicts"], 1)
    assert first.startswith(
        "128 units per world; conclusive verdicts with 1 epoch require 96 for exact"
    )
    assert second.startswith("majority votes correct errors from 3 epochs on")
    (only,) = advise(DESIGNS["verdicts"], 5)
    assert only.startswith(
        "128 units per world; conclusive verdicts with 5 epochs require 96 for exact"
    )
    # Two epochs outvote nothing that one does not, and four no more than three.
    for even in (2, 4):
        assert plan_worlds(DESIGNS["verdicts"], even) == plan_worlds(DESIGNS["verdicts"], even - 1)


def test_advice_knows_where_it_knows_nothing_and_where_guesses_pass() -> None:
    six = SUITE.make_design({"kinds": "+".join(["bridge"] * 6)})
    (line,) = advise(six, 1)
    assert "computed only for up to 5 blocks" in line
    (line,) = advise(DESIGNS["long"], 5)
    assert line.startswith("64 units per world are enough for the primary measure")
    chancy = SUITE.make_design({"kinds": "wheel4+wheel4", "gates": "or", "worlds": 6, "units": 512})
    flagged = ["met_by_chance" in found.flags for found in plan_worlds(chancy, 5)]
    assert any(flagged)
    assert f"in {sum(flagged)} of 6 worlds guesses multiply" in list(advise(chancy, 5))[-1]
