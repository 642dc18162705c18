"""The rows that are frozen. Nothing else here knows the package: who renames, renames here.

A section is one kind of fact about one suite. Its rows are flat, and some columns tell which row is
which.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections import Counter
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from whybench.model_settings import MODEL_SETTINGS
from whybench.records import sum_records
from whybench.records.partitions import write_partition
from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.suites.calibration import simulate_rows
from whybench.suites.contract import BUDGETS, UserError
from whybench.suites.registry import get_suite
from whybench.suites.replies import parse_replies
from whybench.training.items import training_items

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from whybench.stats import Difference, Measure
    from whybench.suites.contract import Answer, Design, Item
    from whybench.suites.registry import AnySuite

Row = dict[str, Any]

SUITES = ("judge", "intervene", "compose", "trace", "derive", "analyze", "calculate")

MANY = 20_000
"""Of a design of more items only the whole blocks among the first so many are taken."""

FIRST_ITEMS = {"calculate": 40}
"""Of suites whose items take long to make, only so many of a design are taken."""

STREAMED = 200
"""Items of each stream to train on."""

ASKED: Mapping[str, Mapping[str, int | None]] = {
    "judge": {"styles": None, "overload-e": 4, "fork": None, "chain": None},
    "intervene": {"core": None, "advanced": 4, "links": 16},
    "compose": {"budget small": None, "core": 16, "verdicts": 64, "shapes": 16},
    "trace": {"core": None, "equal": 1},
    "derive": {"core": None, "equal": 1},
    "analyze": {"core": None, "hints": 1, "labels": 1},
    "calculate": {"core": None, "trivial": 4},
}
"""What reference agents are asked: designs, and how many of their blocks from the start, or all.

