"""A class of suites must be whole, and what it leaves out has a default."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from whybench.suites.contract import (
    Answer,
    Budget,
    Costs,
    Crossing,
    PlainItem,
    Suite,
    UserError,
    factor,
)
from whybench.suites.items import OneTurn
from whybench.suites.judge.design import DESIGNS as JUDGE_DESIGNS
from whybench.suites.registry import get_suite


@dataclass(frozen=True)
class Coins(Crossing):
    side: tuple[str, ...] = factor(("heads", "tails"), "Sides.", levels=("heads", "tails", "edge"))
    tosses: tuple[int, ...] = factor((1, 2, 3), "Numbers of tosses.")
    bias: float = factor(0.5, "The chance of heads.")
    words: str = factor("plain", "How it is told.", levels=("plain", "fancy"))


DATA = {
    "name": "coins",
    "version": 1,
    "summary": "tosses coins",
    "designs": {"core": Coins(), "long": Coins("long", tosses=(10, 20))},
    "agents": {},
    "columns": {"side": str, "tosses": int},
}
METHODS = {
    "items": lambda self, design: (
        PlainItem.of("coins", str(cell), cell, 1.0, SimpleNamespace()) for cell in design.cells()
    ),
    "render": lambda self, item: item.prompt,
    "parse_reply": lambda self, factors, reply, truncated: Answer(float(reply)),
    "oracle": lambda self, asked: str(asked.truth),
    "measures": lambda self, records: [],
}


def made(**changes):
    parts = {**DATA, **METHODS, **changes}
    return type("CoinSuite", (Suite,), {k: v for k, v in parts.items() if v is not None})


@pytest.mark.parametrize("missing", DATA)
def test_a_class_that_does_not_say_what_it_is_is_refused(missing: str) -> None:
    with pytest.raises(TypeError, match=f"CoinSuite must say its name, .* got none for {missing}"):
        made(**{missing: None})


def test_a_class_reads_replies_or_holds_episodes() -> None:
    message = "CoinSuite must have one of parse_reply and open_episode"
    with pytest.raises(TypeError, match=message):
        made(parse_reply=None)
    with pytest.raises(TypeError, match=message):
        made(open_episode=lambda self, factors: None)
    assert made(parse_reply=None, open_episode=lambda self, factors: None)().multi_turn


@pytest.mark.parametrize("missing", ["items", "render", "oracle", "measures"])
def test_a_suite_without_a_required_method_is_not_made(missing: str) -> None:
    with pytest.raises(TypeError, match=f"abstract method '?{missing}"):
        made(**{missing: None})()


def test_what_is_left_out_has_a_default() -> None:
    coins = made()()
    first, *others = coins.items(coins.designs["core"])
    assert len(others) == 5
    assert repr(coins) == "<CoinSuite 'coins', version 1: 2 designs, 0 reference agents>"
    assert coins.record_columns == {"side": str, "tosses": int}
    assert isinstance(coins.open_episode(first.factors), OneTurn)
    assert coins.converse(first, lambda item, turn: coins.oracle(item)) == Answer(1.0)
    assert coins.is_correct(first, Answer(1.0))
    assert not coins.is_correct(first, Answer(0.0))
    assert coins.identity(first) == first.prompt
    assert coins.prompts_identify
    assert coins.grouping is None
    assert not any((coins.multi_turn, coins.parses_prompts, coins.draws_figures))
    assert (*coins.draw(first), *coins.self_tests(coins.designs["core"], 1)) == ()
    assert coins.costs == Costs()
    assert coins.budget("full") == Budget({"design": "core"}, "the default design of the suite")
    abilities = ("training", "study", "play", "comparison", "sums")
    assert not any(getattr(coins, name) for name in abilities)


def test_what_is_pooled_keeps_what_all_answers_share() -> None:
    coins = made(condition=("side", "tosses"))()
    rows = [{"side": "heads", "tosses": n, "agent": "a", "outcome": "scored"} for n in (1, 1)]
    assert (
        coins.pool(rows).select(["agent", "side", "tosses"]).to_pylist()
        == [{"agent": "", "side": "heads", "tosses": 1}] * 2
    )
    sides = made(condition=("side",))().pool([rows[0], {**rows[1], "side": "tails"}])
    assert sides["side"].to_pylist() == ["", ""]
    tossed = coins.pool([rows[0], {**rows[1], "tosses": 2}])
    assert tossed["tosses"].to_pylist() == [None, None]
    assert made(condition=("side",))().pool([]).num_rows == 0


def test_settings_are_converted_by_the_types_of_the_fields() -> None:
    coins = made()()
    assert coins.make_design({}) is coins.designs["core"]
    assert coins.make_design({"design": "long"}) is coins.designs["long"]
    changed = coins.make_design({"side": "tails", "tosses": "4,5", "bias": "0.25"})
    assert changed == Coins("core*", ("tails",), (4, 5), 0.25)
    assert coins.make_design({"tosses": [7, "8"], "name": "mine"}).tosses == (7, 8)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"design": "short"}, "design must be one of core, long, .* got 'short'"),
        ({"colour": "red"}, "a design takes design, name, side, tosses, bias, words, got 'colour'"),
        ({"tosses": "many"}, "tosses must be a whole number, got 'many'"),
        ({"bias": "high"}, "bias must be a number, got 'high'"),
        ({"side": "top"}, "side must be among heads, tails, edge, got 'top'"),
        ({"side": "heads,heads"}, "side must be one or more different levels"),
        ({"words": "odd"}, "words must be among plain, fancy, got 'odd'"),
    ],
)
def test_settings_that_cannot_be_met_are_refused(settings: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        made()().make_design(settings)


def test_a_field_that_cannot_be_converted_asks_for_a_method() -> None:
    @dataclass(frozen=True)
    class Odd(Crossing):
        sides: dict[str, int] = factor(None, "What cannot be read.")

    Odd.__annotations__["sides"] = dict[str, int]
    with pytest.raises(TypeError, match="give the suite a make_design of its own"):
        made(designs={"core": Odd()})().make_design({"sides": "a"})


def test_a_crossing_is_balanced_and_told_apart_by_all_that_decides_it() -> None:
    core = Coins()
    cells = list(core.cells())
    assert len(cells) == 6 == len({tuple(cell.values()) for cell in cells})
    assert core.block == 6
    assert core.summary == "side heads, tails x tosses 1, 2, 3"
    assert Coins("other").hash == core.hash
    told = type("Coins", (Coins,), {"texts": ("other words",)})
    assert len({core.hash, Coins(bias=0.25).hash, Coins(tosses=(1,)).hash, told().hash}) == 4


def test_settings_may_stand_in_a_part_of_a_design() -> None:
    made = get_suite("judge").make_design({"prior": "0.25", "leak": 0.2})
    plain = JUDGE_DESIGNS["core"].parameters
    assert (made.parameters.prior, made.parameters.leak) == (0.25, 0.2)
    assert made.parameters.strength == plain.strength
