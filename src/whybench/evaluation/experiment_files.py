"""Reading experiments from YAML files.

Such a file::

    title: Does it help to reason step by step?
    models:
      - openai/gpt-4o
      - model: reference/judge.noisy-or
        args: {noise: 0.2}
    suites:
      - suite: judge
        design: {design: core, style: [direct, cot]}
      - suite: compose
        epochs: 3
    settings: {temperature: [0, 0.8]}    # several levels are crossed
    compare: [style, temperature]        # else all that has several levels
    measures: [explaining_away, markov_violation]  # default: the primary measures
    smallest: {explaining_away: 0.05}    # the smallest difference of interest
    exclude: {answered_below: 0.8}       # agents that answer less of a suite
    baselines: [people]
    quotas: {openai: 20}                 # calls a second, all workers together
    unit_size: 10000                     # the most samples of a unit
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.evaluation.statements import Experiment
from whybench.evaluation.units import UNIT_SIZE
from whybench.model_settings import MODEL_SETTINGS
from whybench.planning.asks import Ask, read_ask, read_model
from whybench.records.table import record_table
from whybench.results.experiments import AnalysisPlan
from whybench.results.pairing import compare_tables
from whybench.suites.calibration import simulate_rows
from whybench.suites.files import parse_mapping, read_text
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Mapping

SIMULATED_ANSWERS = 60
"""Answers that are enough for every measure of a suite to be computed, if not with an interval."""


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from a YAML file.

    Raises:
        UserError: It is not one.
    """
    given = parse_mapping(read_text(path), str(path), "models and suites")
    try:
        return _make(Path(path).stem, given)
    except UserError as error:
        raise UserError(f"{path}: {error}") from None


KEYS = {
    "title": str,
    "models": list,
    "suites": list,
    "settings": dict,
    "compare": list,
    "measures": list,
    "smallest": dict,
    "exclude": dict,
    "baselines": list,
    "quotas": dict,
    "unit_size": int,
}
"""The keys of an experiment, and the types of their values."""

KINDS = {str: "text", list: "a list", dict: "names and values", int: "a whole number"}


def _make(name: str, given: Mapping[str, Any]) -> Experiment:
    for key, value in given.items():
        if key not in KEYS:
            raise UserError(
                f"an experiment may have {', '.join(KEYS)}, got {key!r}{suggest(str(key), KEYS)}"
            )
        if not isinstance(value, KEYS[key]):
            kind = KINDS[KEYS[key]]
            raise UserError(f"{key} must be {kind}, got {value!r}")
    for key in ("models", "suites"):
        if not given.get(key):
            raise UserError(f"an experiment must have {key}, got none")
    made = Experiment(
        title=given.get("title", name),
        models=tuple(map(read_model, given["models"])),
        asks=tuple(map(read_ask, given["suites"])),
        settings=given.get("settings", {}),
        analysis=_read_analysis(given),
        baselines=tuple(given.get("baselines", ())),
        quotas=given.get("quotas", {}),
        unit_size=given.get("unit_size", UNIT_SIZE),
    )
    if not 1 <= made.unit_size <= UNIT_SIZE:
        raise UserError(
            f"unit_size must be a whole number from 1 to {UNIT_SIZE}, got {made.unit_size}"
        )
    for provider, rate in made.quotas.items():
        if type(rate) not in {int, float} or not 0 < rate < float("inf"):
            raise UserError(f"the quota of {provider} must be calls a second above 0, got {rate!r}")
    _check_analysis(made)
    return made


def _read_analysis(given: Mapping[str, Any]) -> AnalysisPlan:
    exclude = given.get("exclude", {})
    known = ("answered_below",)
    for rule in exclude:
        if rule not in known:
            raise UserError(
                f"exclude must be {known[0]} and a share, got {rule!r}{suggest(str(rule), known)}"
            )
    share = exclude.get("answered_below", 0.0)
    if type(share) not in {int, float} or not 0 <= share <= 1:
        raise UserError(f"answered_below must be a share from 0 to 1, got {share!r}")
    smallest = given.get("smallest", {})
    for measure, number in smallest.items():
        if type(number) not in {int, float} or number < 0:
            raise UserError(f"smallest {measure} must be a number from 0, got {number!r}")
    return AnalysisPlan(
        factors=tuple(map(str, given.get("compare", ()))),
        measures=tuple(map(str, given.get("measures", ()))),
        smallest={str(name): float(number) for name, number in smallest.items()},
        answered_below=float(share),
    )


def _check_analysis(stated: Experiment) -> None:
    """Refuse what could not be compared, before anything is asked."""
    analysis = stated.analysis or AnalysisPlan()
    several = _list_several(stated) if analysis.factors else set()
    for name in analysis.factors:
        if name not in several:
            raise UserError(
                "compare must name factors of the designs, or settings of the model, that have "
                f"several levels ({', '.join(sorted(several)) or 'none has'}), got {name!r}"
                f"{suggest(name, several)}"
            )
    named = (*analysis.measures, *analysis.smallest)
    known = {one for ask in stated.asks for one in _list_measures(ask)} if named else set()
    for name in named:
        if name not in known:
            raise UserError(
                "measures and smallest must name measures that are compared "
                f"({', '.join(sorted(known))}), got {name!r}{suggest(name, known)}"
            )


def _list_several(stated: Experiment) -> set[str]:
    """Return the factors of designs and the settings of the model that have several levels."""
    levels: dict[str, set[str]] = {}
    for ask in stated.asks:
        for item in get_suite(ask.suite).items(ask.choose_design()):
            for name, level in item.factors.items():
                levels.setdefault(name, set()).add(str(level))
    return {name for name, met in levels.items() if len(met) > 1} | {
        name
        for name, value in stated.settings.items()
        if name in MODEL_SETTINGS and isinstance(value, list) and len(value) > 1
    }


def _list_measures(ask: Ask) -> set[str]:
    """Return the measures that can be compared, from answers of a reference agent to some items."""
    suite, design = get_suite(ask.suite), ask.choose_design()
    items = list(islice(suite.items(design), SIMULATED_ANSWERS))
    agent = next(iter(suite.agents.values()))
    rows = simulate_rows(suite, design, items, agent, {}, "reference", {})
    table = record_table(list(rows), suite.record_columns)
    return {one.measure for one in compare_tables(suite, table, table)}
