"""The grader in Inspect: a scorer of reasons, and the task that calibrates a grader.

The grader is bound to a role (`--model-role grader=...`), which is required, so Inspect counts its
tokens apart from those of the model under test. A grader is calibrated by asking it to grade the
labelled answers; the log of that is given to `reasons`, and the agreement found stands with every
graded figure. Without such a log the figures say that they are uncalibrated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from whybench.records.rows import NO_ANSWER, rows_of_sample
from whybench.seeds import digest
from whybench.stats import clustered_mean
from whybench.suites.analyze.grader.agreement import UNCALIBRATED, agreement
from whybench.suites.analyze.grader.calibration import labelled_answers
from whybench.suites.analyze.grader.criteria import criteria, mark
from whybench.suites.analyze.grader.independence import same_model
from whybench.suites.analyze.grader.prompt import ASK_AGAIN, case_of, form, request, seal, spoken
from whybench.suites.analyze.grader.verdicts import Reading, read_verdicts
from whybench.suites.analyze.items import instance_of
from whybench.suites.asking import ask
from whybench.suites.task import CUT_OFF

if TYPE_CHECKING:
    from collections.abc import Sequence

    from inspect_ai.log import EvalLog
    from inspect_ai.model import ChatMessage, Model

    from whybench.stats import Estimate
    from whybench.suites.analyze.grader.agreement import Agreement
    from whybench.suites.analyze.grader.prompt import Case

__all__ = [
    "ROLE",
    "agreement_in",
    "bound_grader",
    "graded",
    "graded_reasons",
    "grader_agreement",
    "grader_calibration",
    "reasons",
    "require_grader",
]

ROLE = "grader"
ASKED = 2
"""How often a grader is asked for verdicts that can be read."""


def bound_grader(forced: bool = False) -> Model:
    """Return the model that is bound to the grader's role.

    Args:
        forced: Whether the model under test may grade itself.

    Raises:
        PrerequisiteError: None is bound, or it is the model under test.
    """
    if ROLE not in model_roles():
        raise PrerequisiteError(
            f"reasons are graded by a model of their own, and none is bound to the role {ROLE}; "
            f"name one, as in `inspect eval … --model-role {ROLE}=provider/model`"
        )
    grader, tested = get_model(role=ROLE, required=True), get_model()
    if not forced and same_model(str(grader), str(tested)):
        raise PrerequisiteError(
            f"the role {ROLE} must be bound to another model than the one under test, got {grader} "
            f"for {tested}; a model that grades itself has to be forced (forced=true)"
        )
    return grader


@solver
def require_grader(forced: bool = False) -> Solver:
    """Refuse before the first call, not after the last, where there is no grader; for `setup`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        bound_grader(forced)
        return state

    return solve


async def graded(grader: Model, case: Case) -> tuple[Reading, list[ChatMessage]]:
    """Have a case graded; a reply that cannot be read is asked for once more."""
    talk: list[ChatMessage] = [ChatMessageUser(content=request(case))]
    reading = Reading(problem="not asked")
    for _ in range(ASKED):
        output = await ask(grader.generate, talk)
        reading = read_verdicts(
            output.completion,
            criteria(case.challenge),
            seal(case),
            truncated=output.stop_reason in CUT_OFF,
        )
        talk.append(output.message)
        if not reading.problem:
            break
        again = ASK_AGAIN.format(problem=reading.problem, form=form(case))
        talk.append(ChatMessageUser(content=again))
    return reading, talk


@metric(scores="unreduced")
def graded_reasons() -> Metric:
    """The mean mark with a 95% interval, how many have none, and the grader's agreement."""

    def compute(scores: list[SampleScore]) -> Value:
        marked = [entry for entry in scores if entry.score.value != NO_ANSWER]
        found = clustered_mean(
            [entry.score.as_float() for entry in marked], [str(e.sample_id) for e in marked]
        )
        about = (scores[0].score.metadata or {}) if scores else {}
        counts = {"scored": len(marked), "unscored": len(scores) - len(marked)}
        return {**_ends("reasons", found), **counts, **about.get("agreement", {})}

    return compute


