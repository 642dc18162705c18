"""Experimenters that never guess, and how few interventions they need.

They are the yardstick for steps: each goes on until what it has seen entails the answer.

- `bayes`: the fewest interventions to be expected, exactly, if every directed acyclic graph is
  equally likely; up to five entities.
- `greedy`: whatever tells most about the answer at once; up to five entities.
- `sampled`: the same, judged by a pool of random worlds; any number of entities.
- `settle`: `bayes` up to five entities and `sampled` beyond, the one to compare agents with. Only
  the first is optimal: a step count beyond five entities can be beaten.
- `controlled`: stop all else, then try the cause; any number of entities, and never more steps than
  the best experimenter needs in the worst case.
- `survey`: settle all pairs at once; any number of entities.
- `recipe`: bring both entities to rest, move the cause, watch the effect; any number of entities.
- `shortest_proof`: the shortest series of interventions that proves the answer, found with the
  hidden graph in view. No experimenter can do better, and none can know how to do as well.

Where the first observation already entails the answer (x moves and y does not), all but recipe
intervene not at all. Recipe and sampled are sure to stay within the 2n interventions that an
episode allows.
"""

from whybench.suites.intervene.experimenters.controlled import (
    controlled,
    count_sufficient,
    minimax_steps,
)
from whybench.suites.intervene.experimenters.greedy import (
    expect_bits,
    greedy,
    sampled,
    settle,
    shortest_proof,
)
from whybench.suites.intervene.experimenters.inquiry import (
    ALL_PAIRS,
    Experimenter,
    Inquiry,
    Intervention,
    recipe,
    run_experiment,
)
from whybench.suites.intervene.experimenters.optimal import (
    bayes,
    expected_steps,
    expected_steps_at_first,
)
from whybench.suites.intervene.experimenters.survey import (
    exhaust,
    find_all_entailed,
    survey,
    survey_steps,
)

__all__ = [
    "ALL_PAIRS",
    "Experimenter",
    "Inquiry",
    "Intervention",
    "bayes",
    "controlled",
    "count_sufficient",
    "exhaust",
    "expect_bits",
    "expected_steps",
    "expected_steps_at_first",
    "find_all_entailed",
    "greedy",
    "minimax_steps",
    "recipe",
    "run_experiment",
    "sampled",
    "settle",
    "shortest_proof",
    "survey",
    "survey_steps",
]
