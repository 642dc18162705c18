"""The parts of an answer, and the table that has a row for each step of an episode.

A record holds an episode's `path`; with the columns of the case it can be gone again. So the table
of steps is made from records, wherever these come from, and needs no log.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from whybench.suites.groups import ANSWER_KEYS
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.entailment import Evidence, Transition
from whybench.suites.intervene.experimenters import Inquiry, find_all_entailed
from whybench.suites.intervene.items import DRAWN
from whybench.suites.intervene.world import bits_to_state, state_to_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from whybench.suites.intervene.entailment import Entailed
    from whybench.suites.intervene.items import Asks
    from whybench.suites.intervene.links.diagram import Diagram
    from whybench.suites.intervene.world import InterveneWorld, State

PARTS: Mapping[str, type] = {
    "verdict": str,
    "pattern": str,
    "evidence": str,
    "steps": int,
    "reasks": int,
    "path": str,
    "report": str,
}
"""The columns that an episode adds to those of its item: the verdict on the answer, the pattern of
a wrong one, what was entailed in the end, how often the agent acted and was asked again, and what
it did ("hold 2; move 0"). Where all pairs are asked, `evidence` says what was entailed of each, and
`report` what was reported ("0>1 yes; 0>2 open")."""


def replay_path(world: InterveneWorld, initial: State, path: str) -> Iterator[Transition]:
    """Yield the transitions of a path through a world."""
    state = initial
    for step in filter(None, path.split("; ")):
        action, entity = step.split(" ")
        after = world.step(state, action, int(entity))  # type: ignore[arg-type]
        yield Transition(state, action, int(entity), after)  # type: ignore[arg-type]
        state = after


def trace_entailment(inquiry: Inquiry) -> Iterator[Entailed]:
    """Yield what is settled at first, and after each step."""
    with Evidence(inquiry.n, inquiry.initial) as evidence:
        yield evidence.entails(inquiry.x, inquiry.y)
        for seen in inquiry.transitions:
            evidence.add(seen)
            yield evidence.entails(inquiry.x, inquiry.y)


def _trace_share(inquiry: Inquiry) -> Iterator[str]:
    """Yield how many of all pairs are settled at first, and after each step: `7 of 12`."""
    for step in range(len(inquiry.transitions) + 1):
        known = find_all_entailed(replace(inquiry, transitions=inquiry.transitions[:step]))
        settled = sum(entailed != "open" for entailed in known.values())
        yield f"{settled} of {len(known)}"


def _trace_links(diagram: Diagram, inquiry: Inquiry) -> Iterator[str]:
    """Yield how many dotted links are ruled out at first, and after each step: `7 of 12`."""
    seen = inquiry.transitions
    states = [state_to_bits(state) for state in (inquiry.initial, *(one.after for one in seen))]
    done = [(one.action, one.entity) for one in seen]
    whole = len(diagram.dotted)
    for step in range(len(seen) + 1):
        left = diagram.possible(states[: step + 1], done[:step])
        yield f"{whole - left.bit_count()} of {whole}"


def steps_table(records: pa.Table) -> pa.Table:
    """Return a row for each step of each episode: what was done, what moved, what was settled."""
    import pyarrow as pa  # noqa: PLC0415  (not for `whybench list`)

    needed = (*ANSWER_KEYS, *DRAWN, "worlds", "depth", "interface", "path")
    rows = [
        step
        for record in records.select(needed).to_pylist()
        if record["path"]
        for step in _list_steps(record)
    ]
    types = {name: records.schema.field(name).type for name in ANSWER_KEYS}
    own = {
        "step": pa.int32(), "action": pa.string(), "entity": pa.string(), "before": pa.string(),
        "after": pa.string(), "settled": pa.string(),
    }  # fmt: skip
    return pa.Table.from_pylist(rows, schema=pa.schema({**types, **own}))


def _list_steps(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    case = parse_case(record)
    names, initial = case.names, bits_to_state(case.initial)
    seen = tuple(replay_path(case.world, initial, record["path"]))
    inquiry = Inquiry(case.world.n, case.x, case.y, initial, seen)
    traces: dict[Asks, Callable[[Inquiry], Iterator[str]]] = {
        "pair": trace_entailment,
        "graph": _trace_share,
        "links": partial(_trace_links, case.diagram),
    }
    settled = traces[case.asks](inquiry)
    next(settled)
    for number, (step, entailed) in enumerate(zip(seen, settled, strict=True), start=1):
        yield {
            **{name: record[name] for name in ANSWER_KEYS},
            "step": number,
            "action": step.action,
            "entity": names[step.entity],
            "before": ",".join(names[entity] for entity in sorted(step.before)),
            "after": ",".join(names[entity] for entity in sorted(step.after)),
            "settled": entailed,
        }
