"""Horizons of derive: worlds, the share that remains without one of the rules, and recovery."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evidence.figures import Figure
from evidence.recovery import AskedDesign, recover
from whybench.seeds import generator
from whybench.suites.attack_runs import run_attack
from whybench.suites.derive.agents import CHANCE, GUESS
from whybench.suites.derive.attacks import LUCKY, guess_half, guess_luckiest
from whybench.suites.derive.design import DEPTHS
from whybench.suites.derive.drawing import (
    LINKS,
    PERCENTAGES,
    draw_link,
    draw_start,
    draw_structure,
    size_for,
    split_of_structure,
)
from whybench.suites.derive.guesses import MISSED, find_best, find_firsts
from whybench.suites.derive.world import Start, subtract
from whybench.suites.registry import get_suite
from whybench.training.items import training_lessons

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evidence.figures import Parts

    Span = tuple[float, float]

ITEMS, FEW_ITEMS = 800, 40
LEARNED = (1, 3, 6)
"""The depths at which attacks that learn are tried."""
MOST = 0.15
"""The largest share of an attack that misses a rule."""
READ = {
    "one-from-effect": 1,
    "one-from-cause": 1,
    "three-from-effect": 3,
    "three-from-cause": 3,
}
"""The depths up to which an attack uses all rules."""
USES_ALL = "rounds"

WITHOUT_LINK, WITHOUT_FIRST, WITHOUT_HALF, LUCKIEST = 0.052, 0.03, 0.13, 0.15
"""The largest share without a rule on the chain after the first, without the first, without one of
the two percentages of a rule on the chain, and without the part that is best to miss."""
WITHOUT = {
    "confounder": 0.09,
    "size-of-confounder": 0.14,
    "rarer-state": 0.11,
    "commoner-state": 0.07,
    "smaller-difference": 0.11,
    "cause-off": 0.045,
    "percentage": 0.15,
}
"""The same without parts of the first factor."""
NUMBERS, WITHOUT_NUMBER = ("size-of-confounder", "percentage"), 0.2
"""Single numbers of the first factor, and the same without the best one of them and of the links.
Such an agent uses all rules."""

DERIVE = AskedDesign("derive", DEPTHS, 11, GUESS)


def worlds(small: bool) -> Iterator[Figure]:
    """Yield how many structures are on the side of the tests, and the length of prompts."""
    suite = get_suite("derive")
    number = FEW_ITEMS if small else ITEMS
    shares: list[float] = []
    growing: list[int] = []
    equal: list[int] = []
    for depth in DEPTHS:
        rng = generator("evidence", "horizon", "derive", depth)
        drawn = {draw_structure(rng, depth, size_for(depth)) for _ in range(number)}
        shares.append(sum(split_of_structure(one) == "test" for one in drawn) / number)
        for lamps, lengths in (("growing", growing), ("equal", equal)):
            design = suite.make_design({"depth": str(depth), "lamps": lamps, "query": "do"})
            lengths.append(round(np.mean([len(suite.render(i)) for i in suite.items(design)])))
    yield Figure(
        "derive: one of five drawn worlds is different from all others and for tests, at each "
        "depth; no other world is dropped",
        ", ".join(f"{depth}: {share:.0%}" for depth, share in zip(DEPTHS, shares, strict=True)),
        min(shares) >= (0.05 if small else 0.15),
    )
    yield Figure(
        "derive: prompts of worlds of equal size are equally long at every depth, within 10%",
        f"characters at depths {DEPTHS}: equal {equal}; growing {growing}",
        max(equal) <= 1.1 * min(equal),
    )


def certificates(small: bool) -> Iterator[Figure]:
    """Yield how often the margins of worlds hold, both derivations being equal in each."""
    suite = get_suite("derive")
    number = FEW_ITEMS if small else ITEMS
    gaps, skipped = {}, {}
    for depth in DEPTHS:
        items = list(
            suite.items(suite.make_design({"depth": str(depth), "query": "do", "worlds": number}))
        )
        gaps[depth] = min(abs(one.question.associate() / one.truth - 1) for one in items)
        skipped[depth] = min(
            abs(1 / float(factor) - 1) for one in items for factor in one.question.terms.factors
        )
    yield Figure(
        f"derive: exact inference and the product agree in {number} worlds of each depth; the "
        "observational difference is at least 10% off",
        ", ".join(f"{depth}: {gap:.1%}" for depth, gap in gaps.items()),
        min(gaps.values()) >= 0.1,
    )
    yield Figure(
        "derive: leaving out any rule changes the answer by at least 6%",
        ", ".join(f"{depth}: {gap:.1%}" for depth, gap in skipped.items()),
        min(skipped.values()) >= 0.06,
    )


def bounds(small: bool) -> Iterator[Figure]:
    """Yield how often the best answer is right that any agent without a rule can give."""
    rng = generator("evidence", "horizon", "derive", "bounds")
    starts = [Start(*draw_start(rng)) for _ in range(60 if small else 4000)]
    halves = [guess_half(on).share for on, _ in LINKS]
    links = [tuple(draw_link(rng) for _ in range(DEPTHS[-1] - 1)) for _ in starts]
    luckiest, numbers = (
        [
            guess_luckiest(start, others, parts)[1].share
            for start, others in zip(starts, links, strict=True)
        ]
        for parts in (LUCKY, NUMBERS)
    )
    firsts = [miss_first(rng, start, 20_000 if small else 400_000) for start in starts[:20]]
    found = {
        told: ([find_best(miss(start)).share for start in starts], WITHOUT[part])
        for part, (told, miss) in MISSED.items()
    }
    found |= {
        "the first rule": (firsts, WITHOUT_FIRST),
        "a rule, a half or a state, the best one of each question of depth 10,": (
            luckiest,
            LUCKIEST,
        ),
        "one number, the best one of each question of depth 10,": (numbers, WITHOUT_NUMBER),
    }
    exact = {
        "a rule after the first": (
            [find_best(map(float, map(subtract, LINKS))).share],
            WITHOUT_LINK,
        ),
        "one of the two percentages of a rule after the first": (halves, WITHOUT_HALF),
    }
    slack = 0.03 if small else 0.0
    for missed, (shares, most) in (exact | found).items():
        allowed = most + (0.0 if missed in exact else slack)
        share = float(np.mean(shares))
        yield Figure(
            f"derive: without {missed} the best possible answer is right in at most {allowed:.3f}",
            f"{share:.3f}",
            share <= allowed,
        )


def miss_first(rng: np.random.Generator, start: Start, number: int) -> float:
    """Return how often the best guess of an agent is right that misses the first rule."""
    one, two, three, four = rng.integers(PERCENTAGES.start, PERCENTAGES.stop, (4, number))
    return find_best(find_firsts(start._replace(strata=((one, two), (three, four))))).share


def attacks(small: bool) -> Iterator[Figure]:
    """Yield how often attacks are right at each depth."""
    suite = get_suite("derive")
    number = FEW_ITEMS if small else ITEMS
    # Standard errors of a share: four where there are few items.
    slack = (4 if small else 3) * (GUESS * (1 - GUESS) / number) ** 0.5
    shares: dict[str, list[float]] = {}
    lessons = cache(training_lessons)
    for depth in DEPTHS:
        design = suite.make_design({"depth": str(depth), "query": "do", "worlds": number})
        items = list(suite.items(design))
        for attack in suite.attacks:
            if attack.fit and (small or depth not in LEARNED):
                continue
            run = run_attack(suite, design, items, attack, lessons)
            shares.setdefault(attack.name, []).append(run.value("accuracy") or 0.0)
    for name, found in shares.items():
        first = sum(depth <= READ.get(name, 0) for depth in DEPTHS)
        shown = ", ".join(f"{share:.3f}" for share in found)
        if name == USES_ALL:
            yield Figure(
                "derive: rounds uses all rules; it is right in at least 0.8 at depth 1 and in at "
                f"most {MOST + slack:.2f} at depth {DEPTHS[-1]}",
                shown,
                found[0] >= 0.8 and found[-1] <= MOST + slack,
            )
            continue
        mean = MOST + (slack if small else 0.0)
        yield Figure(
            f"derive: {name} is right in at most {mean:.2f} over all depths"
            + (f" above {READ[name]}" if first else "")
            + f", and in {MOST + slack:.2f} at each",
            shown,
            max(found[first:]) <= MOST + slack and float(np.mean(found[first:])) <= mean,
        )


def curves() -> Mapping[str, tuple[np.ndarray, Span]]:
    """Return how often agents are right at each depth, and the horizons that fit.

    An agent that fails is hardly ever right, other than the guessing rate assumes. So its horizon
    is the depth at which it is right in `GUESS` plus half of the rest.
    """
    depths = np.array(DEPTHS, dtype=float)
    half = GUESS + (1 - GUESS) / 2
    found: dict[str, tuple[np.ndarray, Span]] = {
        f"reader of {rules}": (
            np.where(depths <= rules, 1.0, CHANCE),
            (float(rules), DERIVE.next_depth(rules)),
        )
        for rules in (1, 2, 3, 5, 8)
    }
    for rate in (0.02, 0.05, 0.1, 0.15, 0.2, 0.3):
        true = float(np.log(half) / np.log(1 - rate))
        found[f"slips {rate:g}"] = ((1 - rate) ** depths, (true, true))
    for lapse in (0.1, 0.2):
        true = float(np.log(half / (1 - lapse)) / np.log(0.9))
        found[f"slips 0.1, lapses {lapse:g}"] = ((1 - lapse) * 0.9**depths, (true, true))
    for steepness in (1.0, 2.0, 4.0, 6.0):
        for horizon in (2.0, 5.0, 8.0):
            right = GUESS + (1 - GUESS) * 2.0 ** -((depths / horizon) ** steepness)
            found[f"horizon {horizon:g}, steepness {steepness:g}"] = (right, (horizon, horizon))
    found["exact"] = (np.ones(depths.size), (float(DEPTHS[-1]),) * 2)
    found["guesser"] = (np.full(depths.size, CHANCE), (float(DEPTHS[0]),) * 2)
    return found


def recovery(small: bool) -> Iterator[Figure]:
    """Yield how often intervals contain a known horizon, with the items of the design core."""
    for name, (chances, span) in curves().items():
        yield recover(DERIVE, name, chances, span, small=small)


PARTS: Parts = {
    "derive-worlds": worlds,
    "derive-certificates": certificates,
    "derive-bounds": bounds,
    "derive-attacks": attacks,
    "derive-recovery": recovery,
}