The answers to the first design are whole; from the others some are lost. Verdicts of compose need
more units than a short prefix has; half of the design for verdicts has nearly enough.
"""

FEW: Mapping[str, Sequence[str]] = {
    "hints": ("gold[silence=0.25]", "competent", "naive"),
    "labels": ("gold[silence=0.25]", "competent", "naive"),
    "trivial": ("exact", "rounds", "slips", "uniform"),
}
"""Designs that only some agents are asked, since their measures are very many."""

UNANSWERED, LOST = 17, 41
"""Of a table with losses every 17th answer is none, and every 41st was lost to an error."""

COMPARED: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "judge": (
        ("styles", "noisy-or[noise=0.3]", "associative[noise=0.3]"),
        ("overload-e", "noisy-or", "human-rw17"),
        ("fork", "associative", "random"),
        ("chain", "random", "anchored-at-50[noise=0.3]"),
        ("styles", "anchored-at-50", "extreme"),
        ("styles", "extreme", "extreme"),
    ),
    "intervene": (
        ("core", "random-then-guess", "single-cause"),
        ("advanced", "correlational", "recipe"),
        ("links", "bayes", "recipe"),
        ("core", "always-yes", "always-no"),
        ("core", "always-no", "always-no"),
    ),
    "compose": (
        ("shapes", "flip", "local-only"),
        ("shapes", "coin", "wrong-world"),
        ("budget small", "exact", "flip[error=0.2]"),
        ("shapes", "always-yes", "always-no"),
        ("shapes", "always-no", "always-no"),
    ),
    "trace": (
        ("core", "reader", "slips"),
        ("equal", "lapses", "sees-only"),
        ("core", "constant", "exact"),
        ("core", "exact", "exact"),
    ),
    "derive": (
        ("core", "reader", "slips"),
        ("equal", "rounds", "sees-only"),
        ("core", "constant", "exact"),
        ("core", "exact", "exact"),
    ),
    "analyze": (
        ("core", "naive", "competent"),
        ("hints", "gold[silence=0.25]", "naive"),
        ("core", "null", "schema-breaker"),
        ("core", "gold", "gold"),
    ),
    "calculate": (
        ("core", "slips", "slips[error=0.2]"),
        ("core", "sees-only", "no-update"),
        ("trivial", "slips", "uniform"),
        ("core", "constant", "says-cannot"),
        ("core", "says-cannot", "says-cannot"),
    ),
}
"""Design and two agents that are compared. The last pair or two of a suite are of constant agents,
whose answers differ without any spread, or not at all."""

STYLED: Mapping[str, Mapping[str, object]] = {
    "judge": {"design": "styles"},
    "intervene": {
        "design": "core",
        "style": ["direct", "fewest-steps", "cot", "recipe"],
        "interface": ["text", "tools"],
    },
    "compose": {"design": "full"},
    "trace": {"design": "core", "depth": [1, 2], "style": ["cot", "direct"]},
    "derive": {"design": "core", "depth": [1, 2], "style": ["cot", "direct"]},
    "analyze": {"design": "core"},
    "calculate": {
        "design": "core",
        "query": ["do"],
        "mechanism": ["gates"],
        "variant": ["control", "missing"],
        "form": ["number", "greater"],
        "style": ["cot", "direct"],
    },
}
"""Designs on whose items fixed replies are tried."""

KINDS: Mapping[str, Sequence[str]] = {
    "judge": ("style", "polarity"),
    "intervene": ("style", "interface"),
    "compose": ("style", "rung"),
    "trace": ("style", "query"),
    "derive": ("style", "query"),
    "analyze": ("challenge", "variant"),
    "calculate": ("style", "form", "variant"),
}
"""The factors that tell items apart for that: one item of each combination of levels."""

AWKWARD = ('"12%"', "null", "[0.1, 0.2]", '{"low": 0}', '"no change"')
"""What fields of analyze are made to say in place of the truth."""


@dataclass(frozen=True)
class Section:
    """One kind of fact about one suite.

    Attributes:
        name: The name of its file.
        rows: Makes the rows as they are now.
        key: The columns that tell which row is which.
        needs_data: Whether it takes what is downloaded.
        relative: How far a float may be off, as a share of it.
        absolute: How far a float may be off in any case.
    """

    name: str
    rows: Callable[[], Iterable[Row]]
    key: tuple[str, ...]
    needs_data: bool = False
    relative: float = 1e-9
    absolute: float = 1e-12


def frozen_name(measure: Measure) -> str:
    """Return the full name of a measure, levels included, such as `accuracy@entities=4`."""
    levels = "".join(
        f"@{level}" if factor == "composition" else f"@{factor}={level}"
        for factor, level in measure.at.items()
    )
    return f"{measure.name}{levels}"


# Items


def item_rows(name: str) -> Iterator[Row]:
    """Yield a digest of the items of every named design and budget."""
    asked = get_suite(name)
    for design in asked.designs.values():
        items = _first_items(asked, design, None)
        yield {"of": f"design {design.name}", **_digests(asked, design, items)}
    for size in BUDGETS:
        budget = asked.budget(size)
        design = asked.make_design(budget.settings)
        items = _first_items(asked, design, budget.blocks)
        found = {"of": f"budget {size}", **_digests(asked, design, items)}
        yield {**found, "epochs": budget.epochs}
    if asked.training is None:
        return
    series = training_items(asked, {})
    items = list(series.take(STREAMED))
    found = {"of": f"stream, first {STREAMED}", **_digests(asked, series.design, items)}
    yield {**found, "stream": series.hash}


def _digests(asked: AnySuite, design: Design, items: Sequence[Item]) -> Row:
    """Return digests of items in their order: of digest, prompt and truth, and of the factors."""
    told, placed = hashlib.sha256(), hashlib.sha256()
    prefix = len(items) > MANY
    if prefix:
        items = items[: MANY // design.block * design.block]
    for item in items:
        told.update(repr((item.digest, asked.render(item), item.truth)).encode())
        placed.update(repr(sorted(item.factors.items())).encode())
    return {
        "block": design.block,
        "design_hash": design.hash,
        "items": len(items),
        "prefix": prefix,
        "sha256": told.hexdigest(),
        "factors_sha256": placed.hexdigest(),
    }


def _blocks(asked: AnySuite, design: Design, blocks: int | None) -> list[Item]:
    """Return the items of the first so many blocks of a design, or all."""
    return list(islice(asked.items(design), None if blocks is None else blocks * design.block))


def _first_items(asked: AnySuite, design: Design, blocks: int | None) -> list[Item]:
    """Return the items of the first so many blocks, or all; fewer where they take long to make."""
    if asked.name in FIRST_ITEMS:
        return list(islice(asked.items(design), FIRST_ITEMS[asked.name]))
    return _blocks(asked, design, blocks)


# Readings


def reading_rows(name: str) -> Iterator[Row]:
    """Yield what the reader makes of awkward, golden and true replies."""
    asked = get_suite(name)
    corpus = Path(__file__).parents[1] / "suites" / name / "awkward_replies.yaml"
    for kind, entries in _yaml(corpus).items():
        for style, reply, *_ in entries:
            factors = {"style": "cot" if style == "steps" else style}
            yield reading_row(f"awkward: {kind}", style, reply, read_reply(asked, factors, reply))
    items: dict[str, Item] = {}
    for item in asked.items(asked.make_design(STYLED[name])):
        items.setdefault(" ".join(str(item.factors[factor]) for factor in KINDS[name]), item)
    for kind, item in items.items():
        for reply in asked.golden_replies:
            yield reading_row("probe", kind, reply, read_reply(asked, item.factors, reply))
        cut = asked.converse(item, lambda *_: "", truncated=True)
        yield reading_row("cut off", kind, "", cut)
        true = asked.converse(item, lambda what, _: asked.oracle(what))
        yield reading_row("gold", kind, "", true)
        if name == "analyze":
            yield from _changed_fields(asked, kind, item)


def _changed_fields(asked: AnySuite, kind: str, item: Item) -> Iterator[Row]:
    """Yield what comes of a true answer to which one field is changed."""
    true = json.loads(asked.oracle(asked.open_episode(item.factors)))
    for number, field in enumerate(true):
        value = AWKWARD[number % len(AWKWARD)]
        reply = json.dumps({**true, field: json.loads(value)})
        yield reading_row(
            "changed field", kind, f"{field}: {value}", read_reply(asked, item.factors, reply)
        )


def read_reply(asked: AnySuite, factors: Mapping[str, Any], reply: str) -> Answer:
    """Return what a reply comes to, if it is all that is ever replied."""
    return parse_replies(asked, factors, repeat((reply, False)))


def reading_row(source: str, of: str, reply: str, answer: Answer) -> Row:
    parts = ", ".join(f"{name}={value}" for name, value in sorted(answer.parts.items()))
    return {
        "from": source,
        "of": of,
        "reply": reply,
        "value": answer.value,
        "reason": answer.reason,
        "parts": parts,
    }


def _yaml(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(path.read_text("utf-8")) if path.is_file() else {}
    return found


# Answers of reference agents, and measures


def answer_rows(name: str) -> Iterator[Row]:
    """Yield a digest of the records of each reference agent; where it refuses, that it does."""
    for design in ASKED[name]:
        for who in _agents(name, design):
            table = _records(name, design, who)
            if table is None:
                yield {"design": design, "agent": who, "refused": True}
                continue
            outcomes = Counter(table["outcome"].to_pylist())
            left_out = ["version", "design_hash", "agent", *MODEL_SETTINGS]
            rows = table.drop_columns(left_out).to_pylist()
            told = "\n".join(repr([(k, _short(v)) for k, v in sorted(r.items())]) for r in rows)
            yield {
                "design": design,
                "agent": who,
                **{key: outcomes[key] for key in ("scored", "no_answer", "error")},
                "sha256": hashlib.sha256(told.encode()).hexdigest(),
            }


def measure_rows(name: str) -> Iterator[Row]:
    """Yield all measures of the reference agents, and those of records that are summed up."""
    asked = get_suite(name)
    for design in ASKED[name]:
        for who in _agents(name, design):
            table = _records(name, design, who)
            if table is None:
                continue
            for measure in asked.measures(table):
                yield {"agent": who, "design": design, **measured_row(measure)}
    if asked.sums is not None:
        design, who = next(iter(ASKED[name])), _agents(name, "")[1]
        with tempfile.TemporaryDirectory() as folder:
            write_partition(_records(name, design, who), folder)
            # On several threads sums differ in their last digits from run to run.
            summed = sum_records(folder, name, asked.sums.by, threads=1)
        for measure in asked.sums.measures(summed):
            yield {"agent": f"{who}, summed", "design": design, **measured_row(measure)}


def people_rows() -> Iterator[Row]:
    """Yield the measures of people."""
    asked = get_suite("judge")
    for measure in asked.measures(asked.baselines["people"]()):
        yield {"agent": "people", "design": measure.labels["design"], **measured_row(measure)}


def measured_row(measure: Measure) -> Row:
    return {
        "name": frozen_name(measure),
        "condition": _condition(measure.labels),
        "flags": " ".join(measure.flags),
        **{
            column: getattr(measure, column)
            for column in (
                *("estimate", "low", "high", "n", "units"),
                *("scored", "no_answer", "error", "method"),
            )
        },
        **(
            {}
            if measure.general_units is None
            else {"general_low": measure.general_low, "general_high": measure.general_high}
        ),
    }


def _condition(labels: Mapping[str, str]) -> str:
    """Return labels in one string, but for whose they are, which other columns say."""
    whose = {"agent", "design", "design_hash"}
    return ", ".join(f"{key}={value}" for key, value in sorted(labels.items()) if key not in whose)


def _agents(name: str, design: str) -> list[str]:
    """Return who is asked a design: every agent, with all settings at which it is calibrated."""
    every = [
        _called(agent.name, changed)
        for agent in get_suite(name).agents.values()
        for changed in agent.calibrate_at
    ]
    return [who for who in every if who in FEW.get(design, every)]


def _called(agent: str, changed: Mapping[str, Any]) -> str:
    told = ",".join(f"{key}={value}" for key, value in changed.items())
    return f"{agent}[{told}]" if told else agent


@cache
def _items(name: str, design: str) -> list[Item]:
    return _blocks(get_suite(name), _design(name, design), ASKED[name][design])


def _design(name: str, design: str) -> Design:
    asked = get_suite(name)
    if design.startswith("budget "):
        return asked.make_design(asked.budget(design.removeprefix("budget ")).settings)
    found: Design = asked.designs[design]
    return found


@cache
def _records(name: str, design: str, who: str) -> pa.Table | None:
    """Return the records of an agent; None where it refuses the design."""
    asked, items = get_suite(name), _items(name, design)
    agent, changed = next(
        (agent, changed)
        for agent in asked.agents.values()
        for changed in agent.calibrate_at
        if _called(agent.name, changed) == who
    )
    called = f"reference/{name}.{agent.name}"
    try:
        rows = list(simulate_rows(asked, _design(name, design), items, agent, changed, called, {}))
    except UserError:
        return None
    if design != next(iter(ASKED[name])):
        pairs = enumerate(zip(rows, items, strict=True))
        rows = [_with_losses(asked, number, row, item) for number, (row, item) in pairs]
    return record_table(rows, asked.record_columns)


def _with_losses(asked: AnySuite, number: int, row: Row, item: Item) -> Row:
    """Return a record, or what it would be had the reply been cut off or the call failed."""
    parts = dict.fromkeys(asked.parts)
    if number % LOST == LOST // 2:
        return {**row, **parts, "outcome": "error", "reason": "call failed", "value": None}
    if number % UNANSWERED == UNANSWERED // 2:
        cut = asked.converse(item, lambda *_: "", truncated=True)
        said = {"outcome": cut.outcome, "reason": cut.reason, "value": cut.value}
        return {**row, **parts, **cut.parts, **said}
    return row


def _short(value: object) -> object:
    return f"{value:.12g}" if isinstance(value, float) else value


# Comparisons


def comparison_rows(name: str) -> Iterator[Row]:
    """Yield how the measures of two agents differ."""
    for design, first, second in COMPARED[name]:
        tables = (_records(name, design, who) for who in (first, second))
        for change in compare_tables(get_suite(name), *tables):
            yield {"design": design, "agents": f"{first} → {second}", **_changed(change)}


def _changed(change: Difference) -> Row:
    return {
        "measure": change.measure,
        "condition": _condition(change.labels),
        "flags": " ".join(change.flags),
        "a": change.a.estimate,
        "b": change.b.estimate,
        **{
            column: getattr(change, column)
            for column in (
                *("difference", "low", "high", "p", "corrected_p", "tests"),
                *("n", "units", "verdict", "method"),
            )
        },
    }


ITEM = ("of",)
READING = ("from", "of", "reply")
ANSWERS = ("design", "agent")
MEASURE = ("agent", "design", "condition", "name")
CHANGE = ("design", "agents", "condition", "measure")

# A fit ends where a step is below its tolerance, and a bootstrap fits again and again: the last
# digits depend on the order in which a machine adds up.
FITTED = {"relative": 1e-6, "absolute": 1e-8}

SECTIONS = (
    *(Section(f"{name}-items", partial(item_rows, name), ITEM) for name in SUITES),
    *(Section(f"{name}-readings", partial(reading_rows, name), READING) for name in SUITES),
    # An agent of judge answers as people did, and a measure compares with people.
    Section("judge-answers", partial(answer_rows, "judge"), ANSWERS, needs_data=True),
    Section("judge-measures", partial(measure_rows, "judge"), MEASURE, needs_data=True, **FITTED),
    Section("judge-measures-people", people_rows, MEASURE, needs_data=True, **FITTED),
    Section(
        "judge-comparisons", partial(comparison_rows, "judge"), CHANGE, needs_data=True, **FITTED
    ),
    *(Section(f"{name}-answers", partial(answer_rows, name), ANSWERS) for name in SUITES[1:]),
    *(Section(f"{name}-measures", partial(measure_rows, name), MEASURE) for name in SUITES[1:]),
    *(
        Section(f"{name}-comparisons", partial(comparison_rows, name), CHANGE)
        for name in SUITES[1:]
    ),
)
