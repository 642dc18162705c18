"""Any suite to its Inspect task, items to samples, and replies to scores.

`inspect_task` makes the task of a suite, with a scorer and a metric that are its own by name, and
registers all three with Inspect under the package of the suite's class.

A sample asks one item, or several in independent conversations, which costs less per call in large
runs: `group` of them, or those that by the suite's word belong together. Inspect does the rest:
calls, retries, limits, logs. The version of the task holds the digest of its items and of how a
fixed set of replies is read, so that Inspect's eval sets refuse to mix runs that asked or read
differently.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import collect

from whybench import __version__
from whybench.datasets import DataError
from whybench.records.rows import pack_metadata, pack_score, rows_of_sample
from whybench.records.transcripts import conversations
from whybench.seeds import digest
from whybench.suites.asking import ask
from whybench.suites.content import content_hash, read_talk
from whybench.suites.errors import UserError
from whybench.suites.registry import AnySuite, get_suite, register_items
from whybench.suites.shards import WHOLE, in_samples, take_shard
from whybench.suites.signatures import OTHERS, task_help, task_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspect_ai.log import EvalSample
    from inspect_ai.model import ModelOutput

    from whybench.suites.items import Design, Item

__all__ = [
    "CUT_OFF",
    "as_prerequisite_error",
    "inspect_metric",
    "inspect_scorer",
    "inspect_task",
    "marked",
    "question_task",
    "score_sample",
    "words_of",
]

CUT_OFF = ("max_tokens", "model_length")
"""Stop reasons of a reply that the token limit cut off."""


@contextmanager
def as_prerequisite_error() -> Iterator[None]:
    """Turn a request that cannot be met into the error that Inspect prints without a traceback."""
    try:
        yield
    except (UserError, DataError) as error:
        raise PrerequisiteError(str(error)) from None


@cache
def inspect_task(asked: AnySuite) -> Callable[..., Task]:
    """Return the Inspect task of a suite, registered under the suite's name.

    Its arguments are the factors of the suite's designs, `design`, `name`, `shard`, `group` and
    the suite's own options; their help is that of the factors.
    """
    signature = task_signature(asked)
    scoring = inspect_scorer(asked)

    def ask(*given: Any, **named: Any) -> Task:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        arguments |= arguments.pop(OTHERS)
        own = ("shard", "group", *asked.inspection.options)
        options = {name: arguments.pop(name) for name in own}
        settings = {name: value for name, value in arguments.items() if value is not None}
        with as_prerequisite_error():
            design = asked.make_design(settings)
            questions = partial(
                question_task,
                asked,
                design,
                scoring(),
                shard=options["shard"],
                group=options["group"],
            )
            made: Task = asked.make_task(design, options, questions)
            return made

    ask.__doc__ = task_help(asked)
    ask.__annotations__ = {"return": Task}
    vars(ask)["__signature__"] = signature.replace(return_annotation=Task)
    registered: Callable[..., Task] = task(name=asked.name)(_belonging(asked, ask, asked.name))
    return registered


@cache
def inspect_scorer(asked: AnySuite) -> Callable[[], Scorer]:
    """Return the scorer of a suite, which reads its replies, with the suite's metric."""
    name = asked.inspection.scorer or f"{asked.name}_answers"

    def make() -> Scorer:
        """Read the answer from each reply; without one the score is "N" and a reason."""

        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
            return score_sample(state)

        return score

    shown = [inspect_metric(asked)()]
    registered: Callable[[], Scorer]
    registered = scorer(metrics=shown, name=name)(_belonging(asked, make, name))
    return registered


@cache
def inspect_metric(asked: AnySuite) -> Callable[[], Metric]:
    """Return the metric of a suite: its main measures, as Inspect shows them below a run."""
    name = asked.inspection.metric or f"{asked.name}_measures"

    def make() -> Metric:
        """Estimate main measures with 95% intervals, conditions pooled; count the answers.

        A run over several conditions is better told apart by `whybench measures`. What cannot be
        estimated is left out rather than reported as zero.
        """

        def compute(scores: list[SampleScore]) -> Value:
            rows = _rows(scores)
            values: dict[str, Any] = {}
            for found in asked.pooled_measures(asked.pool(rows)):
                ends = {"": found.estimate, "_low": found.low, "_high": found.high}
                values |= {f"{found.name}{end}": at for end, at in ends.items() if at is not None}
            scored = sum(row["outcome"] == "scored" for row in rows)
            return {**values, "scored": scored, "no_answer": len(rows) - scored}

        return compute

    registered: Callable[[], Metric]
    registered = metric(name=name, scores="unreduced")(_belonging(asked, make, name))
    return registered


def _belonging(asked: AnySuite, function: Any, name: str) -> Any:
    """Let a function count as the suite's own: Inspect registers it under the package it is of."""
    function.__module__ = type(asked).__module__
    function.__name__ = function.__qualname__ = name
    return function


