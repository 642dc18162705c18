"""What the published keys of `analyze`'s source say, and what its own rows say.

One part for each entry of docs/errata/analyze.md, under the same name. A part prints what is
printed and what is recomputed here; it holds if the recomputation is what docs/errata says. Keys,
rubrics and rows are read from the downloaded data. What concerns the source's rubrics and programs
is in `evidence.pitfall_programs`.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from evidence.figures import Figure, Parts, figures_of
from evidence.pitfall_programs import PARTS as PROGRAM_PARTS
from whybench.datasets import file_state
from whybench.suites.analyze.estimators.regression import (
    design_matrix,
    fit_curve,
    least_squares,
    local_mean,
    mean_difference,
)
from whybench.suites.analyze.estimators.weighting import doubly_robust
from whybench_papers.du2025.arithmetic import fit_response
from whybench_papers.du2025.data_sets import SOURCE, read_data_sets
from whybench_papers.du2025.replication import key_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from whybench_papers.du2025.data_sets import DataSet

DOSES = -1, 2


@cache
def _keys() -> list[dict[str, Any]]:
    return key_rows()


def _rows(folder: str, name: str) -> list[dict[str, Any]]:
    return [row for row in _keys() if (row["folder"], row["name"]) == (folder, name)]


def _flagged(folder: str, name: str, flag: str = "beyond_tolerance") -> list[int]:
    """Return the numbers of the data sets of which a key field is flagged."""
    return [row["number"] for row in _rows(folder, name) if flag in row["flags"].split()]


def _beside(rows: list[dict[str, Any]], digits: int = 4) -> str:
    return ", ".join(f"{row['printed']} / {row['estimate']:.{digits}f}" for row in rows)


def _counterfactual_effects(_small: bool) -> Iterator[Figure]:
    folder = "counterfactual_reasoning"
    rounded, poly = [], []
    for data in read_data_sets(folder):
        dose, outcome, confounder = data.columns("VARIABLE_X", "VARIABLE_Y", "CONFOUNDER")
        at = round(fit_response(outcome, dose, confounder).steepness.value, 1)
        rounded.append(round(float(np.tanh(2 * at) + np.tanh(at)), 4))
        poly.append(fit_curve(outcome, dose, 5, [confounder]).change(*DOSES))
    rows = _rows(folder, "ATE")
    off = [abs(row["printed"] - one.value) / one.se for row, one in zip(rows, poly, strict=True)]
    yield Figure(
        "the ATE is 1.96, 1.95, 1.98, 1.96, 1.97; four of five keys print 0.86 to 0.95",
        f"printed / recomputed: {_beside(rows)}; at the nearest round steepness: {rounded}",
        _flagged(folder, "ATE") == [2, 3, 4, 5]
        and rounded == [1.9634, 1.9453, 1.9754, 1.9552, 1.97],
    )
    yield Figure(
        "without a formula too (polynomial of degree 5): those four are over 3 standard errors off",
        ", ".join(f"{one.value:.2f} ± {one.se:.2f}" for one in poly)
        + "; printed values off by "
        + ", ".join(f"{z:.1f}" for z in off),
        [z > 3 for z in off] == [False, True, True, True, True],
    )


def _counterfactual_differences(_small: bool) -> Iterator[Figure]:
    folder, field = "counterfactual_reasoning", "CONDITIONAL_DIFFERENCE"
    seen = []
    for data in read_data_sets(folder):
        dose, outcome = data.columns("VARIABLE_X", "VARIABLE_Y")
        low, high = (local_mean(outcome, dose, at, 0.5).value for at in DOSES)
        seen.append(high - low)
    rows = _rows(folder, field)
    yield Figure(
        "the observed difference between the doses is -3.0 to -4.6; keys print -0.8 to -2.3",
        f"printed / recomputed: {_beside(rows, 2)}; of rows near the doses: "
        + ", ".join(f"{value:.2f}" for value in seen),
        len(_flagged(folder, field)) == 5
        and all(row["printed"] - value > 1.5 for row, value in zip(rows, seen, strict=True)),
    )


def _readings(data: DataSet) -> dict[str, tuple[float, float]]:
    """Return every pair of conditional shares that a naive pair could be."""
    first, second = data.columns("VARIABLE_X", "VARIABLE_Y")
    found = {}
    for swapped, event, order in product((False, True), (1, 0), ((1, 0), (0, 1))):
        of, given = (first, second) if swapped else (second, first)
        one, other = (float((of[given == value] == event).mean()) for value in order)
        words = ("X", "Y") if swapped else ("Y", "X")
        name = f"P({words[0]}={event} | {words[1]}={order[0]}, {order[1]})"
        found[name] = (one, other)
    return found


def _naive_pairs(_small: bool) -> Iterator[Figure]:
    folder = "berkson_paradox"
    pairs = [_flagged(folder, f"NAIVE_CONDITIONAL_{place}") for place in (1, 2)]
    yield Figure(
        "P(Y=1 | X=1) and P(Y=1 | X=0) are beyond the key's tolerance in 5 of 5 sets",
        f"{_beside(_rows(folder, 'NAIVE_CONDITIONAL_1'))}; "
        f"{_beside(_rows(folder, 'NAIVE_CONDITIONAL_2'))}",
        pairs == [[1, 2, 3, 4, 5], [1, 2, 3, 4, 5]],
    )
    fits: dict[int, list[str]] = {}
    for data in read_data_sets(folder):
        assert data.key is not None
        key = [data.key[f"NAIVE_CONDITIONAL_{place}"] for place in (1, 2)]
        fits[data.number] = [
            name
            for name, pair in _readings(data).items()
            if max(abs(np.subtract(pair, key))) <= data.key["TOLERANCE"]
        ]
    yield Figure(
        "of the eight ways to read such a pair, three sets fit one each, all different, two none",
        str(fits),
        [len(names) for names in fits.values()] == [1, 0, 0, 1, 1]
        and len({name for names in fits.values() for name in names}) == 3,
    )


def _corrected_pairs(_small: bool) -> Iterator[Figure]:
    absent, reached = 0, []
    for data in read_data_sets("berkson_paradox"):
        assert data.key is not None
        first, second = data.columns("VARIABLE_X", "VARIABLE_Y")
        absent += len(data.rows) == 2
        counts = np.array([[((first == x) & (second == y)).sum() for y in (0, 1)] for x in (0, 1)])
        share = data.key["CORRECTED_CONDITIONAL_1"]
        for other in (share, share / 2, (1 + share) / 2):
            # Chances of selection are free, so the population may be any: here one with P(Y=1)
            # of `share` where X=0 and `other` where X=1.
            population = np.array([[1 - share, share], [1 - other, other]])
            chance = counts / population / (counts / population).max()
            weighted = counts / chance
            reached.append((weighted[:, 1] / weighted.sum(axis=1), (share, other), chance))
    yield Figure(
        "the files hold two columns and no chances of selection; some chances give the key's "
        "values, others half as much or far more, from the same rows",
        f"{absent} files without the collider; {len(reached)} pairs reached, smallest chance "
        f"{min(chance.min() for *_, chance in reached):.4f}",
        absent == 5
        and all(np.allclose(got, want) for got, want, _ in reached)
        and all(((chance > 0) & (chance <= 1)).all() for *_, chance in reached),
    )


def _crude_passes(_small: bool) -> Iterator[Figure]:
    found: dict[str, list[tuple[float, bool]]] = {"crude": [], "regression": [], "robust": []}
    treated = []
    for data in read_data_sets("casual_effect"):
        assert data.key is not None
        treatment, outcome = data.columns("TREATMENT", "OUTCOME")
        before = data.columns("TRUE_CONFOUNDERS")
        ways = {
            "crude": mean_difference(outcome, treatment),
            "regression": least_squares(outcome, design_matrix(treatment, *before))[1],
            "robust": doubly_robust(outcome, treatment, before),
        }
        for way, effect in ways.items():
            off = abs(effect.value - data.key["TRUE_CAUSAL_EFFECT"])
            found[way].append((round(effect.value, 3), off <= data.key["TOLERANCE"]))
        treated.append(int(treatment.sum()))
    yield Figure(
        "at ±0.05 the crude difference passes in 5 of 5 sets, a regression on all named "
        "confounders in 4, a doubly robust estimate in 3",
        "; ".join(f"{way} {values}" for way, values in found.items()),
        [sum(passes for _, passes in values) for values in found.values()] == [5, 4, 3],
    )
    row = _rows("casual_effect", "TRUE_CAUSAL_EFFECT")[4]
    yield Figure(
        "machine_maintenance: the key lies beyond chance of what its own confounders give; "
        "patient_treatment: 14 of 1000 were treated",
        f"printed {row['printed']}, recomputed {row['estimate']:.3f} "
        f"[{row['low']:.3f}, {row['high']:.3f}]; treated {treated}",
        "beyond_chance" in row["flags"] and treated[0] == 14,
    )


def _reversals(_small: bool) -> Iterator[Figure]:
    found = {}
    for data in read_data_sets("simpson_paradox"):
        drug, outcome, stratum = data.columns("TREATMENT", "OUTCOME", "CONFOUNDER")
        had = (drug == "Yes").astype(int)
        parts = [
            mean_difference(outcome[stratum == s], had[stratum == s]) for s in ("Young", "Old")
        ]
        found[data.number] = (mean_difference(outcome, had), *parts)
    signs = {n: [int(np.sign(one.value)) for one in parts] for n, parts in found.items()}
    clear = {n: all(abs(one.z) > 1.96 for one in parts) for n, parts in found.items()}
    yield Figure(
        "Simpson: the crude sign is turned in both strata in sets 1 and 2 only; in no set are "
        "all three differences significant and turned",
        "; ".join(
            f"{n}: " + ", ".join(f"{one.value:+.3f} (z {one.z:+.1f})" for one in parts)
            for n, parts in found.items()
        ),
        [n for n, (crude, *rest) in signs.items() if rest == [-crude, -crude]] == [1, 2]
        and not any(clear[n] for n in (1, 2)),
    )
    row = _rows("simpson_paradox", "ADJUSTED_P_DIFF")[2]
    yield Figure(
        "set 3 has strata of opposite signs; its standardised effect is turned all the same",
        f"strata {signs[3][1:]}, crude {found[3][0].value:+.3f}, adjusted {row['estimate']:+.3f}",
        signs[3] == [1, -1, 1] and row["high"] < 0,
    )


def _sleep_study(_small: bool) -> Iterator[Figure]:
    data = read_data_sets("observational_vs_experimental_reasoning")[0]
    treatment, outcome = data.columns("TREATMENT", "OUTCOME")
    exercise = data.rows["exercise_regularly"]
    parts = [
        mean_difference(outcome[exercise == e], treatment[exercise == e]).value for e in (0, 1)
    ]
    row = _rows(data.challenge, "ADJUSTED_P_DIFF")[0]
    yield Figure(
        "sleep study: the adjusted difference is 0.014, not 0.074, which is what adjusting for "
        "exercise alone gives",
        f"{row['estimate']:.4f} [{row['low']:.3f}, {row['high']:.3f}]; exercise alone "
        f"{np.mean(parts):.4f}; flagged sets {_flagged(data.challenge, 'ADJUSTED_P_DIFF')}",
        round(row["estimate"], 3) == 0.014
        and round(float(np.mean(parts)), 3) == 0.074
        and _flagged(data.challenge, "ADJUSTED_P_DIFF") == [1],
    )


def _effect_at_zero(_small: bool) -> Iterator[Figure]:
    folder = "treatment_mediator"
    rows, at_mean, lowest = _rows(folder, "ADJUSTED_TREATMENT_EFFECT"), [], []
    for data in read_data_sets(folder):
        treatment, outcome, mediator = data.columns("TREATMENT", "OUTCOME", "MEDIATOR")
        centred = mediator - mediator.mean()
        matrix = design_matrix(
            treatment, treatment * centred, mediator, *data.columns("TRUE_CONFOUNDERS")
        )
        at_mean.append(least_squares(outcome, matrix)[1].value)
        lowest.append(float(mediator.min()))
    none = [row["number"] for row in rows if row["low"] < 0 < row["high"]]
    yield Figure(
        "the adjusted effect (1 to 10) is that at a mediator of 0, which lies between 37 and 67; "
        "four are not distinguishable from 0; at the mean mediator it is 92 to 133",
        f"{_beside(rows)}; at the mean: {', '.join(f'{value:.1f}' for value in at_mean)}; "
        f"smallest mediator {min(lowest):.1f}; interval holds 0 in sets {none}",
        none == [1, 3, 4, 5] and min(lowest) > 36 and min(at_mean) > 92,
    )


def _right(_small: bool) -> Iterator[Figure]:
    exact = {
        "simpson_paradox": 0.0005,
        "observational_vs_experimental_reasoning": 0.00051,
        "mediation_outcome_confounder": 0.00005,
        "sequential_mediator": 0.00005,
        "treatment_mediator": 0.00005,
    }
    compared = reached = 0
    for row in _keys():
        wanted = row["printed"] is not None and row["name"] != "ADJUSTED_P_DIFF"
        if row["folder"] in exact and wanted:
            compared += 1
            reached += abs(row["printed"] - row["estimate"]) <= exact[row["folder"]] + 1e-9
    yield Figure(
        "rates, means and regression effects of five challenges are those of the rows, to rounding",
        f"{reached} of {compared} key fields",
        reached == compared == 90,
    )
    coefficients = [
        row
        for row in _keys()
        if row["folder"] in {"moderation_effect", "population_shift", "temporal_stability"}
    ]
    near_key = [row for row in coefficients if "beyond_chance" not in row["flags"]]
    edges = _rows("causal_direction_iv", "TRUE_EDGES")
    yield Figure(
        "35 coefficients are within chance of the key, and all five directions are inferred",
        f"{len(near_key)} of {len(coefficients)}; "
        f"{sum(row['printed'] == row['estimate'] for row in edges)} of {len(edges)}",
        len(near_key) == len(coefficients) == 35
        and all(row["printed"] == row["estimate"] for row in edges),
    )


PARTS: Parts = {
    "counterfactual-effects": _counterfactual_effects,
    "counterfactual-differences": _counterfactual_differences,
    "naive-pairs": _naive_pairs,
    "corrected-pairs": _corrected_pairs,
    "crude-passes": _crude_passes,
    "reversals": _reversals,
    "sleep-study": _sleep_study,
    "effect-at-zero": _effect_at_zero,
    **PROGRAM_PARTS,
    "right": _right,
}
"""The entries of docs/errata/analyze.md by name."""


def fetched() -> bool:
    """Say whether the source's data are here."""
    return file_state(SOURCE, "challenges/simpson_paradox/answer_key.json") != "not fetched"


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the entries whose name contains `only`; nothing can be compared without the data."""
    if not fetched():
        yield Figure(
            f"pitfalls: {SOURCE} is not here; `whybench data fetch {SOURCE}`",
            "nothing compared",
            True,
        )
        return
    yield from figures_of(PARTS, small, only)
