"""What shallow agents make of analyze, what train and test share, and how fast items are made."""

from __future__ import annotations

import time
from collections import Counter
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence.figures import Figure
from whybench.seeds import digest
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.challenges.contract import TRAP
from whybench.suites.analyze.regions import BANDS, RegionGenerator
from whybench.suites.analyze.shallow import (
    ALWAYS,
    MOST_AUC,
    MOST_TWIN,
    SHALLOW,
    find_leaks,
    measure_shallow,
)
from whybench.suites.analyze.telling import draw_telling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evidence.figures import Parts
    from whybench.seeds import Split
    from whybench.suites.analyze.challenges.contract import Challenge

PAIRS, FEW_PAIRS = 500, 40
LUCK = 3.0
ABOVE_ALWAYS = 0.05
ITEMS, FEW_ITEMS = 10_000, 300
LEAST_SETTINGS, LEAST_RATE = 120, 60.0


def shallow(small: bool) -> Iterator[Figure]:
    """Yield how far shallow agents get in held-out settings, challenge by challenge."""
    count, luck = (FEW_PAIRS, LUCK) if small else (PAIRS, 0.0)
    results = [measure_shallow(challenge, count) for challenge in CHALLENGES.values()]
    for result in results:
        leaks = list(find_leaks(result, luck))
        marks = ", ".join(
            f"{kind} {twin:.2f} ± {result.error[kind]:.2f}" for kind, twin in result.twin.items()
        )
        yield Figure(
            f"{result.challenge}: no shallow agent has a twin score above {MOST_TWIN}, nor tells "
            f"traps from controls with an AUC above {MOST_AUC} ({count} pairs)",
            f"{marks}; AUC of marginals {result.auc['marginals']:.2f}, of text "
            f"{result.auc['text']:.2f}{' (which says what was done)' if result.told_apart else ''}"
            f"{'; ' if leaks else ''}{'; '.join(leaks)}",
            not leaks,
        )
    for kind in SHALLOW:
        counted = [result for result in results if result.counts(kind)]
        twin, always = (fmean(r.twin[who] for r in counted) for who in (kind, ALWAYS))
        yield Figure(
            f"{kind}: the mean twin score is at most {ABOVE_ALWAYS} above that of always-trap",
            f"{twin:.3f} against {always:.3f} over {len(counted)} challenges",
            twin <= always + ABOVE_ALWAYS,
        )


class _Recorder(RegionGenerator):
    """Draws from a region, and keeps in which band of its range each number was."""

    bands: list[int]

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Draw, and note the bands."""
        drawn = super().uniform(low, high, size)
        low, high = np.broadcast_to(low, np.shape(drawn)), np.broadcast_to(high, np.shape(drawn))
        wide = high > low
        share = (np.asarray(drawn)[wide] - low[wide]) / (high[wide] - low[wide])
        self.bands += np.minimum(share * BANDS, BANDS - 1).astype(int).ravel().tolist()
        return drawn


def _bands_of(challenge: Challenge, split: Split, seed: int) -> list[int]:
    key = int.from_bytes(digest("bands", challenge.name, split, seed), "big")
    recorder = _Recorder(np.random.SeedSequence(key), split)
    recorder.bands = []
    kinds = challenge.kinds[seed % len(challenge.kinds) :][:1] if challenge.kinds else ()
    challenge.parameters(TRAP, recorder, *kinds)
    return recorder.bands


def splits(small: bool) -> Iterator[Figure]:
    """Yield what data sets of training share with those of the test."""
    total = sum(len(challenge.read_settings()) for challenge in CHALLENGES.values())
    yield Figure(
        f"there are {LEAST_SETTINGS} settings or more", f"{total}", total >= LEAST_SETTINGS
    )
    count = (FEW_ITEMS if small else ITEMS) // len(CHALLENGES) + 1
    shared: Counter[str] = Counter()
    bands: dict[str, set[int]] = {"train": set(), "test": set()}
    for challenge in CHALLENGES.values():
        seen: dict[str, tuple[set[str], set[frozenset[str]]]] = {}
        for split in ("train", "test"):
            told = [_tell(challenge, split, seed) for seed in range(count)]
            seen[split] = {setting for setting, _ in told}, {names for _, names in told}
            for seed in range(count):
                bands[split].update(_bands_of(challenge, split, seed))
        shared["settings"] += len(seen["train"][0] & seen["test"][0])
        shared["sets of names"] += len(seen["train"][1] & seen["test"][1])
    shared["bands of parameters"] = len(bands["train"] & bands["test"])
    yield Figure(
        f"{count * len(CHALLENGES)} data sets of training share no setting, no set of column names "
        "and no region of a parameter with as many of the test",
        ", ".join(f"{shared[what]} {what}" for what in ("settings", "sets of names"))
        + f", {shared['bands of parameters']} of {BANDS} bands of ranges",
        not any(shared.values()),
    )


def _tell(challenge: Challenge, split: Split, seed: int) -> tuple[str, frozenset[str]]:
    """Return the setting and the set of column names of a data set, without drawing its rows."""
    settings = [s for s in challenge.read_settings().values() if s.split == split]
    telling = draw_telling(
        settings, challenge.shown, challenge.opposite, challenge.units, challenge.name, split, seed
    )
    setting = challenge.find_setting(telling.setting)
    names = {
        setting.name_column(role, "neutral", telling.names[role], opposite=role in telling.opposite)
        for role in telling.order
    }
    return setting.name, frozenset(names)


def rate(small: bool) -> Iterator[Figure]:
    """Yield how many items are made in a second of one core, twins and truths included."""
    seeds = range(2 if small else 10)
    begun, made = time.process_time(), 0
    for challenge in CHALLENGES.values():
        for seed in seeds:
            challenge.generate_twins("speed", seed)
            made += len(challenge.variants)
    found = made / (time.process_time() - begun)
    least = LEAST_RATE / 3 if small else LEAST_RATE
    yield Figure(
        f"{least:.0f} data sets or more are made in a second of one core",
        f"{found:.0f}, {made} in all",
        found >= least,
        timed=True,
    )


PARTS: Parts = {"shallow": shallow, "splits": splits, "rate": rate}
