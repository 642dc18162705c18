"""The page as a whole: it says what `whybench results` says, and nothing gets out of its place."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter

import pyarrow as pa
import pytest
from click.testing import CliRunner
from tests.altered import altered

import whybench.drawing.canvas
from whybench.cli.results import report_command, results_command
from whybench.drawing.figure import Figure
from whybench.page import report
from whybench.page.browsing import MOST_SHOWN, browser
from whybench.page.downloads import downloads, packed, unpacked
from whybench.page.material import Material
from whybench.page.writing import SECTIONS, make_page
from whybench.records.table import record_table
from whybench.records.usable import read_usable
from whybench.results import load
from whybench.suites.contract import UserError
from whybench.suites.registry import get_suite

HOSTILE = '</script><script>alert("hi")</script><img src=x onerror=alert(1)> & <b>70</b>'


@pytest.mark.slow
def test_its_numbers_are_those_of_measures(page, measures_in, logs) -> None:
    told = measures_in(page)
    lines = CliRunner().invoke(results_command, [str(logs), "--json"]).stdout.splitlines()
    printed = [json.loads(line) for line in lines]
    assert {row["suite"] for row in told} == {"judge", "intervene", "compose", "analyze"}
    assert len(told) > 100
    assert Counter(map(json.dumps, told)) == Counter(map(json.dumps, printed))


def is_headline(row: dict[str, object]) -> bool:
    """Say whether a row is of a headline, and overall: no level stands behind its name."""
    after = list(row)[list(row).index("measure") + 1]
    return row["measure"] in get_suite(row["suite"]).headline and after == "estimate"


def test_every_headline_stands_in_the_table_of_its_suite(page, parse, measures_in) -> None:
    rows = [row for row in measures_in(page) if is_headline(row)]
    cells = [cell for cell in parse(page).all("td") if cell.attributes.get("data-value")]
    values = Counter(float(cell.attributes["data-value"]) for cell in cells)
    assert len(rows) == 14
    for row in rows:
        assert row["estimate"] is None or values[row["estimate"]]


def test_each_suite_has_a_panel_with_number_interval_and_sentence(page, parse) -> None:
    parsed = parse(page)
    cards = [one for one in parsed.all("section") if "data-suite" in one.attributes]
    suites = [card.attributes["data-suite"] for card in cards]
    assert suites == ["judge", "intervene", "compose", "trace", "derive", "analyze"]
    sentences = [one.text for one in parsed.all("p", **{"class": "say", "data-agent": "0"})]
    assert len(sentences) == len(suites)
    assert sum(bool(text.strip()) for text in sentences) == 4  # trace and derive were not asked
    assert "whybench run trace --model maker/one" in [one.text for one in parsed.all("code")]


def test_what_a_panel_shows_lies_where_its_number_says(page) -> None:
    """A second reading of the pictures: places in pixels back to numbers."""
    card = page.split('data-suite="intervene"')[1].split("</section>")[0]
    told = re.findall(
        r"<title>([^:<]+): justified accuracy ([\d.-]+) \[([\d.-]+), ([\d.-]+)\]", card
    )
    drawn = re.findall(
        r'class="interval" x1="([\d.]+)" x2="([\d.]+)".*?cx="([\d.]+)"', card, re.DOTALL
    )
    assert len(told) == len(drawn) == 1
    assert "maker/two: justified accuracy cannot be determined" in card
    left, right = map(float, re.search(r'class="axis" x1="([\d.]+)" x2="([\d.]+)"', card).groups())
    for (_, *numbers), (low, high, middle) in zip(told, drawn, strict=True):
        for number, place in zip(numbers, (middle, low, high), strict=True):
            assert (float(place) - left) / (right - left) == pytest.approx(float(number), abs=0.01)


@pytest.mark.slow
def test_it_is_the_same_bytes_from_the_same_logs(logs, tmp_path) -> None:
    judged = [str(path) for path in logs.iterdir() if "intervene" in path.name]
    for name in ("one.html", "two.html"):
        report(load(*judged), tmp_path / name)
    one, two = ((tmp_path / name).read_bytes() for name in ("one.html", "two.html"))
    assert one == two


@pytest.mark.slow
def test_only_its_own_script_may_run_and_nothing_is_fetched(page, parse) -> None:
    parsed = parse(page)
    [policy] = parsed.all("meta", **{"http-equiv": "Content-Security-Policy"})
    [script] = [s for s in parsed.all("script") if "type" not in s.attributes]
    [drawing] = parsed.all("script", id="drawing-data")
    for text in (script.text, unpacked(drawing.text)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy.attributes["content"]
    assert policy.attributes["content"].count("sha256-") == 2
    assert "default-src 'none'" in policy.attributes["content"]
    for element in parsed.elements:
        assert not [name for name in element.attributes if name.startswith("on")]
        for name in ("src", "href", "xlink:href", "action"):
            address = element.attributes.get(name, "#")
            assert address.startswith(("#", "data:image/png")), address
    assert not re.search(r"url\((?!#)", page)


def test_its_names_are_unique_and_refer_to_something(page, parse) -> None:
    parsed = parse(page)
    ids = Counter(e.attributes["id"] for e in parsed.elements if "id" in e.attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    refers = [
        name
        for element in parsed.elements
        for key in ("aria-labelledby", "for")
        for name in element.attributes.get(key, "").split()
    ]
    refers += [e.attributes["href"][1:] for e in parsed.elements if "href" in e.attributes]
    refers += re.findall(r"url\(#([^)]+)\)", page)
    assert len(refers) > 50
    assert set(refers) <= set(ids)
    assert [key for key, _ in SECTIONS if key != "people"] == [
        section.attributes["id"]
        for section in parsed.all("section")
        if section.attributes.get("id") in {*dict(SECTIONS)} - {"people"}
    ]


def test_tables_have_captions_and_heads_have_a_scope(page, parse) -> None:
    parsed = parse(page)
    assert len(parsed.all("table")) == len(parsed.all("caption")) > 5
    assert all("scope" in head.attributes for head in parsed.all("th"))
    assert parsed.elements[0].attributes == {"lang": "en"}


def test_it_says_what_the_star_of_a_changed_design_means(page, parse) -> None:
    parsed = parse(page)
    of_suites = [c.text for c in parsed.all("caption") if c.text.startswith("design ")]
    assert {"*" in text.partition(":")[0] for text in of_suites} == {True, False}
    for text in of_suites:
        assert ("* with changed settings" in text) == ("*" in text.partition(":")[0])
    titles = [caption.text for caption in parsed.all("figcaption")]
    assert any(title.endswith("(changed)") for title in titles)


def test_names_in_tables_may_break_after_a_slash(page, parse) -> None:
    rows = re.findall(r'<th scope="row">(maker/.*?)</th>', page)
    assert {*rows} == {"maker/<wbr>one", "maker/<wbr>two"}
    names = {cell.text for cell in parse(page).all("th", scope="row")}
    assert {"maker/one", "maker/two"} <= names


def test_it_tells_what_was_not_answered_and_compares_what_was(page, parse) -> None:
    parsed = parse(page)
    lines = [element.text for element in parsed.all("li")]
    assert any("have no answer" in line and "maker/two, analyze (4 of 4)" in line for line in lines)
    captions = [element.text for element in parsed.all("caption")]
    for name in ("judge", "intervene", "compose", "analyze"):
        assert f"{name}: A minus B" in captions


def test_every_figure_has_the_rows_behind_it(page, parse) -> None:
    parsed = parse(page)
    [script] = parsed.all("script", id="tables-data")
    tables = json.loads(unpacked(script.text))
    figures = [figure.attributes["id"] for figure in parsed.all("figure")]
    assert len(figures) >= 8
    assert set(tables) == set(figures)
    for table in tables.values():
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}


def test_the_browser_has_what_was_said_and_how_it_was_read(page, parse) -> None:
    [script] = parse(page).all("script", id="answers-data")
    data = json.loads(unpacked(script.text))
    assert sorted(data["agents"]) == ["maker/one", "maker/two"]
    assert len(data["texts"]) == len(set(data["texts"]))
    broken = [
        entry for entry in data["entries"] if [data["agents"][entry[0]], entry[4]] == [
            "maker/two", "no_answer"
        ]
    ]  # fmt: skip
    assert len(broken) == 4
    for entry in broken:
        roles = [role for role, _ in entry[9]]
        assert roles[0] == "user"
        assert "assistant" in roles
        assert entry[5], "there is a reason"
        assert entry[6] is None


def test_records_come_back_and_give_the_same_measures(page, parse, measures_in, tmp_path) -> None:
    judge = get_suite("judge")
    [script] = parse(page).all("script", id="records-judge")
    (tmp_path / "judge.csv").write_text(unpacked(script.text), encoding="utf-8")
    table, _ = read_usable(tmp_path / "judge.csv", "judge", judge.record_columns)
    assert table.num_rows == 120
    told = {
        (row["agent"], row["measure"]): row["estimate"]
        for row in measures_in(page)
        if row["suite"] == "judge"
    }
    again = {(m.labels["agent"], m.name): m.estimate for m in judge.measures(table)}
    assert again == pytest.approx(told)


def hostile_records(rows: int = 3) -> Material:
    judge = get_suite("judge")
    row = {
        "agent": f"maker/{HOSTILE}", "suite": "judge", "version": 1, "design": HOSTILE,
        "design_hash": "0", "epoch": 1, "outcome": "no_answer", "reason": HOSTILE, "truth": 50.0,
        "log": "x.eval", "graph": "collider", "story": HOSTILE, "polarity": "ppp", "task": "I",
        "content": "story", "style": "direct", "overload": "none",
        "overload_source": "none",
    }  # fmt: skip
    table = record_table(
        [{**row, "item": f"judge-{number}"} for number in range(rows)],
        judge.record_columns,
    )
    return Material([("judge", table)])


def test_hostile_words_in_records_stay_words(parse) -> None:
    text = make_page(hostile_records(), title=HOSTILE)
    assert "<script>alert" not in text
    parsed = parse(text)
    assert len([s for s in parsed.all("script") if "type" not in s.attributes]) == 1
    assert not parsed.all("img")
    assert parsed.all("h1")[0].text == HOSTILE
    assert f"maker/{HOSTILE}" in [cell.text for cell in parsed.all("th", scope="row")]
    [script] = parsed.all("script", id="answers-data")
    assert {entry[5] for entry in json.loads(unpacked(script.text))["entries"]} == {HOSTILE}


def test_hostile_replies_stay_words(tmp_path, parse) -> None:
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from whybench._registry import judge

    def reply(*_):
        output = ModelOutput.from_content("mockllm", HOSTILE)
        output.usage = ModelUsage()  # else tokens are counted, by a table from the network
        return output

    model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
    run(judge(), model=model, limit=2, log_dir=str(tmp_path / "logs"), display="none")
    report(tmp_path / "logs", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    parsed = parse(text)
    assert len([s for s in parsed.all("script") if "type" not in s.attributes]) == 1
    [script] = parsed.all("script", id="answers-data")
    data = json.loads(unpacked(script.text))
    said = [data["texts"][text] for entry in data["entries"] for role, text in entry[9]
            if role == "assistant"]  # fmt: skip
    assert said == [HOSTILE] * 4  # each is asked for once more


def test_records_without_logs_have_no_conversations_and_say_so(logs, tmp_path, parse) -> None:
    analyzed = tuple(str(path) for path in logs.iterdir() if "analyze" in path.name)
    load(*analyzed).save(tmp_path / "analyze.parquet")
    report(tmp_path / "analyze.parquet", tmp_path / "page.html")
    parsed = parse((tmp_path / "page.html").read_text(encoding="utf-8"))
    told = [element.text for element in parsed.all("p")]
    assert any("8 of them come from records without logs" in words for words in told)
    lines = [element.text for element in parsed.all("li")]
    assert any("maker/one, intervene: not run" in line for line in lines)
    commands = [element.text for element in parsed.all("code")]
    assert "whybench run intervene --model maker/one" in commands


def test_without_matplotlib_there_is_a_page_with_a_note(monkeypatch) -> None:
    # What is imported anew takes its place in the package; both are put back afterwards.
    monkeypatch.setattr(whybench, "drawing", whybench.drawing)
    for module in [name for name in sys.modules if name.startswith("whybench.drawing")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    text = make_page(hostile_records())
    assert "Figures of judge are not here: figures need matplotlib: pip install" in text
    assert "<figure" not in text


def test_answers_and_downloads_keep_within_their_room(logs) -> None:
    judged = [str(path) for path in logs.iterdir() if "judge" in path.name]
    material = Material(list(load(*judged).tables.items()), logs=judged)
    whole = browser(material)
    assert whole.answers == 120
    assert whole.entries == whole.spoken == 2 * MOST_SHOWN
    less = browser(material, largest=len(whole.data) // 2)
    assert len(less.data) <= len(whole.data) // 2
    assert 0 < less.entries == 2 * less.most < whole.entries
    [download] = downloads(material, largest=100)
    assert (download.data, download.rows) == ("", 120)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"output": "page.pdf"}, r"`output` must be a file ending in \.html, got page\.pdf"),
        ({"output": "/proc/page.html"}, "`output` must be where the page can be written, got /pro"),
        ({"against": "maker/three"}, "`against` must be one of the agents .*, got 'maker/three'"),
    ],
)
def test_requests_that_cannot_be_met_are_explained(logs, tmp_path, options, message) -> None:
    judged = tuple(str(path) for path in logs.iterdir() if "judge" in path.name)
    output = options.pop("output", str(tmp_path / "page.html"))
    with pytest.raises(UserError, match=message):
        report(load(*judged), output, **options)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_the_page_that_was_there(logs, tmp_path, monkeypatch) -> None:
    target = tmp_path / "page.html"
    target.write_text("the old page")

    def fill(path, text, **_) -> int:
        with path.open("w") as file:
            file.write(text[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_text", fill)
    analyzed = [str(path) for path in logs.iterdir() if "analyze" in path.name][:1]
    with pytest.raises(UserError, match=r"page\.html must be .* got No space left on device;"):
        report(load(*analyzed), target)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert target.read_text() == "the old page"


def test_no_part_that_fails_ends_the_page(logs, tmp_path, monkeypatch, parse, measures_in) -> None:
    analyze = get_suite("analyze")

    def measures(records):
        if "maker/two" in records["agent"].to_pylist():
            raise ZeroDivisionError("nothing to divide")
        return analyze.measures(records)

    def figures(_):
        yield Figure("no-good", lambda: 1 / 0)

    def fail(*_):
        raise RuntimeError("the second side\nis odd")

    broken = altered(analyze, measures=measures, figures=figures)
    for place in ("page.drawings", "page.conditions", "page.panels", "results.measures"):
        monkeypatch.setattr(f"whybench.{place}.get_suite", lambda _: broken)
    monkeypatch.setattr("whybench.page.comparisons.compare_tables", fail)
    monkeypatch.setattr("whybench.page.browsing.read_transcripts", fail)
    monkeypatch.setattr("whybench.records.runs.read_runs", fail)
    for place, name in (("conditions", "suite_names"), ("material", "profiled_suites")):
        monkeypatch.setattr(f"whybench.page.{place}.{name}", lambda *_: ("analyze",))
    analyzed = [str(path) for path in logs.iterdir() if "analyze" in path.name]
    text = report(load(*analyzed), tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Traceback" not in text
    parsed = parse(text)
    told = [element.text for tag in ("li", "p") for element in parsed.all(tag)]
    cause = "ZeroDivisionError: nothing to divide"
    for note in (
        f"Not on this page: analyze, measures of maker/two: {cause}",
        "Not on this page: the runs, from the logs: RuntimeError: the second side",
        "Not on this page: what was said, from the logs: RuntimeError: the second side",
        f"Not measured: analyze, measures of maker/two: {cause}",
        "analyze, maker/one and maker/two: RuntimeError: the second side",
        "This figure cannot be drawn: ZeroDivisionError: division by zero",
    ):
        assert note in told, note
    assert [figure.text for figure in parsed.all("figcaption")] == ["analyze: no good"]
    assert {row["agent"] for row in measures_in(text)} == {"maker/one"}
    assert [key for key, _ in SECTIONS if key != "people"] == [
        section.attributes["id"]
        for section in parsed.all("section")
        if section.attributes.get("id") in {*dict(SECTIONS)} - {"people"}
    ]


def test_marks_that_cannot_be_seen_are_spelled_out(parse) -> None:
    turned = "maker/\u202elive\u202c\u200b"
    [(name, table)] = hostile_records().tables
    for column in ("agent", "design", "reason"):
        values = pa.array([turned] * table.num_rows)
        table = table.set_column(table.column_names.index(column), column, values)
    text = make_page(Material([(name, table)]), title="half a pair: \ud800")
    parsed = parse(text)
    seen = "maker/[U+202E]live[U+202C][U+200B]"
    assert seen in [cell.text for cell in parsed.all("th", scope="row")]
    assert seen in [cell.text for cell in parsed.all("td", **{"class": "name"})]
    assert parsed.all("h1")[0].text == "half a pair: [U+D800]"
    # Data stay as they are; the page's own script spells them out where it shows them.
    outside = re.sub(r'<script type="application/json".*?</script>', "", text, flags=re.DOTALL)
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\ud800]", outside)
    [script] = parsed.all("script", id="answers-data")
    assert json.loads(unpacked(script.text))["agents"] == [turned]


def test_half_a_surrogate_pair_in_a_reply_is_packed() -> None:
    assert json.loads(unpacked(packed('{"said":"\ud800"}'))) == {"said": "\ud800"}


def test_the_command_says_where_the_page_is(tmp_path, logs) -> None:
    judged = [str(path) for path in logs.iterdir() if "analyze" in path.name][:1]
    done = CliRunner().invoke(report_command, [*judged, "-o", str(tmp_path / "deep" / "p.html")])
    assert done.exit_code == 0, done.output
    assert re.fullmatch(r"Report: \S*deep/p\.html \(0\.\d MB\)", done.stdout.splitlines()[-1])
    assert "… measuring" in done.stderr
