"""Stated samples of rows: which rows, the key recomputed on them, and when there are too few."""

from __future__ import annotations

import csv
import io
import re
import warnings
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.records.table import record_table
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.checks import CHECKS
from whybench.suites.analyze.design import DESIGNS, make_design
from whybench.suites.analyze.estimators.regression import mean_difference
from whybench.suites.analyze.items import analyze_items, full_instance, instance_from_factors
from whybench.suites.analyze.samples import check_row_count, sample_rows
from whybench.suites.contract import UserError

EASY = ("mediator_confounding", "direction", "structure", "moderation")
"""Challenges whose statistics are defined on very few rows."""


DIRECT = {"protocol": "direct"}


def lines(instance) -> list[tuple]:
    return list(zip(*(values.tolist() for values in instance.rows.values()), strict=True))


@given(st.sampled_from(EASY), st.integers(12, 200), st.integers(0, 200))
def test_samples_are_nested_and_keep_the_order(challenge: str, few: int, more: int) -> None:
    whole = full_instance(challenge, "trap", 8)
    small, large = lines(sample_rows(whole, few)), lines(sample_rows(whole, few + more))
    assert (len(small), len(large)) == (few, few + more)
    places = iter(lines(whole))
    assert all(line in places for line in large)
    places = iter(large)
    assert all(line in places for line in small)


def test_which_rows_are_shown_is_left_to_chance() -> None:
    # Weeks stand in order, so that the first rows would all be of the first week.
    weeks = sample_rows(full_instance("temporal", "trap", 8), 100).rows["week"]
    last = full_instance("temporal", "trap", 8).rows["week"].max()
    assert np.all(np.diff(weeks) >= 0)
    assert abs(weeks.mean() - (1 + last) / 2) < 4 * last / np.sqrt(12 * 100)


def test_the_key_is_that_of_the_rows_shown() -> None:
    found = sample_rows(full_instance("simpson", "trap", 8), 200)
    rows = [dict(zip(found.rows, line, strict=True)) for line in lines(found)]

    def share(**given: int) -> float:
        return fmean(
            row["outcome"] for row in rows if all(row[name] == at for name, at in given.items())
        )

    crude = share(treatment=1) - share(treatment=0)
    adjusted = sum(
        (share(treatment=1, stratum=s) - share(treatment=0, stratum=s))
        * sum(row["stratum"] == s for row in rows)
        for s in (0, 1)
    ) / len(rows)
    effect, before = (
        found.number("estimate"),
        full_instance("simpson", "trap", 8).number("estimate"),
    )
    assert effect.naive["crude difference"] == pytest.approx(crude, abs=1e-12)
    assert effect.panel["standardisation"].value == pytest.approx(adjusted, abs=1e-12)
    assert effect.value == before.value
    assert 2 * before.se < effect.se


def test_twins_of_the_same_rows_have_the_same_sample() -> None:
    trap, control = (full_instance("simpson", variant, 8) for variant in ("trap", "post_treatment"))
    assert lines(trap) == lines(control)
    assert lines(sample_rows(trap, 60)) == lines(sample_rows(control, 60))


@pytest.mark.parametrize("challenge", CHALLENGES)
def test_every_challenge_can_be_examined_on_fewer_rows(challenge: str) -> None:
    for variant in CHALLENGES[challenge].variants:
        whole = full_instance(challenge, variant, 8)
        found = sample_rows(whole, 1200)
        assert (found.size, found.full_size, found.variant) == (1200, whole.size, variant)
        for name, truth in found.numbers().items():
            assert truth.value == whole.numbers()[name].value
            assert list(truth.references) == list(whole.numbers()[name].references)
            assert truth.se > 0


def test_a_sample_of_all_rows_is_the_data_set_itself() -> None:
    whole = full_instance("simpson", "trap", 8)
    assert sample_rows(whole, whole.size) is whole
    assert sample_rows(whole, whole.size + 1) is whole
    assert sample_rows(whole, whole.size - 1).full_size == whole.size


def test_the_prompt_says_that_it_is_a_sample() -> None:
    (item, *_) = analyze_items(
        make_design({"challenge": "moderation", "seeds": 1, **DIRECT, "rows": 50})
    )
    whole = full_instance("moderation", "trap", item.draw)
    assert f"have {whole.size} rows" in item.prompt
    assert "a random sample of 50 rows" in item.prompt
    assert "All of them" not in item.prompt
    shown = list(csv.reader(io.StringIO(item.prompt.rpartition("\n\n")[2])))[1:]
    assert [tuple(map(float, row)) for row in shown] == lines(item.instance)


def test_designs_without_a_sample_are_what_they_were() -> None:
    assert DESIGNS["core"].hash == "24b16bf7c9a62786"
    assert next(iter(analyze_items(DESIGNS["core"]))).digest == "analyze-d390d30f311ef5baeff8"
    assert make_design({"rows": "all"}).hash == make_design({"rows": 0}).hash == "24b16bf7c9a62786"
    hashes = {rows: make_design({**DIRECT, "rows": rows}).hash for rows in (0, 60, 61)}
    assert len({*hashes.values(), DESIGNS["core"].hash}) == 4
    assert "direct on 60 rows;" in make_design({**DIRECT, "rows": "60"}).summary
    assert make_design({"rows": 60}) == make_design({**DIRECT, "rows": 60})


