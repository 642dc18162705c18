"""Does the shift ratio measure? Agents whose ratio is known by construction, and those published.

`python -m evidence validity --only shift` prints these figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise, product
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.stats import binom

from evidence.figures import Figure, Parts
from whybench.records.table import record_table
from whybench.stats import difference_between
from whybench.suites.calibration import simulate_rows
from whybench.suites.groups import Group
from whybench.suites.judge import SUITE
from whybench.suites.judge.groups import group_every_answer
from whybench.suites.judge.implied import ASKED, GIVEN, imply
from whybench.suites.judge.paired import judge_pairs
from whybench.suites.judge.published import people_records
from whybench.suites.judge.shift_ratio import ABSENT, PRESENT, measure_shift_ratio
from whybench.suites.pairs import stack_sides
from whybench_papers.dettki2025.replies import published_records

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from whybench.stats import Estimate
    from whybench.suites.judge.shift_ratio import ShiftRatio

    Array = NDArray[np.float64]

QUESTIONS = (*GIVEN, *ASKED)
TASK, CAUSE = (np.array(column) for column in zip(*QUESTIONS, strict=True))
STORIES, POLARITIES = 3, 4
UNITS = STORIES * POLARITIES

LEAST_COVERED, MOST_MISSED, MOST_ALARMS, ALPHA = 0.935, 0.05, 0.05, 0.01
RUNS, FEW_RUNS = 2000, 200
RATIOS = (0.0, 0.5, 1.0, -1.0)
NOISES = (0.1, 0.3)

AUDIT_SHIFTS = (-0.7, -0.4, 0.0, 0.1, 0.2, 0.4, 0.7)
"""Explaining away from one extreme to the other, over fixed beliefs that imply 0.31."""
AUDIT_BELIEFS = (0.1, 0.7, 0.7, 0.9, 0.5, 0.5, 0.5, 0.5)


@dataclass(frozen=True)
class Shifter:
    """A noisy-OR reasoner that shifts by a multiple of what its beliefs imply.

    Attributes:
        ratio: The multiple.
        noise: Standard deviation of an answer, relative to that of a coin.
        spread: Standard deviation of its beliefs over vignettes, and over stories.
        leak: The mean of its beliefs about the leak.
        strength: The mean of its beliefs about the strength of a cause.
    """

    ratio: float
    noise: float
    spread: float = 0.1
    leak: float = 0.1
    strength: float = 0.8

    def answers(self, draw: np.random.Generator, beliefs: Array) -> Array:
        """Return answers from 0 to 1 in whole points, vignettes x questions."""
        given, judged = np.split(beliefs, [len(GIVEN)], axis=1)
        middle = (judged[:, ABSENT] + judged[:, PRESENT]) / 2
        half = self.ratio * (judged[:, ABSENT] - judged[:, PRESENT]) / 2
        judged = judged.copy()
        judged[:, ABSENT], judged[:, PRESENT] = middle + half, middle - half
        inside = np.clip(np.hstack([given, judged]), 1e-3, 1 - 1e-3)
        many = 1 / self.noise**2 - 1
        return np.round(draw.beta(inside * many, (1 - inside) * many), 2)

    def beliefs(self, draw: np.random.Generator) -> Array:
        """Draw what an agent believes of twelve vignettes, vignettes x questions."""
        between = np.repeat(draw.normal(size=(3, STORIES)), POLARITIES, axis=1)
        moved = self.spread * (between + draw.normal(size=(3, UNITS)))
        b, m, p = (
            np.clip(mean + move, *ends)
            for mean, move, ends in zip(
                (self.leak, self.strength, 0.5),
                moved,
                ((0.01, 0.6), (0.05, 0.99), (0.05, 0.95)),
                strict=True,
            )
        )
        one = 1 - (1 - b) * (1 - m)
        given = np.stack([b, one, one, 1 - (1 - b) * (1 - m) ** 2, p, p, p, p], axis=1)
        return np.hstack([given, imply(given)])


def _group(said: Array) -> Group:
    """Return the answers to twelve vignettes as a group."""
    unit, question = (index.ravel() for index in np.indices(said.shape))
    columns = {
        "outcome": np.full(unit.size, "scored"),
        "task": TASK[question],
        "cause": CAUSE[question],
        "story": (unit // POLARITIES).astype(str),
        "sampled": unit.astype(str),
        "value": 100 * said.ravel(),
    }
    counts = {"scored": unit.size}
    return Group({"graph": "collider"}, columns, unit, "vignette", counts, np.ones(unit.size))


def _measure(said: Array) -> ShiftRatio:
    return measure_shift_ratio(_group(said))


@cache
def _core() -> tuple[Any, list[Any]]:
    design = SUITE.make_design({"design": "core"})
    return design, list(SUITE.items(design))


def _reference(agent: str, settings: Mapping[str, Any]) -> dict[str, Estimate]:
    """Return the measures of the card of a reference agent."""
    design, items = _core()
    rows = simulate_rows(SUITE, design, items, SUITE.agent(agent), settings, agent, {})
    measures = SUITE.pooled_measures(record_table(list(rows), SUITE.record_columns))
    return {one.name: one for one in measures}  # type: ignore[misc]


def _show(one: Estimate) -> str:
    if one.estimate is None:
        return f"cannot be determined ({', '.join(one.flags)})"
    low, high = (f"{end:.2f}" if end is not None else "–" for end in (one.low, one.high))
    return f"{one.estimate:.2f} [{low}, {high}]"


def known_agents(small: bool) -> Iterator[Figure]:
    """Yield the ratio over growing explaining away, and that of every reference agent."""
    del small
    table = []
    for shift in AUDIT_SHIFTS:
        said = np.array([*AUDIT_BELIEFS, *[0.5] * len(ASKED)])
        said[len(GIVEN) + np.array(ABSENT)] += shift / 2
        said[len(GIVEN) + np.array(PRESENT)] -= shift / 2
        table.append(_measure(np.tile(said, (UNITS, 1))))
    ratios = [one.ratio.estimate or 0.0 for one in table]
    yield Figure(
        "judge: over fixed beliefs the ratio increases strictly with explaining away, -0.7 to 0.7",
        f"{table[0].implied.estimate:.2f} implied; "
        + ", ".join(f"{x:g}: {ratio:.2f}" for x, ratio in zip(AUDIT_SHIFTS, ratios, strict=True)),
        all(a < b for a, b in pairwise(ratios)) and ratios[2] == 0,
    )
    known = {"noisy-or": 1.0, "heedless": 0.0, "associative": 1.0}
    found = {name: _reference(name, {})["shift_ratio"] for name in SUITE.agents}
    yield Figure(
        "judge: reference agents without noise have the ratios that they have by construction",
        "; ".join(f"{name} {_show(one)}" for name, one in found.items()),
        all(abs((found[name].estimate or 0.0) - x) < 0.01 for name, x in known.items())
        and found["random"].estimate is None,
    )
    minds = {name: _reference(*part) for name, part in SUITE.minds.items()}
    card = ("explaining_away", "markov_violation", "shift_ratio")
    careful, associative = minds["careful"], minds["associative"]
    yield Figure(
        "judge: explaining away and the Markov violation separate careful from associative",
        "; ".join(
            f"{name}: " + ", ".join(_show(found[measure]) for measure in card)
            for name, found in minds.items()
        ),
        (careful["explaining_away"].low or 0) > (associative["explaining_away"].high or 1)
        and (careful["markov_violation"].high or 1) < (associative["markov_violation"].low or 0),
    )


def coverage(small: bool) -> Iterator[Figure]:
    """Yield how often intervals contain the ratio, over agents that shift by known multiples."""
    runs = FEW_RUNS if small else RUNS
    lines, worst = [], 1.0
    for noise, ratio in product(NOISES, RATIOS):
        covered, shown = _covered(Shifter(ratio, noise), runs)
        p = float(binom.cdf(covered, shown, LEAST_COVERED))
        lines.append(f"{ratio:g} at noise {noise:g}: {covered / shown:.1%} of {shown}")
        worst = min(worst, p)
    yield Figure(
        f"judge: in {runs} runs of each agent, intervals of the shift ratio contain it in not "
        f"significantly less than {LEAST_COVERED:.1%} of those with a value (binomial, 1%)",
        "; ".join(lines) + f"; smallest p {worst:.3f}",
        worst >= ALPHA,
    )
    lines, least = [], 1.0
    for ratio in (0.0, 1.0, -1.0):
        covered, shown = _covered(Shifter(ratio, 0.5, leak=0.24, strength=0.63), runs)
        missed = shown - covered
        least = min(least, float(binom.sf(missed - 1, runs, MOST_MISSED)))
        lines.append(
            f"{ratio:g} at noise 0.5: {shown / runs:.0%} have a value, of these "
            f"{covered / max(shown, 1):.1%} contain it, {missed / runs:.1%} of all runs miss it"
        )
    yield Figure(
        "judge: of agents whose weak beliefs rarely give a value, an interval without the ratio is "
        f"printed in not significantly more than {MOST_MISSED:.0%} of {runs} runs (binomial, "
        f"{ALPHA:.0%})",
        "; ".join(lines) + f"; smallest p {least:.3f}",
        least >= ALPHA,
    )


def _covered(agent: Shifter, runs: int) -> tuple[int, int]:
    """Return how many intervals contain an agent's ratio, and how many runs have a value."""
    draw = np.random.default_rng([int(100 * x) % 997 for x in vars(agent).values()])
    covered = shown = 0
    for _ in range(runs):
        one = _measure(agent.answers(draw, agent.beliefs(draw))).ratio
        if one.low is not None and one.high is not None:
            shown += 1
            covered += one.low <= agent.ratio <= one.high
    return covered, shown


