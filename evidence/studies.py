"""Studies to try out: planned, exported, served, and opened from the disk."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any

from evidence.browser import opened
from whybench.study.export import DOWNLOAD, Saving, write_study
from whybench.study.plan import make_plan
from whybench.study.server import study_server
from whybench.study.simulation import SimulatedPerson

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser

    from evidence.browser import Opened
    from whybench.study.plan import StudyPlan
    from whybench.suites.contract import Item


@contextmanager
def exported(plan: StudyPlan, saving: Saving = DOWNLOAD) -> Iterator[Path]:
    """Write a study into a folder that is gone afterwards."""
    with TemporaryDirectory() as folder:
        write_study(plan, Path(folder) / "study", saving)
        yield Path(folder) / "study"


@contextmanager
def served(study: Path, data: Path | None = None) -> Iterator[str]:
    """Serve a study from a thread; yield its address."""
    server = study_server(study, data)
    # What is tried here ends in moments; the server must not hold it up for half a second.
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def opened_study(
    browser: Browser, study: Path, query: str = "", **options: Any
) -> Iterator[Opened]:
    """Open a study from the disk; whatever it asks for outside its folder is refused."""
    home = study.as_uri()
    with opened(browser, f"{home}/index.html{query}", home=home, **options) as found:
        yield found


def plan_of(suite_name: str, small: bool) -> StudyPlan:
    """Return the plan of a suite's default study; small, of one with few items."""
    others: dict[str, dict[str, Any]] = {
        "compose": {"design": "core", "worlds": 1, "units": 1},
        "calculate": {"design": "core", "style": "direct", "query": "observe,ate,counterfactual"},
    }
    settings = others.get(suite_name, {"design": "core"})
    return make_plan(suite_name, settings, 4, 2) if small else make_plan(suite_name, settings)


def list_replies(plan: StudyPlan, agent: str = "") -> dict[str, tuple[str, ...]]:
    """Return what an agent replies to every item of a plan, by id; gold replies without an agent.

    A slider has whole numbers, so replies to be set by one are rounded; percentages that are typed
    in have two decimals.
    """
    said = {}
    for item in (item for entry in plan.lists for item in entry):
        turns = SimulatedPerson(0, agent).replies(plan, item) if agent else _gold(plan, item)
        if plan.questionnaire.response == "rating":
            turns = [str(round(float(turn))) for turn in turns]
        if plan.questionnaire.response == "number":
            turns = [_typed(turn) for turn in turns]
        # On the page nobody is asked how to go on: one acts again, or answers.
        said[item.digest] = tuple(turn for turn in turns if '"next"' not in turn)
    return said


def _typed(reply: str) -> str:
    return f"{float(reply[:-1]):.2f}".rstrip("0").rstrip(".") + "%" if reply[-1] == "%" else reply


def _gold(plan: StudyPlan, item: Item) -> list[str]:
    turns: list[str] = []

    def speak(asked: object, _: int) -> str:
        turns.append(plan.suite.oracle(asked))
        return turns[-1]

    plan.suite.converse(item, speak)
    return turns
