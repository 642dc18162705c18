"""Experimenters that never guess, and how few interventions they need.

They are the yardstick for steps: each goes on until what it has seen entails the answer.

- `bayes`: the fewest interventions to be expected, exactly, if every directed acyclic graph is
  equally likely; up to five entities.
- `greedy`: whatever tells most about the answer at once; up to five entities.
- `recipe`: bring both entities to rest, move the cause, watch the effect; any number of entities.
- `certificate`: the shortest series of interventions that proves the answer, found with the hidden
  graph in view. No experimenter can do better, and none can know beforehand how to do as well.

Where the first observation already entails the answer (x moves and y does not), bayes, greedy and
certificate intervene not at all.
"""

from whybench.suites.intervene.experimenters.certificates import certificate
from whybench.suites.intervene.experimenters.greedy import greedy
from whybench.suites.intervene.experimenters.inquiry import (
    Experimenter,
    Inquiry,
    Intervention,
    experiment,
)
from whybench.suites.intervene.experimenters.optimal import bayes, expected_steps
from whybench.suites.intervene.experimenters.recipe import recipe

__all__ = [
    "Experimenter",
    "Inquiry",
    "Intervention",
    "bayes",
    "certificate",
    "expected_steps",
    "experiment",
    "greedy",
    "recipe",
]
