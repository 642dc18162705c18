"""The figures of analyze: challenges, analysts, confinement, graders, published keys, runs."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from evidence import (
    analyze_gates,
    analyze_ladder,
    analyze_outside,
    challenges,
    code_runs,
    confinement,
    graders,
    pitfalls,
)
from evidence.calibration import calibrated, checked
from evidence.figures import Figure, Parts, figures_of
from whybench.suites.analyze import SUITE

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["PARTS", "figures"]


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


PARTS: Parts = {
    **challenges.PARTS,
    **analyze_gates.PARTS,
    **analyze_ladder.PARTS,
    **analyze_outside.PARTS,
    **confinement.PARTS,
    **code_runs.PARTS,
    **graders.PARTS,
    "pitfalls": pitfalls.figures,
    "soundness": soundness,
    "calibration": calibration,
    "real-answers": real,
}

figures = partial(figures_of, PARTS)
