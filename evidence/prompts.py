"""The figures of compose's prompts: read back, made by the second, asked by the unit."""

from __future__ import annotations

import time
from collections import Counter
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING

from evidence.compositions import GRAPHS
from evidence.figures import Figure, Parts
from whybench.seeds import generator
from whybench.suites.compose import SUITE
from whybench.suites.compose.prompt_parser import parse_prompt
from whybench.suites.compose.prompts import REPLY_FORM, render_prompt
from whybench.suites.compose.questions import ComposeQuestion
from whybench.suites.compose.themes import THEME_NAMES, ComposeTheme, load_theme
from whybench.suites.compose.world import COUNTS, Block, Gates, draw_world

if TYPE_CHECKING:
    from collections.abc import Iterator


SHAPES = [
    Block("bridge", 2),
    *(Block("cycle", size) for size in (3, 4, 5)),
    *(Block("wheel", size) for size in (4, 5, 6)),
    *GRAPHS,
]
GATES: tuple[Gates, ...] = ("or", "and", "mixed")
STYLES = tuple(REPLY_FORM)


def question_at(number: int, told: ComposeTheme | None = None) -> ComposeQuestion:
    """Return the question of a number; every theme, gate and style comes in turn."""
    rng = generator("test", "question", number)
    told = told or load_theme(THEME_NAMES[number % 4])
    blocks = tuple(SHAPES[place] for place in rng.integers(len(SHAPES), size=rng.integers(2, 6)))
    world = draw_world(blocks, GATES[number // 4 % 3], number)
    names = told.draw(world.size, rng)
    cause, effect = world.pairs[rng.integers(len(world.pairs))]
    return ComposeQuestion(
        world=world,
        counts=tuple(rng.integers(1, COUNTS + 1, world.size).tolist()),
        names=names,
        theme=told,
        order=tuple(rng.permutation(world.size).tolist()),
        effect=effect,
        intervention=(None, (cause, True), (cause, False))[rng.integers(3)],
        style=STYLES[number // 12 % len(STYLES)],
        details=told.draw_details(names, int(rng.integers(7)), rng),
        example=int(rng.integers(100)),
    )


def round_trip(small: bool) -> Iterator[Figure]:
    """Yield that every prompt gives back its world, its unit and its question."""
    count = 1_000 if small else 10_000
    questions = [question_at(number) for number in range(count)]
    good = sum(parse_prompt(render_prompt(question)) == question.plain for question in questions)
    with_details = sum(bool(question.details) for question in questions)
    yield Figure(
        "every prompt gives back world, unit and question",
        f"{good} of {count} over {len({q.theme.name for q in questions})} themes and "
        f"{len({q.style for q in questions})} styles, {with_details} with extraneous detail",
        good == count,
    )


def certified_a_second(count: int) -> float:
    """Return how many items a core makes in a second, with certificate, id and prompt."""
    made = SUITE.items(SUITE.make_design({"design": "full"}))
    start = time.process_time()
    for item in islice(made, count):
        if not (item.id and item.prompt and item.certificate.derivations):
            raise RuntimeError(f"{item} lacks a part")
    return count / (time.process_time() - start)


def speed(small: bool) -> Iterator[Figure]:
    """Yield the speed at which certified prompts are made."""
    count, bound = (3_000, 2_500) if small else (20_000, 10_000)
    rates = [certified_a_second(count) for _ in range(3)]
    yield Figure(
        f"{bound:,} certified prompts a second and core",
        f"{median(rates):,.0f} (from {min(rates):,.0f} to {max(rates):,.0f}), each with "
        "certificate, id and prompt",
        median(rates) >= bound,
        timed=True,
    )


def cost(small: bool) -> Iterator[Figure]:
    """Yield the CPU of a call where a sample asks a whole unit, beside bare one-call samples."""
    from evidence.engine import compose_overhead

    calls, rounds, bound = (120, 2, 1.2) if small else (960, 9, 0.8)  # to start a run costs too
    spent = compose_overhead(calls, rounds, "by unit")
    ratio = spent["by unit"] / spent["bare"]
    yield Figure(
        f"CPU of a call, asked by the unit, is at most {bound:.2f} x that of bare one-call samples",
        f"{ratio:.2f} x ({spent['by unit']:.2f} and {spent['bare']:.2f} ms)",
        ratio <= bound,
        timed=True,
    )


def real(small: bool) -> Iterator[Figure]:
    """Yield that units are asked of a real model, and recorded."""
    from evidence.model_server import real_answers

    units = 1 if small else 10
    rows, calls = real_answers("compose", ["-T", "gates=mixed"], units, 8)
    outcomes = Counter(row["reason"] or row["outcome"] for row in rows)
    yield Figure(
        f"{units} units are asked of a real model, each with its fifteen questions, and recorded",
        f"{len(rows)} answers to {len({row['unit'] for row in rows})} units in {calls} calls: "
        f"{dict(outcomes)}",
        len(rows) == 15 * units and not outcomes["error"],
    )


PARTS: Parts = {
    "round trip": round_trip,
    "prompts": speed,
    "cost": cost,
    "real": real,
}
