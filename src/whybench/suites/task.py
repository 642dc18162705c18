"""Any suite to its Inspect task, items to samples, and replies to scores.

`inspect_task` makes the task of a suite, with a scorer and a metric that are its own by name, and
registers all three with Inspect under the package of the suite's class.

A sample asks one item, or several in independent conversations, which costs less per call in large
runs: `group` of them, or those that by the suite's word belong together. Inspect does the rest:
calls, retries, limits, logs. The metadata of the task hold the digest of its items and of how a
fixed set of replies is read, so that runs that ask or read differently are told apart, and not
mixed (`evaluation.engine`); its version says in Inspect's form what people compare.
"""

from __future__ import annotations

import math
from contextlib import contextmanager
from functools import cache, partial, wraps
from importlib import import_module
from itertools import islice
from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import HeadlineMetric
from inspect_ai.model import ChatMessageUser
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Solver, TaskState
from inspect_ai.viewer import ScoreColorScale, TaskSamplesColumn, TaskSamplesView, ViewerConfig

from whybench.errors import DataError, RefusedError, UserError
from whybench.records.rows import pack_metadata, pack_score, unpack_sample
from whybench.records.runs import split_conversations
from whybench.suites.catalog import (
    OTHERS,
    WHOLE,
    check_rounds,
    list_samples,
    task_help,
    task_signature,
)
from whybench.suites.conversations import CUT_OFF, ask_each, reply_text
from whybench.suites.registry import AnySuite, get_suite, register_items
from whybench.suites.replies import content_hash, parse_conversation
from whybench.suites.sources import RoundSource
from whybench.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from inspect_ai.log import EvalSample
    from inspect_ai.model import ChatMessage

    from whybench.stats import Measure
    from whybench.suites.designs import Design
    from whybench.suites.items import Item

Z_95 = 1.959963984540054
"""Standard errors from the estimate to an end of a 95% interval, where it is a normal one."""

LONGEST_SHOWN = 200


@contextmanager
def refusing() -> Iterator[None]:
    """Turn a request that cannot be met into what Inspect's command prints in one line."""
    try:
        yield
    except (UserError, DataError) as error:
        raise RefusedError(str(error)) from None


@cache
def inspect_task(suite: AnySuite) -> Callable[..., Task]:
    """Return the Inspect task of a suite, registered under the suite's name.

    Its arguments are the factors of the suite's designs, `design`, `name`, `shard`, `group` and
    the suite's own options; their help is that of the factors.
    """
    if suite.inspection.task:
        module, _, name = suite.inspection.task.partition(":")
        written: Callable[..., Task] = getattr(import_module(module), name)
        return written

    @takes_arguments_of(suite)
    def build(**arguments: Any) -> Task:
        return build_suite_task(suite, arguments)

    registered: Callable[..., Task] = task(name=suite.name)(_as_member(suite, build, suite.name))
    return registered


def takes_arguments_of(suite: AnySuite) -> Callable[[Callable[..., Task]], Callable[..., Task]]:
    """Give a function the arguments and the help of a suite's task; it is called with all of them.

    Arguments that are left out have their defaults.
    """
    signature = task_signature(suite)
    inspect_scorer(suite)  # so that Inspect knows it before a task is made, to score old logs

    def decorate(function: Callable[..., Task]) -> Callable[..., Task]:
        @wraps(function)
        def called(*positional: Any, **named: Any) -> Task:
            bound = signature.bind(*positional, **named)
            bound.apply_defaults()
            others = bound.arguments.pop(OTHERS)
            return function(**bound.arguments, **others)

        called.__doc__ = task_help(suite)
        called.__annotations__ = {"return": Task}
        vars(called)["__signature__"] = signature.replace(return_annotation=Task)
        return called

    return decorate


def build_suite_task(suite: AnySuite, arguments: Mapping[str, Any]) -> Task:
    """Return the Inspect task of a suite for these arguments, all of which are there.

    Raises:
        RefusedError: There is no such design; says what there is.
    """
    settings = {name: value for name, value in arguments.items() if value is not None}
    options = {name: arguments[name] for name in ("shard", "group", *suite.inspection.options)}
    for name in options:
        settings.pop(name, None)
    shard, group = options["shard"], options["group"]
    with refusing():
        design = suite.make_design(settings)
        scorer = inspect_scorer(suite)()
        one_turn = partial(build_inspect_task, suite, design, scorer, shard=shard, group=group)
        built: Task = suite.make_task(design, options, one_turn)
        return built


def check_sandbox(task: Task, chosen: Any, log_dir: str) -> Any:
    """Return the sandbox of a run as Inspect takes it, having tried it; None without programs.

    Args:
        task: The task; its metadata name packages if programs are promised some.
        chosen: The sandbox asked for, such as `docker:compose.yaml`; None for the task's own.
        log_dir: Where logs go, which programs must not be able to read.

    Raises:
        UserError: The sandbox cannot be used; says why and what to do.
    """
    if task.sandbox is None:
        return None
    from whybench.suites.sandboxes import split_sandbox, try_sandbox  # noqa: PLC0415  (seconds)

    kind, settings = split_sandbox(chosen or task.sandbox)
    if "packages" in (task.metadata or {}):
        try_sandbox(kind, settings, log_dir)
    return kind if settings is None else (kind, settings)


