"""The frozen rows of this package; see `tests.frozen`.

Prompts and replies that a paper published without a license are here as digests only.
"""

from __future__ import annotations

import csv
import hashlib
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow.compute as pc
from tests.frozen.sections import (
    FITTED,
    ITEM,
    MEASURE,
    READING,
    Section,
    item_rows,
    measured_row,
    read_reply,
    reading_row,
)

from whybench.datasets import data_path
from whybench.suites.registry import list_baselines
from whybench_papers.datasets import SOURCES
from whybench_papers.dettki2025 import SUITE
from whybench_papers.dettki2025.items import NAME
from whybench_papers.dettki2025.replies import parse_by_recipe
from whybench_papers.replication import get_replication

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.frozen.sections import Row

PUBLISHED_AGENTS = (
    "published/claude-3-opus",
    "published/gemini-2.5-pro[temperature=0.7]",
    "published/gpt-4o",
    "published/gpt-5-nano-v_low-r_minimal",
    "published/o3-mini",
)

REPLIES = "data/output_llm/"
EVERY_REPLY = 210
"""Of the 62,880 published replies, every 210th is read."""

RESAMPLES = 50
MOST_ROWS = 40
"""The most rows of a table that are frozen; of a longer one every k-th row."""


def reading_rows() -> Iterator[Row]:
    """Yield the readings of published replies by our reader and by the paper's recipe."""
    for path, number, reply in islice(_published_replies(), 0, None, EVERY_REPLY):
        style = "cot" if "_cot_" in path.lower() else "direct"
        digest = hashlib.sha256(reply.encode()).hexdigest()[:16]
        where = f"{path.removeprefix(REPLIES)} {number}"
        found = reading_row(where, style, digest, read_reply(SUITE, {"style": style}, reply))
        yield {**found, "by_recipe": parse_by_recipe(reply)}


def _published_replies() -> Iterator[tuple[str, int, str]]:
    csv.field_size_limit(10**7)
    for path in sorted(SOURCES[NAME].files):
        if path.startswith(REPLIES):
            with data_path(NAME, path).open(encoding="utf-8-sig", newline="") as lines:
                for number, row in enumerate(csv.DictReader(lines, delimiter=";")):
                    yield path, number, row["response"]


def agent_rows() -> Iterator[Row]:
    """Yield the measures of some published models."""
    published = list_baselines(SUITE)["published"]()
    for who in PUBLISHED_AGENTS:
        table = published.filter(pc.equal(published["agent"], who))
        for measure in SUITE.measures(table):
            yield {"agent": who, "design": measure.labels["design"], **measured_row(measure)}


def replication_rows(name: str) -> Iterator[Row]:
    """Yield rows of the recomputed tables of a paper: all, or every k-th."""
    for table, rows in get_replication(name).tables(RESAMPLES).items():
        step = -(-len(rows) // MOST_ROWS)
        yield {"table": table, "row": -1, "rows": len(rows), "held_is_every": step}
        for number in range(0, len(rows), step):
            row = {key: value for key, value in rows[number].items() if key != "design_hash"}
            yield {**row, "table": table, "row": number}


SECTIONS = (
    *(
        Section(f"{name}-items", partial(item_rows, name), ITEM, needs_data=True)
        for name in (NAME, "feng2025", "du2025")
    ),
    Section(f"{NAME}-readings", reading_rows, READING, needs_data=True),
    Section(f"{NAME}-measures", agent_rows, MEASURE, needs_data=True, **FITTED),
    *(
        Section(
            f"{name}-replication",
            partial(replication_rows, name),
            ("table", "row"),
            needs_data=True,
            **FITTED,
        )
        for name in (NAME, "du2025")
    ),
)
