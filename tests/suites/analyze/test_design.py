"""Factors, levels, crossings, blocks and named designs of analyze."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.analyze.challenges import CHALLENGES, CORE, FAMILIES, HARD
from whybench.suites.analyze.design import DESIGNS, AnalyzeDesign, make_design
from whybench.suites.analyze.items import analyze_items
from whybench.suites.analyze.prompts import PROTOCOLS
from whybench.suites.contract import UserError

if TYPE_CHECKING:
    from pathlib import Path

ALL = len(CORE)


def test_named_designs_are_what_they_are_called() -> None:
    core, hints, labels = DESIGNS["core"], DESIGNS["hints"], DESIGNS["labels"]
    assert next(iter(DESIGNS)) == "core"
    assert (core.block, core.size) == (2 * 2 * ALL, 3 * 2 * 2 * ALL)
    assert (hints.hint, hints.block) == ((1, 2, 3, 4, 5), 5 * 2 * ALL)
    assert (labels.label, labels.block) == (("neutral", "flattering", "damning"), 3 * 2 * ALL)
    assert (core.hint, core.protocol, core.rows) == ((5,), ("agentic",), 0)
    code, direct = DESIGNS["code"], DESIGNS["direct"]
    assert code.cells == tuple(replace(cell, protocol="code") for cell in core.cells)
    assert (code.protocol, code.seeds) == (("code",), core.seeds)
    assert (direct.protocol, direct.rows, direct.seeds) == (("direct",), 200, 3)
    core_families = list(dict.fromkeys(CHALLENGES[name].family for name in CORE))
    assert [CHALLENGES[name].family for name in direct.challenge] == core_families
    variants = sum(len(CHALLENGES[name].variants) for name in CORE)
    assert DESIGNS["full"].block == 5 * 3 * variants


def test_half_of_core_is_of_the_harder_tier() -> None:
    assert tuple(CHALLENGES) == (*CORE, *HARD)
    assert make_design({"challenge": "all"}).challenge == CORE
    listed = Counter(DESIGNS["core"].challenge)
    assert set(listed) == {*CORE, *HARD}
    assert sum(listed[name] for name in CORE) == sum(listed[name] for name in HARD) == ALL
    for name in ("hints", "labels", "full", "direct"):
        assert set(DESIGNS[name].challenge) <= {*CORE}
    hard = DESIGNS["hard"]
    assert (hard.challenge, hard.variant, hard.rows) == (HARD, ("trap", "control"), 0)
    assert make_design({"challenge": "limits,adjustment"}).challenge == HARD
    assert make_design({"challenge": "all,overlap"}).challenge == (*CORE, "overlap")
    assert "6 draws of overlap, unidentified, m_bias, instrument, case_control;" in hard.summary


def test_a_challenge_listed_twice_has_another_draw_each_time() -> None:
    design = make_design({"challenge": "overlap,simpson,overlap", "seeds": 3})
    items = list(analyze_items(design))
    for variant in ("trap", "control"):
        asked = [item for item in items if (item.variant == "trap") == (variant == "trap")]
        draws = [item.draw for item in asked if item.challenge == "overlap"]
        assert len(set(draws)) == 6
        assert draws == sorted(draws)
        simpson = [item.draw for item in asked if item.challenge == "simpson"]
        assert simpson == draws[:3]
    controls = [i.variant for i in items if i.challenge == "overlap" and i.variant != "trap"]
    assert controls == ["randomised", "same_effect"] * 3


def test_twins_stand_side_by_side_and_controls_take_turns() -> None:
    design = make_design({"challenge": "simpson,population"})
    trap, control, *_ = design.cells
    assert (trap.variant, control.variant) == ("trap", "control")
    controls = CHALLENGES["simpson"].controls
    assert [control.variant_at(turn) for turn in range(5)] == [*controls, controls[0]]
    assert {trap.variant_at(turn) for turn in range(4)} == {"trap"}
    all_of_them = make_design({"challenge": "simpson", "variant": ["trap", "controls"]})
    assert [cell.variant for cell in all_of_them.cells] == list(CHALLENGES["simpson"].variants)


def test_core_has_every_control_as_often_as_another_or_once_more() -> None:
    counts: dict[str, Counter[str]] = {}
    for cell in DESIGNS["core"].cells:
        if cell.variant == "control" and len(CHALLENGES[cell.challenge].controls) <= 3:
            asked = counts.setdefault(cell.challenge, Counter())
            asked.update(cell.variant_at(turn) for turn in range(DESIGNS["core"].seeds))
    for challenge, asked in counts.items():
        assert set(asked) == set(CHALLENGES[challenge].controls)
        assert max(asked.values()) - min(asked.values()) <= 1, challenge


def test_a_family_stands_for_its_challenges() -> None:
    confounding = make_design({"challenge": "confounding"}).challenge
    assert confounding == ("simpson", "selection")
    assert make_design({"challenge": list(FAMILIES)}).challenge == tuple(CHALLENGES)
    assert make_design({"challenge": "all"}).challenge == DESIGNS["full"].challenge


def test_a_summary_says_how_many_and_of_what() -> None:
    assert DESIGNS["core"].summary == (
        f"{12 * ALL} items: 3 draws of the {ALL} challenges of the source and {len(HARD)} harder "
        "ones, 3 times each; trap, control; hint 5; neutral; agentic; test"
    )
    small = make_design({"challenge": "simpson", "seeds": 1, "hint": "1,5"})
    assert small.summary == (
        "4 items: 1 draw of simpson; trap, control; hint 1, 5; neutral; agentic; test"
    )
    both = make_design({"challenge": "simpson", "seeds": 1, "protocol": "direct,agentic"})
    assert both.summary == (
        "4 items: 1 draw of simpson; trap, control; hint 5; neutral; direct, agentic; test"
    )


def test_the_hash_follows_what_decides_the_items() -> None:
    assert make_design({"name": "other"}).hash == DESIGNS["core"].hash
    changes = (
        {}, {"seeds": 2}, {"hint": 4}, {"label": "damning"}, {"split": "train"},
        {"protocol": "code"}, {"protocol": "agentic,code"},
    )  # fmt: skip
    assert len({make_design(change).hash for change in changes}) == len(changes)


def test_twins_take_both_kinds() -> None:
    asked = {
        name: make_design({"variant": name}).twins
        for name in ("trap", "control", "controls", "trap,control", "trap,controls")
    }
    assert [name for name, both in asked.items() if both] == ["trap,control", "trap,controls"]


def test_a_design_may_be_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("design: labels\nchallenge: [mediation]\nseeds: 9\n", encoding="utf-8")
    design = make_design({"design": str(path), "hint": 5})
    assert (design.name, design.seeds, design.hint) == ("mine", 9, (5,))
    assert design.challenge[0] == "mediator_confounding"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"challenge": "sampson"}, "challenge must be among simpson, .* got 'sampson'"),
        ({"variant": "control,controls"}, "variant must have one of control and controls"),
        (
            {"variant": "null"},
            "variant must be among trap, control, controls, got 'null'",
        ),
        ({"hint": "6"}, "hint must be among 1, 2, 3, 4, 5, got 6"),
        ({"hint": "low"}, "hint must be a whole number, got 'low'"),
        ({"label": []}, "label must be one or more different levels"),
        ({"protocol": "telepathy"}, "protocol must be among direct, code, .* got 'telepathy'"),
        ({"split": "dev"}, "split must be among train, test, got 'dev'"),
        ({"seeds": 0}, "seeds must be 1 or more, got 0"),
        ({"colour": "red"}, "a design takes design, name, .* got 'colour'"),
        ({"design": "huge"}, "design must be one of core, .* got 'huge'"),
    ],
)
def test_what_cannot_be_asked_is_explained(settings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_design(settings)


@given(
    st.lists(st.sampled_from(sorted(CHALLENGES)), min_size=1, unique=True),
    st.lists(st.integers(1, 5), min_size=1, unique=True),
    st.lists(st.sampled_from(("neutral", "flattering", "damning")), min_size=1, unique=True),
    st.lists(st.sampled_from(PROTOCOLS), min_size=1, unique=True),
)
def test_a_block_is_the_whole_crossing(challenges, hints, labels, protocols) -> None:
    crossed = {"challenge": challenges, "hint": hints, "label": labels, "protocol": protocols}
    design = AnalyzeDesign(**{name: tuple(levels) for name, levels in crossed.items()}, seeds=1)
    assert len({*design.cells}) == design.block == 2 * prod(map(len, crossed.values()))
    for factor, levels in crossed.items():
        counts = Counter(getattr(cell, factor) for cell in design.cells)
        assert set(counts) == set(levels)
        assert len({*counts.values()}) == 1
