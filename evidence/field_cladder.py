"""What CLadder's test files hold: the entries of docs/errata/field.md under CLadder.

Verdicts come from prompts alone. The files also hold what a reader is not shown: the numbers before
rounding, and the models' parameters. They are used here to try our reading of the prompts, and to
find where the source's own arithmetic went wrong.
"""

from __future__ import annotations

import os
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scipy.optimize import linprog

from evidence.figures import Figure, Parts, figures_of
from evidence.hidden_models import (
    find_hidden_share,
    find_hidden_value,
    hidden_shares,
    make_hidden_model,
)
from whybench_papers.audits.cladder import audit_cladder, read_items
from whybench_papers.audits.cladder.effects import find_estimate
from whybench_papers.audits.cladder.prompt_parser import (
    parse_background,
    parse_question,
    parse_shares,
)
from whybench_papers.audits.cladder.ranges import PrintedShares
from whybench_papers.audits.cladder.rules import is_possible, parse_rules, solve, solve_loosely
from whybench_papers.audits.findings import VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from whybench_papers.audits.findings import Finding

NUMBERLESS = "backadj", "collider_bias", "det-counterfactual"
"""Kinds of question whose answer does not rest on shares."""

BY_FILE = {
    "easy": (562, 6, 92, 184),
    "hard": (566, 8, 84, 186),
    "anti": (562, 10, 84, 188),
    "non": (764, 13, 110, 233),
    "det": (508, 4, 0, 0),
}
"""Right, wrong, undetermined, trivial."""

BY_QUERY = {
    "marginal": (626, 6, 12, 0),
    "correlation": (572, 0, 72, 0),
    "exp_away": (68, 0, 0, 0),
    "ate": (119, 3, 98, 356),
    "backadj": (576, 0, 68, 0),
    "collider_bias": (66, 0, 0, 2),
    "ett": (117, 16, 14, 349),
    "nde": (144, 4, 36, 0),
    "nie": (166, 8, 70, 84),
    "det-counterfactual": (508, 4, 0, 0),
}

UNDETERMINED = {
    "not identified": 134,
    "rounding, print as it stands agrees": 81,
    "both methods are correct": 68,
    "positively affects a name without direction": 40,
    "rounding, print as it stands disagrees": 19,
    "tie": 16,
    "the print contradicts itself": 12,
}

WRONG = {
    "a small effect counts as none": 10,
    "asks for the state that is there already": 13,
    "the printed numbers give the other answer": 14,
    "the rules give the other answer": 2,
    "the rules give the other answer, the state to be replaced cannot be": 2,
}

WRONG_COUNT = sum(WRONG.values())


def _folder() -> Path:
    return Path(os.environ.get("WHYBENCH_DATA_MIRROR", "")) / "cladder"


def fetched() -> bool:
    """Say whether the source's files are here."""
    return (_folder() / "data/test-model-meta.json").is_file()


@cache
def _items() -> tuple[tuple[str, dict[str, Any], dict[str, Any]], ...]:
    return tuple(read_items(_folder()))


@cache
def _findings() -> Mapping[tuple[str, str], Finding]:
    return {(found.file, found.item): found for found in audit_cladder(_folder())}


def _short(file: str) -> str:
    return file.removeprefix("data/test-generate-").removesuffix(".json")


def _tally(counted: Iterable[Any]) -> dict[Any, int]:
    return dict(sorted(Counter(counted).items()))


def _reader(small: bool) -> Iterator[Figure]:
    """Hold every graph, kind of question and number that is read against what the files hide."""
    del small
    graphs = kinds = shares = differ = 0
    elsewhere: Counter[str] = Counter()
    for _, item, model in _items():
        world = parse_background(model["background"])
        nodes, names = world.graph.nodes, model["variable_mapping"]
        edges = (edge.split("->") for edge in model["structure"].split(","))
        told = {(names[f"{a}name"], names[f"{b}name"]) for a, b in edges}
        graphs += told == set(world.graph.edges)
        kind = item["meta"]["query_type"]
        kinds += parse_question(item["question"], nodes).query == kind
        if kind in NUMBERLESS:
            continue
        hidden = hidden_shares(item["meta"]["given_info"])
        for share, (of, given, number) in zip(
            parse_shares(item["given_info"], nodes), hidden, strict=True
        ):
            shares += 1
            differ += f"{share.percent}%" != f"{number:.0%}"
            meant = {names[f"{v}name"]: value for v, value in (*of.items(), *given.items())}
            for name, value in (*share.event, *share.given):
                elsewhere[name] += meant[name] != value
    yield Figure(
        "the graph and the kind of question of 4,164 items are read as the files have them",
        f"graphs {graphs}, kinds {kinds}",
        graphs == kinds == 4164,
    )
    yield Figure(
        "all of 10,636 shares that are read are the hidden ones, rounded to a percent",
        f"{shares} shares, {differ} differ",
        (shares, differ) == (10636, 0),
    )
    strays = {name: count for name, count in elsewhere.items() if count}
    yield Figure(
        "words say another state than is meant of the CEO, and of penguin survival, which is death",
        str(strays),
        set(strays) == {"CEO", "penguin survival"},
    )


