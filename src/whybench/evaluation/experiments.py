"""An experiment: designs, settings and models in one file; one plan, one folder, one page.

An experiment is a YAML file::

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
    measures: [ea, mv, accuracy]         # else the headline measures
    smallest: {ea: 0.05}                 # the smallest change of interest
    exclude: {answered_below: 0.8}       # agents that answer less of a suite
    baselines: [people]

Its folder holds everything: `logs/`, `records/`, `page.html`, and `frozen.json` if it was frozen
before the first answer. The same request resumes what was interrupted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.evaluation.crossings import cross_settings, tell_crossings
from whybench.evaluation.engine import build_task, check_model
from whybench.evaluation.requests import Request, ask_requests, write_results
from whybench.evaluation.runs import file_name, inspect_settings, list_suites_for, name_agent
from whybench.evaluation.spending import watch_spending
from whybench.model_settings import MODEL_SETTINGS
from whybench.planning.asks import Ask, read_ask, read_model
from whybench.planning.plans import count_calls
from whybench.planning.prices import Prices
from whybench.records.table import record_table
from whybench.results.changes import compare_tables
from whybench.results.experiments import AnalysisPlan, Frozen, Statement
from whybench.suites.calibration import simulate_rows
from whybench.suites.files import parse_mapping, read_text
from whybench.suites.registry import get_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from whybench.planning.plans import Plan
    from whybench.results import Records

FROZEN = "frozen.json"
"""The file of a folder that has what was frozen."""

ENOUGH = 60
"""So many answers have every measure of a suite, if not with an interval."""

Models = tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True)
class Experiment:
    """What is asked of whom under which conditions, and what is compared then.

    Attributes:
        title: The heading of its page.
        models: Models and their arguments.
        asks: What each is asked.
        settings: How models are asked, as settings of Inspect's; those of several levels are
            crossed.
        analysis: What is compared.
        baselines: People or published models that stand beside.
    """

    title: str
    models: Models
    asks: tuple[Ask, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    analysis: AnalysisPlan = field(default_factory=AnalysisPlan)
    baselines: tuple[str, ...] = ()

    @cached_property
    def plans(self) -> tuple[Plan, ...]:
        """The plan of what is asked of each model, once."""
        return tuple(
            count_calls(
                get_suite(ask.suite),
                ask.choose_design(),
                limit=ask.limit,
                epochs=ask.epochs,
                group=ask.group,
            )
            for ask in self.asks
        )

    @cached_property
    def crossings(self) -> dict[str, dict[str, Any]]:
        """The settings of each crossing, by words for it."""
        return cross_settings(self.settings)

    def plans_of(self, model: str) -> list[Plan]:
        """Return the plans that a model can be asked; a reference agent knows its suites alone."""
        able = list_suites_for(model)
        return [plan for plan in self.plans if plan.suite.name in able]

    def plans_by_model(self) -> dict[str, list[Plan]]:
        """Return model to its plans, each as often as there are crossings and arguments."""
        found: dict[str, list[Plan]] = {}
        for model, _ in self.models:
            found.setdefault(model, []).extend(self.plans_of(model) * len(self.crossings))
        return found

    def content(self) -> dict[str, Any]:
        """Return all that is stated, as it is frozen: plain values, and digests of designs."""
        suites = []
        for ask, plan in zip(self.asks, self.plans, strict=True):
            asked = sum(plan in self.plans_of(model) for model, _ in self.models)
            suites.append(
                {
                    "suite": ask.suite,
                    "version": plan.suite.version,
                    "design": plan.design.name,
                    "design_hash": plan.design.hash,
                    "items": plan.items,
                    "epochs": ask.epochs,
                    "group": ask.group,
                    "answers": plan.items * ask.epochs * asked * len(self.crossings),
                }
            )
        planned = asdict(self.analysis)
        return {
            "models": [{"model": model, "args": dict(args)} for model, args in self.models],
            "suites": suites,
            "settings": dict(self.settings),
            "compare": list(planned["factors"]),
            "measures": list(planned["measures"]),
            "smallest": dict(planned["smallest"]),
            "exclude": {"answered_below": planned["answered_below"]},
        }

    def lines(self, prices: Prices) -> Iterator[str]:
        """Yield what is asked how often, and what it costs."""
        if crossed := tell_crossings(self.settings):
            yield crossed
        config = list(self.crossings.values())[-1]
        for model, plans in self.plans_by_model().items():
            yield prices.explain(model, plans, config)
        for plan in self.plans:
            yield from (f"{plan.suite.name}: {line}" for line in plan.advice())
            words = (plan.recommend_temperature(model, config) for model, _ in self.models)
            yield from dict.fromkeys(filter(None, words))

    def state(self, folder: Path) -> Statement:
        """Return what is stated now, with what was frozen into the folder."""
        return Statement(self.analysis, self.content(), Frozen.read(folder / FROZEN))


def read_experiment(path: str | Path) -> Experiment:
    """Read an experiment from a YAML file.

    Raises:
        UserError: It is not one: says what was expected and what came.
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
}
"""What an experiment may state, and as what."""


