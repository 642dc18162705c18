"""Guesses of analyze: every form can be filled in by lot, and nothing is known by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.guesses import guess_reply, guess_value
from whybench.suites.analyze.replies import parse_reply

NAMES = {role: f"column {role}" for role in "abcdefgh"}

SEEDS = st.integers(0, 2**32)


@pytest.mark.parametrize("challenge", CHALLENGES)
@given(seed=SEEDS)
def test_every_field_of_every_challenge_is_read(challenge: str, seed: int) -> None:
    fields = CHALLENGES[challenge].fields
    roles = {role for field in fields for role in getattr(field, "roles", ())}
    names = NAMES | {role: f"column {role}" for role in roles}
    reply = guess_reply(fields, names, np.random.default_rng(seed))
    said = parse_reply(reply, fields, names)
    assert not said.reason
    assert {name: value.reason for name, value in said.fields.items() if value.reason} == {}
    assert guess_reply(fields, names, np.random.default_rng(seed)) == reply


@given(seed=SEEDS)
def test_a_guess_fits_its_schema(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low, high = guess_value(
        {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}, rng
    )
    assert -1 <= low < high <= 1
    p = guess_value({"type": "number", "minimum": 0, "maximum": 1}, rng)
    assert 0 <= p <= 1
    columns = guess_value({"type": "array", "items": {"enum": ["x", "y"]}}, rng)
    assert len(set(columns)) == len(columns) <= 2
    assert guess_value({"enum": ["only"]}, rng) == "only"


def test_null_is_said_only_where_it_may_be() -> None:
    rng = np.random.default_rng(1)
    said = [guess_value({"type": ["number", "null"]}, rng) for _ in range(400)]
    assert 60 < said.count(None) < 140
    assert None not in [guess_value({"type": "number"}, rng) for _ in range(100)]


def test_a_schema_of_another_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="of a kind that fields have, got 'string'"):
        guess_value({"type": "string"}, np.random.default_rng(0))


def test_lapses_are_guesses_and_come_as_often_as_they_are_asked_for() -> None:
    items = [item for item in SUITE.items(SUITE.designs["core"]) if item.challenge == "simpson"]
    agent = SUITE.agent("competent")
    asked = [SUITE.open_episode(item.factors) for item in items]
    exact = [agent.reply(each, agent.settings({}), np.random.default_rng(0)) for each in asked]
    settings = agent.settings({"lapse": 0.25})
    changed = [
        agent.reply(each, settings, np.random.default_rng([place, seed])) != same
        for place, (each, same) in enumerate(zip(asked, exact, strict=True))
        for seed in range(60)
    ]
    assert np.mean(changed) == pytest.approx(0.25, abs=4 * (0.25 * 0.75 / len(changed)) ** 0.5)
    assert agent.noisy(settings)
    assert not agent.noisy(agent.settings({}))
