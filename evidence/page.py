"""Figures on the page: how large it is, and what a real browser makes of it.

There are three pages. One is of four agents over five suites; one of those with people and all
published models of judge under all conditions beside them; one of ten agents and fifty thousand
answers. Reference agents give the answers, under names of models, so that whole profiles are there
without asking anybody; `small` is a page of two agents. Pictures are kept in the folder that the
variable `WHYBENCH_SCREENSHOTS` names, if it is set.
"""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

from evidence.browser import chromium, opened
from evidence.figures import Figure
from evidence.made_logs import Speaker, write_log
from evidence.sentences import sentences
from whybench.drawing.vega import bundle
from whybench.suites.registry import TEACHING_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from playwright.sync_api import Browser, Page

    from evidence.browser import Scheme

SCREENSHOTS = "WHYBENCH_SCREENSHOTS"
WIDTHS = (1280, 390)
"""A desk's window and a telephone's."""
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
LARGEST = 5_000_000
"""So many bytes the page of many answers has at most."""
MOST_SECONDS = 2
FIRST_SCREENS = {(1280, 800): 1, (390, 844): 3}
"""Windows, and in how many of their heights all panels lie."""
HIGHEST = 8_000
"""So many pixels the page is high as it opens, at most."""

NAMES = (
    "maker/large-3",
    "third/a-model-with-a-rather-long-name-preview-v2",
    "maker/small-3-20260401",
    "other/instruct-70b",
    "other/instruct-8b",
    "third/thinker-high",
    "third/thinker-low",
    "fourth/α",
    "local/tiny",
    "local/tinier",
)


@dataclass(frozen=True)
class _Portion:
    """What is asked of one suite, and who answers.

    Attributes:
        suite: The suite.
        task: Arguments of its task.
        samples: How many samples are asked.
        epochs: How often each.
        few: How many samples are asked for the small page, once.
        strategies: Reference agents and their settings; agents take turns in them.
    """

    suite: str
    task: Mapping[str, Any]
    samples: int
    epochs: int
    few: int
    strategies: tuple[tuple[str, Mapping[str, Any]], ...]