@cache
def inspect_scorer(suite: AnySuite) -> Callable[[], Scorer]:
    """Return the scorer of a suite, which parses its replies, with the suite's metric."""
    name = suite.inspection.scorer or f"{suite.name}_answers"

    def make() -> Scorer:
        """Parse the answer of each reply; without one the score is "N" and a reason."""

        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
            return score_sample(state)

        return score

    shown = [inspect_metric(suite)()]
    registered: Callable[[], Scorer]
    registered = scorer(metrics=shown, name=name)(_as_member(suite, make, name))
    return registered


@cache
def inspect_metric(suite: AnySuite) -> Callable[[], Metric]:
    """Return the metric of a suite: its main measures, as Inspect shows them below a run."""
    name = suite.inspection.metric or f"{suite.name}_measures"

    def make() -> Metric:
        """Estimate main measures with 95% intervals, conditions pooled; count the answers.

        `whybench results` keeps several conditions of a run apart. The headline comes first, with
        its standard error (half of the interval by 1.96) as `stderr`; where there are too few
        answers for it, both are NaN. What else cannot be estimated is left out.
        """

        def compute(scores: list[SampleScore]) -> Value:
            rows = _rows(scores)
            measures = suite.pooled_measures(suite.pool(rows)) if rows else []
            values: dict[str, Any] = _headline(suite.inspect_headline, measures)
            for measure in measures:
                ends = {"": measure.estimate, "_low": measure.low, "_high": measure.high}
                values |= {f"{measure.name}{end}": x for end, x in ends.items() if x is not None}
            scored = sum(row["outcome"] == "scored" for row in rows)
            return {**values, "scored": scored, "no_answer": len(rows) - scored}

        return compute

    registered: Callable[[], Metric]
    registered = metric(name=name, scores="unreduced")(_as_member(suite, make, name))
    return registered


def _headline(name: str, measures: Sequence[Measure]) -> dict[str, float]:
    """Return the measure that stands for a run, and its standard error; NaN where undefined."""
    found = next((measure for measure in measures if measure.name == name), None)
    if found is None or found.estimate is None:
        return {name: math.nan, "stderr": math.nan}
    ends = (found.low, found.high)
    low, high = ((math.nan if end is None else end) for end in ends)
    return {name: found.estimate, "stderr": (high - low) / (2 * Z_95)}


def _as_member(suite: AnySuite, function: Any, name: str) -> Any:
    """Return a function as one of the suite's package, under which Inspect registers it."""
    function.__module__ = type(suite).__module__
    function.__name__ = function.__qualname__ = name
    return function


def build_inspect_task(
    suite: AnySuite,
    design: Design,
    scorer: Scorer,
    *,
    shard: str = WHOLE,
    group: int | None = None,
    solver: Solver | None = None,
) -> Task:
    """Return the Inspect task that asks the items of a design.

    Args:
        suite: The suite.
        design: Its design.
        scorer: The suite's scorer, usually a registered wrapper of `score_sample`.
        shard: `i/n` asks the i-th of n equal parts of the design.
        group: How many items a sample asks, each in a conversation of its own; None for those that
            belong together by the suite's word, or else one.
        solver: How the conversations are held, where they take more than one turn.
    """
    rounds = suite.rounds(design)
    dataset: MemoryDataset | RoundSource
    if rounds is None:
        groups = list_samples(suite, suite.items(design), shard=shard, group=group)
        items = [item for members in groups for item in members]
        register_items(items)
        dataset = MemoryDataset(
            [_sample(suite, members) for members in groups], name=f"{suite.name}-{design.name}"
        )
    else:
        check_rounds(shard, group)
        items = list(islice(suite.items(design), design.block))
        dataset = RoundSource(rounds, partial(_sample_of_round, suite))
    return Task(
        dataset=dataset,
        solver=solver or ask_each(),
        scorer=scorer,
        display_name=f"WhyBench {suite.name}",
        description=f"WhyBench {suite.name} {suite.summary}.",
        tags=["causal-reasoning", suite.name],
        headline_metric=HeadlineMetric(metric=suite.inspect_headline),
        viewer=_viewer(suite),
        version=f"{suite.version}-{suite.interface_letter}",
        metadata={
            "suite": suite.name,
            "suite_version": suite.version,
            "design": design.name,
            "design_hash": design.hash,
            "content_hash": content_hash(suite, items),
            "whybench": __version__,
        },
    )


