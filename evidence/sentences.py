"""Figures on sentences: what is said of known agents, and whether their intervals bear it.

Reference agents of every suite, with settings and seeds drawn at random, answer a design; a profile
is one such agent of each suite. What is said of them is read a second time, by a table that is
written apart from the rules (`BORNE`): from the words and the rows of measures alone. Then each
claim is held against the truth of that agent, the mean of its estimates over all its seeds.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING

from evidence.figures import Figure
from whybench.suites.calibration import simulate
from whybench.suites.registry import get_suite
from whybench.suites.sentences import UNSURE, AgentMeasures, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from whybench.stats import Measure

Ends = dict[str, tuple[float, float, float]]
"""AgentMeasures by their titles: estimate and both ends."""


def _above(name: str, value: float) -> Callable[[Ends], bool]:
    return lambda ends: ends[name][1] > value


def _below(name: str, value: float) -> Callable[[Ends], bool]:
    return lambda ends: ends[name][2] < value


def _apart(name: str) -> Callable[[Ends], bool]:
    """Of the levels of a measure, one lies whole above another."""

    def found(ends: Ends) -> bool:
        levels = [three for title, three in ends.items() if title.startswith(f"{name} (")]
        return max(low for _, low, _ in levels) > min(high for _, _, high in levels)

    return found


BORNE: dict[str, Callable[[Ends], bool]] = {
    "Explains away more than people": lambda _: True,  # by the comparison with people
    "Explains away less than people": lambda _: True,
    "Shows larger Markov": lambda _: True,
    "Shows smaller Markov": lambda _: True,
    "Judges one variable more likely": _above("markov_violation", 0.1),
    r"Explains away \(": lambda e: (
        e["explaining_away"][1] > 0.1
        and e["markov_violation"][1] > -0.1
        and e["markov_violation"][2] < 0.1
    ),
    "Explains away: a known cause": _above("explaining_away", 0.1),
    "Reverses explaining away": _below("explaining_away", -0.1),
    "Hardly explains away": lambda e: (
        e["explaining_away"][1] > -0.1 and e["explaining_away"][2] < 0.1
    ),
    "Shifts its judgment of a cause about as": lambda e: (
        e["shift_ratio"][1] > 0.75 and e["shift_ratio"][2] < 1.25
    ),
    "Nearly ignores the other cause": lambda e: (
        e["shift_ratio"][1] > -0.25 and e["shift_ratio"][2] < 0.25
    ),
    "Shifts its judgment of a cause backwards": _below("shift_ratio", 0.0),
    "Shifts its judgment of a cause less": lambda e: (
        e["shift_ratio"][1] > 0.0 and e["shift_ratio"][2] < 1.0
    ),
    "Shifts its judgment of a cause more": _above("shift_ratio", 1.0),
    r"Correct in \S+ of cases, but": _above("verdict_lucky", 0.05),
    "Answers too early": _above("verdict_premature", 0.05),
    "Experiments before it answers": _above("justified_accuracy", 0.9),
    r"\S+ of its answers contradict": _above("verdict_contradicts", 0.02),
    r"Uses \S+ times": _above("steps_ratio", 1.05),
    "Stops early": _below("steps_ratio", 0.9),
    r"Correct on \S+ of single questions": lambda e: (
        e["balanced_accuracy_interventional"][1] > 0.8 and e["compositional_agreement"][2] < 0.7
    ),
    "Answers about parts and whole agree": _above("compositional_agreement", 0.7),
    "Each additional mediator": _above("error_per_mediator", 0.01),
    "Tends to answer yes": _above("yes_share", 0.6),
    "Tends to answer no": _below("yes_share", 0.4),
    "Handles interventions worse than observations": _below("horizon_ratio", -0.5),
    "Handles interventions better than observations": _above("horizon_ratio", 0.5),
    "Gets about as far with interventions": lambda e: (
        e["horizon_ratio"][1] > -0.5 and e["horizon_ratio"][2] < 0.5
    ),
    "Fails if the cause is set": lambda e: (
        e["horizon"][2] < 1.5 and e["control_horizon"][1] > 1.5 and e["horizon_ratio"][2] < -0.5
    ),
    "More of its answers are correct at greater depths": lambda _: True,  # by a test of the shares
    "Reaches no limit": _above("horizon", 40.0),
    "Half of its answers are correct at": _above("horizon", 1.5),
    "Does not combine rules": _below("horizon", 1.5),
    "Handles causal effects worse than bare products": _below("horizon_ratio", -0.5),
    "Fails at causal effects": lambda e: (
        e["horizon"][2] < 1.5 and e["control_horizon"][1] > 1.5 and e["horizon_ratio"][2] < -0.5
    ),
    "Derives the effects of every depth": _above("horizon", 9.0),
    "Does not derive causal effects": _below("horizon", 1.5),
    "Better at": _apart("number_skill"),
    "Conditions instead of intervening": _above("error_conditioning", 0.2),
    "Intervenes instead of conditioning": _above("error_intervening", 0.2),
    "Skips abduction": _above("error_no_abduction", 0.2),
    "Answers with the base rate": _above("error_base_rate", 0.2),
    r"Correct on \S+ of the questions": _above("accuracy", 0.9),
    "Does not distinguish": _below("answerability", 0.6),
    "Falls for the trap": _above("trap_rate", 0.1),
    "Reports a trap": _above("false_alarm", 0.05),
    "Stronger on": _apart("sound_pairs"),
    r"Sound both with and without the trap in \S+ of": _above("sound_pairs", 0.8),
    "Sound both with and without the trap in only": _below("sound_pairs", 0.5),
    "Close to the exact agent": _above("skill_score", 0.9),
    "Between the baseline": lambda e: e["skill_score"][1] > 0 and e["skill_score"][2] < 0.97,
    "Not clearly above the baseline": _below("skill_score", 0.1),
    re.escape(UNSURE.text): lambda _: True,
}
"""How a sentence begins (a pattern), and what must hold of the intervals for it to be said."""


def is_borne(text: str, measures: Iterable[Measure], truths: bool = False) -> bool:
    """Read a sentence a second time: whether the intervals bear it.

    Args:
        text: The sentence.
        measures: All measures of the agent.
        truths: Whether the claim itself is to hold of the estimates, as if they had no interval.
    """
    ends: Ends = {}
    for one in measures:
        if one.estimate is not None and one.low is not None and one.high is not None:
            low, high = (one.estimate,) * 2 if truths else (one.low, one.high)
            ends[one.title] = (one.estimate, low, high)
    return BORNE[_pattern(text)](ends)


def _pattern(text: str) -> str:
    """Return the pattern that a sentence begins with."""
    [found] = [pattern for pattern in BORNE if re.match(pattern, text)]
    return found


SUITES = {"judge": "core", "intervene": "limited", "compose": "core", "trace": "core",
          "derive": "core", "calculate": "core", "analyze": "core"}  # fmt: skip
"""Suites, and the designs that profiles ask."""


def sentences(small: bool) -> Iterator[Figure]:
    """Yield how many sentences are said, borne by intervals, and true."""
    runs = 8 if small else 200
    profiles = 40 if small else 1000
    drawn = random.Random(1)
    said: dict[str, list[tuple[str, list[str]]]] = {}
    unborne: list[str] = []
    false = claims = 0
    for name in SUITES:
        known = _answered(name, runs, drawn)
        truths = _truths(known)
        said[name] = []
        for agent, measures in known:
            texts = [one.text for one in find(get_suite(name).sentences, AgentMeasures(measures))]
            said[name].append((agent, texts))
            unborne += [text for text in texts if not is_borne(text, measures)]
            for text in texts:
                claims += text != UNSURE.text
                false += not is_borne(text, truths[agent], truths=True)
    read = 0
    for _ in range(profiles):
        for name in SUITES:
            _, texts = drawn.choice(said[name])
            read += len(texts)
    yield Figure(
        f"of {profiles:,} random profiles, no sentence is said that its interval does not bear",
        f"{read:,} sentences of {runs} runs in each suite, {len(unborne)} not borne "
        f"{' '.join(unborne[:3])}",
        not unborne and read > profiles,
    )
    share = false / max(claims, 1)
    yield Figure(
        "what is said is false of the agent in truth in at most one of twenty",
        f"{false} of {claims:,} ({share:.1%})",
        share <= (0.15 if small else 0.05),
    )
    different = sorted({text for every in said.values() for _, texts in every for text in texts})
    drawn.shuffle(different)
    for text in different[: 0 if small else 40]:
        yield Figure("for reading", text, True)


def _answered(name: str, runs: int, drawn: random.Random) -> list[tuple[str, list[Measure]]]:
    """Let random agents with random seeds answer, and measure each."""
    suite = get_suite(name)
    design = suite.make_design(suite.budget("small").settings)
    items = list(suite.items(design))[:240]
    agents = sorted(suite.agents)
    found = []
    for number in range(runs):
        agent = suite.agent(drawn.choice(agents))
        seeded = {"seed": number} if "seed" in agent.settings({}) else {}
        found.append((agent.name, simulate(suite, design, items, agent, seeded)))
    return found


def _truths(known: list[tuple[str, list[Measure]]]) -> dict[str, list[Measure]]:
    """Return for each agent its measures with the mean of its runs as the estimate."""
    runs: dict[str, list[list[Measure]]] = defaultdict(list)
    for agent, measures in known:
        runs[agent].append(measures)
    truths = {}
    for agent, every in runs.items():
        means: dict[str, list[float]] = defaultdict(list)
        for measures in every:
            for one in measures:
                if one.estimate is not None:
                    means[one.title].append(one.estimate)
        truths[agent] = [
            replace(one, estimate=fmean(means[one.title])) if one.title in means else one
            for one in every[0]
        ]
    return truths
