"""Two sides paired by item: differences, verdicts, and what cannot be compared."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.page.simulated import DESIGNS, answers

from whybench.outcomes import CUT_BY_DEFAULT
from whybench.results.pairing import compare_tables, format_agents, shared_items
from whybench.stats import benjamini_hochberg, correct_family
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite


def changes(name: str, first: pa.Table, second: pa.Table):
    return {change.measure: change for change in compare_tables(get_suite(name), first, second)}


def with_outcome(table: pa.Table, items: set[str], outcome: str) -> pa.Table:
    """Return the records with another outcome of some items."""
    rows = table.to_pylist()
    for row in rows:
        if row["item"] in items:
            row |= {"outcome": outcome, "value": None}
    return pa.Table.from_pylist(rows, schema=table.schema)


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_values_of_both_sides_are_the_measures_themselves(name: str) -> None:
    first, second = answers(name, 0), answers(name, 1)
    measured = [
        {
            measure.name: measure.estimate
            for measure in get_suite(name).measures(table)
            if not measure.at
        }
        for table in (first, second)
    ]
    found = changes(name, first, second)
    assert {*get_suite(name).headline} & {*measured[0]} <= {*found}
    for measure, change in found.items():
        if measure in measured[0]:
            assert change.b.estimate == pytest.approx(measured[0][measure])
            assert change.a.estimate == pytest.approx(measured[1][measure])
        if None in (change.a.estimate, change.b.estimate):
            assert (change.difference, change.verdict) == (None, "cannot be determined")
            continue
        assert change.difference == pytest.approx(change.a.estimate - change.b.estimate)
        assert change.is_identical or change.low <= change.difference <= change.high


@pytest.mark.parametrize("name", DESIGNS)
def test_a_run_and_itself_have_no_difference_and_no_interval(name: str) -> None:
    table = answers(name, 1)
    items = len({*table["item"].to_pylist()})
    found = compare_tables(get_suite(name), table, table)
    for one in found:
        if one.a.estimate is None:
            assert (one.measure, one.verdict) == ("shift_ratio", "cannot be determined")
            continue
        assert one.verdict == "no difference"
        assert (one.difference, one.p, one.low, one.high) == (0.0, 1.0, None, None)
        assert one.tests == sum(other.p is not None for other in found)
        assert one.method == f"0 of {items} items differ"


def test_equal_units_with_different_items_are_not_called_equal_items() -> None:
    """Answers that two versions of a question exchange leave the vignette's mean as it was."""
    table = answers("judge", 0)
    rows = table.to_pylist()
    versions: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(rows):
        key = tuple(row[name] for name in ("story", "polarity", "task"))
        versions.setdefault(key, []).append(place)
    one, other = next(
        places
        for places in versions.values()
        if len(places) == 2 and rows[places[0]]["value"] != rows[places[1]]["value"]
    )
    rows[one]["value"], rows[other]["value"] = rows[other]["value"], rows[one]["value"]
    exchanged = pa.Table.from_pylist(rows, schema=table.schema)
    found = changes("judge", table, exchanged)
    assert found["explaining_away"].verdict == "no difference"
    assert found["explaining_away"].method == f"0 of {found['explaining_away'].units} units differ"


def test_a_large_difference_is_called_by_its_direction() -> None:
    found = changes("intervene", answers("intervene", 0), answers("intervene", 1))
    assert found["justified_accuracy"].verdict == "higher"
    back = changes("intervene", answers("intervene", 1), answers("intervene", 0))
    assert back["justified_accuracy"].verdict == "lower"
    assert back["accuracy"].difference == pytest.approx(-found["accuracy"].difference)


def test_the_headline_of_compose_tells_exact_from_errors() -> None:
    headline = changes("compose", answers("compose", 0), answers("compose", 1))[
        "compositional_agreement"
    ]
    assert (headline.a.estimate, headline.verdict) == (1.0, "higher")
    # Twelve worlds without spread: 1/(1 + t²/12) on either side.
    assert (headline.b.estimate, headline.difference, headline.high) == (0.0, 1.0, 1.0)
    assert headline.low == pytest.approx(0.593, abs=1e-3)


def silence_what_is_wrong(table: pa.Table) -> tuple[set[str], pa.Table]:
    wrong = set(table.filter(pc.not_equal(table["value"], table["truth"]))["item"].to_pylist())
    assert wrong
    return wrong, with_outcome(table, wrong, "no_answer")


def test_answers_are_compared_where_both_answered() -> None:
    first, second = answers("compose", 0), answers("compose", 1)
    unsaid = {*second["item"].to_pylist()[:40]}
    found = changes("compose", first, with_outcome(second, unsaid, "no_answer"))
    kept = first.filter([item not in unsaid for item in first["item"].to_pylist()])
    assert found["balanced_accuracy_factual"].n == pc.sum(pc.equal(kept["rung"], "factual")).as_py()
    assert found["answered"].a.estimate == pytest.approx(1 - len(unsaid) / second.num_rows)
    assert found["answered"].verdict == "lower"


def test_silence_is_not_right_in_intervene() -> None:
    table = answers("intervene", 1)
    _, silent = silence_what_is_wrong(table)
    found = changes("intervene", table, silent)
    assert found["accuracy"].n == table.num_rows
    assert found["accuracy"].b.estimate == found["accuracy"].a.estimate < 1
    assert found["answered"].verdict == "lower"
    lost = with_outcome(table, {*table["item"].to_pylist()[:7]}, "error")
    assert changes("intervene", table, lost)["accuracy"].n == table.num_rows - 7


