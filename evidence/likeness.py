"""You and people: a reference agent and three published models, and every number calculated anew.

The second calculation is plain Python on the raw downloaded files. It shares with the package where
the files are, and nothing else: ranks by counting, the joint table of causes by taking turns until
it settles, Bayes' rule by summing over worlds, intervals as textbooks have them for means over
twelve vignettes. `python -m evidence people --only likeness` prints the tables.
"""

from __future__ import annotations

import csv
import math
import random
import re
from itertools import combinations, product
from statistics import fmean, quantiles
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from evidence.figures import Figure, Parts
from whybench.datasets import data_path
from whybench.records.table import record_table
from whybench.results.people import compare_with_people
from whybench.suites.calibration import simulate_rows
from whybench.suites.judge.likeness import compare_likeness
from whybench_papers.dettki2025 import SUITE as DETTKI2025
from whybench_papers.dettki2025.replies import published_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from whybench.results.comparison import Comparison

EXACT = 1e-9
T11 = 2.2009851600829493
"""The 97.5% quantile of Student's t on 11 degrees of freedom."""

RAW = "data/output_llm/rw17_indep_causes/{0}/{1}"
MODELS = {
    "claude-3-7-sonnet-20250219": "2_v_numeric_claude-3-7-sonnet-20250219_0.0_temp.csv",
    "gpt-4o": "2_single_rw17_indep_causes_numeric_response_gpt-4o_0.0_temp.csv",
    "o3": "2_v_numeric_o3_0.0_temp.csv",
}
PEOPLE = "data/raw/human/rw17/rw17_collider_ce.csv"
ORDER = [*(letter + version for letter in "abcdefgh" for version in "12"), "i", "j1", "j2", "k"]
"""Question and version of the twenty prompts of a block; of j, 1 is the first cause absent."""

BLIND = {
    "six numbers": {"i": 10, "j": 70, "k": 90, **dict.fromkeys("de", 50)}
    | {**dict.fromkeys("abc", 75), **dict.fromkeys("fgh", 20)},
    "0, 50 or 100": {"i": 0, "j": 100, "k": 100, **dict.fromkeys("de", 50)}
    | {**dict.fromkeys("abc", 100), **dict.fromkeys("fgh", 0)},
    "always 50": dict.fromkeys("abcdefghijk", 50),
}

Vignette = tuple[str, str]
Answers = dict[Vignette, dict[str, float]]
"""Vignette to question and version to the mean answer."""


def _read(path: str) -> list[dict[str, str]]:
    source = "dettki2025" if path.startswith("data/output_llm/") else "causAIign"
    with data_path(source, path).open(encoding="utf-8-sig", newline="") as lines:
        return list(csv.DictReader(lines, delimiter=";"))


def _short(domain: str) -> str:
    return {"econ": "economy", "soc": "sociology", "society": "sociology", "weath": "weather"}.get(
        domain, domain
    )


def _persons() -> dict[Vignette, list[dict[str, float]]]:
    """Return each vignette's people, each question and version to an answer."""
    found: dict[Vignette, dict[str, dict[str, float]]] = {}
    for row in _read(PEOPLE):
        letter, kind = row["letter.type"].lower(), row["type"]
        if letter in "ik":
            question = letter
        elif letter == "j":
            question = "j1" if "CA=0" in kind else "j2"
        else:
            question = letter + ("1" if kind.startswith("CA") else "2")
        people = found.setdefault((_short(row["domain"]), row["attr.polarity"]), {})
        people.setdefault(row["s"], {})[question] = float(row["y"].replace(",", "."))
    return {vignette: list(people.values()) for vignette, people in found.items()}


def _mean_person() -> Answers:
    return {
        vignette: {q: fmean(person[q] for person in persons) for q in ORDER}
        for vignette, persons in _persons().items()
    }


def _model(name: str) -> Answers:
    found: Answers = {}
    for row in _read(RAW.format(name, MODELS[name])):
        number = re.search(r"\d+", row["response"])
        assert number is not None
        question = ORDER[(int(row["id"]) - 1) % 20]
        found.setdefault((_short(row["domain"]), row["cntbl_cond"]), {})[question] = float(
            number[0]
        )
    return found


def _reference() -> tuple[list[dict[str, Any]], Answers]:
    design = DETTKI2025.make_design({"design": "core", "style": "direct"})
    items = list(DETTKI2025.items(design))
    name = "reference/judge.noisy-or"
    rows = list(
        simulate_rows(DETTKI2025, design, items, DETTKI2025.agent("noisy-or"), {}, name, {})
    )
    found: Answers = {}
    for row in rows:
        letter, cause = row["letter"], row["cause"]
        version = "" if letter in "ik" else cause[-1]
        found.setdefault((row["story"], row["polarity"]), {})[letter + version] = row["value"]
    return rows, found


