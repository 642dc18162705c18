"""The forms that readers of prompts fill in, and the same fields of the items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.reports import AVERAGE
from whybench.suites.calculate.quantities import EFFECTS
from whybench.suites.derive.prompts import StatedDerivation
from whybench.suites.trace.world import STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from whybench.suites.analyze.challenges.contract import Instance
    from whybench.suites.analyze.items import AnalyzeItem
    from whybench.suites.calculate.items import CalculateItem
    from whybench.suites.compose.items import ComposeItem
    from whybench.suites.derive.items import DeriveItem
    from whybench.suites.intervene.items import InterveneItem
    from whybench.suites.trace.items import TraceItem

TASK = """\
Read each prompt on its own terms, as a careful reader who knows causal inference. Do not answer it.
Write down its question and its statements, as one JSON object per prompt with exactly the fields
below. Use only the prompt: if something is not stated, use the value that the field offers for it.
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


INTERVENE_FIELDS = {
    "cause": "the supposed cause",
    "effect": "the supposed effect",
    "active": "list of the entities that are in the active state now (moving, lit, 1, ...)",
    "limit": "how many actions are allowed at most",
    "activating_an_active_one": "what changes: nothing, itself, or others",
    "stopping_a_driven_one": "what changes when an active entity is deactivated while another"
    " active entity drives it: nothing, itself, or others",
    "stopping_a_free_one": "what changes when an active entity that nothing active drives is"
    " deactivated: nothing; itself alone; itself and all that it drives; or itself and all that"
    " nothing active drives then",
    "stays_as_set": "whether an entity that you acted on stays in the state you gave it even if"
    " others would change it later: yes, no or not stated",
    "cycles": "whether an entity can drive itself, directly or not: yes, no or not stated",
    "indirect": "whether the question is about indirect effects too: yes, no or not stated",
    "guess": "whether a correct answer without proof counts: yes, no or not stated",
    "reply": "json or tool",
    "settled": "the exact reply, as written, if the question is settled already",
}


def _expect_intervene(item: InterveneItem) -> dict[str, object]:
    cause, effect = (item.names[place] for place in item.pair)
    return {"cause": cause, "effect": effect, "indirect": "yes", **_expect_acting(item)}


def _expect_acting(item: InterveneItem) -> dict[str, object]:
    """Return the fields about actions."""
    return {
        "active": [item.names[int(place)] for place in str(item.factors["moving"]).split()],
        "limit": item.limit,
        "activating_an_active_one": "nothing",
        "stopping_a_driven_one": "nothing",
        "stopping_a_free_one": "itself and all that nothing active drives then",
        "stays_as_set": "no",
        "cycles": "no",
        "guess": "no",
        "reply": "json",
        "settled": '{"next": "answer"}',
    }


LINKS_FIELDS = {
    "real": "how many links (or edges) are stated as real",
    "dotted": "how many dotted links (or edges) are listed",
    "real_dotted": "how many of the dotted ones are real: a number, or unknown",
    "further_links": "whether there can be links that are not listed: yes, no or not stated",
    "first_dotted": 'the first dotted one in the list, such as "cat -> dog"',
    "asked": "the question, one of: all real dotted links, the real dotted link, one cause",
    "answers": "how many dotted links an answer names",
    **{
        name: INTERVENE_FIELDS[name]
        for name in (
            "active",
            "limit",
            "activating_an_active_one",
            "stopping_a_driven_one",
            "stopping_a_free_one",
            "stays_as_set",
            "cycles",
            "guess",
            "reply",
            "settled",
        )
    },
}


def _expect_links(item: InterveneItem) -> dict[str, object]:
    acting = _expect_acting(item)
    stated = item.world
    return {
        "real": len(stated.solid),
        "dotted": len(stated.dotted),
        "real_dotted": 1,
        "further_links": "no",
        "first_dotted": " -> ".join(stated.dotted[0]),
        "asked": "the real dotted link",
        "answers": 1,
        **acting,
    }


