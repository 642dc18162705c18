"""What is asked and which models are asked, as experiments state it in YAML."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from whybench.errors import UserError, suggest
from whybench.suites.abilities import BUDGETS
from whybench.suites.catalog import WHOLE
from whybench.suites.designs import DESIGN
from whybench.suites.references import REFERENCE, find_reference
from whybench.suites.registry import get_suite, own_suites, profiled_suites

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from whybench.suites.contract import Design


@dataclass(frozen=True)
class Ask:
    """A suite and a design to ask every model about.

    Attributes:
        suite: The suite's name.
        design: Settings of the design, as for `Suite.make_design`; empty for the default.
        epochs: How often to ask everything.
        group: Items a sample asks; None for one, or those that belong together.
        limit: The number of samples, from the start of the design.
        shard: The part of the design, `i/n`.
    """

    suite: str
    design: Mapping[str, Any] = field(default_factory=dict)
    epochs: int = 1
    group: int | None = None
    limit: int | None = None
    shard: str = WHOLE

    def choose_design(self) -> Design:
        """Return the design that is asked."""
        suite = get_suite(self.suite)
        chosen: Design = (
            suite.make_design(self.design) if self.design else next(iter(suite.designs.values()))
        )
        return chosen


def without_rounds(suite: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a design of the same size whose questions don't depend on answers."""
    chosen = get_suite(suite)
    given = dict(settings) or chosen.settings()
    rounds = chosen.rounds(chosen.make_design(given))
    return {**given, **rounds.at_once()} if rounds else dict(settings)


def read_model(entry: object) -> tuple[str, Mapping[str, Any]]:
    """Return a model and its arguments: a name, or a mapping of model and args."""
    if isinstance(entry, str):
        _check_reference(entry)
        return entry, {}
    given = entry if isinstance(entry, dict) else {}
    model, args = given.get("model"), given.get("args", {})
    if isinstance(model, str) and isinstance(args, dict) and not set(given) - {"model", "args"}:
        _check_reference(model)
        return model, args
    raise UserError(f"a model must be a name, or a mapping of model and args, got {entry!r}")


def _check_reference(model: str) -> None:
    """Refuse a reference agent that no suite has."""
    if model.startswith(REFERENCE):
        find_reference(model)


def list_suites_for(
    model: str, chosen: Sequence[str] = (), budget: str = BUDGETS[0]
) -> tuple[str, ...]:
    """Return the suites that a model is asked; a reference agent is asked those that it answers.

    Args:
        model: The model.
        chosen: Only these suites.
        budget: The budget of the profile whose suites are asked if none is chosen.
    """
    if not isinstance(model, str):
        raise UserError(f"`model` must be one name, got {model!r}; `profile` takes several")
    for name in chosen:
        get_suite(name)
    names = tuple(chosen) or profiled_suites(budget)
    if not model.startswith(REFERENCE):
        return names
    reference = find_reference(model)
    if not (chosen or reference.is_mind):
        names = own_suites()
    reference.check_suites(names)
    return tuple(name for name in names if name in reference.parts)


def read_ask(entry: object) -> Ask:
    """Return what a suite is asked: a name, or a mapping that has its design, epochs and so on."""
    settings = {"suite": entry} if isinstance(entry, str) else entry
    names = [entry.name for entry in fields(Ask)]
    if not isinstance(settings, dict) or "suite" not in settings or set(settings) - set(names):
        unknown = (
            (key for key in settings if key not in names) if isinstance(settings, dict) else ()
        )
        raise UserError(
            f"a suite must be a name, or a mapping of {', '.join(names)}, got {entry!r}"
            f"{next((suggest(key, names) for key in unknown), '')}"
        )
    get_suite(str(settings["suite"]))
    for name in ("epochs", "group", "limit"):
        number = settings.get(name, 1)
        if (type(number) is not int or number < 1) and (number is not None or name == "epochs"):
            raise UserError(f"{name} must be a whole number from 1, got {number!r}")
    design = settings.get("design", {})
    chosen = {DESIGN: design} if isinstance(design, str) else design
    if not isinstance(chosen, dict):
        raise UserError(f"design must be a name, or a mapping of factors, got {design!r}")
    return Ask(**{**settings, "design": chosen})
