"""Slots lie evenly in time, for one process or several."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.evaluation.quotas import MARGIN, FileRateLimiter, RateLimiter


def test_slots_follow_each_other_at_the_rate():
    pace = RateLimiter(10)
    waits = [pace.reserve(now=100.0) for _ in range(5)]
    assert waits == pytest.approx([0, 0.1 * MARGIN, 0.2 * MARGIN, 0.3 * MARGIN, 0.4 * MARGIN])


def test_time_that_passed_unused_is_not_made_up_for():
    pace = RateLimiter(10)
    pace.reserve(now=100.0)
    assert pace.reserve(now=200.0) == 0
    assert pace.reserve(now=200.0) == pytest.approx(0.1 * MARGIN)


@given(
    rate=st.floats(0.5, 100),
    pauses=st.lists(st.floats(0, 2), min_size=1, max_size=200),
)
def test_no_window_has_more_slots_than_the_quota(rate, pauses):
    pace, now, slots = RateLimiter(rate), 1000.0, []
    for pause in pauses:
        now += pause
        slots.append(now + pace.reserve(now))
    for place, first in enumerate(slots):
        within = sum(slot < first + 10 for slot in slots[place:])
        assert within <= rate * 10 / MARGIN + 1 + 1e-6


def test_processes_share_slots_through_a_file(tmp_path):
    paces = [FileRateLimiter(tmp_path / "openai.pace", 1000) for _ in range(4)]

    def take(pace):
        return [asyncio.run(pace.reserve()) for _ in range(25)]

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(take, paces))
    first = float((tmp_path / "openai.pace").read_text())
    asyncio.run(paces[0].reserve())
    assert float((tmp_path / "openai.pace").read_text()) - first >= 0.001 * MARGIN - 1e-6


def test_a_hundred_slots_take_their_time(tmp_path):
    pace = FileRateLimiter(tmp_path / "openai.pace", 10)
    waits = [asyncio.run(pace.reserve()) for _ in range(100)]
    assert waits[-1] == pytest.approx(9.9 * MARGIN, abs=2.0)
    assert waits == sorted(waits)
