"""Prompts in the form of RLCausal's, about worlds of our own."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SELECTORS = (
    "Furthermore, each variable v is assumed to depend deterministically on its parents pa(v) and "
    "a collection of independent exogenous selector variables, one for each possible joint "
    "assignment to pa(v), whose marginal distribution is defined to be p(v | pa(v)). Given a "
    "particular assignment to pa(v), v takes on the value of the selector variable corresponding "
    "to that particular assignment pa(v).\n\n"
)


def make_prompt(
    tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[float]]]], question: str
) -> str:
    """Return a prompt; a table is the parents and a row for each of their configurations."""
    counts = {name: len(rows[0]) for name, (_, rows) in tables.items()}
    names = sorted(tables)
    values = "\n".join(f"{name} can take values in {[*range(counts[name])]}" for name in names)
    edges = sorted((cause, name) for name, (parents, _) in tables.items() for cause in parents)
    arrows = "".join(f"{cause} -> {name};\n" for cause, name in edges)
    blocks = []
    for name, (parents, rows) in tables.items():
        lines = [f"CPTs for {name}:"]
        every = product(*(range(counts[parent]) for parent in parents))
        for configuration, row in zip(every, rows, strict=True):
            pairs = zip(parents, configuration, strict=True)
            given = ",".join(f"{parent}={value}" for parent, value in pairs)
            lines.append(f"P({name}{' | ' if given else ''}{given}) = {[float(p) for p in row]}")
        blocks.append("\n".join(lines) + "\n")
    return (
        "Here's a structural causal model over discrete random variables. The Variables are "
        f"{', '.join(names)}. Here are the Values they can take on.\n\n{values}\n\n"
        "Here's the causal directed acyclic graph (DAG):\n\nstrict digraph {\n"
        f"{''.join(f'{name};{chr(10)}' for name in names)}{arrows}}}\n\n\n"
        "Here are the causal conditional probability tables (CPT) associated with the DAG:\n\n"
        + "\n".join(blocks)
        + "\n\n"
        + (SELECTORS if "first observed" in question else "")
        + f"Here's your Question: What is the marginal distribution of {question}?\n\n"
        "----------\n\nNow start your solution process. Be precise."
    )
