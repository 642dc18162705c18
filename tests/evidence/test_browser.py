"""Each rule for pages is broken by a small page, and kept by another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from evidence.browser import Box, Opened, chromium, opened
from playwright.sync_api import Browser, Error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("browser")

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{style}</style></head><body><main><h1>A page</h1>{body}</main></body></html>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture
def show(browser: Browser, tmp_path: Path):
    """Write a page and open it."""

    def written(body: str, style: str = "", **how: object):
        path = tmp_path / "page.html"
        path.write_text(PAGE.format(body=body, style=style), encoding="utf-8")
        return opened(browser, path.as_uri(), **how)

    return written


def rules(found: Opened) -> set[str]:
    return {barrier.rule for barrier in found.barriers()}


def test_a_good_page_has_nothing_to_be_said_of_it(show) -> None:
    with show("<p>Text.</p><img alt='' src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>") as found:
        assert found.errors == []
        assert found.requests == []
        assert found.barriers() == []
        assert found.overflow() == 0


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("console.error('it broke')", "it broke"),
        ("null.length", "Cannot read properties of null"),
        ("Promise.reject(new Error('nobody caught it'))", "nobody caught it"),
    ],
)
def test_errors_are_heard(show, script: str, said: str) -> None:
    with show(f"<script>{script}</script>") as found:
        assert len(found.errors) == 1
        assert said in found.errors[0]


def test_what_is_only_said_is_no_error(show) -> None:
    with show("<script>console.log('well'); console.warn('hm')</script>") as found:
        assert found.errors == []


@pytest.mark.parametrize(
    ("body", "asked"),
    [
        ("<img alt='' src='http://example.invalid/a.png'>", "http://example.invalid/a.png"),
        ("<script src='http://example.invalid/a.js'></script>", "http://example.invalid/a.js"),
        ("<link rel='stylesheet' href='http://example.invalid/a.css'>", "http://example.invalid/a.css"),
        ("<script>fetch('http://example.invalid/data')</script>", "http://example.invalid/data"),
        ("<iframe title='x' src='http://example.invalid/'></iframe>", "http://example.invalid/"),
        ("<script>new WebSocket('ws://example.invalid/talk')</script>", "ws://example.invalid/talk"),
    ],
)  # fmt: skip
def test_what_is_asked_outside_is_refused_and_noted(show, body: str, asked: str) -> None:
    with show(body) as found:
        assert found.requests == [asked]


def test_a_neighbouring_file_is_outside_too_unless_it_is_at_home(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "style.css").write_text("h1 { height: 77px }", encoding="utf-8")
    page = tmp_path / "page.html"
    link = "<link rel='stylesheet' href='style.css'>"
    page.write_text(PAGE.format(body=link, style=""), encoding="utf-8")
    with opened(browser, page.as_uri()) as found:
        assert found.requests == [(tmp_path / "style.css").as_uri()]
        assert found.boxes("h1")[0].height != 77
    with opened(browser, page.as_uri(), home=tmp_path.as_uri()) as found:
        assert found.requests == []
        assert found.boxes("h1")[0].height == 77


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ("<img src='data:image/gif;base64,R0lGODlhAQABAAAAACw='>", "image-alt"),
        ("<input>", "label"),
        ("<p style='color: #999; background: #fff'>Pale words.</p>", "color-contrast"),
        ("<button></button>", "button-name"),
        ("<ul><p>No entry of a list.</p></ul>", "list"),
    ],
)
def test_barriers_are_found(show, body: str, rule: str) -> None:
    with show(body) as found:
        assert rules(found) == {rule}
        barrier = found.barriers()[0]
        assert barrier.impact in ("serious", "critical")
        assert barrier.where


def test_the_colours_that_the_reader_prefers_are_those_that_are_judged(show) -> None:
    style = """:root { color-scheme: light dark } body { background: white; color: black }
        @media (prefers-color-scheme: dark) { body { background: black; color: #333 } }"""
    with show("<p>Words.</p>", style) as found:
        assert rules(found) == set()
    with show("<p>Words.</p>", style, scheme="dark") as found:
        assert rules(found) == {"color-contrast"}


def test_a_page_that_is_too_wide_is_noticed_at_the_width_where_it_is(show) -> None:
    style = "body { margin: 0 } .wide { width: 500px }"
    with show("<p class='wide'>Text.</p>", style, width=1280) as found:
        assert found.overflow() == 0
    with show("<p class='wide'>Text.</p>", style, width=390) as found:
        assert found.overflow() == 110


def test_a_box_has_a_size_only_if_it_is_seen(show) -> None:
    style = """body { margin: 0 }
        p { position: absolute; left: 5px; top: 6px; width: 7px; height: 8px; margin: 0 }"""
    body = "<p>a</p><p style='display: none'>b</p><p style='opacity: 0'>c</p>"
    with show(body, style) as found:
        seen, *unseen = found.boxes("p")
        assert seen == Box(5, 6, 7, 8)
        assert all(box.width == box.height == 0 for box in unseen)
        assert len(unseen) == 2


def test_pictures_and_prints_are_written(show, tmp_path: Path) -> None:
    style = "main { height: 2000px } @media print { main { height: 50px } }"
    with show("", style, width=640, height=480) as found:
        names = ("whole.png", "window.png", "print.png", "print.pdf")
        whole, window, picture, document = (tmp_path / name for name in names)
        found.screenshot(whole)
        found.screenshot(window, whole=False)
        found.printed(picture, document)
        assert _size(window) == (640, 480)
        assert _size(whole)[1] > 2000
        # A print has the width of its paper, and what is printed is short.
        assert _size(picture) == (794, 1123)
        assert document.read_bytes().startswith(b"%PDF")
        # Afterwards the page is as it was.
        assert found.page.viewport_size == {"width": 640, "height": 480}
        assert found.boxes("main")[0].height == 2000


def test_a_reader_may_refuse_scripts(show) -> None:
    body = "<p>before</p><script>document.querySelector('p').textContent = 'after'</script>"
    with show(body) as found:
        assert found.page.inner_text("p") == "after"
    with show(body, scripts=False) as found:
        assert found.page.inner_text("p") == "before"


def test_a_page_that_is_not_there_is_an_error(browser: Browser, tmp_path: Path) -> None:
    with pytest.raises(Error, match="ERR_FILE_NOT_FOUND"):  # noqa: SIM117
        with opened(browser, (tmp_path / "no.html").as_uri()):
            pass


def test_without_chromium_there_is_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(FileNotFoundError, match="apt install chromium"), chromium():
        pass


def _size(png: Path) -> tuple[int, int]:
    """Read the size of a picture from its header."""
    head = png.read_bytes()[:24]
    return int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