PORTIONS = (
    _Portion(
        "judge", {"design": "core"}, 240, 5, 120,
        (("noisy-or", {"noise": 0.2}), ("associative", {"noise": 0.4}), ("random", {}),
         ("anchored-at-50", {"noise": 0.3}), ("extreme", {"noise": 0.2})),
    ),
    _Portion(
        "intervene", {"design": "advanced"}, 1280, 1, 64,
        (("single-cause", {}), ("correlational", {}), ("random-then-guess", {}), ("recipe", {}),
         ("always-yes", {})),
    ),
    _Portion(
        "compose", {"gates": "mixed", "worlds": 1, "units": 84}, 84, 1, 12,
        (("exact", {}), ("flip", {}), ("coin", {}), ("local-only", {}), ("wrong-world", {})),
    ),
    _Portion(
        "calculate", {"design": "core"}, 120, 1, 24,
        (("exact", {}), ("sees-only", {}), ("slips", {}), ("constant", {}), ("rounds", {})),
    ),
    # Challenges of which few rows say enough: what is shown of a conversation is the same.
    _Portion(
        "analyze",
        {"challenge": ["simpson", "direction", "interaction", "moderation", "outcome", "structure",
                       "sequential", "mediator_confounding", "domain_shift"],
         "rows": 120, "seeds": 4},
        72, 18, 18,
        (("competent", {}), ("naive", {}), ("always-trap", {}), ("gold", {"silence": 0.1}),
         ("schema-breaker", {})),
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A page and what went into it.

    Attributes:
        path: The file.
        agents: How many agents it is of.
        answers: How many answers.
        seconds: How long it took to make, logs not counted.
    """

    path: Path
    agents: int
    answers: int
    seconds: float
    beside: tuple[str, ...] = ()


def made_page(
    folder: Path, small: bool, names: Sequence[str] = (), beside: Sequence[str] = ()
) -> Made:
    """Write logs of some agents and a page about them into a folder.

    Args:
        folder: Where to.
        small: Whether to ask little.
        names: The agents; two of a small page, ten of a large one if not stated.
        beside: What is set beside them, such as people.
    """
    from whybench.page import report
    from whybench.results.sources import load
    from whybench.suites.registry import get_suite
    from whybench.suites.task import inspect_task

    names = names or (NAMES[:2] if small else NAMES)
    answers = 0
    for portion in PORTIONS:
        asked = get_suite(portion.suite)
        task = inspect_task(asked)(**portion.task)
        for number, name in enumerate(names):
            strategy, settings = portion.strategies[number % len(portion.strategies)]
            speaker = Speaker(name, strategy, {**settings, "seed": number})
            samples, epochs = (portion.few, 1) if small else (portion.samples, portion.epochs)
            answers += write_log(asked, task, speaker, folder / "logs", samples, epochs)
    page = folder / "page.html"
    bundle()  # made once on a machine
    start = process_time()
    records = load(folder / "logs")
    report(records.with_baselines(*beside) if beside else records, page)
    return Made(page, len(names), answers, process_time() - start, tuple(beside))


def page(small: bool) -> Iterator[Figure]:
    """Yield figures on the pages' sizes, and on what Chromium makes of the largest."""
    if not small:
        yield from _sizes()
    with TemporaryDirectory() as folder:
        made = made_page(Path(folder), small)
        size = made.path.stat().st_size
        yield Figure(
            f"the page of {made.agents} agents and {made.answers:,} answers is at most 5 MB",
            f"{size / 1e6:.2f} MB, made in {made.seconds:.0f} s of CPU",
            size <= LARGEST and made.answers >= (0 if small else 50_000),
        )
        with chromium() as browser:
            yield from _as_opened(browser, made, small)
            yield from _as_seen(browser, made, small)
            yield from _by_keyboard(browser, made)
            yield from _first_screen(browser, made)
            yield from _marks(browser, made)


SIZES = (((), 2_000_000, 15), (("people", "published"), 6_000_000, 40))
"""What stands beside four agents, and the bytes and seconds of CPU that their page may take."""


def _sizes() -> Iterator[Figure]:
    """Yield size and cost of pages of four agents, alone and beside many."""
    for beside, largest, seconds in SIZES:
        with TemporaryDirectory() as folder, chromium() as browser:
            made = made_page(Path(folder), True, NAMES[:4], beside)
            page = f"the page of four agents{' with ' + ' and '.join(beside) if beside else ''}"
            size = made.path.stat().st_size
            yield Figure(
                f"{page} is at most {largest / 1e6:.0f} MB",
                f"{size / 1e6:.2f} MB",
                size <= largest,
            )
            yield Figure(
                f"{page} is made in {seconds} s of CPU",
                f"{made.seconds:.1f} s",
                made.seconds <= seconds,
                timed=True,
            )
            yield from _first_screen(browser, made)


def _first_screen(browser: Browser, made: Made) -> Iterator[Figure]:
    """Yield where the panels lie, when something is first seen, and how high the page is."""
    for (width, height), screens in FIRST_SCREENS.items():
        with opened(browser, made.path.as_uri(), width=width, height=height) as found:
            found.page.wait_for_selector("#answers-list li")
            boxes = found.boxes(".panel-card")
            lowest = max(box.top + box.height for box in boxes)
            yield Figure(
                f"at {width} x {height} all panels lie in the first {screens} screens",
                f"{len(boxes)} panels, the lowest ends at {lowest:.0f} pixels",
                len(boxes) == len(TEACHING_ORDER) + 1 and lowest <= screens * height,
            )
            if width < 1000:
                cut = found.page.evaluate(CUT_OFF)
                yield Figure(
                    f"no text is cut off at {width} pixels",
                    f"{len(cut)} cut off {cut[:3]}",
                    not cut,
                )
                continue
            paint = found.page.evaluate(FIRST_PAINT)
            high = found.page.evaluate("document.documentElement.scrollHeight")
            yield Figure(
                "it is first painted in at most 1 s",
                f"{paint / 1000:.2f} s",
                paint <= 1000,
                timed=True,
            )
            yield Figure(
                f"as it opens it is at most {HIGHEST:,} pixels high",
                f"{high:,} pixels",
                high <= HIGHEST,
            )


FIRST_PAINT = (
    "performance.getEntriesByType('paint').find(one => one.name === 'first-contentful-paint')"
    "?.startTime ?? 1e9"
)
CUT_OFF = """
[...document.querySelectorAll('#profile *, .suite-section h2, .suite-section p, header *')]
  .filter(one => one.offsetParent && one.children.length === 0 && one.textContent.trim())
  .filter(one => one.scrollWidth > one.clientWidth + 1
      && getComputedStyle(one).overflowX === 'hidden'
    || one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.textContent.slice(0, 40))
"""


def _marks(browser: Browser, made: Made) -> Iterator[Figure]:
    """Hold every mark that says a number, in panels and charts, against the tables of the page."""
    with opened(browser, made.path.as_uri()) as found:
        page = found.page
        page.wait_for_selector("#answers-list li")
        table = page.evaluate(SHOWN_NUMBERS)
        told = page.eval_on_selector_all(
            "svg.panel .agent title", "titles => titles.map(one => one.textContent)"
        )
        shown = tuple(f" {number}" for number in table)
        apart = [words for words in told if not words.endswith(shown)]
        yield Figure(
            "every mark of the panels says what a table says",
            f"{len(told)} marks, {len(apart)} apart {apart[:3]}",
            bool(told) and not apart,
        )
        page.eval_on_selector_all(
            "details.more-figures", "all => all.forEach(one => one.open = true)"
        )
        drawn = _draw_charts(page)
        marks, wrong = page.evaluate(CHART_MARKS)
        yield Figure(
            "every mark of the charts says what the rows behind its figure say",
            f"{drawn} charts, {marks} marks with a number, {len(wrong)} apart {wrong[:3]}",
            drawn > 0 and marks > 0 and not wrong,
        )
        yield from _sorted_by_keyboard(page)


def _draw_charts(page: Page) -> int:
    """Scroll to every chart, so that it is drawn; return how many are."""
    charts = page.query_selector_all(".chart")
    for chart in charts:
        chart.scroll_into_view_if_needed()
        page.wait_for_function(
            "chart => chart.querySelector('svg') !== null", arg=chart, timeout=20_000
        )
    return len(charts)


SHOWN_NUMBERS = """
[...document.querySelectorAll('.sortable td .words')].map(one => one.textContent)
"""
CHART_MARKS = """
async () => {
  const bytes = Uint8Array.from(atob(document.getElementById('tables-data').textContent),
    one => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const tables = JSON.parse(await new Response(stream).text());
  let marks = 0;
  const wrong = [];
  for (const chart of document.querySelectorAll('.chart')) {
    const known = new Set(tables[chart.dataset.chart].rows.flat().map(Number)
      .filter(Number.isFinite).map(one => one.toFixed(2)));
    for (const mark of chart.querySelectorAll('[aria-label*="estimate: "]')) {
      const told = mark.getAttribute('aria-label').match(/estimate: ([\\u2212\\d.-]+)/);
      if (!told) continue;
      marks += 1;
      const number = Number(told[1].replace('\\u2212', '-'));
      // A part of a bar is told by how many answers it holds; its share follows from these.
      const held = mark.getAttribute('aria-label').match(/(?:episodes|answers): (\\d+)/);
      const numbers = [number, number / 100, ...(held ? [Number(held[1])] : [])];
      if (!numbers.some(one => known.has(one.toFixed(2)))) {
        wrong.push(mark.getAttribute('aria-label'));
      }
    }
  }
  return [marks, wrong];
}
"""


def _sorted_by_keyboard(page: Page) -> Iterator[Figure]:
    """Sort a table from the keyboard: the head is reached by Tab, and Enter turns the order."""
    page.focus(".suite-section .sortable thead th:nth-child(2) button")
    orders = []
    for _ in range(2):
        page.keyboard.press("Enter")
        orders.append(
            page.eval_on_selector_all(
                ".suite-section:first-of-type .condition-block:not([hidden]) tbody td:nth-child(2)",
                "cells => cells.map(cell => cell.dataset.value).filter(Boolean).map(Number)",
            )
        )
    down, up = orders
    yield Figure(
        "a table is sorted by keyboard, both ways",
        f"{down} and {up}",
        down == sorted(down, reverse=True) and up == sorted(up),
    )


def _as_opened(browser: Browser, made: Made, small: bool) -> Iterator[Figure]:
    """Open the page as its reader does, and take what it offers for download."""
    times = [_opening(browser, made) for _ in range(1 if small else 3)]
    seconds, work = min(seconds for seconds, _ in times), min(work for _, work in times)
    yield Figure(
        f"it opens in at most {MOST_SECONDS} s, with all answers unpacked",
        f"{seconds:.2f} s, {work:.2f} s of them work, the best of {len(times)}",
        # Other programs may keep the machine of a small run busy meanwhile.
        (work if small else seconds) <= MOST_SECONDS,
        timed=True,
    )
    with opened(browser, made.path.as_uri()) as found:
        found.page.wait_for_selector("#answers-list li")
        boxes = found.boxes(".suite-section > figure svg.figure")
        yield Figure(
            "all open drawings are seen",
            f"{len(boxes)} figures, the smallest {min(box.width for box in boxes):.0f} x "
            f"{min(box.height for box in boxes):.0f} pixels",
            bool(boxes) and all(box.width >= 300 and box.height >= 40 for box in boxes),
        )
        rows = sum(_downloaded(found.page, name) for name in _packs(found.page))
        yield Figure(
            "all answers can be downloaded from it", f"{rows:,} rows", rows == made.answers
        )
        yield Figure(
            "it asks for nothing and reports no error",
            f"{len(found.requests)} requests, {len(found.errors)} errors "
            f"{' '.join([*found.requests, *found.errors])[:200]}".strip(),
            not found.requests and not found.errors,
        )


def _opening(browser: Browser, made: Made) -> tuple[float, float]:
    """Return the seconds until the page is there to be used, and those of them that it worked."""
    with opened(browser, made.path.as_uri()) as found:
        found.page.wait_for_selector("#answers-list li")
        return found.page.evaluate("performance.now()") / 1000, found.work()


def _packs(page: Page) -> list[str]:
    packs = page.eval_on_selector_all(
        "button.download[data-pack]", "buttons => buttons.map(button => button.dataset.pack)"
    )
    return [str(pack) for pack in packs]


def _downloaded(page: Page, pack: str) -> int:
    """Download records from the page; return how many there are."""
    with page.expect_download() as awaited:
        page.click(f"button.download[data-pack='{pack}']")
    with Path(awaited.value.path()).open(encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def _as_seen(browser: Browser, made: Made, small: bool) -> Iterator[Figure]:
    """Look at the page in every width, in light, in dark, and printed; small, not in all pairs."""
    kept = os.environ.get(SCREENSHOTS)
    folder = Path(kept) if kept else made.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    barriers: list[str] = []
    wider: dict[int, float] = {}
    for width, scheme in zip(WIDTHS, SCHEMES, strict=True) if small else product(WIDTHS, SCHEMES):
        with opened(browser, made.path.as_uri(), width=width, scheme=scheme) as found:
            found.page.wait_for_selector("#answers-list li")
            barriers += [f"{b.rule} at {b.where[0]}" for b in found.barriers()]
            wider[width] = max(wider.get(width, 0.0), found.overflow())
            found.screenshot(folder / f"page-{width}-{scheme}.png")
            if (width, scheme) == (WIDTHS[0], SCHEMES[0]):
                found.printed(folder / "page-print.png", folder / "page.pdf")
    yield Figure(
        "no serious violation of axe's rules, light and dark, at 1280 and 390 pixels",
        f"{len(barriers)} violations {'; '.join(barriers)[:300]}".strip(),
        not barriers,
    )
    yield Figure(
        "it is never wider than its window",
        ", ".join(f"{over:.0f} pixels over at {width}" for width, over in wider.items()),
        not any(wider.values()),
    )


def _by_keyboard(browser: Browser, made: Made) -> Iterator[Figure]:
    """Read answers without a mouse: go there, filter, walk the list, read, and leave."""
    with opened(browser, made.path.as_uri()) as found:
        page = found.page
        page.wait_for_selector("#answers-list li")
        way = _tab_to(page, "a[href='#answers']")
        page.keyboard.press("Enter")
        way += _tab_to(page, "#by-agent") + _tab_to(page, "#by-suite")
        before = page.inner_text("#answers-count")
        page.keyboard.press("ArrowDown")
        filtered = page.inner_text("#answers-count") != before
        way += _tab_to(page, "#answers-list")
        read = []
        for key in ("Home", "ArrowDown", "ArrowDown", "End", "ArrowUp"):
            page.keyboard.press(key)
            read.append(page.inner_text("#answer h3") + page.inner_text("#answer dl"))
        shown = page.eval_on_selector_all(
            "#answers-list [aria-selected=true]", "chosen => chosen.map(one => one.id)"
        )
        named = page.get_attribute("#answers-list", "aria-activedescendant")
        page.keyboard.press("Enter")
        reading = page.evaluate("document.activeElement.id")
        page.keyboard.press("Tab")
        left = page.evaluate("!document.activeElement.closest('#answers-list')")
        yield Figure(
            "answers are found and read by keyboard alone",
            f"{way} presses of Tab from the top to the list; filtered: {filtered}; "
            f"{len(set(read))} answers read in {len(read)} steps; told to screen readers: "
            f"{shown == [named]}; reading at #{reading}; it can be left: {left}",
            filtered and len(set(read)) > 2 and shown == [named] and reading == "answer" and left,
        )


def _tab_to(page: Page, selector: str, most: int = 60) -> int:
    """Press Tab until an element has the focus; return how often."""
    for pressed in range(1, most + 1):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return pressed
    raise TimeoutError(f"{selector} must be reached by at most {most} presses of Tab")


PARTS = {"page": page, "sentences": sentences}
"""Parts of the figures of a profile."""
