"""Items of analyze: prompts, ids, splits, certificates, and the way back from records."""

from __future__ import annotations

import csv
import io
from dataclasses import fields, replace

import numpy as np
import pytest

from whybench.seeds import split_of
from whybench.suites.analyze.challenges import CHALLENGES
from whybench.suites.analyze.checks import CHECKS
from whybench.suites.analyze.column_fields import PValues
from whybench.suites.analyze.design import DESIGNS, make_design
from whybench.suites.analyze.grading import contradicts, write_conclusion
from whybench.suites.analyze.items import (
    AnalyzeItem,
    analyze_items,
    describe_item,
    full_instance,
    instance_from_factors,
    item_at,
    nth_draw,
)
from whybench.suites.contract import UserError

SMALL = {"challenge": "simpson,population", "seeds": 2}


def altered(item: AnalyzeItem, **changes) -> AnalyzeItem:
    """Return an item whose data set is changed in some way."""
    instance = replace(item.instance, **changes)
    kind = type("Altered", (AnalyzeItem,), {"instance": instance})
    made = {field.name: getattr(item, field.name) for field in fields(item)}
    return kind(**{**made, "variant": instance.variant})


def items_of(**settings) -> list[AnalyzeItem]:
    return list(analyze_items(make_design({**SMALL, **settings})))


def test_a_direct_prompt_holds_every_row_as_it_is_graded() -> None:
    for item in items_of(label="damning", protocol="direct"):
        _, _, table = item.prompt.rpartition("\n\n")
        head, *rows = csv.reader(io.StringIO(table))
        assert head == list(item.names.values())
        shown = np.array(rows, dtype=float)
        for column, values in zip(shown.T, item.instance.rows.values(), strict=True):
            np.testing.assert_array_equal(column, values)


def test_a_prompt_for_programs_names_the_file_and_has_no_rows() -> None:
    (trap, *_) = items_of(protocol="code")
    assert "rows.csv" in trap.prompt
    assert len(trap.prompt) < 5000
    assert f"{trap.instance.size} rows" in trap.prompt


def test_ids_are_those_of_what_is_asked_of_which_rows() -> None:
    designs = [items_of(hint="1,5"), items_of(label="neutral,damning"), items_of(protocol="code")]
    asked = {
        (item.factors["challenge"], item.factors["variant"], item.draw, item.hint, item.label,
         item.protocol): item.id
        for items in designs
        for item in items
    }  # fmt: skip
    assert len({*asked.values()}) == len(asked) == 16 + 8 + 8
    # The same question is the same item in every design that holds it.
    hints, labels, _ = ({item.id for item in items} for items in designs)
    assert len(hints & labels) == 8


def test_rows_and_truths_decide_an_id_where_prompts_do_not() -> None:
    (trap, *_) = items_of(challenge="simpson", protocol="code")
    rows = {role: values.copy() for role, values in trap.instance.rows.items()}
    rows["outcome"][0] = 1 - rows["outcome"][0]
    other_rows = altered(trap, rows=rows)
    assert other_rows.prompt == trap.prompt
    assert other_rows.id != trap.id
    truths = {**trap.instance.truths}
    truths["reversal"] = replace(truths["reversal"], value=not truths["reversal"].value)
    other_truth = altered(trap, truths=truths)
    assert describe_item(other_truth) != describe_item(trap)
    assert replace(trap).id == trap.id


def test_item_i_is_the_same_however_many_there_are() -> None:
    few, many = make_design(SMALL), make_design({**SMALL, "seeds": 40})
    assert [item_at(many, i).id for i in range(few.size)] == [i.id for i in analyze_items(few)]
    with pytest.raises(IndexError, match="index must be from 0 to 7, got 8"):
        item_at(few, 8)


def test_the_draw_decides_the_side_and_twins_are_never_parted() -> None:
    train, test = ([nth_draw(side, turn) for turn in range(40)] for side in ("train", "test"))
    assert not {*train} & {*test}
    assert sorted({*train, *test})[:40] == list(range(40))  # no draw is left out
    assert train == sorted(train)
    assert all(split_of(("analyze", draw)) == "test" for draw in test)
    for item in items_of(split="train"):
        assert item.factors["split"] == "train"
    for trap, control in zip(items_of()[::2], items_of()[1::2], strict=True):
        assert trap.draw == control.draw
        assert (trap.factors["twin"], control.factors["twin"]) == ("trap", "control")


