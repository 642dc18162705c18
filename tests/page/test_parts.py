"""The parts of the page: which answers, which pairs, which cautions, and how they are written."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from math import inf

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybench.errors import Fence
from whybench.numerals import measure_text
from whybench.page.bars import EDGE, WIDTH, Scale, bar, scale_of
from whybench.page.browsing import FAILURES, HEAD, TAIL, kind_of, selected, shortened
from whybench.page.card_charts import draw_chart
from whybench.page.cautions import cautions
from whybench.page.comparisons import compare_agents, compare_levels, pairs_of
from whybench.page.conditions import commands, conditions, not_measured
from whybench.page.downloads import as_json, packed, unpacked
from whybench.page.material import Material, Measured
from whybench.page.panels import _marks, panels, standing_out
from whybench.page.plane import BOTTOM, LEFT, RIGHT, TOP, Axis, draw_plane
from whybench.page.svg import Styles, compact_path, inline_svg
from whybench.page.tables import make_table
from whybench.records.runs import Run
from whybench.records.table import record_table
from whybench.results.pairing import compare_tables
from whybench.stats import Measure, benjamini_hochberg
from whybench.suites.calibration import simulate_rows
from whybench.suites.registry import get_suite

texts = st.text(max_size=200)
kinds = st.lists(
    st.sampled_from(["right", "scored", "wrong", "partly", "no_answer", "error"]), max_size=120
)


def measure(**changes) -> Measure:
    base = {
        "name": "share", "estimate": 0.5, "low": 0.4, "high": 0.7, "n": 80, "units": 8,
        "scored": 80, "no_answer": 0, "error": 0, "method": "t", "labels": {"agent": "a"},
    }  # fmt: skip
    return Measure(**{**base, **changes})


def run(**changes) -> Run:
    base = {
        "log": "x.eval", "agent": "a", "suite": "judge", "version": 1, "content_hash": "c",
        "design": "core", "design_hash": "d", "epochs": 1, "samples": 60, "completed": 60,
        "status": "success", "seed": "", "whybench": "0.1.0", "inspect": "0.3", "grading": "",
    }  # fmt: skip
    return Run(**{**base, **changes})


def judged(agent: str = "maker/one", strategy: str = "noisy-or", n: int = 60, **changes):
    """Records of judge in which a reference agent answers in the name of a model."""
    judge = get_suite("judge")
    design = judge.designs["core"]
    items = [item for _, item in zip(range(n), judge.items(design), strict=False)]
    rows = simulate_rows(judge, design, items, judge.agents[strategy], {}, agent, {})
    return record_table([{**row, **changes} for row in rows], judge.record_columns)


def answered(number: int, kind: str) -> dict[str, object]:
    return {"suite": "s", "agent": "a", "item": f"i{number}", "epoch": 1, "kind": kind}


@given(texts)
def test_packed_text_comes_back(text: str) -> None:
    assert unpacked(packed(text)) == text
    assert re.fullmatch(r"[A-Za-z0-9+/=]*", packed(text))


@given(st.dictionaries(texts, st.one_of(texts, st.none(), st.floats(-1, 1)), max_size=5))
def test_json_in_a_page_means_the_same_and_cannot_end_its_element(value) -> None:
    written = str(as_json(value))
    assert json.loads(written) == value
    assert not set(written) & set("<>&\u2028\u2029")


def test_json_in_a_page_has_no_number_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json([float("nan")])


@given(kinds, st.integers(1, 60), st.integers(0, 3))
def test_failures_come_first_and_leave_room_for_others(found, most, seed) -> None:
    rows = [
        {"suite": "s", "agent": "a", "item": f"i{k}", "epoch": 1, "kind": kind}
        for k, kind in enumerate(found)
    ]
    chosen = selected(rows, most, seed)
    assert len(chosen) == min(most, len(rows))
    assert len({row["item"] for row in chosen}) == len(chosen)
    failures = sum(row["kind"] in FAILURES for row in rows)
    shown = sum(row["kind"] in FAILURES for row in chosen)
    others = len(rows) - failures
    if len(rows) > most:
        assert shown == min(failures, max(most - others, most * 3 // 4))
    assert [row["kind"] in FAILURES for row in chosen] == [True] * shown + [False] * (
        len(chosen) - shown
    )


@given(kinds, st.integers(1, 30), st.integers(0, 3))
def test_fewer_answers_are_chosen_from_those_chosen_before(found, most, seed) -> None:
    rows = [
        {"suite": "s", "agent": "a", "item": f"i{k}", "epoch": 1, "kind": kind}
        for k, kind in enumerate(found)
    ]
    assert selected(selected(rows, 2 * most, seed), most, seed) == selected(rows, most, seed)


def test_agents_are_seen_on_the_same_items() -> None:
    one, two = (
        selected(
            [
                {"suite": "s", "agent": "a", "item": f"i{k}", "epoch": 1, "kind": "scored"}
                for k in order
            ],
            10,
            0,
        )
        for order in (range(100), range(99, -1, -1))
    )
    assert [row["item"] for row in one] == [row["item"] for row in two]
    other = selected(
        [
            {"suite": "s", "agent": "a", "item": f"i{k}", "epoch": 1, "kind": "scored"}
            for k in range(100)
        ],
        10,
        1,
    )
    assert {row["item"] for row in other} != {row["item"] for row in one}


@pytest.mark.parametrize(
    ("row", "marked", "kind"),
    [
        ({"outcome": "scored", "value": 1.0, "truth": 1.0}, True, "right"),
        ({"outcome": "scored", "value": 0.0, "truth": 1.0}, True, "wrong"),
        ({"outcome": "scored", "value": 1.0, "truth": 0.0}, True, "wrong"),
        ({"outcome": "scored", "value": 0.4, "truth": 1.0}, True, "partly"),
        ({"outcome": "scored", "value": 40.0, "truth": 50.0}, False, "scored"),
        ({"outcome": "no_answer", "value": None, "truth": 1.0}, True, "no_answer"),
        ({"outcome": "error", "value": None, "truth": 50.0}, False, "error"),
    ],
)
def test_what_became_of_an_answer(row, marked, kind) -> None:
    assert kind_of(row, marked) == kind


def test_a_long_text_loses_its_middle_and_says_so() -> None:
    text = "a" * HEAD + "b" * 1234 + "c" * TAIL
    short = shortened(text)
    assert short.startswith("a" * HEAD + "\n\n[… 1,234 characters left out here …]")
    assert short.endswith("c" * TAIL)
    assert "b" not in short
    assert shortened("a" * HEAD + "c" * TAIL) == "a" * HEAD + "c" * TAIL


def test_the_interval_for_others_is_a_lighter_band_behind_the_first() -> None:
    both = measure(
        estimate=0.5, low=0.4, high=0.6, general_low=-0.2, general_high=0.9, general_units=3
    )
    drawn = bar(both, scale_of([both]))
    assert drawn.index('class="interval general"') < drawn.index('class="interval"')
    assert scale_of([both]) == Scale(-0.2, 1)
    assert "general" not in bar(measure(), Scale(0, 1))


def test_the_middle_of_a_scale_is_drawn_in_the_middle() -> None:
    assert Scale(0, 1).place(0.5) == WIDTH / 2
    assert Scale(-1, 1).place(-1) == EDGE
    assert scale_of([measure()]) == Scale(0, 1)
    assert scale_of([measure(low=-0.3), measure(high=1.2)]) == Scale(-0.3, 1.2)
    assert scale_of([measure(low=-7), measure(high=9)]) == Scale(-1, 1.5)
    assert Scale(-0.5, 1.5).place(-7) == EDGE
    assert scale_of([measure(estimate=None, low=None, high=None)]) == Scale(0, 1)


def test_an_estimate_from_few_answers_is_drawn_open() -> None:
    assert 'class="estimate"' in bar(measure(), Scale(0, 1))
    assert 'class="open"' in bar(measure(flags=("small_n",)), Scale(0, 1))
    nothing = bar(measure(estimate=None, low=None, high=None), Scale(0, 1))
    assert "circle" not in nothing
    assert "rect" not in nothing


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "0.50 [0.40, 0.70]"),
        ({"range": (-inf, 1.0), "low": -865026.9, "high": 1.0}, "cannot be determined"),
        ({"range": (-1.0, 1.0), "low": -1.0, "high": 1.0}, "cannot be determined"),
        ({"range": (-1.0, 1.0), "low": -0.1, "high": 0.7}, "0.50 [-0.10, 0.70]"),  # 0.8 of 2
        ({"range": (0.0, 1.0), "low": 0.2, "high": 0.8}, "cannot be determined"),
        ({"estimate": None, "low": None, "high": None}, "cannot be determined"),
        ({"range": (0.0, 1.0), "low": 0.25, "high": 0.75}, "0.50 [0.25, 0.75]"),  # half of it
        ({"low": 0.2, "high": 9.0}, "0.50 [0.20, 9.00]"),  # has no range
        ({"range": (0.0, 1.0), "low": None, "high": None}, "0.50"),
        ({"flags": ("above_deepest",)}, "> 0.5"),
        ({"flags": ("median_above_deepest",)}, "≥ 0.5 [0.40, 0.70]"),
    ],
)
def test_measure_text_interval_over_half_of_the_range_prints_no_number(changes, text) -> None:
    assert measure_text(measure(**changes)) == text


def test_pictures_keep_their_numbers_to_a_hundredth() -> None:
    assert compact_path("M 0.125 10.00 \nL -0.5 7 \nz") == "M.12 10L-.5 7z"
    path = "M 3.456 7.001 \nQ 1.5 2.25 100.10 20.000 \nL 10 200 \n"
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    written = [float(number) for number in re.findall(r"-?[\d.]+", compact_path(path))]
    assert written == pytest.approx(numbers, abs=0.01)


def test_eight_curves_that_are_a_circle_become_arcs() -> None:
    from matplotlib.path import Path

    circle = Path.circle((5, 7), 2)
    commands, at = [], 0
    for code in (1, *[4] * 8):
        points = circle.vertices[at : at + (1 if code == 1 else 3)].ravel()
        commands.append(" ".join(["M" if code == 1 else "C", *(f"{v:.4f}" for v in points)]))
        at += len(points) // 2
    short = compact_path("\n".join(commands) + "\nz")
    assert short == "M5 5a2 2 0 1 0 0 4a2 2 0 1 0 -0 -4z"
    # An oval is left as it is.
    oval = "\n".join(commands).replace("7.0000", "9.0000")
    assert "a" not in compact_path(oval)


def test_names_inside_pictures_are_the_figures_own() -> None:
    text = (
        '<?xml version="1.0"?><svg xmlns="x" viewBox="0 0 1 1" width="1pt">'
        "<metadata>made today</metadata><defs><style>*{a:b}</style></defs>"
        '<g id="axes_1"><g id="haloed"><text>&lt;b&gt;</text></g>'
        '<path id="m1" d="M 0 0" style="fill: none; stroke: #000"/><use xlink:href="#m1"/>'
        '<g clip-path="url(#p1)"/><clipPath id="p1"/></g></svg>'
    )
    styles = Styles()
    found = inline_svg(text, "figure-3", styles)
    assert found == (
        '<svg class="figure" viewBox="0 0 1 1" role="img" aria-labelledby="figure-3-caption">'
        '<g class="haloed"><text>&lt;b&gt;</text></g>'
        '<path id="figure-3-m1" d="M0 0" class="w0"/><use href="#figure-3-m1"/>'
        '<g clip-path="url(#figure-3-p1)"/><clipPath id="figure-3-p1"/></svg>'
    )
    assert styles.sheet() == ".w0{fill:none;stroke:#000}"
    assert 'class="w0"' in inline_svg(text, "figure-4", styles), "figures share styles"


def outcome_table(scored: int, no_answer: int, error: int, **changes) -> pa.Table:
    rows = judged(n=1).to_pylist() * (scored + no_answer + error)
    outcomes = ["scored"] * scored + ["no_answer"] * no_answer + ["error"] * error
    judge = get_suite("judge")
    return record_table(
        [{**row, "outcome": o, **changes} for row, o in zip(rows, outcomes, strict=True)],
        judge.record_columns,
    )


def test_more_than_one_missing_answer_in_twenty_is_told() -> None:
    enough = Material([("judge", outcome_table(19, 1, 0))])
    assert cautions(enough, []) == []
    few = Material([("judge", outcome_table(17, 2, 1))])
    assert cautions(few, []) == [
        "More than 5% of the replies have no answer. Measures use the others, unless their "
        "definition counts all: maker/one, judge (2 of 20)."
    ]


def test_unfinished_and_mixed_runs_are_told() -> None:
    runs = (
        run(),
        run(status="cancelled", log="y.eval"),
        run(content_hash="e", inspect="0.4", grading="the grader has not been calibrated"),
    )
    told = cautions(Material([("judge", outcome_table(20, 0, 0))], runs=runs), [])
    assert [line.partition(". ")[0] for line in told] == [
        "a, judge: the run in y.eval is unfinished (cancelled)",
        "judge: runs of one design differ in their items or in how replies were read",
        "The runs come from several versions: whybench 0.1.0, inspect 0.3; whybench 0.1.0, "
        "inspect 0.4.",
        "a, judge: the grader has not been calibrated.",
    ]
    versions = [("judge", outcome_table(20, 0, 0)), ("judge", outcome_table(20, 0, 0, version=2))]
    assert cautions(Material(versions), []) == [
        "judge: do not compare answers of versions 1, 2 with each other."
    ]


def test_headlines_that_rest_on_little_are_told_of_own_agents_only() -> None:
    found = [
        Measured("judge", measure(name="heldout_r2", flags=("small_n",))),
        Measured("judge", measure(name="explaining_away", flags=("small_n",))),
        Measured("judge", measure(name="heldout_r2", flags=("small_n",), labels={"agent": "p"})),
    ]
    told = cautions(Material([("judge", outcome_table(20, 0, 0))], frozenset({"p"})), found)
    assert told == [
        "Main measures are based on few answers: a (judge). Do not rank agents by them.",
    ]


def panels_of(material: Material):
    found = conditions(material.measured(), material.beside)
    agents = material.agents()
    fence = Fence()
    made = panels(material, found, (), commands(material, agents), fence)
    assert not fence.notes
    return made


def test_standing_out_difference_that_no_card_shows_comes_first(monkeypatch) -> None:
    names = ("noisy-or", "associative")
    tables = [judged(f"maker/{name}", name, 240) for name in names]
    material = Material([("judge", pa.concat_tables(tables))])
    compared = compare_agents(material).primary

    def found() -> dict[str, list[str]]:
        every = standing_out(panels_of(material), compared)
        return {agent: [one.text for _, one in texts] for agent, texts in every.items()}

    # The card of judge shows the Markov violations, which separate the two.
    assert not any("Differs" in text for texts in found().values() for text in texts)
    monkeypatch.setattr(
        type(get_suite("judge")), "headline", ("shift_ratio", "explaining_away", "markov_violation")
    )
    monkeypatch.setattr(type(get_suite("judge")), "card_size", 1)
    texts = found()
    assert texts["maker/noisy-or"][0] == (
        "Differs from maker/associative in Markov violation: 0.00 and 0.30."
    )
    assert texts["maker/associative"][0] == (
        "Differs from maker/noisy-or in Markov violation: 0.30 and 0.00."
    )


def test_judge_card_shows_the_plane_of_its_style_with_people_and_without_an_exact_value() -> None:
    material = Material([("judge", judged("maker/one", n=240))])
    [panel] = panels_of(material)["judge"]
    measures = ["explaining_away", "markov_violation", "shift_ratio"]
    assert [chart.measure for chart in panel.charts] == measures
    assert not any(chart.picture for chart in panel.charts)
    labels = re.findall(r"<text[^>]*>([^<]*)</text>", panel.plane)
    assert {"people", "one", "explaining away →", "↑ Markov violation"} <= set(labels)
    assert not {"exact", "baseline", "no reasoning"} & set(labels)
    assert (
        "the middle half of people: explaining away -0.10 to 0.28; Markov violation 0.00 to 0.18"
        in panel.plane
    )
    assert set(measures) <= {column.name for column in judge_columns(material)}


def test_judge_plane_has_points_and_intervals_where_the_numbers_are() -> None:
    """A second reading of the picture: places in pixels back to numbers."""
    material = Material([("judge", judged("maker/one", "human-rw17", n=240))])
    [panel] = panels_of(material)["judge"]
    lines = re.findall(r'class="interval" x1="(.+?)" x2="(.+?)" y1="(.+?)" y2="(.+?)"', panel.plane)
    wide, high = ([float(end) for end in line] for line in lines)
    point = re.search(r'class="estimate" cx="(.+?)" cy="(.+?)"', panel.plane)
    x, y = map(float, point.groups())
    [condition] = conditions(material.measured(), frozenset())["judge"]
    for name, places, (start, end) in (
        ("explaining_away", (x, *wide[:2]), (LEFT, RIGHT)),
        ("markov_violation", (y, *high[2:]), (BOTTOM, TOP)),
    ):
        one = condition.get("maker/one", name)
        read = [(place - start) / (end - start) - 0.5 for place in places]
        assert read == pytest.approx([one.estimate, one.low, one.high], abs=0.001)
    assert (wide[2], wide[3], high[0], high[1]) == (y, y, x, x)


def test_judge_plane_names_do_not_overlap_and_wide_intervals_have_no_point() -> None:
    scale = Scale(-0.5, 0.5)
    shown = {
        name: measure(estimate=0.1, low=0.0, high=0.2, range=(-1, 1)) for name in ("x/one", "x/two")
    }
    shown["x/wide"] = measure(estimate=0.1, low=-0.9, high=0.9, range=(-1, 1))
    plane = draw_plane(
        Axis("across", shown, scale, (LEFT, RIGHT)), Axis("up", shown, scale, (BOTTOM, TOP))
    )
    names = re.findall(r'class="name"[^>]* y="(.+?)"[^>]*>(.*?)<', plane)
    heights = sorted(float(height) for height, _ in names)
    assert [name for _, name in names] == ["one", "two", "wide"]
    assert min(b - a for a, b in pairwise(heights)) >= 12
    assert plane.count('class="estimate"') == 2
    assert "x/wide: up cannot be determined" in plane


def judge_columns(material: Material):
    [condition] = conditions(material.measured(), material.beside)["judge"]
    return make_table(condition, material.agents(), []).columns


@pytest.mark.parametrize("graph", ["collider", "fork"])
def test_published_values_of_people_are_those_of_their_data(graph) -> None:
    judge = get_suite("judge")
    compared = judge.people_comparison
    if not compared.is_fetched():
        pytest.skip("needs people's data")
    design = judge.make_design({"graph": graph})
    rows = simulate_rows(
        judge, design, list(judge.items(design)), judge.agents["noisy-or"], {}, "a", {}
    )
    found = compared.compare(record_table(list(rows), judge.record_columns))
    values = {
        pair.measure: pair.b.estimate for pair in found.differences if pair.measure != "shift_ratio"
    }
    ranges = {one.measure: one.quartiles for one in found.places}
    [published] = [v for labels, v in compared.published if labels["graph"] == graph]
    assert set(published) == set(values)
    for name, one in published.items():
        assert one.value == pytest.approx(values[name], abs=5e-5)
        assert (one.low, one.high) == pytest.approx((ranges[name][0], ranges[name][2]))


@pytest.mark.parametrize("name", ["intervene", "compose", "calculate", "analyze"])
def test_baseline_is_drawn_at_the_zero_of_the_design(name) -> None:
    suite = get_suite(name)
    zero = list(suite.zeros.by_design.values())[1]
    labels = {"agent": "a", "design": zero.design}
    found = [Measured(name, measure(name=suite.headline[0], labels=labels))]
    [condition] = conditions(found, frozenset())[name]
    marks = dict(_marks(condition, suite.headline[0], ["a"]))
    assert marks == {"baseline": zero.value, "exact": 1.0}


def test_a_style_has_no_baseline() -> None:
    suite = get_suite("judge")
    found = [Measured("judge", measure(name=suite.headline[0]))]
    [condition] = conditions(found, frozenset())["judge"]
    assert "baseline" not in dict(_marks(condition, suite.headline[0], ["a"]))


def test_panels_are_there_for_every_suite_and_say_how_to_measure_the_others() -> None:
    material = Material([("judge", judged("maker/one[seed=1]"))])
    made = panels_of(material)
    assert list(made) == ["judge", "intervene", "trace", "derive", "analyze"]
    [judge], [intervene] = made["judge"], made["intervene"]
    assert judge.charts[0].measure == "explaining_away"
    assert judge.readings[0].sentences
    assert intervene.charts[0].values[0].estimate == "not run"
    assert intervene.readings[0].command == "whybench run intervene --model maker/one"
    others = "intervene, trace, derive, analyze"
    for agent, why in (
        ("reference/judge.noisy-or", "not run: this reference agent answers only judge"),
        ("human/pilot", "not asked"),  # nobody asks people by `whybench run`
    ):
        material = Material([("judge", judged(agent))])
        assert not_measured(material, [agent]) == [(f"{agent}, {others}: {why}", "")]


def test_what_must_stand_beside_a_headline_does() -> None:
    found = [
        Measured("compose", measure(name="compositional_agreement", estimate=0.36)),
        Measured("compose", measure(name="answered", estimate=1.0)),
        Measured("compose", measure(name="answered", estimate=0.5, labels={"agent": "b"})),
    ]
    [condition] = conditions(found, frozenset())["compose"]
    table = make_table(condition, ["a"], ["b"])
    assert [column.name for column in table.columns] == ["compositional_agreement", "answered"]
    assert [column.is_headline for column in table.columns] == [True, False]
    assert [[cell.value for cell in row.cells] for row in table.rows] == [[0.36, 1.0], [None, 0.5]]
    assert [row.beside for row in table.rows] == [False, True]


def test_a_table_shows_one_condition_and_the_first_is_that_of_most_agents() -> None:
    found = [
        Measured("intervene", measure(name="justified_accuracy", labels=labels))
        for labels in (
            {"agent": "a", "design": "core", "style": "cot"},
            {"agent": "a", "design": "core", "style": "direct"},
            {"agent": "b", "design": "core", "style": "direct"},
        )
    ]
    first, second = conditions(found, frozenset())["intervene"]
    assert (first.words, set(first.measures)) == ("design core, style direct", {"a", "b"})
    assert (second.words, set(second.measures)) == ("design core, style cot", {"a"})


def test_with_many_agents_the_chosen_one_has_the_line_and_others_are_ticks() -> None:
    tables = [judged(f"maker/{letter}") for letter in "abcdef"]
    [panel] = panels_of(Material([("judge", pa.concat_tables(tables))]))["judge"]
    assert panel.plane.count('class="other"') == 6
    assert panel.plane.count(" hidden>") == 5
    bars = draw_chart({letter: measure() for letter in "abcdef"}, {}, Scale(0, 1), "accuracy")
    assert bars.count('class="tick"') == 6
    assert bars.count(" hidden>") == 5


@pytest.mark.slow
def test_all_pairs_of_the_page_are_one_family() -> None:
    tables = {
        "a": judged("a"),
        "b": judged("b", "associative"),
        "c": judged("c", "anchored-at-50"),
    }
    found = compare_agents(Material([("judge", pa.concat_tables(tables.values()))]))
    assert found.notes == ()
    changes = {
        (one, two, change.measure): change
        for one, two in (("a", "b"), ("a", "c"), ("b", "c"))
        for change in compare_tables(get_suite("judge"), tables[one], tables[two])
    }
    lines = {
        (line.side_b, line.side_a, line.measure): line
        for line in (*found.primary["judge"], *found.further["judge"])
    }
    assert set(lines) == set(changes)
    assert {line.measure for line in found.primary["judge"]} == set(get_suite("judge").headline)
    tested = {key: change.p for key, change in changes.items() if change.p is not None}
    corrected = dict(zip(tested, benjamini_hochberg(list(tested.values())), strict=True))
    assert len(corrected) > 6
    for key, p in corrected.items():
        assert lines[key].corrected_p == pytest.approx(p)
        assert lines[key].p == pytest.approx(changes[key].p)
        assert lines[key].low == changes[key].low
        assert lines[key].tests == len(corrected)
        shown = lines[key].verdict in {"higher", "lower", "too small to matter"}
        assert shown == (p < 0.05)
    assert {lines[key].corrected_p for key in set(lines) - set(corrected)} <= {None}


def test_agents_that_share_no_item_are_named() -> None:
    one, two = judged("a"), judged("b")
    column = pa.array([f"other-{k}" for k in range(60)])
    two = two.set_column(two.column_names.index("item"), "item", column)
    found = compare_agents(Material([("judge", pa.concat_tables([one, two]))]))
    assert (found.primary, found.further) == ({}, {})
    assert len(found.notes) == 1
    assert found.notes[0].startswith("judge, a and b: both sides must share items of judge")


def test_many_agents_are_compared_with_one() -> None:
    assert pairs_of(list("abcde")) == [("a", other) for other in "bcde"]
    assert pairs_of(list("abcde"), "c") == [("c", other) for other in "abde"]
    assert pairs_of(["a"]) == []
    assert pairs_of(["a", "b"], "z") == []


def test_conditions_of_an_agent_are_set_beside_each_other() -> None:
    suite = get_suite("intervene")
    rows = []
    for style, error in (("direct", 0.5), ("cot", 0.0)):
        design = suite.make_design({"style": style})
        items = list(suite.items(design))
        rows += simulate_rows(suite, design, items, suite.agent("bayes"), {"error": error}, "a", {})
    table = record_table(rows, suite.record_columns)
    (line,) = compare_levels(Material([("intervene", table)])).rows["intervene"]
    assert (line.agent, line.by, line.side_b, line.side_a) == ("a", "style", "direct", "cot")
    assert (line.measure, line.verdict) == ("justified_accuracy", "higher")
    alone = table.filter([style == "cot" for style in table["style"].to_pylist()])
    assert not compare_levels(Material([("intervene", alone)])).rows