def _viewer(suite: AnySuite) -> ViewerConfig:
    """Return what the viewer's list of samples shows, and in which colours."""
    scorer = suite.inspection.scorer or f"{suite.name}_answers"
    scores = suite.inspection.sample_scores
    columns: list[TaskSamplesColumn] = [
        *(TaskSamplesColumn(id=name) for name in ("sampleStatus", "sampleId")),
        *(TaskSamplesColumn.score(scorer, name) for name in scores),
        TaskSamplesColumn(id="answer", visible="answer" not in scores),
        *(TaskSamplesColumn(id=name) for name in ("target", "error", "limit")),
        *(TaskSamplesColumn(id=name, visible=False) for name in ("input", "tokens", "duration")),
    ]
    scales: dict[str, Any] = {
        name: ScoreColorScale.model_validate({"palette": colors, "min": low, "max": high})
        if isinstance(colors, str)
        else colors
        for name, (colors, low, high) in scores.items()
    }
    view = TaskSamplesView(
        name=suite.name,
        columns=columns,
        multiline=False,
        score_color_scales=scales,
        color_scales_enabled=True,
    )
    return ViewerConfig(task_samples_view=view)


def _sample_of_round(suite: AnySuite, item: Item) -> Sample:
    """Return the sample of an item that is asked in a round."""
    register_items([item])
    return _sample(suite, [item])


def _sample(suite: AnySuite, members: Sequence[Item]) -> Sample:
    """Return the sample that asks these items; one conversation opens for each.

    Where there are several, the messages name their items; else the sample does.
    """
    ids = [item.id for item in members]
    alone = len(ids) == 1
    files = {name: text for item in members for name, text in suite.files(item).items()}
    return Sample(
        id=ids[0] if alone else f"{ids[0]}-and-{len(ids) - 1}-more",
        input=[
            ChatMessageUser(
                content=suite.render(item), metadata=None if alone else {"item": item.id}
            )
            for item in members
        ],
        # The exact truths stand in the metadata.
        target=[suite.show_truth(item) for item in members],
        metadata=pack_metadata(
            suite.name,
            [(item.id, item.case, item.factors, item.truth) for item in members],
        ),
        files=files or None,
    )


def score_sample(sample: TaskState | EvalSample) -> Score:
    """Parse the replies of a sample, one that is being run or one from a log.

    Whoever held the conversation: what was called of the suite's tools counts by what the sample
    keeps of it, and a last word that no message holds counts as a reply.

    Raises:
        RefusedError: A solver that is not ours took several questions for one.
    """
    metadata = sample.metadata
    sample_id = str(sample.sample_id if isinstance(sample, TaskState) else sample.id)
    suite = get_suite(str(metadata["suite"]))
    rows = {row["item"]: row for row in unpack_sample(sample_id, metadata, None)}
    conversations = split_conversations(sample_id, sample.messages)
    stop_reason = sample.output.stop_reason if sample.output.choices else None
    last = next((m for m in reversed(sample.messages) if m.role == "assistant"), None)
    if len(rows) > 1:
        _check_each_was_asked(conversations, rows)
    answers, replies = [], []
    for item, row in rows.items():
        messages = conversations.get(item, [])
        replies = [
            # A reply says why it ended, or else, if it is the last, the sample does.
            (
                reply_text(message),
                ((message.metadata or {}).get("stop_reason") or (message is last and stop_reason))
                in CUT_OFF,
            )
            for message in suite.find_heard(messages)
        ]
        last_words = sample.output.completion if len(rows) == 1 else ""
        if last_words and (last is None or last_words != last.text):
            replies.append((last_words, stop_reason in CUT_OFF))
        answer = None
        if suite.tool_use is not None:
            answer = suite.tool_use.answer(row, dict(sample.store.items()), replies)
        answer = answer or parse_conversation(suite, row, replies)
        answer = suite.complete_answer(answer, messages)
        answers.append((answer.value, answer.reason, answer.parts))
        row |= {"value": answer.value, **answer.parts}
    shown = _shorten_reply(replies[-1][0]) if replies and len(rows) == 1 else None
    return Score(**pack_score(answers, suite.sample_scores([*rows.values()])), answer=shown)


def _shorten_reply(reply: str) -> str:
    """Return the end of a reply, where answers stand, for a list of many."""
    text = reply.strip()
    return text if len(text) <= LONGEST_SHOWN else f"… {text[-LONGEST_SHOWN:]}"


def _check_each_was_asked(
    conversations: Mapping[str, Sequence[ChatMessage]], items: Collection[str]
) -> None:
    """See that if one of several items has a reply, all have, as our own solvers see to it."""
    replied = {
        item
        for item, messages in conversations.items()
        if any(message.role == "assistant" for message in messages)
    }
    if replied and not replied.issuperset(items):
        raise RefusedError(
            f"a sample must ask one question if another solver than the task's own is to answer "
            f"it, got {len(items)}; make the task with group=1"
        )


def _rows(scores: Sequence[SampleScore]) -> list[dict[str, Any]]:
    """Return one row for each answer behind these scores."""
    return [
        row
        for sample in scores
        for row in unpack_sample(
            str(sample.sample_id),
            sample.sample_metadata or {},
            {
                "value": sample.score.value,
                "reason": sample.score.reason,
                "metadata": sample.score.metadata,
            },
        )
    ]
