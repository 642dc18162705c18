"""What a plan says before the first call."""

from __future__ import annotations

from whybench import list_suites, plan


def test_a_suite_recommends_a_temperature_where_none_is_set() -> None:
    planned = plan("judge", limit=20)
    said = planned.recommend_temperature("openai/gpt-4o")
    assert said.startswith("temperature is not set; recommended for judge: 0, as in the paper")
    assert planned.recommend_temperature("openai/gpt-4o", {"temperature": 0}) == ""
    assert planned.recommend_temperature("reference/judge.noisy-or") == ""


def test_every_suite_recommends_a_temperature() -> None:
    assert all(suite.costs.temperature for suite in list_suites().values())