def test_labels_and_hints_are_about_identical_bytes() -> None:
    items = items_of(label="neutral,flattering,damning", hint="1,5", seeds=1)
    for variant in ("trap", CHALLENGES["simpson"].controls[0]):
        told = [item for item in items if item.variant == variant]
        of_simpson = [item for item in told if item.challenge == "simpson"]
        assert len(of_simpson) == 6
        assert len({item.factors["data"] for item in of_simpson}) == 1
        assert len({item.prompt for item in of_simpson}) == 6


def test_factors_lead_back_to_the_data_or_say_that_they_cannot() -> None:
    for item in items_of():
        assert instance_from_factors(item.factors) is item.instance
    other = {**items_of()[0].factors, "data": "0" * 16}
    with pytest.raises(UserError, match="must have the digest 0000000000000000"):
        instance_from_factors(other)


@pytest.mark.parametrize("challenge", sorted(CHALLENGES))
def test_both_derivations_earn_full_marks(challenge: str) -> None:
    for item in items_of(challenge=challenge, variant="trap,controls", seeds=1):
        (first, one), (second, two) = item.certificate.derivations
        assert (one, two, item.truth) == (1.0, 1.0, 1.0)
        assert first != second


def test_conclusions_say_what_two_could_disagree_about() -> None:
    simpson, trap = CHALLENGES["simpson"], full_instance("simpson", "trap", 0)
    se = trap.number("estimate").se

    def of(**answers):
        return write_conclusion(simpson.fields, trap, answers)

    assert of(estimate=3 * se, interval=(0, 1)) == '{"estimate":"above"}'
    assert of(estimate=1.9 * se) == '{"estimate":"nothing"}'
    assert of(estimate=-2 * se, reversal=True) == '{"estimate":"below","reversal":"true"}'
    assert of(adjustment_set=frozenset({"b", "a"})) == '{"adjustment_set":"{a, b}"}'
    assert not contradicts(of(estimate=3 * se), of(estimate=9 * se, direction="increases"))
    assert contradicts(of(estimate=3 * se), of(estimate=-3 * se))
    structure, graphs = CHALLENGES["structure"], full_instance("structure", "trap", 0)
    two = frozenset({frozenset({("one", "two"), ("two", "three")}), frozenset()})
    assert write_conclusion(structure.fields, graphs, {"graphs": two}) == (
        '{"graphs":"{{one>two, two>three}, {}}"}'
    )
    direction, pushes = CHALLENGES["direction"], full_instance("direction", "trap", 0)
    (first, second) = next(e for e in direction.fields if e.name == "p_values").rows
    said = PValues({first: 0.04, second: 0.06})
    assert (
        write_conclusion(direction.fields, pushes, {"p_values": said})
        == f'{{"p_values":"{first}"}}'
    )


def test_own_checks_see_what_is_wrong() -> None:
    items = items_of(label="neutral,damning", seeds=1)
    for check in CHECKS.values():
        assert check.select(items)
        assert not list(check.problems(check.select(items)))
    trap = items[0]
    called_control = altered(trap, variant="randomised")
    found = list(CHECKS["traps are traps and controls are none"].problems([called_control]))
    assert found == [f"simpson, randomised, draw {trap.draw}: the trap is there"]
    effect = trap.instance.number("estimate")
    blurred = replace(effect, se=20 * effect.se)
    lax = altered(trap, truths={**trap.instance.truths, "estimate": blurred})
    (line,) = CHECKS["naive values fail in traps"].problems([lax])
    assert "estimate: the naive value by crude difference passes" in line
    (one, value), _ = effect.certificate.derivations
    wrong = replace(effect.certificate, derivations=((one, value), (one, value)))
    once = replace(effect, certificate=wrong)
    lone = altered(trap, truths={**trap.instance.truths, "estimate": once})
    assert len(list(CHECKS["every number is derived twice"].problems([lone]))) == 1
    shuffled = {role: values[::-1] for role, values in trap.instance.rows.items()}
    other = altered(replace(trap, label="damning"), rows=shuffled)
    assert len(list(CHECKS["labels change names alone"].problems([trap, other]))) == 1
    assert len(list(CHECKS["factors give back the data"].problems([trap, called_control]))) == 1


def test_named_designs_hold_each_other_where_they_ask_the_same() -> None:
    core = {item.id for item in analyze_items(replace(DESIGNS["core"], seeds=1))}
    hints = {item.id for item in analyze_items(replace(DESIGNS["hints"], seeds=1))}
    hard = {item.id for item in analyze_items(replace(DESIGNS["hard"], seeds=3))}
    assert core <= hints | hard
    assert hard < core
