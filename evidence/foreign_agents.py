"""Agents that are not ours sit the exam: Inspect's react, a bridge to another library.

Nothing here is told where the rows or the worlds are: both belong to the sample. The models are
scripted, or reference agents, so that what should come out is known.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from inspect_ai.agent import Agent, AgentState, agent, agent_bridge

from evidence.figures import Figure, Parts
from evidence.processes import command
from whybench.suites.analyze.reports import AVERAGE, NO_CLEAR_EFFECT, recommend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from inspect_ai import Task
    from inspect_ai.log import EvalLog
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import Solver
    from inspect_ai.tool import Tool

    from whybench.suites.analyze.items import AnalyzeItem

QUIET: dict[str, Any] = {"display": "none", "log_realtime": False, "score_display": False}

REACT_TOOLS = "tools=[{}]".format(
    ", ".join(
        f"{{type: tool, name: whybench/{name}, params: {{}}}}"
        for name in ("move", "hold", "answer")
    )
)
"""How the tools are given to react on the command line, after `-S`."""

PROGRAM = """
import json
import pandas as pd
import statsmodels.api as sm

rows = pd.read_csv("rows.csv")
treatment, outcome = rows[{treatment!r}], rows[{outcome!r}]
columns = [treatment]
for name in {before!r}:
    centred = rows[name] - rows[name].mean()
    columns += [centred, centred * treatment]
fit = sm.OLS(outcome, sm.add_constant(pd.concat(columns, axis=1))).fit()
low, high = fit.conf_int().iloc[1]
crude = outcome[treatment == 1].mean() - outcome[treatment == 0].mean()
print(json.dumps([fit.params.iloc[1], low, high, crude]))
"""
"""What a competent analyst of the challenge simpson runs."""


def _run(task: Task, model: Any, folder: str, solver: Any = None, **settings: Any) -> EvalLog:
    from inspect_ai import eval as inspect_eval

    (log,) = inspect_eval(task, model=model, solver=solver, log_dir=folder, **QUIET, **settings)
    if log.status != "success":
        raise RuntimeError(f"the run must succeed, got {log.error and log.error.message}")
    return log


def _metrics(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


def react_on_worlds(small: bool) -> Iterator[Figure]:
    """Yield what react makes of intervene's core set, by the command line of Inspect."""
    from inspect_ai.log import list_eval_logs, read_eval_log

    limit = 12 if small else 84
    words = [
        *(command("inspect"), "eval", "whybench/intervene"),
        *("-T", "interface=tools", "--solver", "inspect_ai/react", "-S", REACT_TOOLS),
        *("--model", "reference/intervene.recipe", "--limit", str(limit), "--display", "none"),
    ]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [*words, "--log-dir", folder],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        logs = list_eval_logs(folder)
        found = _metrics(read_eval_log(logs[0])) if logs and not done.returncode else {}
    yield Figure(
        "`--solver inspect_ai/react` with a model that calls tools: justified 1.000 on core",
        f"justified_accuracy {found.get('justified_accuracy', float('nan')):.3f} of "
        f"{found.get('scored', 0):.0f} answers, {found.get('no_answer', 0):.0f} without"
        + (f"; {done.stderr.strip()[-300:]}" if done.returncode else ""),
        found.get("justified_accuracy") == 1 and found.get("scored") == limit,
    )


def program_on_worlds(small: bool) -> Iterator[Figure]:
    """Yield what a program makes of the worlds that is served their tools by MCP."""
    from whybench.agents.programs import mcp
    from whybench.tasks import intervene

    limit = 4 if small else 84
    example = Path(__file__).parents[1] / "docs" / "examples" / "mcp_agent.py"
    task = intervene(interface="tools")
    with tempfile.TemporaryDirectory() as folder:
        solver = mcp(command=f"{sys.executable} {example}")
        found = _metrics(_run(task, "none", folder, solver, limit=limit))
    yield Figure(
        "a program that is served the tools by MCP: justified 1.000 on core",
        f"justified_accuracy {found['justified_accuracy']:.3f} of {found['scored']:.0f} answers",
        found["justified_accuracy"] == 1 and found["scored"] == limit,
    )


