from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.scm import Event, Query, probability
from whybench.seeds import generator
from whybench.suites.analyze.analysts import true_answer
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import Instance, NumericTruth, UnidentifiedTruth
from whybench.suites.analyze.challenges.hidden_cause import certify_bounds
from whybench.suites.analyze.estimators.regression import mean_difference, stratified_difference
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.prompts import story_of

CHALLENGE = CHALLENGES["unidentified"]
SEEDS = range(5)
SEEN = ("known", "treatment", "outcome")

# Half have each cause. Treated are 1/10 with neither, half with one, 9/10 with both; the outcome is
# more frequent by 0.3 with each, and by 0.2 if treated.
BY_HAND = {
    "decoy": 0.5,
    "treated": 0.5,
    "gain": 0.2,
    **{f"share_{role}": 0.5 for role in ("known", "hidden")},
    **{f"pull_{role}": 0.4 for role in ("known", "hidden")},
    **{f"shift_{role}": 0.3 for role in ("known", "hidden")},
}


def _draw(seed: int) -> dict[str, Instance]:
    return CHALLENGE.generate_twins("test", seed)


def _bounds(instance: Instance) -> tuple[NumericTruth, NumericTruth]:
    return instance.number("lower_bound"), instance.number("upper_bound")


def test_chances_are_chances() -> None:
    for seed in range(100):
        at = CHALLENGE.parameters("trap", generator("chances", seed))
        for role in ("treatment", "outcome"):
            table = CHALLENGE.world("trap", at).by_role[role].tabulate()
            assert 0.02 < table.min() < table.max() < 0.98


def test_the_effect_by_hand() -> None:
    found = {v: CHALLENGE.certify(v, BY_HAND)["estimate"].value for v in CHALLENGE.variants}
    assert found["trap"] == found["randomised"] == pytest.approx(0.2)
    # Among those without the known cause 0.1 and 0.5 are treated: of the treated 5/6 have the
    # hidden one, of the untreated 5/14; among those with it, 9/14 and 1/6. It is 10/21 in both.
    assert found["recorded"] == pytest.approx(0.2 + 0.3 * 10 / 21)


def test_the_bounds_by_hand() -> None:
    # The outcome's chances if treated are 0.3, 0.6, 0.6, 0.9, so 0.25 * (0.03 + 0.3 + 0.3 + 0.81)
    # are treated and have it: 0.36. Untreated it is 0.1, 0.4, 0.4, 0.7: 0.25 * (0.09 + 0.2 + 0.2 +
    # 0.07) = 0.14. At the least all of the treated would have it untreated: 0.36 - (0.14 + 0.5).
    for variant in ("trap", "recorded"):
        found = certify_bounds(variant, BY_HAND)
        assert found["lower_bound"].value == pytest.approx(-0.28)
        assert found["upper_bound"].value == pytest.approx(0.72)
    # By lot half of 0.6 and half of 0.4 have it.
    by_lot = certify_bounds("randomised", BY_HAND)
    assert by_lot["lower_bound"].value == pytest.approx(0.3 - 0.2 - 0.5)


@given(st.integers(0, 10_000))
def test_bounds_are_one_apart_and_hold_the_effect(seed: int) -> None:
    for variant in CHALLENGE.variants:
        at = CHALLENGE.parameters(variant, generator("bounds", seed))
        low, high = (float(found.value) for found in certify_bounds(variant, at).values())
        assert high - low == pytest.approx(1)
        assert low < float(CHALLENGE.certify(variant, at)["estimate"].value) < high


@given(st.lists(st.tuples(*[st.booleans()] * 3), min_size=1, max_size=30))
def test_whatever_was_not_seen_the_effect_on_rows_is_between_the_bounds(
    units: list[tuple[bool, bool, bool]],
) -> None:
    treatment, outcome, unseen = np.array(units, dtype=int).T
    treated = np.where(treatment == 1, outcome, unseen)
    untreated = np.where(treatment == 0, outcome, unseen)
    effect = float((treated - untreated).mean())
    upper = float((treatment == outcome).mean())
    assert upper - 1 - 1e-12 <= effect <= upper + 1e-12
    # And both ends can be.
    worst = np.where(treatment == 1, outcome - 1, -outcome).mean()
    best = np.where(treatment == 1, outcome, 1 - outcome).mean()
    assert [worst, best] == pytest.approx([upper - 1, upper])


