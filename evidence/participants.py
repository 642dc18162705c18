"""People who take part in an exported study, simulated: real events on the real page.

A participant reads what is on the page, answers questions on it rightly, does what checks on
attention ask for, and answers items as they are told to. They have one of three kinds of hands:
`quick` ones fill fields in, `mouse` only points and clicks, `keys` only press keys.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Literal

from evidence.browser import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser, Locator, Page

Hands = Literal["quick", "mouse", "keys"]

MOST_PAGES = 500
MOST_TABS = 80
WHOLE_STUDY = 300_000
"""How long a participant may take until the answers are downloaded, in milliseconds."""

LOOK = """before => new Promise((resolve, reject) => {
    const give = () => {
        const page = document.querySelector('.page');
        if (page && !page.dataset.seen) {
            page.dataset.seen = 'yes';
            clearInterval(again);
            clearTimeout(late);
            resolve({
                kind: page.dataset.kind,
                item: page.dataset.item ?? '',
                question: page.querySelector('h2')?.textContent ?? '',
                slider: Boolean(page.querySelector('input[type=range]')),
                number: Boolean(page.querySelector('input[type=number]')),
            });
        }
    };
    const again = setInterval(give, 2);
    const late = setTimeout(() => { clearInterval(again); reject(Error('no new page')) }, 10000);
    give();
})"""
"""Waits for a page that was not seen before, and says what it is."""

QUIZZES = """() => [...document.querySelectorAll('fieldset')].map(field => {
    const said = field.querySelector('legend').textContent;
    const labels = [...field.querySelectorAll('label')].map(label => label.textContent);
    return STUDY.lists.flatMap(list => list.lesson.quizzes).find(
        quiz => quiz.question === said && quiz.options.every((one, k) => one === labels[k])).right;
})"""


def drive(
    page: Page,
    answer: Callable[[str], Sequence[str]],
    hands: Hands = "quick",
    seen: Callable[[str, int], bool] = lambda _kind, _place: True,
) -> str:
    """Take part from the page that is open to the end.

    Args:
        page: The page of a study.
        answer: An item's id to replies, as a model would word them.
        hands: What the participant uses.
        seen: Called with the kind of every page and its place before it is answered; the
            participant stops where it says False.

    Returns:
        The kind of the page at which they stopped: `end` if nothing stopped them.
    """
    body = _Body(page, hands)
    for place in range(MOST_PAGES):
        found = page.evaluate(LOOK)
        kind = str(found["kind"])
        if not seen(kind, place) or kind in {"end", "declined", "trouble"}:
            return kind
        if kind == "comprehension":
            for k, right in enumerate(page.evaluate(QUIZZES)):
                body.choose(page.locator(f"input[name=quiz-{k}]"), right)
            body.submit()
        elif kind == "item":
            _answer(body, page, answer(str(found["item"])), found)
        elif kind == "attention":
            wanted = re.findall(r"\d+|(?<=“).+(?=”)", str(found["question"]))[0]
            _answer(body, page, [wanted.lower()], found)
        else:
            body.press(page.locator("div.buttons button").first)
    raise TimeoutError(f"a study must end within {MOST_PAGES} pages")


def _answer(body: _Body, page: Page, replies: Sequence[str], found: Mapping[str, Any]) -> None:
    """Answer an item: by the slider, by typing a number, or by acting and choosing."""
    *actions, last = replies
    for action in actions:
        done = json.loads(action)
        body.press(
            page.get_by_role("button", name=f"{done['action']} {done['entity']}", exact=True)
        )
    number = re.fullmatch(r"([-.\d]+)(?:%| percentage points)?", last)
    if found["number"] and number:
        body.type(page.locator("input[type=number]"), number[1])
    elif found["slider"]:
        body.slide(page.locator("input[type=range]"), round(float(last)))
    else:
        said = json.loads(last)["answer"] if last.startswith("{") else last
        labels = page.eval_on_selector_all(".options label", "all => all.map(l => l.innerText)")
        place = [label.strip().lower() for label in labels].index(said)
        field = "instead" if found["number"] else "choice"
        body.choose(page.locator(f"input[name={field}]"), place)
    body.submit()


class _Body:
    """How a participant presses, chooses and slides with the hands they have."""

    def __init__(self, page: Page, hands: Hands) -> None:
        self.page = page
        self.hands = hands

    def press(self, button: Locator) -> None:
        if self.hands == "keys":
            self._tab_to(button)
            self.page.keyboard.press("Enter")
        elif self.hands == "mouse":
            button.click()
        else:
            button.press("Enter")

    def submit(self) -> None:
        if self.hands == "quick":
            # What was filled in last has the focus still.
            self.page.keyboard.press("Enter")
        else:
            self.press(self.page.locator("button[type=submit]"))

    def type(self, field: Locator, text: str) -> None:
        if self.hands == "keys":
            self._tab_to(field)
            self.page.keyboard.type(text)
        else:
            field.fill(text)

    def choose(self, options: Locator, place: int) -> None:
        if self.hands == "keys" and options.nth(place).get_attribute("type") == "checkbox":
            self._tab_to(options.nth(place))
            self.page.keyboard.press("Space")
        elif self.hands == "keys":
            self._tab_to(options)
            # A group of options has one stop of Tab; arrows go through it, and choose.
            for _ in range(options.count()):
                self.page.keyboard.press("ArrowDown")
                if options.nth(place).is_checked():
                    return
            raise TimeoutError("an option must be reached by arrow keys")
        elif self.hands == "mouse":
            options.nth(place).check()
        else:
            options.nth(place).press("Space")

    def slide(self, slider: Locator, value: int) -> None:
        if self.hands == "keys":
            self._tab_to(slider)
            near, step, presses = ("Home", "ArrowRight", value)
            if value > 50:
                near, step, presses = ("End", "ArrowLeft", 100 - value)
            # Away and back, should it start there already.
            self.page.keyboard.press(step)
            self.page.keyboard.press(near)
            for _ in range(presses):
                self.page.keyboard.press(step)
        elif self.hands == "mouse":
            self._point_at(slider, value)
        else:
            slider.fill(str(value))

    def _point_at(self, slider: Locator, value: int) -> None:
        """Drag the thumb until the page says the value."""
        box = slider.bounding_box()
        assert box is not None
        thumb = 27
        middle = box["y"] + box["height"] / 2
        at = box["x"] + thumb / 2 + (box["width"] - thumb) * value / 100
        mouse = self.page.mouse
        mouse.move(box["x"] + (8 if value > 50 else box["width"] - 8), middle)
        mouse.down()
        mouse.move(at, middle, steps=3)
        for _ in range(20):
            off = value - int(slider.input_value())
            if not off:
                break
            at += off * (box["width"] - thumb) / 200
            mouse.move(at, middle)
        mouse.up()

    def _tab_to(self, wanted: Locator) -> None:
        for _ in range(MOST_TABS):
            if any(one.evaluate("one => one === document.activeElement") for one in wanted.all()):
                return
            self.page.keyboard.press("Tab")
        raise TimeoutError(f"{wanted} must be reached by at most {MOST_TABS} presses of Tab")


def kept_rows(page: Page) -> list[dict[str, Any]]:
    """Return the rows that the browser keeps of the study that is open."""
    kept = page.evaluate(
        "() => Object.keys(localStorage).filter(key => key.startsWith(`whybench/${STUDY.id}/`))"
        ".flatMap(key => JSON.parse(localStorage.getItem(key)).rows)"
    )
    return list(kept)


def take_part(
    browser: Browser,
    study: Path,
    participant: str,
    number: int,
    answer: Callable[[str], Sequence[str]],
    folder: Path,
) -> Path:
    """Take part in a study whose answers are downloaded; return the file of the answers."""
    address = f"{study.resolve().as_uri()}/index.html?participant={participant}&number={number}"
    with opened(browser, address, home=study.resolve().as_uri()) as found:
        with found.page.expect_download(timeout=WHOLE_STUDY) as download:
            drive(found.page, answer)
        target = folder / download.value.suggested_filename
        download.value.save_as(target)
        return target
