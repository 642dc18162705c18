from whybench.scm import Event, Graph, counterfactual, pns
from whybench.scm.worlds import network

GRAPH = Graph(
    ("X", "Z", "M", "Y", "W"), (("X", "M"), ("Z", "M"), ("M", "Y"), ("Z", "Y"), ("Y", "W"))
)


def variables(events):
    return {copy.variable for copy in network(GRAPH, events).copies}


def test_copies_that_no_setting_reaches_are_one():
    found = network(GRAPH, pns("X", "Y").events)
    assert found.shared == ("M", "Y")
    assert variables(pns("X", "Y").events) == {
        ("Z", ()),
        ("M", (("X", 0),)),
        ("M", (("X", 1),)),
        ("Y", (("X", 0),)),
        ("Y", (("X", 1),)),
    }


def test_a_setting_upstream_of_another_does_not_reach_past_it():
    events = (Event("Y", 1, (("X", 1), ("M", 1))), Event("Y", 1, (("X", 0), ("M", 1))))
    assert variables(events) == {("Z", ()), ("Y", (("M", 1),))}


def test_what_nothing_depends_on_is_left_out():
    assert variables((Event("M", 1),)) == {("X", ()), ("Z", ()), ("M", ())}


def test_contradictions():
    assert network(GRAPH, (Event("Y", 1), Event("Y", 0))).contradictory
    assert network(GRAPH, (Event("X", 0, (("X", 1),)),)).contradictory
    # Z is the same in both worlds, since X does not reach it.
    assert network(GRAPH, (Event("Z", 1), Event("Z", 0, (("X", 1),)))).contradictory
    query = counterfactual({"Y": 1}, {"X": 1}, given={"X": 0, "Y": 0})
    assert not network(GRAPH, query.events).contradictory
