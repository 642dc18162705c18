from __future__ import annotations

import numpy as np
import pytest
from evidence.fits import QUESTIONS, TASKS

from whybench.fits import (
    COLLIDER_3,
    COLLIDER_4,
    Judgments,
    Predictor,
    choose_scheme,
    cross_validate,
    fit,
    folds,
)
from whybench.fits.nets import make_predictor
from whybench.seeds import generator


def random_data(problems: int, questions: int) -> Judgments:
    rng = generator("tests", "validation", problems, questions)
    means = rng.uniform(0.1, 0.9, (problems, questions))
    counts = rng.integers(5, 25, means.shape).astype(float)
    return Judgments(tuple(map(str, range(problems))), counts, means, means)


@pytest.mark.parametrize("hold_out", ["task", "class"])
@pytest.mark.parametrize("table", [TASKS, QUESTIONS], ids=["tasks", "questions"])
def test_held_out_questions_are_predicted_by_fits_that_did_not_see_them(table, hold_out):
    data = random_data(3, len(table))
    found = cross_validate(table, COLLIDER_3, data, hold_out)
    for part in folds(Predictor(table, COLLIDER_3), hold_out):
        counts = data.counts.copy()
        counts[:, part] = 0
        seen = fit(table, COLLIDER_3, Judgments(data.labels, counts, data.means, data.squares))
        np.testing.assert_allclose(found.predictions[:, part], seen.predictions[:, part], atol=1e-5)
    error = data.means - found.predictions
    spread = data.means - data.means.mean(axis=1, keepdims=True)
    r2 = 1 - (error**2).sum(axis=1) / (spread**2).sum(axis=1)
    np.testing.assert_allclose(found.r2, r2)
    np.testing.assert_allclose(found.rmse, np.sqrt((error**2).mean(axis=1)))
    assert found.method == f"leave-one-{hold_out}-out, R² over question means"


@pytest.mark.parametrize("hold_out", ["task", "class"])
def test_what_is_remembered_is_what_is_fitted_to_the_bit(hold_out, monkeypatch):
    data = random_data(4, len(TASKS))
    make_predictor(TASKS, COLLIDER_4).remembered.clear()
    alone = [
        cross_validate(TASKS, COLLIDER_4, data.select([place]), hold_out) for place in range(4)
    ]
    monkeypatch.setattr("whybench.fits.validation.search", None)  # nothing is left to be fitted
    again = cross_validate(TASKS, COLLIDER_4, data.select([2, 0, 3, 1, 0]), hold_out)
    monkeypatch.undo()
    make_predictor(TASKS, COLLIDER_4).remembered.clear()
    together = cross_validate(TASKS, COLLIDER_4, data.select([2, 0, 3, 1, 0]), hold_out)
    for row, place in enumerate([2, 0, 3, 1, 0]):
        assert np.array_equal(again.predictions[row], alone[place].predictions[0])
        assert np.array_equal(again.predictions[row], together.predictions[row])
    assert again.flags == together.flags


@pytest.mark.slow
def test_held_out_answers_do_not_leak():
    data = random_data(4, 11)
    found = cross_validate(TASKS, COLLIDER_4, data, "class")
    for part in folds(Predictor(TASKS, COLLIDER_4), "class"):
        means = data.means.copy()
        means[:, part] = 1 - means[:, part]
        other = Judgments(data.labels, data.counts, means, data.squares)
        moved = cross_validate(TASKS, COLLIDER_4, other, "class")
        np.testing.assert_array_equal(found.predictions[:, part], moved.predictions[:, part])


def test_a_true_model_predicts_what_it_has_not_seen():
    truth = np.array([[0.5], [0.2], [0.7]])
    means = Predictor(TASKS, COLLIDER_3).predict(truth).T
    data = Judgments(("true",), np.full((1, 11), 20.0), means, means**2)
    validations = [cross_validate(TASKS, scheme, data) for scheme in (COLLIDER_4, COLLIDER_3)]
    assert min(one.r2[0] for one in validations) > 1 - 1e-9
    assert validations[0].flags == ((),)


def test_the_larger_r2_wins_and_of_equals_the_simpler():
    data = random_data(40, 11)
    three, four = (cross_validate(TASKS, scheme, data) for scheme in (COLLIDER_3, COLLIDER_4))
    winners = [choice.winner for choice in choose_scheme([four, three])]
    expected = np.where(four.r2 > three.r2, "noisy-or-4", "noisy-or-3").tolist()
    assert winners == expected
    assert len(set(winners)) == 2
    flat = Judgments(("flat",), *np.stack([np.full((1, 11), x) for x in (9.0, 0.5, 0.25)]))
    tied = [cross_validate(TASKS, scheme, flat) for scheme in (COLLIDER_4, COLLIDER_3)]
    assert choose_scheme(tied)[0].winner == "noisy-or-3"


def test_without_answers_nobody_wins():
    nothing = Judgments(("none",), *np.zeros((3, 1, 11)))
    found = cross_validate(TASKS, COLLIDER_3, nothing)
    assert np.isnan(found.r2[0])
    assert found.flags == (("small_n", "underdetermined"),)
    assert choose_scheme([found])[0].winner is None


def test_choices_are_checked():
    with pytest.raises(ValueError, match="validations must be at least one"):
        choose_scheme([])
    data = random_data(3, 11)
    task, by_class = (cross_validate(TASKS, COLLIDER_3, data, x) for x in ("task", "class"))
    with pytest.raises(ValueError, match="of the same problems and folds"):
        choose_scheme([task, by_class])
