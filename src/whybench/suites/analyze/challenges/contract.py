"""What a challenge is, and how to add one.

A challenge is one module here and one YAML story of the same name in `stories`. The module ends
with a constant `CHALLENGE = Challenge(...)`; `challenges/__init__` lists it in one line. It says:

1. **The world**, once. `parameters(variant, rng)` draws them from ranges, `world(variant, at)` is
   the `World` that has them: rows, columns and their order in time follow from it. Generators are
   the same for every variant, so that a trap and its controls are twins. A control that is `retold`
   has the very rows of its trap, in a world with the same chances in another order.
2. **The truths.** `effects` says what is asked for as interventions, `closed_form` what comes out
   by algebra: a certificate takes both the closed form and the world to the same value, and a trial
   in the simulated world must agree (`simulate`). `truths` sets beside each number the values of
   consistent estimators on the very rows, a standard error, and the values of naive analyses.
   Whatever else is asked is a `CategoricalTruth`: the value, and which values are naive or cry
   trap. An `IntervalField` has the truth of the number it is `of`. What is asked comes in two
   forms: the `report`, with one number (`report_effect`), and the `diagnosis`, all the rest.
3. **Whether rows will do.** `accept` says whether they show what they should, and `has_trap` is the
   trap's own statistical criterion. Only instances are kept on which it holds for `trap` and fails
   for every control, and in which naive values are `apart` from the truth.
4. **Three analysts**, instance to a dict of field to typed value (see `fields`): `competent`, whose
   estimators are not the references; `naive`, who walks into the trap; `always_trap`, who sees it
   everywhere. The number of a report is a `Coefficient`: interval and recommendation follow. Null
   and schema-breaker are the same for all challenges (see `analysts`).

Then run `python -m evidence.challenges NAME` and look at the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from whybench.scm import agreed
from whybench.seeds import generator
from whybench.suites.analyze.columns import Array, DataColumn
from whybench.suites.analyze.fields import IntervalField
from whybench.suites.analyze.regions import region_generator
from whybench.suites.analyze.reports import (
    AVERAGE,
    ESTIMAND,
    ESTIMATE,
    RECOMMENDATION,
    complete_answer,
    derive_recommendation,
    report_effect,
)
from whybench.suites.analyze.settings import read_own_setting, read_settings
from whybench.suites.analyze.telling import (
    Telling,
    draw_telling,
    tell_columns,
    tell_rows,
    untell_rows,
)
from whybench.suites.analyze.truths import (
    NEAR_TRUTH,
    AdjustmentTruth,
    CategoricalTruth,
    ConfidenceTruth,
    NumericTruth,
    TableTruth,
    Truth,
    UnidentifiedTruth,
)

if TYPE_CHECKING:
    from whybench.scm import Certificate
    from whybench.seeds import Split
    from whybench.suites.analyze.effects import Effect
    from whybench.suites.analyze.fields import Field
    from whybench.suites.analyze.settings import Setting
    from whybench.suites.analyze.world import World

__all__ = [
    "NEAR_TRUTH",
    "TRAP",
    "TRIES",
    "AdjustmentTruth",
    "Analyst",
    "Array",
    "CategoricalTruth",
    "Challenge",
    "ConfidenceTruth",
    "Instance",
    "NumericTruth",
    "Parameters",
    "Rows",
    "Script",
    "Simulation",
    "TableTruth",
    "Truth",
    "UnidentifiedTruth",
    "report_effect",
]

TRAP = "trap"
"""The variant in which the trap is there; all others are controls."""

TRIES = 400
"""How many worlds are drawn for an instance before it is given up."""

KIND_TRIES = 100
"""Worlds drawn of one kind before another is drawn: so that no kind is rarer for being harder."""

UNTOLD = Telling("")
"""Of an instance that nobody has been told of yet."""

Parameters = Mapping[str, float]
Rows = Mapping[str, Array]
Simulation = Mapping[str, tuple[float, float]]
"""Mean and standard error by number field; a row of a table is `field.row`."""


Analyst = Callable[["Instance"], Mapping[str, Any]]


class Script(Protocol):
    """The words and fields of questions about data that no story of a challenge describes."""

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the report; without any, answers are in free words."""

    def name_columns(self, label: str) -> dict[str, str]:
        """Return the names of the columns by role, in the order of the data."""

    def paragraphs(self, label: str, hint: int) -> tuple[str, ...]:
        """Return the paragraphs before the form: the data and the question."""

    def field_meanings(self, label: str) -> Mapping[str, str]:
        """Return the description of each field."""


