"""The forms that readers of prompts fill in, and what the items say of the same fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.calculate.quantities import EFFECTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.suites.calculate.items import CalculateItem

TASK = """\
Read each prompt on its own terms, as a careful reader who knows causal inference. Do not answer it.
Write down what it asks and states, as one JSON object per prompt with exactly the fields below. Use
only the prompt: if something is not stated, say so with the value that the field offers for it.
Names of variables are written as in the prompt, without "the"; states as in the prompt.

"""


@dataclass(frozen=True)
class ReaderForm:
    """A form.

    Attributes:
        fields: Fields, each with its meaning and values.
        expect: Returns the fields of an item.
    """

    fields: Mapping[str, str]
    expect: Callable[[Any], dict[str, object]]

    @property
    def text(self) -> str:
        """The form as readers see it."""
        return TASK + "\n".join(f"- `{name}`: {words}" for name, words in self.fields.items())


QUANTITIES = {
    "observe": "conditional probability",
    "do": "interventional probability",
    "ate": "average effect",
    "ett": "effect on the treated",
    "nde": "natural direct effect",
    "nie": "natural indirect effect",
    "counterfactual": "counterfactual probability",
    "pn": "counterfactual probability",
    "ps": "counterfactual probability",
    "pns": "joint counterfactual probability",
}

CALCULATE_FIELDS = {
    "quantity": f"the quantity asked for, one of: {', '.join(dict.fromkeys(QUANTITIES.values()))}"
    " (joint: of the outcomes under two interventions)",
    "effect": "the variable whose probability is asked for",
    "effect_state": "the state of that variable whose probability (or change in probability) is"
    " asked for; a number 1 or 0 if states are numbers. null for a joint probability",
    "cause": "the variable that is intervened on; null if there is no intervention",
    "forced_to": "list of all states to which the cause is forced, by do() or in words; [] if none."
    " null for natural direct and indirect effects",
    "evidence": "an object from variables to states that are given as observed; {} if none",
    "effect_rule": "how the effect's own rule works, one of: probabilities (a probability for each"
    " combination of causes, or a single one), any (on if some active coin falls), blocked (off if"
    " some active coin falls), score (a random number compared with points)",
    "effect_causes": "list of the direct causes of the effect",
    "unknown_numbers": "how many numbers in the description are unknown",
    "hidden_common_causes": "excluded, possible or not stated",
    "mechanism": "whether the prompt determines what would have happened in an individual case had"
    " a cause been different: stated or unknown",
    "unit": "percent or percentage points",
    "form": "line (work, then a last line that begins with Answer:) or bare (the answer alone)",
    "undetermined": "the words to give if the answer cannot be found, without Answer:",
}


def _expect_calculate(item: CalculateItem) -> dict[str, object]:
    (asked,) = item.question.asked
    world = item.question.world
    rule = world.rule[asked.effect]
    formal = item.wording == "formal"

    def state(value: int) -> object:
        return value if formal else world.states[1 - value]

    evidence = dict(asked.given)
    if asked.query == "observe":
        evidence = {asked.cause: asked.set_to, **evidence}
    elif asked.query == "ett":
        evidence = {asked.cause: 1}
    elif asked.query in {"pn", "ps"}:
        evidence = {asked.cause: int(asked.query == "pn"), asked.effect: int(asked.query == "pn")}
    forced: dict[str, list[int] | None] = {
        "observe": [], "do": [asked.set_to], "ate": [1, 0], "ett": [0], "nde": None, "nie": None,
        "counterfactual": [asked.set_to], "pn": [0], "ps": [1], "pns": [1, 0],
    }  # fmt: skip
    forced_to = forced[asked.query]
    wanted = {"pn": 0, "ps": 1}.get(asked.query, asked.value)
    kinds = {"table": "probabilities", "or": "any", "and": "blocked", "threshold": "score"}
    return {
        "quantity": QUANTITIES[asked.query],
        "effect": asked.effect,
        "effect_state": None if asked.query == "pns" else state(wanted),
        "cause": None if asked.query == "observe" else asked.cause,
        "forced_to": forced_to and [state(value) for value in forced_to],
        "evidence": {name: state(value) for name, value in evidence.items()},
        "effect_rule": kinds[rule.kind],
        "effect_causes": list(rule.causes),
        "unknown_numbers": int(world.unstated is not None),
        "hidden_common_causes": "excluded",
        "mechanism": "stated" if world.states_noise else "unknown",
        "unit": "percentage points" if asked.query in EFFECTS else "percent",
        "form": "line",
        "undetermined": "cannot be determined",
    }


FORMS: Mapping[str, ReaderForm] = {
    "calculate": ReaderForm(CALCULATE_FIELDS, _expect_calculate),
}
"""The form of each suite."""
