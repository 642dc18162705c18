from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from whybench.datasets import file_state
from whybench.study.export import ENGINE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


@pytest.fixture(scope="session")
def engine() -> None:
    """Skip where jsPsych is not at hand; where everything is to be tested, it has to be."""
    if file_state("jsPsych", ENGINE) == "not fetched" and not os.environ.get("CI"):
        pytest.skip("jsPsych is not here: `whybench data fetch jsPsych`")


@pytest.fixture(scope="module")
def browser(engine: None) -> Iterator[Browser]:
    from evidence.browser import chromium

    with chromium() as started:
        yield started