def false_alarms(small: bool) -> Iterator[Figure]:
    """Yield how often a comparison separates two agents with the same ratio and beliefs."""
    runs = FEW_RUNS if small else RUNS
    lines, least = [], 1.0
    for noise, ratio in product(NOISES, RATIOS):
        agent = Shifter(ratio, noise)
        draw = np.random.default_rng([7, *(int(100 * x) % 997 for x in vars(agent).values())])
        alarms = tested = 0
        for _ in range(runs):
            beliefs = agent.beliefs(draw)
            sides = (_measure(agent.answers(draw, beliefs)).jackknifed for _ in range(2))
            p = difference_between(*sides).p
            tested += p is not None
            alarms += _differs(p)
        lines.append(f"{ratio:g} at noise {noise:g}: {alarms / tested:.1%} of {tested}")
        least = min(least, float(binom.sf(alarms - 1, tested, MOST_ALARMS)))
    yield Figure(
        f"judge: comparisons separate agents with the same shift ratio in not significantly more "
        f"than {MOST_ALARMS:.0%} of {runs} runs (binomial, {ALPHA:.0%})",
        "; ".join(lines) + f"; smallest p {least:.3f}",
        least >= ALPHA,
    )


def published(small: bool) -> Iterator[Figure]:
    """Yield the ratio of the published runs and of people, and how many pairs it separates."""
    records = published_records()
    found = {
        f"{group.labels['agent'].removeprefix('published/')} {group.labels['style']}": (
            measure_shift_ratio(group)
        )
        for group in group_every_answer(records)
    }
    (people,) = group_every_answer(people_records("collider"))
    person = measure_shift_ratio(people)
    known = {name: one for name, one in found.items() if one.ratio.estimate is not None}
    ordered = sorted(known.items(), key=lambda entry: entry[1].ratio.estimate or 0.0)
    general = sum(one.ratio.general_low is not None for one in known.values())
    values = [one.ratio.estimate or 0.0 for one in known.values()]
    yield Figure(
        "judge: the shift ratio of the published runs and of people; 80% of the runs or more have "
        "a value",
        f"{len(found) - len(known)} of {len(found)} runs cannot be determined; median "
        f"{median(values):.2f}; {general} have an interval for other stories; people "
        f"{_show(person.ratio)}, implied {_show(person.implied)}; "
        + "; ".join(f"{name} {_show(one.ratio)}" for name, one in ordered)
        + "; none: "
        + "; ".join(
            f"{name} ({one.ratio.flags[0]})" for name, one in found.items() if name not in known
        ),
        len(known) >= 0.8 * len(found),
    )
    pairs = list(combinations(known.values(), 2))
    apart = sum(_differs(difference_between(a.jackknifed, b.jackknifed).p) for a, b in pairs)
    step = 40 if small else 8
    before = [
        {pair.measure: _differs(pair.p) for pair in judge_pairs(stack_sides(*two))}
        for two in list(combinations(_tables(records), 2))[::step]
    ]
    card = ("explaining_away", "markov_violation", "shift_ratio")
    shares = {
        name: np.mean([line[name] for line in before if name in line])
        for name in (*card, "heldout_r2", "human_correlation")
    }
    either = np.mean([any(line.get(name, False) for name in card) for line in before])
    yield Figure(
        "judge: pairs of published runs that are separated at p < 0.05, uncorrected: by the shift "
        "ratio, and by the other measures",
        f"shift_ratio {apart / len(pairs):.1%} of {len(pairs)}; of {len(before)} pairs in the same "
        "style "
        + ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
        + f", any measure of the card {either:.1%}",
        apart > 0 and float(either) > float(shares["heldout_r2"]),
    )


def _differs(p: float | None) -> bool:
    return p is not None and p < 0.05


def _tables(records: pa.Table) -> list[pa.Table]:
    """Return the answers of each run with a bare number for a reply."""
    direct = records.filter(pc.equal(records["style"], "direct"))
    direct = direct.append_column("person", pa.nulls(direct.num_rows, pa.string()))
    agents = dict.fromkeys(direct["agent"].to_pylist())
    return [direct.filter(pc.equal(direct["agent"], name)) for name in agents]


SHIFT_PARTS: Parts = {
    "shift ratio of known agents": known_agents,
    "shift ratio intervals": coverage,
    "shift ratio comparisons": false_alarms,
    "published shift ratio": published,
}
