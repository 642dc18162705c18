"""The figures of intervene's episodes: agents, endings, speed, cost, a real model."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import replace
from functools import partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from evidence.figures import Figure, Parts, figures_of
from whybench.seeds import generator
from whybench.suites.intervene import SUITE
from whybench.suites.intervene.agents import oracle, render_action, render_answer
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.design import DESIGNS
from whybench.suites.intervene.episode import ENDS, InterveneEpisode
from whybench.suites.intervene.experimenters import recipe
from whybench.suites.intervene.prompts import ACT, ANSWER, NEXT, render_prompt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import Solver

    from whybench.suites.contract import Agent
    from whybench.suites.intervene.items import InterveneItem


def _scored(agent: str, items: list[InterveneItem]) -> dict[str, float]:
    """Let an agent answer, and count what the records would hold."""
    chosen = SUITE.agent(agent)
    settings = chosen.settings({})
    right: dict[bool, list[bool]] = {True: [], False: []}
    justified, entailed, steps, late = [], [], [], 0
    for item in items:
        found = SUITE.converse(item, _speaker(chosen, settings, item.digest))
        right[item.truth == 1].append(found.value == item.truth)
        justified.append(found.parts["verdict"] == "justified")
        entailed.append(found.parts["evidence"] != "open")
        steps.append(int(found.parts["steps"]))
        late += steps[-1] > item.limit
    return {
        "balanced": (fmean(right[True]) + fmean(right[False])) / 2,
        "accuracy": fmean(right[True] + right[False]),
        "justified": fmean(justified),
        "entailed": fmean(entailed),
        "steps": fmean(steps),
        "late": late,
    }


def _speaker(agent: Agent[Any], settings: dict[str, Any], item: str) -> Callable[[Any, int], str]:
    return lambda asked, turn: agent.reply(
        asked, settings, generator("evidence", agent.name, item, turn)
    )


def agents(small: bool) -> Iterator[Figure]:
    """Yield how the agents fare on the advanced set, whatever moves at first."""
    for initial in ("all-moving", "some-moving"):
        design = replace(DESIGNS["advanced"], initial=(initial,), graphs=4 if small else 80)
        items = list(SUITE.items(design))
        at_start = fmean(
            InterveneEpisode(parse_case(item.factors)).evidence == "no" for item in items
        )
        scores = {
            name: _scored(name, items)
            for name in ("always-yes", "always-no", "listed-first", "bayes", "recipe")
        }
        guessers = {name: scores[name] for name in ("always-yes", "always-no", "listed-first")}
        yield Figure(
            f"{initial}: who answers at once scores 50% ± 3 balanced accuracy, and is justified "
            "only where the first observation settles the question",
            f"settled at the start {at_start:.1%} of {len(items)}; "
            + "; ".join(
                f"{name} {found['balanced']:.1%}, justified {found['justified']:.1%}"
                for name, found in guessers.items()
            ),
            all(
                abs(found["balanced"] - 0.5) <= 0.03 and found["justified"] <= at_start
                for found in guessers.values()
            ),
        )
        best, by_rule = scores["bayes"], scores["recipe"]
        yield Figure(
            f"{initial}: bayes is right and justified in every episode, within 2n steps",
            f"accuracy {best['accuracy']:.1%}, justified {best['justified']:.1%}, "
            f"{best['late']:.0f} late; {best['steps']:.2f} steps on average, recipe "
            f"{by_rule['steps']:.2f} (justified {by_rule['justified']:.1%})",
            best["accuracy"] == best["justified"] == by_rule["justified"] == 1 and not best["late"],
        )


def endings(small: bool) -> Iterator[Figure]:
    """Yield that whatever is said, episodes end, and outcomes add up."""
    count = 5_000 if small else 100_000
    items = list(SUITE.items(DESIGNS["core"]))
    rng = generator("evidence", "endings")
    ends: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()
    longest = 0.0
    for number in range(count):
        item = items[number % len(items)]
        episode = InterveneEpisode(parse_case(item.factors))
        said = _babble(item)
        chosen = [said[place] for place in rng.integers(0, len(said), 1 + number % 6)]
        turns = 0
        while not episode.over:
            episode.hear(chosen[turns % len(chosen)], truncated=bool(rng.random() < 0.05))
            turns += 1
            if turns > 10 * item.limit:
                break
        longest = max(longest, turns / item.limit)
        ends[episode.end] += 1
        outcomes[episode.answer.outcome] += 1
    yield Figure(
        "every series of replies ends, with one outcome",
        f"{count} episodes of babble: {dict(ends)}; outcomes {dict(outcomes)}; at most "
        f"{longest:.1f} turns for each action allowed",
        set(ends) <= set(ENDS)
        and sum(outcomes.values()) == count
        and outcomes["scored"] == ends["answered"] > 0
        and len(ends) == len(ENDS),
    )


def _babble(item: InterveneItem) -> list[str]:
    """Return replies good and bad: echoes of the forms, wrong case, nested, endless."""
    theme, names = item.theme, item.names
    forms = [ACT.format(move=theme.move, hold=theme.hold), NEXT, ANSWER]
    actions = [
        json.dumps({"entity": name.upper(), "action": verb})
        for name in names
        for verb in (theme.move, theme.hold.upper())
    ]
    return [
        *forms,
        *actions,
        render_prompt(item),
        '{"next": "continue"}',
        '{"NEXT": "Answer"}',
        '{"answer": "Yes"}',
        '{"answer": "perhaps"}',
        '{"answer": {"answer": "yes"}}',
        '{"reply": {"next": "continue"}}',
        '{"entity": "nobody", "action": "move"}',
        "I would hold the first one.",
        "",
        "{" * 50,
    ]


def scripts(n: int = 7) -> list[tuple[dict[str, Any], list[str]]]:
    """Return the episodes of the recipe at a size: factors and replies of each."""
    design = SUITE.make_design({"design": "advanced", "entities": str(n)})
    made = []
    for item in SUITE.items(design):
        episode = InterveneEpisode(parse_case(item.factors))
        said = []
        while not episode.over:
            chosen = recipe(episode.inquiry)
            said.append(render_action(episode, chosen) if chosen else render_answer(True))
            episode.hear(said[-1], truncated=False)
        made.append((dict(item.factors), said))
    return made


def scripted_a_second(made: list[tuple[dict[str, Any], list[str]]], times: int) -> float:
    """Return how many scripted episodes a core holds in a second: reading, acting, wording."""
    start = time.process_time()
    for _ in range(times):
        for factors, said in made:
            episode = InterveneEpisode(parse_case(factors))
            for reply in said:
                episode.hear(reply, truncated=False)
    return times * len(made) / (time.process_time() - start)


def speed(small: bool) -> Iterator[Figure]:
    """Yield the speed of episodes without Inspect."""
    made = scripts()
    turns = fmean(len(said) for _, said in made)
    bound = 5_000 if small else 10_000
    rate = max(scripted_a_second(made, 3 if small else 20) for _ in range(3))
    yield Figure(
        f"{bound:,} scripted episodes a second and core at n = 7",
        f"{rate:,.0f} ({turns:.1f} replies each, read and answered; the verdict, by a SAT solver, "
        "is asked for apart)",
        rate >= bound,
        timed=True,
    )


def cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a turn beside that of a bare Inspect loop of the same messages."""
    from inspect_ai import Task

    from evidence.engine import said, stack_sides
    from whybench._registry import intervene

    settings: dict[str, Any] = {"design": "advanced", "entities": 5, "graphs": 4 if small else 40}
    task = intervene(**settings)
    spoken: dict[str, list[str]] = {}
    heard: dict[str, list[str]] = {}
    for sample in task.dataset:
        episode = InterveneEpisode(parse_case(sample.metadata or {}))
        prompt = str(sample.input[0].text)  # type: ignore[union-attr]
        spoken[prompt], heard[prompt] = [], []
        while not episode.over:
            spoken[prompt].append(oracle(episode))
            heard[prompt].append(episode.hear(spoken[prompt][-1], truncated=False) or "")
    calls = sum(map(len, spoken.values()))

    def reply(messages: list[Any], *_: object) -> ModelOutput:
        turn = sum(message.role == "assistant" for message in messages)
        return said(spoken[messages[0].text][turn])

    def bare() -> Task:
        from inspect_ai.scorer import match

        made = intervene(**settings)
        return Task(
            dataset=made.dataset, solver=_bare_loop(heard), scorer=match(), config=made.config
        )

    kinds: dict[str, Callable[[], Task]] = {
        "bare": bare,
        "ours": lambda: intervene(**settings),
    }
    spent = stack_sides(kinds, reply, calls, 3 if small else 7)
    # Few turns, in CI, carry the cost of starting and ending a run.
    ratio, bound = spent["ours"] / spent["bare"], 2.0 if small else 1.1
    yield Figure(
        f"CPU of a turn is at most {bound:.2f} x a bare Inspect loop's of the same messages",
        f"{ratio:.2f} x ({spent['ours']:.2f} and {spent['bare']:.2f} ms, {calls} turns)",
        ratio <= bound,
        timed=True,
    )


