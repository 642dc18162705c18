"""What docs/errata/field.md says of other benchmarks, recomputed.

One part for each command that the page names. The figures are those of the page's own tables: they
are read from it and held against the audit. At full size every item of every file is examined,
which takes minutes; at small size the first items of each file, whose verdicts must be among those
of the page, and whose answers a third calculation must give too.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evidence import field_cladder
from evidence.field_worlds import answer_prompt
from evidence.figures import Figure, Parts, figures_of
from whybench.datasets import file_state
from whybench_papers.audits import find_folder, get_audit
from whybench_papers.audits.rlcausal.prompts import parse_prompt
from whybench_papers.audits.rlcausal.verdicts import Examiner, KeyFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PAGE = Path(__file__).parents[1] / "docs" / "errata" / "field.md"

COLUMNS = {
    "seeing, v2": "data/rl/observational_distribution/test_n10v2.parquet",
    "seeing, v3": "data/rl/observational_distribution/test_n10v3.parquet",
    "doing, v2": "data/rl/interventional_distribution/test_n10v2.parquet",
    "doing, v3": "data/rl/interventional_distribution/test_n10v3.parquet",
    "imagining, v2": "data/rl/counterfactual_distribution/test_n10v2.parquet",
}
"""The columns of the page's tables on RLCausal, and their files."""

FEW = 40
"""How many items of each file are examined at small size: those of its first world."""

SAMPLE = 60
"""How many items of each file are calculated a third time at full size."""


def fetched() -> bool:
    """Say whether the files are at hand, without a download."""
    audit = get_audit("rlcausal")
    return all(file_state(audit.name, file) != "not fetched" for file in audit.files)