def _verdicts(small: bool) -> Iterator[Figure]:
    """Count verdicts by file, by kind of question and by reason."""
    del small
    found = list(_findings().values())
    for title, table, key in (
        ("file", BY_FILE, lambda each: _short(each.file)),
        ("kind", BY_QUERY, lambda each: each.query),
    ):
        counts = Counter((key(each), each.verdict) for each in found)
        measured = {row: tuple(counts[row, verdict] for verdict in VERDICTS) for row in table}
        yield Figure(
            f"by {title}, {', '.join(VERDICTS)}: {table}", str(measured), measured == table
        )
    for verdict, expected in (("undetermined", UNDETERMINED), ("wrong", WRONG)):
        reasons = _tally(each.reason for each in found if each.verdict == verdict)
        yield Figure(f"{verdict}, by reason: {expected}", str(reasons), reasons == expected)
    ties = sum(each.key == "yes" for each in found if each.reason == "tie")
    contrary = sum(each.reason.endswith("disagrees") for each in found)
    yield Figure(
        "taking printed percentages at their word 61 keys are wrong: 19 more, and a tie",
        f"{WRONG_COUNT} + {contrary} + {ties}",
        WRONG_COUNT + contrary + ties == 61,
    )
    prompts: dict[tuple[str, ...], set[str]] = {}
    for _, item, model in _items():
        prompt = model["background"], item["given_info"], item["question"]
        prompts.setdefault(prompt, set()).add(item["answer"])
    opposite = sum(len(keys) > 1 for keys in prompts.values())
    yield Figure(
        "3,866 of 4,164 prompts are distinct, and no two that are the same have opposite keys",
        f"{len(prompts)} distinct, {opposite} with both keys",
        (len(prompts), opposite) == (3866, 0),
    )


@cache
def _hidden_values() -> Mapping[tuple[int, str], float]:
    """Return the quantities of all questions with shares, in the models behind them."""
    values: dict[tuple[int, str], float] = {}
    for _, item, model in _items():
        key = model["model_id"], item["meta"]["query_type"]
        if key[1] not in NUMBERLESS and key not in values:
            values[key] = find_hidden_value(key[1], make_hidden_model(model["params"]))
    return values


def _rule(item: dict[str, Any], value: float) -> str:
    """Return the key that the source's rule gives: what is less than half a point is nothing."""
    query = item["meta"]["query_type"]
    if abs(value) < 0.005 and query not in ("marginal", "exp_away"):
        return "no"
    more = (value > 0) != (query == "ett")
    return "yes" if more == bool(item["meta"]["polarity"]) else "no"


def _known(small: bool) -> Iterator[Figure]:
    """Find the known erratum: sums over parents as though they were independent."""
    del small
    families: dict[str, set[str]] = {}
    contrary: list[Finding] = []
    for file, item, model in _items():
        query = item["meta"]["query_type"]
        if query in NUMBERLESS:
            continue
        value = _hidden_values()[model["model_id"], query]
        stored = item["meta"]["groundtruth"] - (0.5 if query == "marginal" else 0)
        if abs(value - stored) > 1e-6:
            families.setdefault(query, set()).add(model["graph_id"])
        if _rule(item, value) != item["answer"]:
            contrary.append(_findings()[file, item["desc_id"]])
    expected = {
        "marginal": {
            *("IV", "arrowhead", "confounding", "diamond", "diamondcut", "frontdoor", "mediation")
        },
        **{query: {"arrowhead"} for query in ("ate", "ett", "nde", "nie")},
    }
    yield Figure(
        "stored values are not the models' in 7 of 10 graphs for P(Y), and in the arrowhead for "
        "ate, ett, nde and nie: as CLadder's issue 15 says of its full data set",
        str({query: sorted(graphs) for query, graphs in families.items()}),
        families == expected,
    )
    counted = _tally((each.query, each.verdict) for each in contrary)
    yield Figure(
        "14 keys are not what the source's rule gives for the exact value: 8 marginals, of which "
        "6 are wrong by the print, and 6 indirect effects, which the print leaves open",
        str(counted),
        counted
        == {("marginal", "undetermined"): 2, ("marginal", "wrong"): 6, ("nie", "undetermined"): 6},
    )