@scorer(metrics=[graded_reasons()])
def reasons(calibration: str | None = None, forced: bool = False) -> Scorer:
    """Have the grader mark the reasons and limitations of the last reply.

    Args:
        calibration: The log of `grader_calibration` by the same grader.
        forced: Whether the model under test may grade itself.
    """
    found = None if calibration is None else agreement_in(read_eval_log(calibration))

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        grader = bound_grader(forced)
        if found is not None and found.grader != str(grader):
            raise PrerequisiteError(
                f"calibration must be the log of the grader {grader}, got that of {found.grader}"
            )
        about = {
            "grader": str(grader),
            "agreement": {"calibrated": 0} if found is None else _agreement_values(found),
        }
        told = UNCALIBRATED if found is None else str(found)
        case = _case(state)
        if isinstance(case, str):
            return Score(value=NO_ANSWER, reason=case, explanation=told, metadata=about)
        reading, _ = await graded(grader, case)
        if reading.problem:
            about["problem"] = reading.problem
            return Score(value=NO_ANSWER, reason="unscored", explanation=told, metadata=about)
        verdicts = dict(reading.verdicts)
        return Score(
            value=mark(verdicts), explanation=told, metadata={**about, "verdicts": verdicts}
        )

    return score


def _case(state: TaskState) -> Case | str:
    """Return the answer to be graded, or the reason why there is nothing to grade."""
    rows = rows_of_sample(str(state.sample_id), state.metadata, None)
    if len(rows) != 1:
        raise ValueError(f"a sample must ask one item where reasons are graded, got {len(rows)}")
    if state.output.choices and state.output.stop_reason in CUT_OFF:
        return "cut_off"
    replies = [entry for entry in state.messages if isinstance(entry, ChatMessageAssistant)]
    reply = replies[-1].text if replies else ""
    if not spoken(reply):
        return "empty"
    [row] = rows
    return case_of(str(row["item"]), instance_of(row), str(row["label"]), int(row["hint"]), reply)


@task
def grader_calibration() -> Task:
    """Have a model grade the labelled answers, to see how well it agrees with the labels."""
    labelled = labelled_answers()
    return Task(
        dataset=MemoryDataset(
            [
                Sample(
                    id=entry.case.name,
                    input=request(entry.case),
                    metadata={"kind": entry.kind, "labels": dict(entry.labels)},
                )
                for entry in labelled
            ],
            name="grader-calibration",
        ),
        solver=_grade(),
        scorer=_agrees(),
        config=GenerateConfig(temperature=0.0),
        version=_calibration_version(),
    )


def agreement_in(log: EvalLog) -> Agreement:
    """Return the agreement that the log of a calibration shows.

    Raises:
        PrerequisiteError: The log is of something else, or of other labelled answers.
    """
    if log.eval.task_version != _calibration_version() or log.status != "success":
        raise PrerequisiteError(
            f"calibration must be the finished log of grader_calibration, version "
            f"{_calibration_version()}, got {log.eval.task}, version {log.eval.task_version} "
            f"({log.status})"
        )
    by_name = {str(sample.id): sample.scores or {} for sample in log.samples or []}
    scores = [
        next(iter(by_name.get(entry.case.name, {}).values()), None) for entry in labelled_answers()
    ]
    return _agreement(log.eval.model, scores)


@solver
def _grade() -> Solver:
    cases = {entry.case.name: entry.case for entry in labelled_answers()}

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        reading, talk = await graded(get_model(), cases[str(state.sample_id)])
        state.messages = talk
        state.store.set("verdicts", dict(reading.verdicts))
        state.store.set("problem", reading.problem)
        return state

    return solve


@metric(scores="unreduced")
def grader_agreement() -> Metric:
    """Weighted kappa and gap with 95% intervals."""

    def compute(scores: list[SampleScore]) -> Value:
        by_name = {str(entry.sample_id): entry.score for entry in scores}
        given = [by_name.get(entry.case.name) for entry in labelled_answers()]
        return _agreement_values(_agreement("the grader", given))

    return compute


@scorer(metrics=[grader_agreement()])
def _agrees() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        verdicts, problem = state.store.get("verdicts"), state.store.get("problem")
        if problem:
            return Score(value=NO_ANSWER, reason="unscored", metadata={"problem": problem})
        return Score(value=mark(verdicts), metadata={"verdicts": verdicts})

    return score


def _agreement(grader: str, scores: Sequence[Score | None]) -> Agreement:
    verdicts = [
        None if score is None else (score.metadata or {}).get("verdicts") for score in scores
    ]
    return agreement(grader, verdicts, [entry.labels for entry in labelled_answers()])


def _agreement_values(found: Agreement) -> dict[str, float]:
    counts = {"labelled": found.answers, "labelled_unscored": found.unscored}
    return {"calibrated": 1, **_ends("kappa", found.kappa), **_ends("gap", found.gap), **counts}


def _ends(name: str, found: Estimate) -> dict[str, float]:
    ends = {name: found.estimate, f"{name}_low": found.low, f"{name}_high": found.high}
    return {key: end for key, end in ends.items() if end is not None}


def _calibration_version() -> str:
    """Return a digest of what graders are asked and of the labels."""
    asked = [(request(entry.case), dict(entry.labels)) for entry in labelled_answers()]
    return digest("grader-calibration", asked).hex()[:16]