def _letters(said: dict[str, float]) -> dict[str, float]:
    """Return the means of the versions."""
    return {x: fmean(said[q] for q in ORDER if q[0] == x) for x in "abcdefghijk"}


def _imply(said: dict[str, float]) -> dict[str, float]:
    """Return what I to V imply of VI to XI."""
    p = {question: value / 100 for question, value in said.items()}
    given_other = {1: p["d1"], 0: p["e1"]}, {1: p["d2"], 0: p["e2"]}
    first = second = 0.5
    for _ in range(5000):
        first = given_other[0][1] * second + given_other[0][0] * (1 - second)
        second = given_other[1][1] * first + given_other[1][0] * (1 - first)
    joint, effect = {}, {(0, 0): p["i"], (0, 1): p["j1"], (1, 0): p["j2"], (1, 1): p["k"]}
    for one, two in product((0, 1), (0, 1)):
        by_second = (given_other[0][two] if one else 1 - given_other[0][two]) * (
            second if two else 1 - second
        )
        by_first = (given_other[1][one] if two else 1 - given_other[1][one]) * (
            first if one else 1 - first
        )
        joint[one, two] = (by_second + by_first) / 2
    implied = {}
    for letter, (happened, other) in {
        "a": (1, 1), "b": (1, None), "c": (1, 0), "f": (0, 1), "g": (0, None), "h": (0, 0),
    }.items():  # fmt: skip
        for version in (0, 1):
            weight = {0: 0.0, 1: 0.0}
            for world, chance in joint.items():
                if other is None or world[1 - version] == other:
                    likely = effect[world] if happened else 1 - effect[world]
                    weight[world[version]] += chance * likely
            total = weight[0] + weight[1]
            implied[f"{letter}{version + 1}"] = weight[1] / total if total else math.nan
    return implied


def _shift_ratio(said: Answers) -> float:
    """Return the mean observed over the mean implied shift, where the answers imply one."""
    pairs = []
    for answers in said.values():
        implied = _imply(answers)
        for v in "12":
            own, expected = (one["c" + v] - one["a" + v] for one in (answers, implied))
            if not math.isnan(expected):
                pairs.append((own / 100, expected))
    return fmean(own for own, _ in pairs) / fmean(expected for _, expected in pairs)


def _contrast(said: Answers, above: str, below: str) -> list[float]:
    return [
        (fmean(a[above + v] for v in "12") - fmean(a[below + v] for v in "12")) / 100
        for a in said.values()
    ]


def _t_interval(values: Sequence[float]) -> tuple[float, float, float]:
    mean, n = fmean(values), len(values)
    reach = T11 * math.sqrt(sum((x - mean) ** 2 for x in values) / n / (n - 1))
    return mean, mean - reach, mean + reach


def _t_p(values: Sequence[float]) -> float:
    """Return the two-sided p-value of a mean of 0, by Simpson's rule over t's density."""
    mean, n = fmean(values), len(values)
    t = abs(mean) / math.sqrt(sum((x - mean) ** 2 for x in values) / n / (n - 1))
    k = n - 1
    scale = math.gamma((k + 1) / 2) / math.gamma(k / 2) / math.sqrt(k * math.pi)
    steps = 20_000
    width = t / steps
    total = sum(
        (1 if i in (0, steps) else 4 if i % 2 else 2) * (1 + (i * width) ** 2 / k) ** (-(k + 1) / 2)
        for i in range(steps + 1)
    )
    p: float = 1 - 2 * scale * total * width / 3
    return p


def _ranks(values: Sequence[float]) -> list[float]:
    values = [round(x, 9) for x in values]  # means that are equal may differ by rounding
    return [sum(y < x for y in values) + (sum(y == x for y in values) + 1) / 2 for x in values]