def _shares(small: bool) -> Iterator[Figure]:
    """Hold printed shares against the models' own."""
    del small
    count = 0
    graphs: Counter[str] = Counter()
    seen: dict[tuple[Any, ...], float] = {}
    for _, item, model in _items():
        if item["meta"]["query_type"] in NUMBERLESS:
            continue
        for of, given, number in hidden_shares(item["meta"]["given_info"]):
            key = model["model_id"], *of.items(), "given", *given.items()
            if key not in seen:
                hidden = make_hidden_model(model["params"])
                seen[key] = find_hidden_share(hidden, of, given)
            count += 1
            graphs[model["graph_id"]] += f"{number:.0%}" != f"{seen[key]:.0%}"
    off = {graph: total for graph, total in graphs.items() if total}
    yield Figure(
        "262 of 10,636 printed shares are not the models': 204 in the arrowhead, 58 in IV",
        f"{sum(off.values())} of {count}: {off}",
        (count, off) == (10636, {"arrowhead": 204, "IV": 58}),
    )


def _rules(small: bool) -> Iterator[Figure]:
    """Solve what is told as rules, strictly by both engines, and loosely."""
    del small
    read: Counter[str] = Counter()
    for file, item, model in _items():
        if _short(file) != "det":
            continue
        graph = parse_background(model["background"]).graph
        asked = parse_question(item["question"], graph.nodes)
        told = graph, *parse_rules(item["given_info"], graph.nodes), asked
        strict, loose = solve(*told), solve_loosely(*told)
        read["solved"] += strict in (0, 1)
        read["loosely open"] += len(loose) > 1
        read["loosely the other"] += loose == {1 - int(strict)}
        read["impossible"] += not is_possible(*told)
    yield Figure(
        "rules settle all 512 items if effects come only from what causes them; if rules say "
        "nothing about the rest, 274 are open and none turns; in 128 the state to be replaced "
        "cannot have been",
        str(dict(read)),
        (read["solved"], read["loosely open"], read["loosely the other"], read["impossible"])
        == (512, 274, 0, 128),
    )


def _instrument(small: bool) -> Iterator[Figure]:
    """Find models with one binary hidden variable that agree with the print and differ in sign."""
    prints = {}
    for file, item, model in _items():
        found = _findings()[file, item["desc_id"]]
        if found.query == "ate" and found.reason == "not identified":
            nodes = parse_background(model["background"]).graph.nodes
            asked = parse_question(item["question"], nodes)
            shares = parse_shares(item["given_info"], nodes)
            effect = [s.percent / 100 for s in shares if s.event[0][0] == asked.effect[0]]
            cause = [s.percent / 100 for s in shares if s.event[0][0] != asked.effect[0]]
            prints[tuple(cause), tuple(effect)] = found
    chosen = list(prints)[:: 10 if small else 1]
    open_ones = sum(_has_both_signs(cause, effect) for cause, effect in chosen)
    yield Figure(
        f"one binary hidden variable suffices to turn the effect in all of {len(chosen)} prints",
        f"{open_ones} of {len(chosen)}; {len(prints)} prints in all",
        open_ones == len(chosen) > 0,
    )


