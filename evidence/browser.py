"""Pages in a real browser: what they say on the console, what they ask for, who can read them.

A page that is to be opened from a disk, years from now, must need nothing but itself. So whatever
else a page asks for is refused here and written down, with every error on its console. Readability
by everybody is what axe-core's rules say of the page as rendered, in the colours it was opened in.

Chromium is the system's own, found on the path; Playwright drives it.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import (
        Browser,
        CDPSession,
        ConsoleMessage,
        Page,
        Route,
        WebSocketRoute,
    )

PATIENCE = 120_000
"""How long anything in a page may take, in milliseconds."""
SERIOUS = ("serious", "critical")
A4 = 794
"""Width of an A4 sheet, in pixels of CSS."""

Scheme = Literal["light", "dark"]

SETTLED = """() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"""
"""Waits until the page has been painted and its scripts are idle."""

BOXES = """elements => elements.map(element => {
    const box = element.getBoundingClientRect();
    const seen = element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true});
    return [box.left + scrollX, box.top + scrollY, seen ? box.width : 0, seen ? box.height : 0];
})"""


class Barrier(NamedTuple):
    """Something that keeps some readers out.

    Attributes:
        rule: The rule of axe-core that is broken.
        impact: How much it keeps them out, `serious` or `critical`.
        meaning: The rule in words.
        where: Selectors of the elements that break it.
    """

    rule: str
    impact: str
    meaning: str
    where: tuple[str, ...]


class Box(NamedTuple):
    """Where an element stands on its page, in pixels; without size if it cannot be seen."""

    left: float
    top: float
    width: float
    height: float


@dataclass
class Opened:
    """An open page and what has been noticed about it since.

    Attributes:
        page: Playwright's page, to be driven as its user would.
        errors: Errors on the console, and those that no script has caught.
        requests: Addresses that were asked for and refused.
    """

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    _probe: CDPSession | None = None

    def work(self) -> float:
        """Return for how many seconds the page has kept a processor busy so far.

        Other programs may make a reader wait longer; this is the page's own part.
        """
        assert self._probe is not None
        found = self._probe.send("Performance.getMetrics")["metrics"]
        return float(next(one["value"] for one in found if one["name"] == "TaskDuration"))

    def barriers(self) -> list[Barrier]:
        """Return what keeps readers out of the page as it stands."""
        # Evaluated by the browser and not added to the page, whose own rules might forbid it.
        self.page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
        # Preloading would ask for style sheets once more, which a page from a disk may not.
        found = self.page.evaluate(
            "() => axe.run(document, {resultTypes: ['violations'], preload: false})"
        )
        return [
            Barrier(
                broken["id"],
                broken["impact"],
                broken["help"],
                tuple(" ".join(map(str, node["target"])) for node in broken["nodes"]),
            )
            for broken in found["violations"]
            if broken["impact"] in SERIOUS
        ]

    def boxes(self, selector: str) -> list[Box]:
        """Return where the elements that match a selector of CSS stand."""
        return [Box(*box) for box in self.page.eval_on_selector_all(selector, BOXES)]

    def overflow(self) -> float:
        """Return by how many pixels the page is wider than its window."""
        return float(self.page.evaluate("() => document.documentElement.scrollWidth - innerWidth"))

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """Write a picture of the page, or of what its window shows, as PNG."""
        self.page.screenshot(path=path, full_page=whole)

    def printed(self, picture: Path, document: Path | None = None) -> None:
        """Write a picture of the page as it is printed on A4, and the printed document as PDF."""
        before = self.page.viewport_size
        self.page.emulate_media(media="print")
        self.page.set_viewport_size({"width": A4, "height": 1123})
        try:
            self.screenshot(picture)
            if document is not None:
                self.page.pdf(path=document, format="A4", print_background=True)
        finally:
            self.page.emulate_media(media="screen")
            if before is not None:
                self.page.set_viewport_size(before)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the system's Chromium, without a window, and stop it at the end.

    Until then this thread has a running event loop, so that `asyncio.run` and what rests on it
    cannot be called.
    """
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("pages are tried in Chromium; install it: apt install chromium")
    # Chromium's own sandbox refuses to run as root, as containers do.
    rights = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, headless=True, args=rights, timeout=PATIENCE
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(
    browser: Browser,
    address: str,
    *,
    width: int = 1280,
    height: int = 900,
    scheme: Scheme = "light",
    home: str = "",
    scripts: bool = True,
) -> Iterator[Opened]:
    """Open a page in a window of its own, and close it at the end.

    Args:
        browser: The browser.
        address: Where the page is, such as `Path.as_uri` says.
        width: Width of the window in pixels.
        height: Its height.
        scheme: The colours that the reader prefers.
        home: Addresses that begin so may be asked for; without it only the page itself may.
        scripts: Whether the reader lets scripts run.
    """
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        reduced_motion="reduce",
        java_script_enabled=scripts,
        accept_downloads=True,
    )
    context.set_default_timeout(PATIENCE)
    try:
        page = context.new_page()
        probe = context.new_cdp_session(page)
        probe.send("Performance.enable", {"timeDomain": "threadTicks"})
        found = Opened(page, _probe=probe)

        def meet(route: Route) -> None:
            asked = route.request.url
            if asked == address or (home and asked.startswith(home)):
                route.continue_()
            else:
                found.requests.append(asked)
                route.abort()

        def meet_socket(route: WebSocketRoute) -> None:
            found.requests.append(route.url)
            route.close()

        def hear(message: ConsoleMessage) -> None:
            if message.type == "error":
                found.errors.append(message.text)

        context.route("**/*", meet)
        context.route_web_socket("**/*", meet_socket)
        page.on("console", hear)
        page.on("pageerror", lambda error: found.errors.append(str(error)))
        page.goto(address, wait_until="load")
        if scripts:
            page.evaluate(SETTLED)
        yield found
    finally:
        context.close()
