"""What the tables of CausalLink print, recomputed: the entries of docs/errata/intervene.md.

The source prints shares to three digits of a core set of 84 cases, and publishes no answers. So
what can be tried is whether there are whole numbers behind the shares, and whether text and tables
say the same.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from evidence.figures import Figure, Parts, figures_of
from whybench.suites.intervene.sets import list_core_cases
from whybench_papers.feng2025.replication import PrintedLine, read_printed

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = 84
HALF = 0.0011
"""What is printed may be rounded or cut off at the third digit, both of which occur."""


BASIC, LIMITING = (
    {name: PrintedLine(*line) for name, line in read_printed()["models"][style].items()}
    for style in ("direct", "fewest-steps")
)
"""Tables 4 and 5: without an instruction to be quick, and with it."""

MODES = tuple(share for pattern, share in read_printed()["failures"].items() if pattern != "other")
"""Table 2: percentages of the four failure modes."""

FAILED: int = read_printed()["failed"]
"""What its caption says they are of."""


def _fitting(line: PrintedLine) -> set[int]:
    """Return the numbers of cases with the answer no of which there are such shares."""
    found = set()
    for no in range(1, CASES):
        yes = CASES - no
        right_no, right_yes = round(line.no * no), round(line.yes * yes)
        shares = (right_no / no, right_yes / yes, (right_no + right_yes) / CASES)
        if all(abs(a - b) <= HALF for a, b in zip(shares, line[:3], strict=True)):
            found.add(no)
    return found


def _class_sizes(_small: bool) -> Iterator[Figure]:
    lines = {
        f"{name}, {prompt}": _fitting(line)
        for prompt, table in (("basic", BASIC), ("limiting", LIMITING))
        for name, line in table.items()
    }
    core = sum(not world.causes(*pair) for _, world, _, pair, _ in list_core_cases())
    odd = [name for name, found in lines.items() if core not in found]
    told = f"{core} of {CASES}; does not fit: {', '.join(odd)}"
    only = {name: sorted(lines[name]) for name in odd}
    yield Figure(
        "tables 4 and 5: all lines but one are shares of 47 cases with no and 37 with yes, as many "
        "as the complete core set has",
        f"{told}, which fits {only}",
        core == 47 and odd == ["DeepSeek Distill Qwen 14B, basic"] and 46 in only[odd[0]],
    )


def _positive_cases(_small: bool) -> Iterator[Figure]:
    small = ("Llama 3.1 8B", "Mistral 7B", "Qwen2.5 3B", "GPT-4o-mini")
    best = {name: max(BASIC[name].yes, LIMITING[name].yes) for name in small}
    top = max(best, key=lambda name: best[name])
    yield Figure(
        "text on the core set: the 29.7% of positive cases, said to be GPT-4o-mini's, is another's",
        f"{top} has {best[top]:.3f}, GPT-4o-mini {best['GPT-4o-mini']:.3f}",
        top == "Qwen2.5 3B" and best[top] == 0.297 and best["GPT-4o-mini"] == 0.243,
    )


def _failure_modes(_small: bool) -> Iterator[Figure]:
    def fits(total: int) -> bool:
        return all(abs(100 * round(share * total / 100) / total - share) <= 0.05 for share in MODES)

    totals = [total for total in range(40, 70) if fits(total)]
    yield Figure(
        "table 2: the percentages of failure modes are of 54 cases, not of the 55 in its caption",
        f"whole numbers behind all four: of {', '.join(map(str, totals))}",
        FAILED not in totals and 54 in totals,
    )


def _identical_lines(_small: bool) -> Iterator[Figure]:
    same = [name for name in BASIC if BASIC[name] == LIMITING[name]]
    yield Figure(
        "tables 4 and 5: two models have the same five numbers under both prompts",
        ", ".join(f"{name} {tuple(BASIC[name])}" for name in same),
        same == ["Llama 3.2 3B", "Qwen2.5 3B"],
    )


def _improvement(_small: bool) -> Iterator[Figure]:
    name = "DeepSeek Distill Qwen 32B"
    before, after = BASIC[name], LIMITING[name]
    points = 100 * (after.overall - before.overall)
    answered = CASES - before.errors
    right = round(before.overall * CASES)
    yield Figure(
        "text on the core set: the 30.2% by which an instruction improves DeepSeek Distill Qwen "
        "32B is 28.7 points, nearly all of it replies that could be read",
        f"{points:.1f} points; without it {before.errors} of {CASES} ended in errors, and {right} "
        f"of the other {answered} were right, {right / answered:.1%}",
        abs(points - 28.7) < 0.05 and right == 54 and answered == 58,
    )


def _thinking(_small: bool) -> Iterator[Figure]:
    printed = (0.843, read_printed()["thinking"]["cot"]["Gemini 2.0 Flash"])

    def fits(total: int) -> bool:
        return all(abs(round(share * total) / total - share) <= 0.0005 for share in printed)

    totals = [total for total in range(CASES - 4, CASES + 1) if fits(total)]
    yield Figure(
        "section 5.4: the accuracies of Gemini 2.0 Flash without and with thinking step by step "
        "are shares of 83 cases, not of the 84 of the core set",
        f"whole numbers behind both: of {', '.join(map(str, totals))}",
        totals == [CASES - 1],
    )


PARTS: Parts = {
    "class-sizes": _class_sizes,
    "positive-cases": _positive_cases,
    "failure-modes": _failure_modes,
    "identical-lines": _identical_lines,
    "improvement": _improvement,
    "thinking": _thinking,
}
"""The entries of docs/errata/intervene.md by name."""

figures = partial(figures_of, PARTS)