def test_factors_give_the_sample_back() -> None:
    (item, *_) = analyze_items(
        make_design({"challenge": "structure", "seeds": 1, **DIRECT, "rows": 30})
    )
    assert lines(instance_from_factors(item.factors)) == lines(item.instance)


def test_gold_gets_full_marks_on_samples_and_checks_look_at_all_rows() -> None:
    items = list(analyze_items(make_design({"challenge": EASY, "seeds": 2, **DIRECT, "rows": 40})))
    for item in items:
        episode = SUITE.open_episode(item.factors)
        while not episode.over:
            episode.hear(SUITE.oracle(episode), truncated=False)
        assert (episode.answer.value, episode.answer.parts["diagnosis"]) == (1.0, 1.0)
    # Forty rows do not show every trap; all rows do.
    assert any(
        CHALLENGES[item.challenge].has_trap(item.instance) != (item.variant == "trap")
        for item in items
    )
    assert not [wrong for check in CHECKS.values() for wrong in check.problems(check.select(items))]


def test_too_few_rows_are_refused_with_the_name_of_the_file_that_asks_for_them(tmp_path) -> None:
    file = tmp_path / "few.yaml"
    file.write_text("challenge: simpson\nprotocol: direct\nrows: 4\nseeds: 2\n")
    with pytest.raises(UserError, match=r"few\.yaml: rows must be at least \d+ for simpson"):
        SUITE.make_design({"design": str(file)})


def test_too_few_rows_are_refused_by_the_least_number_that_will_do() -> None:
    whole = full_instance("simpson", "trap", 8)
    with pytest.raises(UserError, match=r"rows must be at least (\d+) for simpson.*got 4") as error:
        sample_rows(whole, 4)
    least = int(str(error.value).split()[5])
    few = sample_rows(whole, least)
    cells = {(row[1], row[2]) for row in lines(few)}
    assert cells == {(stratum, treated) for stratum in (0, 1) for treated in (0, 1)}
    with pytest.raises(UserError, match=f"at least {least} for simpson"):
        sample_rows(whole, least - 1)
    assert mean_difference(few.rows["outcome"], few.rows["treatment"]).se > 0


def test_a_warning_that_is_not_of_numbers_stays_a_warning(monkeypatch) -> None:
    # As of something that is collected while a sample is drawn, and was never closed.
    simpson = CHALLENGES["simpson"]

    def competent(instance):
        warnings.warn("unclosed", ResourceWarning, stacklevel=1)
        return simpson.competent(instance)

    monkeypatch.setitem(CHALLENGES, "simpson", replace(simpson, competent=competent))
    with pytest.warns(ResourceWarning, match="unclosed"):
        assert sample_rows(full_instance("simpson", "trap", 8), 200).size == 200


def test_a_design_says_at_once_what_each_challenge_takes() -> None:
    several = {"challenge": "simpson,moderation,population", "seeds": 2, **DIRECT}
    design = make_design({**several, "rows": 5})
    with pytest.raises(UserError) as error:
        next(iter(analyze_items(design)))
    said = str(error.value)
    needed = {name: int(rows) for rows, name in re.findall(r"(\d+) for (\w+)", said)}
    assert set(needed) == {"simpson", "moderation", "population"}
    for name, rows in needed.items():
        enough = make_design({"challenge": name, "seeds": 2, **DIRECT, "rows": rows})
        assert len(list(analyze_items(enough))) == 4
        check_row_count([item.instance for item in analyze_items(enough)], rows)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"rows": -1}, "rows must be all, or 1 or more, got -1"),
        ({"rows": "some"}, "rows must be a whole number, got 'some'"),
        ({"rows": 60, "protocol": "code"}, "rows must be all where programs read them"),
        ({"rows": 60, "protocol": "agentic"}, "got 60 with agentic; samples are for protocol="),
        ({"rows": 60, "protocol": "direct,code"}, "got 60 with direct, code; samples are for"),
    ],
)
def test_what_is_no_sample_is_refused(settings: dict, words: str) -> None:
    with pytest.raises(UserError, match=words):
        make_design(settings)


def test_measures_of_samples_say_so() -> None:
    def measured(**settings: object) -> set[bool]:
        design = make_design({"challenge": "structure", "seeds": 1, **DIRECT, **settings})
        about = {"agent": "a", "design": design.name, "design_hash": design.hash, "epoch": 1}
        answers = {"outcome": "scored", "reason": "", "value": 1.0, "truth": 1.0}
        rows = [{**item.factors, **about, **answers} for item in analyze_items(design)]
        table = record_table(rows, SUITE.record_columns)
        return {"sampled_rows" in measure.flags for measure in SUITE.measures(table)}

    assert measured(rows=30) == {True}
    assert measured() == {False}
