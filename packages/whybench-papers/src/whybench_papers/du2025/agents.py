"""The reference agents of du2025: those of analyze whose answers to published data are known.

A competent analyst uses another estimator than the answer key, or exact arithmetic. A naive one has
a strategy for the illustrations only, where it adjusts for nothing.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from statistics import fmean
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.agents import AGENTS as OWN
from whybench.suites.analyze.agents import oracle_reply
from whybench.suites.analyze.analysts import report_fields
from whybench.suites.analyze.grading import grade_values
from whybench.suites.analyze.replies import render_reply
from whybench.suites.contract import UserError
from whybench_papers.du2025.forms import DATA_SETS, NO_RUBRICS
from whybench_papers.du2025.illustrations import answer_illustration
from whybench_papers.du2025.instances import competent_answer
from whybench_papers.du2025.items import du2025_items

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.episode import AnalyzeEpisode
    from whybench.suites.contract import Agent
    from whybench_papers.du2025.design import Du2025Design


def analyst_answer(analyst: str, instance: Instance) -> Mapping[str, Any]:
    """Return the typed answers of an analyst, competent or naive.

    Raises:
        UserError: The analyst is naive and has no strategy for these data.
    """
    if instance.variant != DATA_SETS:
        return answer_illustration(analyst, instance)
    if analyst != "competent":
        raise UserError(
            f"agent must be competent, null or schema-breaker for the paper's data sets, got "
            f"{analyst}, whose answers are not known; choose design=ice-cream or branding"
        )
    return competent_answer(instance)


def true_reply(asked: AnalyzeEpisode) -> str:
    """Return the true values of the fields as a reply."""
    _check_form(asked, "the oracle")
    return oracle_reply(asked)


def _check_form(asked: AnalyzeEpisode, agent: str) -> None:
    if not asked.fields:
        raise UserError(
            "agents must be able to answer in their own words where rubrics are applied, got "
            f"{agent} of du2025; leave out rubrics"
        )


def _analyst(name: str) -> Callable[[AnalyzeEpisode, Mapping[str, Any], np.random.Generator], str]:
    def reply(asked: AnalyzeEpisode, _settings: Any, _rng: Any) -> str:
        _check_form(asked, name)
        return render_reply(analyst_answer(name, asked.instance), asked.fields, asked.names)

    return reply


def _in_form(
    agent: Agent[AnalyzeEpisode],
) -> Callable[[AnalyzeEpisode, Mapping[str, Any], np.random.Generator], str]:
    def reply(asked: AnalyzeEpisode, settings: Mapping[str, Any], rng: np.random.Generator) -> str:
        _check_form(asked, agent.name)
        return agent.reply(asked, settings, rng)

    return reply


def _expect(name: str) -> Callable[[Mapping[str, Any], Du2025Design], dict[str, float]]:
    def expected(settings: Mapping[str, Any], design: Du2025Design) -> dict[str, float]:
        if design.rubrics != NO_RUBRICS:
            return {}
        if name == "gold":
            return {} if settings["silence"] else _average(lambda _: 1.0, design)
        if name == "naive" and DATA_SETS in design.variant:
            return {}

        def score(instance: Instance) -> float:
            answers = analyst_answer(name, instance)
            return grade_values(report_fields(instance), instance, answers).score

        return _average(score, design)

    return expected


def _average(score: Callable[[Instance], float], design: Du2025Design) -> dict[str, float]:
    by_challenge = defaultdict(list)
    for item in du2025_items(design):
        by_challenge[item.challenge].append(score(item.instance))
    scores = [value for values in by_challenge.values() for value in values]
    return {
        "reliability": fmean(map(fmean, by_challenge.values())),
        "score": fmean(scores),
        "answered": 1.0,
    }


def _expect_silence(_settings: Mapping[str, Any], design: Du2025Design) -> dict[str, float]:
    if design.rubrics != NO_RUBRICS:
        return {}
    return {"reliability": 0.0, "score": 0.0, "answered": 0.0}


AGENTS: Mapping[str, Agent[AnalyzeEpisode]] = {
    "gold": replace(
        OWN["gold"], reply=_in_form(OWN["gold"]), expected=_expect("gold"), calibrate_at=({},)
    ),
    **{
        name: replace(
            OWN[name],
            reply=_analyst(name),
            parameters={},
            noisy=lambda _: False,
            expected=_expect(name),
        )
        for name in ("competent", "naive")
    },
    "null": replace(OWN["null"], expected=_expect_silence),
    "schema-breaker": replace(
        OWN["schema-breaker"],
        reply=_in_form(OWN["schema-breaker"]),
        expected=_expect_silence,
    ),
    "guess": replace(OWN["guess"], reply=_in_form(OWN["guess"])),
}
"""The reference agents by name."""