@dataclass(frozen=True, eq=False)
class Instance:
    """One data set with its question and its truth; columns go by their roles.

    Equal challenge, variant and keys make equal instances; they are not compared row by row.

    Attributes:
        challenge: The challenge's name.
        variant: `trap` or the name of a control.
        parameters: The parameters of the structural causal model.
        columns: The columns in the order in which they are shown.
        rows: The values of each column, by role, in the same order.
        truths: The truth of each field, intervals excepted.
        derived: Where no number is asked for, numbers of the world on which the truths rest, by
            the names under which `simulate` gives them.
        facts: What the story tells of this world in figures, by name of the place in its texts.
        keys: What the instance was generated from.
        full_size: The number of rows of which these are a sample; 0 where they are all there are.
        telling: How it is told.
        script: Its words and fields, where these are not a challenge's and a story's.
    """

    challenge: str
    variant: str
    parameters: Mapping[str, float]
    columns: tuple[DataColumn, ...]
    rows: Mapping[str, Array]
    truths: Mapping[str, Truth]
    facts: Mapping[str, float | str] = field(default_factory=dict)
    derived: Mapping[str, float] = field(default_factory=dict)
    keys: tuple[object, ...] = ()
    full_size: int = 0
    telling: Telling = UNTOLD
    script: Script | None = None

    def __post_init__(self) -> None:
        roles = [column.role for column in self.columns]
        if list(self.rows) != roles:
            raise ValueError(f"rows must have the columns {roles}, got {list(self.rows)}")

    @property
    def when(self) -> dict[str, int]:
        """When each column was measured, by role."""
        return {column.role: column.measured for column in self.columns}

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.rows.values())))

    def number(self, name: str) -> NumericTruth:
        """Return the truth of a number."""
        truth = self.truths[name]
        if not isinstance(truth, NumericTruth):
            raise TypeError(f"{name} must be a number, got {truth!r}")
        return truth

    def numbers(self) -> dict[str, NumericTruth]:
        """Return the truths of all numbers, rows of tables as `field.row`."""
        numbers = {
            name: truth for name, truth in self.truths.items() if isinstance(truth, NumericTruth)
        }
        for name, truth in self.truths.items():
            if isinstance(truth, TableTruth):
                numbers |= {f"{name}.{row}": entry for row, entry in truth.rows.items()}
        return numbers

    def told(self, telling: Telling) -> Instance:
        """Return the instance with its columns and numbers as they are told, and no rows."""
        columns = tell_columns(self.columns, telling)
        return replace(
            self,
            columns=columns,
            rows={column.role: np.empty(0) for column in columns},
            truths={name: truth.scaled(telling.unit) for name, truth in self.truths.items()},
            telling=telling,
        )

    def apart(self, by: float) -> bool:
        """Whether no number has a naive value that is nearer than `by` standard errors."""
        return all(truth.apart(by) for truth in self.numbers().values())


