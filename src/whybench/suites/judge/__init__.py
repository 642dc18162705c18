"""judge: how likely is it? Likelihood judgments, 0 to 100, about small causal stories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from whybench.suites.contract import (
    Answer,
    Budget,
    Costs,
    Inspection,
    PairedComparison,
    PeopleComparison,
    Scalar,
    ScoreColors,
    Suite,
    Sums,
)
from whybench.suites.judge.agents import AGENTS, MINDS
from whybench.suites.judge.checks import CHECKS
from whybench.suites.judge.design import (
    ABSTRACT,
    CONTENT,
    DESIGNS,
    JudgeDesign,
    make_design,
)
from whybench.suites.judge.generation import generate_items
from whybench.suites.judge.groups import CONDITION, SUMMED_BY
from whybench.suites.judge.items import COLUMNS, VERSION, JudgeItem, draw_graph
from whybench.suites.judge.measures import (
    MEASURES,
    contrast_measures,
    judge_measures,
    summed_measures,
)
from whybench.suites.judge.people_values import PEOPLE
from whybench.suites.judge.prompt_parser import parse_prompt
from whybench.suites.judge.prompts import render_prompt, render_reply
from whybench.suites.judge.questionnaire import QUESTIONNAIRE
from whybench.suites.judge.replies import parse_reply
from whybench.suites.judge.shift_ratio import shift_measures
from whybench.suites.judge.stories import MORE_STORIES
from whybench.suites.sentences import read_sentences

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import pyarrow as pa

    from whybench.drawing.figure import Figure
    from whybench.stats import Difference, Measure
    from whybench.suites.people import AgentAmongPeople
    from whybench.suites.questionnaire import Questionnaire

__all__ = ["SUITE"]

GOLDEN_REPLIES = (
    "", "70", "70%", " 70. ", "0.7", "seventy", "between 60 and 80", "60-80", "101", "-5",
    "<likelihood>70</likelihood>", "<likelihood>70</likelihood><confidence>90</confidence>",
    "<likelihood>70", "<think>60</think>70", "<think>60", "I cannot say.", "70 or 80",
    "Likelihood: 70", "70/100", "**70**",
)  # fmt: skip


REPLY_TOKENS = {"direct": 3, "cot": 300, "confidence": 20}
PARTS = {"confidence": float, "person": str}

BUDGETS = {
    "small": Budget(
        {"design": "core"},
        "all questions about three cover stories that people also judged; replies are numbers",
    ),
    "standard": Budget(
        {"design": "stories"},
        "all questions about ten cover stories; replies are numbers",
    ),
    "full": Budget(
        {
            "design": "stories",
            "story": [*CONTENT, *MORE_STORIES["collider"], *ABSTRACT],
            "style": ["direct", "cot", "confidence"],
            "overload": ["none", "de"],
            "overload_source": ["story", "filler"],
        },
        "ten cover stories and three abstract ones, with distractors, in all styles of reply",
    ),
}
"""By the difference in explaining_away that comes out in 80 of 100 comparisons of such models as
were published: .15 with three stories, .08 with ten (`python -m evidence judge --only power`)."""


HALF_A_POINT = 0.5
"""Asked for a number from 0 to 100, an agent may answer with whole ones."""


def _people() -> pa.Table:
    """Return the answers of people: 48 were asked about colliders, 48 about forks."""
    import pyarrow as pa  # noqa: PLC0415

    from whybench.suites.judge.published import people_records  # noqa: PLC0415

    return pa.concat_tables([people_records("collider"), people_records("fork")])


def _fits_table(records: pa.Table) -> pa.Table:
    from whybench.suites.judge.fitted_models import fits_table  # noqa: PLC0415

    return fits_table(records)


def _pairs(records: pa.Table) -> Iterable[Difference]:
    from whybench.suites.judge.paired import judge_pairs  # noqa: PLC0415

    return judge_pairs(records)


def _compare_with_people(records: pa.Table) -> AgentAmongPeople:
    from whybench.suites.judge.among_people import compare_with_people  # noqa: PLC0415

    return compare_with_people(records)


def _people_are_fetched() -> bool:
    from whybench.suites.judge.published import people_are_fetched  # noqa: PLC0415

    return people_are_fetched()


TABLES = {"fits": _fits_table}
"""What is made from records beside measures."""

SMALLEST = {
    "shift_ratio": 0.05,
    **dict.fromkeys(
        ("explaining_away", "markov_violation", "human_correlation", "heldout_r2"), 0.02
    ),
}
"""Differences below these say little of a mind: judgments come in whole or in round numbers."""


BASELINES = {"people": _people}


class Judge(Suite[JudgeDesign, JudgeItem]):
    """How likely is it, from 0 to 100? Likelihood judgments about small causal stories."""

    name = "judge"
    version = VERSION
    interface_letter = "B"
    summary = "rates how likely an event is, from 0 to 100, given a short causal story"
    designs = DESIGNS
    agents = AGENTS
    minds = MINDS
    columns = COLUMNS
    parts = PARTS
    condition = CONDITION
    measure_table = MEASURES
    headline = ("explaining_away", "markov_violation", "shift_ratio", "human_correlation")
    card_size = 3
    sentences = read_sentences(__package__)
    golden_replies = GOLDEN_REPLIES
    checks = CHECKS
    tables = TABLES
    baselines = BASELINES
    validated_items = 4400
    costs = Costs(
        lambda factors: REPLY_TOKENS[str(factors["style"])],
        budgets=BUDGETS,
        temperature="0, as in the paper: sampling noise would count as inconsistency",
    )
    study: Questionnaire | None = QUESTIONNAIRE
    comparison = PairedComparison(_pairs, SMALLEST)
    people_comparison = PeopleComparison(
        _compare_with_people, _people_are_fetched, "whybench data fetch causAIign", PEOPLE
    )
    styles = (("noisy-or", {}), ("associative", {}), ("heedless", {}))
    sums = Sums(SUMMED_BY, summed_measures)
    inspection = Inspection(
        task="whybench.tasks:judge",
        scorer="judgment",
        metric="likelihood_measures",
        headline="explaining_away",
        sample_scores={
            "answer": ScoreColors("neutral", 0, 100),
            "normative": ScoreColors("neutral", 0, 100),
            "answered": ScoreColors(),
        },
    )

    def make_design(self, settings: Mapping[str, object]) -> JudgeDesign:
        """Build a design; a user's own stories bring their graph."""
        return make_design(settings)

    def items(self, design: JudgeDesign) -> Iterable[JudgeItem]:
        """Return the items of a design."""
        return generate_items(design)

    def render(self, item: JudgeItem) -> str:
        """Return the prompt of an item."""
        return render_prompt(item)

    def parse_prompt(self, prompt: str) -> object:
        """Return the world that a prompt tells of."""
        return parse_prompt(prompt)

    def parse_reply(self, factors: Mapping[str, Scalar], reply: str, truncated: bool) -> Answer:
        """Return the likelihood that a reply states, and its confidence where that was asked."""
        parsed = parse_reply(reply, str(factors["style"]), truncated=truncated)
        parts = {} if parsed.confidence is None else {"confidence": parsed.confidence}
        return Answer(parsed.value, parsed.reason, parts)

    def oracle(self, item: JudgeItem) -> str:
        """Return the normative answer as a whole number."""
        return render_reply(round(item.truth), item.style)

    def is_correct(self, item: JudgeItem, answer: Answer) -> bool:
        """Whether an answer is the normative one, as near as whole numbers go."""
        return answer.value is not None and abs(answer.value - item.truth) <= HALF_A_POINT

    def measures(self, records: pa.Table) -> list[Measure]:
        """Return the contrasts, the shift ratio, the fitted model and the likeness to people."""
        return judge_measures(records)

    def named_measures(self, records: pa.Table, names: Collection[str]) -> list[Measure]:
        """Return the quick measures if they are all that is named: models take long to fit."""
        quick = self.pooled_measures(records)
        return quick if {*names} <= {each.name for each in quick} else self.measures(records)

    def pooled_measures(self, records: pa.Table) -> list[Measure]:
        """Return the contrasts and the shift ratio, which take no time."""
        return [*contrast_measures(records), *shift_measures(records)]

    def sample_scores(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, float | str | None]:
        """Return the answer beside that of a normative reasoner; means of several."""
        normative = sum(row["truth"] for row in rows) / len(rows)
        return {**super().sample_scores(rows), "normative": round(normative, 1)}

    def figures(self, records: pa.Table) -> Iterable[Figure]:
        """Return the figures of a run."""
        from whybench.suites.judge.figures import judge_figures  # noqa: PLC0415

        return judge_figures(records)

    def draw(self, item: JudgeItem) -> Iterable[str]:
        """Return lines that picture the causal graph."""
        return draw_graph(item)


SUITE = Judge()