def test_there_is_no_verdict_where_our_own_cap_cut_replies_off() -> None:
    coin, exact = answers("compose", 0), answers("compose", 1)
    position = exact.column_names.index("reason")
    for share, verdict in ((0.009, "higher"), (0.02, "too many replies cut off")):
        cut = int(share * exact.num_rows)
        reasons = [CUT_BY_DEFAULT] * cut + [""] * (exact.num_rows - cut)
        silent = with_outcome(exact, {*exact["item"].to_pylist()[:cut]}, "no_answer")
        told = silent.set_column(position, "reason", pa.array(reasons, pa.string()))
        assert changes("compose", coin, told)["compositional_agreement"].verdict == verdict


def test_a_change_below_the_smallest_of_interest_is_too_small_to_matter() -> None:
    suite = get_suite("intervene")
    sides = answers("intervene", 0), answers("intervene", 1)
    for smallest, verdict in ((0.9, "too small to matter"), (0.0, "higher")):
        found = compare_tables(suite, *sides, {"justified_accuracy": smallest})
        changed = {change.measure: change for change in found}
        assert changed["justified_accuracy"].verdict == verdict
        assert changed["justified_accuracy"].smallest == smallest
    assert changed["accuracy"].smallest == 0.01


def test_rounding_is_no_change_of_judge() -> None:
    exact = answers("judge", 0)
    column = exact.column_names.index("value")
    lower = pc.max_element_wise(pc.subtract(exact["value"], 1), 0)
    nudged = pc.if_else(pc.equal(exact["task"], "VI"), lower, exact["value"])
    other = exact.set_column(column, "value", nudged)
    change = changes("judge", exact, other)["explaining_away"]
    assert change.p < 0.05
    assert change.verdict == "too small to matter"


def test_silence_is_worth_nothing_in_analyze() -> None:
    table = answers("analyze", 1)
    silent = with_outcome(table, {*table["item"].to_pylist()}, "no_answer")
    found = changes("analyze", table, silent)
    assert found["score"].a.estimate == found["paired_score"].a.estimate == 0.0
    assert found["score"].b.estimate > 0.5
    assert "trap_rate" not in found  # no item was answered by both


def test_items_that_are_not_shared_are_counted() -> None:
    table = answers("judge", 0)
    items = table["item"].to_pylist()
    second = with_outcome(table.slice(20), {*items[20:23]}, "error")
    shared = shared_items("judge", table.slice(0, 200), second)
    assert len(shared.items) == 200 - 20 - 3
    assert (shared.only_first, shared.only_second, shared.lost) == (20, 40, 3)
    found = changes("judge", table.slice(0, 200), second)
    assert found["answered"].n == 177


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            "others",
            "both sides must share items of judge, got 120 and 120 items and none in common",
        ),
        ("agents", "the second side must hold one agent, got associative, noisy-or; choose two by"),
        ("version", "both sides must be of one version of judge, got [1] and [2]"),
    ],
)
def test_what_cannot_be_compared_is_said(kind: str, message: str) -> None:
    table = answers("judge", 0)
    first, second = table, table
    if kind == "others":
        first, second = table.slice(0, 120), table.slice(120)
    elif kind == "agents":
        second = pa.concat_tables([table, answers("judge", 1)])
    else:
        place = table.column_names.index("version")
        twos = pa.array([2] * table.num_rows, type=table["version"].type)
        second = table.set_column(place, table.field(place), twos)
    with pytest.raises(UserError) as raised:
        compare_tables(get_suite("judge"), first, second)
    assert str(raised.value).startswith(message)


def test_many_agents_are_counted_and_few_named() -> None:
    assert format_agents([]) == "none"
    assert format_agents(["ann", "bob"]) == "ann, bob"
    people = [f"person-{number:02}" for number in range(48)]
    told = format_agents(people)
    assert told.startswith("48 agents (person-00, ")
    assert told.endswith("person-07, …)")


def test_p_values_are_corrected_over_the_family() -> None:
    found = compare_tables(get_suite("judge"), answers("judge", 0), answers("judge", 1))
    known = [change for change in found if change.p is not None]
    assert {change.corrected_p for change in found if change.p is None} <= {None}
    adjusted = benjamini_hochberg([change.p for change in known])
    assert [change.corrected_p for change in known] == pytest.approx(adjusted.tolist())
    alone = correct_family(found[:1])
    assert alone[0].corrected_p == alone[0].p
    assert found[0].row()["graph"] == "collider"


def test_left_out_values_of_consistency_are_fits_without_the_vignette() -> None:
    from whybench.suites.judge.fitted_models import fit_agents
    from whybench.suites.judge.paired import VIGNETTE, _groups, _heldout_r2

    table = answers("judge", 1)
    (group,) = _groups(table, VIGNETTE)
    (model,) = fit_agents(table, resamples=0)
    found = _heldout_r2(group, model)
    story, polarity = table["story"][0].as_py(), table["polarity"][0].as_py()
    there = pc.and_(pc.equal(table["story"], story), pc.equal(table["polarity"], polarity))
    (other,) = fit_agents(table.filter(pc.invert(there)), resamples=0)
    assert other.scheme == model.scheme
    assert found.without[int(group.units[0])] == pytest.approx(other.heldout_r2.estimate, abs=1e-6)
