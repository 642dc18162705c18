from __future__ import annotations

from whybench.stats import Measure
from whybench.suites.judge.groups import CONDITION
from whybench_papers.dettki2025.replication import count_agents


def test_tallies_name_those_they_leave_out() -> None:
    def measure(agent: str, name: str, estimate: float | None, *flags: str) -> Measure:
        labels = {"agent": agent, "design": "published", **dict.fromkeys(CONDITION, "x")}
        return Measure(name, estimate, None, None, 48, 12, 240, 0, 0, "test", flags, labels)

    estimates = {
        "a": (0.05, -0.05),
        "b": (0.2, 0.06),
        "c": (0.4, 0.0),
    }
    measures = [
        measure(agent, name, value)
        for agent, pair in estimates.items()
        for name, value in zip(("explaining_away", "markov_violation"), pair, strict=True)
    ]
    measures += [
        measure("d", "explaining_away", 0.9, "small_n"),
        measure("d", "markov_violation", 0.0, "small_n"),
        measure("human/rw17", "explaining_away", 0.0995),
    ]
    counted = count_agents(measures, human_ea=0.0995)
    columns = ("criterion", "number", "n", "left_out")
    assert [tuple(row[column] for column in columns) for row in counted] == [
        ("explaining_away above people's", 2, 3, "d"),
        ("explaining_away > 0.3", 1, 3, "d"),
        ("|markov_violation| <= 0.05", 2, 3, "d"),
    ]