def question_task(
    asked: AnySuite,
    design: Design,
    scorer: Scorer,
    *,
    shard: str = WHOLE,
    group: int | None = None,
    solver: Solver | None = None,
) -> Task:
    """Return the Inspect task that asks the items of a design.

    Args:
        asked: The suite.
        design: Its design.
        scorer: The suite's scorer, usually a registered wrapper of `score_sample`.
        shard: `i/n` asks the i-th of n equal parts of the design.
        group: How many items a sample asks, each in a conversation of its own; None for those that
            belong together by the suite's word, or else one.
        solver: How the conversations are held, where they take more than one turn.
    """
    items = take_shard(list(asked.items(design)), shard, asked.grouping)
    register_items(items)
    groups = in_samples(items, group, asked.grouping)
    return Task(
        dataset=MemoryDataset(
            [_sample(asked, members) for members in groups],
            name=f"{asked.name}-{design.name}",
        ),
        solver=solver or ask_each(),
        scorer=scorer,
        config=GenerateConfig(temperature=0.0),
        version=f"{asked.version}-{content_hash(asked, items)}",
        metadata={
            "suite": asked.name,
            "suite_version": asked.version,
            "design": design.name,
            "design_hash": design.hash,
            "whybench": __version__,
        },
    )


def _sample(asked: AnySuite, members: Sequence[Item]) -> Sample:
    """Return the sample that asks these items; one conversation opens for each.

    Where there are several, the messages name their items; else the sample does.
    """
    ids = [item.id for item in members]
    alone = len(ids) == 1
    return Sample(
        id=ids[0] if alone else f"{asked.name}-group-{digest(ids).hex()[:20]}",
        input=[
            ChatMessageUser(
                content=asked.render(item), metadata=None if alone else {"item": item.id}
            )
            for item in members
        ],
        target=[str(item.truth) for item in members],
        metadata=pack_metadata(
            asked.name, [(item.id, item.factors, item.truth) for item in members]
        ),
    )


@solver
def ask_each() -> Solver:
    """Open a conversation of its own with the model for each message of the sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        model = get_model()
        questions = list(state.messages)
        asked = [ask(model.generate, [question]) for question in questions]
        # A single conversation needs no task of its own.
        outputs = [await asked[0]] if len(asked) == 1 else await collect(*asked)
        state.messages = [
            message
            for question, output in zip(questions, outputs, strict=True)
            for message in (question, marked(output))
        ]
        state.output = outputs[-1]
        return state

    return solve


def marked(output: ModelOutput) -> ChatMessageAssistant:
    """Return the reply; one that was cut off says so, which the log would otherwise not keep."""
    if output.stop_reason not in CUT_OFF:
        return output.message
    reply = output.message.model_copy()
    reply.metadata = {**(reply.metadata or {}), "stop_reason": output.stop_reason}
    return reply


def score_sample(sample: TaskState | EvalSample) -> Score:
    """Read the replies of a sample, one that is being run or one from a log."""
    metadata = sample.metadata
    sample_id = str(sample.sample_id if isinstance(sample, TaskState) else sample.id)
    asked = get_suite(str(metadata["suite"]))
    rows = {row["item"]: row for row in rows_of_sample(sample_id, metadata, None)}
    talks = conversations(sample_id, sample.messages)
    ended = sample.output.stop_reason if sample.output.choices else None
    replies = [m for m in sample.messages if isinstance(m, ChatMessageAssistant)]
    answers, said = [], []
    for item, row in rows.items():
        talk = talks.get(item, [])
        said = [
            (words_of(message), _stop_reason(message, ended, replies[-1]) in CUT_OFF)
            for message in talk
            if isinstance(message, ChatMessageAssistant)
        ]
        answer = read_talk(asked, row, said)
        answers.append(
            (item, answer.value, answer.reason, {**answer.parts, **asked.transcript_columns(talk)})
        )
    last = said[-1][0].strip()[-200:] if said and len(rows) == 1 else None
    return Score(**pack_score(answers), answer=last)


def _stop_reason(
    message: ChatMessageAssistant, ended: str | None, last: ChatMessageAssistant
) -> str | None:
    """Return why a reply ended: as noted with it, or if it is the last, as the sample ended."""
    noted: str | None = (message.metadata or {}).get("stop_reason")
    return noted or (ended if message is last else None)


def words_of(message: ChatMessageAssistant) -> str:
    """Return a reply as text; a tool call says what its arguments say, and the last one counts."""
    calls = message.tool_calls
    return json.dumps(calls[-1].arguments) if calls else message.text


def _rows(scores: Sequence[SampleScore]) -> list[dict[str, Any]]:
    """Return one row for each answer behind these scores."""
    return [
        row
        for sample in scores
        for row in rows_of_sample(
            str(sample.sample_id),
            sample.sample_metadata or {},
            {
                "value": sample.score.value,
                "reason": sample.score.reason,
                "metadata": sample.score.metadata,
            },
        )
    ]