def _ratio(small: bool) -> Iterator[Figure]:
    """Compare the sign of the ratio of differences with the key."""
    del small
    verdicts: Counter[str] = Counter()
    same = 0
    for file, item, model in _items():
        if (item["meta"]["query_type"], model["graph_id"]) != ("ate", "IV"):
            continue
        nodes = parse_background(model["background"]).graph.nodes
        first, second, third, fourth = (
            share.percent for share in parse_shares(item["given_info"], nodes)
        )
        sign = parse_question(item["question"], nodes).sign
        rises = (second - first) * (fourth - third) * sign > 0
        same += item["answer"] == ("yes" if rises else "no")
        verdicts[_findings()[file, item["desc_id"]].verdict] += 1
    yield Figure(
        "the ratio of differences has the sign of the key in all of 80 items, of which 2 are right",
        f"{same}; {dict(verdicts)}",
        same == 80 and verdicts == {"right": 2, "undetermined": 78},
    )


def _has_both_signs(cause: Sequence[float], effect: Sequence[float]) -> bool:
    signs = set()
    for hidden, *places in product((0.2, 0.35, 0.5, 0.65, 0.8), (0, 0.5, 1), (0, 0.5, 1)):
        weights = 1 - hidden, hidden
        takes = []
        for share, place in zip(cause, places, strict=True):
            low, high = max(0.0, (share - weights[0]) / hidden), min(1.0, share / hidden)
            among = low + place * (high - low)
            takes.append(((share - hidden * among) / weights[0], among))
        rows = [
            [
                w * (take if x else 1 - take)
                for x in (0, 1)
                for w, take in zip(weights, by, strict=True)
            ]
            for by in takes
        ]
        gains = [w if x else -w for x in (0, 1) for w in weights]
        for sign in (1, -1):
            solved = linprog(
                [-sign * gain for gain in gains], A_eq=rows, b_eq=effect, bounds=(0, 1)
            )
            if solved.status == 0 and -solved.fun > 1e-6:
                signs.add(sign)
        if len(signs) == 2:
            return True
    return False


def _mediation(small: bool) -> Iterator[Figure]:
    """Solve whole printed worlds twice, and count direct effects that depend on the mediator."""
    del small
    agree = count = settled = same = literal = 0
    for file, item, model in _items():
        query = item["meta"]["query_type"]
        if query not in ("nde", "nie") or model["graph_id"] != "mediation":
            continue
        graph = parse_background(model["background"]).graph
        asked = parse_question(item["question"], graph.nodes)
        x, (m,), y = (asked.cause or asked.effect)[0], asked.through, asked.effect[0]
        printed = parse_shares(item["given_info"], graph.nodes)
        shares = PrintedShares(printed)
        low, high = find_estimate(query, graph, x, y, shares).range_within(Fraction(0))

        def chance(name: str, given: dict[str, int], within: PrintedShares = shares) -> Fraction:
            return within.bounds((name, frozenset(given.items())), Fraction(0)).low

        gaps = [chance(y, {x: 1, m: v}) - chance(y, {x: 0, m: v}) for v in (0, 1)]
        world = {
            "p(X)": 0.5,
            "p(V2 | X)": [chance(m, {x: value}) for value in (0, 1)],
            "p(Y | X, V2)": [chance(y, {x: a, m: b}) for a, b in product((0, 1), repeat=2)],
        }
        count += 1
        both = find_hidden_value(query, make_hidden_model(world))
        agree += low == high and abs(both - float(low)) < 1e-12
        if query == "nde" and _findings()[file, item["desc_id"]].verdict == "right":
            settled += 1
            same += gaps[0] * gaps[1] > 0
            literal += gaps[0] * low <= 0
    yield Figure(
        "in all 184 natural effects of the mediation graph both engines give the formula's value",
        f"{agree} of {count}",
        agree == count == 184,
    )
    yield Figure(
        "of 80 direct effects there that are right, 24 have another sign at one value of the "
        "mediator, and 12 where it is absent, as the files' formal form has it",
        f"{settled - same} of {settled}, {literal}",
        (settled, settled - same, literal) == (80, 24, 12),
    )


PARTS: Parts = {
    "cladder-reader": _reader,
    "cladder-verdicts": _verdicts,
    "cladder-known": _known,
    "cladder-shares": _shares,
    "cladder-rules": _rules,
    "cladder-instrument": _instrument,
    "cladder-ratio": _ratio,
    "cladder-mediation": _mediation,
}


def figures(small: bool = False, only: str = "") -> Iterator[Figure]:
    """Yield the entries whose name contains `only`; nothing can be compared without the data."""
    if not fetched():
        yield Figure("cladder: the files are not here", "nothing compared", True)
        return
    yield from figures_of(PARTS, small, only)
