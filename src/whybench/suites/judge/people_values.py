"""What people judged, in three numbers a measure: facts of Rehder and Waldmann (2017).

The value is that of people's mean judgments; the range is the middle half of single people (first
and third quartile). Computed from the data that `whybench data fetch causAIign` downloads, so that
a report can show people without a download. Reports use the values of the agent's own cells
instead if the data are there.
"""

from __future__ import annotations

from whybench.suites.sentences import PeoplesValue

PEOPLE = (
    (
        {"graph": "collider", "independence": "unstated"},
        {
            "explaining_away": PeoplesValue(0.0995, low=-0.1, high=0.275),
            "markov_violation": PeoplesValue(0.1004, low=0.0, high=0.18125),
        },
    ),
    (
        {"graph": "fork", "independence": "unstated"},
        {"markov_violation": PeoplesValue(0.1685, low=0.065625, high=0.278125)},
    ),
)
"""Labels of a condition, and people's values by measure."""
