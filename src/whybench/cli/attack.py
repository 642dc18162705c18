"""`attack` finds out what agents get that don't reason causally."""

from __future__ import annotations

import sys
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from whybench.cli.options import (
    choose_design,
    design_options,
    json_option,
    print_json,
    suite_argument,
)
from whybench.errors import UserError
from whybench.numerals import measure_text, number_text
from whybench.suites.attack_runs import list_attacks, load_attacks, rank_attacks, run_attack
from whybench.suites.attacks import SILENT
from whybench.suites.checks import design_digest
from whybench.suites.registry import get_suite
from whybench.suites.zeros import DIGESTED, MARGIN, MOST_ITEMS, Zero, write_zeros
from whybench.terminal import print_line, print_rows, track
from whybench.training.items import training_lessons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from whybench.suites.attack_runs import AttackResult
    from whybench.suites.attacks import Attack
    from whybench.suites.contract import Design
    from whybench.suites.registry import AnySuite


@click.command("attack")
@suite_argument
@design_options
@click.option("--limit", type=click.IntRange(1), help="Use the first N items only.")
@click.option("--file", "path", type=click.Path(), help="Add the attacks of a Python file.")
@click.option("--only", multiple=True, metavar="NAME", help="Run this attack only; repeatable.")
@click.option(
    "--write-zeros",
    "zeros_file",
    type=click.Path(),
    help="Write the best attack of each design to FILE.",
)
@json_option
def attack_command(
    suite_name: str,
    design: str | None,
    factors: tuple[str, ...],
    limit: int | None,
    path: str | None,
    only: tuple[str, ...],
    zeros_file: str | None,
    json_output: bool,
) -> None:
    """Ask agents that don't reason causally the items of SUITE.

    Prints the primary measure of each attack, the best first, on one design; by default that of a
    standard profile. The best attack sets the zero of the suite's skill score. Exits with status 1
    if an attack exceeds the zero by more than 0.02.
    """
    if design or factors:
        suite, chosen = choose_design(suite_name, design, factors)
    else:
        suite = get_suite(suite_name)
        chosen = suite.make_design(suite.budget("standard").settings)
    attacks = _choose_attacks(suite, path, only)
    if zeros_file:
        designs = [one for one in suite.designs.values() if _has_measure(suite, one)]
        most = limit or MOST_ITEMS
        zeros = [
            _find_zero(suite, one, _run(suite, one, attacks, most, json_output)) for one in designs
        ]
        Path(zeros_file).write_text(write_zeros(zeros), encoding="utf-8")
        print_line(f"Wrote the zeros of {len(zeros)} designs to {zeros_file}.")
        return
    results = rank_attacks(suite, _run(suite, chosen, attacks, limit, json_output))
    zero = suite.zeros.find(chosen.name) if suite.zeros else None
    rows = [_row(suite, result) for result in results]
    if json_output:
        for result, row in zip(results, rows, strict=True):
            print_json({"design": chosen.name, **row, **_numbers(suite, result)})
    else:
        print_rows(rows, suite.name, f"design {chosen.name}")
        _print_zero(zero)
    best = results[0].value(suite.headline[0])
    sys.exit(1 if zero and best is not None and best > zero.value + MARGIN else 0)


def _choose_attacks(suite: AnySuite, path: str | None, only: Sequence[str]) -> list[Attack]:
    """Return the attacks of a suite and of a file, or those that are named."""
    attacks = [*list_attacks(suite), *(load_attacks(path) if path else ())]
    names = [attack.name for attack in attacks]
    if unknown := [name for name in only if name not in names]:
        raise UserError(f"--only must name an attack ({', '.join(names)}), got {unknown[0]!r}")
    if not attacks:
        raise UserError(f"{suite.name} has no attacks; add some with --file")
    return [attack for attack in attacks if not only or attack.name in only]


def _run(
    suite: AnySuite, design: Design, attacks: Sequence[Attack], limit: int | None, quiet: bool
) -> list[AttackResult]:
    items = list(islice(suite.items(design), limit))
    lessons = cache(training_lessons)  # Several attacks learn from the same items.
    return [
        run_attack(suite, design, items, attack, lessons)
        for attack in track(attacks, f"attacking {suite.name} {design.name}", quiet=quiet)
    ]


def _has_measure(suite: AnySuite, design: Design) -> bool:
    """Return whether a design has the measure of zeros, which others may replace."""
    (found,) = _run(suite, design, [SILENT], MOST_ITEMS, quiet=True)
    return found.value(suite.headline[0]) is not None


def _find_zero(suite: AnySuite, design: Design, results: Sequence[AttackResult]) -> Zero:
    """Return the zero that the best attack sets."""
    measure = suite.headline[0]
    best = rank_attacks(suite, results)[0]
    digest = design_digest(suite, design, DIGESTED)
    return Zero(
        design.name, digest, measure, best.attack.name, round(best.value(measure) or 0.0, 6)
    )


def _row(suite: AnySuite, result: AttackResult) -> dict[str, str]:
    """Return the printed row of an attack."""
    names = dict.fromkeys((suite.headline[0], *suite.headline))
    found = {name: result.measures[name] for name in names if name in result.measures}
    return {
        "attack": result.attack.name,
        **{name: measure_text(measure) for name, measure in found.items()},
        "replies": f"{result.replies:,}",
        "CPU s": f"{result.seconds:.1f}",
        "strategy": result.attack.summary,
    }


def _numbers(suite: AnySuite, result: AttackResult) -> dict[str, Any]:
    measure = result.measures.get(suite.headline[0])
    if measure is None:
        return {"measure": suite.headline[0], "estimate": None, "low": None, "high": None}
    own = {"estimate": measure.estimate, "low": measure.low, "high": measure.high}
    return {"measure": measure.name, **own, "replies": result.replies}


def _print_zero(zero: Zero | None) -> None:
    if zero is None:
        print_line("This design has no stored zero.")
    else:
        value = number_text(zero.value)
        print_line(f"The stored zero of {zero.design} is {value} ({zero.measure}, {zero.attack}).")