def _pearson(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = fmean(x), fmean(y)
    top = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    squares = sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    return top / math.sqrt(squares)


def _spearman(x: Sequence[float], y: Sequence[float]) -> float:
    return _pearson(_ranks(x), _ranks(y))


def _halves(splits: int) -> float:
    """Return the reliability of people's means, by random halves of our own."""
    draw, persons, found = random.Random(1), _persons(), []
    for _ in range(splits):
        one, two = [], []
        for people in persons.values():
            mixed = [_letters(person) for person in draw.sample(people, len(people))]
            half = len(mixed) // 2 + (draw.random() < 0.5) * (len(mixed) % 2)
            for letter in "abcdefghijk":
                one.append(fmean(person[letter] for person in mixed[:half]))
                two.append(fmean(person[letter] for person in mixed[half:]))
        found.append(_spearman(one, two))
    r = fmean(found)
    return 2 * r / (1 + r)


def _wilson(hits: dict[Vignette, list[float]]) -> tuple[float, float, float]:
    """Return a share with Wilson's interval, for as many answers as vignettes' spread is worth."""
    every = [hit for group in hits.values() for hit in group]
    share, n, units = fmean(every), len(every), len(hits)
    spread = sum((sum(group) - len(group) * share) ** 2 for group in hits.values()) / n**2
    binomial = share * (1 - share)
    worth = spread * units / (units - 1) / binomial if spread > 1e-12 else 1 / units
    q = T11**2 * worth
    middle, half = share + q / 2, math.sqrt(q * binomial + q * q / 4)
    low, high = (middle - half) / (1 + q), (middle + half) / (1 + q)
    return share, min(share, max(0.0, low)), max(share, min(1.0, high))


def _recalculate(said: Answers) -> dict[tuple[str, str, str], float]:
    """Return (table, measure, column) to a number, of everything that is not drawn at random."""
    people, persons = _mean_person(), _persons()
    said = {vignette: said[vignette] for vignette in people}
    found: dict[tuple[str, str, str], float] = {}

    def put(table: str, measure: str, **numbers: float) -> None:
        found.update({(table, measure, column): value for column, value in numbers.items()})

    put("differences", "shift_ratio", estimate_a=_shift_ratio(said))
    for name, above, below in (("explaining_away", "c", "a"), ("markov_violation", "d", "e")):
        own, other = (_contrast(side, above, below) for side in (said, people))
        gap = [a - b for a, b in zip(own, other, strict=True)]
        mean, low, high = _t_interval(gap)
        put("differences", name, estimate_a=fmean(own), estimate_b=fmean(other), difference=mean)
        put("differences", name, low=low, high=high, p=_t_p(gap))
    cells = [(vignette, letter) for vignette in people for letter in "abcdefghijk"]
    target = [_letters(people[vignette])[letter] for vignette, letter in cells]
    own = [_letters(said[vignette])[letter] for vignette, letter in cells]
    rho = _spearman(own, target)
    floors = {
        name: _spearman([table[letter] for _, letter in cells], target)
        for name, table in BLIND.items()
        if name != "always 50"
    }
    best = max(floors.values())
    put("likeness", "human_correlation", agent_value=rho, floor=best, gain=rho - best)

    def off(values: Callable[[Vignette, str], float]) -> list[float]:
        return [
            fmean(abs(values(v, x) - _letters(people[v])[x]) for x in "abcdefghijk") for v in people
        ]

    mine = off(lambda v, x: _letters(said[v])[x])
    blind = min((off(lambda _, x, t=t: t[x]) for t in BLIND.values()), key=fmean)  # type: ignore[misc]
    mean, low, high = _t_interval(mine)
    put("likeness", "human_distance", agent_value=mean, low=low, high=high, floor=fmean(blind))
    gain, low, high = _t_interval([b - m for b, m in zip(blind, mine, strict=True)])
    others = fmean(_others([_letters(p)[x] for p in persons[v]]) for v, x in cells)
    put("likeness", "human_distance", gain=gain, gain_low=low, gain_high=high)
    put("likeness", "human_distance", people=others, ceiling=others / math.sqrt(2))
    for name, above, below in (("explaining_away", "c", "a"), ("markov_violation", "d", "e")):
        value = fmean(_contrast(said, above, below))
        single = {
            v: [fmean(p[above + i] - p[below + i] for i in "12") / 100 for p in group]
            for v, group in persons.items()
        }
        versions = [
            [p[above + i] - p[below + i] for group in persons.values() for p in group] for i in "12"
        ]
        r = _pearson(*versions)
        every = [x for group in single.values() for x in group]
        hits = {v: [_below(x, value) for x in group] for v, group in single.items()}
        _put_place(put, name, value, hits, every)
        put("places", name, reliability=2 * r / (1 + r))
    hits, mine, every = {}, [], []
    for vignette, group in persons.items():
        whole = [_letters(person) for person in group]
        for number, person in enumerate(whole):
            rest = whole[:number] + whole[number + 1 :]
            means = {x: fmean(other[x] for other in rest) for x in person}
            mine.append(fmean(abs(_letters(said[vignette])[x] - means[x]) for x in means))
            every.append(fmean(abs(person[x] - means[x]) for x in means))
            hits.setdefault(vignette, []).append(_below(every[-1], mine[-1]))
    _put_place(put, "human_distance", fmean(mine), hits, every)
    return found


def _put_place(
    put: Callable[..., None],
    name: str,
    value: float,
    hits: dict[Vignette, list[float]],
    every: Sequence[float],
) -> None:
    share, low, high = _wilson(hits)
    quarter, median, three = quantiles(every, n=4, method="inclusive")
    put("places", name, agent_value=value, place=share, place_low=low, place_high=high)
    put("places", name, quarter=quarter, median=median, three_quarters=three)


def _below(person: float, agent: float) -> float:
    return 0.5 if abs(person - agent) < 1e-9 else float(person < agent)


def _others(said: Sequence[float]) -> float:
    """Return how far another sample's mean would be, by all halves."""
    n, half = len(said), len(said) // 2
    places = range(n)
    gaps = [
        abs(fmean(said[i] for i in chosen) - fmean(said[i] for i in places if i not in chosen))
        for chosen in combinations(places, half)
    ]
    return fmean(gaps) * math.sqrt((2 / n) / (1 / half + 1 / (n - half)))


def _hold_against(table: pa.Table, said: Answers) -> tuple[int, float, Comparison]:
    """Return how many numbers were compared, and the largest difference."""
    among = compare_with_people({"judge": table})
    rows = {(row["table"], row["measure"]): row for row in among.rows()}
    expected = _recalculate(said)
    gaps = [
        abs(rows[name, measure][column] - value)
        for (name, measure, column), value in expected.items()
    ]
    return len(gaps), max(gaps), among


def tables(small: bool) -> Iterator[Figure]:
    """Yield the table of each agent, held against the second calculation."""
    del small
    rows, said = _reference()
    records = published_records("core", style=("direct",))
    agents = [("reference/judge.noisy-or", record_table(rows, DETTKI2025.record_columns), said)]
    for model in MODELS:
        name = f"published/{model}"
        agents.append((name, records.filter(pc.equal(records["agent"], name)), _model(model)))
    for name, table, answers in agents:
        count, gap, among = _hold_against(table, answers)
        yield Figure(
            f"{name} and people: {count} numbers, calculated a second time from the raw files, "
            f"agree to {EXACT:g}",
            "; ".join([f"largest difference {gap:.1e}", *_tell(among)]),
            gap < EXACT and count == 48,
        )


def _tell(among: Comparison) -> Iterator[str]:
    """Yield the table of an agent in words."""
    for change in among:
        ends = f"[{change.low or 0:+.3f}, {change.high or 0:+.3f}]"
        values = f"{change.a.estimate or 0:.3f} and people {change.b.estimate or 0:.3f}"
        yield f"{change.measure} {values}, {change.difference or 0:+.3f} {ends}"
    for one in among.likeness:
        ends = f"[{one.estimate.low or 0:.3f}, {one.estimate.high or 0:.3f}]"
        marks = (
            f"floor {one.floor or 0:.3f}, people {one.people or 0:.3f}, ceiling {one.ceiling:.3f}"
        )
        yield f"{one.measure} {one.estimate.estimate or 0:.3f} {ends}, {marks}: {one.verdict}"
    for place in among.places:
        share = place.share
        ends = f"[{share.low or 0:.2f}, {share.high or 0:.2f}]"
        yield f"{place.measure} above {share.estimate or 0:.2f} {ends} of people"


def by_chance(small: bool) -> Iterator[Figure]:
    """Yield what is drawn at random, with draws of another kind."""
    rows, _ = _reference()
    among = compare_with_people({"judge": record_table(rows, DETTKI2025.record_columns)})
    aligned = next(one for one in among.likeness if one.measure == "human_correlation")
    again = _halves(60 if small else 600)
    yield Figure(
        "people's reliability by random halves agrees with other random halves to .01",
        f"{aligned.people:.4f} and {again:.4f}; ceiling {aligned.ceiling:.4f}",
        abs((aligned.people or 0) - again) < 0.01
        and abs((aligned.ceiling or 0) - math.sqrt(again)) < 0.01,
    )


def floor(small: bool) -> Iterator[Figure]:
    """Yield how published models fare against agents that do not reason."""
    records = published_records("core", style=("direct",) if small else ("direct", "cot"))
    for measure in ("human_correlation", "human_distance"):
        found = [one for one in compare_likeness(records) if one.measure == measure]
        nearer = sum(one.verdict == "closer than the baseline" for one in found)
        farther = sum(one.verdict == "farther than the baseline" for one in found)
        best = max(found, key=lambda one: one.gain.estimate or -math.inf)
        yield Figure(
            f"{measure}: published runs that are shown to be nearer to people than six numbers",
            f"{nearer} of {len(found)}, {farther} are farther; best "
            f"{best.labels['agent']} ({best.labels['style']}) {best.estimate.estimate:.3f}, "
            f"floor {best.floor:.3f} ({best.floor_agent}), ceiling {best.ceiling:.3f}",
            len(found) > 25,
        )


PARTS: Parts = {
    "likeness tables": tables,
    "likeness by chance": by_chance,
    "likeness floor": floor,
}
