"""The figures of profiles and comparisons: a profile of the real model, differences recovered."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evidence import differences, page
from evidence.figures import Figure, Parts, figures_of
from evidence.profiles import real_profile
from whybench.suites.registry import get_suite, profiled_suites

if TYPE_CHECKING:
    from collections.abc import Iterator

MINUTES = 20

HEADLINES = {
    (name, measure) for name in profiled_suites("small") for measure in get_suite(name).headline
}


def real(small: bool) -> Iterator[Figure]:
    """Yield what a small profile of the real model takes; small, of one suite and without time."""
    if small:
        options, kill_after, a_sample = ["--suite", "judge"], 40, 1
    else:
        options, kill_after, a_sample = [], 400, 8
    found = real_profile(options, kill_after, a_sample)
    expected = {pair for pair in HEADLINES if not small or pair[0] == "judge"}
    if not small:
        yield Figure(
            f"`whybench profile --budget small` of the real model takes at most {MINUTES} minutes, "
            "though killed by force in the middle",
            f"{found.seconds / 60:.1f} minutes, {found.processor / 60:.1f} of a processor; "
            f"{found.calls} calls; {found.outcomes}",
            found.seconds <= MINUTES * 60,
            timed=True,
        )
    yield Figure(
        "the profile has the headlines of every suite, records and page",
        f"{', '.join(' '.join(pair) for pair in found.headlines)}; {', '.join(found.files)}",
        {*found.headlines} == expected and "page.html" in found.files,
    )
    repeated = found.calls - found.replies
    yield Figure(
        "run again it resumes, and repeats only calls in flight or not yet written: at most "
        f"{found.allowed}",
        f"killed after {found.killed_at} calls; {found.calls} calls for {found.replies} replies, "
        f"{repeated} repeated",
        0 <= repeated <= found.allowed and found.killed_at < found.replies,
    )
    yield Figure(
        "a finished profile makes no call",
        f"{found.calls_once_more} calls",
        found.calls_once_more == 0,
    )


PARTS: Parts = {
    **differences.PARTS,
    "real": real,
    **page.PARTS,
}

figures = partial(figures_of, PARTS)
