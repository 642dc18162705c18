"""The default and the full validation of a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.altered import altered

from whybench.suites.contract import Check
from whybench.suites.judge import SUITE
from whybench.suites.validation import (
    MAX_ANSWERS,
    check_samples,
    count_answers,
    describe_samples,
    sample_designs,
)

if TYPE_CHECKING:
    import pytest

DESIGNS = [SUITE.designs["core"], SUITE.designs["chain"]]


def test_sample_is_the_first_whole_blocks_of_each_design() -> None:
    suite = altered(SUITE, validated_items=260)
    samples = sample_designs(suite, DESIGNS)
    assert [len(sample.items) for sample in samples] == [120, 120]  # blocks of 60 and 24
    ids = [item.id for item in SUITE.items(DESIGNS[0])]
    assert [item.id for item in samples[0].items] == ids[:120]
    assert describe_samples(samples) == "sample of 240 of 528 items"


def test_sample_smaller_than_a_block_leaves_out_the_checks_of_blocks() -> None:
    samples = sample_designs(altered(SUITE, validated_items=20), DESIGNS)
    assert [len(sample.items) for sample in samples] == [10, 10]
    results = [result for _, result in check_samples(SUITE, samples)]
    assert all(result.passed for result in results)
    assert not any(r.applies for r in results if r.name == "blocks are balanced")


def test_full_validation_has_all_items_and_runs_costly_checks() -> None:
    suite = altered(SUITE, checks={"never right": Check(lambda _: ["wrong"], costly=True)})
    design = SUITE.designs["chain"]
    for full, expected in ((False, (0, False)), (True, (1, True))):
        samples = sample_designs(suite, [design], full=full)
        results = [result for _, result in check_samples(suite, samples, full=full)]
        (own,) = (result for result in results if result.name == "never right")
        assert (own.problems, own.applies) == expected
    assert samples[0].whole
    assert describe_samples(samples) == "exhaustive: 288 items"


def test_items_made_differently_elsewhere_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "whybench.suites.validation.remake_designs", lambda *_: {"core": "another digest"}
    )
    samples = sample_designs(altered(SUITE, validated_items=10), DESIGNS[:1])
    results = {result.name: result for _, result in check_samples(SUITE, samples)}
    assert results["same items again"].examples == (
        "another process makes other items: another digest",
    )


def test_answers_are_counted_up_to_the_most_that_are_measured() -> None:
    assert count_answers(SUITE, SUITE.designs["core"], 2) % 240 == 0
    assert count_answers(SUITE, SUITE.designs["full"], 200) == MAX_ANSWERS + 1
