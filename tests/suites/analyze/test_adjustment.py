"""A set is enough by the graph, and may be more than enough."""

from __future__ import annotations

import pytest

from whybench.scm import Graph
from whybench.suites.analyze.adjustment import adjustment_truth, is_enough
from whybench.suites.analyze.columns import binary, real
from whybench.suites.analyze.world import World

NODES = ("instrument", "confounder", "prognostic", "treatment", "outcome", "mediator", "echo")
EDGES = (
    ("instrument", "treatment"),
    ("confounder", "treatment"),
    ("confounder", "outcome"),
    ("prognostic", "outcome"),
    ("treatment", "mediator"),
    ("mediator", "outcome"),
    ("outcome", "echo"),
)
GRAPH = Graph(NODES, EDGES)


@pytest.mark.parametrize(
    ("held", "enough"),
    [
        ((), False),
        (("confounder",), True),
        (("confounder", "prognostic", "instrument"), True),
        (("prognostic", "instrument"), False),
        (("confounder", "mediator"), False),
        (("confounder", "echo"), False),
        (("confounder", "after_1"), False),
    ],
)
def test_back_doors_are_shut_and_nothing_that_follows_is_held(
    held: tuple[str, ...], enough: bool
) -> None:
    assert is_enough(GRAPH, frozenset(held), "treatment", "outcome") is enough


def test_a_mediator_and_its_outcome_may_have_causes_in_common() -> None:
    graph = Graph(
        ("treatment", "common", "mediator", "outcome", "late"),
        (
            ("treatment", "mediator"),
            ("treatment", "outcome"),
            ("common", "mediator"),
            ("common", "outcome"),
            ("mediator", "outcome"),
            ("treatment", "late"),
        ),
    )
    beside = frozenset({"treatment"})
    for held, enough in (((), False), (("common",), True), (("common", "late"), False)):
        assert is_enough(graph, frozenset(held), "mediator", "outcome", beside) is enough


def make_world(weight: float) -> World:
    return World(
        (
            binary("stratum", 0.5, time=0),
            real("habit", time=0),
            binary("treatment", lambda stratum: 0.5 + weight * (stratum - 0.5), time=1),
            real(
                "outcome",
                lambda treatment, stratum, habit: treatment + stratum + weight * habit,
                time=2,
            ),
        )
    )


def test_causes_without_weight_are_no_causes() -> None:
    assert ("stratum", "treatment") in make_world(0.4).find_graph().edges
    assert ("habit", "outcome") in make_world(0.4).find_graph().edges
    idle = make_world(0.0)
    assert ("stratum", "treatment") in idle.graph.edges
    assert idle.find_graph().edges == (("treatment", "outcome"), ("stratum", "outcome"))


def test_every_set_passes_that_is_enough_and_decoys_before_do_no_harm() -> None:
    truth = adjustment_truth(make_world(0.4), {"stratum"})
    assert truth.value == {"stratum"}
    for held in ({"stratum"}, {"stratum", "habit"}, {"stratum", "before_2"}):
        assert truth.accepts(frozenset(held))
    for held in (set(), {"habit"}, {"before_1"}, {"stratum", "after_1"}):
        assert not truth.accepts(frozenset(held))
    assert adjustment_truth(make_world(0.0), ()).accepts(frozenset({"stratum"}))
    with pytest.raises(ValueError, match="must be enough"):
        adjustment_truth(make_world(0.4), ())
