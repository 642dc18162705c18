from __future__ import annotations

import numpy as np
import pytest

from whybench.seeds import generator
from whybench.suites.calibration import simulate
from whybench.suites.contract import UserError
from whybench.suites.judge import SUITE
from whybench.suites.judge.design import DESIGNS


@pytest.fixture(scope="module")
def core():
    return list(SUITE.items(DESIGNS["core"]))


def measured(core, name: str, **settings):
    agent = SUITE.agent(name)
    found = simulate(SUITE, DESIGNS["core"], core, agent, settings)
    return {measure.name: measure for measure in found}


def test_noisy_or_explains_away_and_keeps_causes_apart(core) -> None:
    # By hand: VIII = .82/.92 = .891 -> 89, VI = .964/1.784 = .540 -> 54.
    found = measured(core, "noisy-or")
    assert found["explaining_away"].estimate == pytest.approx(0.89 - 0.54)
    assert found["markov_violation"].estimate == 0


def test_the_associative_agent_violates_the_markov_condition_by_rho(core) -> None:
    found = measured(core, "associative", rho=0.25, p=0.4)
    # By hand: P(C1|C2=1) = .4 + .25 * .6 = .55, P(C1|C2=0) = .4 * .75 = .30.
    assert found["markov_violation"].estimate == pytest.approx(0.25)
    assert measured(core, "associative", rho=0)["markov_violation"].estimate == 0


def test_the_anchored_agent_halves_everything(core) -> None:
    # Rounded 50 + (89.13 - 50)/2 = 70 and 50 + (54.04 - 50)/2 = 52.
    assert measured(core, "anchored-at-50")["explaining_away"].estimate == pytest.approx(
        0.70 - 0.52
    )


def test_the_extreme_agent_says_0_or_100_or_50_in_between(core) -> None:
    agent = SUITE.agent("extreme")
    said = {agent.reply(item, agent.settings({}), generator()) for item in core}
    assert said == {"0", "50", "100"}


def test_people_are_replayed_to_the_printed_digits(mirror) -> None:
    items = list(SUITE.items(DESIGNS["core"]))
    found = simulate(SUITE, DESIGNS["core"], items, SUITE.agent("human-rw17"), {})
    estimates = {measure.name: measure.estimate for measure in found}
    assert round(estimates["explaining_away"], 4) == 0.0995
    assert round(estimates["markov_violation"], 4) == 0.1004


def test_people_were_not_asked_about_symbols(mirror) -> None:
    item = next(iter(SUITE.items(DESIGNS["abstract"])))
    with pytest.raises(UserError, match="must be asked what people were asked .* got story=alnum"):
        SUITE.agent("human-rw17").reply(item, {}, generator())


@pytest.mark.parametrize("noise", [0.1, 0.4, 0.9])
def test_noise_keeps_the_mean(core, noise: float) -> None:
    agent = SUITE.agent("noisy-or")
    settings = agent.settings({"noise": noise})
    item = next(item for item in core if item.question.task == "XI")  # belief 1/6
    said = [float(agent.reply(item, settings, generator("mean", noise, k))) for k in range(4000)]
    error = 100 * noise * np.sqrt(1 / 6 * 5 / 6) / np.sqrt(4000)
    assert abs(np.mean(said) - 100 / 6) < 4 * error + 0.05
    assert np.std(said) == pytest.approx(100 * noise * np.sqrt(5 / 36), rel=0.1)


@pytest.mark.slow
def test_replies_follow_from_the_seed(core) -> None:
    one, two, other = (
        measured(core, "random", seed=seed)["explaining_away"].estimate for seed in (1, 1, 2)
    )
    assert one == two != other


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"q": 1}, "noisy-or has no parameter 'q'; it takes b, m1, m2, p, noise, lapse, seed"),
        ({"b": "much"}, r"noisy-or: b \(leak.*\) must be a number from 0.0 to 1.0, got 'much'"),
        ({"b": 1.2}, "must be a number from 0.0 to 1.0, got 1.2"),
        ({"b": float("nan")}, "must be a number from 0.0 to 1.0, got nan"),
        ({"seed": 1.5}, "must be a whole number from 0"),
        ({"seed": -1}, "must be a whole number from 0"),
    ],
)
def test_a_wrong_parameter_says_what_it_must_be(settings, message) -> None:
    with pytest.raises(UserError, match=message):
        SUITE.agent("noisy-or").settings(settings)


def test_an_unknown_agent_is_told_the_others() -> None:
    with pytest.raises(UserError, match="judge has no reference agent 'noisyor'; it has noisy-or,"):
        SUITE.agent("noisyor")
