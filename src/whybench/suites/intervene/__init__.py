"""intervene: find out by acting whether one thing causes another.

The agent acts on a small world, sees what happens, and answers when it is ready. Besides being
right or wrong an answer is *justified* or not: what was seen entails it, or leaves it open. A
question is about one pair, or about all: then the answer is a report on each of them (`reports`).
Or it is about a diagram: which one of its dotted links is real (`links`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.contract import (
    TRAINING_WORLDS,
    Answer,
    Budget,
    Costs,
    HeadlineScale,
    Inspection,
    PairedComparison,
    Scalar,
    ScoreColors,
    Suite,
    ToolUse,
    Training,
    round_mean,
)
from whybench.suites.intervene.agents import AGENTS, MINDS, oracle
from whybench.suites.intervene.attacks import ATTACKS
from whybench.suites.intervene.calls import TOOLS as TOOL_NAMES
from whybench.suites.intervene.calls import answer_of_calls, make_call, open_kept
from whybench.suites.intervene.case import parse_case
from whybench.suites.intervene.design import DESIGNS, OWN_DENSITY, InterveneDesign
from whybench.suites.intervene.entailment import import_solver
from whybench.suites.intervene.episode import InterveneEpisode
from whybench.suites.intervene.generation import intervene_items
from whybench.suites.intervene.items import (
    ALL,
    COLUMNS,
    DRAWN,
    InterveneItem,
    describe_item,
    draw_graph,
)
from whybench.suites.intervene.links.diagram import Diagram
from whybench.suites.intervene.links.shapes import describe_shape
from whybench.suites.intervene.measures import (
    CONDITION,
    MEASURES,
    ZEROS,
    intervene_measures,
    intervene_pairs,
)
from whybench.suites.intervene.play import PLAY
from whybench.suites.intervene.prompt_parser import parse_prompt
from whybench.suites.intervene.prompts import render_prompt
from whybench.suites.intervene.questionnaire import QUESTIONNAIRE
from whybench.suites.intervene.sets import shape_text
from whybench.suites.intervene.steps import PARTS, steps_table
from whybench.suites.intervene.world import state_to_bits
from whybench.suites.sentences import read_sentences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Measure
    from whybench.suites.contract import Play
    from whybench.suites.questionnaire import Questionnaire

__all__ = ["SUITE"]

GOLDEN_REPLIES = (
    "", "yes", '{"answer": "yes"}', '{"answer": "No"}', '{"answer": "yes|no"}', '{"answer": true}',
    '{"answer": "yes"} or {"answer": "no"}', '{"next": "continue"}', '{"next": "answer"}',
    '{"next": "answer"', '{"entity": "nobody", "action": "push"}', '{"ANSWER": "YES"}',
    '```json\n{"answer": "no"}\n```', '{"answer": "yes", "next": "answer"}',
    '{"reply": {"answer": "yes"}}', '{"answer": "yes", "answer": "no"}', "{}", "{{{",
)  # fmt: skip

VERDICT_COLORS = {
    "justified": "good",
    "lucky": "warn",
    "premature": "bad",
    "contradicts": "bad",
    "no_answer": "muted",
}

BUDGETS = {
    "small": Budget(
        {"design": "links", "graphs": 16},
        "diagrams that need two to four actions, with just enough actions",
    ),
    "standard": Budget(
        {"design": "links", "graphs": 66},
        "as small, with enough worlds to distinguish error rates of 10% and 20%",
    ),
    "full": Budget(
        {"design": "links", "graphs": 200},
        "as small, with enough worlds to distinguish error rates of 5% and 10%",
    ),
}

REPLY_TOKENS = {"direct": 20, "fewest-steps": 20, "cot": 250, "recipe": 40}

TURNS = {"graph": 4}
"""Replies for each entity, where there are not two: in graph worlds more actions are needed."""


def _count_turns(factors: Mapping[str, Scalar]) -> int:
    """Return the replies of an episode: two for each action, and in pairs one action per entity."""
    if depth := int(factors["depth"]):
        return 2 * depth + 1
    return TURNS.get(str(factors["worlds"]), 2) * int(factors["entities"])


TABLES = {"steps": steps_table}


def _reward(_factors: Mapping[str, Scalar], _truth: Scalar, answer: Answer) -> float:
    """Return 1 for a right answer that what was seen entails: nothing else has this verdict.

    A report on all pairs has the share of pairs of which it is so.
    """
    if "report" in answer.parts:
        return answer.value or 0.0
    return float(answer.parts["verdict"] == "justified")


def _rightness(row: Mapping[str, Any]) -> float:
    """Return 1 for a right answer and 0 for any other; of a report the share that is justified."""
    return row["value"] or 0.0 if row["asked"] == ALL else float(row["value"] == row["truth"])


def _world_key(item: InterveneItem) -> str:
    """Return a text that items share whose worlds, or diagrams, differ in names only."""
    if not item.dotted:
        return shape_text(item.hidden)
    initial = state_to_bits(item.initial)
    return describe_shape(Diagram(item.hidden.n, item.solid, item.dotted, initial))


class Intervene(Suite[InterveneDesign, InterveneItem]):
    """Find out by acting whether one thing causes another, and answer when it is settled."""

    name = "intervene"
    version = 1
    summary = "runs experiments to find out whether one thing causes another"
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    parts = PARTS
    condition = CONDITION
    random_columns = frozenset(DRAWN)
    measure_table = MEASURES
    headline = ("justified_accuracy",)
    sentences = read_sentences(__package__)
    attacks = ATTACKS
    zeros = ZEROS
    golden_replies = GOLDEN_REPLIES
    tables = TABLES
    costs = Costs(
        reply_tokens=lambda factors: REPLY_TOKENS[str(factors["style"])],
        turns=_count_turns,
        budgets=BUDGETS,
        temperature="the provider's recommendation, as in the paper: at 0 some models repeat an "
        "action until no steps are left",
    )
    training: Training | None = Training(
        {"design": "advanced", "graphs": TRAINING_WORLDS, "split": "train"},
        world_key=_world_key,
        reward=_reward,
    )
    study: Questionnaire | None = QUESTIONNAIRE
    play: Play | None = PLAY
    tool_use: ToolUse | None = ToolUse(
        names=tuple(TOOL_NAMES),
        replay=open_kept,
        call=lambda episode, reply: make_call(episode.case, reply),
        answer=answer_of_calls,
    )
    comparison = PairedComparison(intervene_pairs)
    scale = HeadlineScale(
        exact=("controlled", {}),
        lapsing=("controlled", "error"),
    )
    inspection = Inspection(
        task="whybench.tasks:intervene",
        scorer="justification",
        metric="justified_measures",
        shown=(
            *("justified_accuracy", "accuracy", "balanced_accuracy", "answered", "steps"),
            *("justified_pairs", "settled", "overclaimed"),
        ),
        sample_scores={
            "verdict": ScoreColors(VERDICT_COLORS),
            "correct": ScoreColors(),
            "steps": ScoreColors("neutral", 0, None),
        },
    )

    def items(self, design: InterveneDesign) -> Iterable[InterveneItem]:
        """Return the items of a design."""
        return intervene_items(design)

    def render(self, item: InterveneItem) -> str:
        """Return the words that open an episode."""
        return render_prompt(item)

    def parse_prompt(self, prompt: str) -> object:
        """Return what an opening tells of the world."""
        return parse_prompt(prompt)

    def open_episode(self, factors: Mapping[str, Scalar]) -> InterveneEpisode:
        """Open the episode of an item."""
        return InterveneEpisode(parse_case(factors))

    def oracle(self, episode: InterveneEpisode) -> str:
        """Return the next reply of an agent that acts until the answer is settled."""
        return oracle(episode)

    def is_correct(self, item: InterveneItem, answer: Answer) -> bool:
        """Whether an answer is right, and what was seen entails it."""
        return answer.value == item.truth and answer.parts["verdict"] == "justified"

    def is_balanced(self, design: InterveneDesign) -> bool:
        """Whether as many answers are yes as no, which holds of limited and advanced worlds."""
        return design.worlds in {"limited", "advanced"}

    def drawn_columns(self, design: InterveneDesign) -> frozenset[str]:
        """Return the columns of the case; where graphs have any density, also what they have."""
        own = {"density", "relation"} if design.worlds in OWN_DENSITY else set()
        return self.random_columns | own

    def identity(self, item: InterveneItem) -> str:
        """Return the opening and the hidden world, of which the opening does not tell."""
        return describe_item(item)

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return the verdict, if all of the sample are alike, and means of the others."""
        verdicts = {str(row["verdict"]) for row in rows}
        return {
            "verdict": verdicts.pop() if len(verdicts) == 1 else "several",
            "correct": round_mean(map(_rightness, rows)),
            "steps": round_mean(row["steps"] for row in rows),
        }

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return accuracy, justified and plain, and what agents do."""
        return intervene_measures(records)

    def make_task(
        self,
        design: InterveneDesign,
        options: Mapping[str, Any],  # noqa: ARG002
        ask: Callable[..., Any],
    ) -> Any:
        """Return the task whose solver holds the episodes."""
        from whybench.suites.intervene.task import episode_task  # noqa: PLC0415  (imports Inspect)

        import_solver()  # else the first verdict would fail, after all the calls
        return episode_task(design, ask)

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench.suites.intervene.figures import intervene_figures  # noqa: PLC0415

        return intervene_figures(records)

    def draw(self, item: InterveneItem) -> Iterable[str]:
        """Return lines that picture the causal graph."""
        return draw_graph(item)


SUITE = Intervene()