def bridge_agent(tools: Callable[[], Sequence[Tool]]) -> Agent:
    """Return an agent that knows nothing of Inspect but the address of its model.

    It speaks to the model by the client of OpenAI, and carries out calls by itself.

    Args:
        tools: Makes the tools that it is given.
    """
    from inspect_ai.model import messages_to_openai
    from inspect_ai.tool import ToolDef

    @agent
    def bridged() -> Agent:
        async def execute(state: AgentState) -> AgentState:
            from openai import AsyncOpenAI

            known = {definition.name: definition for definition in map(ToolDef, tools())}
            offered: Any = [
                {
                    "type": "function",
                    "function": {
                        "name": definition.name,
                        "description": definition.description,
                        "parameters": definition.parameters.model_dump(exclude_none=True),
                    },
                }
                for definition in known.values()
            ]
            async with agent_bridge(state) as bridge:
                client = AsyncOpenAI(api_key="none", base_url="http://localhost:1/v1")
                messages: list[Any] = list(await messages_to_openai(state.messages))
                while True:
                    completion = await client.chat.completions.create(
                        model="inspect", messages=messages, tools=offered
                    )
                    reply = completion.choices[0].message
                    messages.append(reply.model_dump(exclude_none=True))
                    if not reply.tool_calls:
                        return bridge.state
                    calls: Any = reply.tool_calls
                    for call in calls:
                        chosen = known[call.function.name]
                        result = await chosen.tool(**json.loads(call.function.arguments))
                        messages.append(
                            {"role": "tool", "tool_call_id": call.id, "content": str(result)}
                        )

        return execute

    return bridged()


def _python() -> Sequence[Tool]:
    from inspect_ai.tool import python

    return [python(timeout=60)]


def _world_tools() -> Sequence[Tool]:
    from whybench.suites.intervene.task import answer, hold, move

    return [move(), hold(), answer()]


def bridge_on_worlds(small: bool) -> Iterator[Figure]:
    """Yield what an agent behind the bridge makes of intervene."""
    from whybench._registry import intervene

    limit = 8 if small else 84
    with tempfile.TemporaryDirectory() as folder:
        log = _run(
            intervene(interface="tools"),
            "reference/intervene.bayes",
            folder,
            bridge_agent(_world_tools),
            limit=limit,
        )
        found = _metrics(log)
    yield Figure(
        "an agent behind the bridge acts by the same tools: justified 1.000 on core",
        f"justified_accuracy {found['justified_accuracy']:.3f} of {found['scored']:.0f} answers",
        found["justified_accuracy"] == 1 and found["scored"] == limit,
    )


def scripted_analyst(submits: bool) -> Callable[..., ModelOutput]:
    """Return a model that runs a real program on the rows, and answers from what it prints.

    Args:
        submits: Whether it hands its answer in by `submit`; else it says it.
    """
    from inspect_ai.model import ModelOutput, ModelUsage

    from evidence.engine import said
    from whybench.agents.provider import find_current_item, follow_samples

    follow_samples()

    def reply(messages: list[Any], *_: object) -> ModelOutput:
        item: Any = find_current_item(messages)[1]
        printed = [message.text for message in messages if message.role == "tool"]
        if printed:
            numbers = next(line for line in printed[-1].splitlines() if line.startswith("["))
            words = _word_answer(item, json.loads(numbers))
            if not submits:
                return said(words)
            output = ModelOutput.for_tool_call("mockllm", "submit", {"answer": words})
        else:
            code = _write_program(item)
            output = ModelOutput.for_tool_call("mockllm", "python", {"code": code})
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return reply


def _columns_before(item: AnalyzeItem) -> list[str]:
    """Return the roles of what was measured before the treatment."""
    when = {column.role: column.measured for column in item.instance.columns}
    return [role for role in ("decoy", "stratum") if when[role] < when["treatment"]]


def _write_program(item: AnalyzeItem) -> str:
    before = [item.names[role] for role in _columns_before(item)]
    names = {role: item.names[role] for role in ("treatment", "outcome")}
    return PROGRAM.format(before=before, **names)


def _word_answer(item: AnalyzeItem, printed: Sequence[float]) -> str:
    """Return the answer to what was printed: effect, its interval, and the crude difference."""
    effect, low, high, crude = printed
    advice = recommend(low, high)
    reversal = advice != NO_CLEAR_EFFECT and effect * crude < 0
    return "Adjusted for what came before. " + json.dumps(
        {
            "recommendation": advice,
            "estimand": AVERAGE,
            "estimate": effect,
            "interval": [low, high],
            "reversal": reversal,
            "adjustment_set": [item.names["stratum"]] if reversal else [],
        }
    )