def read_table(head: str) -> dict[str, dict[str, str]]:
    """Return a table of the page whose first column has this name: rows by it, then columns."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith(f"| {head} |"))
    names = [word.strip() for word in lines[start].strip("|").split("|")]
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        words = [word.strip() for word in line.strip("|").split("|")]
        found[words[0]] = dict(zip(names[1:], words[1:], strict=True))
    return found


def _number(text: str) -> int:
    return int(text.replace(",", "") or 0) if text != "–" else 0


@cache
def _findings(limit: int | None) -> list[KeyFinding]:
    audit = get_audit("rlcausal")
    found = audit.examine(find_folder(audit, audit.files), tuple(audit.files), limit)
    return [finding for finding in found if isinstance(finding, KeyFinding)]


@cache
def _rows(file: str) -> list[dict[str, Any]]:
    import pyarrow.parquet as pq

    audit = get_audit("rlcausal")
    rows: list[dict[str, Any]] = pq.read_table(find_folder(audit, [file]) / file).to_pylist()
    return rows


def _differing(told: Mapping[str, int], found: Mapping[str, int]) -> str:
    names = [name for name in {**told, **found} if told.get(name, 0) != found.get(name, 0)]
    return ", ".join(f"{name}: {told.get(name, 0)} / {found.get(name, 0)}" for name in names)


def _verdicts(small: bool) -> Iterator[Figure]:
    table = read_table("reason")
    findings = _findings(FEW if small else None)
    for column, file in COLUMNS.items():
        here = [finding for finding in findings if finding.file == file]
        found = Counter(finding.reason for finding in here)
        told = {reason: _number(row[column]) for reason, row in table.items()}
        verdicts = {finding.reason: finding.verdict for finding in here}
        same = all(
            table[reason]["verdict"] == verdicts[reason] for reason in found if reason in told
        )
        if small:
            holds = set(found) <= {reason for reason, count in told.items() if count} and same
            measured = f"of the first {len(here)}: {dict(found)}"
        else:
            holds = dict(found) == {name: count for name, count in told.items() if count} and same
            measured = _differing(told, found) or f"{len(here):,} items, as the page says"
        yield Figure(f"{column}: as many of each verdict and reason as told", measured, holds)


def _readers(small: bool) -> Iterator[Figure]:
    table = read_table("fails")
    findings = _findings(FEW if small else None)
    for column, file in COLUMNS.items():
        here = [finding for finding in findings if finding.file == file]
        found = {
            "two digits": sum(not finding.rounded_passes for finding in here),
            "two digits, rule without rounding errors": sum(not one.exact_rule for one in here),
            "all digits": sum(not finding.exact_passes for finding in here),
        }
        told = {name: _number(table[name][column]) for name in found}
        holds = all(found[name] <= told[name] for name in found) if small else found == told
        measured = f"{found} of {len(here):,}"
        yield Figure(
            f"{column}: a perfect reader fails the source's rule as often as told", measured, holds
        )


def _third(small: bool) -> Iterator[Figure]:
    for column, file in COLUMNS.items():
        rows = _rows(file)
        step = len(rows) // (FEW // 4 if small else SAMPLE)
        chosen = [row["example"]["user"] for row in rows[::step]]
        differ = 0
        for text in chosen:
            world, question = parse_prompt(text)
            differ += Examiner(world).answer(question) != answer_prompt(text)
        yield Figure(
            f"{column}: both engines and a third calculation give the same fractions",
            f"{len(chosen) - differ} of {len(chosen)} prompts from all over the file",
            not differ,
        )


def _flags(_small: bool) -> Iterator[Figure]:
    table = read_table("of the source's own")
    for column, file in COLUMNS.items():
        rows = _rows(file)
        texts = [row["example"] for row in rows]
        names = [name for name in texts[0] if name.startswith("baseline")]
        found = {
            "keys that are a baseline's": sum(
                any(text[name] == text["reference"] for name in names) for text in texts
            ),
            "items not flagged `is_core`": sum(not row["is_core"] for row in rows),
            "prompts that repeat another": len(texts) - len({text["user"] for text in texts}),
        }
        told = {name: _number(row[column]) for name, row in table.items()}
        yield Figure(
            f"{column}: what the source's own fields say is as told",
            _differing(told, found) or str(found),
            told == found,
        )


def _loose(_small: bool) -> Iterator[Figure]:
    text = PAGE.read_text(encoding="utf-8")
    told = re.search(r"([\d,]+) of ([\d,]+) rows of v3 add up to 0.99 or 1.01", text)
    every, loose = 0, 0
    for file in COLUMNS.values():
        worlds = {parse_prompt(row["example"]["user"])[0] for row in _rows(file)[::FEW]}
        if "v3" in file:
            rows = [row for world in worlds for table in world.tables for row in table]
            every, loose = every + len(rows), loose + sum(sum(row) != 1 for row in rows)
    yield Figure(
        "v3: so many printed rows are no distributions",
        f"{loose:,} of {every:,}",
        told is not None and (_number(told[1]), _number(told[2])) == (loose, every),
    )


def _examples(_small: bool) -> Iterator[Figure]:
    for name, row in read_table("item").items():
        file = COLUMNS[row["file"]]
        example = next(
            each["example"]
            for each in _rows(file)
            if f"{each['dag_id']}/{each['sample_id']}" == name
        )
        world, question = parse_prompt(example["user"])
        found = Examiner(world).judge((file, name), question, example["reference"])
        told = (row["key"], row["recomputed"], row["verdict"])
        yield Figure(
            f"{name} of {row['file']} is as told",
            f"key {found.key}, recomputed {found.recomputed}, {found.verdict}",
            told == (found.key, found.recomputed, found.verdict),
        )


PARTS: Parts = {
    "rlcausal-verdicts": _verdicts,
    "rlcausal-rule": _readers,
    "rlcausal-third": _third,
    "rlcausal-fields": _flags,
    "rlcausal-sums": _loose,
    "rlcausal-examples": _examples,
    **field_cladder.PARTS,
}
"""What the page tells, by name."""


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the parts whose name contains `only`; nothing can be compared without the data."""
    if not fetched() or not field_cladder.fetched():
        claim = "field: rlcausal and cladder are not here; `whybench data fetch NAME`"
        yield Figure(claim, "nothing compared", True)
        return
    yield from figures_of(PARTS, small, only)
