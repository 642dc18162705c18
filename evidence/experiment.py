"""Figures on studies for people: exported, opened in Chromium, and gone through to the end.

Participants are simulated (`evidence.participants`), the pages and the events are real. `small`
studies have few items; the others are the default designs. Pictures of all pages are kept in the
folder that the variable `WHYBENCH_SCREENSHOTS` names, if it is set.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from functools import partial
from itertools import pairwise, product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

from evidence.browser import chromium, opened
from evidence.figures import Figure
from evidence.participants import WHOLE_STUDY, drive, kept_rows, take_part
from evidence.studies import exported, list_replies, opened_study, plan_of, served
from whybench.study.export import Saving

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser

    from evidence.browser import Opened, Scheme
    from evidence.figures import Parts
    from evidence.participants import Hands
    from whybench.study.plan import StudyPlan

SCREENSHOTS = "WHYBENCH_SCREENSHOTS"
WIDTHS = (1280, 390)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DRAWS = 101_000
GUESSERS = {
    "judge": "random",
    "compose": "coin",
    "intervene": "random-then-guess",
    "calculate": "slips",
}
"""Agents whose answers differ from item to item."""
SUITES = tuple(GUESSERS)


def pages(small: bool) -> Iterator[Figure]:
    """Yield who comes through the pages, how they look, and whether they do what they promise."""
    with chromium() as browser:
        for name in SUITES[:1] if small else SUITES:
            plan = plan_of(name, small)
            said = list_replies(plan, GUESSERS[name])
            with exported(plan) as study:
                for hands in ("mouse", "keys"):
                    yield _to_the_end(browser, plan, study, said, hands)
                yield from _as_seen(browser, study, said, small, name)
                if plan.questionnaire.response == "rating":
                    yield from _slider(browser, study)
                yield from _balance(browser, study, plan)


def _to_the_end(
    browser: Browser,
    plan: StudyPlan,
    study: Path,
    said: dict[str, tuple[str, ...]],
    hands: Hands,
) -> Figure:
    """Go through a study, and hold the file that is downloaded against what was answered."""
    with opened_study(browser, study, "?participant=somebody&number=1") as found:
        with found.page.expect_download(timeout=WHOLE_STUDY) as download:
            drive(found.page, said.__getitem__, hands)
        rows = [json.loads(line) for line in download.value.path().read_text("utf-8").splitlines()]
        expected = [(item.digest, _meant(said[item.digest])) for item in plan.list_items(1)]
        answers = [(row["item"], _meant(row["replies"])) for row in rows if row["kind"] == "item"]
        passed = all(row["correct"] for row in rows if row["kind"] == "attention")
        return Figure(
            f"a participant of {plan.suite.name} comes from consent to the end by {hands} alone; "
            "the file has the answers",
            f"{len(answers)} items in the order of the plan, {len(rows)} rows; checks passed: "
            f"{passed}; {len(found.requests)} requests outside, {len(found.errors)} errors "
            f"{' '.join([*found.requests, *found.errors])[:200]}".strip(),
            answers == expected
            and rows == kept_rows(found.page)
            and rows[-1]["kind"] == "end"
            and passed
            and not found.requests
            and not found.errors,
        )


def _meant(replies: Sequence[str]) -> list[Any]:
    """Return replies without regard to how their JSON is spaced."""
    return [json.loads(reply) if reply.startswith("{") else reply for reply in replies]


def _as_seen(
    browser: Browser, study: Path, said: dict[str, tuple[str, ...]], small: bool, suite_name: str
) -> Iterator[Figure]:
    """Look at every kind of page in every width, in light and in dark; small, not in all pairs."""
    kept = os.environ.get(SCREENSHOTS)
    barriers: list[str] = []
    wider = 0.0
    looked: Counter[str] = Counter()
    for width, scheme in zip(WIDTHS, SCHEMES, strict=True) if small else product(WIDTHS, SCHEMES):
        seen_here: set[str] = set()
        with opened_study(browser, study, "?number=0", width=width, scheme=scheme) as found:

            def look(
                kind: str,
                _place: int,
                found: Opened = found,
                here: set[str] = seen_here,
                name: str = f"{width}-{scheme}",
            ) -> bool:
                nonlocal wider
                if kind not in here:
                    here.add(kind)
                    looked[kind] += 1
                    barriers.extend(f"{b.rule} at {b.where[0]} ({kind})" for b in found.barriers())
                    wider = max(wider, found.overflow())
                    if kept:
                        Path(kept).mkdir(parents=True, exist_ok=True)
                        found.screenshot(Path(kept) / f"study-{suite_name}-{kind}-{name}.png")
                return True

            drive(found.page, said.__getitem__, seen=look)
    yield Figure(
        f"no serious violation of axe's rules on any page of {suite_name}, light and dark, at 1280 "
        "and 390 pixels",
        f"{len(barriers)} violations {'; '.join(barriers)[:300]} on {sum(looked.values())} pages: "
        f"{', '.join(looked)}; at most {wider:.0f} pixels wider than the window",
        not barriers and not wider and len(looked) == 7,
    )


def _slider(browser: Browser, study: Path) -> Iterator[Figure]:
    """Yield whether an untouched slider is refused, and where sliders start."""
    with opened_study(browser, study) as found:
        page = found.page
        drive(page, lambda _: ["0"], seen=lambda kind, _: kind != "item")
        start = int(page.input_value("input[type=range]"))
        page.focus("input[type=range]")
        page.keyboard.press("Enter")
        page.evaluate("document.querySelector('form').requestSubmit()")
        page.locator("button[type=submit]").click(force=True)
        untouched = page.inner_text("h1"), page.is_disabled("button[type=submit]")
        page.focus("input[type=range]")
        page.keyboard.press("ArrowLeft" if start else "ArrowRight")
        moved = page.is_disabled("button[type=submit]"), page.inner_text("output")
        page.keyboard.press("Enter")
        page.wait_for_function("!document.querySelector('h1').textContent.startsWith('Question 1')")
        yield Figure(
            "a slider left untouched cannot be submitted; moved by one, it can",
            f"started at {start}; after Enter, a click and a request: still {untouched[0]}; "
            f"moved to {moved[1]} and submitted",
            untouched[1]
            and untouched[0].startswith("Question 1")
            and moved == (False, str(start - 1 if start else 1)),
        )
        grid = page.evaluate(
            f"""() => Array.from({{length: {DRAWS}}}, (_, k) =>
                whybench.sliderStart(() => (k + 0.5) / {DRAWS}))"""
        )
        drawn = Counter(
            page.evaluate(f"Array.from({{length: {DRAWS}}}, () => whybench.sliderStart())")
        )
        expected = DRAWS / 101
        chi_square = sum((drawn[place] - expected) ** 2 / expected for place in range(101))
        yield Figure(
            "sliders start at each of 0 to 100 with equal chance",
            f"evenly spread chances give each place {set(Counter(grid).values())} times; in "
            f"{DRAWS:,} draws chi-square is {chi_square:.0f} with 100 degrees of freedom",
            # Beyond 200 by chance once in ten million runs.
            set(Counter(grid).values()) == {DRAWS // 101}
            and set(drawn) == set(range(101))
            and chi_square < 200,
        )


def _balance(browser: Browser, study: Path, plan: StudyPlan) -> Iterator[Figure]:
    """Yield whether a full cycle of participants is balanced, as the page itself assigns it."""
    with opened_study(browser, study) as found:
        assigned = found.page.evaluate(
            "cycle => Array.from({length: cycle}, (_, number) =>"
            "whybench.assigned(STUDY, number).items.map(item => item.id))",
            plan.cycle,
        )
    places = Counter((item, place) for order in assigned for place, item in enumerate(order))
    follows = Counter(pair for order in assigned for pair in pairwise(order))
    same = assigned == [[item.digest for item in plan.list_items(k)] for k in range(plan.cycle)]
    by_list = [
        (
            {places[item.digest, at] for item in entry for at in range(len(entry))},
            {*_pairs(entry, follows)},
        )
        for entry in plan.lists
    ]
    yield Figure(
        f"over a full cycle of {plan.suite.name} every item is at every place, and behind every "
        "other, equally often",
        f"{plan.cycle} participants, {len(plan.lists)} lists of "
        f"{sorted({len(entry) for entry in plan.lists})} items; times at a place: "
        f"{set.union(*(at for at, _ in by_list))}, times behind another: "
        f"{set.union(*(behind for _, behind in by_list))}; as planned: {same}",
        same
        and all(len(at) == len(behind) == 1 and {0} not in (at, behind) for at, behind in by_list),
    )


def _pairs(entry: Sequence[Any], follows: Counter[Any]) -> Iterator[int]:
    for first, second in product(entry, entry):
        if first is not second:
            yield follows[first.digest, second.digest]


def closing(small: bool) -> Iterator[Figure]:
    """Yield what is left when the tab is closed on every page, one after the other."""
    plan = plan_of("judge", small)
    said = list_replies(plan, "random")
    with exported(plan) as study, chromium() as browser, opened_study(browser, study) as found:
        page, lost, openings, resumed = found.page, 0, 0, 0
        rows: list[dict[str, Any]] = []
        ended = ""
        while ended != "end" and openings < 60:
            openings += 1
            told: list[str] = []
            # The page that says so, and two more: the text is read again until its check is passed.
            ended = drive(page, said.__getitem__, seen=partial(_three_pages, told))
            resumed += "resumed" in told
            page.close()
            page = found.page.context.new_page()
            page.goto(f"{study.as_uri()}/index.html")
            now = kept_rows(page)
            lost += rows != now[: len(rows)]
            rows = now
        items = [row["item"] for row in rows if row["kind"] == "item"]
        people = {row["participant"] for row in rows}
        yield Figure(
            "closing the tab after every page or two loses no finished trial",
            f"{openings} openings, {resumed} of them said so; {len(items)} items answered once "
            f"each by {len(people)} participant; {lost} rows lost",
            not lost
            and ended == "end"
            and len(people) == 1
            and resumed == openings - 1
            and sorted(items) == sorted({*items})
            and len(items) in {len(entry) for entry in plan.lists},
        )


def _three_pages(told: list[str], kind: str, place: int) -> bool:
    told.append(kind)
    return place < 3


def suites(small: bool) -> Iterator[Figure]:
    """Yield what becomes of true answers given in the browser, suite by suite, and how fast."""
    with chromium() as browser, TemporaryDirectory() as folder:
        for name in SUITES:
            plan = plan_of(name, small)
            said = list_replies(plan)
            with exported(plan) as study:
                start = perf_counter()
                path = take_part(browser, study, name, 1, said.__getitem__, Path(folder))
                seconds = perf_counter() - start
            rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
            answers = {row["item"]: row["replies"] for row in rows if row["kind"] == "item"}
            full = sum(
                plan.suite.is_correct(
                    item, plan.suite.converse(item, partial(_repeated, answers[item.digest]))
                )
                for item in plan.list_items(1)
            )
            yield Figure(
                f"true answers of {name}, given in the browser, get full marks",
                f"{full} of {len(answers)} items, {seconds:.1f} s for a quick participant",
                full == len(answers) == len(plan.list_items(1)),
            )


def _repeated(replies: Sequence[str], _asked: object, turn: int) -> str:
    return replies[turn]


def sending(small: bool) -> Iterator[Figure]:
    """Yield whether rows reach the server, one by one, and those of a time when it was down."""
    plan = plan_of("judge", small)
    said = list_replies(plan, "random")
    with exported(plan, Saving("serve")) as study, chromium() as browser:
        numbers, equal, down = [], True, 0
        for name in ("first", "second"):
            with (
                served(study) as address,
                opened(browser, f"{address}?participant={name}", home=address) as found,
            ):

                def fail(_kind: str, place: int, found: Opened = found) -> bool:
                    nonlocal down
                    blocked = 6 <= place <= 8
                    found.page.context.set_offline(blocked)
                    down += blocked
                    return True

                drive(found.page, said.__getitem__, seen=fail if name == "second" else _go_on)
                found.page.get_by_text("All your answers have arrived.").wait_for()
                kept = kept_rows(found.page)
                written = (study / "data" / f"{name}.jsonl").read_text("utf-8").splitlines()
                equal &= [json.loads(line) for line in written] == kept
                numbers.append(kept[0]["number"])
        yield Figure(
            "rows reach the server as they are made, and those of a time without it later",
            f"{len(written)} rows equal: {equal}; {down} pages without a connection; numbers "
            f"{numbers}",
            equal and down == 3 and numbers == [0, 1],
        )


def _go_on(_kind: str, _place: int) -> bool:
    return True


PARTS: Parts = {
    "study-pages": pages,
    "study-closing": closing,
    "study-suites": suites,
    "study-sending": sending,
}
"""Parts of the figures on people."""