@pytest.mark.parametrize("seed", SEEDS)
def test_twins_have_the_same_rows_or_the_same_marginals(seed: int) -> None:
    twins = _draw(seed)
    for role, values in twins["trap"].rows.items():
        assert np.array_equal(values, twins["recorded"].rows[role])
    at = twins["trap"].parameters
    models = {v: CHALLENGE.world(v, at) for v in CHALLENGE.variants}
    chances = {
        variant: [
            float(probability(world.model([r for r in world.by_role if r != "decoy"]), query))
            for query in (
                *(Query((Event(role, 1),)) for role in SEEN),
                *(
                    Query(tuple(map(Event, SEEN, map(int, values))))
                    for values in np.ndindex(2, 2, 2)
                ),
            )
        ]
        for variant, world in models.items()
    }
    assert chances["recorded"] == pytest.approx(chances["trap"])
    assert chances["randomised"][:3] == pytest.approx(chances["trap"][:3])


@pytest.mark.parametrize("seed", SEEDS)
def test_the_guarantee(seed: int) -> None:
    twins = _draw(seed)
    rows = twins["trap"].rows
    held = stratified_difference(rows["outcome"], rows["treatment"], rows["known"])
    true = float(CHALLENGE.certify("trap", twins["trap"].parameters)["estimate"].value)
    assert abs(held.value - true) >= 5 * held.se
    # The same number is right where nothing is hidden, and the plain difference is not.
    recorded = twins["recorded"].number("estimate")
    assert abs(held.value - recorded.value) < 4 * held.se
    crude = mean_difference(rows["outcome"], rows["treatment"]).value
    assert recorded.naive == {"difference": crude}
    assert abs(crude - recorded.value) >= 5 * recorded.se


@pytest.mark.parametrize("seed", SEEDS)
def test_null_and_bounds_pass_in_the_trap_alone(seed: int) -> None:
    for variant, twin in _draw(seed).items():
        lower, upper = (end.value for end in _bounds(twin))
        for interval in (None, (lower, upper)):
            said = {"recommendation": "not_identifiable", "estimate": None, "interval": interval}
            found = grade_values(CHALLENGE.report, twin, said)
            assert found.score == (1 if variant == "trap" else 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_an_estimate_with_its_interval_is_a_fall_in_the_trap_alone(seed: int) -> None:
    for variant, twin in _draw(seed).items():
        found = grade_values(CHALLENGE.report, twin, CHALLENGE.answer("naive", twin))
        assert found.fell_for == (variant == "trap")
        assert found.score == (0 if variant == "trap" else 1)


def test_the_true_answer_to_a_trap_has_bounds() -> None:
    trap = _draw(0)["trap"]
    truth = trap.truths["estimate"]
    assert isinstance(truth, UnidentifiedTruth)
    assert truth.bounds == _bounds(trap)
    answer = true_answer(trap)
    assert answer["estimate"] is None
    assert answer["interval"] == (answer["lower_bound"], answer["upper_bound"])
    assert answer["recommendation"] == "not_identifiable"


def test_the_text_alone_tells_the_variants_apart_and_not_by_its_length() -> None:
    longest = set()
    for setting in CHALLENGE.read_settings().values():
        twins = CHALLENGE.generate_twins("text", split=setting.split, setting=setting)
        designs = {variant: story_of(twin).design for variant, twin in twins.items()}
        assert len(set(designs.values())) == 3
        assert "{known}" in designs["trap"]
        assert "{known}" in designs["recorded"]
        longest.add(max(designs, key=lambda variant: len(designs[variant].split())))
    assert longest == set(CHALLENGE.variants)