def _bare_loop(heard: dict[str, list[str]]) -> Solver:
    """Return Inspect's plainest loop: generate, say the next of what is to be said."""
    from inspect_ai.model import ChatMessageUser
    from inspect_ai.solver import Generate, TaskState, solver

    @solver
    def loop() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            for said in heard[state.messages[0].text]:
                state = await generate(state)
                if said:
                    state.messages.append(ChatMessageUser(content=said))
            return state

        return solve

    return loop()


def real(small: bool) -> Iterator[Figure]:
    """Yield the episodes of a real model, through both interfaces."""
    from evidence.model_server import real_answers

    count = 1 if small else 10
    outcomes: dict[str, Counter[str]] = {}
    calls = {}
    for interface in ("text", "tools"):
        options = ["-T", f"interface={interface}"]
        rows, calls[interface] = real_answers("intervene", options, count, 16 if small else 48)
        outcomes[interface] = Counter(row["reason"] or row["outcome"] for row in rows)
    yield Figure(
        f"{2 * count} episodes of a real model are recorded, {count} through each interface",
        "; ".join(f"{name} {dict(found)}, {calls[name]} calls" for name, found in outcomes.items())
        + " (its chat template knows no tools, so it replies in text there too)",
        all(sum(found.values()) == count and not found["error"] for found in outcomes.values()),
    )


def round_trip(small: bool) -> Iterator[Figure]:
    """Yield that openings give back rules, observation and question."""
    from whybench.suites.intervene.prompt_parser import parse_prompt

    levels = {
        "theme": "shapes,lamps,words",
        "style": "direct,fewest-steps,cot,recipe",
        "interface": "text,tools",
    }
    graphs = 2 if small else 20
    designs = [
        SUITE.make_design({"design": "core", **levels}),
        SUITE.make_design(
            {
                "design": "advanced",
                "entities": "4,7,12",
                "initial": "rest,some-moving,all-moving",
                **levels,
            }
            | {"graphs": graphs}
        ),
    ]
    items = [item for design in designs for item in SUITE.items(design)]
    good = sum(parse_prompt(render_prompt(item)) == item.world for item in items)
    yield Figure(
        "every opening gives back rules, observation and question",
        f"{good} of {len(items)} over all themes, styles and interfaces",
        good == len(items),
    )


PARTS: Parts = {
    "agents": agents,
    "endings": endings,
    "speed": speed,
    "cost": cost,
    "real": real,
    "round trip": round_trip,
}

figures = partial(figures_of, PARTS)