COMPOSE_FIELDS = {
    "asked": "the one about which the question asks",
    "intervention": "an object from the one that an intervention sets to 1 (it comes, opens,"
    " signs, glims, is 1) or 0 (it does not); {} if there is no intervention",
    "rule": "the rule of the one asked about, one of: count (its own count alone), or (its count is"
    " enough, or some other one does it), and (its count is enough, and all others named do it)",
    "threshold": "the least count in that rule",
    "others": "list of the others in that rule",
    "count": "the count of the one asked about in this case",
    "other_influences": "whether anything else can affect the outcome: yes, no or not stated",
    "rule_of_the_one_set": "what happens to the rule of the one that is set: replaced,"
    " kept; null if there is no intervention",
    "counts_under_intervention": "same or new; null if there is no intervention",
    "reply": "bare (one word) or line (reasoning, then a last line)",
}


def _expect_compose(item: ComposeItem) -> dict[str, object]:
    asked = item.question
    node, world = asked.effect, asked.world
    others = [asked.names[parent] for parent in world.parents[node]]
    changed = asked.intervention
    return {
        "asked": asked.names[node],
        "intervention": {asked.names[changed[0]]: int(changed[1])} if changed else {},
        "rule": world.gates[node] if others else "count",
        "threshold": world.thresholds[node],
        "others": others,
        "count": asked.counts[node],
        "other_influences": "no",
        "rule_of_the_one_set": "replaced" if changed else None,
        "counts_under_intervention": "same" if changed else None,
        "reply": "bare" if asked.style == "direct" else "line",
    }


ANALYZE_FIELDS = {
    "cause": "the column whose effect the question asks about; null if it asks about no single"
    " effect (only about directions or a graph)",
    "outcome": "the column on which that effect is; null likewise",
    "after_cause": "list of the columns measured after the cause, without the outcome; null"
    " likewise",
    "estimand": "the kind of quantity that answers the question, one of the options of the reply;"
    " write average_effect also for a conditional effect; null if no number is asked for",
    "unrecorded_causes": "whether a variable outside the table may affect both the cause and the"
    " outcome, each of them other than through columns of the table: excluded (stated, or the cause"
    " was assigned at random), present or not stated; null likewise",
    "interval_includes_zero": "the recommendation to give if the 95% interval includes zero; null"
    " if there is no recommendation",
    "no_sample_size_would_help": "the recommendation to give if the effect cannot be estimated,"
    " however many rows there are; null if there is no recommendation",
    "number_then": "the value of the number in that case, as JSON",
    "programs": "how many programs may be run; 0 if none",
    "network": "whether programs have network access: yes or no",
    "reply": "now or later: whether the answer is to be given in the very next reply",
}


def _expect_estimand(item: AnalyzeItem) -> str:
    accepted = CHALLENGES[item.challenge].estimands
    return AVERAGE if AVERAGE in accepted else accepted[0]


def _expect_hidden_causes(instance: Instance) -> str:
    """Return whether a column that is not measured affects both treatment and outcome."""
    world = CHALLENGES[instance.challenge].world(instance.variant, instance.parameters)
    edges = set(world.find_graph().edges)
    hidden = [column.role for column in world.columns if column.time is None]
    both = [one for one in hidden if {(one, "treatment"), (one, "outcome")} <= edges]
    return "present" if both else "excluded"


def _expect_analyze(item: AnalyzeItem) -> dict[str, object]:
    names, instance = item.names, item.instance
    cause = next((names[r] for r in ("treatment", "exposure", "cause") if r in names), None)
    if item.challenge in {"direction", "structure"}:
        cause = None
    measured = {names[column.role]: column.measured for column in instance.columns}
    outcome = names["outcome"] if cause else None
    later = [
        name
        for name, step in measured.items()
        if cause and step > measured[cause] and name != outcome
    ]
    recommended = "recommendation" in instance.truths
    return {
        "cause": cause,
        "outcome": outcome,
        "after_cause": later if cause else None,
        "estimand": _expect_estimand(item) if recommended else None,
        "unrecorded_causes": _expect_hidden_causes(instance) if cause else None,
        "interval_includes_zero": "no_clear_effect" if recommended else None,
        "no_sample_size_would_help": "not_identifiable" if recommended else None,
        "number_then": None,
        "programs": 8,
        "network": "no",
        "reply": "later",
    }


