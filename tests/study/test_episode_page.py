"""The page on which somebody acts: shapes that are drawn, and a table of what was done and seen."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from evidence.participants import drive
from evidence.studies import opened_study

from whybench.study.export import write_study
from whybench.study.plan import make_plan
from whybench.suites.intervene.themes import load_theme

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evidence.browser import Opened
    from playwright.sync_api import Browser

pytestmark = pytest.mark.xdist_group("browser")

CELLS = "all => all.map(row => [...row.cells].map(cell => cell.innerText))"


@contextmanager
def first_item(
    browser: Browser, folder: Path, pictures: bool = True, width: int = 1280, **settings: object
) -> Iterator[Opened]:
    """Open a study of intervene at its first world."""
    plan = make_plan("intervene", {"design": "core", **settings}, 2, 1, pictures)
    write_study(plan, folder / "study")
    with opened_study(browser, folder / "study", "?number=0", width=width) as found:
        drive(found.page, lambda _: [], seen=lambda kind, _: kind != "item")
        yield found
        assert not found.errors


@pytest.mark.parametrize("width", [1280, 390])
def test_what_was_done_and_seen_stays_in_view(width, browser, tmp_path) -> None:
    with first_item(browser, tmp_path, width=width) as found:
        page = found.page
        circuit = page.evaluate("whybench.assigned(STUDY, 0).items[0].circuit")
        names, (go, rest) = circuit["names"], circuit["states"]
        edges = [tuple(edge) for edge in circuit["edges"]]

        def seen() -> str:
            states = page.eval_on_selector_all(
                ".circuit .state", "all => all.map(s => s.innerText)"
            )
            going = [name for name, state in zip(names, states, strict=True) if go in state]
            if going and len(going) < len(names):
                return f"{go}: {', '.join(going)}"
            return f"all {go if going else rest}"

        expected = [["0", "nothing yet", seen()]]
        for step in range(1, circuit["limit"] + 1):
            verb, name = circuit["verbs"][step % 2], names[step % len(names)]
            before = expected[-1][2].removeprefix("nothing changed (").removesuffix(")")
            page.get_by_role("button", name=f"{verb} {name}", exact=True).click()
            saw = seen()
            saw = saw if saw != before else f"nothing changed ({saw})"
            expected.append([str(step), f"{verb} {name}", saw])
        assert page.eval_on_selector_all(".history tbody tr", CELLS) == expected
        assert len({row[2] for row in expected}) > 1, edges
        assert page.eval_on_selector_all(".history thead tr", CELLS) == [
            ["Step", "What you did", "What you saw"]
        ]
        table = page.get_by_role("table", name="What you did and saw so far")
        assert table.get_by_role("rowheader").count() == len(expected)
        assert table.get_by_role("columnheader").count() == 3
        assert (found.barriers(), found.overflow()) == ([], 0)


def test_every_world_begins_a_new_table(browser, tmp_path) -> None:
    with first_item(browser, tmp_path) as found:
        page = found.page
        page.locator(".circuit button").first.click()
        page.locator("input[name=choice]").first.check()
        page.get_by_role("button", name="Give this answer").click()
        drive(page, lambda _: [], seen=lambda kind, _: kind != "item")
        rows = page.eval_on_selector_all(".history tbody tr", CELLS)
        assert [row[:2] for row in rows] == [["0", "nothing yet"]]


def test_shapes_are_drawn_beside_their_names_and_move_when_they_do(browser, tmp_path) -> None:
    with first_item(browser, tmp_path) as found:
        page = found.page
        count = page.locator(".circuit li").count()
        assert page.locator(".circuit .name svg[aria-hidden=true]").count() == count
        page.get_by_role("button", name="move ").first.click()
        states = page.eval_on_selector_all(
            ".circuit li",
            """all => all.map(one => [one.querySelector('.state').innerText.includes('moving'),
            getComputedStyle(one.querySelector('.motion')).display !== 'none'])""",
        )
        assert any(moving for moving, _ in states)
        assert all(moving == drawn for moving, drawn in states)


def test_every_shape_of_the_theme_has_a_picture_of_its_own(browser, tmp_path) -> None:
    theme = load_theme("shapes")
    names = [*theme.names, *(f"{colour} {form}" for colour in theme.more for form in theme.names)]
    with first_item(browser, tmp_path) as found:
        drawn = found.page.evaluate("names => whybench.drawAll(names)", names)
        assert len({*drawn}) == len(names) == 16 * 13
        boxes = found.page.evaluate(
            """drawn => drawn.map(svg => {
                document.body.insertAdjacentHTML('beforeend', svg);
                const box = document.body.lastElementChild.querySelector('.form').getBBox();
                return [box.x, box.y, box.x + box.width, box.y + box.height];
            })""",
            drawn[:16],
        )
        for left, top, right, bottom in boxes:
            assert min(left, top) >= 1
            assert max(right, bottom) <= 31
            assert min(right - left, bottom - top) >= 14


def test_what_names_no_form_is_not_drawn_and_then_nothing_is(browser, tmp_path) -> None:
    with first_item(browser, tmp_path) as found:
        ask = found.page.evaluate
        for names in (["circle", "lamp"], ["circle", "loud circle"], ["circle", "red blue circle"]):
            assert ask("names => whybench.drawAll(names)", names) is None


@pytest.mark.parametrize(
    ("theme", "pictures"), [("lamps", True), ("words", True), ("shapes", False)]
)
def test_without_pictures_names_stand_alone(theme, pictures, browser, tmp_path) -> None:
    with first_item(browser, tmp_path, pictures, theme=theme) as found:
        assert found.page.locator(".circuit .name").count() >= 2
        assert found.page.locator(".circuit svg").count() == 0
