"""The grader in Inspect: a scorer of reasons, and the task that calibrates a grader.

The grader is bound to a role (`--model-role grader=...`), which is required, so Inspect counts its
tokens apart from those of the model under test. A grader is calibrated by asking it to grade the
labelled answers; the log of that is given to `reasons`, and the agreement found stands with every
graded figure. Without such a log the figures say that they are uncalibrated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import read_eval_log
from inspect_ai.model import (
    ChatMessageUser,
    GenerateConfig,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from whybench.errors import RefusedError
from whybench.records.logs import read_content_hash
from whybench.records.rows import NO_ANSWER, unpack_sample
from whybench.seeds import digest
from whybench.stats import clustered_mean
from whybench.suites.asking import ask
from whybench.suites.contract import find_heard
from whybench.suites.conversations import CUT_OFF
from whybench.suites.registry import get_suite
from whybench.suites.task import refusing
from whybench_papers.du2025.grader.agreement import UNCALIBRATED, is_same_model, measure_agreement
from whybench_papers.du2025.grader.calibration import read_labelled_answers
from whybench_papers.du2025.grader.prompt import (
    ASK_AGAIN,
    graded_text,
    make_case,
    render_request,
    seal,
    verdict_form,
)
from whybench_papers.du2025.grader.verdicts import (
    RUBRIC_MARKS,
    ParsedVerdicts,
    mean_mark,
    parse_verdicts,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from inspect_ai.log import EvalLog
    from inspect_ai.model import ChatMessage, Model

    from whybench.stats import Estimate
    from whybench_papers.du2025.grader.agreement import Agreement
    from whybench_papers.du2025.grader.prompt import GradingCase

ROLE = "grader"
CALIBRATION_VERSION = "1-A"
ASKED = 2
"""How often a grader is asked for verdicts that can be read."""


def get_grader(forced: bool = False) -> Model:
    """Return the model that is bound to the grader's role.

    Args:
        forced: Whether the model under test may grade itself.

    Raises:
        RefusedError: None is bound, or it is the model under test.
    """
    if ROLE not in model_roles():
        raise RefusedError(
            f"reasons are graded by a model of their own, and none is bound to the role {ROLE}; "
            f"name one, as in `inspect eval … --model-role {ROLE}=provider/model`"
        )
    grader, tested = get_model(role=ROLE, required=True), get_model()
    if not forced and is_same_model(str(grader), str(tested)):
        raise RefusedError(
            f"the role {ROLE} must be bound to another model than the one under test, got {grader} "
            f"for {tested}; a model that grades itself has to be forced (forced=true)"
        )
    return grader


@solver
def require_grader(forced: bool = False) -> Solver:
    """Refuse before the first call, not after the last, where there is no grader; for `setup`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        get_grader(forced)
        return state

    return solve


async def grade_case(grader: Model, case: GradingCase) -> tuple[ParsedVerdicts, list[ChatMessage]]:
    """Have a case graded; a reply that cannot be read is asked for once more."""
    messages: list[ChatMessage] = [ChatMessageUser(content=render_request(case))]
    parsed = ParsedVerdicts(problem="not asked")
    for _ in range(ASKED):
        output = await ask(grader.generate, messages)
        truncated = output.stop_reason in CUT_OFF
        parsed = parse_verdicts(
            output.completion, case.criteria, seal(case), truncated, case.levels
        )
        messages.append(output.message)
        if not parsed.problem:
            break
        again = ASK_AGAIN.format(problem=parsed.problem, form=verdict_form(case))
        messages.append(ChatMessageUser(content=again))
    return parsed, messages


@metric(scores="unreduced")
def graded_reasons() -> Metric:
    """The mean mark with a 95% interval, how many have none, and the grader's agreement."""

    def compute(scores: list[SampleScore]) -> Value:
        marked = [entry for entry in scores if entry.score.value != NO_ANSWER]
        marks, samples = [e.score.as_float() for e in marked], [str(e.sample_id) for e in marked]
        agreement = (scores[0].score.metadata or {}).get("agreement", {}) if scores else {}
        counts = {"scored": len(marked), "unscored": len(scores) - len(marked)}
        return {**_name_values("reasons", clustered_mean(marks, samples)), **counts, **agreement}

    return compute


@scorer(metrics=[graded_reasons()])
def reasons(calibration: str | None = None, forced: bool = False) -> Scorer:
    """Have the grader mark the reasons and limitations of the last reply.

    Args:
        calibration: The log of `grader_calibration` by the same grader.
        forced: Whether the model under test may grade itself.
    """
    agreement = None if calibration is None else read_agreement(read_eval_log(calibration))

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        grader = get_grader(forced)
        if agreement is not None and agreement.grader != str(grader):
            raise RefusedError(
                f"calibration must be the log of the grader {grader}, got that of "
                f"{agreement.grader}"
            )
        case = _find_case(state)
        if isinstance(case, str):
            result = Score(value=NO_ANSWER, reason=case)
        else:
            parsed, _ = await grade_case(grader, case)
            result = _to_score(parsed.verdicts, parsed.problem)
        values = {"calibrated": 0} if agreement is None else _agreement_values(agreement)
        about = {"grader": str(grader), "agreement": values}
        return result.model_copy(
            update={
                "explanation": UNCALIBRATED if agreement is None else str(agreement),
                "metadata": {**about, **(result.metadata or {})},
            }
        )

    return score


def _to_score(verdicts: Mapping[str, str], problem: str) -> Score:
    if problem:
        return Score(value=NO_ANSWER, reason="unscored", metadata={"problem": problem})
    return Score(value=mean_mark(verdicts), metadata={"verdicts": dict(verdicts)})


