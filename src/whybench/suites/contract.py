"""What a suite is: the one place from which authors of suites import.

A suite measures one ability. It is an object of a subclass of `Suite`, announced by an entry point
of the group `whybench.suites` that names the object. `validate`, `run`, `results` and the
reference provider know suites only through this class, so that a suite from another package is
treated like ours.

The methods that every suite has follow the way of an answer:

    designs -> items -> render -> (an agent replies) -> parse_reply -> records -> measures

and two go backwards, to catch mistakes: `oracle` returns the true answer in the words of an agent,
so that it can be scored, and `parse_prompt`, which a suite need not have, rebuilds the world from
the prompt alone.

Most suites ask an item in one turn. Where a conversation goes on, the suite has `open_episode` in
place of `parse_reply`: it opens a state machine that hears replies and says what comes next until
the end. Who holds a conversation need not know which, since every suite opens episodes.

`Suite` itself is in `suite`. Beside it this module has what its methods take and return, the
abilities that a suite may have, and what helps to write one: `Crossing` and `factor` for designs,
`PlainItem` for items, `group_records` for measures.
"""

from __future__ import annotations

from whybench.errors import UserError
from whybench.suites.abilities import (
    BUDGETS,
    TRAINING_WORLDS,
    Budget,
    Check,
    Costs,
    HeadlineScale,
    Inspection,
    PairedComparison,
    PeopleComparison,
    Play,
    ScoreColors,
    SelfTest,
    Sums,
    ToolUse,
    Training,
    round_mean,
)
from whybench.suites.agents import MINDS, Agent, Parameter, reply_generator
from whybench.suites.designs import (
    WORDINGS,
    Crossing,
    Design,
    Manipulated,
    check_levels,
    factor,
)
from whybench.suites.groups import Group, group_records
from whybench.suites.items import (
    GOES_ON,
    Answer,
    Episode,
    Item,
    Outcome,
    PlainItem,
    Scalar,
    find_heard,
)
from whybench.suites.suite import Suite

__all__ = [
    "BUDGETS",
    "GOES_ON",
    "MINDS",
    "TRAINING_WORLDS",
    "WORDINGS",
    "Agent",
    "Answer",
    "Budget",
    "Check",
    "Costs",
    "Crossing",
    "Design",
    "Episode",
    "Group",
    "HeadlineScale",
    "Inspection",
    "Item",
    "Manipulated",
    "Outcome",
    "PairedComparison",
    "Parameter",
    "PeopleComparison",
    "PlainItem",
    "Play",
    "Scalar",
    "ScoreColors",
    "SelfTest",
    "Suite",
    "Sums",
    "ToolUse",
    "Training",
    "UserError",
    "check_levels",
    "factor",
    "find_heard",
    "group_records",
    "reply_generator",
    "round_mean",
]