@dataclass(frozen=True)
class Challenge:
    """One kind of trap. See the head of this module for what each part does.

    Attributes:
        name: Its name; also that of its story.
        family: The family of challenges that it belongs to.
        summary: What the trap is, in one line.
        variants: `trap`, then the controls.
        report: What is asked first: a number (`report_effect`), or a claim and how sure one is.
        diagnosis: What is asked when the report has been given.
        shown: The roles of the columns, in the order in which they are shown.
        size: The least and the largest number of units; or parameters and a generator to it.
        parameters: A variant and a generator to the parameters; with `kinds`, also given one.
        world: A variant and parameters to the world.
        effects: A variant and parameters to the effects that are asked for, by number field; and
            others on which truths rest.
        closed_form: A variant and parameters to the values of effects by algebra.
        truths: A variant, parameters, rows and the certificates of the effects to the truth of each
            field, intervals excepted; whatever these rows show.
        accept: A variant, parameters and rows to whether the rows show what they should.
        has_trap: Whether the trap is in an instance, by its own statistical criterion.
        competent: Analyst who does it right, with estimators that are not the references.
        naive: Analyst who falls for the trap.
        always_trap: Analyst who claims the trap in every data set.
        estimands: The quantity in the report; the first, and others that fit it too.
        apart: How many standard errors a naive value is from truth and references, at least.
        retold: The controls that have the very rows of the trap, told in another order.
        facts: Parameters to what the story tells of them.
        observe: A variant, parameters, the world and the noise of units to what is simulated beside
            effects, such as associations.
        kinds: Kinds of worlds, each drawn as often however rarely one of them is accepted.
        method: By what algebra the closed form is.
        opposite: The roles of columns of 0 and 1 that may be told the other way round; nothing that
            is asked depends on it.
        units: The roles of real columns that may be in other units: the outcome, if all numbers are
            in its units, and columns in whose units no number is.
        acted_on, outcome: The roles of the columns that a recommendation is about.
        not_shallow: What shallow agents see that is the analysis itself here: `signs`, where it is
            about independence, or `marginals`, where it is about means (see `shallow`).
        story: The text of its story, if it is another package's; ours stand in `stories`.
        settings: The texts of its settings, if it is another package's; ours stand in `settings`.
    """

    name: str
    family: str
    summary: str
    variants: tuple[str, ...]
    report: tuple[Field, ...]
    diagnosis: tuple[Field, ...]
    shown: tuple[str, ...]
    size: tuple[int, int] | Callable[[Parameters, np.random.Generator], int]
    parameters: Callable[..., Parameters]
    world: Callable[[str, Parameters], World]
    effects: Callable[[str, Parameters], Mapping[str, Effect]]
    closed_form: Callable[[str, Parameters], Mapping[str, float]]
    truths: Callable[[str, Parameters, Rows, Mapping[str, Certificate]], Mapping[str, Truth]]
    accept: Callable[[str, Parameters, Rows], bool]
    has_trap: Callable[[Instance], bool]
    competent: Analyst
    naive: Analyst
    always_trap: Analyst
    estimands: tuple[str, ...] = (AVERAGE,)
    apart: float = 5.0
    retold: tuple[str, ...] = ()
    facts: Callable[[Parameters], Mapping[str, float | str]] = lambda _: {}
    observe: Callable[[str, Parameters, World, Rows], Simulation] = lambda *_: {}
    kinds: tuple[str, ...] = ()
    method: str = "closed form"
    opposite: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    acted_on: str = "treatment"
    outcome: str = "outcome"
    not_shallow: tuple[str, ...] = ()
    story: str = ""
    settings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.variants[:1] != (TRAP,) or len(set(self.variants)) < len(self.variants):
            raise ValueError(
                f"variants must be {TRAP!r} and then controls, each once, got {self.variants}"
            )

    @property
    def fields(self) -> tuple[Field, ...]:
        """All that is asked."""
        return (*self.report, *self.diagnosis)

    @property
    def controls(self) -> tuple[str, ...]:
        """The variants without the trap."""
        return self.variants[1:]

    def answer(self, analyst: str, instance: Instance) -> dict[str, Any]:
        """Return the typed answers of an analyst: `competent`, `naive` or `always_trap`."""
        return self.complete(getattr(self, analyst)(instance))

    def complete(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        """Return answers with everything that follows from the estimate (`complete_answer`)."""
        named = {ESTIMAND: self.estimands[0]} if ESTIMATE in answers else {}
        return {**named, **complete_answer(self.report, answers)}

    def generate(
        self,
        variant: str,
        *keys: object,
        split: Split = "test",
        setting: Setting | None = None,
    ) -> Instance:
        """Return the instance of a variant that belongs to these keys, told in a setting if given.

        Raises:
            ValueError: There is no such variant.
            RuntimeError: No world kept the guarantee in `TRIES` draws.
        """
        if variant not in self.variants:
            raise ValueError(
                f"variant of {self.name} must be one of {', '.join(self.variants)}, got {variant!r}"
            )
        return self.generate_twins(*keys, split=split, setting=setting)[variant]

    def generate_twins(
        self, *keys: object, split: Split = "test", setting: Setting | None = None
    ) -> dict[str, Instance]:
        """Return the instances of all variants that belong to these keys.

        They are drawn together: parameters from one generator and in one region, units with the
        same chance, as many rows, told in the same way. A world is kept only if all of them are
        what they should be.

        Raises:
            RuntimeError: No world kept the guarantee in `TRIES` draws.
        """
        kinds = generator("analyze", self.name, *keys, "kinds").permutation(self.kinds or ("",))
        for attempt in range(TRIES):
            kind = str(kinds[attempt // KIND_TRIES % len(kinds)])
            drawn = self._draw_twins(split, kind, *keys, attempt)
            if drawn is not None:
                for instance in drawn.values():
                    self._check(instance)
                return self._tell(drawn, split, setting, *keys)
        raise RuntimeError(
            f"{self.name} must keep its guarantee within {TRIES} draws, got none from the keys "
            f"{keys}"
        )

    def _draw_twins(self, split: Split, kind: str, *keys: object) -> dict[str, Instance] | None:
        """Draw a world and rows of all variants; None where one is not what it should be."""
        twins: dict[str, Instance] = {}
        for variant in self.variants:
            twin = self._draw(variant, twins, split, kind, *keys)
            if twin is None or self.has_trap(twin) != (variant == TRAP):
                return None
            twins[variant] = twin
        return twins

    def _draw(
        self,
        variant: str,
        twins: Mapping[str, Instance],
        split: Split,
        kind: str,
        *keys: object,
    ) -> Instance | None:
        if variant in self.retold:
            trap = twins[TRAP]
            return self.ground_truth(variant, trap.parameters, trap.rows)
        named = ("analyze", self.name, *keys)
        at = self.parameters(
            variant, region_generator(split, *named, "parameters"), *((kind,) if kind else ())
        )
        rows = self.draw_rows(variant, at, generator(*named, "rows"))
        if not self.accept(variant, at, rows):
            return None
        instance = self.ground_truth(variant, at, rows)
        return instance if instance.apart(self.apart) else None

    def draw_rows(self, variant: str, at: Parameters, rng: np.random.Generator) -> Rows:
        """Draw rows of a world."""
        if callable(self.size):
            size = self.size(at, rng)
        else:
            size = int(rng.integers(self.size[0], self.size[1] + 1))
        return self.world(variant, at).draw_rows(size, self.shown, rng)

    def _tell(
        self,
        twins: Mapping[str, Instance],
        split: Split,
        setting: Setting | None,
        *keys: object,
    ) -> dict[str, Instance]:
        """Return instances as they are told, all in the same way."""
        settings = self.read_settings().values()
        telling = draw_telling(
            [setting] if setting else [one for one in settings if one.split == split],
            self.shown,
            self.opposite,
            self.units,
            self.name,
            *keys,
        )
        return {
            variant: replace(
                instance.told(telling),
                rows=tell_rows(instance.rows, telling, self.name, *keys),
                keys=keys,
            )
            for variant, instance in twins.items()
        }

    def read_settings(self) -> dict[str, Setting]:
        """Return the settings in which it is told, by name."""
        return read_settings(self.name, self.settings)

    def find_setting(self, name: str) -> Setting:
        """Return a setting by name: one of its own, or the path of somebody's."""
        ours = self.read_settings()
        return ours[name] if name in ours else read_own_setting(name, self.name, tuple(ours))

    def sample(self, instance: Instance, chosen: Array) -> Instance:
        """Return the instance of some of its rows, told as all of them are."""
        rows = {role: values[chosen] for role, values in instance.rows.items()}
        world = untell_rows(rows, instance.telling)
        sample = self.ground_truth(instance.variant, instance.parameters, world)
        return replace(
            sample.told(instance.telling),
            rows=rows,
            keys=instance.keys,
            full_size=instance.size,
        )

    def certify(self, variant: str, at: Parameters) -> dict[str, Certificate]:
        """Derive each effect by the closed form and from the world.

        Raises:
            Disagreement: The two differ.
        """
        closed, world = self.closed_form(variant, at), self.world(variant, at)
        return {
            name: agreed(str(effect), (self.method, closed[name]), world.find_effect(effect))
            for name, effect in self.effects(variant, at).items()
        }

    def ground_truth(self, variant: str, at: Parameters, rows: Rows) -> Instance:
        """Return the instance of rows, all or a sample, whatever they show."""
        truths = dict(self.truths(variant, at, rows, self.certify(variant, at)))
        if ESTIMATE in truths:
            truths[RECOMMENDATION] = derive_recommendation(truths[ESTIMATE])
            truths[ESTIMAND] = CategoricalTruth(self.estimands[0], also=self.estimands[1:])
        closed = self.closed_form(variant, at)
        return Instance(
            challenge=self.name,
            variant=variant,
            parameters=at,
            columns=self.world(variant, at).data_columns(tuple(rows)),
            rows=rows,
            truths=truths,
            facts=self.facts(at),
            derived={name: value for name, value in closed.items() if name not in truths},
        )

    def simulate(self, instance: Instance, n: int, rng: np.random.Generator) -> Simulation:
        """Return mean and standard error of each number from n units of the world.

        Effects are those of interventions on the very units.
        """
        variant, at = instance.variant, instance.parameters
        world = self.world(variant, at)
        noise = world.draw_noise(n, rng)
        found = {
            **world.run_trial(self.effects(variant, at), noise),
            **self.observe(variant, at, world, noise),
        }
        unit = instance.telling.unit
        return {name: (unit * mean, unit * error) for name, (mean, error) in found.items()}

    def _check(self, instance: Instance) -> None:
        names = {entry.name for entry in self.fields if not isinstance(entry, IntervalField)}
        if names != set(instance.truths):
            raise ValueError(
                f"truths of {self.name} must be of the fields {sorted(names)}, "
                f"got {sorted(instance.truths)}"
            )
