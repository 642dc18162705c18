from __future__ import annotations

import numpy as np
import pytest

from whybench.suites.judge.fitted_models import fit_agents, fits_table
from whybench_papers.dettki2025.replies import published_records


def test_two_strengths_are_told_apart_where_the_winner_does(mirror) -> None:
    records = published_records("core", ("direct",))
    agent = "published/claude-3-5-haiku-20241022"
    mine = records.filter([name == agent for name in records["agent"].to_pylist()])
    (row,) = fits_table(mine).to_pylist()
    assert row["parameters"] == 4
    assert row["strength_1"] < row["strength_2"]
    assert row["strength"] == pytest.approx((row["strength_1"] + row["strength_2"]) / 2)


def test_criteria_say_how_many_parameters_they_would_choose(mirror) -> None:
    records = published_records("core", ("direct",))
    rows = fits_table(records).to_pylist()
    assert {row["bic_parameters"] for row in rows} == {3, 4}
    for model, row in zip(fit_agents(records, 0), rows, strict=True):
        own = model.criteria[row["parameters"]]
        assert (row["aic"], row["bic"]) == (own["aic"], own["bic"])
        assert row["aic"] - row["bic"] == pytest.approx(
            row["parameters"] * (2 - np.log(row["n"])), abs=1e-6
        )
        for name in ("aic", "bic"):
            assert model.criteria[row[f"{name}_parameters"]][name] <= own[name]