def analysts(small: bool) -> Iterator[Figure]:
    """Yield what agents that are not ours make of analyze, in our sandbox."""
    from inspect_ai.agent import react
    from inspect_ai.model import get_model
    from inspect_ai.tool import bash, python

    from whybench._registry import analyze

    seeds = 2 if small else 10
    agents: dict[str, tuple[Any, bool]] = {
        "react": (react(tools=[bash(), python()]), True),
        "a bridge agent": (bridge_agent(_python), False),
        "our own loop": (None, False),
    }
    for name, (chosen, submits) in agents.items():
        model = get_model("mockllm/model", custom_outputs=scripted_analyst(submits), memoize=False)
        with tempfile.TemporaryDirectory() as folder:
            task = analyze(challenge="simpson", seeds=seeds, protocol="free")
            samples = list(_run(task, model, folder, chosen).samples or ())
            scores = [float(sample.scores["analysis"].metadata["answer"]) for sample in samples]  # type: ignore[index]
            files = {tuple(sample.files or ()) for sample in samples}
        yield Figure(
            f"{name} finds the rows in the sandbox, runs a program on them and is graded",
            f"mean score {fmean(scores):.3f} of {len(scores)} answers, files {files}",
            len(scores) == 2 * seeds and fmean(scores) >= 0.9 and files == {("rows.csv",)},
        )


def _follow_script(messages: list[Any], *_: object) -> ModelOutput:
    """Act twice and answer, by tools."""
    from inspect_ai.model import ModelOutput, ModelUsage

    turn = sum(message.role == "assistant" for message in messages)
    opening = next(message.text for message in messages if message.role == "user")
    first = opening.partition(" are: ")[2].partition(",")[0]
    call = [("hold", first), ("move", first), ("answer", "no"), ("submit", "done")][turn]
    argument = "entity" if turn < 2 else "answer"
    output = ModelOutput.for_tool_call("mockllm", call[0], {argument: call[1]})
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a call under react, beside react with tools that do nothing."""
    from inspect_ai import Task, task_with
    from inspect_ai.agent import react
    from inspect_ai.scorer import match
    from inspect_ai.tool import ToolDef

    from evidence.engine import stack_sides
    from whybench._registry import intervene

    heard = "You see: triangle: static; square: static; arrow: static. Actions left: 5."

    async def say(entity: str) -> str:  # noqa: ARG001
        return heard

    async def conclude(answer: str) -> str:  # noqa: ARG001
        return "Your answer has been recorded. The task has ended."

    def idle() -> list[Tool]:
        words = {"entity": "The entity.", "answer": "The answer."}
        made = [("move", say, "entity"), ("hold", say, "entity"), ("answer", conclude, "answer")]
        return [
            ToolDef(
                function,
                name=name,
                description="Act.",
                parameters={key: words[key]},
                parallel=False,
            ).as_tool()
            for name, function, key in made
        ]

    def as_solver_of(tools: Sequence[Tool]) -> Solver:
        from inspect_ai.agent import as_solver

        return as_solver(react(tools=tools))

    settings: dict[str, Any] = {"design": "advanced", "entities": 5, "graphs": 4 if small else 160}
    settings["interface"] = "tools"
    kinds: dict[str, Callable[[], Task]] = {
        "bare": lambda: Task(
            dataset=intervene(**settings).dataset, solver=as_solver_of(idle()), scorer=match()
        ),
        "ours": lambda: task_with(intervene(**settings), solver=as_solver_of(_world_tools())),
    }
    calls = 4 * len(intervene(**settings).dataset)
    spent = stack_sides(kinds, _follow_script, calls, 2 if small else 5)
    # Few calls, in CI, carry the cost of starting and ending a run.
    ratio, bound = spent["ours"] / spent["bare"], 3.0 if small else 1.1
    yield Figure(
        f"CPU of a call under react is at most {bound:.2f} x react's with tools that do nothing",
        f"{ratio:.2f} x ({spent['ours']:.2f} and {spent['bare']:.2f} ms, {calls} calls)",
        ratio <= bound,
        timed=True,
    )


def text_logs(small: bool) -> Iterator[Figure]:
    """Yield the size of a log of the text interface, beside what it was before."""
    from whybench._registry import intervene

    limit = 12 if small else 84
    with tempfile.TemporaryDirectory() as folder:
        _run(intervene(), "reference/intervene.recipe", folder, limit=limit)
        [path] = Path(folder).glob("*.eval")
        each = path.stat().st_size / limit
    yield Figure(
        f"a log of the text interface has at most {BYTES * 1.1:,.0f} bytes an episode, 10% more "
        "than before agents of other kinds could take part",
        f"{each:,.0f} bytes an episode",
        each <= BYTES * 1.1 or small,
    )


BYTES = 3902
"""Bytes of an episode in a log, before."""

PARTS: Parts = {
    "react": react_on_worlds,
    "program": program_on_worlds,
    "bridge": bridge_on_worlds,
    "analysts": analysts,
    "cost": cost,
    "text logs": text_logs,
}
