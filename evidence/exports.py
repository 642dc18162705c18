"""Items to train on: how fast they are written, in how much memory, apart from every test.

Each suite's items are exported by the command itself, in a process of its own, twice in each
format. What was written is read again from the file, row by row, and held against every item of
every named design. Then prompts of tests are planted among prompts to train on and looked for.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts, figures_of
from evidence.processes import children_cpu, ended
from whybench.errors import DataError
from whybench.suites.registry import get_suite, own_suites
from whybench.training.contamination import search_texts
from whybench.training.corpora import Text
from whybench.training.fingerprints import ENOUGH, make_fingerprints
from whybench.training.items import get_training, training_items

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite

COUNTS = {"compose": 900_000, "intervene": 98_000, "analyze": 1_000, "calculate": 1_000}
"""Items of each suite, a million in all. Those of analyze are whole data sets, and those of
calculate are drawn until each is what its cell asks for."""

SMALL_COUNT = 64
"""So few cost less than to start Python, which is why bounds on speed are a hundredth then."""

ITEMS_A_SECOND = {"compose": 4_000, "intervene": 1_000, "analyze": 15, "calculate": 10}
"""Items a second of one core that each suite must reach, certified, worded and written."""

MEGABYTES = 400
"""The most memory that an export may take, Python and all."""


@dataclass(frozen=True)
class Written:
    """What one export came to.

    Attributes:
        said: What the command says of it.
        seconds: CPU seconds, imports and all.
        peak: The most memory it held, in MB.
    """

    said: dict[str, Any]
    seconds: float
    peak: float


def written(name: str, count: int, path: Path) -> Written:
    """Export so many items of a suite in a process of its own."""
    before = children_cpu()
    words = [sys.executable, "-c", "from whybench.cli import main; main()", "train", "export", name]
    with path.with_suffix(".said").open("w+b") as said:
        process = subprocess.Popen(
            [*words, "--count", str(count), "-o", str(path), "--json"], stdout=said
        )
        _, peak = ended(process)
        if process.returncode:
            raise RuntimeError(f"{words} must succeed, got status {process.returncode}")
        said.seek(0)
        return Written(json.loads(said.read()), children_cpu() - before, peak)


def of_tests(asked: AnySuite, most: int | None = None) -> tuple[set[str], set[str], int]:
    """Return the ids and the canonical worlds of test designs, and how many designs.

    Args:
        asked: The suite.
        most: Only so many designs, from the first; all if not said.
    """
    ids: set[str] = set()
    worlds: set[str] = set()
    designs = 0
    for design in islice(asked.designs.values(), most):
        try:
            for item in asked.items(design):
                ids.add(item.id)
                worlds.add(get_training(asked).world_key(item))
            designs += 1
        except DataError:  # published prompts that are not here
            continue
    return ids, worlds, designs


def apart(path: Path, asked: AnySuite, most: int | None = None) -> tuple[int, int, int, int]:
    """Return how many different ids a file has, and how many of its ids and worlds are of tests.

    The last number is that of test designs it was held against.
    """
    ids, worlds, designs = of_tests(asked, most)
    seen: set[str] = set()
    wrong_ids = wrong_worlds = 0
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            seen.add(row["id"])
            wrong_ids += row["id"] in ids
            wrong_worlds += row["world"] in worlds
    return len(seen), wrong_ids, wrong_worlds, designs


def exports(name: str, small: bool) -> Iterator[Figure]:
    """Yield speed, memory, disjointness and sameness of the exports of a suite.

    Parquet is packed and takes long; a tenth of the items are written to it.
    """
    count, tenth = (SMALL_COUNT, SMALL_COUNT) if small else (COUNTS[name], COUNTS[name] // 10)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "first.jsonl")
        first = written(name, count, path)
        different, wrong_ids, wrong_worlds, against = apart(
            path, get_suite(name), 1 if small else None
        )
        path.unlink()
        second = written(name, count, path)
        packed = [written(name, tenth, Path(folder, f"{place}.parquet")) for place in "ab"]
    rate, bound = count / first.seconds, ITEMS_A_SECOND[name] / (100 if small else 1)
    yield Figure(
        f"{name}: at least {bound:,g} items a second and core",
        f"{count:,} items, {first.said['bytes'] / 1e6:,.0f} MB of JSON lines: {rate:,.0f} a "
        f"second of CPU ({first.said['items_a_second']:,.0f} by the clock); "
        f"{tenth:,} to Parquet: {tenth / packed[0].seconds:,.0f}",
        rate >= bound,
        timed=True,
    )
    yield Figure(
        f"{name}: an export takes at most {MEGABYTES} MB of memory",
        f"{first.peak:.0f} MB for {count:,} items as JSON lines, {packed[0].peak:.0f} MB for "
        f"{tenth:,} as Parquet",
        max(one.peak for one in (first, second, *packed)) <= MEGABYTES,
    )
    yield Figure(
        f"{name}: no id twice, and no id and no world of any test design",
        f"{different:,} ids of {count:,} items; {wrong_ids} ids and {wrong_worlds} worlds of "
        f"{against} test designs",
        different == count and not wrong_ids and not wrong_worlds and against > 0,
    )
    digests = [one.said["sha256"] for one in (first, second, *packed)]
    yield Figure(
        f"{name}: two exports are the same bytes, as JSON lines and as Parquet",
        ", ".join(digest[:12] for digest in digests),
        digests[0] == digests[1] and digests[2] == digests[3],
    )


PLANTED = ("judge", "compose", "intervene")
"""Suites of which the small figures plant prompts."""


def contamination(small: bool) -> Iterator[Figure]:
    """Yield whether planted prompts of tests are found, and nothing else is."""
    chosen: list[tuple[AnySuite, Design]] = [
        (get_suite(name), design)
        for name in (PLANTED if small else own_suites())
        for design in get_suite(name).designs.values()
        if not small or design.name == "core"
    ]
    known = make_fingerprints(chosen)
    every = len(known.prompts) // (200 if small else 2000)
    sample = known.prompts[::every]
    whole = {prompt.item for prompt in sample if len(prompt.kept) >= ENOUGH}
    wanted = {prompt.item for prompt in sample}
    prompts = {
        item.id: one.render(item)
        for one, design in chosen
        if design.name not in {name.partition(" ")[2] for name in known.left_out}
        for item in one.items(design)
        if item.id in wanted
    }
    exact = search_texts((Text("", _disguised(text), "") for text in prompts.values()), known)
    found = {finding.item for finding in exact.findings if finding.found == "exact"}
    yield Figure(
        "every planted copy of a test's prompt is found, its white space and case changed and "
        "words around it",
        f"{len(wanted & found):,} of {len(wanted):,}, of {len(known.prompts):,} prompts of "
        f"{len(chosen)} designs",
        wanted <= found,
    )
    near = search_texts(
        (Text(item, _changed(text), "") for item, text in prompts.items() if item in whole), known
    )
    yield Figure(
        "with every fortieth word replaced, 99% of the prompts that say their world are found",
        f"{len(near.findings):,} of {len(whole):,}",
        len(near.findings) >= 0.99 * len(whole),
    )
    counts = {"compose": 200, "intervene": 200, "analyze": 10, "calculate": 10}
    clean = search_texts(
        (
            Text("", one.render(item), "")
            for one in {one.name: one for one, _ in chosen if one.training}.values()
            for item in islice(
                training_items(one, {}).take((2 if small else 20) * counts[one.name]), 0, None, 2
            )
        ),
        known,
    )
    yield Figure(
        "no prompt to train on, its canary taken off, is taken for a test's; all are seen as ours",
        f"{len(clean.findings)} of {clean.texts:,} taken for tests, "
        f"{sum(clean.counts.values()):,} seen as ours",
        not clean.findings and sum(clean.counts.values()) == clean.texts,
    )


def _disguised(text: str) -> str:
    return "Answer this.\n\n" + text.upper().replace(" ", "\n ") + "\n\nThank you very much."


def _changed(text: str) -> str:
    words = text.split()
    words[20::40] = ["something"] * len(words[20::40])
    return " ".join(words)


PARTS: Parts = {
    **{f"exports: {name}": partial(exports, name) for name in COUNTS},
    "contamination": contamination,
}

figures = partial(figures_of, PARTS)