TRACE_FIELDS = {
    "question": "`intervention` if it asks for the consequences of an intervention; "
    "`observation` if it asks what follows from something that is only observed",
    "changed_or_observed": "the name of the thing that is changed or observed",
    "its_number": "the number to which it is changed, or that it shows",
    "asked": "the name of the thing whose number is asked for",
    "own_rule_of_changed": "`overridden` if the rule of the thing that is changed or observed does "
    "not apply, `applies` if it does",
    "other_rules": "`apply` if the rules of all others apply, `unknown` if it is not stated",
    "switches": "`unchanged` if they are as listed, `may change`, or `unknown`",
    "lowest": "the lowest number that a thing may show",
    "highest": "the highest number that a thing may show",
    "seven_plus_three": "the number that 7 plus 3 is here",
    "up": "how many switches are up",
    "sources_if_up": "what the rule of the thing that is asked for adds to what, if its switch is "
    'up: a list of a name and a number, such as ["K7", 3]',
    "sources_if_down": "the same, if its switch is down",
    "reply": "`number` if the reply is to end in one number, otherwise `other`",
    "work": "`yes` if the reply should contain reasoning, `no` if nothing but the answer",
}


def _expect_trace(item: TraceItem) -> dict[str, object]:
    told = item.world
    sets = told.query == "do"
    if_up, if_down = told.rules[told.effect]
    return {
        "question": "intervention" if sets else "observation",
        "changed_or_observed": told.cause,
        "its_number": told.number,
        "asked": told.effect,
        "own_rule_of_changed": "overridden" if sets else "applies",
        "other_rules": "apply",
        "switches": "unchanged",
        "lowest": 0,
        "highest": STATES - 1,
        "seven_plus_three": (7 + 3) % STATES,
        "up": sum(told.switches.values()),
        "sources_if_up": [*if_up],
        "sources_if_down": [*if_down],
        "reply": "number",
        "work": "yes" if item.style == "cot" else "no",
    }


DERIVE_FIELDS = {
    "question": "`effect` if it asks for the effect of an intervention, `difference` if it asks "
    "for a difference between observed cases, `arithmetic` if it only asks for a calculation",
    "set": "the name of the thing that is set; null if nothing is set",
    "asked": "the name of the thing whose probability is asked for; null if there is none",
    "sign_if_lower": "the sign of the answer if the probability is lower when that thing is set to "
    "on: `negative` or `positive`; null for a bare calculation",
    "rule_of_set": "`overridden` if the rule of the thing that is set does not apply, `applies` if "
    "it does; null if nothing is set",
    "other_rules": "`apply` if the rules of all others apply; null if there are none",
    "hidden_common_causes": "`excluded`, `possible`, or `not stated`; null for a bare calculation",
    "things": "how many things the prompt has rules for; 0 for a bare calculation",
    "causes_of_asked": "list of the direct causes of the thing whose probability is asked for; [] "
    "for a bare calculation",
    "unit": "the unit of the answer: `percentage points` or `percent`",
    "digits": "the number of significant digits of the answer",
    "work": "`yes` if the reply should contain reasoning, `no` if nothing but the answer",
}


def _expect_derive(item: DeriveItem) -> dict[str, object]:
    stated = item.world
    of_reply = {"digits": 3, "work": "yes" if item.style == "cot" else "no"}
    if not isinstance(stated, StatedDerivation):
        nothing = dict.fromkeys(
            ("set", "asked", "sign_if_lower", "rule_of_set", "other_rules", "hidden_common_causes")
        )
        counts = {"things": 0, "causes_of_asked": []}
        return {"question": "arithmetic", **nothing, **counts, "unit": "percent", **of_reply}
    return {
        "question": "effect",
        "set": stated.cause,
        "asked": stated.effect,
        "sign_if_lower": "negative",
        "rule_of_set": "overridden",
        "other_rules": "apply",
        "hidden_common_causes": "excluded",
        "things": len(stated.rules),
        "causes_of_asked": [*stated.rules[stated.effect][0]],
        "unit": "percentage points",
        **of_reply,
    }


FORMS: Mapping[str, ReaderForm] = {
    "intervene": ReaderForm(INTERVENE_FIELDS, _expect_intervene),
    "links": ReaderForm(LINKS_FIELDS, _expect_links),
    "compose": ReaderForm(COMPOSE_FIELDS, _expect_compose),
    "calculate": ReaderForm(CALCULATE_FIELDS, _expect_calculate),
    "trace": ReaderForm(TRACE_FIELDS, _expect_trace),
    "derive": ReaderForm(DERIVE_FIELDS, _expect_derive),
    "analyze": ReaderForm(ANALYZE_FIELDS, _expect_analyze),
}
"""The form of each suite, and that of a design whose questions differ."""
