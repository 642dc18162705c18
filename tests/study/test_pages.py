"""The experiment in a real browser, where it is not the straight way from consent to the end."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager
from dataclasses import asdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from evidence.browser import opened
from evidence.participants import drive, kept_rows
from evidence.studies import plan_of, served

from whybench.study.export import Saving, write_study
from whybench.study.importing import import_study
from whybench.study.plan import make_plan
from whybench.suites.intervene.world import InterveneWorld

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evidence.browser import Opened
    from playwright.sync_api import Browser, Page, Route

pytestmark = pytest.mark.xdist_group("browser")

PLAN = make_plan("judge", {"design": "core"}, max_items=4, lists=2)
AFTER = """cases => cases.map(({edges, state, action, entity}) =>
    [...whybench.after(edges, new Set(state), action, entity)].sort((a, b) => a - b))"""


@pytest.fixture(scope="module")
def study(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "study"
    write_study(PLAN, folder)
    return folder


@contextmanager
def at(browser: Browser, study: Path, query: str = "") -> Iterator[Opened]:
    home = study.as_uri()
    with opened(browser, f"{home}/index.html{query}", home=home) as found:
        yield found
        assert not found.requests


def seventy(_item: str) -> list[str]:
    return ["70"]


def test_a_hidden_circuit_does_in_the_browser_what_it_does_in_python(browser, study) -> None:
    """All worlds of up to three entities, and some of four to six, in every state and action."""
    worlds = [
        InterveneWorld(n, edges)
        for n in (1, 2, 3)
        for size in range(n * (n - 1) // 2 + 1)
        for edges in combinations([(a, b) for a in range(n) for b in range(a + 1, n)], size)
    ]
    draw = np.random.default_rng(7)
    for n in (4, 5, 6):
        names = [int(name) for name in draw.permutation(n)]
        forward = [(names[a], names[b]) for a in range(n) for b in range(a + 1, n)]
        worlds += [
            InterveneWorld(n, tuple(edge for edge in forward if draw.random() < density))
            for density in (0.2, 0.5, 0.8)
        ]
    cases, expected = [], []
    for world in worlds:
        for state in world.closed_states():
            for action in ("move", "hold"):
                for entity in range(world.n):
                    cases.append(
                        {
                            "edges": world.edges,
                            "state": sorted(state),
                            "action": action,
                            "entity": entity,
                        }
                    )
                    expected.append(sorted(world.step(state, action, entity)))
    assert len(cases) > 1000
    with at(browser, study) as found:
        assert found.page.evaluate(AFTER, cases) == expected


def test_who_does_not_agree_leaves_nothing_behind(browser, study) -> None:
    with at(browser, study) as found:
        found.page.get_by_role("button", name="I do not take part").click()
        found.page.get_by_text("Nothing was recorded.").wait_for()
        assert kept_rows(found.page) == []


def test_a_wrong_check_leads_back_to_the_text_and_is_counted(browser, study) -> None:
    with at(browser, study, "?participant=anna&number=0") as found:
        page = found.page
        drive(page, seventy, seen=lambda kind, _: kind != "comprehension")
        rights = page.evaluate("STUDY.lists[0].lesson.quizzes.map(quiz => quiz.right)")
        for place, right in enumerate(rights):
            page.locator(f"input[name=quiz-{place}]").nth(0 if right else 1).check()
        page.get_by_role("button", name="Continue").click()
        page.get_by_text("Some answers were wrong. Please read the text again.").wait_for()
        assert drive(page, seventy) == "end"
        checks = [row for row in kept_rows(page) if row["kind"] == "comprehension"]
        assert [(row["attempts"], row["correct"]) for row in checks] == [(1, False), (2, True)]


def fail_the_check(page: Page) -> None:
    """Answer every question on the text wrongly."""
    drive(page, seventy, seen=lambda kind, _: kind != "comprehension")
    rights = page.evaluate("whybench.assigned(STUDY, 0).lesson.quizzes.map(quiz => quiz.right)")
    for place, right in enumerate(rights):
        page.locator(f"input[name=quiz-{place}]").nth(0 if right else 1).check()
    page.get_by_role("button", name="Continue").click()


@pytest.mark.parametrize("reload", [False, True])
def test_who_fails_the_check_three_times_is_sent_home_and_the_data_say_so(
    reload, browser, study, tmp_path
) -> None:
    with at(browser, study, "?participant=anna&number=0") as found:
        page = found.page
        fail_the_check(page)
        page.get_by_text("Some answers were wrong. Please read the text again.").wait_for()
        assert not page.get_by_text("There is one more try.").count()
        if reload:
            page.reload()
        fail_the_check(page)
        page.get_by_text("There is one more try.").wait_for()
        with page.expect_download() as download:
            fail_the_check(page)
        page.get_by_role("heading", name="Thank you for your time").wait_for()
        page.get_by_text("Your answers are saved").wait_for()
        assert found.barriers() == []
        rows = kept_rows(page)
        assert (rows[-1]["kind"], rows[-1]["outcome"]) == ("end", "check failed")
        assert [row["attempts"] for row in rows if row["kind"] == "comprehension"] == [1, 2, 3]
        assert not any(row["kind"] == "item" for row in rows)
        # Who comes back finds the same page, and nothing is added.
        page.reload()
        page.get_by_role("heading", name="Thank you for your time").wait_for()
        assert kept_rows(page) == rows
        files = [tmp_path / "anna.jsonl", tmp_path / "bob.jsonl"]
        download.value.save_as(files[0])
    with at(browser, study, "?participant=bob&number=0") as found:
        page = found.page
        fail_the_check(page)
        fail_the_check(page)
        with page.expect_download() as download:
            assert drive(page, seventy) == "end"
        page.get_by_role("heading", name="Thank you", exact=True).wait_for()
        assert kept_rows(page)[-1]["outcome"] == "complete"
        download.value.save_as(files[1])
    came = import_study(study, files)
    assert (came.participations, came.kept, came.table.num_rows) == (2, 1, 4)
    assert [asdict(each) for each in came.exclusions] == [
        {"rule": "check failed", "met": 1, "unknown": 0, "excluded": 1, "answers": 0}
    ]
    assert came.flaws == ()


def test_how_often_the_check_may_be_failed_is_chosen(browser, engine, tmp_path) -> None:
    for attempts, kind in ((1, "end"), (0, "learning")):
        write_study(PLAN, tmp_path / str(attempts), attempts=attempts)
        with at(browser, tmp_path / str(attempts), "?participant=anna&number=0") as found:
            for _ in range(attempts or 5):
                fail_the_check(found.page)
            assert drive(found.page, seventy, seen=lambda kind, _: kind != "learning") == kind


def test_a_check_on_attention_can_be_failed(browser, study) -> None:
    with at(browser, study, "?participant=anna&number=0") as found:
        page = found.page
        drive(page, seventy, seen=lambda kind, _: kind != "attention")
        wanted = int(page.inner_text("h2").rstrip(".").rpartition(" ")[2])
        page.locator("input[type=range]").fill(str(wanted - 3))
        page.keyboard.press("Enter")
        drive(page, seventy)
        checks = [row for row in kept_rows(page) if row["kind"] == "attention"]
        assert [row["correct"] for row in checks] == [False, True]
        assert checks[0]["response"] == str(wanted - 3)


def test_who_comes_from_prolific_keeps_the_ids(browser, study) -> None:
    query = "?PROLIFIC_PID=p1&STUDY_ID=s2&SESSION_ID=t3&number=7"
    with at(browser, study, query) as found:
        drive(found.page, seventy)
        first, *_, last = kept_rows(found.page)
        assert first["participant"] == last["participant"] == "p1"
        assert first["prolific"] == {"PROLIFIC_PID": "p1", "STUDY_ID": "s2", "SESSION_ID": "t3"}
        assert (first["number"], first["number_by"]) == (7, "address")
        assert [row["position"] for row in kept_rows(found.page)] == list(
            range(last["position"] + 1)
        )
        # Who is done does not start anew; others may, on the same machine.
        found.page.reload()
        assert drive(found.page, seventy) == "end"
        assert kept_rows(found.page)[-1] == last
        assert not found.page.get_by_text("Start as another participant").count()


def test_who_is_nobody_in_particular_gets_a_name_and_a_number_by_chance(browser, study) -> None:
    with at(browser, study) as found:
        drive(found.page, seventy)
        first = kept_rows(found.page)[0]
        assert first["participant"].startswith("anonymous-")
        assert 0 <= first["number"] < PLAN.cycle
        assert (first["number_by"], first["prolific"], first["resumed"]) == ("chance", None, False)
        found.page.get_by_role("button", name="Start as another participant").click()
        drive(found.page, seventy)
        people = {row["participant"] for row in kept_rows(found.page)}
        assert len(people) == 2


@pytest.mark.parametrize(
    ("query", "number"), [("?participant=5", 5), ("?participant=5&number=6", 6)]
)
def test_participants_may_be_called_by_their_number(query, number, browser, study) -> None:
    with at(browser, study, query) as found:
        assert drive(found.page, seventy, seen=lambda kind, _: kind != "learning") == "learning"
        first = kept_rows(found.page)[0]
        assert (first["participant"], first["number"]) == ("5", number)


def test_a_number_that_is_none_is_told(browser, study) -> None:
    with at(browser, study, "?number=-1") as found:
        found.page.get_by_text("number must be a whole number from 0, got -1").wait_for()


def test_rows_name_their_session_whoever_opens_the_page_again(browser, study) -> None:
    sessions = []
    for _ in range(2):  # two browsers that know nothing of each other
        with at(browser, study, "?participant=anna&number=0") as found:
            drive(found.page, seventy, seen=lambda kind, place: place < 5)
            found.page.reload()
            drive(found.page, seventy)
            (session,) = {row["session"] for row in kept_rows(found.page)}
            sessions.append(session)
    assert all(re.fullmatch("[0-9a-f]{16}", session) for session in sessions)
    assert sessions[0] != sessions[1]


def test_two_tabs_do_not_write_over_each_other(browser, study) -> None:
    with at(browser, study, "?participant=anna&number=0") as found:
        drive(found.page, seventy, seen=lambda kind, _: kind != "item")
        second = found.page.context.new_page()
        second.goto(f"{study.as_uri()}/index.html?participant=anna&number=0")
        found.page.get_by_text("This study is open in another tab").wait_for()
        assert drive(second, seventy) == "end"


def test_what_there_is_can_be_saved_in_the_middle(browser, study) -> None:
    with at(browser, study, "?participant=anna%2Fb&number=0") as found:
        page = found.page
        drive(page, seventy, seen=lambda kind, place: place < 6)
        with page.expect_download() as download:
            page.get_by_role("button", name="Save my answers so far to a file").click()
        assert download.value.suggested_filename == f"judge-{PLAN.id}-anna_b.jsonl"
        lines = download.value.path().read_text(encoding="utf-8").splitlines()
        assert [json.loads(line) for line in lines] == kept_rows(page)
        assert len(lines) == 7


def test_a_browser_without_storage_still_asks(browser, study) -> None:
    with at(browser, study, "?participant=anna&number=0") as found:
        found.page.add_init_script(
            "Object.defineProperty(window, 'localStorage', {get() { throw Error('forbidden') }})"
        )
        found.page.reload()
        with found.page.expect_download() as download:
            drive(found.page, seventy)
        rows = [json.loads(line) for line in download.value.path().read_text().splitlines()]
        assert rows[-1]["kind"] == "end"


def test_datapipe_gets_all_rows_at_the_end(browser, engine, tmp_path) -> None:
    write_study(PLAN, tmp_path / "study", Saving.read("datapipe:Exp1"))
    sent: list[dict[str, Any]] = []

    def receive(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or ""))
        # Out of order, and so when it is tried once more at the end.
        status = 200 if len(sent) > 2 else 500
        route.fulfill(status=status, body="", headers={"Access-Control-Allow-Origin": "*"})

    with at(browser, tmp_path / "study", "?participant=anna&number=0") as found:
        found.page.context.route("https://pipe.jspsych.org/**", receive)
        drive(found.page, seventy)
        found.page.get_by_text("could not be sent").wait_for()
        found.page.get_by_role("button", name="Try again").click()
        found.page.get_by_text("All your answers have arrived.").wait_for()
        assert len(sent) == 3
        assert sent[0] == sent[1] == sent[2]
        assert (sent[0]["experimentID"], sent[0]["filename"]) == (
            "Exp1",
            f"judge-{PLAN.id}-{kept_rows(found.page)[0]['session']}.jsonl",
        )
        assert [json.loads(line) for line in sent[0]["data"].splitlines()] == kept_rows(found.page)


def test_rows_that_the_server_cannot_write_are_kept_and_sent_again(
    browser, engine, tmp_path
) -> None:
    write_study(PLAN, tmp_path / "study", Saving("serve"))
    tried = []

    def receive(route: Route) -> None:
        # How many rows a request has depends on load, so a row decides: it is refused twice.
        sent = [json.loads(line) for line in (route.request.post_data or "").splitlines()]
        holds = any(row["position"] == 3 for row in sent)
        tried.append(holds)
        full = holds and sum(tried) <= 2
        route.fulfill(status=507, body="no room") if full else route.continue_()

    with served(tmp_path / "study") as address:
        with opened(browser, f"{address}?participant=anna", home=address) as found:
            found.page.context.route("**/data", receive)
            drive(found.page, seventy)
            found.page.get_by_text("All your answers have arrived.").wait_for()
            kept = kept_rows(found.page)
        written = (tmp_path / "study" / "data" / "anna.jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in written.splitlines()] == kept
    assert sum(tried) == 3


NUMBERS = {"design": "core", "style": "direct", "query": "ate", "variables": "3"}


def test_a_percentage_is_typed_in_or_said_not_to_be_there(browser, engine, tmp_path) -> None:
    write_study(make_plan("calculate", NUMBERS, 6, 1), tmp_path / "study")
    typed = ["12.3", "-4", "1e1", ".5", "100.0"]
    with at(browser, tmp_path / "study", "?participant=anna&number=0") as found:
        page = found.page
        drive(page, seventy, seen=lambda kind, _: kind != "item")
        for text in typed:
            field, button = page.locator("input[type=number]"), page.locator("button[type=submit]")
            assert button.is_disabled()
            field.fill("101")
            assert button.is_disabled()
            page.get_by_label("Cannot be determined").check()
            assert field.is_disabled()
            assert button.is_enabled()
            page.get_by_label("Cannot be determined").uncheck()
            assert button.is_disabled()
            field.fill(text)
            page.keyboard.press("Enter")
            drive(page, seventy, seen=lambda kind, _: kind != "item")
        page.locator("input[type=number]").fill("7")
        page.get_by_label("Cannot be determined").check()
        page.locator("button[type=submit]").click()
        assert drive(page, seventy) == "end"
        said = [row["replies"] for row in kept_rows(page) if row["kind"] == "item"]
        wanted = ["12.3%", "-4%", "10%", "0.5%", "100%", "cannot be determined"]
        assert said == [[reply] for reply in wanted]
        assert all(row["correct"] for row in kept_rows(page) if row["kind"] == "attention")


def test_which_of_two_is_greater_is_chosen(browser, engine, tmp_path) -> None:
    settings = {"design": "greater", "style": "direct", "worlds": 1, "query": "do"}
    plan = make_plan("calculate", settings, 3, 1)
    write_study(plan, tmp_path / "study")
    said = dict(zip((item.digest for item in plan.lists[0]),
                    (["second"], ["first"], ["cannot be determined"]), strict=True))  # fmt: skip
    with at(browser, tmp_path / "study", "?participant=anna&number=0") as found:
        assert drive(found.page, said.__getitem__) == "end"
        rows = [row for row in kept_rows(found.page) if row["kind"] == "item"]
        assert {row["item"]: row["replies"] for row in rows} == said


@pytest.mark.parametrize(("name", "below"), [("compose", True), ("judge", False)])
def test_a_text_that_stands_open_does_not_stand_before_the_answer(
    name, below, browser, engine, tmp_path
) -> None:
    write_study(plan_of(name, small=True), tmp_path / "study")
    with at(browser, tmp_path / "study", "?number=0") as found:
        drive(found.page, seventy, seen=lambda kind, _: kind != "item")
        (lesson,), (form,) = found.boxes("details.lesson"), found.boxes("form")
        assert (lesson.top >= form.top + form.height) == below
        assert found.page.locator("details.lesson[open]").count() == below
        assert found.barriers() == []


JATOS = """
const jatos = {
  workerId: "12", studyResultId: "31", urlQueryParameters: {PROLIFIC_PID: ""}, text: "", ended: 0,
  onLoad: (then) => setTimeout(then, 5),
  appendResultData: (text) => { jatos.text += text; return Promise.resolve(); },
  endStudy: () => { jatos.ended += 1; },
};
"""


def test_jatos_gets_rows_one_by_one_and_ends_the_study(browser, engine, tmp_path) -> None:
    write_study(PLAN, tmp_path / "study", Saving("jatos"))
    (tmp_path / "study" / "jatos.js").write_text(JATOS, encoding="utf-8")
    with at(browser, tmp_path / "study") as found:
        drive(found.page, seventy, seen=lambda kind, place: place < 6)
        assert len(found.page.evaluate("jatos.text").splitlines()) == 7
        found.page.reload()
        drive(found.page, seventy)
        assert found.page.evaluate("jatos.ended") == 0
        found.page.get_by_role("button", name="Finish").click()
        assert found.page.evaluate("jatos.ended") == 1
        rows = kept_rows(found.page)
        assert rows[0]["participant"] == "worker-12"
        assert rows[0]["jatos"] == {"worker": "12", "result": "31"}
        assert (rows[0]["number"], rows[0]["number_by"]) == (31 % PLAN.cycle, "jatos")
        later = [json.loads(line) for line in found.page.evaluate("jatos.text").splitlines()]
        assert later == rows[7:]


def test_who_is_sent_home_leaves_by_the_same_door(browser, engine, tmp_path) -> None:
    write_study(PLAN, tmp_path / "jatos", Saving("jatos"), attempts=1)
    (tmp_path / "jatos" / "jatos.js").write_text(JATOS, encoding="utf-8")
    with at(browser, tmp_path / "jatos", "?number=0") as found:
        fail_the_check(found.page)
        found.page.get_by_role("button", name="Finish").click()
        assert found.page.evaluate("jatos.ended") == 1
        assert '"outcome":"check failed"' in found.page.evaluate("jatos.text")
    write_study(PLAN, tmp_path / "pipe", Saving.read("datapipe:Exp1"), attempts=1)
    sent: list[str] = []

    def receive(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or "")["data"])
        route.fulfill(status=200, body="", headers={"Access-Control-Allow-Origin": "*"})

    with at(browser, tmp_path / "pipe", "?participant=anna&number=0") as found:
        found.page.context.route("https://pipe.jspsych.org/**", receive)
        fail_the_check(found.page)
        found.page.get_by_text("All your answers have arrived.").wait_for()
        assert [json.loads(line) for line in sent[0].splitlines()] == kept_rows(found.page)