def _make(name: str, given: Mapping[str, Any]) -> Experiment:
    for key, value in given.items():
        if key not in KEYS:
            raise UserError(
                f"an experiment may have {', '.join(KEYS)}, got {key!r}{suggest(str(key), KEYS)}"
            )
        if not isinstance(value, KEYS[key]):
            kind = {str: "text", list: "a list", dict: "names and values"}[KEYS[key]]
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
    )
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
    several = _list_several(stated) if stated.analysis.factors else set()
    for name in stated.analysis.factors:
        if name not in several:
            raise UserError(
                "compare must name factors of the designs, or settings of the model, that have "
                f"several levels ({', '.join(sorted(several)) or 'none has'}), got {name!r}"
                f"{suggest(name, several)}"
            )
    named = (*stated.analysis.measures, *stated.analysis.smallest)
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
    items = list(islice(suite.items(design), ENOUGH))
    agent = next(iter(suite.agents.values()))
    rows = simulate_rows(suite, design, items, agent, {}, "reference", {})
    table = record_table(list(rows), suite.record_columns)
    return {change.measure for change in compare_tables(suite, table, table)}


def freeze(stated: Experiment, folder: Path) -> Frozen:
    """Freeze an experiment into its folder, before the first answer.

    The same statement again is as frozen as before.

    Raises:
        UserError: Something else was frozen there, or something was asked already.
    """
    target = folder / FROZEN
    statement = stated.state(folder)
    if statement.frozen is not None:
        if others := statement.differences():
            raise UserError(
                f"an experiment is frozen once, got {target} from {statement.frozen.date}, and "
                f"since then {'; '.join(others)}; undo that, or freeze into another folder"
            )
        return statement.frozen
    if any((folder / "logs").rglob("*.eval")):
        raise UserError(
            f"an experiment must be frozen before the first answer, got {folder} with logs; "
            "freeze into another folder"
        )
    frozen = Frozen.now(statement.content)
    frozen.write(target)
    return frozen


def experiment(
    stated: Experiment | str | Path,
    output: str | Path | None = None,
    *,
    prices: str | Path | None = None,
    max_cost: float | None = None,
    max_connections: int | None = None,
    sandbox: str | None = None,
    keep_errors: bool = False,
    display: str | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Records:
    """Ask all of an experiment, and write records and a page about them.

    The same call again resumes what was interrupted, and repeats nothing.

    Args:
        stated: The experiment, or its YAML file.
        output: The folder; resumed if it exists. By default `experiments/`, then the file's name.
        prices: A YAML file of prices of your own.
        max_cost: US dollars, of all runs of the folder together; at the limit it is stopped.
        max_connections: Calls at once.
        sandbox: Where a model's programs run.
        keep_errors: Accept samples that end in an error.
        display: How Inspect shows progress.
        say: Called with each step while the page is made, a line at a time.

    Returns:
        The answers; `compare(by=…)` has what changes between conditions, and so has the page.
    """
    made = stated if isinstance(stated, Experiment) else read_experiment(stated)
    folder = Path(output or default_folder(made.title if made is stated else str(stated)))
    named = {"max_connections": max_connections, "sandbox": sandbox, "display": display}
    table = Prices.read(prices)
    planned = made.plans_by_model()
    for of_model in made.crossings.values():
        table.check_max_cost(max_cost, planned, of_model)
    for model, args in made.models:
        check_model(model, args)
    with watch_spending(folder, max_cost, table, planned):
        requests = list(_requests(made, folder, named))
        reasons = ask_requests(requests, folder="output", keep_errors=keep_errors)
    return write_results(
        folder,
        made.title,
        reasons,
        say,
        baselines=made.baselines,
        statement=made.state(folder),
    )


def default_folder(path: str | Path) -> Path:
    """Return the folder of an experiment that names none."""
    return Path("experiments", file_name(Path(path).stem))


def _requests(stated: Experiment, folder: Path, named: Mapping[str, Any]) -> Iterator[Request]:
    """Yield what is asked of whom: each suite of all models, then the next."""
    for ask, plan in zip(stated.asks, stated.plans, strict=True):
        group = {"group": ask.group} if ask.group else {}
        task = build_task(plan.suite, {**(ask.design or plan.suite.settings()), **group})
        place = file_name(plan.suite.name, plan.design.name.strip("*"), plan.design.hash[:6])
        for model, args in stated.models:
            if plan not in stated.plans_of(model):
                continue
            for words, of_model in stated.crossings.items():
                yield Request(
                    plan.suite,
                    plan.design,
                    task,
                    model,
                    str(folder / "logs" / place / file_name(name_agent(model, args)) / words),
                    inspect_settings(args, of_model, **named),
                    plan.limit,
                    plan.epochs,
                    words,
                )