def _find_case(state: TaskState) -> GradingCase | str:
    """Return the answer to be graded, or the reason why there is nothing to grade."""
    rows = unpack_sample(str(state.sample_id), state.metadata, None)
    if len(rows) != 1:
        raise ValueError(f"a sample must ask one item where reasons are graded, got {len(rows)}")
    if state.output.choices and state.output.stop_reason in CUT_OFF:
        return "cut_off"
    replies = find_heard(state.messages)
    # Reasons are asked for with the report.
    reply = replies[0].text if replies else ""
    if not graded_text(reply):
        return "empty"
    [row] = rows
    return _make_case(state, row, reply)


def _make_case(state: TaskState, row: Mapping[str, Any], reply: str) -> GradingCase:
    episode: Any = get_suite(str(state.metadata["suite"])).open_episode(row)
    return make_case(str(row["item"]), episode.instance, str(row["label"]), int(row["hint"]), reply)


@solver
def mark_by_rubric() -> Solver:
    """Have the grader mark the last reply by the rubric of its data set."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        [row] = unpack_sample(str(state.sample_id), state.metadata, None)
        replies = find_heard(state.messages)
        cut_off = bool(state.output.choices) and state.output.stop_reason in CUT_OFF
        if not replies or cut_off or not graded_text(replies[-1].text):
            return state
        reply, grader = replies[-1], get_grader()
        case = _make_case(state, row, reply.text)
        parsed, _ = await grade_case(grader, case)
        marks = {
            "grader": str(grader),
            "verdicts": dict(parsed.verdicts),
            "problem": parsed.problem,
        }
        reply.metadata = {**(reply.metadata or {}), RUBRIC_MARKS: marks}
        return state

    return solve


def build_grader_calibration(answers: str | None = None) -> Task:
    """Have a model grade labelled answers, to see how well it agrees with the labels.

    Args:
        answers: A file of labelled answers of one's own; the bundled ones if there is none.
    """
    with refusing():
        labelled = read_labelled_answers(answers)
    samples = [
        Sample(
            id=entry.case.name,
            input=render_request(entry.case),
            metadata={"kind": entry.kind, "labels": dict(entry.labels)},
        )
        for entry in labelled
    ]
    return Task(
        dataset=MemoryDataset(samples, name="grader-calibration"),
        solver=_grade(answers),
        scorer=_agrees(),
        metrics=[grader_agreement(answers)],
        config=GenerateConfig(temperature=0.0),
        version=CALIBRATION_VERSION,
        metadata={"content_hash": _calibration_hash(answers)},
    )


def read_agreement(log: EvalLog) -> Agreement:
    """Return the agreement that the log of a calibration shows.

    Raises:
        RefusedError: The log is of something else, or of other labelled answers.
    """
    own = log.eval.task_args.get("answers")
    with refusing():
        today = _calibration_hash(own)
    if read_content_hash(log) != today or log.status != "success":
        raise RefusedError(
            f"calibration must be the finished log of grader_calibration with today's labelled "
            f"answers ({today}), got {log.eval.task} with {read_content_hash(log)} "
            f"({log.status})"
        )
    scores = {
        str(sample.id): next(iter((sample.scores or {}).values()), None)
        for sample in log.samples or []
    }
    return _measure_agreement(log.eval.model, scores, own)


@solver
def _grade(answers: str | None = None) -> Solver:
    cases = {entry.case.name: entry.case for entry in read_labelled_answers(answers)}

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        parsed, state.messages = await grade_case(get_model(), cases[str(state.sample_id)])
        state.store.set("verdicts", dict(parsed.verdicts))
        state.store.set("problem", parsed.problem)
        return state

    return solve


@metric(scores="unreduced")
def grader_agreement(answers: str | None = None) -> Metric:
    """Weighted kappa, gap and distance with 95% intervals."""

    def compute(scores: list[SampleScore]) -> Value:
        by_name = {str(entry.sample_id): entry.score for entry in scores}
        return _agreement_values(_measure_agreement("the grader", by_name, answers))

    return compute


@scorer(metrics=[grader_agreement()])
def _agrees() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return _to_score(state.store.get("verdicts"), state.store.get("problem"))

    return score


def _measure_agreement(
    grader: str, scores: Mapping[str, Score | None], own: str | None
) -> Agreement:
    """Return the agreement of scores, by name of the labelled answer."""
    labelled = read_labelled_answers(own)
    given = [scores.get(entry.case.name) for entry in labelled]
    verdicts = [((score and score.metadata) or {}).get("verdicts") for score in given]
    return measure_agreement(grader, verdicts, [entry.labels for entry in labelled])


def _agreement_values(agreement: Agreement) -> dict[str, float]:
    counts = {"labelled": agreement.answers, "labelled_unscored": agreement.unscored}
    ends = {
        key: value
        for name in ("kappa", "gap", "distance")
        for key, value in _name_values(name, getattr(agreement, name)).items()
    }
    return {"calibrated": 1, **ends, **counts}


def _name_values(name: str, estimate: Estimate) -> dict[str, float]:
    """Return an estimate and the ends of its interval, where there are such, under a name."""
    values = {name: estimate.estimate, f"{name}_low": estimate.low, f"{name}_high": estimate.high}
    return {key: value for key, value in values.items() if value is not None}


def _calibration_hash(own: str | None) -> str:
    """Return a digest of what graders are asked and of the labels."""
    requests = [(render_request(e.case), dict(e.labels)) for e in read_labelled_answers(own)]
    return digest("grader-calibration", requests).hex()[:16]
