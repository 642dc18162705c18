import pickle

import numpy as np
import pytest

from whybench.scm import (
    Bernoulli,
    Gate,
    Graph,
    InvalidParameter,
    InvalidQuery,
    Linear,
    Model,
    NoisyOr,
    UnknownNode,
    observe,
    probability,
)

PAIR = Graph(("X", "Y"), (("X", "Y"),))


def test_models_can_be_compared_hashed_and_pickled():
    one, other = (Model(PAIR, {"Y": Gate("or", 0.5), "X": Bernoulli(0.25)}) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != Model(PAIR, {"Y": Gate("and", 0.5), "X": Bernoulli(0.25)})


def test_batch():
    assert Model(PAIR, {"X": Bernoulli(0.5), "Y": Gate("or", 0.5)}).batch is None
    batched = Model(PAIR, {"X": Bernoulli(np.array([0.5, 0.6])), "Y": Gate("or", 0.5)})
    assert batched.batch == 2
    single = Model(PAIR, {"X": Bernoulli(np.array([0.5])), "Y": Gate("or", 0.5)})
    assert probability(single, observe({"X": 1})).shape == (1,)


@pytest.mark.parametrize(
    ("mechanisms", "error", "message"),
    [
        ({"X": Bernoulli(0.5)}, UnknownNode, r"got none for \['Y'\]"),
        ({"Z": Bernoulli(0.5)}, UnknownNode, "got 'Z'"),
        (
            {"X": Bernoulli(0.5), "Y": Bernoulli(0.5)},
            InvalidParameter,
            "mechanism of Y must be for",
        ),
        ({"X": Bernoulli(0.5), "Y": NoisyOr(0.1, ())}, InvalidParameter, "mechanism of Y"),
        ({"X": Bernoulli(0.5), "Y": Linear(0, (1,))}, InvalidParameter, "got both"),
        (
            {"X": Bernoulli(np.array([0.5, 0.5])), "Y": Gate("or", np.array([0.1, 0.2, 0.3]))},
            InvalidParameter,
            "share one length",
        ),
    ],
)
def test_refusals(mechanisms, error, message):
    with pytest.raises(error, match=message):
        Model(PAIR, mechanisms)


def test_a_linear_model_has_no_tables():
    model = Model(PAIR, {"X": Linear(0, ()), "Y": Linear(0, (1,))})
    assert model.is_linear
    with pytest.raises(InvalidQuery, match="mechanism of X must be binary"):
        probability(model, observe({"X": 1}))
