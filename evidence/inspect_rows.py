"""WhyBench in Inspect's own hands: ids, rows, headlines.

Ids begin with words for people and end with a few digits of a digest. That they are equal exactly
where prompt and truth are is looked at over a million items: of fixed sets all of them, of
generated worlds as many as time allows. Rows are those of Inspect's own data frames, of runs by
reference agents that ask few and many samples.
"""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.contract import Item

STREAMS: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("intervene", {"design": "advanced", "graphs": 60_000}, 400_000),
    ("compose", {"design": "long", "worlds": 1, "units": 3_840}, 130_000),
    ("compose", {"design": "core", "worlds": 512}, 360_000),
    ("compose", {"design": "full"}, 50_000),
    ("analyze", {"design": "core", "seeds": 20}, 600),
)
"""Suite, settings of a design with generated worlds, and how many of its items are looked at."""

SUITES = ("judge", "intervene", "compose", "calculate", "analyze")
MOST_COLUMNS = 60
FEW, MANY = 6, 384

AGENTS = {
    "judge": "noisy-or",
    "intervene": "recipe",
    "compose": "exact",
    "calculate": "sees-only",
    "analyze": "competent",
}


def _items(small: bool) -> Iterator[tuple[str, Item]]:
    from whybench.errors import UserError
    from whybench.suites.registry import get_suite

    for name in SUITES:
        suite = get_suite(name)
        for design in suite.designs.values():
            try:
                yield from ((name, item) for item in islice(suite.items(design), 20_000))
            except UserError:  # published data that were not fetched
                continue
            if small:
                break
    for name, settings, count in STREAMS:
        suite = get_suite(name)
        items = suite.items(suite.make_design(settings))
        yield from ((name, item) for item in islice(items, count // 50 if small else count))


def identity(small: bool) -> Iterator[Figure]:
    """Yield whether ids are equal exactly where prompts and truths are."""
    by_id: dict[str, bytes] = {}
    by_digest: dict[bytes, str] = {}
    clashes, looked_at = 0, Counter[str]()
    for name, item in _items(small):
        looked_at[name] += 1
        digest = item.digest.encode()
        clashes += by_id.setdefault(item.id, digest) != digest
        clashes += by_digest.setdefault(digest, item.id) != item.id
    counted = ", ".join(f"{count:,} of {name}" for name, count in looked_at.items())
    yield Figure(
        "ids are equal exactly where prompt and truth are",
        f"{clashes} clashes in {looked_at.total():,} items ({counted}), {len(by_id):,} different",
        clashes == 0 and looked_at.total() >= (20_000 if small else 1_000_000),
    )


def rows(small: bool) -> Iterator[Figure]:
    """Yield whether samples have the same columns however many there are, and headlines exist."""
    from inspect_ai.analysis import evals_df, samples_df

    import whybench as wb

    many = 24 if small else MANY
    found, headlines = [], []
    sound = True
    for suite in SUITES:
        with tempfile.TemporaryDirectory() as folder:
            columns = []
            for count in (FEW, many):
                logs = str(Path(folder) / str(count))
                design = "advanced" if suite == "intervene" else None
                agent = f"reference/{suite}.{AGENTS[suite]}"
                wb.run(suite, agent, design, limit=count, log_dir=logs, display="none")
                columns.append(list(samples_df(logs, quiet=True).columns))
                [run] = evals_df(logs, quiet=True).to_dict("records")
                value, error = run["score_headline_value"], run["score_headline_stderr"]
                shown = [math.nan if number is None else float(number) for number in (value, error)]
                headlines.append(f"{run['score_headline_metric']} {shown[0]:.3f} ± {shown[1]:.3f}")
                sound &= count == FEW or all(map(math.isfinite, shown))
        found.append(f"{suite} {len(columns[0])}")
        sound &= columns[0] == columns[1] and len(columns[0]) <= MOST_COLUMNS
    yield Figure(
        f"samples_df has the same columns at {FEW} and at {many} samples, {MOST_COLUMNS} at most, "
        "and every larger run a headline with a standard error",
        f"columns: {', '.join(found)}; headlines at {FEW} and {many}: {'; '.join(headlines)}",
        sound,
    )


PARTS: Parts = {"identity": identity, "rows": rows}
