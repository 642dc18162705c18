"""The figures of analyze: challenges, analysts, reports, confinement, graders, runs."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from inspect import getsource, getsourcelines
from typing import TYPE_CHECKING

from evidence import (
    analyze_gates,
    analyze_ladder,
    analyze_outside,
    analyze_reports,
    analyze_sound,
    challenges,
    code_runs,
    confinement,
    graders,
    independent_analysts,
    pitfalls,
)
from evidence.calibration import calibrated, checked
from evidence.figures import Figure, Parts, figures_of
from whybench.suites.analyze import SUITE
from whybench.suites.analyze.challenges import CHALLENGES, CORE
from whybench.suites.analyze.challenges.contract import Challenge

if TYPE_CHECKING:
    from collections.abc import Iterator


def soundness(small: bool) -> Iterator[Figure]:
    """Yield the checks of every design."""
    if small:
        designs = [SUITE.make_design({"design": "core", "seeds": 1})]
    else:
        designs = list(SUITE.designs.values())
    yield from checked(SUITE, designs)


def calibration(small: bool) -> Iterator[Figure]:
    """Yield the calibration of every measure with an agent of known value."""
    design = SUITE.make_design({"design": "core", "seeds": 1}) if small else SUITE.designs["core"]
    yield from calibrated(SUITE, design, 10 if small else 200, small)


REAL = {
    "direct": ["-T", "challenge=structure,direction"],
    "code": ["-T", "protocol=code"],
}
"""What a real model is asked: about a sample of rows, or for programs."""

ROWS, FEW_ROWS = 40, 12
"""How many rows it is shown, which its context can hold; it takes 20 ms of a core for a token."""


def real(small: bool) -> Iterator[Figure]:
    """Yield the answers of a real model, without and with code."""
    from evidence.model_server import LEARNED, real_answers

    count, tokens, shown = (1, 16, FEW_ROWS) if small else (5, 128, ROWS)
    for protocol, words in REAL.items():
        options = [*words, "-T", f"rows={shown}"] if protocol == "direct" else words
        rows, calls = real_answers("analyze", options, count, tokens, LEARNED // 2)
        outcomes = Counter(f"{row['outcome']} {row['reason']}".strip() for row in rows)
        yield Figure(
            f"{count} items of the protocol {protocol} are asked of a real model, and recorded "
            "without an error",
            f"{dict(outcomes)} in {calls} calls; at most {max(r['input_tokens'] for r in rows)} "
            f"tokens sent, its context being {LEARNED // 2}",
            len(rows) == count and all(row["outcome"] != "error" for row in rows),
        )


LONGEST = 4000
"""How many lines worlds, truths and keys of the core may have."""


def lines(_small: bool) -> Iterator[Figure]:
    """Yield how long the challenges of the core are, with the worlds that they take from beside."""
    modules, analysts = set(), 0
    for challenge in (CHALLENGES[name] for name in CORE):
        own = sys.modules[challenge.truths.__module__]
        named = {getattr(value, "__module__", None) or "" for value in vars(own).values()}
        beside = {name for name in named if name.startswith(f"{own.__package__}.")}
        modules |= {own.__name__, *beside} - {Challenge.__module__}
        for analyst in (challenge.competent, challenge.naive, challenge.always_trap):
            analysts += len(getsourcelines(analyst)[0])
    total = sum(len(getsource(sys.modules[name]).splitlines()) for name in modules)
    yield Figure(
        f"worlds, truths and keys of the {len(CORE)} challenges have at most {LONGEST} lines",
        f"{total - analysts} in {len(modules)} modules, and {analysts} of their analysts",
        0 < total - analysts <= LONGEST,
    )


PARTS: Parts = {
    **challenges.PARTS,
    **analyze_gates.PARTS,
    **analyze_ladder.PARTS,
    **analyze_outside.PARTS,
    **analyze_reports.PARTS,
    **analyze_sound.PARTS,
    **confinement.PARTS,
    **code_runs.PARTS,
    **graders.PARTS,
    **independent_analysts.PARTS,
    "pitfalls": pitfalls.figures,
    "soundness": soundness,
    "calibration": calibration,
    "real-answers": real,
    "lines": lines,
}

figures = partial(figures_of, PARTS)
