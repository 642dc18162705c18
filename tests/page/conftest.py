from __future__ import annotations

import json
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from evidence.made_logs import Speaker, write_log

from whybench.page import report
from whybench.page.downloads import unpacked
from whybench.suites.registry import get_suite
from whybench.suites.task import inspect_task

if TYPE_CHECKING:
    from pathlib import Path

# Suite to what its task is given, how many samples are asked, and who answers as which model.
ASKED = {
    "judge": ({}, 60, {"maker/one": "noisy-or", "maker/two": "associative"}),
    "intervene": ({}, 12, {"maker/one": "bayes", "maker/two": "single-cause"}),
    "compose": (
        {"gates": "or", "worlds": 1, "units": 16},
        3,
        {"maker/one": "exact", "maker/two": "coin"},
    ),
    "analyze": (
        {"challenge": "simpson", "protocol": "code"},
        4,
        {"maker/one": "competent", "maker/two": "schema-breaker"},
    ),
}


@pytest.fixture(scope="session")
def logs(tmp_path_factory) -> Path:
    """Logs of two models in four suites; the second has no answers in analyze."""
    folder = tmp_path_factory.mktemp("logs")
    for name, (arguments, samples, speakers) in ASKED.items():
        asked = get_suite(name)
        task = inspect_task(asked)(**arguments)
        for model, strategy in speakers.items():
            write_log(asked, task, Speaker(model, strategy), folder, samples)
    return folder


@pytest.fixture(scope="session")
def page(logs, tmp_path_factory) -> str:
    """The page of these logs."""
    target = tmp_path_factory.mktemp("page") / "page.html"
    report(logs, target)
    return target.read_text(encoding="utf-8")


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    text: str = ""


@dataclass
class Parsed(HTMLParser):
    """All elements of a page in order, with the text directly inside."""

    elements: list[Element] = field(default_factory=list)
    stack: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag, attrs) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        if tag not in {"meta", "br", "wbr", "input", "line", "rect", "circle", "path", "use"}:
            self.stack.append(element)

    def handle_endtag(self, tag) -> None:
        while self.stack and self.stack.pop().tag != tag:
            pass

    def handle_data(self, data) -> None:
        if self.stack:
            self.stack[-1].text += data

    def all(self, tag: str, **attributes: str) -> list[Element]:
        return [
            element
            for element in self.elements
            if element.tag == tag
            and all(element.attributes.get(k) == v for k, v in attributes.items())
        ]


@pytest.fixture
def parse():
    def parsed(text: str) -> Parsed:
        found = Parsed()
        found.feed(text)
        found.close()
        return found

    return parsed


@pytest.fixture
def measures_in(parse):
    """What a page says of measures: one row each, after the suite."""

    def told(text: str) -> list[dict[str, object]]:
        [script] = parse(text).all("script", id="measures-data")
        return [
            dict(zip(block["columns"], row, strict=True))
            for block in json.loads(unpacked(script.text))
            for row in block["rows"]
        ]

    return told
