"""intervene as an Inspect task: the solver holds the episodes, the scorer reads them again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai import Task, task
from inspect_ai.model import ChatMessageTool, ChatMessageUser, get_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, Value, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import ToolInfo, ToolParam, ToolParams
from inspect_ai.util import collect

from whybench.records.rows import rows_of_sample
from whybench.records.schema import record_table
from whybench.suites.asking import ask
from whybench.suites.groups import WHOSE
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.entailment import solver_class
from whybench.suites.intervene.episode import Case, Episode, case_of
from whybench.suites.intervene.groups import CONDITION
from whybench.suites.intervene.measures import intervene_measures
from whybench.suites.intervene.verdicts import ANSWERS
from whybench.suites.task import (
    CUT_OFF,
    as_metrics,
    explained,
    marked,
    metric_rows,
    question_task,
    score_sample,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from inspect_ai.model import ChatMessage, ChatMessageAssistant, ModelOutput

__all__ = ["episodes", "intervene", "justification", "justified_measures"]

SHOWN = ("justified_accuracy", "accuracy", "balanced_accuracy", "steps")
"""The measures that Inspect shows; `whybench measures` has all."""

PASSED_OVER = "Not carried out: of several calls only the last one counts."


@solver
def episodes() -> Solver:
    """Hold an episode for each opening of the sample, those of a group side by side."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        rows = rows_of_sample(str(state.sample_id), state.metadata, None)
        if len(rows) == 1:
            state.output = await _hold(state, rows[0], state.messages)
            return state
        opened = [[opening] for opening in state.messages]
        outputs = await collect(
            *(_hold(state, row, talk) for row, talk in zip(rows, opened, strict=True))
        )
        state.messages = [message for talk in opened for message in talk]
        state.output = outputs[-1]
        return state

    return solve


async def _hold(state: TaskState, row: dict[str, Any], talk: list[ChatMessage]) -> ModelOutput:
    """Hold one episode; what is said is added to the talk."""
    model = get_model()
    item = str(row["item"])
    episode = Episode(case_of(row))
    tools = _tools(episode.case)
    while True:
        # A tool is not forced on the model: those that think before they call refuse that.
        output = await ask(model.generate, talk, tools=tools)
        reply = marked(output)
        talk.append(reply)
        said = episode.hear(words_of(reply), output.stop_reason in CUT_OFF)
        state.store.set(f"intervene:{item}", {"steps": len(episode.path), "end": episode.end})
        if said is None:
            return output
        talk.extend(_responses(reply, said, talk[0].metadata))


def _responses(
    reply: ChatMessageAssistant, said: str, about: dict[str, Any] | None
) -> Iterator[ChatMessage]:
    """Yield what is said to a reply, about the same; every call of a tool gets its own."""
    calls = reply.tool_calls or []
    if not calls:
        yield ChatMessageUser(content=said, metadata=about)
    for call in calls:
        yield ChatMessageTool(
            content=said if call is calls[-1] else PASSED_OVER,
            tool_call_id=call.id,
            function=call.function,
        )


def _tools(case: Case) -> list[ToolInfo]:
    """Return the tools of an episode; none where the agent replies in text."""
    if not case.tools:
        return []
    move, hold, _, _ = case.words
    return [
        _tool(
            "intervene",
            "Act on one entity, and see what happens.",
            entity=("The entity to act on.", case.names),
            action=("What to do to it.", (move, hold)),
        ),
        _tool("answer", "Answer the question. This ends it.", answer=("The answer.", ANSWERS)),
    ]


def _tool(name: str, description: str, **choices: tuple[str, tuple[str, ...]]) -> ToolInfo:
    parameters = {
        key: ToolParam(type="string", description=meaning, enum=list(levels))
        for key, (meaning, levels) in choices.items()
    }
    return ToolInfo(
        name=name,
        description=description,
        parameters=ToolParams(properties=parameters, required=list(parameters)),
    )


@metric(scores="unreduced")
def justified_measures() -> Metric:
    """Justified and plain accuracy with 95% intervals, and how many episodes have an answer."""

    def compute(scores: list[SampleScore]) -> Value:
        return as_metrics(intervene_measures(_pooled(metric_rows(scores))), SHOWN)

    return compute


def _pooled(rows: list[dict[str, Any]]) -> pa.Table:
    """Return the episodes of a run as records of one condition."""
    one = dict.fromkeys((*WHOSE, *CONDITION), "")
    worlds = rows[0]["worlds"] if rows else ""  # a design is about one set of worlds
    return record_table(
        [{**row, **one, "worlds": worlds} for row in rows], {**SUITE.columns, **SUITE.parts}
    )


@scorer(metrics=[justified_measures()])
def justification() -> Scorer:
    """Read the answer, and say whether what was seen entails it; without one, "N" and a reason."""

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
        return score_sample(state)

    return score


@task
def intervene(
    design: str = "core",
    name: str | None = None,
    worlds: str | None = None,
    theme: str | list[str] | None = None,
    style: str | list[str] | None = None,
    interface: str | list[str] | None = None,
    n: int | str | list[int] | None = None,
    density: float | str | list[float] | None = None,
    initial: str | list[str] | None = None,
    graphs: int | None = None,
    split: str | None = None,
    shard: str = "1/1",
    group: int = 1,
) -> Task:
    """Find out by acting whether one thing causes another, and answer when it is settled.

    Args:
        design: A named design (`core`, `advanced`, ...) or the path of a YAML file.
        name: A name for the design as changed, for the records.
        worlds: The set of worlds: core, advanced, source-advanced.
        theme: Themes: names, or paths of YAML files.
        style: How the agent is instructed: basic, fewest-steps, step-by-step, recipe.
        interface: How it replies: text, tools.
        n: Numbers of entities.
        density: Shares of the possible edges.
        initial: First states: all-moving, rest, some-moving.
        graphs: Number of worlds of each size and density.
        split: The side of the train/test divide.
        shard: `i/n` asks the i-th of n equal parts of the design.
        group: How many items one sample asks, each in a conversation of its own.
    """
    factors = {
        "name": name,
        "worlds": worlds,
        "theme": theme,
        "style": style,
        "interface": interface,
        "n": n,
        "density": density,
        "initial": initial,
        "graphs": graphs,
        "split": split,
    }
    chosen = {factor: levels for factor, levels in factors.items() if levels is not None}
    with explained():
        solver_class()  # else the first verdict would fail, after all the calls
        made = SUITE.design({"base": design, **chosen})
        return question_task(
            SUITE, made, justification(), shard=shard, group=group, solver=episodes()
        )
