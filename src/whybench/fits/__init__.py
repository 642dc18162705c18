"""Cognitive models fitted to likelihood judgments: small Bayes nets, thousands at once.

An agent who answers "how likely is this cause, given that effect?" may be described by the causal
model that best predicts its answers. This package finds that model, says how well it predicts
questions it has not seen, chooses between models, and gives intervals for the parameters.

>>> from whybench.fits import COLLIDER_3, Judgments, TaskQuestion, TaskTable, fit
>>> from whybench.scm import Graph
>>> table = TaskTable(
...     Graph(("C1", "C2", "E"), (("C1", "E"), ("C2", "E"))),
...     (
...         TaskQuestion("I", "E", (("C1", 0), ("C2", 0))),
...         TaskQuestion("III", "E", (("C1", 1), ("C2", 1))),
...         TaskQuestion("IV", "C1", (("C2", 1),)),
...     ),
... )
>>> answers = Judgments.from_rows(table, [0.1, 0.775, 0.5], ["I", "III", "IV"])
>>> fits = fit(table, COLLIDER_3, answers)
>>> dict(zip(fits.scheme.parameters, fits.parameters[0].round(3).tolist()))
{'prior': 0.5, 'leak': 0.1, 'strength': 0.5}
>>> fits.flags[0]
('small_n', 'underdetermined')

`fit`, `cross_validate`, `choose_scheme` and `bootstrap_intervals` are the way in. What was asked is
a `TaskTable`, the model is a `Scheme`, the answers are `Judgments`: all plain data.

Modules, in the order in which to read them: `judgments` (questions and answers); `nets` (models,
their exact predictions and derivatives); `solver` and `search` (the optimum); `fitting`,
`validation` and `intervals`.
"""

from whybench.fits.fitting import Fits, fit, information_criteria
from whybench.fits.intervals import bootstrap_intervals
from whybench.fits.judgments import Judgments, Rows, TaskQuestion, TaskTable
from whybench.fits.nets import (
    CHAIN_3,
    COLLIDER_3,
    COLLIDER_4,
    FORK_3,
    Predictor,
    Scheme,
)
from whybench.fits.validation import (
    HoldOut,
    SchemeChoice,
    Validation,
    choose_scheme,
    cross_validate,
    folds,
)

__all__ = [
    "CHAIN_3",
    "COLLIDER_3",
    "COLLIDER_4",
    "FORK_3",
    "Fits",
    "HoldOut",
    "Judgments",
    "Predictor",
    "Rows",
    "Scheme",
    "SchemeChoice",
    "TaskQuestion",
    "TaskTable",
    "Validation",
    "bootstrap_intervals",
    "choose_scheme",
    "cross_validate",
    "fit",
    "folds",
    "information_criteria",
]
