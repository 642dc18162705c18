import pytest

from whybench.scm import Event, InvalidQuery, Query, counterfactual, do, observe, pns
from whybench.scm.queries import pns_nodes


def test_worlds_are_equal_whatever_the_order_of_their_settings():
    assert Event("Y", 1, (("B", 0), ("A", 1))) == Event("Y", 1, (("A", 1), ("B", 0)))


def test_constructors():
    assert observe({"E": 1}, {"C": 1}) == Query((Event("E", 1),), (Event("C", 1),))
    assert do({"E": 1}, {"C": 1}, {"D": 0}).worlds == ((("C", 1),),)
    assert counterfactual({"E": 1}, {"C": 1}, {"C": 0}).worlds == ((("C", 1),), ())
    assert pns("C", "E").worlds == ((("C", 1),), (("C", 0),))


def test_pns_is_known_by_its_form():
    assert pns_nodes(pns("C", "E")) == ("C", "E")
    assert pns_nodes(do({"E": 1}, {"C": 1})) is None
    assert pns_nodes(Query(pns("C", "E").target, (Event("C", 1),))) is None


def test_words():
    query = counterfactual({"Y": 1}, {"X": 1, "A": 0}, {"X": 0})
    assert str(query) == "P(Y[A=0,X=1]=1 | X=0)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Event("Y", 2), "value of Y must be 0 or 1, got 2"),
        (lambda: Event("Y", 1, (("X", 3),)), "value of X must be 0 or 1, got 3"),
        (lambda: Event("Y", 1, (("X", 1), ("X", 0))), "do must set each node once"),
        (lambda: Query(()), "at least one event"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InvalidQuery, match=message):
        make()
